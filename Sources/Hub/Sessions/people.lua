-- Who has been here: `people:<role>` has subjects by when they last said hello, ms of machine time.

local cancels = import('limits', 'cancels')
local blocks = import('blocks', 'blocks')

local people = {}

-- Longer than histories are kept, as a connection may last for days.
local KEPT_MS = 7 * 86400 * 1000
-- So long wishes are kept after they were set, or their owner has last said hello, s.
local WISHES_S = 400 * 86400

function people.keep_wishes(c, channel) redis.call('EXPIRE', c.p .. 'wishes:' .. channel, WISHES_S) end

-- The network of a guest, by its mark, as SignIn.swift names it: `guest-<mark>-<who>`. Nil: the subject is no guest's.
function people.guest_network(subject) return string.match(subject, '^guest%-(%x+)%-%w+$') end

function people.came(c, role, subject)
    -- A guest is somebody else tomorrow: it is in no list, and notices are not told to it.
    if people.guest_network(subject) then return end
    local key = c.p .. 'people:' .. role
    redis.call('ZADD', key, c.real, subject)
    -- After a week without the hub all are over at once.
    local over = redis.call('ZRANGE', key, '-inf', c.real - KEPT_MS, 'BYSCORE', 'LIMIT', 0, 100)
    if #over > 0 then redis.call('ZREM', key, unpack(over)) end
    people.keep_wishes(c, role .. ':' .. subject)
end

-- Who is gone: `gone` has drivers, buses without a tour, and others of whom something is kept for a while: passengers with a mark of requests
-- that came to nothing, and passengers and bus drivers who are blocked for a time (`passenger:<id>`, `busdriver:<id>`), seen or not, by when they
-- went or their block ends, ms of machine time. Who has not come back for GONE_MS is forgotten, a vehicle's place on maps with it.
local GONE_MS = 30 * 86400 * 1000

function people.went(c, vehicle) redis.call('ZADD', c.p .. 'gone', c.real, vehicle) end
function people.is_back(c, vehicle) redis.call('ZREM', c.p .. 'gone', vehicle) end
function people.gone_before(c) return c.real - GONE_MS end

-- A block is looked at GONE_MS after its end. people.unblocked() comes sooner.
function people.ends(c, who, till)
    if till ~= '0' then redis.call('ZADD', c.p .. 'gone', 'GT', c.real + tonumber(till) - c.now, who) end
end

-- A block that has ended goes; another one is looked at again.
local function forget_block(c, key, who, mark)
    local till = blocks.till(mark)
    if not till or till == '0' then return end
    if tonumber(till) > c.now then people.ends(c, who, till) else redis.call('HDEL', key, 'blocked') end
end

-- A block by the office has ended, by itself or by hand. holder: the hash that has it. Of whom nothing else is known nothing is kept.
function people.unblocked(c, holder)
    local key = c.p .. holder
    local till = blocks.till(redis.call('HGET', key, 'blocked') or nil)
    if till and till ~= '0' and tonumber(till) <= c.now then redis.call('HDEL', key, 'blocked') end
    -- An earlier version noted there who watches a driver that never came.
    if redis.call('HLEN', key) == 1 then redis.call('HDEL', key, 'watched') end
    if redis.call('EXISTS', key) == 0 then people.is_back(c, (string.gsub(holder, '^vehicle:', ''))) end
end

local function forget_vehicle(c, vehicle)
    people.is_back(c, vehicle)
    local known = redis.call('HMGET', c.p .. 'vehicle:' .. vehicle, 'state', 'cell', 'blocked')
    -- Without a state it never came, or Redis has forgotten that it did.
    if known[1] and known[1] ~= 'unavailable' or redis.call('EXISTS', c.p .. 'bookings:' .. vehicle) == 1 then return end
    if known[2] then redis.call('SREM', c.p .. 'cell:' .. known[2], vehicle) end
    redis.call('ZREM', c.p .. 'pos', vehicle)
    redis.call('HDEL', c.p .. 'ways', vehicle)
    local channel = 'driver:' .. vehicle
    redis.call('DEL', c.p .. 'vehicle:' .. vehicle, c.p .. 'subscriptions:' .. channel)
    -- What the office has said of it stays.
    if known[3] then
        redis.call('HSET', c.p .. 'vehicle:' .. vehicle, 'blocked', known[3])
        forget_block(c, c.p .. 'vehicle:' .. vehicle, vehicle, known[3])
    end
end

function people.forget(c, who)
    local role, id = string.match(who, '^(%a+):(.*)$')
    if not role then return forget_vehicle(c, who) end
    redis.call('ZREM', c.p .. 'gone', who)
    if role == 'passenger' then
        cancels.unmark(c, id)
        -- A number stays no longer, neither as a value nor as the name of a key (reliability.lua, rating.lua).
        if string.find(id, '^tel:') then
            redis.call('HDEL', c.p .. who, 'name', 'number')
            redis.call('DEL', c.p .. 'reliability:' .. who, c.p .. 'rating:' .. who)
        end
    end
    forget_block(c, c.p .. who, who, redis.call('HGET', c.p .. who, 'blocked') or nil)
end

-- Copies some of them to a key, those after `cursor` ('0' = the first). Answers the next cursor, '0' when none is left. Who comes meanwhile
-- may be copied or not; who is there is, and counts once.
local COPIED = 500

function people.copy(c, role, key, cursor)
    local found = redis.call('ZSCAN', c.p .. 'people:' .. role, cursor, 'COUNT', COPIED)
    local pairs_of = {}
    for i = 1, #found[2], 2 do
        pairs_of[#pairs_of + 1], pairs_of[#pairs_of + 2] = found[2][i + 1], found[2][i]
        -- Redis takes no more arguments than fit on Lua's stack; a small set comes whole.
        if #pairs_of >= 2000 or i + 2 > #found[2] then
            redis.call('ZADD', key, unpack(pairs_of))
            pairs_of = {}
        end
    end
    return found[1]
end

function people.count(c, role) return redis.call('ZCARD', c.p .. 'people:' .. role) end

return { people = people }
