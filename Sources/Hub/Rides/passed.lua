-- Who waits first and is passed over: its vehicle has too few seats for the party, or lacks what the ride needs. It keeps its place, and who comes
-- behind it is asked. `passed` of its vehicle counts that, `<its arrival number> <how often>`, so it counts anew with each place in a
-- queue. Who was passed over `STARVING` times stands in `starving`, by when that was, until it is asked or has left.

local log = import('core', 'log')

local passed = {}

local STARVING = 5
-- So many are looked at in one sweep.
local BATCH = 100

local function counted(score, text)
    local at, count = string.match(text or '', '^(%S+) (%d+)$')
    return score and at == score and tonumber(count) or 0
end

-- A ride of the zone goes to somebody behind this driver.
function passed.over(c, zone, driver)
    local key = c.p .. 'vehicle:' .. driver
    local known = redis.call('HMGET', key, 'score', 'passed')
    if not known[1] then return end
    local count = counted(known[1], known[2]) + 1
    redis.call('HSET', key, 'passed', known[1] .. ' ' .. string.format('%d', count))
    if count % STARVING ~= 0 then return end
    redis.call('ZADD', c.p .. 'starving', 'NX', c.now_text, driver)
    log(c, 'queue.passed_over', { driver = driver, zone = zone, times = count })
end

-- How many starve now; who does no more is forgotten.
function passed.starving(c)
    local count = 0
    for _, driver in ipairs(redis.call('ZRANGE', c.p .. 'starving', '0', BATCH - 1)) do
        local v = redis.call('HMGET', c.p .. 'vehicle:' .. driver, 'score', 'passed', 'state', 'offer')
        if v[3] == 'available' and not v[4] and counted(v[1], v[2]) >= STARVING then
            count = count + 1
        else
            redis.call('ZREM', c.p .. 'starving', driver)
        end
    end
    return count
end

return { passed = passed }
