-- What an operator asks and does by hand: the queue of a zone, a driver, a ride; who is taken out, who is blocked. What is done to rides
-- and bookings, and who is put into a queue, is in office_rides.lua.
-- Each act is one step with its entry in the audit; a refusal leaves none.

local forget_place, is_minibus, load_ride, ok = import('core', 'forget_place', 'is_minibus', 'load_ride', 'ok')
local pick, point, refuse, register, set_vehicle = import('core', 'pick', 'point', 'refuse', 'register', 'set_vehicle')
local tell, vehicle = import('core', 'tell', 'vehicle')
local blocks = import('blocks', 'blocks')
local audit = import('audit', 'audit')
local people = import('people', 'people')
local place, quit, remembers = import('queue', 'place', 'quit', 'remembers')
local go_offline, has_bookings = import('minibus', 'go_offline', 'has_bookings')
local needs_of = import('search', 'needs_of')
local do_without = import('driver', 'do_without')

-- Drivers in an answer: 1 ms of Redis. All of a long queue in one call would have everybody wait for 10 ms.
local PIECE = 50

local function position_of(v)
    return v.lat and { lat = tonumber(v.lat), lon = tonumber(v.lon), at = tonumber(v.at) } or nil
end

-- office_queue: zone, how many of its drivers come before. Answers how many wait in all, and in order the next ones, each with what is told of it
-- as JSON.
register('office_queue', { 'zone', 'before' }, function(c, given)
    local key, before, found = c.p .. 'queue:' .. given.zone, tonumber(given.before), {}
    found[1] = redis.call('ZCARD', key)
    for i, driver in ipairs(redis.call('ZRANGE', key, before, before + PIECE - 1)) do
        local v = pick(c.p .. 'vehicle:' .. driver, { 'since', 'away', 'offer', 'lat', 'lon', 'at' })
        found[2 * i] = driver
        found[2 * i + 1] = cjson.encode({
            driver = driver, state = v.away and 'away' or v.offer and 'offered' or 'waiting', since = tonumber(v.since),
            offer = v.offer, position = position_of(v),
        })
    end
    return found
end, { 'no-writes' })

-- A driver who was here, or is blocked; or the refusal.
local function known(c, driver)
    local v = vehicle(c, driver)
    if v.kind == 'bus' then return nil, refuse('not_found', driver .. ' is a bus: its tour is ended with tour.end.') end
    if not v.state and not v.blocked then return nil, refuse('not_found', 'No driver ' .. driver .. ' was here.') end
    v.kind, v.state = v.kind or 'taxi', v.state or 'unavailable'
    return v
end

-- office_driver: driver.
register('office_driver', { 'driver' }, function(c, given)
    local driver = given.driver
    local v, no = known(c, driver)
    if no then return no end
    local shown = {
        driver = driver, kind = v.kind, state = v.state, ride = v.ride, offer = v.offer, seats = tonumber(v.seats),
        position = position_of(v), blocked = blocks.read(c, v.blocked),
        connected = v.session and not redis.call('ZSCORE', c.p .. 'gone', driver) or false,
    }
    if v.away then shown.away = { since = tonumber(v.away), why = v.away_why } end
    if v.state == 'available' and not is_minibus(v) then
        shown.zone, shown.since = v.zone, tonumber(v.since)
        shown.rank, shown.size = place(c, driver, v.zone)
    end
    return ok(shown)
end, { 'no-writes' })

-- office_ride: ride.
register('office_ride', { 'ride' }, function(c, given)
    local r = load_ride(c, given.ride)
    if not r.state then return refuse('not_found', 'There is no ride ' .. given.ride .. ', or it is long over.') end
    local shown = {
        ride = given.ride, state = r.state, passenger = r.passenger, zone = r.zone, driver = r.driver, pickup = point(r.lat, r.lon),
        destination = r.dlat and point(r.dlat, r.dlon) or nil, passengers = tonumber(r.passengers),
        offered_to = r.state == 'offered' and r.offered_to or nil, needs = needs_of(r),
    }
    for _, name in ipairs({ 'requested_at', 'accepted_at', 'arrived_at', 'aboard_at', 'closed_at' }) do shown[name] = tonumber(r[name]) end
    return ok(shown)
end, { 'no-writes' })

-- What changes for a driver: as it is in the audit.
local function standing(c, driver, v)
    local shown = { state = v.state }
    if v.state == 'available' and not is_minibus(v) then shown.zone, shown.rank = v.zone, (place(c, driver, v.zone)) end
    if v.state == 'busy' then shown.ride = v.ride end
    return shown
end

-- Whoever waits does not any more. Its place comes back by no fix, but `office.put` knows it, so it is kept as one whose time is over.
-- Answers whether the driver was told.
local function take_out(c, driver, v, text)
    if v.state ~= 'available' and v.lost_until then set_vehicle(c, driver, 'lost_until', c.now_text, 'lost_why', 'operator') end
    if v.state ~= 'available' then return false end
    if is_minibus(v) then
        forget_place(c, driver)
        go_offline(c, driver, v, 'operator')
        v.state = 'unavailable'
        return false
    end
    local zone, score = v.zone, v.score
    quit(c, driver, v, 'operator', 'unavailable', text)
    set_vehicle(c, driver, 'lost_zone', zone, 'lost_score', score, 'lost_until', c.now_text, 'lost_why', 'operator')
    do_without(c, driver, v, true)
    return true
end

-- To one person: what no other event says. id: of the audit.
local function say(c, channel, id, text) tell(c, channel, 'notice', { notice = 'n_' .. id, text = text }) end

