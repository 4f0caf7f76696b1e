-- Offers: the one place where an offer ends. A ride is `offered` to exactly one driver, and then stands in `offers` by its deadline;
-- otherwise it is `searching` (search.lua). Accept, decline, timeout and cancel each compare the ride's state and driver before they change it.

local clear_vehicle, is_minibus, load_ride, register = import('core', 'clear_vehicle', 'is_minibus', 'load_ride', 'register')
local log, ok, once, refuse, set_ride = import('core', 'log', 'ok', 'once', 'refuse', 'set_ride')
local tell, tell_json, vehicle = import('core', 'tell', 'tell_json', 'vehicle')
local digits, point, quoted = import('json', 'digits', 'point', 'quoted')
local callers = import('callers', 'callers')
local cancels = import('limits', 'cancels')
local bring_back, leave, mark_away, mark_back = import('queue', 'bring_back', 'leave', 'mark_away', 'mark_back')
local set_free, set_not_free, to_bottom = import('queue', 'set_free', 'set_not_free', 'to_bottom')
local dispatch_driver, dispatch_rest, dispatch_ride = import('search', 'dispatch_driver', 'dispatch_rest', 'dispatch_ride')
local end_search, make_offer, needs_of = import('search', 'end_search', 'make_offer', 'needs_of')
local remember_ask, searches_on, tell_followers = import('search', 'remember_ask', 'searches_on', 'tell_followers')

-- v: the driver's vehicle; it has no offer then. What the ride says of the offer is nothing when the ride is not `offered`.
local function clear_offer(c, ride, driver, v)
    redis.call('ZREM', c.p .. 'offers', ride)
    clear_vehicle(c, driver, 'offer')
    v.offer = nil
end

-- The ride of an open offer is over, without its driver, who is free again (free_again). reason: in the log, nil: cancelled.
local function withdraw_offer(c, ride, r, reason)
    local driver = r.offered_to
    local v = vehicle(c, driver)
    clear_offer(c, ride, driver, v)
    set_free(c, driver, v)
    log(c, 'offer.withdrawn', { ride = ride, zone = r.zone, driver = driver, reason = reason or 'cancelled' })
    tell(c, 'driver:' .. driver, 'offer.withdrawn', { ride = ride, reason = 'cancelled' })
end

local function free_again(c, driver)
    local zone = redis.call('HGET', c.p .. 'vehicle:' .. driver, 'zone')
    if zone then dispatch_driver(c, zone, driver) end
end

-- The office asks this driver, whoever's turn it is; if that comes to nothing, the search goes on as it would. Who is asked now is free
-- again, and may be asked in this round. v: the driver's vehicle.
local function offer_by_operator(c, ride, r, driver, v)
    local before = r.state == 'offered' and r.offered_to
    if before then
        withdraw_offer(c, ride, r, 'operator')
        redis.call('ZADD', c.p .. 'asks:' .. ride, 0, before)
        redis.call('EXPIRE', c.p .. 'asks:' .. ride, c.history_ttl_s)
    end
    -- It may wait in another zone than the ride.
    set_not_free(c, driver, v.zone)
    make_offer(c, ride, r, driver, nil, 'operator')
    if before then free_again(c, before) end
end

