-- GTFS-Realtime of the tours that run: one worker makes the feeds when they are due, all give out the same.

local register = import('core', 'register')
local load_shown = import('line', 'load_shown')
local tours = import('tour', 'tours')

local REALTIME_S = 60

-- realtime_read: the hub time of the feeds that the worker has ('' = none), real ms after which they are due. Answers
-- nothing when it has the latest; 'feeds', their hub time, their age in real ms and the three, when there are later ones; or,
-- when they are due and nobody else is at it, 'tours' and the ids of those that run. Then `realtime_tours` follows for some of these
-- at a time, and `realtime_put` when all are read.
register('realtime_read', { 'known', 'due_ms' }, function(c, given)
    local key = c.p .. 'realtime'
    local at, made = unpack(redis.call('HMGET', key, 'at', 'made'))
    local age = at and c.real - made
    -- A clock that went back makes them due as well.
    local is_due = not at or age >= tonumber(given.due_ms) or age < 0 or tonumber(at) > c.now + REALTIME_S * 1000
    if is_due and redis.call('SET', key .. ':making', '1', 'NX', 'PX', 5000) then
        local answer = redis.call('ZRANGE', c.p .. 'tours', 0, -1)
        table.insert(answer, 1, 'tours')
        return answer
    end
    if not at or at == given.known then return {} end
    return { 'feeds', at, age, unpack(redis.call('HMGET', key, 'vehicles', 'trips', 'alerts')) }
end)

-- realtime_tours: JSON list of tours. Answers of each that runs and has sent a position: JSON of its state, the Unix second from which
-- its trip's times count, 1 if its passengers were ever counted.
register('realtime_tours', { 'tours' }, function(c, given)
    local answer = {}
    for _, id in ipairs(cjson.decode(given.tours)) do
        local t = load_shown(c, id)
        if t.state == 'running' and t.lat then
            answer[#answer + 1] = tours.state(id, t)
            answer[#answer + 1] = t.base or '0'
            answer[#answer + 1] = t.counted or ''
        end
    end
    return answer
end, { 'no-writes' })

-- realtime_put: their hub time, the three feeds. Answers 1 if they are in use now. Time goes forward by seconds, two
-- feeds of one second are one; unless the hub's clock itself was set back.
register('realtime_put', { 'at', 'vehicles', 'trips', 'alerts' }, function(c, given)
    local key = c.p .. 'realtime'
    redis.call('DEL', key .. ':making')
    local at = redis.call('HGET', key, 'at')
    local was_set_back = at and tonumber(at) > c.now + REALTIME_S * 1000
    if at and not was_set_back and math.floor(at / 1000) >= math.floor(given.at / 1000) then return 0 end
    redis.call('HSET', key, 'at', given.at, 'made', c.real, 'vehicles', given.vehicles, 'trips', given.trips, 'alerts', given.alerts)
    redis.call('EXPIRE', key, REALTIME_S)
    return 1
end)
