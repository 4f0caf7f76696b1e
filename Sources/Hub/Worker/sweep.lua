-- What time alone brings about. Any worker that is alive sweeps, by Redis time; a sweep twice is a sweep once.

local drop_old, is_minibus, load_ride, log, register = import('core', 'drop_old', 'is_minibus', 'load_ride', 'log', 'register')
local tell, vehicle = import('core', 'tell', 'vehicle')
local figures = import('figures', 'figures')
local tell_missing = import('lost', 'tell_missing')
local lose, mark_away = import('queue', 'lose', 'mark_away')
local trips = import('trip', 'trips')
local close_ride, dispatch_due, dispatch_rest = import('search', 'close_ride', 'dispatch_due', 'dispatch_rest')
local fail_ride, LOOKED_AT = import('search', 'fail_ride', 'LOOKED_AT')
local free_again, release_offer, withdraw_offer = import('offer', 'free_again', 'release_offer', 'withdraw_offer')
local lose_driver, make_unavailable, tell_driver = import('ride', 'lose_driver', 'make_unavailable', 'tell_driver')
local load_booking, overdue = import('seat', 'load_booking', 'overdue')
local drop_bookings, has_bookings, lose_minibus = import('minibus', 'drop_bookings', 'has_bookings', 'lose_minibus')
local alarms = import('sos', 'alarms')
local papers = import('papers', 'papers')
local passed = import('passed', 'passed')
local registry = import('registry', 'registry')
local people = import('people', 'people')
local revocations = import('revocations', 'revocations')
local set_clock = import('wishes', 'set_clock')
local taxi_figures = import('taxi_figures', 'taxi_figures')
local seat_figures = import('seat_figures', 'seat_figures')
local stops = import('stop', 'stops')
local tours = import('tour', 'tours')
local reservations = import('reservation', 'reservations')
local waking = import('waking', 'waking')

local BATCH = 200
-- Searches that end: 7 ms or so.
local SEARCH_BATCH = 50
-- What is due of requests for stops, as stops.fall_due() counts it: 3 ms or so.
local STOP_BATCH = 20
-- Drivers of a dead worker: 5 ms or so.
local DEAD_BATCH = 400
-- Offers that end, and taxis that are lost, and bookings of lost minibuses: 5 ms or so, 7 to 15 where 125 rides wait. An offer or a taxi counts one
-- more for each WAITING_FOR_ONE rides that wait in its zone, as the zone is looked through for it.
local OFFER_BATCH, LOST_BATCH = 25, 25
local WAITING_FOR_ONE = 8

-- Calls `body` for what is due in a sorted set. One that fails is logged and taken out, so that it can't stop the others.
local function each_due(c, key, before, body, most)
    for _, member in ipairs(redis.call('ZRANGEBYSCORE', c.p .. key, '-inf', before, 'LIMIT', 0, most or BATCH)) do
        local good, problem = pcall(body, member)
        if not good then
            redis.log(redis.LOG_WARNING, 'kerbside: ' .. key .. ' ' .. member .. ': ' .. tostring(problem))
            redis.call('ZREM', c.p .. key, member)
            -- It ends with its search, then.
            if key == 'offers' or key == 'looks' then redis.call('ZADD', c.p .. 'searching', 'NX', c.now + c.search_timeout_ms, member) end
        end
    end
end

-- Of an offer or a taxi in a zone.
local function cost_in(c, zone) return 1 + redis.call('ZCARD', c.p .. 'waiting:' .. zone) / WAITING_FOR_ONE end

