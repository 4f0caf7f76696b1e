-- Offers: which driver is asked for which ride, and the one place where an offer ends. A ride is `searching` (and then
-- stands in `waiting:<zone>` in the order of its request), or `offered` to exactly one driver (and then in `offers` by its
-- deadline; between two rounds a searching ride stands there by the end of the pause). Accept, decline, timeout and cancel
-- each compare the ride's state and driver before they change it.

local clear_vehicle, is_minibus, load_ride, register = import('core', 'clear_vehicle', 'is_minibus', 'load_ride', 'register')
local log, ok, once, point, refuse, set_ride = import('core', 'log', 'ok', 'once', 'point', 'refuse', 'set_ride')
local set_vehicle, tell, vehicle = import('core', 'set_vehicle', 'tell', 'vehicle')
local cancels = import('limits', 'cancels')
local bring_back, leave, mark_away, mark_back = import('queue', 'bring_back', 'leave', 'mark_away', 'mark_back')
local to_bottom = import('queue', 'to_bottom')

local function make_offer(c, ride, r, driver)
    local attempt = r.attempt + 1
    local deadline = string.format('%.0f', c.now + c.offer_seen_timeout_ms)
    set_ride(c, ride, 'state', 'offered', 'offered_to', driver, 'deadline', deadline, 'seen', '0', 'attempt', attempt)
    redis.call('ZADD', c.p .. 'offers', deadline, ride)
    redis.call('ZREM', c.p .. 'waiting:' .. r.zone, ride)
    redis.call('SADD', c.p .. 'asked:' .. ride, driver)
    redis.call('SADD', c.p .. 'offered:' .. ride, driver)
    redis.call('EXPIRE', c.p .. 'offered:' .. ride, c.history_ttl_s)
    if r.next_at then redis.call('HDEL', c.p .. 'ride:' .. ride, 'next_at') end
    set_vehicle(c, driver, 'offer', ride)
    log(c, 'offer.made', { ride = ride, driver = driver, zone = r.zone, round = tonumber(r.round), attempt = attempt })
    tell(c, 'driver:' .. driver, 'offer.made', {
        ride = ride, zone = r.zone, passengers = tonumber(r.passengers),
        expires_in_ms = c.offer_timeout_ms, expires_at = c.now + c.offer_timeout_ms,
    }, r.lat .. ',' .. r.lon)
end

local function end_search(c, ride, r)
    redis.call('ZREM', c.p .. 'waiting:' .. r.zone, ride)
    redis.call('ZREM', c.p .. 'searching', ride)
    redis.call('DEL', c.p .. 'asked:' .. ride)
end

-- A ride that has come to its end, whichever: nothing open remains of it.
local function close_ride(c, ride, r, state)
    end_search(c, ride, r)
    set_ride(c, ride, 'state', state, 'closed_at', c.now_text)
    redis.call('HDEL', c.p .. 'passenger:' .. r.passenger, 'ride')
    redis.call('ZREM', c.p .. 'rides', ride)
    redis.call('EXPIRE', c.p .. 'ride:' .. ride, c.history_ttl_s)
end

local function fail_ride(c, ride, r, code, detail)
    close_ride(c, ride, r, 'failed')
    if r.rang then cancels.add(c, r.passenger, 'd') end
    log(c, 'ride.failed', { ride = ride, passenger = r.passenger, code = code })
    tell(c, 'passenger:' .. r.passenger, 'ride.failed', { ride = ride, code = code, detail = detail })
end

-- A queue read from its head in pieces, no further than needed: who is present, and who of them is free to be asked. `names` are
-- all whose turn has come or may come next, `at` their places. `seats` are the free ones of each who is present,
-- `most_free_present` the most of them, `most_free_others` without `except`, `most_free` the most of all, away or not. Who has never
-- said how many are free has enough. r: a ride; who has given it back does not count as present. except: a driver.
local PIECE = 16
local function view(zone, r, except)
    return { zone = zone, r = r, except = except, names = {}, at = {}, free = {}, present = {}, seats = {}, most_free_present = 0,
        most_free_others = 0, most_free = 0, size = 0 }
