-- Workers: whose a session is, and which of them live. `workers` has by each when it swept last, machine ms (sweep.lua writes it).

local workers = {}

-- The worker of a session, by its name.
function workers.of(session) return string.match(session, '^(.*)%.') or session end

function workers.is_alive(c, worker) return redis.call('ZSCORE', c.p .. 'workers', worker) and true or false end

return { workers = workers }