-- Ends an open offer without acceptance. how: declined | expired | undelivered | withdrawn. The ride searches on.
local function release_offer(c, ride, r, how)
    local driver = r.offered_to
    local v = vehicle(c, driver)
    clear_offer(c, ride, driver, v)
    remember_ask(c, ride, driver)
    set_ride(c, ride, 'state', 'searching', unpack(how == 'declined' and { 'rang', '1' } or {}))
    redis.call('ZADD', c.p .. 'waiting:' .. r.zone, r.order, ride)
    searches_on(c, ride, r)
    log(c, 'offer.' .. how, { ride = ride, zone = r.zone, driver = driver })
    if how == 'undelivered' then
        cancels.add(c, 'driver:' .. driver, 'u')
        if v.state == 'available' and cancels.driver_refusal(c, driver) then
            leave(c, driver, v, 'undelivered', 'unavailable')
        else
            mark_away(c, driver, v, 'undelivered')
        end
    elseif v.state == 'available' and how ~= 'withdrawn' then
        to_bottom(c, driver, v, how)
    end
    if how ~= 'declined' then
        tell(c, 'driver:' .. driver, 'offer.withdrawn', { ride = ride, reason = how == 'withdrawn' and 'cancelled' or how })
    end
    local queue_zone = v.state == 'available' and v.zone
    if queue_zone and queue_zone ~= r.zone then dispatch_ride(c, ride) end
    if not queue_zone or how == 'withdrawn' or how == 'undelivered' then
        dispatch_rest(c, queue_zone or r.zone, driver, ride)
    else
        dispatch_driver(c, v.zone, driver, false, ride)
    end
end

-- Why the offer that a driver answers is not open to it.
local function no_offer(c, ride, r, driver)
    if not r.state or r.offered_to ~= driver and not redis.call('ZSCORE', c.p .. 'asks:' .. ride, driver) then
        return refuse('not_found', 'The ride ' .. ride .. ' was not offered to you, or does not exist.')
    end
    if r.driver and r.driver ~= driver then return refuse('offer_taken', 'Another driver has taken the ride.') end
    if r.state == 'searching' or r.state == 'offered' then
        return refuse('offer_expired', 'The offer stands no more: the ride went on to another driver.')
    end
    return refuse('offer_expired', 'The offer is over: the ride is ' .. r.state .. '.')
end

local function is_open_to(r, driver) return r.state == 'offered' and r.offered_to == driver end

-- offer_seen: driver, ride. The driver's app shows the offer: its time starts now (C30).
local SEEN = { 'state', 'offered_to', 'zone', 'deadline', 'seen', 'driver', 'ends' }

register('offer_seen', { 'driver', 'ride' }, function(c, given)
    local driver, ride = given.driver, given.ride
    local r = load_ride(c, ride, SEEN)
    local v = bring_back(c, driver)
    if v and v.state == 'available' and not is_minibus(v) then dispatch_driver(c, v.zone, driver, true) end
    if not is_open_to(r, driver) then return no_offer(c, ride, r, driver) end
    if r.seen ~= '1' then
        r.deadline = string.format('%d', c.now + c.offer_timeout_ms)
        set_ride(c, ride, 'seen', '1', 'rang', '1', 'deadline', r.deadline)
        redis.call('ZADD', c.p .. 'offers', r.deadline, ride)
        -- Offers may last longer than they did when the ride was asked for.
        if r.ends and r.deadline + c.accept_grace_ms > tonumber(r.ends) then searches_on(c, ride, r) end
        log(c, 'offer.seen', '{"ride":"' .. ride .. '","zone":' .. quoted(r.zone) .. ',"driver":"' .. driver .. '"}')
    end
    return ok('{"ride":"' .. ride .. '","expires_in_ms":' .. digits(math.max(0, r.deadline - c.now)) .. ',"expires_at":' .. r.deadline .. '}')
end)

-- What both are told of a way, as members of JSON, each after a comma: pickup, destination, passengers.
local function way_of(r)
    return ',"pickup":' .. point(r.lat, r.lon) .. (r.dlat and ',"destination":' .. point(r.dlat, r.dlon) or '')
        .. ',"passengers":' .. r.passengers
end

-- What the driver is told of the ride that it has: JSON.
local function assignment(ride, r, way)
    local contact = callers.contact(r)
    return '{"ride":"' .. ride .. '"' .. way .. (contact and ',"contact":' .. cjson.encode(contact) or '')
        .. (r.needs and ',"needs":' .. cjson.encode(needs_of(r)) or '') .. (r.payment and ',"payment":"' .. r.payment .. '"}' or '}')
