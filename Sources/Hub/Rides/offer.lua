-- Offers: which driver is asked for which ride, and the one place where an offer ends. A ride is `searching` (and then
-- stands in `waiting:<zone>` in the order of its request), or `offered` to exactly one driver (and then in `offers` by its
-- deadline; between two rounds a searching ride stands there by the end of the pause). Accept, decline, timeout and cancel
-- each compare the ride's state and driver before they change it.

local clear_vehicle, is_minibus, load_ride, register = import('core', 'clear_vehicle', 'is_minibus', 'load_ride', 'register')
local log, ok, once, point, refuse, set_ride = import('core', 'log', 'ok', 'once', 'point', 'refuse', 'set_ride')
local set_vehicle, tell, vehicle = import('core', 'set_vehicle', 'tell', 'vehicle')
local callers = import('callers', 'callers')
local cancels = import('limits', 'cancels')
local taxi_figures = import('taxi_figures', 'taxi_figures')
local bring_back, leave, mark_away, mark_back = import('queue', 'bring_back', 'leave', 'mark_away', 'mark_back')
local set_free, set_not_free, to_bottom = import('queue', 'set_free', 'set_not_free', 'to_bottom')
local gave_back, have_others_room, is_round_over = import('candidates', 'gave_back', 'have_others_room', 'is_round_over')
local read_on, take, take_unasked, view = import('candidates', 'read_on', 'take', 'take_unasked', 'view')

-- Who has been asked for a ride in vain: `asks:<ride>`, 1 in this round, 0 in an earlier one. Whom it is offered to now, or who has
-- accepted it, stands in the ride itself, so most rides need no such key.
local function remember_ask(c, ride, driver)
    redis.call('ZADD', c.p .. 'asks:' .. ride, 1, driver)
    redis.call('EXPIRE', c.p .. 'asks:' .. ride, c.history_ttl_s)
end

-- fields: of a ride that is not in Redis yet, with which it is made. by: 'operator', who asks a driver whose turn it need not be.
local function make_offer(c, ride, r, driver, fields, by)
    local attempt = r.attempt + 1
    local deadline = string.format('%.0f', c.now + c.offer_seen_timeout_ms)
    set_ride(c, ride, 'state', 'offered', 'offered_to', driver, 'deadline', deadline, 'seen', '0', 'attempt', attempt,
        unpack(fields or {}))
    redis.call('ZADD', c.p .. 'offers', deadline, ride)
    if r.state == 'searching' then redis.call('ZREM', c.p .. 'waiting:' .. r.zone, ride) end
    if r.next_at then redis.call('HDEL', c.p .. 'ride:' .. ride, 'next_at') end
    set_vehicle(c, driver, 'offer', ride)
    set_not_free(c, driver, r.zone)
    log(c, 'offer.made', { ride = ride, driver = driver, zone = r.zone, round = tonumber(r.round), attempt = attempt, reason = by })
    tell(c, 'driver:' .. driver, 'offer.made', {
        ride = ride, zone = r.zone, passengers = tonumber(r.passengers),
        expires_in_ms = c.offer_timeout_ms, expires_at = c.now + c.offer_timeout_ms,
    }, r.lat .. ',' .. r.lon)
end

-- r: as it was until now.
local function end_search(c, ride, r)
    if r.state == 'searching' then redis.call('ZREM', c.p .. 'waiting:' .. r.zone, ride) end
    if r.state == 'searching' or r.state == 'offered' then redis.call('ZREM', c.p .. 'searching', ride) end
end

-- A ride that has come to its end, whichever: nothing open remains of it. r: as it was until now. is_brief: it took nobody anywhere.
local function close_ride(c, ride, r, state, is_brief)
    end_search(c, ride, r)
    set_ride(c, ride, 'state', state, 'closed_at', c.now_text)
    taxi_figures.count(c, r, state)
    redis.call('HDEL', c.p .. 'passenger:' .. r.passenger, 'ride')
    if is_brief then
        cancels.forget(c, 'ride:' .. ride)
        if r.attempt ~= '1' then cancels.forget(c, 'asks:' .. ride) end
    else
        redis.call('EXPIRE', c.p .. 'ride:' .. ride, c.history_ttl_s)
    end
