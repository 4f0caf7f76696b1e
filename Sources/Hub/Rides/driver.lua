-- What a driver does, or its position shows, outside a ride: going available and not, moving to another zone, leaving all.

local forget_place, is_minibus, load_ride, register = import('core', 'forget_place', 'is_minibus', 'load_ride', 'register')
local ok, once, refuse, vehicle = import('core', 'ok', 'once', 'refuse', 'vehicle')
local blocks = import('blocks', 'blocks')
local cancels = import('limits', 'cancels')
local papers = import('papers', 'papers')
local join, leave, lose, mark_back, place, recover = import('queue', 'join', 'leave', 'lose', 'mark_back', 'place', 'recover')
local remembers, to_bottom = import('queue', 'remembers', 'to_bottom')
local dispatch_driver, dispatch_rest = import('search', 'dispatch_driver', 'dispatch_rest')
local release_offer = import('offer', 'release_offer')
local go_offline, go_online, has_bookings = import('minibus', 'go_offline', 'go_online', 'has_bookings')

-- A driver has left its queue: an open offer goes to the next, and its zone does without it. is_sent: by the office, which is not
-- the driver's fault.
local function do_without(c, driver, v, is_sent)
    local r = v.offer and load_ride(c, v.offer)
    -- Who leaves instead of showing it would otherwise let each ride wait.
    if r and r.seen ~= '1' and not is_sent then cancels.add(c, 'driver:' .. driver, 'u') end
    if r then release_offer(c, v.offer, r, 'withdrawn') end
    if not r or r.zone ~= v.zone then dispatch_rest(c, v.zone, r and driver) end
end

-- So often in a minute a driver comes into a queue: by its word, as its position is in another zone, or in one again. Each time all who wait
-- there are told their ranks. `moves` of the vehicle has when it did. It may leave at any time, and is refused, or stays as it is, until it may
-- come again.
local MOVES = 6

local function moves_with_this(c, v) return cancels.in_a_minute(c, v.moves, MOVES) end

-- The name went to a bus (bus.lua), and the driver's connection is about to be closed.
local function bus_refusal(v)
    return v.kind == 'bus' and refuse('forbidden', 'Your subject is the id of a bus in the catalog.') or nil
end

-- driver_available: driver, zone of its last position ('' = refused), key, and why it is refused: code, detail.
register('driver_available', { 'driver', 'zone', 'key', 'code', 'detail' }, function(c, given)
    local driver, zone = given.driver, given.zone
    return once(c, 'driver.available', 'driver:' .. driver, given.key, function()
        local v = vehicle(c, driver)
        local no = bus_refusal(v)
        if no then return no end
        if v.state == 'busy' then
            return refuse('not_available', 'You are on ride ' .. (v.ride or '') .. ': end it first; you are available again then.')
        end
        local barred = blocks.refusal(c, v.blocked)
        if barred then return barred end
        local refused, card
        if v.state ~= 'available' then refused, card = papers.check(c, driver) end
        if refused then return refused end
        local is_back = mark_back(c, driver, v)
        if is_minibus(v) then
            if given.code == 'no_position' then return refuse(given.code, given.detail) end
            return go_online(c, driver, 'available', card)
        end
        if v.state == 'available' then
            if is_back then dispatch_driver(c, v.zone, driver, true) end
            local rank, size = place(c, driver, v.zone)
            return ok({ state = 'available', zone = v.zone, rank = rank, size = size })
        end
        if zone == '' then return refuse(given.code, given.detail) end
        local too_soon = cancels.driver_refusal(c, driver) or cancels.brief_refusal(c, v)
        if too_soon then return too_soon end
        local moves, _, wait = moves_with_this(c, v)
        if not moves then
            return refuse('rate_limited', 'You have come into a queue ' .. MOVES .. ' times within a minute. Be available again in '
                .. math.ceil(wait / 1000) .. ' s.', wait)
        end
        local kept = remembers(c, v) and v.lost_zone == zone and v.lost_score or nil
        local rank, size = join(c, driver, v, zone, kept and 'recovered' or 'available', kept, { 'moves', moves, unpack(card) })
        dispatch_driver(c, zone, driver, true)
        return ok({ state = 'available', zone = zone, rank = rank, size = size })
    end)
end)

-- driver_unavailable: driver, key.
register('driver_unavailable', { 'driver', 'key' }, function(c, given)
    local driver = given.driver
    return once(c, 'driver.unavailable', 'driver:' .. driver, given.key, function()
        local v = vehicle(c, driver)
        local no = bus_refusal(v)
        if no then return no end
        if v.state == 'busy' then
            return refuse('not_available', 'You are on ride ' .. (v.ride or '') .. ': end it or cancel it first.')
        end
        if is_minibus(v) then
            if has_bookings(c, driver) then
                return refuse('not_available', 'You have bookings: end or cancel them first.')
            end
            if v.state == 'available' then go_offline(c, driver, v, 'unavailable') end
        end
        forget_place(c, driver)
        if v.state == 'available' and not is_minibus(v) then
            leave(c, driver, v, 'unavailable', 'unavailable')
            do_without(c, driver, v)
        end
        return ok({ state = 'unavailable' })
    end)
end)

-- driver_move: driver, zone. An available driver has moved on purpose: bottom of that zone's queue (Q6).
register('driver_move', { 'driver', 'zone' }, function(c, given)
    local driver, zone = given.driver, given.zone
    local v = vehicle(c, driver)
    if v.state ~= 'available' or v.zone == zone or is_minibus(v) or bus_refusal(v) then return 0 end
    local left, moves = v.zone, moves_with_this(c, v)
    if not moves then return 0 end
    leave(c, driver, v, 'moved', 'available')
    join(c, driver, v, zone, 'moved', nil, { 'moves', moves })
    -- Its open offer goes with it: the zone that it has left counted on its answer.
    dispatch_rest(c, left, v.offer and driver)
    dispatch_driver(c, zone, driver, true)
    return 1
end)

-- driver_outside: driver. An available driver has left every zone; its place is kept for the recovery time (C19): with an offer
-- that it has been shown, the last one, as if it had let it pass.
register('driver_outside', { 'driver' }, function(c, given)
    local driver = given.driver
    local v = vehicle(c, driver)
    if v.state ~= 'available' or is_minibus(v) or bus_refusal(v) then return 0 end
    if v.offer and redis.call('HGET', c.p .. 'ride:' .. v.offer, 'seen') == '1' then
        to_bottom(c, driver, v, 'outside_zones')
    end
    lose(c, driver, v, 'outside_zones')
    do_without(c, driver, v)
    return 1
end)

-- driver_recover: driver, zone. A driver that lost its place against its will is inside a zone again. -1: not yet.
register('driver_recover', { 'driver', 'zone' }, function(c, given)
    local driver, zone = given.driver, given.zone
    local v = vehicle(c, driver)
    if not remembers(c, v) or is_minibus(v) or cancels.driver_refusal(c, driver) or papers.check(c, driver) then return 0 end
    local moves = moves_with_this(c, v)
    if not moves then return -1 end
    mark_back(c, driver, v)
    recover(c, driver, v, zone, { 'moves', moves })
    dispatch_driver(c, zone, driver, true)
    return 1
end)

return { do_without = do_without, bus_refusal = bus_refusal }
