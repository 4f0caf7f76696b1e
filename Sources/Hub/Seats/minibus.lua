-- A minibus itself: what it is, online and offline, what the driver counts and announces. Its bookings are in seat.lua.

local clear_vehicle, forget_place, register = import('core', 'clear_vehicle', 'forget_place', 'register')
local is_minibus, log, ok, refuse, set_state = import('core', 'is_minibus', 'log', 'ok', 'refuse', 'set_state')
local set_vehicle, tell, vehicle = import('core', 'set_vehicle', 'tell', 'vehicle')
local blocks = import('blocks', 'blocks')
local papers = import('papers', 'papers')
local cancels = import('limits', 'cancels')
local figures = import('figures', 'figures')
local reliability = import('reliability', 'reliability')
local remembers = import('queue', 'remembers')
local ask_next, cancel_confirmed, count, free_seats = import('seat', 'ask_next', 'cancel_confirmed', 'count', 'free_seats')
local load_booking, refresh_status, set_booking = import('seat', 'load_booking', 'refresh_status', 'set_booking')
local turn_down, turn_down_all, unanswered = import('seat', 'turn_down', 'turn_down_all', 'unanswered')

-- What the token says of the vehicle. A promise stands: with fewer seats than are taken, those stay.
local function enlist(c, driver, v, capacity)
    local taken, held = tonumber(v.taken) or 0, tonumber(v.held) or 0
    capacity = math.max(tonumber(capacity), taken + held)
    set_vehicle(c, driver, 'capacity', capacity, 'taken', taken, 'held', held, 'seats', capacity - taken)
end

-- The ways of the minibuses that are online stand in `ways` (driver → JSON), and each change is told on the channel feed:ways,
-- `driver\nJSON`, without JSON when there is none any more.
local function tell_way(c, driver, way)
    if way then redis.call('HSET', c.p .. 'ways', driver, way) end
    if not way and redis.call('HDEL', c.p .. 'ways', driver) == 0 then return end
    redis.call('PUBLISH', c.p .. 'feed:ways', driver .. '\n' .. (way or ''))
end

-- v: of a minibus that is online. What it announced may have been taken out, or never put in by an earlier version.
local function show_way(c, driver, v)
    redis.call('SADD', c.p .. 'minibuses', driver)
    if v.way and redis.call('HEXISTS', c.p .. 'ways', driver) == 0 then tell_way(c, driver, v.way) end
end

-- way: '' = none any more.
local function announce_way(c, driver, v, way)
    if way == '' then clear_vehicle(c, driver, 'way') else set_vehicle(c, driver, 'way', way) end
    tell_way(c, driver, way ~= '' and v.state == 'available' and way or nil)
end

-- What is told to the passengers and to every worker may change so often in a minute. `rerouted` of a vehicle has when its route
-- did, `reshown` when it went online: an app whose link comes and goes does that more often.
local CHANGES = { rerouted = 3, reshown = 10 }

-- Refuses what comes too soon; nil: it may be told, and counts. field: of the vehicle, which has the times; text: what was done.
local function count_reroute(c, driver, v, field, text)
    local times, done, wait = cancels.in_a_minute(c, v[field], CHANGES[field])
    if not times then
        return refuse('rate_limited', text .. ' ' .. done .. ' times within a minute. Do it again in '
            .. math.ceil(wait / 1000) .. ' s.', wait)
    end
    set_vehicle(c, driver, field, times)
end

-- It is no minibus any more.
local function forget_way(c, driver, v)
    redis.call('SREM', c.p .. 'minibuses', driver)
    tell_way(c, driver, nil)
    clear_vehicle(c, driver, 'way', 'along')
    if v.way then clear_vehicle(c, driver, 'route') end
end