end

local function fail_ride(c, ride, r, code, detail)
    close_ride(c, ride, r, 'failed')
    if r.rang then cancels.add(c, r.passenger, 'd') end
    log(c, 'ride.failed', { ride = ride, zone = r.zone, passenger = r.passenger, code = code })
    tell(c, 'passenger:' .. r.passenger, 'ride.failed', { ride = ride, code = code, detail = detail })
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

-- Who was asked may be asked again.
local function ask_anew(c, ride)
    redis.call('ZUNIONSTORE', c.p .. 'asks:' .. ride, 1, c.p .. 'asks:' .. ride, 'WEIGHTS', 0)
    redis.call('EXPIRE', c.p .. 'asks:' .. ride, c.history_ttl_s)
end

local function next_round(c, ride, r)
    r.round = tonumber(r.round) + 1
    set_ride(c, ride, 'round', r.round)
    if r.next_at then redis.call('HDEL', c.p .. 'ride:' .. ride, 'next_at') end
    r.next_at = nil
    ask_anew(c, ride)
    log(c, 'ride.searching', { ride = ride, zone = r.zone, round = r.round, reason = 'next_round' })
    tell(c, 'passenger:' .. r.passenger, 'ride.searching',
        { ride = ride, zone = r.zone, round = r.round, reason = 'next_round' })
end

-- One waiting ride against the free drivers: asked, told to wait, given another round, or failed. Answers who is asked.
-- queue: see view() in candidates.lua.
local function place_ride(c, ride, r, queue)
    local asked = {}
    local driver = take_unasked(c, ride, r, queue, asked)
    if not driver and is_round_over(c, ride, r, queue, asked) then
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

-- A ride that was just requested: somebody is asked, or it waits for those who are. r, fields: not in Redis yet.
local function begin_search(c, ride, r, queue, fields)
    local driver = take_unasked(c, ride, r, queue, {})
    if driver then return make_offer(c, ride, r, driver, fields) end
    set_ride(c, ride, 'state', 'searching', 'attempt', '0', unpack(fields))
    redis.call('ZADD', c.p .. 'waiting:' .. r.zone, r.order, ride)
end

local function waiting(c, zone) return redis.call('ZRANGE', c.p .. 'waiting:' .. zone, 0, -1) end

-- Matches what waits in a zone with who is free there: rides in order of request (R2), drivers in order of the queue (R3).
-- rides, queue: of the zone, if they have been read.
local function dispatch(c, zone, rides, queue)
    rides, queue = rides or waiting(c, zone), queue or view(c, zone)
    for _, ride in ipairs(rides) do place_ride(c, ride, load_ride(c, ride), queue) end
end

-- The same for one ride that searches anew. What waits besides has asked all who are free, or they
-- have no room for it: that is how each of these functions leaves a zone.
local function dispatch_ride(c, ride)
    local r = load_ride(c, ride)
    place_ride(c, ride, r, view(c, r.zone))
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
    local is_free, queue = is_there and not v[2], view(c, zone, nil, driver)
    for _, ride in ipairs(rides) do
        local is_looked_at = ride == again
        local r
        if not is_looked_at and is_there and (is_free or is_new) then
            local was_asked = redis.call('ZSCORE', c.p .. 'asks:' .. ride, driver) == '1'
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
                is_looked_at = not is_paused and (r.next_at or not have_others_room(c, queue, tonumber(r.passengers)))
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
    local queue = view(c, zone)
    read_on(c, queue)
    while queue.most_free < math.huge and queue.most_free < c.max_passengers and read_on(c, queue) do end
    local may_be_full = queue.most_free < c.max_passengers
    for _, ride in ipairs((may_be_full or driver) and rides or {}) do
        if ride == again or driver and redis.call('ZSCORE', c.p .. 'asks:' .. ride, driver) ~= '1'
            or may_be_full and tonumber(redis.call('HGET', c.p .. 'ride:' .. ride, 'passengers')) > queue.most_free then
            place_ride(c, ride, load_ride(c, ride), queue)
        end
    end
