-- What each subject has in the histories of topics, so that none fills Redis for all (decision 93).
--
-- `published:<role>:<subject>` has for each of its topics `<at> <count> <bytes> <bytes> …`: when it published there last, machine ms;
-- its latest events there, a quarter of `history_length` at most, and their bytes; those of the four quarters before. What is older has
-- left the history. So what is counted is at most a quarter too much, and never too little.

local keep, refuse = import('core', 'keep', 'refuse')

local publishers = {}

local QUARTERS = 4
-- Measured: a topic without its events, and an event without its type and data.
local TOPIC_BYTES, EVENT_BYTES = 4500, 60
-- Who is refused has its topics looked through so often at most, ms: they may be thousands.
local LOOK_MS = 10000

-- By key, as this process of Redis knows them, as nobody else writes them: `topics` by channel, each with `at`, `count` and `parts`;
-- how many they are, and the `bytes` of all; `used`, machine ms; and when they may be looked through, and when the first goes.
local ledgers = {}

-- How long the key of a history lives after its last event at most (`keep`), ms.
local function life(c) return c.history_ttl_s * 1125 end

local function add_topic(ledger, channel, topic)
    ledger.topics[channel], ledger.count, ledger.bytes = topic, ledger.count + 1, ledger.bytes + TOPIC_BYTES
    for _, bytes in ipairs(topic.parts) do ledger.bytes = ledger.bytes + bytes end
    return topic
end

local function drop_topic(ledger, channel)
    for _, bytes in ipairs(ledger.topics[channel].parts) do ledger.bytes = ledger.bytes - bytes end
    ledger.topics[channel], ledger.count, ledger.bytes = nil, ledger.count - 1, ledger.bytes - TOPIC_BYTES
end

local function read(c, key)
    for other, ledger in pairs(ledgers) do
        if c.real - ledger.used > life(c) then ledgers[other] = nil end
    end
    local ledger, flat = { topics = {}, count = 0, bytes = 0, look_at = 0, goes_at = 0 }, redis.call('HGETALL', key)
    for i = 1, #flat, 2 do
        local numbers = {}
        for number in string.gmatch(flat[i + 1], '%d+') do numbers[#numbers + 1] = tonumber(number) end
        add_topic(ledger, flat[i], { at = numbers[1], count = numbers[2], parts = { unpack(numbers, 3) } })
    end
    ledgers[key] = ledger
    return ledger
end

-- Leaves out the topics that are gone.
local function look_through(c, key, ledger)
    ledger.look_at, ledger.goes_at = c.real + LOOK_MS, math.huge
    for channel, topic in pairs(ledger.topics) do
        local goes_at = topic.at + life(c)
        if goes_at < c.real then
            drop_topic(ledger, channel)
            redis.call('HDEL', key, channel)
        else
            ledger.goes_at = math.min(ledger.goes_at, goes_at)
        end
    end
end

-- Why there is no room for so many bytes more; nil: there is.
local function excess(c, ledger, channel, bytes)
    if not ledger.topics[channel] then
        if ledger.count >= c.max_topics then
            return 'You have events in ' .. ledger.count .. ' topics, as many as one may (redis.max_topics_per_subject).'
        end
        bytes = bytes + TOPIC_BYTES
    end
    if ledger.bytes + bytes <= c.max_topic_bytes then return nil end
    return string.format('Your events in %d topics take %.1f MiB, as much as they may (redis.max_topic_mb_per_subject).', ledger.count,
        ledger.bytes / 1048576)
end

local function refusal(c, key, ledger, channel, bytes)
    local why = excess(c, ledger, channel, bytes)
    if why and c.real >= ledger.look_at then
        look_through(c, key, ledger)
        why = excess(c, ledger, channel, bytes)
    end
    if not why then return nil end
    local left = ledger.count > 0 and math.max(1000, ledger.goes_at - c.real) or life(c)
    return refuse('rate_limited', why .. ' One of them is gone in ' .. math.ceil(left / 60000) .. ' minutes if nothing comes to it.', left)
end

-- Of what has been published there the oldest quarter is no longer in the history.
local function begin_quarter(ledger, topic)
    topic.count, topic.before = 0, nil
    table.insert(topic.parts, 1, 0)
    while #topic.parts > 1 + QUARTERS do ledger.bytes = ledger.bytes - table.remove(topic.parts) end
end

-- The subject publishes so many bytes. Answers a refusal; nil: they are counted. sender: role:subject.
function publishers.count(c, sender, channel, bytes)
    local key = c.p .. 'published:' .. sender
    local ledger = ledgers[key] or read(c, key)
    ledger.used, bytes = c.real, bytes + EVENT_BYTES
    local topic = ledger.topics[channel]
    if topic and topic.count >= math.ceil(c.history_length / QUARTERS) then begin_quarter(ledger, topic) end
    local refused = refusal(c, key, ledger, channel, bytes)
    if refused then return refused end
    topic = ledger.topics[channel] or add_topic(ledger, channel, { count = 0, parts = { 0 } })
    topic.at, topic.count, topic.parts[1], ledger.bytes = c.real, topic.count + 1, topic.parts[1] + bytes, ledger.bytes + bytes
    topic.before = topic.before or table.concat(topic.parts, ' ', 2)
    redis.call('HSET', key, channel, string.format('%.0f %d %.0f %s', topic.at, topic.count, topic.parts[1], topic.before))
    keep(c, key, life(c) / 1000)
    return nil
end

return { publishers = publishers }
