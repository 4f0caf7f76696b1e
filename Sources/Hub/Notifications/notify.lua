-- What people want to be told (M8): `wishes:<role>:<subject>`, read whenever something is told that may be unwanted (wishes.lua).

local people = import('people', 'people')
local once, register, tell_json = import('core', 'once', 'register', 'tell_json')
local wishes, set_clock = import('wishes', 'wishes', 'set_clock')

-- As it is told; nil if there are no wishes.
local function wishes_of(c, channel)
    local w = wishes.held(c, channel)
    if not w[1] and not w[2] then return nil end
    local told, mute = {}, {}
    for kind in string.gmatch(w[1] or '', '[^,]+') do mute[#mute + 1] = kind end
    if #mute > 0 then told.mute = mute end
    if w[2] then told.quiet = { from = tonumber(w[2]), to = tonumber(w[3]), time_zone = w[4] or nil } end
    return told
end

-- notify_set: channel, kinds that are muted (with commas), quiet from and to in minutes after midnight ('' = never), key,
-- the time zone whose clock is meant ('' = the city's) and what that shows (minute_of_day).
register('notify_set', { 'channel', 'mute', 'quiet_from', 'quiet_to', 'key', 'time_zone', 'clock' }, function(c, given)
    local channel = given.channel
    return once(c, 'notify.set', channel, given.key, function()
        local key = c.p .. 'wishes:' .. channel
        local before = wishes_of(c, channel)
        redis.call('HDEL', key, 'mute', 'from', 'to', 'time_zone')
        if given.mute ~= '' then redis.call('HSET', key, 'mute', given.mute) end
        if given.quiet_from ~= '' then redis.call('HSET', key, 'from', given.quiet_from, 'to', given.quiet_to) end
        if given.time_zone ~= '' then
            redis.call('HSET', key, 'time_zone', given.time_zone)
            set_clock(c, given.time_zone, given.clock)
        end
        people.keep_wishes(c, channel)
        wishes.changed(c, channel)
        local told = wishes_of(c, channel)
        local json = told and cjson.encode(told) or '{}'
        -- The same again is no news.
        if json ~= (before and cjson.encode(before) or '{}') then tell_json(c, channel, 'notify.changed', json) end
        return '+' .. json
    end)
end)

-- notify_clocks: names of time zones, each with what its clock shows now and next. Answers the names of all that wishes
-- go by.
register('notify_clocks', { '...' }, function(c, given)
    for i = 1, #given, 2 do set_clock(c, given[i], given[i + 1]) end
    return redis.call('HKEYS', c.p .. 'clocks')
end)

return { wishes_of = wishes_of }
