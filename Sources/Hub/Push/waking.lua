-- Whom a push wakes (RFC 8030): who has a subscription (subscriptions.lua) and no connection is told by a push service, too. What is told so
-- goes into the stream `wakings`, which one process of all hubs sends from (PushSender.swift).

local workers = import('workers', 'workers')

local waking = {}

-- What somebody away from the page has to know: how urgent it is, and for how long it is of use, s. An offer ends by itself.
local WAKES = {
    ['offer.made'] = { 'high', 60 }, ['seat.requested'] = { 'high', 60 }, ['stop.requested'] = { 'high', 1800 },
    ['ride.accepted'] = { 'high', 900 }, ['seat.confirmed'] = { 'high', 900 }, ['stop.accepted'] = { 'high', 900 },
    ['ride.failed'] = { 'high', 900 }, ['seat.failed'] = { 'high', 900 }, ['seat.declined'] = { 'high', 900 },
    ['stop.declined'] = { 'high', 900 }, ['stop.expired'] = { 'high', 900 },
    ['ride.cancelled'] = { 'high', 900 }, ['seat.cancelled'] = { 'high', 900 }, ['stop.cancelled'] = { 'high', 900 },
    ['ride.near'] = { 'high', 300 }, ['seat.near'] = { 'high', 300 }, ['stop.near'] = { 'high', 300 },
    ['ride.arrived'] = { 'high', 300 }, ['seat.arrived'] = { 'high', 300 }, ['stop.arrived'] = { 'high', 300 },
    ['stop.reminder'] = { 'high', 600 },
    ['reservation.reminder'] = { 'normal', 3600 }, ['reservation.assigned'] = { 'high', 1800 },
    ['reservation.failed'] = { 'high', 3600 },
}
-- Own wishes: nobody is told by a push what they did themselves.
local OWN = { ['passenger:'] = 'passenger', ['driver:'] = 'driver', ['bus_driver:'] = 'driver' }

-- `woken:<channel>` is the place of the last event that was put there: so long it is kept, s. By then a phone that is lost has been missed.
local WOKEN_S = 3600

-- So many wait at most, the oldest go: a push service that is away for an hour has more to send than is of use.
local MOST = '10000'

-- A worker without a hello for so long is none, s.
local AWAKE_S = 90 * 86400
-- Nothing is of use for longer, ms.
local LONGEST_MS = 3600000
-- So many of the latest events of who has lost a connection are looked at.
local LOOKED_AT = 100
-- Of a dead worker so many are looked at in one sweep: 5 ms or so.
local DEAD_BATCH = 100

function waking.wakes(type) return WAKES[type] ~= nil end

-- The living workers with which somebody has connections (limits.lua writes `links:`). One may come twice.
local function workers_of(c, channel)
    local found = {}
    for _, session in ipairs(redis.call('ZRANGE', c.p .. 'links:' .. channel, 0, -1)) do
        local worker = workers.of(session)
        if workers.is_alive(c, worker) then found[#found + 1] = worker end
    end
    return found
end

-- Whether somebody has a connection that lives.
function waking.is_connected(c, channel) return #workers_of(c, channel) > 0 end

local function is_subscribed(c, channel) return redis.call('HEXISTS', c.p .. 'wishes:' .. channel, 'push') == 1 end

-- `awake:<worker>` has the channels with a subscription and a connection there: who would be missed if that worker died. They are noted as a
-- connection comes, or the subscription.
function waking.note(c, channel)
    if c.push_on == 0 or not is_subscribed(c, channel) then return end
    for _, worker in ipairs(workers_of(c, channel)) do
        redis.call('SADD', c.p .. 'awake:' .. worker, channel)
        redis.call('EXPIRE', c.p .. 'awake:' .. worker, AWAKE_S)
    end
end

-- A connection to the worker is gone; there may be another one.
function waking.left(c, channel, worker)
    if c.push_on == 0 or redis.call('SREM', c.p .. 'awake:' .. worker, channel) == 0 then return end
    waking.note(c, channel)
end

-- time: of the event, hub ms; seq: its place in the history, which begins with the machine's ms.
local function add(c, channel, seq, type, time, json)
    local data = cjson.decode(json)
    if data.by and data.by == OWN[string.match(channel, '^[%a_]+:')] then return end
    local kind = WAKES[type]
    local life_ms = math.min(kind[2] * 1000, tonumber(data.expires_in_ms) or math.huge)
    redis.call('XADD', c.p .. 'wakings', 'MAXLEN', '~', MOST, '*', 'channel', channel, 'seq', seq, 'type', type, 'time', time,
        'until', string.format('%.0f', string.match(seq, '^%d+') + life_ms), 'urgency', kind[1], 'data', json)
    redis.call('SET', c.p .. 'woken:' .. channel, seq, 'EX', WOKEN_S)
end

-- An event was told on the channel of somebody who has a subscription. json: of the event, as it is kept.
function waking.wake(c, channel, seq, type, json)
    if c.push_on == 0 or waking.is_connected(c, channel) then return end
    add(c, channel, seq, type, c.now_text, json)
end

-- A connection was lost that had said nothing for up to so long, ms: a phone that fell asleep. What was told meanwhile may not have been seen;
-- each event is put there once, however often a connection is lost.
function waking.missed(c, channel, silent_ms)
    if c.push_on == 0 or not is_subscribed(c, channel) or waking.is_connected(c, channel) then return end
    local from, woken = string.format('%.0f', c.real - math.min(silent_ms, LONGEST_MS)), redis.call('GET', c.p .. 'woken:' .. channel)
    if woken and tonumber(string.match(woken, '^%d+')) >= tonumber(from) then from = '(' .. woken end
    -- The latest ones: of many, the first are of no use any more.
    local told = redis.call('XREVRANGE', c.p .. 'ch:' .. channel, '+', from, 'COUNT', LOOKED_AT)
    for n = #told, 1, -1 do
        local entry, fields = told[n], {}
        for i = 1, #entry[2], 2 do fields[entry[2][i]] = entry[2][i + 1] end
        if WAKES[fields.type] then add(c, channel, entry[1], fields.type, fields.time, fields.data) end
    end
    -- Whatever they are, they are not looked at again: who loses one connection after the other would have all of them read each time.
    if told[1] then redis.call('SET', c.p .. 'woken:' .. channel, told[1][1], 'EX', WOKEN_S) end
end

-- A worker has died, and with it connections of phones that sleep; those that do not have come back meanwhile. Answers whether that were all.
function waking.bury(c, dead, silent_ms)
    local channels = redis.call('SPOP', c.p .. 'awake:' .. dead, DEAD_BATCH)
    for _, channel in ipairs(channels) do waking.missed(c, channel, silent_ms) end
    return #channels < DEAD_BATCH
end

return { waking = waking }
