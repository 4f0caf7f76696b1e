-- Offers: which driver is asked for which ride, and the one place where an offer ends. A ride is `searching` (and then
-- stands in `waiting:<zone>` in the order of its request), or `offered` to exactly one driver (and then in `offers` by its
-- deadline; between two rounds a searching ride stands there by the end of the pause). Accept, decline, timeout and cancel
-- each compare the ride's state and driver before they change it.

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
    set_ride(c, ride, 'state', state, 'closed_at', c.iso)
    redis.call('HDEL', c.p .. 'passenger:' .. r.passenger, 'ride')
    redis.call('ZREM', c.p .. 'rides', ride)
    redis.call('EXPIRE', c.p .. 'ride:' .. ride, c.history_ttl_s)
end

local function fail_ride(c, ride, r, code, detail)
    close_ride(c, ride, r, 'failed')
    if tonumber(r.attempt) > 0 then cancels.add(c, r.passenger, 'd') end
    log(c, 'ride.failed', { ride = ride, passenger = r.passenger, code = code })
    tell(c, 'passenger:' .. r.passenger, 'ride.failed', { ride = ride, code = code, detail = detail })
end

-- A queue read from its head in pieces, no further than needed: who is present, and who of them is free to be asked. `seats` are
-- the free ones of each who is present; `room` is the most of them, `hope` the most of all, away or not. Who has never said how
-- many are free has enough.
-- r: a ride; who has given it back does not count as present.
local PIECE = 16
local function view(zone, r)
    return { zone = zone, r = r, free = {}, present = {}, seats = {}, room = 0, hope = 0, size = 0 }
end

-- Who has given this ride back is not asked for it again. `gave_back`: their names, a line break before and after each.
local function gave_back(r, driver) return r.gave_back and string.find(r.gave_back, '\n' .. driver .. '\n', 1, true) end