-- Offers past their deadline: shown and not answered is a refusal (R4), not shown is undelivered (C30).
local function sweep_offers(c)
    local before, left = c.now - c.accept_grace_ms, OFFER_BATCH
    each_due(c, 'offers', before, function(ride)
        -- Else it is still due.
        if left <= 0 then return end
        local r = load_ride(c, ride)
        if r.state == 'offered' then
            -- One that was due together with this may have brought about its offer just now.
            if tonumber(r.deadline) > before then return end
            left = left - cost_in(c, r.zone)
            return release_offer(c, ride, r, r.seen == '1' and 'expired' or 'undelivered')
        end
        redis.call('ZREM', c.p .. 'offers', ride)
        -- Hubs of before have these here, too.
        if r.state == 'searching' then redis.call('ZADD', c.p .. 'looks', 'NX', c.now_text, ride) end
    end)
end

-- Pauses that are over, and rides that look around again; fewer where rides were looked at just now for offers that have ended.
local function sweep_looks(c)
    local zones, left = {}, math.max(c.may_look or LOOKED_AT, 1)
    each_due(c, 'looks', c.now, function(ride)
        -- Of many in all zones some are looked at: the others are still due.
        if left <= 0 then return end
        local r = load_ride(c, ride)
        if r.state ~= 'searching' then return redis.call('ZREM', c.p .. 'looks', ride) end
        -- All pauses of a zone that are over end with the first.
        if zones[r.zone] then return end
        zones[r.zone] = true
        left = dispatch_due(c, r.zone, left)
    end)
end

-- Bookings without an answer: the driver's time to answer, or the whole time for which seats are held.
local function sweep_holds(c)
    each_due(c, 'holds', c.now - c.accept_grace_ms, function(booking)
        local b = load_booking(c, booking)
        if b.state == 'offered' or b.state == 'waiting' then
            overdue(c, booking, b)
        else
            redis.call('ZREM', c.p .. 'holds', booking)
        end
    end)
end

local function sweep_searches(c)
    each_due(c, 'searching', c.now, function(ride)
        local r = load_ride(c, ride)
        if r.state == 'offered' then withdraw_offer(c, ride, r) end
        if r.state == 'offered' or r.state == 'searching' then
            fail_ride(c, ride, r, 'timeout', 'No driver accepted in time. Request again.')
            if r.state == 'offered' then free_again(c, r.offered_to) end
        else
            redis.call('ZREM', c.p .. 'searching', ride)
        end
    end, SEARCH_BATCH)
end

-- Drivers in a queue or on a ride that have sent nothing for long: those who wait are not asked (C7).
local function sweep_silent(c)
    each_due(c, 'alive', c.now - c.stale_after_ms, function(driver)
        mark_away(c, driver, vehicle(c, driver), 'stale')
        redis.call('ZREM', c.p .. 'alive', driver)
    end)
end

-- A driver is lost with its ride: one that was not aboard yet is searched again, so that no passenger waits for a driver
-- that is gone (C33); one that was aboard has ended, as far as anybody can tell.
local function lose_ride(c, driver, v, r)
    local ride = v.ride
    if r.state == 'accepted' then return lose_driver(c, ride, r, 'driver') end
    local trip, told = trips.made(c, ride, r, driver, v.card)
    close_ride(c, ride, r, 'ended', nil, nil, trip)
    log(c, 'ride.ended', trips.logged(told,
        { ride = ride, zone = r.zone, driver = driver, passenger = r.passenger, reason = 'driver_lost' }))
    tell(c, 'passenger:' .. r.passenger, 'ride.ended', { ride = ride, reason = 'driver_lost', receipt = told.receipt, payment = told.payment })
    tell_driver(c, driver, ride, 'driver', 'driver_lost', true)
    make_unavailable(c, driver, v)
end

