-- What watchers are shown to begin with, and what a driver says of its vehicle besides where it is.

local FEED, clear_vehicle, feed_line, follow = import('core', 'FEED', 'clear_vehicle', 'feed_line', 'follow')
local register = import('core', 'register')
local is_minibus, log, ok, once, refuse = import('core', 'is_minibus', 'log', 'ok', 'once', 'refuse')
local set_vehicle, show, vehicle = import('core', 'set_vehicle', 'show', 'vehicle')
local figures = import('figures', 'figures')
local dispatch_driver, dispatch_rest = import('search', 'dispatch_driver', 'dispatch_rest')
local announce_way, count_reroute, recount = import('minibus', 'announce_way', 'count_reroute', 'recount')
local tell_of_route = import('minibus', 'tell_of_route')
local cancels = import('limits', 'cancels')
local room = import('room', 'room')
local bus_refusal = import('driver', 'bus_refusal')
local tours = import('tour', 'tours')

-- Lines of those of the vehicles that were heard since `since`.
local function lines_of(c, drivers, since, cell)
    local lines = {}
    for _, driver in ipairs(drivers) do
        local f = redis.call('HMGET', c.p .. 'vehicle:' .. driver, unpack(FEED))
        if f[10] and (not cell or f[10] == cell) and tonumber(f[5] or 0) >= since then
            lines[#lines + 1] = feed_line(c, driver, f)
        end
    end
    return table.concat(lines, '\n')
end

-- feed_state: how old a position may be (ms of hub time), cells. Answers the lines of each cell.
register('feed_state', { 'max_age_ms', '...' }, function(c, given)
    local state = {}
    for i = 2, #given do
        follow(c, given[i])
        state[i - 1] = lines_of(c, redis.call('SMEMBERS', c.p .. 'cell:' .. given[i]), c.now - given.max_age_ms, given[i])
    end
    return state
end, { 'no-writes' })

-- feed_city: how old a position may be, where to go on (0 = the beginning), how many at most. Answers {where to go on
-- (0 = that was all), lines}.
register('feed_city', { 'max_age_ms', 'cursor', 'most' }, function(c, given)
    follow(c, 'city')
    local found = redis.call('ZSCAN', c.p .. 'pos', given.cursor, 'COUNT', given.most)
    local drivers = {}
    for i = 1, #found[2], 2 do drivers[#drivers + 1] = found[2][i] end
    return { found[1], lines_of(c, drivers, c.now - given.max_age_ms) }
end, { 'no-writes' })

-- feed_watch: for how long (ms of machine time), vehicles. Until then each one's changes are told on the partition of
-- its channel; of one that nobody knows yet, from when it is there. Answers the line of each, '' for one that has not been shown
-- yet, nothing for one that nobody knows.
register('feed_watch', { 'for_ms', '...' }, function(c, given)
    local state = {}
    for i = 2, #given do
        local key, till = c.p .. 'vehicle:' .. given[i], string.format('%.0f', c.real + given.for_ms)
        -- A hash may have nothing but a block by the office: that is no vehicle yet.
        local known = redis.call('HMGET', key, 'state', 'heard')
        if known[1] or known[2] then
            redis.call('HSET', key, 'watched', till)
            state[i - 1] = lines_of(c, { given[i] }, 0)
        else
            redis.call('ZADD', c.p .. 'awaited', till, given[i])
            state[i - 1] = false
        end
    end
    return state
end)

-- feed_ways: where to go on (0 = the beginning), how many at most. Answers {where to go on (0 = that was all), {driver,
-- JSON of its way, …}}. What is read of a vehicle that is not online was left by an earlier version, and is taken out.
register('feed_ways', { 'cursor', 'most' }, function(c, given)
    local found = redis.call('HSCAN', c.p .. 'ways', given.cursor, 'COUNT', given.most)
    local ways = {}
    for i = 1, #found[2], 2 do
        local driver, way = found[2][i], found[2][i + 1]
        if redis.call('HGET', c.p .. 'vehicle:' .. driver, 'state') == 'available' then
            ways[#ways + 1], ways[#ways + 2] = driver, way
        else
            redis.call('HDEL', c.p .. 'ways', driver)
        end
    end
    return { found[1], ways }
end)

-- So often in a minute a driver changes its count of seats: each goes into the event log. `counted_at` of the vehicle or tour has when.
local COUNTS = 60

-- Answers the times with this one; or nil, and the refusal.
local function one_more_count(c, v)
    local times, done, wait = cancels.in_a_minute(c, v.counted_at, COUNTS)
    if times then return times end
    return nil, refuse('rate_limited', 'You have counted seats ' .. done .. ' times within a minute. Count again in '
        .. math.ceil(wait / 1000) .. ' s.', wait)
end

-- seats_set: driver, seats taken, seats of a taxi, key, why ('' = not said).
register('seats_set', { 'driver', 'taken', 'seats', 'key', 'why' }, function(c, given)
    local driver = given.driver
    return once(c, 'seats.set', 'driver:' .. driver, given.key, function()
        local known = redis.call('HMGET', c.p .. 'vehicle:' .. driver, 'kind', 'seats', 'state', 'zone', 'offer', 'counted_at')
        local no = bus_refusal({ kind = known[1] })
        if no then return no end
        local v = known[1] == 'minibus' and vehicle(c, driver)
        local taken, seats = tonumber(given.taken), tonumber(v and v.capacity or given.seats)
        if taken > seats then
            return refuse('bad_message', 'field `taken`: expected a whole number from 0 to ' .. seats .. ', got ' .. taken)
        end
        local free, was = seats - taken, tonumber(known[2])
        -- What a driver says again of a minibus may be another truth of who is aboard.
        if free == was and not v then return ok({ seats = free }) end
        local times, too_often = known[6], nil
        if free ~= was then times, too_often = one_more_count(c, { counted_at = known[6] }) end
        if too_often then return too_often end
        if v then
            local reply = recount(c, driver, v, taken, given.why ~= '' and given.why or 'counted')
            if free ~= was and string.sub(reply, 1, 1) == '+' then set_vehicle(c, driver, 'counted_at', times) end
            return reply
        end
        set_vehicle(c, driver, 'seats', free, 'counted_at', times)
        if known[4] then room.may_have(c, known[4], free) end
        log(c, 'seats.changed', { driver = driver, taken = taken, seats = free, reason = given.why ~= '' and given.why or 'counted' })
        show(c, driver)
        if known[3] ~= 'available' then return ok({ seats = free }) end
        -- Who waits may fit now, or nobody can carry it any more.
        if was and free > was then
            dispatch_driver(c, known[4], driver, true)
        else
            dispatch_rest(c, known[4], known[5] and driver)
        end
        return ok({ seats = free })
    end)
end)

-- tour_seats: driver, seats taken, key. (command seats.set) Who is counted in has got on.
register('tour_seats', { 'driver', 'taken', 'key' }, function(c, given)
    local driver = given.driver
    return once(c, 'seats.set', 'bus_driver:' .. driver, given.key, function()
        local id, t, no = tours.of(c, driver)
        if no then return no end
        local taken, total, before = tonumber(given.taken), tonumber(t.seats), tonumber(t.taken)
        if taken > total then
            return refuse('bad_message', 'field `taken`: expected a whole number from 0 to ' .. total .. ', got ' .. taken)
        end
        if taken == before and t.counted then return ok({ seats = total - taken }) end
        local times, too_often = one_more_count(c, t)
        if not times then return too_often end
        local on, unbelievable = figures.believed(c, 'tour:' .. id, t, total, taken - before)
        if not on then return unbelievable end
        t.taken = tostring(taken)
        tours.set(c, id, 'taken', t.taken, 'counted', '1', 'counted_at', times)
        if on > 0 then figures.got_on(c, id, t.line, 'boarded', on) end
        if taken ~= before then
            log(c, 'seats.changed', { tour = id, bus = t.bus, line = t.line, taken = taken, seats = total })
        end
        if t.shown == '1' then
            set_vehicle(c, t.bus, 'seats', total - taken)
            show(c, t.bus)
        end
        tours.show(c, id, t, true)
        return ok({ seats = total - taken })
    end)
end)

-- route_set: driver, route ('' = none), key, JSON of the way ('' = none): {start, via, end}, how far the vehicle is along
-- it ('' = nobody knows). A way without a route's id is shown as a route of the vehicle's own.
register('route_set', { 'driver', 'route', 'key', 'way', 'along' }, function(c, given)
    local driver = given.driver
    return once(c, 'route.set', 'driver:' .. driver, given.key, function()
        local route, way = given.route, given.way
        if route == '' and way ~= '' then route = string.sub('way:' .. driver, 1, 64) end
        local v = vehicle(c, driver)
        local no = bus_refusal(v)
        if no then return no end
        local is_new = (v.route or '') ~= route or (v.way or '') ~= way
        -- A taxi's route alone is told to nobody but those who watch it.
        local refused = is_new and (is_minibus(v) or way ~= '')
            and count_reroute(c, driver, v, 'rerouted', 'The route has changed')
        if refused then return refused end
        if route == '' then clear_vehicle(c, driver, 'route') else set_vehicle(c, driver, 'route', route) end
        if is_new then
            announce_way(c, driver, v, way)
            if given.along ~= '' then set_vehicle(c, driver, 'along', given.along) else clear_vehicle(c, driver, 'along') end
        end
        show(c, driver)
        local told = { route = route ~= '' and route or cjson.null, way = way ~= '' and cjson.decode(way) or nil }
        if is_new then tell_of_route(c, driver, v, told.route, told.way) end
        return ok(told)
    end)
end)
