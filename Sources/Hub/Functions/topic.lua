-- Shared event channels: `topic:<name>`, read by whoever wants to.

-- publish: ARGV role:subject, channel, type, JSON of the data, key. The data goes through as it came.
register('publish', function(keys, argv)
    local c = context(keys)
    return once(c, 'publish', argv[1], argv[5], function()
        return ok({ seq = tell_json(c, argv[2], argv[3], argv[4]) })
    end)
end)

-- topic: ARGV channel, how many entries at most, then places in its history, oldest first: where readers of one worker
-- stand. Answers {where the history ends, per place 1 or 0: whether its entry is still there (see missed()), the entries
-- after the oldest place that is}. One call for all readers, wherever they stand.
register('topic', function(keys, argv)
    local c, channel = context(keys), argv[1]
    local key, last = c.p .. 'ch:' .. channel, newest(c, channel)
    local there, oldest = {}, nil
    for i = 3, #argv do
        local is_there = #redis.call('XRANGE', key, argv[i], argv[i]) > 0
        there[i - 2] = is_there and 1 or 0
        if is_there and not oldest then oldest = argv[i] end
    end
    return { last, there, oldest and redis.call('XRANGE', key, '(' .. oldest, '+', 'COUNT', argv[2]) or {} }
end)