-- Away for longer than the grace: out of the queue. On a ride, for longer than `driver_lost_ms`: who waits is told; for longer than
-- the recovery time: off the ride. Answers whether there may be more.
local function sweep_away(c)
    local left = LOST_BATCH
    each_due(c, 'away', c.now - c.away_grace_ms, function(driver)
        local v = vehicle(c, driver)
        local waits = v.state == 'available' and not is_minibus(v)
        -- Else it is still due.
        if waits and left <= 0 then return end
        local r = v.ride and load_ride(c, v.ride) or {}
        local serves = r.state == 'accepted' or r.state == 'aboard' or has_bookings(c, driver)
        if is_minibus(v) and v.state == 'available' then lose_minibus(c, driver, v) end
        local away = tonumber(v.away or c.now)
        local missing_at, lost_at = away + c.driver_lost_ms, away + c.recovery_ms
        if serves and c.now < lost_at then
            if c.now >= missing_at then tell_missing(c, driver, v) end
            -- Not looked at again before it is due.
            local due = c.now < missing_at and math.min(missing_at, lost_at) or lost_at
            redis.call('ZADD', c.p .. 'away', string.format('%.0f', due - c.away_grace_ms), driver)
            return
        end
        if is_minibus(v) then
            if left > 0 then left = left - drop_bookings(c, driver, math.ceil(left)) end
            if has_bookings(c, driver) then return end
        end
        redis.call('ZREM', c.p .. 'away', driver)
        if is_minibus(v) then return end
        if serves then lose_ride(c, driver, v, r) end
        if v.state == 'available' then
            left = left - cost_in(c, v.zone)
            lose(c, driver, v, v.away_why == 'stale' and 'stale' or 'connection_lost')
            if v.offer then release_offer(c, v.offer, load_ride(c, v.offer), 'undelivered') end
            dispatch_rest(c, v.zone, v.offer and driver)
        end
    end)
    return left <= 0
end

-- Tours of which nothing was heard for long: the bus is free for another driver.
local function sweep_tours(c)
    each_due(c, 'tours', c.now - c.tour_lost_ms, function(id)
        local t = tours.load(c, id)
        if t.state == 'running' then tours.finish(c, id, t, 'lost') else redis.call('ZREM', c.p .. 'tours', id) end
    end)
end

local function is_due(c, key) return redis.call('ZCOUNT', c.p .. key, '-inf', c.now_text) > 0 end

-- What time brings about for requests for stops, and then what a new catalog means for the requests of its lines, of one line at least: neither
-- keeps the other waiting. However many of a tour are due, its driver is told one list. Answers whether more is due, also of what was put
-- there just now.
local function sweep_stops(c)
    local left, is_any = STOP_BATCH, false
    local function see_to(member)
        is_any = true
        -- Else it is still due.
        if left > 0 then left = left - stops.fall_due(c, member) end
    end
    local good, problem = pcall(stops.together, c, function()
        each_due(c, 'stopdue', c.now, see_to, STOP_BATCH)
        left = math.max(left, 1)
        each_due(c, 'lines-due', c.now, see_to, STOP_BATCH)
    end)
    if not good then redis.log(redis.LOG_WARNING, 'kerbside: stopdue: ' .. tostring(problem)) end
    return is_any and (is_due(c, 'stopdue') or is_due(c, 'lines-due'))
end

-- A worker that has not swept for `dead_after` ms of machine time is dead: its links died with it. Who has not swept for long itself
-- (Redis was away, or this process stood still) judges nobody yet. `dying` has the dead until all who were connected to them are seen to,
-- by when they swept last. Answers whether `worker` is new here, or was taken for dead.
local function sweep_workers(c, worker, dead_after, silent_ms)
    local key, dying = c.p .. 'workers', c.p .. 'dying'
    local last = redis.call('ZSCORE', key, worker)
    redis.call('ZADD', key, c.real, worker)
    if not last then redis.call('ZREM', dying, worker) end
    if not last or c.real - tonumber(last) > dead_after / 2 then return not last end
    -- The clock was ahead and was set back: who is dead would live until then. Who lives writes its own time with its next sweep.
    for _, ahead in ipairs(redis.call('ZRANGEBYSCORE', key, c.real + 1, '+inf')) do redis.call('ZADD', key, c.real, ahead) end
    for _, dead in ipairs(redis.call('ZRANGEBYSCORE', key, '-inf', c.real - dead_after)) do
        redis.call('ZADD', dying, redis.call('ZSCORE', key, dead), dead)
        redis.call('ZREM', key, dead)
    end
    each_due(c, 'dying', '+inf', function(dead)
        local drivers = redis.call('SPOP', c.p .. 'drivers:' .. dead, DEAD_BATCH)
        for _, driver in ipairs(drivers) do
            local v = vehicle(c, driver)
            if v.worker == dead then
                people.went(c, driver)
                mark_away(c, driver, v, 'connection_lost')
            end
        end
        local is_over = waking.bury(c, dead, c.real - tonumber(redis.call('ZSCORE', dying, dead)) + silent_ms)
        if #drivers < DEAD_BATCH and is_over then redis.call('ZREM', dying, dead) end
    end)
    return false
