-- When each open reservation is looked at next, hub ms. `reservation-due` has those of which something is to be told, or whose search is to
-- begin; `reservation-waits` those whose search is due and can't begin yet. These are read last, so they keep no other waiting, however
-- many they are.

local due = {}

-- Looked at by one sweep; while there are more the next one comes within 100 ms. Each may begin a search, which is half a millisecond.
local BATCH = 10
-- What failed to be looked at is tried again so much later.
local AGAIN_MS = 30000

local function put(key, id, at)
    if at then redis.call('ZADD', key, string.format('%.0f', at), id) else redis.call('ZREM', key, id) end
end

-- at: nil or false if time alone brings nothing about any more. is_waiting: its search is due and can't begin.
function due.set(c, id, at, is_waiting)
    put(c.p .. 'reservation-due', id, not is_waiting and at)
    put(c.p .. 'reservation-waits', id, is_waiting and at)
end

-- What is due, of all reservations: two commands while nothing is. look: is given the id of each. One that can't be looked at is tried again,
-- and keeps nobody waiting. Answers whether there may be more.
function due.fall_due(c, look)
    local left = BATCH
    for _, key in ipairs({ c.p .. 'reservation-due', c.p .. 'reservation-waits' }) do
        local found = left > 0 and redis.call('ZRANGEBYSCORE', key, '-inf', c.now_text, 'LIMIT', 0, left) or {}
        left = left - #found
        for _, id in ipairs(found) do
            local good, problem = pcall(look, c, id)
            if not good then
                redis.log(redis.LOG_WARNING, 'kerbside: reservation ' .. id .. ': ' .. tostring(problem))
                put(key, id, c.now + AGAIN_MS)
            end
        end
    end
    return left == 0
end

return { AGAIN_MS = AGAIN_MS, due = due }
