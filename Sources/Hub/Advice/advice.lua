-- Where it is worth waiting: who waits where, and who was advised to go elsewhere. What is better is reckoned by a worker (Advice.swift),
-- as that takes the figures of weeks and the map; here each driver is looked at once more in the step that tells it.
--
-- `advised` has drivers by until when they count where they were sent, hub ms; `advised` of the vehicle is when it was and where to,
-- `<ms> <zone>`.

local pick, register, set_vehicle, tell = import('core', 'pick', 'register', 'set_vehicle', 'tell')

-- So many who were sent somewhere are looked at: as many as one turn tells, five times.
local MOST_SENT = 1000
-- So many of those who wait longest in a zone are looked at, and so many in all.
local OF_ZONE, MOST_WAITING = 5, 200

-- Who was sent to a zone and is not there yet, as long as it is waiting: how many, by zone.
local function on_the_way(c)
    local sent = {}
    for _, driver in ipairs(redis.call('ZRANGE', c.p .. 'advised', c.now_text, '+inf', 'BYSCORE', 'LIMIT', 0, MOST_SENT)) do
        local v = pick(c.p .. 'vehicle:' .. driver, { 'advised', 'state', 'zone' })
        local zone = string.match(v.advised or '', '^%d+ (.*)$')
        if zone and v.state == 'available' and v.zone ~= zone then sent[zone] = (sent[zone] or 0) + 1 end
    end
    return sent
end

-- advice_waiting: zones. Answers for each how many wait there, those on their way by advice included.
register('advice_waiting', { '...' }, function(c, given)
    local sent, counts = on_the_way(c), {}
    for i = 1, #given do counts[i] = redis.call('ZCARD', c.p .. 'queue:' .. given[i]) + (sent[given[i]] or 0) end
    return counts
end, { 'no-writes' })

-- advice_driver: driver. Answers its state, its kind, its ride, where it is (lat, lon), its zone and its rank there; '' for what there is not.
register('advice_driver', { 'driver' }, function(c, given)
    local v = pick(c.p .. 'vehicle:' .. given.driver, { 'state', 'kind', 'ride', 'lat', 'lon', 'zone' })
    local rank = v.state == 'available' and v.zone and redis.call('ZRANK', c.p .. 'queue:' .. v.zone, given.driver)
    return { v.state or '', v.kind or '', v.ride or '', v.lat or '', v.lon or '', v.zone or '', rank and string.format('%d', rank + 1) or '' }
end, { 'no-writes' })

-- advice_turn: worker, ms of machine time until the next turn. Answers 1 if it is this worker's turn to advise.
register('advice_turn', { 'worker', 'every_ms' }, function(c, given)
    return redis.call('SET', c.p .. 'advice-turn', given.worker, 'NX', 'PX', given.every_ms) and 1 or 0
end)

local function can_be_told(c, v, zone, quiet_ms)
    local at = tonumber(string.match(v.advised or '', '^(%d+) '))
    return v.state == 'available' and v.zone == zone and v.kind ~= 'minibus' and not v.offer and not v.away
        and not (at and c.now - at < quiet_ms and at <= c.now)
end

local FIELDS = { 'state', 'kind', 'zone', 'offer', 'away', 'advised', 'lat', 'lon' }

-- advice_queues: for how long who was told is left alone, ms; zones. Answers of the last in their queues who can be told: driver, zone,
-- rank, lat and lon of one after the other.
register('advice_queues', { 'quiet_ms', '...' }, function(c, given)
    local found, quiet_ms = {}, tonumber(given.quiet_ms)
    for i = 2, #given do
        local zone = given[i]
        local key = c.p .. 'queue:' .. zone
        local size = redis.call('ZCARD', key)
        for n, driver in ipairs(redis.call('ZREVRANGE', key, 0, OF_ZONE - 1)) do
            local v = pick(c.p .. 'vehicle:' .. driver, FIELDS)
            if v.lat and v.lon and can_be_told(c, v, zone, quiet_ms) then
                for _, value in ipairs({ driver, zone, size - n + 1, v.lat, v.lon }) do found[#found + 1] = value end
                if #found >= MOST_WAITING * 5 then return found end
            end
        end
    end
    return found
end, { 'no-writes' })

-- advice_tell: for how long who was told is left alone, ms; then for each driver: it, the zone where it waits, the one where to go, until when
-- it counts there, hub ms, and what it is told, JSON. Who has got something else to do meanwhile is left out, and who does not want to
-- know. Answers how many were told.
register('advice_tell', { 'quiet_ms', '...' }, function(c, given)
    local told, quiet_ms = 0, tonumber(given.quiet_ms)
    redis.call('ZREMRANGEBYSCORE', c.p .. 'advised', '-inf', '(' .. c.now_text)
    for i = 2, #given, 5 do
        local driver, zone = given[i], given[i + 1]
        if can_be_told(c, pick(c.p .. 'vehicle:' .. driver, FIELDS), zone, quiet_ms) then
            local is_told = tell(c, 'driver:' .. driver, 'advice.wait', cjson.decode(given[i + 4]))
            set_vehicle(c, driver, 'advised', c.now_text .. ' ' .. given[i + 2])
            if is_told then
                redis.call('ZADD', c.p .. 'advised', given[i + 3], driver)
                told = told + 1
            end
        end
    end
    return told
end)

return {}