end

-- How long a vehicle that has accepted is told of without being asked for, ms of machine time.
local WATCHED_MS = 90000

-- offer_accept: driver, ride, key, seconds to the pickup as the driver's worker reckons them ('' = unknown).
register('offer_accept', { 'driver', 'ride', 'key', 'eta_s' }, function(c, given)
    local driver, ride = given.driver, given.ride
    return once(c, 'offer.accept', 'driver:' .. driver, given.key, function()
        local r = load_ride(c, ride)
        if r.driver == driver and (r.state == 'accepted' or r.state == 'aboard') then return ok(assignment(ride, r, way_of(r))) end
        if is_open_to(r, driver) and c.now > tonumber(r.deadline) + c.accept_grace_ms then
            release_offer(c, ride, r, r.seen == '1' and 'expired' or 'undelivered')
            return refuse('offer_expired', 'The offer was due earlier; the ride went on to the next driver.')
        end
        if not is_open_to(r, driver) then return no_offer(c, ride, r, driver) end

        local v = vehicle(c, driver)
        redis.call('ZREM', c.p .. 'offers', ride)
        end_search(c, ride, r)
        set_ride(c, ride, 'state', 'accepted', 'driver', driver, 'accepted_at', c.now_text, 'notified', '0',
            'place', v.score, 'place_zone', v.zone, 'from', v.lat and v.lat .. ',' .. v.lon or '')
        mark_back(c, driver, v)
        -- Its passenger's worker follows it from here on, and reads the vehicle only if it is not told of it with the acceptance.
        local watched = math.max(tonumber(v.watched) or 0, c.real + WATCHED_MS)
        leave(c, driver, v, 'accepted', 'busy', 'ride', ride, 'watched', string.format('%d', watched))
        log(c, 'ride.accepted', '{"ride":"' .. ride .. '","zone":' .. quoted(r.zone) .. ',"driver":"' .. driver .. '","passenger":"'
            .. r.passenger .. '"}')
        local way = way_of(r)
        local json = assignment(ride, r, way)
        tell_json(c, 'driver:' .. driver, 'ride.assigned', json)
        tell(c, 'passenger:' .. r.passenger, 'ride.accepted', '{"ride":"' .. ride .. '","taxi":"' .. driver
            .. (v.lat and '","position":{"lat":' .. v.lat .. ',"lon":' .. v.lon .. ',"at":' .. v.at .. '}' or '","position":null')
            .. ',"eta_s":' .. (given.eta_s ~= '' and given.eta_s or 'null') .. ',"requested_at":' .. r.requested_at .. way
            .. (v.card and ',"card":' .. v.card .. '}' or '}'))
        if r.reservation then
            tell_followers(c, ride, r, 'accepted', { taxi = driver, card = v.card and cjson.decode(v.card),
                position = v.lat and { lat = tonumber(v.lat), lon = tonumber(v.lon), at = tonumber(v.at) } or cjson.null,
                eta_s = tonumber(given.eta_s) or cjson.null })
        end
        dispatch_rest(c, v.zone, driver)
        return '+' .. json
    end)
end)

-- offer_decline: driver, ride, key.
register('offer_decline', { 'driver', 'ride', 'key' }, function(c, given)
    local driver, ride = given.driver, given.ride
    return once(c, 'offer.decline', 'driver:' .. driver, given.key, function()
        local r = load_ride(c, ride)
        local v, is_open = bring_back(c, driver), is_open_to(r, driver)
        if is_open then release_offer(c, ride, r, 'declined') end
        if v and v.state == 'available' and not is_minibus(v) then dispatch_driver(c, v.zone, driver, true) end
        if not is_open then return no_offer(c, ride, r, driver) end
        return ok({ ride = ride })
    end)
end)

return {
    withdraw_offer = withdraw_offer, free_again = free_again, release_offer = release_offer, offer_by_operator = offer_by_operator,
}
