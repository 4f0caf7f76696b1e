-- Shared event channels: `topic:<name>`, read by whoever wants to.

local beginning, is_beginning, ok, once, register = import('core', 'beginning', 'is_beginning', 'ok', 'once', 'register')
local tell_json = import('core', 'tell_json')
local publishers = import('publisher', 'publishers')

-- topic_publish: role:subject, channel, type, JSON of the data, key. The data goes through as it came.
register('topic_publish', { 'sender', 'channel', 'type', 'data', 'key' }, function(c, given)
    return once(c, 'publish', given.sender, given.key, function()
        local refusal = publishers.count(c, given.sender, given.channel, #given.type + #given.data)
        if refusal then return refusal end
        return ok({ seq = tell_json(c, given.channel, given.type, given.data) })
    end)
end)

-- The place before everything that is kept: who reads from there is given the oldest entry first, whatever was dropped before.
local OLDEST = '0-0'

-- So many entries a function gives at most, as each costs it five times what XRANGE takes: the worker reads those that follow.
local FIRST = 16

-- topic_read: channel, then places in its history, oldest first: where readers of one worker stand. Answers {where the history ends, per place 1
-- or 0: whether its entry is still there (see `missed` in presence), the first entries after the oldest place that is}. One call for all
-- readers, wherever they stand.
register('topic_read', { 'channel', '...' }, function(c, given)
    local channel = given.channel
    local key = c.p .. 'ch:' .. channel
    local there, oldest, latest = {}, nil, nil
    for i = 2, #given do
        local is_there = given[i] == OLDEST or #redis.call('XRANGE', key, given[i], given[i]) > 0 or is_beginning(c, key, given[i])
        there[i - 1] = is_there and 1 or 0
        if is_there then oldest, latest = oldest or given[i], given[i] end
    end
    local entry = redis.call('XREVRANGE', key, '+', '-', 'COUNT', 1)[1]
    local last = entry and entry[1] or latest or beginning(c)
    return { last, there, oldest and redis.call('XRANGE', key, '(' .. oldest, '+', 'COUNT', FIRST) or {} }
end, { 'no-writes' })
