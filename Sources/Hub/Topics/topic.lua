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

-- What follows a place (`from`), up to about so many bytes.
local function page(key, from, bytes)
    local entries, size = {}, 0
    repeat
        local some = redis.call('XRANGE', key, '(' .. from, '+', 'COUNT', 32)
        for _, entry in ipairs(some) do
            entries[#entries + 1] = entry
            size = size + 100
            for _, field in ipairs(entry[2]) do size = size + #field end
        end
        from = #some > 0 and some[#some][1]
    until #some < 32 or size >= bytes
    return entries
end

-- topic_read: channel, how many bytes of entries about, then places in its history, oldest first: where readers of one
-- worker stand. Answers {where the history ends, per place 1 or 0: whether its entry is still there (see `missed` in presence), the
-- entries after the oldest place that is}. One call for all readers, wherever they stand.
register('topic_read', { 'channel', 'bytes', '...' }, function(c, given)
    local channel = given.channel
    local key = c.p .. 'ch:' .. channel
    local there, oldest, latest = {}, nil, nil
    for i = 3, #given do
        local is_there = given[i] == OLDEST or #redis.call('XRANGE', key, given[i], given[i]) > 0 or is_beginning(c, key, given[i])
        there[i - 2] = is_there and 1 or 0
        if is_there then oldest, latest = oldest or given[i], given[i] end
    end
    local entry = redis.call('XREVRANGE', key, '+', '-', 'COUNT', 1)[1]
    local last = entry and entry[1] or latest or beginning(c)
    return { last, there, oldest and page(key, oldest, tonumber(given.bytes)) or {} }
end, { 'no-writes' })