-- Online: it can be seen and booked. A minibus waits in no queue. reason: available (its driver says so) | recovered. Who goes off
-- and on is shown and logged again, and has its way told to every worker. card: of the vehicle's hash, a field and its value.
local function go_online(c, driver, reason, card)
    local v = vehicle(c, driver)
    local refused = reason == 'available' and v.state ~= 'available'
        and (cancels.driver_refusal(c, driver) or count_reroute(c, driver, v, 'reshown', 'You have gone online'))
    if refused then return refused end
    forget_place(c, driver)
    redis.call('ZADD', c.p .. 'alive', c.now, driver)
    show_way(c, driver, v)
    refresh_status(c, driver, v)
    if v.state ~= 'available' or reason ~= 'available' then
        set_state(c, driver, nil, 'available', unpack(card or {}))
        log(c, 'driver.online', { driver = driver, reason = reason })
    end
    ask_next(c, driver)
    return ok({ state = 'available', seats = tonumber(v.seats), capacity = tonumber(v.capacity) })
end

-- Offline: it can't be seen by passengers, and who waits for its answer is told.
local function go_offline(c, driver, v, reason)
    redis.call('ZREM', c.p .. 'alive', driver)
    redis.call('SREM', c.p .. 'minibuses', driver)
    tell_way(c, driver, nil)
    set_state(c, driver, nil, 'unavailable')
    log(c, 'driver.offline', { driver = driver, reason = reason })
    turn_down_all(c, driver, v, 'offline')
end

local function has_bookings(c, driver) return redis.call('ZCARD', c.p .. 'bookings:' .. driver) > 0 end

-- Offline against its will: online again by itself when it is back within `recovery_ms`.
local function lose_minibus(c, driver, v)
    go_offline(c, driver, v, v.away_why)
    set_vehicle(c, driver, 'lost_why', v.away_why == 'stale' and 'stale' or 'connection_lost',
        'lost_until', string.format('%.0f', c.now + c.recovery_ms))
end

-- A driver that is gone for good takes its bookings with it: nobody waits for it any longer, and who was aboard has got off
-- as far as anybody can tell. So many at most; answers how many they were.
local function drop_bookings(c, driver, most)
    local bookings, has_promised = redis.call('ZRANGE', c.p .. 'bookings:' .. driver, 0, most - 1), false
    if #bookings == 0 then return 0 end
    local v = vehicle(c, driver)
    for _, booking in ipairs(bookings) do
        local b = load_booking(c, booking)
        has_promised = has_promised or b.state == 'confirmed'
        cancel_confirmed(c, booking, b, v, 'driver', 'driver_lost', nil, true)
    end
    -- It reads all that are left.
    refresh_status(c, driver, v)
    -- As a taxi that stays away; once until it is back, however many it has promised seats.
    if has_promised and not v.given_up then
        set_vehicle(c, driver, 'given_up', '1')
        reliability.count(c, 'driver', driver, 'give_backs', vehicle(c, driver))
    end
    return #bookings
end

-- It shows that it lives.
local function minibus_is_back(c, driver)
    local v = vehicle(c, driver)
    if remembers(c, v) and not blocks.holds(c, v.blocked) and not papers.check(c, driver) then return go_online(c, driver, 'recovered') end
    if v.state == 'available' then show_way(c, driver, v) end
    ask_next(c, driver)
end

