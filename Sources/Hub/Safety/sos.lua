-- Alarms. `sos:<id>` is all there is to know of one. `sos` has those that are open by when they ring next, ms of machine time (inf: a
-- person has acknowledged it); `sos-of` by <role>:<subject> which one is theirs; `sos-closed` those that are over, by when they were closed.
-- Operators are told on the channel `office`. It is real people who wait, so it rings by machine time, whatever hub time does.
-- Neither full memory nor a block keeps anybody from raising one: each person has one at most. `sos-new:<role>:<subject>` counts those that a
-- person has begun in an hour: beyond `NEW` its last one is opened again.

local hash, load_ride, log, ok, once, pick = import('core', 'hash', 'load_ride', 'log', 'ok', 'once', 'pick')
local refuse, register, tell = import('core', 'refuse', 'register', 'tell')
local workers = import('workers', 'workers')
local cancels = import('limits', 'cancels')
local audit = import('audit', 'audit')
local portions = import('portions', 'portions')

local alarms = {}

-- Each wait is half as long again as the one before, up to this; ms.
local LONGEST_MS = 60000
-- So often in a minute what a person sends is told to the operators.
local PRESSES = 6
-- So many alarms of one person in an hour are new ones: each is kept for `safety_kept_s`, and operators may close them as fast as they come.
local NEW = 6
-- What was opened again more often than `PRESSES` rings so much later, ms. Until then nobody was told.
local QUIET_MS = 1000
-- In an answer. Of those that are over so many are listed.
local MOST = 100
local MOST_CLOSED = 1000
-- Rung by one sweep; the next one comes within 100 ms.
local BATCH = 50
-- A worker's journal keeps the files of yesterday and today in any case, and the line that closes an alarm may be missing there: so long at
-- least it is known that it was closed, s. The journal counts on that (leastKnownDays of AlarmJournal.swift).
local JOURNAL_S = 3 * 86400

local function key_of(c, id) return c.p .. 'sos:' .. id end

local function act(by, at, note) return by and { by = by, at = tonumber(at), note = note } or nil end

local function state_of(f) return f.closed_at and 'closed' or f.seen_at and 'acknowledged' or 'open' end

-- As operators see it. Its next ring is the first if it was opened again and nobody was told yet; the contract counts from 1.
local function shown(id, f)
    return {
        sos = id, state = state_of(f), role = f.role, subject = f.subject, at = tonumber(f.at), rings = math.max(1, f.rings),
        presses = tonumber(f.presses), text = f.text, position_of = f.position_of, ride = f.ride, booking = f.booking, tour = f.tour,
        position = f.lat and { lat = tonumber(f.lat), lon = tonumber(f.lon), at = tonumber(f.measured) } or nil,
        line = f.line, vehicle = f.vehicle, driver = f.driver, passenger = f.passenger, cancelled = tonumber(f.cancelled),
        acknowledged = act(f.seen_by, f.seen_at, f.seen_note), closed = act(f.closed_by, f.closed_at, f.closed_note),
    }
end

-- Connections that read `office`, by worker, without those of workers that are dead.
local function watching(c)
    local flat, count = redis.call('HGETALL', c.p .. 'watching'), 0
    for i = 1, #flat, 2 do
        if workers.is_alive(c, flat[i]) then count = count + flat[i + 1] end
    end
    return count
end

-- What its sender is told. again: how often it was opened again, of an answer from which the worker takes that for its journal (Safety.swift).
local function own(c, id, f, again)
    return ok({ sos = id, state = state_of(f), cancelled = f.cancelled ~= nil, watching = watching(c), again = tonumber(again) })
end

-- A ride or booking that is, or was, this one's: what is known of both sides of it.
local function trip_of(c, role, subject, id)
    local r = load_ride(c, id, { 'passenger', 'driver' })
    if r[role] == subject then return { ride = id, passenger = r.passenger, driver = r.driver, vehicle = r.driver } end
    local b = pick(c.p .. 'booking:' .. id, { 'passenger', 'driver' })
    if b[role] == subject then return { booking = id, passenger = b.passenger, driver = b.driver, vehicle = b.driver } end
    return nil
end

