-- Zone queues: a sorted set per zone, scored by the arrival number that the server gave. I1 and Q3 hold because every
-- change of a driver's state and of its queue happens here, in one step. `free:<zone>` has, by the same scores, those of a queue
-- who can be asked for a ride: present, and asked nothing (candidates.lua).
--
-- v: the vehicle of a driver, as it was read; it is changed with what is kept.

local clear_vehicle, log, push, set_state = import('core', 'clear_vehicle', 'log', 'push', 'set_state')
local set_vehicle, tell, vehicle = import('core', 'set_vehicle', 'tell', 'vehicle')
local digits, quoted = import('json', 'digits', 'quoted')
local tell_found = import('lost', 'tell_found')
local room = import('room', 'room')

-- To the workers, which tell the drivers of the zone their ranks.
local function zone_changed(c, zone, reason) push(c, 'queues', '', 'changed', zone, reason) end

-- As text, as Redis takes it in a command: a number would be printed anew each time.
local function next_arrival(c) return string.format('%d', redis.call('INCR', c.p .. 'arrivals')) end

-- rank (from 1) and size, from one reading
local function place(c, driver, zone)
    local rank = redis.call('ZRANK', c.p .. 'queue:' .. zone, driver)
    return rank and rank + 1 or nil, redis.call('ZCARD', c.p .. 'queue:' .. zone)
end

-- Who waits, is present and is asked nothing can be asked from now on.
local function set_free(c, driver, v)
    if v.state ~= 'available' or v.kind == 'minibus' or v.away or v.offer then return end
    redis.call('ZADD', c.p .. 'free:' .. v.zone, v.score, driver)
end

local function set_not_free(c, driver, zone) redis.call('ZREM', c.p .. 'free:' .. zone, driver) end