end

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
    if not r.state then return refuse('not_found', 'There is no ride ' .. ride .. '.') end
    if r.offered_to ~= driver and not redis.call('ZSCORE', c.p .. 'asks:' .. ride, driver) then
        return refuse('not_found', 'The ride ' .. ride .. ' was not offered to you.')
    end
    if r.driver and r.driver ~= driver then return refuse('offer_taken', 'Another driver has taken the ride.') end
    if r.state == 'searching' or r.state == 'offered' then
        return refuse('offer_expired', 'The offer stands no more: the ride went on to another driver.')
    end
    return refuse('offer_expired', 'The offer is over: the ride is ' .. r.state .. '.')
end

local function is_open_to(r, driver) return r.state == 'offered' and r.offered_to == driver end

-- offer_seen: driver, ride. The driver's app shows the offer: its time starts now (C30).
register('offer_seen', { 'driver', 'ride' }, function(c, given)
    local driver, ride = given.driver, given.ride
    local r = load_ride(c, ride, { 'state', 'offered_to', 'zone', 'deadline', 'seen', 'driver' })
    local v = bring_back(c, driver)
    if v and v.state == 'available' and not is_minibus(v) then dispatch_driver(c, v.zone, driver, true) end
    if not is_open_to(r, driver) then return no_offer(c, ride, r, driver) end
    if r.seen ~= '1' then
        r.deadline = string.format('%.0f', c.now + c.offer_timeout_ms)
        set_ride(c, ride, 'seen', '1', 'rang', '1', 'deadline', r.deadline)
        redis.call('ZADD', c.p .. 'offers', r.deadline, ride)
        log(c, 'offer.seen', { ride = ride, zone = r.zone, driver = driver })
    end
    return ok({ ride = ride, expires_in_ms = math.max(0, tonumber(r.deadline) - c.now), expires_at = tonumber(r.deadline) })
end)

-- How long a vehicle that has accepted is told of without being asked for, ms of machine time.
local WATCHED_MS = 90000

-- offer_accept: driver, ride, key, seconds to the pickup as the driver's worker reckons them ('' = unknown).
register('offer_accept', { 'driver', 'ride', 'key', 'eta_s' }, function(c, given)
    local driver, ride = given.driver, given.ride
    return once(c, 'offer.accept', 'driver:' .. driver, given.key, function()
        local r = load_ride(c, ride)
        local assigned = { ride = ride, pickup = point(r.lat, r.lon), passengers = tonumber(r.passengers), contact = callers.contact(r) }
        if r.dlat then assigned.destination = point(r.dlat, r.dlon) end
        if r.driver == driver and (r.state == 'accepted' or r.state == 'aboard') then return ok(assigned) end
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
        leave(c, driver, v, 'accepted', 'busy', 'ride', ride, 'watched', string.format('%.0f', watched))
        log(c, 'ride.accepted', { ride = ride, zone = r.zone, driver = driver, passenger = r.passenger })
        tell(c, 'driver:' .. driver, 'ride.assigned', assigned)
        local position = cjson.null
        if v.lat then position = { lat = tonumber(v.lat), lon = tonumber(v.lon), at = tonumber(v.at) } end
        tell(c, 'passenger:' .. r.passenger, 'ride.accepted',
            { ride = ride, taxi = driver, position = position, eta_s = tonumber(given.eta_s) or cjson.null,
                card = v.card and cjson.decode(v.card) })
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
    close_ride = close_ride, remember_ask = remember_ask, fail_ride = fail_ride, begin_search = begin_search, ask_anew = ask_anew, dispatch = dispatch,
    dispatch_ride = dispatch_ride, dispatch_driver = dispatch_driver, dispatch_rest = dispatch_rest,
    withdraw_offer = withdraw_offer, free_again = free_again, release_offer = release_offer, offer_by_operator = offer_by_operator,
}
