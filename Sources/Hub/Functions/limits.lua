-- What one person may cost the others: connections, and requests that ring somebody and are taken back.

-- Links. `links:<role>:<subject>` has a subject's connections to all workers, by when they came.

local links = {}

-- A session has come. With one too many the oldest goes: a phone that is back over a new link must get in, whatever became of the
-- old one. Those of workers that are dead went with them.
function links.add(c, channel, session)
    if c.max_links == 0 then return end
    local key = c.p .. 'links:' .. channel
    redis.call('ZADD', key, 'NX', c.real, session)
    redis.call('EXPIRE', key, c.history_ttl_s)
    if redis.call('ZCARD', key) <= c.max_links then return end
    for _, other in ipairs(redis.call('ZRANGE', key, 0, -1)) do
        if other ~= session and not redis.call('ZSCORE', c.p .. 'workers', worker_of(other)) then redis.call('ZREM', key, other) end
    end
    for _ = 1, redis.call('ZCARD', key) - c.max_links do
        local oldest = redis.call('ZPOPMIN', key)[1]
        push(c, channel, '', 'replaced', oldest, '{}')
    end
end

-- left: ARGV role:subject, session. That connection is closed.
register('left', function(keys, argv)
    local c = context(keys)
    return redis.call('ZREM', c.p .. 'links:' .. argv[1], argv[2])
end, { 'allow-oom' })

-- Requests of rides and seats that rang somebody, and of stops, that were taken back by who asked: `cancels:<passenger>`
-- has when, hub time, the latest last. So many are free; from then on the next request may come a while after the last that
-- was taken back, each time twice as long. So it is with tours that their drivers end at once:
-- `cancels:bus_driver:<driver>`.

local cancels = {}
-- With the pauses doubling, more make no difference.
cancels.kept = 32

function cancels.add(c, who)
    local key = c.p .. 'cancels:' .. who
    redis.call('RPUSH', key, c.iso)
    redis.call('LTRIM', key, -(c.free_cancels + cancels.kept), -1)
    redis.call('EXPIRE', key, c.history_ttl_s)
end

-- What came to nothing is known for 10 minutes, to be answered to who asks again: as often as it comes and goes it would fill
-- Redis.
function cancels.forget(c, key) redis.call('EXPIRE', c.p .. key, math.min(c.history_ttl_s, 600)) end

-- Refuses a request that comes too soon; nil: it may ring somebody. what: has been done too often, if not that.
function cancels.refusal(c, who, what)
    local times = redis.call('LRANGE', c.p .. 'cancels:' .. who, 0, -1)
    local count, last = 0, nil
    for _, at in ipairs(times) do
        if c.now - at < c.cancel_window_ms then count, last = count + 1, tonumber(at) end
    end
    if count == 0 or count < c.free_cancels then return nil end
    local wait = last + math.min(c.cancel_window_ms, c.cancel_pause_ms * 2 ^ (count - c.free_cancels)) - c.now
    if wait <= 0 then return nil end
    return refuse('rate_limited', 'You have ' .. string.format(what or 'taken back %d requests', count)
        .. ' in a short time. Ask again in ' .. math.ceil(wait / 1000) .. ' s.', wait)
end
