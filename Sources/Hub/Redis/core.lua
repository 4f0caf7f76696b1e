-- What every transition stands on: the city's keys, hub time, settings, replies that take effect once, events.
--
-- Every function is called with one key, KEYS[1] = '{city}:settings'. All keys of a city carry its hash tag, so
-- they live in one slot, and the one declared key is enough to route a call in a cluster. Its arguments have names (register).
-- A command's function answers '+' .. JSON of its `ok` object, or '-' .. code .. '\n' .. detail.

local digits, encode = import('json', 'digits', 'encode')
local settings = import('settings', 'settings')
local waking = import('waking', 'waking')
local wishes = import('wishes', 'wishes')

-- Lua's own collector begins to look through all that is kept, which is the whole library each time, as soon as Redis lets it: a
-- sixth of the time of a ride. Redis makes it go on after every 50 calls anyway. So until the heap is larger than this, in KiB, it does so
-- only then, and in small steps (`setstepmul`, percent; 200 is the common one). With more than twice of what lives it had so much to let go
-- at once that a call in five hundred took 0.6 to 5 ms. What lives grows with the library and with what is remembered from call to
-- call: it is about the least that was counted in so many calls, in which the collector goes round several times.
local LEAST_HEAP_KB, MOST_HEAP_KB, OF_WHAT_LIVES, ROUNDS = 3072, 16384, 1.75, 16384
local heap, steps = LEAST_HEAP_KB, 200
local lowest, calls = nil, 0

local function tune_collector()
    local count = collectgarbage('count')
    if not lowest or count < lowest then lowest = count end
    calls = calls + 1
    if calls == ROUNDS then
        heap = math.min(MOST_HEAP_KB, math.max(LEAST_HEAP_KB, lowest * OF_WHAT_LIVES))
        lowest, calls = nil, 0
    end
    local wanted = count < heap and 50 or 200
    if wanted ~= steps then
        collectgarbage('setstepmul', wanted)
        collectgarbage(wanted == 50 and 'stop' or 'restart')
        steps = wanted
    elseif steps == 50 then
        -- Redis' own steps start it again.
        collectgarbage('stop')
    end
end

-- c.p: key prefix, c.pushed, c.shown: see push, c.now: hub time in ms, c.real: machine time in ms, c.<setting>: numbers (settings.lua).
local function context(keys)
    tune_collector()
    local prefix, t = string.sub(keys[1], 1, -9), redis.call('TIME')
    local real = t[1] * 1000 + math.floor(t[2] / 1000)
    local c = setmetatable({ p = prefix, real = real, pushed = {}, shown = {} }, settings(prefix, real))
    c.now = math.floor(c.clock_hub + (c.real - c.clock_real) * c.clock_scale)
    c.now_text = string.format('%d', c.now)
    return c
end

-- A metatable by which what a call is given has names, and how many there must be.
local function signature(name, names)
    local places, least = {}, 0
    for i, argument in ipairs(names) do
        places[string.match(argument, '^[%w_]+') or argument] = i
        if string.match(argument, '^[%w_]+$') then least = least + 1 end
    end
    local by_name = {}
    function by_name.__index(given, argument)
        local place = places[argument]
        if place then return given[place] end
        if type(argument) ~= 'number' then error(name .. ' has no argument ' .. argument) end
    end
    return by_name, least, places['...'] and math.huge or #names
end

-- The pub/sub partition of a hub channel that many may read; Swift computes the same (`Channel.partition`). Those that were asked for
-- are known. People's own channels, and those of vehicles, are one partition, `people`: nil.
local partitions, partition_count = {}, 0

-- By their first letters: `topic:`, `line:`, `city`; `vehicle:`.
local T, L, C, V = 116, 108, 99, 118
-- After `passenger:tel`: one byte tells all others from who telephones.
local COLON = 58

