-- What time alone brings about. Any worker that is alive sweeps, by Redis time; a sweep twice is a sweep once.

local BATCH = 200

local function due(c, key, before) return redis.call('ZRANGEBYSCORE', c.p .. key, '-inf', before, 'LIMIT', 0, BATCH) end

-- Offers past their deadline: shown and not answered is a refusal (R4), not shown is undelivered (C30).
local function sweep_offers(c)
    for _, ride in ipairs(due(c, 'offers', c.now - c.accept_grace_ms)) do
        local r = load_ride(c, ride)
        if r.state == 'offered' then
            release_offer(c, ride, r, r.seen == '1' and 'expired' or 'undelivered')
        else
            redis.call('ZREM', c.p .. 'offers', ride)
        end
    end
end

local function sweep_searches(c)
    for _, ride in ipairs(due(c, 'searching', c.now)) do
        local r = load_ride(c, ride)
        if r.state == 'offered' then
            local driver = r.offered_to
            clear_offer(c, ride, driver)
            log(c, 'offer.withdrawn', { ride = ride, driver = driver, reason = 'cancelled' })
            tell(c, 'driver:' .. driver, 'offer.withdrawn', { ride = ride, reason = 'cancelled' })
        end
        if r.state == 'offered' or r.state == 'searching' then
            fail_ride(c, ride, r, 'timeout', 'No driver accepted in time. Request again.')
            dispatch(c, r.zone)
        else
            redis.call('ZREM', c.p .. 'searching', ride)
        end
    end
end

-- Available drivers that have sent nothing for long are not asked (C7).
local function sweep_silent(c)
    for _, driver in ipairs(due(c, 'alive', c.now - c.stale_after_ms)) do
        mark_away(c, driver, vehicle(c, driver), 'stale')
        redis.call('ZREM', c.p .. 'alive', driver)
    end
end

-- Away for longer than the grace: out of the queue. With an accepted ride, away for longer than `recovery_ms`: the ride is
-- searched again, so that no passenger waits for a driver that is gone (C33).
local function sweep_away(c)
    for _, driver in ipairs(due(c, 'away', c.now - c.away_grace_ms)) do
        local v = vehicle(c, driver)
        if v.state == 'available' then
            lose(c, driver, v, v.away_why == 'stale' and 'stale' or 'connection_lost')
            if v.offer then release_offer(c, v.offer, load_ride(c, v.offer), 'undelivered') end
            dispatch(c, v.zone)
        end
        local since = tonumber(v.away or c.now)
        local r = v.ride and load_ride(c, v.ride) or {}
        if r.state == 'accepted' and c.now - since >= c.recovery_ms then
            give_back(c, v.ride, r, 'driver_lost')
            set_vehicle(c, driver, 'state', 'unavailable')
            clear_vehicle(c, driver, 'ride')
            dispatch(c, r.zone)
        elseif r.state ~= 'accepted' then
            redis.call('ZREM', c.p .. 'away', driver)
        end
    end
end

-- A worker that has not swept for `ARGV[2]` ms of machine time is dead: its drivers' links died with it.
local function sweep_workers(c, worker, dead_after)
    redis.call('ZADD', c.p .. 'workers', c.real, worker)
    for _, dead in ipairs(due(c, 'workers', c.real - dead_after)) do
        for _, driver in ipairs(redis.call('SMEMBERS', c.p .. 'drivers:' .. dead)) do
            local v = vehicle(c, driver)
            if v.worker == dead then mark_away(c, driver, v, 'connection_lost') end
        end
        redis.call('DEL', c.p .. 'drivers:' .. dead)
        redis.call('ZREM', c.p .. 'workers', dead)
    end
end

-- sweep: ARGV worker, ms after which a silent worker is dead. Answers hub time.
register('sweep', function(keys, argv)
    local c = context(keys)
    sweep_workers(c, argv[1], tonumber(argv[2]))
    sweep_offers(c)
    sweep_searches(c)
    sweep_silent(c)
    sweep_away(c)
    return c.iso
end)

-- now: hub time in ms.
register('now', function(keys) return context(keys).iso end, { 'no-writes' })