-- office_remove: operator, driver, reason, key.
register('office_remove', { 'operator', 'driver', 'reason', 'key' }, function(c, given)
    local driver = given.driver
    return audit.act(c, 'office.remove', given, function()
        local v, no = known(c, driver)
        if no then return no end
        if v.state == 'busy' then
            return refuse('not_available', driver .. ' is on ride ' .. (v.ride or '') .. ': cancel that first, with office.cancel.')
        end
        if is_minibus(v) and has_bookings(c, driver) then
            return refuse('not_available', driver .. ' has passengers who booked: they must be served or cancelled by the driver first.')
        end
        if v.state ~= 'available' and not remembers(c, v) then
            return refuse('not_available', driver .. ' is not available: there is nothing to take it out of.')
        end
        local before = standing(c, driver, v)
        local is_told = take_out(c, driver, v, given.reason)
        local id = audit.write(c, given.operator, 'office.remove', 'driver:' .. driver, given.reason, before, { state = 'unavailable' })
        if not is_told then say(c, 'driver:' .. driver, id, 'The office has made you unavailable: ' .. given.reason) end
        return ok({ driver = driver, state = 'unavailable', audit = id })
    end)
end)

local HOLDERS = { driver = 'vehicle:', passenger = 'passenger:', bus_driver = 'busdriver:' }

-- What holds of a block, with `shown`, what else is so: as it is in the audit.
local function with_block(shown, block)
    shown.blocked = block ~= nil
    if block then shown['until'], shown.why = block['until'], block.reason end
    return shown
end

-- Whom it concerns, as the audit keeps it.
local function target(role, subject) return role .. ':' .. (role == 'passenger' and audit.person(subject) or subject) end

-- So many are blocked by the office at once at most. Any name can be blocked, also one that nobody has, and most blocks are for good: without a
-- bound one operator makes 86,400 of them a day, of 300 bytes or more each.
local MOST_BLOCKED = 10000

-- `blocked` has whom the office has blocked, as their hashes are called, by when that ends, hub ms; for good: `inf`. Each sweep takes out who
-- isn't blocked any more. Nil: there is room for one more. Who is blocked already can be blocked anew.
local function no_room(c, holder)
    local key = c.p .. 'blocked'
    if redis.call('ZCOUNT', key, '(' .. c.now_text, 'inf') < MOST_BLOCKED or redis.call('ZSCORE', key, holder) then return nil end
    return refuse('not_available', MOST_BLOCKED .. ' people are blocked, and there can be no more at once. End blocks that nobody needs any '
        .. 'more, with office.unblock; office.audit says who was blocked.')
end

-- office_block: operator, role (driver, passenger or bus_driver), subject, reason, until when (hub time, ms; 0 = for good), key. A ride, a booking
-- or a tour that is under way is finished. One that the hub has never seen may be blocked, too.
register('office_block', { 'operator', 'role', 'subject', 'reason', 'till', 'key' }, function(c, given)
    local role, subject = given.role, given.subject
    return audit.act(c, 'office.block', given, function()
        if given.till ~= '0' and tonumber(given.till) <= c.now then
            return refuse('bad_message', 'field `until`: expected a time to come, got one that is over')
        end
        local holder, who = HOLDERS[role] .. subject, role .. ':' .. subject
        local key = c.p .. holder
        local v = role == 'driver' and vehicle(c, subject) or pick(key, { 'blocked' })
        if v.kind == 'bus' then return refuse('not_found', subject .. ' is a bus: its tour is ended with tour.end.') end
        local no = no_room(c, holder)
        if no then return no end
        redis.call('ZADD', c.p .. 'blocked', given.till == '0' and 'inf' or given.till, holder)
        local before = with_block(v.state and standing(c, subject, v) or {}, blocks.read(c, v.blocked))
        -- A pause that the hub has made goes on behind it.
        v.blocked = blocks.joined(blocks.mark(c, given.till, given.operator, given.reason), blocks.part(c, v.blocked, true))
        redis.call('HSET', key, 'blocked', v.blocked)
        if role ~= 'driver' then people.ends(c, holder, given.till)
        elseif not v.state then people.ends(c, subject, given.till) end
        local block = blocks.read(c, v.blocked)
        local is_told = v.state and take_out(c, subject, v, blocks.text(block))
        local id = audit.write(c, given.operator, 'office.block', target(role, subject), given.reason, before, with_block({ state = v.state }, block))
        if not is_told then say(c, who, id, blocks.text(block)) end
        return ok({ role = role, subject = subject, since = block.since, ['until'] = block['until'], state = v.state, audit = id })
    end)
end)

-- office_unblock: operator, role, subject, key.
register('office_unblock', { 'operator', 'role', 'subject', 'key' }, function(c, given)
    local role, subject = given.role, given.subject
    return audit.act(c, 'office.unblock', given, function()
        local holder = HOLDERS[role] .. subject
        local key = c.p .. holder
        local block = blocks.read(c, redis.call('HGET', key, 'blocked') or nil)
        if not block then return refuse('not_available', 'The ' .. role .. ' ' .. subject .. ' is not blocked.') end
        redis.call('HDEL', key, 'blocked')
        redis.call('ZREM', c.p .. 'blocked', holder)
        people.unblocked(c, holder)
        local id = audit.write(c, given.operator, 'office.unblock', target(role, subject), nil, with_block({}, block), with_block({}, nil))
        return ok({ role = role, subject = subject, audit = id })
    end)
end)

-- office_audit: id at which the page begins ('' = the newest), how many entries at most.
register('office_audit', { 'from', 'limit' }, function(c, given)
    local page = audit.page(c, given.from, tonumber(given.limit))
    return page and '+' .. page or refuse('bad_message', 'field `from`: expected the id of an entry, as `next` has it')
end, { 'no-writes' })

return { known = known, standing = standing }