local function partition(channel)
    local first = string.byte(channel)
    if first ~= T and first ~= L and first ~= C then return nil end
    local h = partitions[channel]
    if h then return h end
    h = 0
    for i = 1, #channel do h = (h * 31 + string.byte(channel, i)) % 4294967296 end
    if partition_count >= 20000 then partitions, partition_count = {}, 0 end
    partitions[channel], partition_count = h % 64, partition_count + 1
    return h % 64
end

-- To the workers that read a channel. seq: its place in the channel's history, '' of what is not kept; meta: for the worker
-- alone, never for the client. What goes to people is gathered and published together at the end of the call, vehicles last: who is
-- told of one may follow it from then on.
local function push(c, channel, seq, type, meta, data)
    local now = c.now_text
    -- One string: each that is made on the way is copied, looked up and collected.
    local record = digits(#channel + #seq + #type + #now + #meta + #data + 5) .. '\n' .. channel .. '\n' .. seq .. '\n' .. type .. '\n' .. now
        .. '\n' .. meta .. '\n' .. data
    local number = partition(channel)
    if number then
        redis.call('PUBLISH', c.p .. 'push:' .. number, record)
        return
    end
    local gathered = string.byte(channel) == V and c.shown or c.pushed
    gathered[#gathered + 1] = record
end

-- What a worker has made for those who watch a vehicle, as it would publish it by itself ('' = nothing): it goes with what else is told.
local function pass_on(c, record)
    if record and record ~= '' then c.shown[#c.shown + 1] = record end
end

-- A message of a partition: records, each after its length in bytes and a line break (`Push.each` in Swift reads them).
local function publish(c)
    if #c.pushed + #c.shown == 0 then return end
    redis.call('PUBLISH', c.p .. 'push:people', table.concat(c.pushed) .. table.concat(c.shown))
end

-- Makes a Redis function. body: is given the context, and the arguments as given.<name>. names: of the arguments in the order in
-- which they come; Swift writes them at each call, and tools/check compares. 'x?' may be left out; after '...' come any number
-- more, as given[i]. The rest of Lua is not there yet while a library is loaded: hence at the first call.
local register_function = register
local function register(name, names, body, flags)
    local by_name, least, most
    register_function(name, function(keys, argv)
        if not by_name then by_name, least, most = signature(name, names) end
        if #argv < least or #argv > most then
            error(name .. ' takes ' .. table.concat(names, ', ') .. '; it was given ' .. #argv .. ' arguments', 0)
        end
        local c = context(keys)
        local is_good, answer = pcall(body, c, setmetatable(argv, by_name))
        -- What was written is told, whatever became of the rest.
        publish(c)
        if not is_good then error(answer, 0) end
        return answer
    end, flags)
end

local function hash(key)
    local flat, fields = redis.call('HGETALL', key), {}
    for i = 1, #flat, 2 do fields[flat[i]] = flat[i + 1] end
    return fields
end

local function vehicle(c, driver) return hash(c.p .. 'vehicle:' .. driver) end
-- What a command is given is text where it is often called: Redis prints a number of Lua's with all its digits, which takes longer than the rest.
local function set_vehicle(c, driver, ...) redis.call('HSET', c.p .. 'vehicle:' .. driver, ...) end
local function clear_vehicle(c, driver, ...) redis.call('HDEL', c.p .. 'vehicle:' .. driver, ...) end
-- The place that `lose` and `go_offline` keep for a driver. The caller may clear more with it.
local function forget_place(c, driver, ...) clear_vehicle(c, driver, 'lost_zone', 'lost_score', 'lost_until', 'lost_why', ...) end
local function is_minibus(v) return v.kind == 'minibus' end
-- Some fields of a hash by their names: a third of what the whole one costs.
local function pick(key, names)
    local values, fields = redis.call('HMGET', key, unpack(names)), {}
    for i = 1, #names do fields[names[i]] = values[i] or nil end
    return fields
end

-- names: those of its fields that are needed; nil: all.
local function load_ride(c, ride, names)
    if names then return pick(c.p .. 'ride:' .. ride, names) end
    return hash(c.p .. 'ride:' .. ride)
end
local function set_ride(c, ride, ...) redis.call('HSET', c.p .. 'ride:' .. ride, ...) end

-- Keys that end so long after they were written last, or up to an eighth later: until then no EXPIRE is needed. By key, in
-- machine time, as this process of Redis knows; when it knows of many, it forgets all and begins anew.
local due, due_count = {}, 0

local function keep(c, key, ttl_s)
    local left = (due[key] or 0) - c.real
    if left > 0 and left <= ttl_s * 125 then return end
    redis.call('EXPIRE', key, string.format('%d', math.ceil(ttl_s * 1.125)))
    if due_count >= 20000 then due, due_count = {}, 0 end
    due[key], due_count = c.real + ttl_s * 125, due_count + 1
end

-- A key may be gone, or go with its last field: one that comes anew ends anew.
local function unkeep(key) due[key] = nil end

local function ok(fields) return '+' .. encode(fields) end
-- after: in how many ms the same may be tried again, where that is known.
local function refuse(code, detail, after)
    return '-' .. code .. (after and string.format(' %.0f', after) or '') .. '\n' .. detail
end

-- A command with a key takes effect once: the reply is kept and given again. What was refused has changed nothing and is not
-- kept, so the same key may try again. `done:<role>:<subject>` has the latest replies of a subject by key, each as
-- `<when, machine ms> <command>\n<reply>`; and by '', which is no key, how many they are, of how many bytes, and whether there are
-- older ones. When they are `idempotency_keys`, or too large, they become the older ones, `done2:<role>:<subject>`, at once; those that
-- were are let go by another thread of Redis.
local REPLIES_BYTES = 524288

local function once(c, command, who, key, body)
    if key == '' then return body() end
    local replies, older = c.p .. 'done:' .. who, c.p .. 'done2:' .. who
    local known = redis.call('HMGET', replies, key, '')
    local count, bytes, has_older = string.match(known[2] or '0', '^(%d+) ?(%d*) ?(1?)$')
    local done = known[1] or has_older == '1' and redis.call('HGET', older, key)
    if done then
        local at, used, reply = string.match(done, '^(%d+) ([^\n]*)\n(.*)$')
        if c.real - at < c.idempotency_ttl_s * 1000 then
            if used == command then return reply end
            return refuse('bad_message', 'field `key`: it was used for ' .. used .. '; take a new one for each command')
        end
    end
    local reply = body()
    if string.sub(reply, 1, 1) ~= '+' then return reply end
    done = string.format('%d ', c.real) .. command .. '\n' .. reply
    local size = #key + #done
    count, bytes = count + 1, (tonumber(bytes) or 0) + size
    if count > 1 and (count > c.idempotency_keys or bytes > REPLIES_BYTES) then
        redis.call('UNLINK', older)
        redis.call('RENAME', replies, older)
        count, bytes, has_older, due[replies] = 1, size, '1', nil
    end
    redis.call('HSET', replies, key, done, '', string.format('%d %d ', count, bytes) .. has_older)
    keep(c, replies, c.idempotency_ttl_s)
    return reply
end

-- Where a history begins that has no entry yet. It is not kept, as anybody may ask for it: it comes before all that can follow,
-- and its number, which no entry has, tells it from theirs.
local BEGINNING = '-4294967295'

local function beginning(c) return string.format('%.0f', c.real - 1) .. BEGINNING end

-- Whether a place is such a beginning and all that came since is still there: nothing was dropped, and it is too young for a
-- history to have come and gone since.
local function is_beginning(c, key, place)
    local ms = tonumber(string.match(place, '^(%d+)%' .. BEGINNING .. '$'))
    if not ms or ms > c.real or c.real - ms > c.history_ttl_s * 1000 then return false end
    if redis.call('EXISTS', key) == 0 then return true end
    local info, fields = redis.call('XINFO', 'STREAM', key), {}
    for i = 1, #info, 2 do fields[info[i]] = info[i + 1] end
    return fields['entries-added'] == fields.length
end

-- Entries older than `kept_s` go, so many at once at most: they tell where people were. Answers how many there were.
local function drop_old(c, key, most)
    local before = string.format('%.0f', c.real - c.kept_s * 1000)
    local old = redis.call('XRANGE', key, '-', '(' .. before, 'COUNT', most)
    if #old == 0 then return 0 end
    local ms, number = string.match(old[#old][1], '^(%d+)%-(%d+)$')
    return redis.call('XTRIM', key, 'MINID', ms .. '-' .. string.format('%.0f', number + 1))
end

-- What `office` is told of an event of somebody who telephones.
local CALLER_FACTS = { 'ride', 'booking', 'request', 'taxi', 'vehicle', 'bus', 'line', 'zone', 'at', 'answer_by', 'eta_s', 'distance_m', 'by',
    'reason', 'code', 'detail', 'text', 'card', 'reservation', 'local', 'minutes' }

local function for_office(c, channel, type, json)
    local data, held = cjson.decode(json), redis.call('HMGET', c.p .. channel, 'name', 'number')
    local told = { passenger = string.sub(channel, 11), name = held[1] or nil, number = held[2] or nil, event = type }
    for _, fact in ipairs(CALLER_FACTS) do
        if data[fact] ~= cjson.null then told[fact] = data[fact] end
    end
    return cjson.encode(told)
end

-- To a stream, which is shortened to `length` entries now and then: told each time, that would be a fifth of what an entry costs.
local function append(c, key, length, type, json, recorded)
    if c.real % 16 == 0 then redis.call('XTRIM', key, 'MAXLEN', '~', length) end
    if recorded then return redis.call('XADD', key, '*', 'type', type, 'time', c.now_text, 'data', json, 'recorded', recorded) end
    return redis.call('XADD', key, '*', 'type', type, 'time', c.now_text, 'data', json)
end

-- History and push in one step, so that they can't disagree. meta: see push();
-- pushed: what goes to those who read now, where it is more than what is kept. Answers the event's place in the history.
local tell_json
function tell_json(c, channel, type, json, meta, pushed)
    local key = c.p .. 'ch:' .. channel
    local id = append(c, key, c.history_length_text, type, json)
    keep(c, key, c.history_ttl_s)
    -- Looked at now and then: a history of days has hundreds of entries, and few of them are due.
    if c.real % 16 == 0 then drop_old(c, key, 100) end
    push(c, channel, id, type, meta or '', pushed or json)
    -- The office tells by voice who has no app (callers.lua).
    if string.byte(channel, 14) == COLON and string.find(channel, '^passenger:tel:') then
        tell_json(c, 'office', 'caller.told', for_office(c, channel, type, json))
    end
    return id
end

-- now: fields that only those are told who read now; the history is spared them. Answers the event's place in the history; nil: it is not
-- wanted, and only informs.
local function tell(c, channel, kind, data, meta, now)
    local is_unwanted, wakes = wishes.are_against(c, channel, kind)
    if is_unwanted then
        if wishes.informs[kind] then return nil end
        if type(data) == 'string' then data = cjson.decode(data) end
        data.silent = true
    end
    local json, pushed = encode(data), nil
    if now then
        for name, value in pairs(now) do data[name] = value end
        pushed = encode(data)
    end
    local seq = tell_json(c, channel, kind, json, meta, pushed)
    if wakes then waking.wake(c, channel, seq, kind, json) end
    return seq
end

-- The domain event log, in the order in which things happened. Answers the event's place in it. recorded: what the city's records keep besides, and
-- nobody who follows the events is told; nil: nothing.
local function log(c, type, data, recorded)
    return append(c, c.p .. 'events', c.events_length_text, type, encode(data), recorded and cjson.encode(recorded))
end

-- What those are told who watch a vehicle's cell, or the whole city: all there is to show of it, in one line
-- (`FeedLine` in Domain reads it). `cell` is where it was shown last; nothing is shown before the first position.
local FEED = { 'lat', 'lon', 'heading', 'at', 'heard', 'state', 'kind', 'seats', 'route', 'cell', 'watched', 'along' }

local function or_dash(value) return value and value ~= '' and value or '-' end

-- f: the values of FEED
local function feed_line(c, driver, f)
    -- Hub time was set back: a board that is told of a time ahead would take none of the next.
    if f[5] and tonumber(f[5]) > c.now then f[5] = c.now_text end
    return table.concat({ 'V', driver, f[1], f[2], or_dash(f[3]), f[4], f[5], f[6] or 'unavailable', f[7] or 'taxi',
        or_dash(f[8]), or_dash(f[9]), f[12] or nil }, ' ')
end

-- To the workers whose clients watch this one vehicle, wherever it goes: `watched` is until when, in machine time.
local function tell_watchers(c, driver, line, watched)
    if not watched or tonumber(watched) < c.real then return end
    push(c, 'vehicle:' .. driver, '', 'record', '', line)
end

-- Of a vehicle that is new: who watched for it before there was one goes on watching it.
local function take_up_awaited(c, driver)
    local till = redis.call('ZSCORE', c.p .. 'awaited', driver)
    if not till then return end
    set_vehicle(c, driver, 'watched', string.format('%.0f', till))
    redis.call('ZREM', c.p .. 'awaited', driver)
end

-- Feeds of vehicles that nobody follows: until when (ms of machine time) nothing is published there. A follower says that it has come
-- by reading the feed (feed.lua), after it has subscribed; one that does so by another version of the hub misses changes for so long.
local UNFOLLOWED_MS = 1000
local unfollowed = {}

local function is_followed(c, feed)
    local till = unfollowed[c.p .. feed]
    if not till then return true end
    if c.real < till then return false end
    unfollowed[c.p .. feed] = nil
    return true
end

-- feed: a cell, or `city`.
local function show_in(c, feed, lines)
    if is_followed(c, feed) and redis.call('PUBLISH', c.p .. 'feed:' .. feed, lines) == 0 then
        unfollowed[c.p .. feed] = c.real + UNFOLLOWED_MS
    end
end

local function follow(c, feed) unfollowed[c.p .. feed] = nil end

-- After a change of anything but the position, which is shown by the batch (presence.lua). v: the vehicle as it is now, if it
-- has been read.
local function show(c, driver, v)
    local f = {}
    if v then
        for i = 1, #FEED do f[i] = v[FEED[i]] or false end
    else
        f = redis.call('HMGET', c.p .. 'vehicle:' .. driver, unpack(FEED))
    end
    if not f[10] then return end
    local is_watched = f[11] and tonumber(f[11]) >= c.real
    if not is_watched and not is_followed(c, f[10]) and not is_followed(c, 'city') then return end
    local line = feed_line(c, driver, f)
    show_in(c, f[10], line)
    show_in(c, 'city', line)
    tell_watchers(c, driver, line, f[11])
end

-- v: the vehicle as it was read, and from now on as it is; nil: it was not. Further fields and their values may follow.
local function set_state(c, driver, v, state, ...)
    set_vehicle(c, driver, 'state', state, ...)
    if v then
        v.state = state
        for i = 1, select('#', ...), 2 do
            local name, value = select(i, ...)
            v[name] = tostring(value)
        end
    end
    show(c, driver, v)
end

local function point(lat, lon) return { lat = tonumber(lat), lon = tonumber(lon) } end

return {
    register = register, hash = hash, vehicle = vehicle, set_vehicle = set_vehicle, clear_vehicle = clear_vehicle,
    forget_place = forget_place, is_minibus = is_minibus, load_ride = load_ride, pick = pick, set_ride = set_ride, ok = ok,
    refuse = refuse, once = once, keep = keep, unkeep = unkeep, beginning = beginning, is_beginning = is_beginning, push = push,
    pass_on = pass_on, drop_old = drop_old,
    tell_json = tell_json, tell = tell, log = log, FEED = FEED,
    feed_line = feed_line, tell_watchers = tell_watchers, take_up_awaited = take_up_awaited, show = show,
    set_state = set_state, point = point,
    follow = follow, is_followed = is_followed, show_in = show_in,
}