end

-- Who has given this ride back is not asked for it again. `gave_back`: their names, a line break before and after each.
local function gave_back(r, driver) return r.gave_back and string.find(r.gave_back, '\n' .. driver .. '\n', 1, true) end

-- Reads on, one driver; false when the whole queue was read. Most who look need the first only, so of the names that come in a
-- piece each vehicle is read when its turn comes.
local function read_on(c, queue)
    if queue.ended then return false end
    if queue.size == #queue.names and queue.size % PIECE == 0 then
        local piece = redis.call('ZRANGE', c.p .. 'queue:' .. queue.zone, queue.size, queue.size + PIECE - 1)
        for _, name in ipairs(piece) do queue.names[#queue.names + 1] = name end
    end
    local driver = queue.names[queue.size + 1]
    if not driver then
        queue.ended = true
        return false
    end
    queue.size = queue.size + 1
    queue.at[driver] = queue.size
    local v = redis.call('HMGET', c.p .. 'vehicle:' .. driver, 'away', 'offer', 'seats')
    local seats = tonumber(v[3]) or math.huge
    queue.most_free = math.max(queue.most_free, seats)
    if not v[1] and not (queue.r and gave_back(queue.r, driver)) then
        queue.present[#queue.present + 1] = driver
        queue.seats[driver] = seats
        queue.most_free_present = math.max(queue.most_free_present, seats)
        if driver ~= queue.except then queue.most_free_others = math.max(queue.most_free_others, seats) end
        if not v[2] then queue.free[#queue.free + 1] = driver end
    end
    return true
end

-- Whether somebody who is present has room for so many; who comes behind is not looked at. what: of view(), `most_free_present` or `most_free_others`.
local function has_room(c, queue, passengers, what)
    while queue[what] < passengers and read_on(c, queue) do end
    return queue[what] >= passengers
end

-- Why nobody who is present can be asked for so many passengers: code and detail; nil when somebody can. r: see view().
local function nobody_for(c, zone, passengers, r)
    local queue = view(zone, r)
    if has_room(c, queue, passengers, 'most_free_present') then return nil end
    if #queue.present == 0 then
        return 'zone_empty', 'No taxi waits in zone ' .. zone .. ' now. Request again in a few minutes.'
    end
    return 'seats_full', 'No taxi that waits in zone ' .. zone .. ' has ' .. passengers
        .. ' free seats now. Request fewer, or again in a few minutes.'
end

-- It is asked: it is free no more.
local function take(queue, driver)
    for i, one in ipairs(queue.free) do
        if one == driver then return table.remove(queue.free, i) end
    end
end

-- Whether a ride has asked a driver of the queue in this round. `asked` has it by their places in the queue: it is read, when it is
-- needed, of all whose names are known by then in one call.
local function is_asked(c, ride, queue, asked, driver)
    while #asked < queue.at[driver] do
        -- Lua gives a function no more arguments than some thousands.
        local last = math.min(#queue.names, #asked + 1000)
        for _, one in ipairs(redis.call('SMISMEMBER', c.p .. 'asked:' .. ride, unpack(queue.names, #asked + 1, last))) do
            asked[#asked + 1] = one == 1
        end
    end
    return asked[queue.at[driver]]
end

-- The first free driver with room whom this ride has not asked in this round; it is free no more.
local function take_unasked(c, ride, r, queue, asked)
    local i, passengers = 1, tonumber(r.passengers)
    repeat
        while i <= #queue.free do
            local driver = queue.free[i]
            if queue.seats[driver] >= passengers and not gave_back(r, driver) and not is_asked(c, ride, queue, asked, driver) then
                return table.remove(queue.free, i)
            end
            i = i + 1
        end
    until not read_on(c, queue)
end

-- Whether all who are present and have room were asked. The queue has been read to its end.
local function round_is_over(c, ride, r, queue, asked)
    local passengers = tonumber(r.passengers)
    for _, driver in ipairs(queue.present) do
        if queue.seats[driver] >= passengers and not gave_back(r, driver) and not is_asked(c, ride, queue, asked, driver) then
            return false
        end
    end
    return queue.most_free_present >= passengers
end

-- Between two rounds there is a pause, so that a driver alone is not asked at once what it has just declined. Who comes
-- meanwhile is asked, and the pause begins anew after that.
local function is_pause_over(c, ride, r)
    if c.round_pause_ms == 0 then return true end
    if not r.next_at then
        r.next_at = string.format('%.0f', c.now + c.round_pause_ms)
        set_ride(c, ride, 'next_at', r.next_at)
    end
    if c.now >= tonumber(r.next_at) then return true end
    -- The sweep looks at it then (sweep_offers).
    redis.call('ZADD', c.p .. 'offers', string.format('%.0f', r.next_at - c.accept_grace_ms), ride)
    return false
end

local function next_round(c, ride, r)
    r.round = tonumber(r.round) + 1
    set_ride(c, ride, 'round', r.round)
    if r.next_at then redis.call('HDEL', c.p .. 'ride:' .. ride, 'next_at') end
    r.next_at = nil
    redis.call('DEL', c.p .. 'asked:' .. ride)
    log(c, 'ride.searching', { ride = ride, round = r.round, reason = 'next_round' })
    tell(c, 'passenger:' .. r.passenger, 'ride.searching',
        { ride = ride, zone = r.zone, round = r.round, reason = 'next_round' })
end

-- One waiting ride against the free drivers: asked, told to wait, given another round, or failed. Answers who is asked.
local function place_ride(c, ride, r, queue)
    local asked = {}
    local driver = take_unasked(c, ride, r, queue, asked)
    if not driver and round_is_over(c, ride, r, queue, asked) then
        if tonumber(r.round) >= c.rounds then
            fail_ride(c, ride, r, 'no_driver', 'Every driver of the zone was asked; none accepted. Request again later.')
            return nil
        end
        if not is_pause_over(c, ride, r) then return nil end
        next_round(c, ride, r)
        return place_ride(c, ride, r, queue)
    end
    if driver then
        make_offer(c, ride, r, driver)
        return driver
    end
    if queue.size == 0 then
        fail_ride(c, ride, r, 'zone_empty', 'No driver is left in the zone. Request again later.')
    elseif queue.most_free < tonumber(r.passengers) then
        fail_ride(c, ride, r, 'seats_full', 'No taxi in the zone has ' .. r.passengers .. ' free seats. Request again later.')
    end
end

local function waiting(c, zone) return redis.call('ZRANGE', c.p .. 'waiting:' .. zone, 0, -1) end

-- Matches what waits in a zone with who is free there: rides in order of request (R2), drivers in order of the queue (R3).
-- rides, queue: of the zone, if they have been read.
local function dispatch(c, zone, rides, queue)
    rides, queue = rides or waiting(c, zone), queue or view(zone)
    for _, ride in ipairs(rides) do place_ride(c, ride, load_ride(c, ride), queue) end
end

-- The same for one ride that has just begun to search, or searches anew. What waits besides has asked all who are free, or they
-- have no room for it: that is how each of these functions leaves a zone.
local function dispatch_ride(c, ride)
    local r = load_ride(c, ride)
    place_ride(c, ride, r, view(r.zone))
end

-- The same where only one driver can be asked now who could not before: the rides are tried with this one alone.
-- is_new: it was not there, or had fewer seats; rides that nobody had room for may have a round that is over by it.
-- again: a ride that has just been declined, and looks for a driver among all of them.
local function dispatch_driver(c, zone, driver, is_new, again)
    local rides = waiting(c, zone)
    if #rides == 0 then return end
    local v = redis.call('HMGET', c.p .. 'vehicle:' .. driver, 'away', 'offer', 'seats', 'state', 'zone', 'kind')
    local waits = v[4] == 'available' and v[5] == zone and v[6] ~= 'minibus'
    local is_there, seats = waits and not v[1], tonumber(v[3]) or math.huge
    local is_free, queue = is_there and not v[2], view(zone, nil, driver)
    for _, ride in ipairs(rides) do
        local is_looked_at = ride == again
        local r
        if not is_looked_at and is_there and (is_free or is_new) then
            local was_asked = redis.call('SISMEMBER', c.p .. 'asked:' .. ride, driver) == 1
            r = (is_new or not was_asked) and load_ride(c, ride)
            local fits = r and seats >= tonumber(r.passengers)
            was_asked = was_asked or fits and gave_back(r, driver)
            if fits and not was_asked and is_free then
                make_offer(c, ride, r, driver)
                is_free = false
                take(queue, driver)
            elseif fits and was_asked and is_new then
                -- In a pause it waits for the end of that (sweep_offers).
                local is_paused = r.next_at and c.now < tonumber(r.next_at)
                is_looked_at = not is_paused and (r.next_at or not has_room(c, queue, tonumber(r.passengers), 'most_free_others'))
            end
        end
        if is_looked_at and place_ride(c, ride, r or load_ride(c, ride), queue) == driver then is_free = false end
    end
end

-- The same where a driver has left a zone, or has fewer seats: there is nobody new to ask. A ride may have nobody left who has
-- room for it, and the round of one that waited for the driver's answer may be over.
-- driver: if a ride had been offered to it. again: that ride, which looks for another one.
local function dispatch_rest(c, zone, driver, again)
    local rides = waiting(c, zone)
    if #rides == 0 then return end
    local queue = view(zone)
    read_on(c, queue)
    while queue.most_free < math.huge and queue.most_free < c.max_passengers and read_on(c, queue) do end
    if queue.most_free < c.max_passengers then return dispatch(c, zone, rides, queue) end
    for _, ride in ipairs(driver and rides or {}) do
        if ride == again or redis.call('SISMEMBER', c.p .. 'asked:' .. ride, driver) == 0 then
            place_ride(c, ride, load_ride(c, ride), queue)
        end
    end
end

local function clear_offer(c, ride, driver)
    redis.call('ZREM', c.p .. 'offers', ride)
    redis.call('HDEL', c.p .. 'ride:' .. ride, 'offered_to', 'deadline', 'seen')
    clear_vehicle(c, driver, 'offer')
end

-- The ride of an open offer is over, without its driver, who is free again (free_again).
local function withdraw_offer(c, ride, r)
    local driver = r.offered_to
    clear_offer(c, ride, driver)
    log(c, 'offer.withdrawn', { ride = ride, driver = driver, reason = 'cancelled' })
    tell(c, 'driver:' .. driver, 'offer.withdrawn', { ride = ride, reason = 'cancelled' })
end

local function free_again(c, driver)
    local zone = redis.call('HGET', c.p .. 'vehicle:' .. driver, 'zone')
    if zone then dispatch_driver(c, zone, driver) end
end

-- Ends an open offer without acceptance. how: declined | expired | undelivered | withdrawn. The ride searches on.
local function release_offer(c, ride, r, how)
    local driver = r.offered_to
    local v = vehicle(c, driver)
    clear_offer(c, ride, driver)
    set_ride(c, ride, 'state', 'searching', unpack(how == 'declined' and { 'rang', '1' } or {}))
    redis.call('ZADD', c.p .. 'waiting:' .. r.zone, r.order, ride)
    log(c, 'offer.' .. how, { ride = ride, driver = driver })
    if how == 'undelivered' then
        cancels.add(c, 'driver:' .. driver, 'u')
        if v.state == 'available' and cancels.driver_refusal(c, driver) then
            leave(c, driver, v.zone, 'undelivered', 'unavailable')
            v.state = 'unavailable'
        else
            mark_away(c, driver, v, 'undelivered')
        end
    elseif v.state == 'available' and how ~= 'withdrawn' then
        to_bottom(c, driver, how)
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
    if not r.state then return refuse('not_found', 'There is no ride ' .. ride .. '.') end
    if redis.call('SISMEMBER', c.p .. 'offered:' .. ride, driver) == 0 then
        return refuse('not_found', 'The ride ' .. ride .. ' was not offered to you.')
    end
    if r.driver and r.driver ~= driver then return refuse('offer_taken', 'Another driver has taken the ride.') end
    if r.state == 'searching' or r.state == 'offered' then
        return refuse('offer_expired', 'The offer was due earlier; the ride went on to the next driver.')
    end
    return refuse('offer_expired', 'The offer is over: the ride is ' .. r.state .. '.')
end

local function is_open_to(r, driver) return r.state == 'offered' and r.offered_to == driver end

-- offer_seen: driver, ride. The driver's app shows the offer: its time starts now (C30).
register('offer_seen', { 'driver', 'ride' }, function(c, given)
    local driver, ride = given.driver, given.ride
    local r = load_ride(c, ride)
    local v = bring_back(c, driver)
    if v and v.state == 'available' and not is_minibus(v) then dispatch_driver(c, v.zone, driver, true) end
    if not is_open_to(r, driver) then return no_offer(c, ride, r, driver) end
    if r.seen ~= '1' then
        r.deadline = string.format('%.0f', c.now + c.offer_timeout_ms)
        set_ride(c, ride, 'seen', '1', 'rang', '1', 'deadline', r.deadline)
        redis.call('ZADD', c.p .. 'offers', r.deadline, ride)
        log(c, 'offer.seen', { ride = ride, driver = driver })
    end
    return ok({ ride = ride, expires_in_ms = math.max(0, tonumber(r.deadline) - c.now), expires_at = tonumber(r.deadline) })
end)

-- offer_accept: driver, ride, key, seconds to the pickup as the driver's worker reckons them ('' = unknown).
register('offer_accept', { 'driver', 'ride', 'key', 'eta_s' }, function(c, given)
    local driver, ride = given.driver, given.ride
    return once(c, 'offer.accept', 'driver:' .. driver, given.key, function()
        local r = load_ride(c, ride)
        local assigned = { ride = ride, pickup = point(r.lat, r.lon), passengers = tonumber(r.passengers) }
        if r.dlat then assigned.destination = point(r.dlat, r.dlon) end
        if r.driver == driver and (r.state == 'accepted' or r.state == 'aboard') then return ok(assigned) end
        if is_open_to(r, driver) and c.now > tonumber(r.deadline) + c.accept_grace_ms then
            release_offer(c, ride, r, r.seen == '1' and 'expired' or 'undelivered')
            return refuse('offer_expired', 'The offer was due earlier; the ride went on to the next driver.')
        end
        if not is_open_to(r, driver) then return no_offer(c, ride, r, driver) end

        local v = vehicle(c, driver)
        clear_offer(c, ride, driver)
        end_search(c, ride, r)
        mark_back(c, driver, v)
        leave(c, driver, v.zone, 'accepted', 'busy', 'ride', ride)
        set_ride(c, ride, 'state', 'accepted', 'driver', driver, 'accepted_at', c.now_text, 'notified', '0',
            'place', v.score, 'place_zone', v.zone)
        log(c, 'ride.accepted', { ride = ride, driver = driver, passenger = r.passenger })
        tell(c, 'driver:' .. driver, 'ride.assigned', assigned)
        local position = cjson.null
        if v.lat then position = { lat = tonumber(v.lat), lon = tonumber(v.lon), at = tonumber(v.at) } end
        tell(c, 'passenger:' .. r.passenger, 'ride.accepted',
            { ride = ride, taxi = driver, position = position, eta_s = tonumber(given.eta_s) or cjson.null })
        dispatch_rest(c, v.zone, driver)
        return ok(assigned)
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
    close_ride = close_ride, fail_ride = fail_ride, nobody_for = nobody_for, dispatch = dispatch,
    dispatch_ride = dispatch_ride, dispatch_driver = dispatch_driver, dispatch_rest = dispatch_rest,
    withdraw_offer = withdraw_offer, free_again = free_again, release_offer = release_offer,
}