-- The driver's own count of what is taken now, which no booking contradicts: seats that are promised to passengers who are
-- not aboard yet can't be given away, those of passengers aboard may be free already. Who waits and no longer fits is told.
local function recount(c, driver, v, taken, reason)
    local promised, aboard = 0, {}
    for _, booking in ipairs(redis.call('ZREVRANGE', c.p .. 'bookings:' .. driver, 0, -1)) do
        local b = redis.call('HMGET', c.p .. 'booking:' .. booking, 'state', 'seats')
        if b[1] == 'confirmed' then promised = promised + b[2] else aboard[#aboard + 1] = { booking, tonumber(b[2]) } end
    end
    if taken < promised then
        return refuse('not_available', promised .. ' seats are promised to passengers who are not aboard yet: send seat.cancel for them first.')
    end
    local on, unbelievable = figures.believed(c, 'vehicle:' .. driver, v, tonumber(v.capacity), taken - tonumber(v.taken))
    if not on then return unbelievable end
    local room = taken - promised
    for _, entry in ipairs(aboard) do
        local counted = math.min(entry[2], room)
        if counted < entry[2] then set_booking(c, entry[1], 'seats', counted) end
        room = room - counted
    end
    -- Nobody booked for those who are counted in here.
    if on > 0 then figures.of_minibus(c, v, { passengers = on, boarded = on }) end
    if taken ~= tonumber(v.taken) then count(c, driver, v, taken - tonumber(v.taken), reason) end
    for _, booking in ipairs(unanswered(c, driver, v)) do
        if free_seats(v) >= 0 then break end
        turn_down(c, booking, load_booking(c, booking), v, 'full')
    end
    ask_next(c, driver)
    return ok({ seats = tonumber(v.capacity) - taken })
end

-- Everybody who has a booking here, in whatever state, is told of a new route (M8).
local function tell_of_route(c, driver, v, route, way)
    local bookings = unanswered(c, driver, v)
    for _, booking in ipairs(redis.call('ZRANGE', c.p .. 'bookings:' .. driver, 0, -1)) do bookings[#bookings + 1] = booking end
    for _, booking in ipairs(bookings) do
        local b = redis.call('HMGET', c.p .. 'booking:' .. booking, 'passenger', 'ends', 'state')
        -- Who asks for any minibus is not told which one is asked.
        if not b[2] or b[3] == 'confirmed' or b[3] == 'aboard' then
            tell(c, 'passenger:' .. b[1], 'route.changed', { booking = booking, vehicle = driver, route = route, way = way })
        end
    end
end

-- Whether somebody may see where an off-duty minibus is: its driver; operators and services; a passenger with a booking in it.
local function may_see(c, driver, role, subject)
    if role == 'operator' or role == 'service' then return true end
    if role == 'driver' then return subject == driver end
    if role ~= 'passenger' then return false end
    local booking = redis.call('HGET', c.p .. 'passenger:' .. subject, 'booking')
    return booking and redis.call('HGET', c.p .. 'booking:' .. booking, 'driver') == driver
end

-- seat_view: vehicle, role and subject of who asks, 1 for the worker's own eyes: then with `along`, how far it is along
-- its way. JSON of what there is to know before booking, or '' if there is no such minibus. Off duty it is nobody's business
-- where it is and which way it goes.
register('seat_view', { 'vehicle', 'role', 'subject', 'along' }, function(c, given)
    local v = vehicle(c, given.vehicle)
    if not is_minibus(v) then return '' end
    if v.state ~= 'available' and not may_see(c, given.vehicle, given.role, given.subject) then v.lat, v.way, v.route = nil, nil, nil end
    local shown = { vehicle = given.vehicle, kind = 'minibus', state = v.state, status = v.status or 'en_route',
        seats = tonumber(v.seats), capacity = tonumber(v.capacity), route = v.route or cjson.null }
    if v.lat then shown.position = { lat = tonumber(v.lat), lon = tonumber(v.lon), at = tonumber(v.at) } end
    if given.along == '1' then shown.along = v.along end
    local json = cjson.encode(shown)
    -- The way as it is kept, as in seat_search.lua.
    return v.way and string.sub(json, 1, -2) .. ',"way":' .. v.way .. '}' or json
end, { 'no-writes' })

return {
    enlist = enlist, announce_way = announce_way, count_reroute = count_reroute, forget_way = forget_way,
    go_online = go_online, go_offline = go_offline, has_bookings = has_bookings, lose_minibus = lose_minibus,
    drop_bookings = drop_bookings, minibus_is_back = minibus_is_back, recount = recount, tell_of_route = tell_of_route,
}