end

-- What people wait for to the moment: the ends of offers, of searches and of the time for which seats are held. Answers 0 if there is none.
local function sweep_deadlines(c)
    sweep_offers(c)
    sweep_holds(c)
    sweep_searches(c)
    sweep_looks(c)
    return redis.call('EXISTS', c.p .. 'offers', c.p .. 'looks', c.p .. 'holds', c.p .. 'searching')
end

-- city_deadlines: only that, for the sweeps between two of all. Answers {hub time, 0 if nobody waits}.
register('city_deadlines', {}, function(c)
    local waiting = sweep_deadlines(c)
    return { c.now_text, waiting }
end, { 'allow-oom' })

-- city_sweep: worker, ms after which a silent worker is dead, the city's local time less UTC in s ('' = not known yet),
-- what its clock shows (minute_of_day; '' = not known yet), for how long a connection may be silent, ms, a random text
-- (seat_figures.lua), and the second of the worker's clock. Answers {hub time, 1 if the worker was not known, alarms that are open, that ring,
-- 0 if nobody waits for a deadline, how many drivers starve (passed.lua), and 1 if more is due than one sweep looks at}.
register('city_sweep', { 'worker', 'dead_ms', 'utc_offset_s', 'clock', 'silent_ms?', 'fresh?', 'now_s?' }, function(c, given)
    if given.utc_offset_s ~= '' then figures.set_offset(c, given.utc_offset_s) end
    if given.clock ~= '' then set_clock(c, 'city', given.clock) end
    if given.now_s then revocations.note_second(c, given.now_s) end
    local is_new = sweep_workers(c, given.worker, tonumber(given.dead_ms), tonumber(given.silent_ms or 0))
    local waiting = sweep_deadlines(c)
    sweep_silent(c)
    local is_more = sweep_away(c)
    sweep_tours(c)
    redis.call('ZREMRANGEBYSCORE', c.p .. 'awaited', '-inf', c.real)
    each_due(c, 'blocked', c.now, function(holder)
        redis.call('ZREM', c.p .. 'blocked', holder)
        people.unblocked(c, holder)
    end)
    each_due(c, 'gone', people.gone_before(c), function(who) people.forget(c, who) end)
    is_more = sweep_stops(c) or is_more
    is_more = reservations.fall_due(c) or is_more
    registry.index(c)
    is_more = papers.remind_due(c, registry.date_in, given.utc_offset_s) or is_more
    taxi_figures.sum_up(c)
    seat_figures.sum_up(c, given.fresh)
    local open, ringing = alarms.ring_due(c)
    return { c.now_text, is_new and 1 or 0, open, ringing, waiting, passed.starving(c), is_more and 1 or 0 }
end, { 'allow-oom' })

-- events_tidy: takes a part of what is too old out of the event log. Answers how many entries.
register('events_tidy', {}, function(c)
    return drop_old(c, c.p .. 'events', 500)
end, { 'allow-oom' })

-- city_now: hub time in ms.
register('city_now', {}, function(c) return c.now_text end, { 'no-writes' })
