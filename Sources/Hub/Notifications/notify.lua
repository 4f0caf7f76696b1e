-- What people want to be told (M8): `wishes:<role>:<subject>`, read whenever something is told that may be unwanted (core.lua).

local context, once, set_clock, tell_json = import('core', 'context', 'once', 'set_clock', 'tell_json')

-- As it is told; nil if there are no wishes.
local function wishes_of(c, channel)
    local w = redis.call('HMGET', c.p .. 'wishes:' .. channel, 'mute', 'from', 'to', 'time_zone')
    if not w[1] and not w[2] then return nil end
    local told, mute = {}, {}
    for kind in string.gmatch(w[1] or '', '[^,]+') do mute[#mute + 1] = kind end
    if #mute > 0 then told.mute = mute end
    if w[2] then told.quiet = { from = tonumber(w[2]), to = tonumber(w[3]), time_zone = w[4] or nil } end
    return told
end

-- notify_set: ARGV channel, kinds that are muted (with commas), quiet from and to in minutes after midnight ('' = never), key,
-- the time zone whose clock is meant ('' = the city's) and what that shows (minute_of_day).
register('notify_set', function(keys, argv)
    local c, channel = context(keys), argv[1]
    return once(c, 'notify.set', channel, argv[5], function()
        local key = c.p .. 'wishes:' .. channel
        local before = wishes_of(c, channel)
        redis.call('DEL', key)
        if argv[2] ~= '' then redis.call('HSET', key, 'mute', argv[2]) end
        if argv[3] ~= '' then redis.call('HSET', key, 'from', argv[3], 'to', argv[4]) end
        if (argv[6] or '') ~= '' then
            redis.call('HSET', key, 'time_zone', argv[6])
            set_clock(c, argv[6], argv[7])
        end
        local told = wishes_of(c, channel)
        local json = told and cjson.encode(told) or '{}'
        -- The same again is no news.
        if json ~= (before and cjson.encode(before) or '{}') then tell_json(c, channel, 'notify.changed', json) end
        return '+' .. json
    end)
end)

-- notify_clocks: ARGV names of time zones, each with what its clock shows now and next. Answers the names of all that wishes
-- go by.
register('notify_clocks', function(keys, argv)
    local c = context(keys)
    for i = 1, #argv, 2 do set_clock(c, argv[i], argv[i + 1]) end
    return redis.call('HKEYS', c.p .. 'clocks')
end)

return { wishes_of = wishes_of }