-- What the sender is on. ride: as it was sent ('' = none); it counts only if it is the sender's.
local function trip(c, role, subject, ride)
    if role == 'bus_driver' then
        local tour = redis.call('HGET', c.p .. 'busdriver:' .. subject, 'tour')
        local t = tour and pick(c.p .. 'tour:' .. tour, { 'bus', 'line' }) or {}
        return { tour = tour or nil, line = t.line, vehicle = t.bus, driver = subject }
    end
    local open = role == 'driver' and pick(c.p .. 'vehicle:' .. subject, { 'ride' })
        or pick(c.p .. 'passenger:' .. subject, { 'ride', 'booking' })
    local found = ride ~= '' and trip_of(c, role, subject, ride) or nil
    for _, id in ipairs({ open.ride or '', open.booking or '' }) do
        if not found and id ~= '' then found = trip_of(c, role, subject, id) end
    end
    found = found or {}
    if role == 'driver' then found.driver, found.vehicle = subject, subject else found.passenger = subject end
    return found
end

-- Where the sender is: as it says, or else where its vehicle was heard last. What was known stays if there is nothing newer.
local function locate(c, f, given)
    if given.lat ~= '' then
        f.lat, f.lon, f.measured, f.position_of = given.lat, given.lon, c.now_text, 'sender'
    elseif f.vehicle and f.position_of ~= 'sender' then
        local v = pick(c.p .. 'vehicle:' .. f.vehicle, { 'lat', 'lon', 'at' })
        if v.lat then f.lat, f.lon, f.measured, f.position_of = v.lat, v.lon, v.at, 'vehicle' end
    end
end

