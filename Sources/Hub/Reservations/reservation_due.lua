-- When each open reservation is looked at next, hub ms. `reservation-due` has those of which something is to be told, or whose search is to
-- begin; `reservation-waits` those whose search is due and can't begin yet. These are read last, so they keep no other waiting, however
-- many they are. `reserved:<operator>` has the open ones that an operator made for callers, by when they meet.

local due = {}

-- Looked at by one sweep; while there are more the next one comes within 100 ms. Each may begin a search, which is half a millisecond.
local BATCH = 10
-- So much later is tried again what failed to be looked at, and a search that waits for its passenger; and so long after its end a search is
-- looked at that should be over.
local AGAIN_MS = 30000
-- For callers of one operator, within half an hour before or after one another: all of them come due at about the same time, and what others
-- reserved for that time waits until a sweep has looked at them.
local MOST_OF_OPERATOR, ABOUT_MS = 500, 1800000

local function put(key, id, at)
    if at then redis.call('ZADD', key, string.format('%.0f', at), id) else redis.call('ZREM', key, id) end
end

-- at: nil or false if time alone brings nothing about any more. is_waiting: its search is due and can't begin.
function due.set(c, id, at, is_waiting)
    put(c.p .. 'reservation-due', id, not is_waiting and at)
    put(c.p .. 'reservation-waits', id, is_waiting and at)
end

-- v: a reservation that is made; its time is a number.
function due.add(c, id, v, at)
    if v.operator then redis.call('ZADD', c.p .. 'reserved:' .. v.operator, string.format('%.0f', v.at), id) end
    due.set(c, id, at)
end

-- v: one that is over.
function due.remove(c, id, v)
    if v.operator then redis.call('ZREM', c.p .. 'reserved:' .. v.operator, id) end
    due.set(c, id)
end

-- Why an operator can't reserve for one more caller at a time; nil: it can.
function due.full_of(c, operator, at)
    local from, to = string.format('%.0f', at - ABOUT_MS), string.format('%.0f', at + ABOUT_MS)
    if redis.call('ZCOUNT', c.p .. 'reserved:' .. operator, from, to) < MOST_OF_OPERATOR then return end
    return 'You have reserved for ' .. MOST_OF_OPERATOR .. ' callers within half an hour of that time, which is the most of one operator. '
        .. 'Choose another time, or cancel one of those first.'
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