-- Fields of a vehicle, as far as it has them.
local function forget(c, driver, v, ...)
    local asked, names = { ... }, {}
    for i = 1, #asked do
        local name = asked[i]
        if v[name] then names[#names + 1], v[name] = name, nil end
    end
    if #names > 0 then clear_vehicle(c, driver, unpack(names)) end
end

-- score nil: at the bottom. The driver becomes available. more: fields of its vehicle that change with it. Answers its rank and how many
-- there are.
local function join(c, driver, v, zone, reason, score, more)
    local is_last = not score
    score = score or next_arrival(c)
    redis.call('ZADD', c.p .. 'queue:' .. zone, score, driver)
    room.may_have(c, zone, v.seats)
    -- Who comes from a ride has been there all the time.
    if v.state ~= 'busy' then redis.call('ZADD', c.p .. 'alive', c.now_text, driver) end
    set_state(c, driver, v, 'available', 'zone', zone, 'score', score, 'since', c.now_text, unpack(more or {}))
    forget(c, driver, v, 'lost_zone', 'lost_score', 'lost_until', 'lost_why', 'ride')
    set_free(c, driver, v)
    log(c, 'queue.joined', '{"driver":"' .. driver .. '","zone":' .. quoted(zone) .. ',"score":' .. score .. ',"reason":"' .. reason .. '"}')
    local rank, size
    if is_last then
        size = redis.call('ZCARD', c.p .. 'queue:' .. zone)
        rank = size
    else
        rank, size = place(c, driver, zone)
    end
    tell(c, 'driver:' .. driver, 'queue.joined', '{"zone":' .. quoted(zone) .. ',"rank":' .. digits(rank) .. ',"size":' .. digits(size)
        .. ',"reason":"' .. reason .. '"}')
    zone_changed(c, zone, reason)
    return rank, size
end

-- state: what the driver is from now on ('unavailable' or 'busy'), with what else is set. text: what the driver is told besides.
local function quit(c, driver, v, reason, state, text, ...)
    local zone = v.zone
    redis.call('ZREM', c.p .. 'queue:' .. zone, driver)
    if not v.offer and not v.away then set_not_free(c, driver, zone) end
    if state == 'unavailable' then redis.call('ZREM', c.p .. 'alive', driver) end
    set_state(c, driver, v, state, ...)
    forget(c, driver, v, 'score', 'since', state == 'busy' and 'offer' or nil)
    log(c, 'queue.left', '{"driver":"' .. driver .. '","zone":' .. quoted(zone) .. ',"reason":"' .. reason .. '"}')
    if reason ~= 'accepted' then
        tell(c, 'driver:' .. driver, 'queue.left', { zone = zone, reason = reason, text = text })
    end
    zone_changed(c, zone, reason)
end

local function leave(c, driver, v, reason, state, ...) quit(c, driver, v, reason, state, nil, ...) end

local function to_bottom(c, driver, v, reason)
    v.score = next_arrival(c)
    redis.call('ZADD', c.p .. 'queue:' .. v.zone, 'XX', v.score, driver)
    set_vehicle(c, driver, 'score', v.score)
    set_free(c, driver, v)
    log(c, 'queue.bottom', { driver = driver, zone = v.zone, score = tonumber(v.score), reason = reason })
    zone_changed(c, v.zone, reason)
end

-- Out of the queue against its will: for `recovery_ms` the old place is kept for it.
local function lose(c, driver, v, reason)
    local score = v.score
    leave(c, driver, v, reason, 'unavailable')
    set_vehicle(c, driver, 'lost_zone', v.zone, 'lost_score', score, 'lost_why', reason,
        'lost_until', string.format('%.0f', c.now + c.recovery_ms))
end

local function remembers(c, v) return v.state == 'unavailable' and v.lost_until and tonumber(v.lost_until) > c.now end

-- Back in its queue at the old place, or at the bottom of the zone where it now is.
local function recover(c, driver, v, zone, more)
    if zone == v.lost_zone then return join(c, driver, v, zone, 'recovered', v.lost_score, more) end
    return join(c, driver, v, zone, 'moved', nil, more)
end

-- A driver that is away (its link is lost, or it does not show what it is sent) keeps the place but is asked nothing.
local function mark_away(c, driver, v, reason)
    if v.away then
        redis.call('ZADD', c.p .. 'away', 'NX', v.away, driver)
        return
    end
    set_vehicle(c, driver, 'away', c.now_text, 'away_why', reason)
    v.away = c.now_text
    if v.state == 'available' and v.zone then set_not_free(c, driver, v.zone) end
    -- It is looked at when the grace is over; on a ride when its passenger is to be told.
    local due = v.state == 'busy' and c.now + math.min(c.driver_lost_ms, c.recovery_ms) - c.away_grace_ms or c.now
    redis.call('ZADD', c.p .. 'away', due, driver)
    log(c, 'driver.away', { driver = driver, reason = reason })
end

local function mark_back(c, driver, v)
    if not v.away then return false end
    clear_vehicle(c, driver, 'away', 'away_why', 'missing', 'given_up')
    v.away = nil
    set_free(c, driver, v)
    if v.state ~= 'unavailable' then redis.call('ZADD', c.p .. 'alive', c.now, driver) end
    redis.call('ZREM', c.p .. 'away', driver)
    log(c, 'driver.back', { driver = driver })
    if v.missing then tell_found(c, driver, v) end
    return true
end

-- The same where nothing else of the vehicle is needed: it is read only if it was away. Answers it then.
local function bring_back(c, driver)
    if redis.call('HEXISTS', c.p .. 'vehicle:' .. driver, 'away') == 0 then return nil end
    local v = vehicle(c, driver)
    mark_back(c, driver, v)
    return v
end

return {
    place = place, join = join, quit = quit, leave = leave, to_bottom = to_bottom, lose = lose, remembers = remembers, recover = recover,
    mark_away = mark_away, mark_back = mark_back, bring_back = bring_back, set_free = set_free, set_not_free = set_not_free,
}