-- Reads on, one driver; false when the whole queue was read. Most who look need the first only, so of the names that come in a
-- piece each vehicle is read when its turn comes.
local function read_on(c, queue)
    if queue.ended then return false end
    if queue.size % PIECE == 0 then
        queue.piece = redis.call('ZRANGE', c.p .. 'queue:' .. queue.zone, queue.size, queue.size + PIECE - 1)
    end
    local driver = queue.piece[queue.size % PIECE + 1]
    if not driver then
        queue.ended = true
        return false
    end
    queue.size = queue.size + 1
    local v = redis.call('HMGET', c.p .. 'vehicle:' .. driver, 'away', 'offer', 'seats')
    local seats = tonumber(v[3]) or math.huge
    queue.hope = math.max(queue.hope, seats)
    if not v[1] and not (queue.r and gave_back(queue.r, driver)) then
        queue.present[#queue.present + 1] = driver
        queue.seats[driver] = seats
        queue.room = math.max(queue.room, seats)
        if not v[2] then queue.free[#queue.free + 1] = driver end
    end
    return true
end

-- Why nobody who is present can be asked for so many passengers: code and detail; nil when somebody can. r: see view().
local function nobody_for(c, zone, passengers, r)
    local queue = view(zone, r)
    while queue.room < passengers and read_on(c, queue) do end
    if #queue.present == 0 then
        return 'zone_empty', 'No taxi waits in zone ' .. zone .. ' now. Request again in a few minutes.'
    end
    if queue.room < passengers then
        return 'seats_full', 'No taxi that waits in zone ' .. zone .. ' has ' .. passengers
            .. ' free seats now. Request fewer, or again in a few minutes.'
    end
end

-- The first free driver with room whom this ride has not asked in this round; it is free no more.
local function take_unasked(c, ride, r, queue)
    local i, passengers = 1, tonumber(r.passengers)
    repeat
        while i <= #queue.free do
            local driver = queue.free[i]
            if queue.seats[driver] >= passengers and not gave_back(r, driver)
                and redis.call('SISMEMBER', c.p .. 'asked:' .. ride, driver) == 0 then
                return table.remove(queue.free, i)
            end
            i = i + 1
        end
    until not read_on(c, queue)
end

-- Whether all who are present and have room were asked. The queue has been read to its end.
local function round_is_over(c, ride, r, queue)
    local passengers = tonumber(r.passengers)
    for _, driver in ipairs(queue.present) do
        if queue.seats[driver] >= passengers and not gave_back(r, driver)
            and redis.call('SISMEMBER', c.p .. 'asked:' .. ride, driver) == 0 then
            return false
        end
    end
    return queue.room >= passengers
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

-- One waiting ride against the free drivers: asked, told to wait, given another round, or failed.
local function place_ride(c, ride, r, queue)
    local driver = take_unasked(c, ride, r, queue)
    if not driver and round_is_over(c, ride, r, queue) then
        if tonumber(r.round) >= c.rounds then
            return fail_ride(c, ride, r, 'no_driver', 'Every driver of the zone was asked; none accepted. Request again later.')
        end
        if not is_pause_over(c, ride, r) then return end
        next_round(c, ride, r)
        return place_ride(c, ride, r, queue)
    end
    if driver then return make_offer(c, ride, r, driver) end
    if queue.size == 0 then
        fail_ride(c, ride, r, 'zone_empty', 'No driver is left in the zone. Request again later.')
    elseif queue.hope < tonumber(r.passengers) then
        fail_ride(c, ride, r, 'seats_full', 'No taxi in the zone has ' .. r.passengers .. ' free seats. Request again later.')
    end
end

-- Matches what waits in a zone with who is free there: rides in order of request (R2), drivers in order of the queue (R3).
local function dispatch(c, zone)
    local rides = redis.call('ZRANGE', c.p .. 'waiting:' .. zone, 0, -1)
    if #rides == 0 then return end
    local queue = view(zone)
    for _, ride in ipairs(rides) do place_ride(c, ride, load_ride(c, ride), queue) end
end

-- The zones that a change concerns, each once.
local function dispatch_both(c, zone, other)
    dispatch(c, zone)
    if other and other ~= zone then dispatch(c, other) end
end

local function clear_offer(c, ride, driver)
    redis.call('ZREM', c.p .. 'offers', ride)
    redis.call('HDEL', c.p .. 'ride:' .. ride, 'offered_to', 'deadline', 'seen')
    clear_vehicle(c, driver, 'offer')
end

-- The ride of an open offer is over, without its driver. Answers the zone where that one waits.
local function withdraw_offer(c, ride, r)
    local driver = r.offered_to
    clear_offer(c, ride, driver)
    log(c, 'offer.withdrawn', { ride = ride, driver = driver, reason = 'cancelled' })
    tell(c, 'driver:' .. driver, 'offer.withdrawn', { ride = ride, reason = 'cancelled' })
    return redis.call('HGET', c.p .. 'vehicle:' .. driver, 'zone')
end

-- Ends an open offer without acceptance. how: declined | expired | undelivered | withdrawn. The ride searches on.
local function release_offer(c, ride, r, how)
    local driver = r.offered_to
    local v = vehicle(c, driver)
    clear_offer(c, ride, driver)
    set_ride(c, ride, 'state', 'searching')
    redis.call('ZADD', c.p .. 'waiting:' .. r.zone, r.order, ride)
    log(c, 'offer.' .. how, { ride = ride, driver = driver })
    if how == 'undelivered' then
        mark_away(c, driver, v, 'undelivered')
    elseif v.state == 'available' and how ~= 'withdrawn' then
        to_bottom(c, driver, how)
    end
    if how ~= 'declined' then
        tell(c, 'driver:' .. driver, 'offer.withdrawn', { ride = ride, reason = how == 'withdrawn' and 'cancelled' or how })
    end
    dispatch_both(c, r.zone, v.state == 'available' and v.zone or nil)
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

-- seen: ARGV driver, ride. The driver's app shows the offer: its time starts now (C30).
register('seen', function(keys, argv)
    local c, driver, ride = context(keys), argv[1], argv[2]
    local r = load_ride(c, ride)
    local v = bring_back(c, driver)
    if v and v.state == 'available' and not is_minibus(v) then dispatch(c, v.zone) end
    if not is_open_to(r, driver) then return no_offer(c, ride, r, driver) end
    if r.seen ~= '1' then
        r.deadline = string.format('%.0f', c.now + c.offer_timeout_ms)
        set_ride(c, ride, 'seen', '1', 'deadline', r.deadline)
        redis.call('ZADD', c.p .. 'offers', r.deadline, ride)
        log(c, 'offer.seen', { ride = ride, driver = driver })
    end
    return ok({ ride = ride, expires_in_ms = math.max(0, tonumber(r.deadline) - c.now), expires_at = tonumber(r.deadline) })
end)

-- accept: ARGV driver, ride, key, seconds to the pickup as the driver's worker reckons them ('' = unknown).
register('accept', function(keys, argv)
    local c, driver, ride = context(keys), argv[1], argv[2]
    return once(c, 'offer.accept', 'driver:' .. driver, argv[3], function()
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
        set_ride(c, ride, 'state', 'accepted', 'driver', driver, 'accepted_at', c.iso, 'notified', '0',
            'place', v.score, 'place_zone', v.zone)
        log(c, 'ride.accepted', { ride = ride, driver = driver, passenger = r.passenger })
        tell(c, 'driver:' .. driver, 'ride.assigned', assigned)
        local position = cjson.null
        if v.lat then position = { lat = tonumber(v.lat), lon = tonumber(v.lon), at = tonumber(v.at) } end
        tell(c, 'passenger:' .. r.passenger, 'ride.accepted',
            { ride = ride, taxi = driver, position = position, eta_s = tonumber(argv[4]) or cjson.null })
        dispatch_both(c, r.zone, v.zone)
        return ok(assigned)
    end)
end)

-- decline: ARGV driver, ride, key.
register('decline', function(keys, argv)
    local c, driver, ride = context(keys), argv[1], argv[2]
    return once(c, 'offer.decline', 'driver:' .. driver, argv[3], function()
        local r = load_ride(c, ride)
        bring_back(c, driver)
        if not is_open_to(r, driver) then return no_offer(c, ride, r, driver) end
        release_offer(c, ride, r, 'declined')
        return ok({ ride = ride })
    end)
end)
