-- The city's log, for those who follow it by pages: where a reading begins, and whether something before it is gone.

local beginning, is_beginning, register = import('core', 'beginning', 'is_beginning', 'register')

-- Before every entry: who reads from there is given the oldest entry first.
local OLDEST = '0-0'

-- Whether entries were dropped since this stream is there.
local function was_shortened(key)
    local info, fields = redis.call('XINFO', 'STREAM', key), {}
    for i = 1, #info, 2 do fields[info[i]] = info[i + 1] end
    return fields['entries-added'] ~= fields.length
end

-- The place just before a time, hub ms: no entry has this number. A time to come is now.
local function place_of(c, at)
    local real = math.min(c.real, c.clock_real + (at - c.clock_hub) / c.clock_scale)
    return string.format('%.0f-4294967295', math.max(0, math.floor(real) - 1))
end

-- Whether the place is one from which nothing is missing.
local function is_whole(c, key, since, is_time)
    if since == OLDEST then return true end
    if #redis.call('XRANGE', key, since, since) > 0 or is_beginning(c, key, since) then return true end
    if not is_time or redis.call('EXISTS', key) == 0 then return is_time end
    return #redis.call('XRANGE', key, '-', '(' .. since, 'COUNT', 1) > 0 or not was_shortened(key)
end

-- events_read: since ('' = from now on; 0-0 = from the oldest; <ms> = from a time of the hub's clock; a seq = after it), how many entries
-- at most. Answers {after which place the entries are, 1 if some that should follow `since` are gone, the entries}. Fewer than asked for:
-- there are no more. Who is told of a gap is given what is left.
register('events_read', { 'since', 'count' }, function(c, given)
    local key, since = c.p .. 'events', given.since
    local last = redis.call('XREVRANGE', key, '+', '-', 'COUNT', 1)[1]
    local newest = last and last[1] or beginning(c)
    if since == '' then return { newest, 0, {} } end
    local is_time = string.match(since, '^%d+$') ~= nil
    if is_time then since = place_of(c, tonumber(since)) end
    local gap = is_whole(c, key, since, is_time) and 0 or 1
    local entries = redis.call('XRANGE', key, '(' .. since, '+', 'COUNT', given.count)
    -- From a beginning on nothing has come: it stays the place.
    if #entries == 0 and (last or gap == 1 or since == OLDEST or is_time) then since = newest end
    return { since, gap, entries }
end, { 'no-writes' })