local function save(c, id, f)
    local flat = {}
    for name, value in pairs(f) do flat[#flat + 1], flat[#flat + 2] = name, value end
    redis.call('HSET', key_of(c, id), unpack(flat))
end

-- What the city's log says of one.
local function logged(id, f)
    return { sos = id, role = f.role, subject = f.subject, ride = f.ride, booking = f.booking, tour = f.tour, vehicle = f.vehicle }
end

-- What is for operators alone, and is recorded.
local function recorded(f) return { text = f.text, lat = tonumber(f.lat), lon = tonumber(f.lon) } end

-- One that was opened again without a word (`quiet`) is known from now on.
local function log_raised(c, id, f)
    if f.quiet then redis.call('HDEL', key_of(c, id), 'quiet') end
    f.quiet = nil
    log(c, 'sos.raised', logged(id, f), recorded(f))
end

-- Rings, and says when next.
local function ring(c, id, f)
    f.rings = (tonumber(f.rings) or 0) + 1
    local wait = math.min(LONGEST_MS, c.sos_ring_ms * 1.5 ^ (f.rings - 1))
    redis.call('HSET', key_of(c, id), 'rings', f.rings)
    redis.call('ZADD', c.p .. 'sos', string.format('%.0f', c.real + wait), id)
    if f.quiet then log_raised(c, id, f) end
    tell(c, 'office', 'sos.raised', shown(id, f))
end

-- One more press of who has one open already. Too many in a minute change nothing, but for one: who has said that there is no danger may
-- always take that back, and that is told. Whoever looked after it may think that it is over by then, so it rings again until a person has
-- looked. It can't happen more often than it is cancelled, which counts.
local function press_again(c, id, given)
    local f = hash(key_of(c, id))
    local pressed, was_cancelled = cancels.in_a_minute(c, f.pressed, PRESSES), f.cancelled ~= nil
    if not pressed and not was_cancelled then return own(c, id, f, f.again) end
    for name, value in pairs(trip(c, given.role, given.subject, given.ride)) do f[name] = value end
    locate(c, f, given)
    if given.text ~= '' then f.text = given.text end
    f.pressed, f.presses = pressed or f.pressed, f.presses + 1
    local was_seen = was_cancelled and f.seen_at
    if was_cancelled then
        f.cancelled, f.seen_by, f.seen_at, f.seen_note = nil, nil, nil, nil
        redis.call('HDEL', key_of(c, id), 'cancelled', 'seen_by', 'seen_at', 'seen_note')
    end
    save(c, id, f)
    if was_cancelled then log_raised(c, id, f) else log(c, 'sos.updated', { sos = id }, recorded(f)) end
    if was_seen then ring(c, id, f) else tell(c, 'office', 'sos.updated', shown(id, f)) end
    return own(c, id, f, f.again)
end

-- The reply that is kept for a key is of no use to who presses now, if its alarm is over or was taken back since: it is forgotten.
local function forget_old_reply(c, who, key, reply)
    local id = redis.call('HGET', c.p .. 'sos-of', who)
    if id == cjson.decode(string.sub(reply, 2)).sos and redis.call('HEXISTS', key_of(c, id), 'cancelled') == 0 then return false end
    redis.call('HDEL', c.p .. 'done:' .. who, key)
    redis.call('HDEL', c.p .. 'done2:' .. who, key)
    return true
end

-- What an alarm that is raised now has. at: hub ms, text.
local function raised(c, given, at)
    local f = trip(c, given.role, given.subject, given.ride)
    f.role, f.subject, f.at, f.presses, f.pressed = given.role, given.subject, at, 1, at
    f.text = given.text ~= '' and given.text or nil
    locate(c, f, given)
    if f.position_of == 'sender' then f.measured = at end
    return f
end

local function set_open(c, id, f)
    save(c, id, f)
    redis.call('HSET', c.p .. 'sos-of', f.role .. ':' .. f.subject, id)
end

-- A new one. again: how often it was opened again, text, if Redis has lost it.
local function begin(c, id, given, at, again)
    local f = raised(c, given, at)
    f.again = again
    set_open(c, id, f)
    log_raised(c, id, f)
    ring(c, id, f)
    return f
end

-- Of one that is over its sender makes the next one: it rings as a new one does. Of more than a few in a minute nothing is told at once: while
-- nobody closes it, it rings a moment later. f: as it was.
local function open_again(c, id, given, f)
    local now, pressed = raised(c, given, c.now_text), cancels.in_a_minute(c, f.pressed, PRESSES)
    now.again, now.presses, now.pressed = (tonumber(f.again) or 0) + 1, f.presses + 1, pressed or f.pressed
    now.seen_entry, now.closed_entry = f.seen_entry, f.closed_entry
    if not pressed then now.quiet, now.rings = '1', 0 end
    -- It ends by itself no more.
    redis.call('DEL', key_of(c, id))
    redis.call('ZREM', c.p .. 'sos-closed', id)
    set_open(c, id, now)
    if pressed then
        log_raised(c, id, now)
        ring(c, id, now)
    else
        redis.call('ZADD', c.p .. 'sos', c.real + QUIET_MS, id)
    end
    return now
end

-- Of who has none open: a new one, or the last one again.
local function press_first(c, who, given)
    local key = c.p .. 'sos-new:' .. who
    local known = pick(key, { 'last', 'count' })
    local count = cancels.in_an_hour(c, known.count, NEW)
    local last = not count and known.last and hash(key_of(c, known.last))
    -- It is kept for longer than an hour.
    if last and last.closed_at then
        local f = open_again(c, known.last, given, last)
        return own(c, known.last, f, f.again)
    end
    redis.call('HSET', key, 'last', given.id, 'count', count or known.count)
    redis.call('EXPIRE', key, 3600)
    return own(c, given.id, begin(c, given.id, given, c.now_text))
end

-- sos_raise: role, subject, id (new, random), ride, text, lat, lon (each '' = none), key.
register('sos_raise', { 'role', 'subject', 'id', 'ride', 'text', 'lat', 'lon', 'key' }, function(c, given)
    local who, is_new = given.role .. ':' .. given.subject, false
    local function press()
        is_new = true
        local id = redis.call('HGET', c.p .. 'sos-of', who)
        if id then return press_again(c, id, given) end
        return press_first(c, who, given)
    end
    local reply = once(c, 'sos', who, given.key, press)
    local is_kept = not is_new and string.sub(reply, 1, 1) == '+'
    return is_kept and forget_old_reply(c, who, given.key, reply) and once(c, 'sos', who, given.key, press) or reply
end, { 'allow-oom' })

-- sos_restore: as sos_raise, at (hub ms), how often it was opened again. Raises an alarm that Redis has lost, and answers 1; 0: it is known;
-- 2: its sender has another one open.
register('sos_restore', { 'role', 'subject', 'id', 'ride', 'text', 'lat', 'lon', 'at', 'again' }, function(c, given)
    if redis.call('EXISTS', key_of(c, given.id)) == 1 then return 0 end
    if redis.call('HEXISTS', c.p .. 'sos-of', given.role .. ':' .. given.subject) == 1 then return 2 end
    begin(c, given.id, given, given.at, given.again)
    return 1
end, { 'allow-oom' })

-- sos_cancel: role, subject, key. Its sender says that there is no danger. That may be forced: it goes on ringing until a person has looked.
register('sos_cancel', { 'role', 'subject', 'key' }, function(c, given)
    local who = given.role .. ':' .. given.subject
    return once(c, 'sos.cancel', who, given.key, function()
        local id = redis.call('HGET', c.p .. 'sos-of', who)
        if not id then return refuse('not_found', 'You have raised no alarm, or it is over.') end
        local f = hash(key_of(c, id))
        if f.cancelled then return own(c, id, f) end
        local pressed, count, wait = cancels.in_a_minute(c, f.pressed, PRESSES)
        if not pressed then
            return refuse('rate_limited', 'You have sent ' .. count .. ' times within a minute. Send it again in '
                .. math.ceil(wait / 1000) .. ' s.', wait)
        end
        f.cancelled = c.now_text
        redis.call('HSET', key_of(c, id), 'cancelled', f.cancelled, 'pressed', pressed)
        log(c, 'sos.cancelled', { sos = id })
        tell(c, 'office', 'sos.updated', shown(id, f))
        return own(c, id, f)
    end)
end, { 'allow-oom' })

-- An alarm that is open, or the refusal.
local function open_one(c, id)
    local f = hash(key_of(c, id))
    if not f.role then return nil, refuse('not_found', 'There is no alarm ' .. id .. ', or it is long over.') end
    if f.closed_at then return nil, refuse('not_available', f.closed_by .. ' has closed this alarm.') end
    return f
end

-- What an operator did: audit, and everybody whom it concerns but the other side of the ride. Answers the entry's id. The same once more for the
-- same alarm has no other entry where the operator acts more often than anybody can by hand: it may not push out what was done before.
local function did(c, given, what, f, before)
    local id, note = given.sos, given.note ~= '' and given.note or nil
    local name = f.closed_at and 'closed_entry' or 'seen_entry'
    local entry = f[name]
    local type = f.closed_at and 'sos.closed' or 'sos.acknowledged'
    local is_written = not entry or not audit.is_full(c, given.operator)
    if is_written then
        entry = audit.write(c, given.operator, what, 'sos:' .. id, note, { state = before }, { state = state_of(f) })
        redis.call('HSET', key_of(c, id), name, entry)
    end
    if f.quiet and is_written then log_raised(c, id, f) end
    if is_written or not f.quiet then
        log(c, f.closed_at and 'sos.closed' or 'sos.acknowledged', { sos = id, operator = given.operator }, { note = note })
    end
    tell(c, 'office', type, { sos = id, by = given.operator, at = c.now, note = note })
    tell(c, f.role .. ':' .. f.subject, type, { sos = id })
    return ok({ sos = id, state = state_of(f), audit = entry, again = f.closed_at and tonumber(f.again) or nil })
end

-- sos_acknowledge: operator, sos, note ('' = none), key.
register('sos_acknowledge', { 'operator', 'sos', 'note', 'key' }, function(c, given)
    local id = given.sos
    return once(c, 'sos.acknowledge', 'operator:' .. given.operator, given.key, function()
        local f, no = open_one(c, id)
        if no then return no end
        if f.seen_at then return refuse('not_available', f.seen_by .. ' looks after this alarm already.') end
        f.seen_by, f.seen_at = given.operator, c.now_text
        redis.call('HSET', key_of(c, id), 'seen_by', f.seen_by, 'seen_at', f.seen_at)
        if given.note ~= '' then redis.call('HSET', key_of(c, id), 'seen_note', given.note) end
        redis.call('ZADD', c.p .. 'sos', 'inf', id)
        return did(c, given, 'sos.acknowledge', f, 'open')
    end)
end, { 'allow-oom' })

-- sos_close: operator, sos, note, key.
register('sos_close', { 'operator', 'sos', 'note', 'key' }, function(c, given)
    local id, over = given.sos, c.p .. 'sos-closed'
    return once(c, 'sos.close', 'operator:' .. given.operator, given.key, function()
        local f, no = open_one(c, id)
        if no then return no end
        local before = state_of(f)
        f.closed_by, f.closed_at = given.operator, c.now_text
        redis.call('HSET', key_of(c, id), 'closed_by', f.closed_by, 'closed_at', f.closed_at, 'closed_note', given.note)
        redis.call('EXPIRE', key_of(c, id), math.max(c.safety_kept_s, JOURNAL_S))
        redis.call('ZREM', c.p .. 'sos', id)
        redis.call('HDEL', c.p .. 'sos-of', f.role .. ':' .. f.subject)
        redis.call('ZADD', over, c.real, id)
        redis.call('ZREMRANGEBYSCORE', over, '-inf', c.real - c.safety_kept_s * 1000)
        redis.call('ZREMRANGEBYRANK', over, 0, -MOST_CLOSED - 1)
        return did(c, given, 'sos.close', f, before)
    end)
end, { 'allow-oom' })

-- Makes the JSON of an alarm; of one that is known no more, nil, and of one that was closed, or opened again, since the list was begun.
local function row(c, given)
    return function(id)
        local f = hash(key_of(c, id))
        return f.role and (f.closed_at ~= nil) == (given.closed == '1') and cjson.encode(shown(id, f)) or nil
    end
end

-- sos_list: '1' = those that are over. The first portion of them.
register('sos_list', { 'closed' }, function(c, given)
    local is_over = given.closed == '1'
    local ids = redis.call(is_over and 'ZREVRANGE' or 'ZRANGE', c.p .. (is_over and 'sos-closed' or 'sos'), 0, MOST)
    local before = '{"more":' .. tostring(#ids > MOST) .. ',"alarms":['
    return portions.first(before, ']}', ids, math.min(MOST, #ids), row(c, given))
end, { 'no-writes' })

-- sos_rows: as of sos_list, and the alarms of another portion of it.
register('sos_rows', { 'closed', 'alarms' }, function(c, given) return portions.next(given.alarms, row(c, given)) end, { 'no-writes' })

-- sos_watch: worker, how many of its connections read `office`.
register('sos_watch', { 'worker', 'count' }, function(c, given)
    local key = c.p .. 'watching'
    redis.call('HSET', key, given.worker, given.count)
    for _, worker in ipairs(redis.call('HKEYS', key)) do
        if worker ~= given.worker and not workers.is_alive(c, worker) then redis.call('HDEL', key, worker) end
    end
    return 0
end, { 'allow-oom' })

-- Rings again what nobody has acknowledged; one command while there is no alarm. Answers how many are open, and how many of them ring.
-- One that can't be told is tried again later: nothing but an operator takes an alarm out.
function alarms.ring_due(c)
    local key = c.p .. 'sos'
    local open = redis.call('ZCARD', key)
    if open == 0 then return 0, 0 end
    local due = redis.call('ZRANGEBYSCORE', key, '-inf', c.real, 'LIMIT', 0, BATCH)
    -- The machine's clock was set back.
    for _, id in ipairs(redis.call('ZRANGEBYSCORE', key, c.real + LONGEST_MS + 1000, '(inf', 'LIMIT', 0, BATCH)) do due[#due + 1] = id end
    for _, id in ipairs(due) do
        local good, problem = pcall(function() ring(c, id, hash(key_of(c, id))) end)
        if not good then
            redis.log(redis.LOG_WARNING, 'kerbside: sos ' .. id .. ': ' .. tostring(problem))
            redis.call('ZADD', key, c.real + LONGEST_MS, id)
        end
    end
    return open, redis.call('ZCOUNT', key, '-inf', '(inf')
end

return { alarms = alarms }
