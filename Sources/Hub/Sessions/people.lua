-- Who has been here: `people:<role>` has subjects by when they last said hello, ms of machine time.

local people = {}

-- Longer than histories are kept, as a connection may last for days.
local KEPT_MS = 7 * 86400 * 1000

function people.came(c, role, subject)
    local key = c.p .. 'people:' .. role
    redis.call('ZADD', key, c.real, subject)
    redis.call('ZREMRANGEBYSCORE', key, '-inf', c.real - KEPT_MS)
end

-- Copies them to a key, the latest last. Answers how many there are.
function people.copy(c, role, key) return redis.call('ZRANGESTORE', key, c.p .. 'people:' .. role, 0, -1) end

return { people = people }
