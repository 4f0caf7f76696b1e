-- What one person may cost the others: connections, and requests that ring somebody and are taken back.

local waking = import('waking', 'waking')
local push, refuse, register = import('core', 'push', 'refuse', 'register')
local workers = import('workers', 'workers')

-- What is counted for a minute from the first on: since when, hub time, and how often, as text. Answers both, and for how many ms
-- they count; text: nil if there was nothing yet.
local function tally(c, text, window)
    local since, count = string.match(text or '', '^(%d+) (%d+)$')
    local left = since and since + window - c.now or 0
    -- More than the window: hub time was set back.
    if left <= 0 or left > window then return c.now_text, 0, 0 end
    return since, tonumber(count), left
end

local function one_more(since, count) return since .. ' ' .. string.format('%d', count + 1) end

-- Links. `links:<role>:<subject>` has a subject's connections to all workers, by when they came.

local links = {}

-- So often in a minute a driver may say hello: each time that its link is lost and back are two entries of the event log, and who reads
-- that must see them all to know who could be asked. An app whose link is cut as soon as it is there comes back once a second.
local HELLOS = 60

-- One more hello of a driver; `hellos` of its vehicle is what this answers. Or nil, and the refusal.
function links.one_more_hello(c, v)
    local since, count, left = tally(c, v.hellos, 60000)
    if count < HELLOS then return one_more(since, count) end
    return nil, refuse('rate_limited', 'You have connected ' .. count .. ' times within a minute. Connect again in '
        .. math.ceil(left / 1000) .. ' s.', left)
end

-- A session has come. With one too many the oldest goes: a phone that is back over a new link must get in, whatever became of the
-- old one. Those of workers that are dead went with them.
function links.add(c, channel, session)
    if c.max_links == 0 and c.push_on == 0 then return end
    local key = c.p .. 'links:' .. channel
    redis.call('ZADD', key, 'NX', c.real, session)
    redis.call('EXPIRE', key, c.history_ttl_s)
    waking.note(c, channel)
    if c.max_links == 0 or redis.call('ZCARD', key) <= c.max_links then return end
    for _, other in ipairs(redis.call('ZRANGE', key, 0, -1)) do
        if other ~= session and not workers.is_alive(c, workers.of(other)) then redis.call('ZREM', key, other) end
    end
    for _ = 1, redis.call('ZCARD', key) - c.max_links do
        local oldest = redis.call('ZPOPMIN', key)[1]
        push(c, channel, '', 'replaced', oldest, '{}')
    end
end

-- session_left: role:subject, session, and for how long it may have been silent, ms, if nobody has left by it ('' = somebody has). That connection
-- is gone.
register('session_left', { 'channel', 'session', 'silent_ms' }, function(c, given)
    local removed = redis.call('ZREM', c.p .. 'links:' .. given.channel, given.session)
    waking.left(c, given.channel, workers.of(given.session))
    if given.silent_ms ~= '' then waking.missed(c, given.channel, tonumber(given.silent_ms)) end
    return removed
end, { 'allow-oom' })

-- Requests that came to nothing. `cancels:<passenger>` has when, hub time, and the sign of how, the latest last. Of each kind
-- so many are free; from then on the next request may come a while after the last of that kind, each time twice (`grows`) as long. So it
-- is with tours that their drivers end at once, `cancels:bus_driver:<driver>`, and with what a taxi lets others wait for,
-- `cancels:driver:<driver>`: rides that it accepts and gives back or does not come for, and offers that it does not show.

local cancels = {}
-- By sign. Free: so many times `free_cancels`, within so many times `cancel_window_ms` (`window`; 1). Who asks pays more for what it
-- does to others than for what they answer.
cancels.kinds = {
    -- Rides and seats that rang somebody, and stops, taken back by who asked; tours.
    { sign = '', free = 1, text = 'You have taken back %d requests' },
    -- Rang somebody, who declined or did not answer. A passenger whom some decline goes on to the next.
    { sign = 'd', free = 2, text = '%d of your requests were declined, or not answered,' },
    -- Stops for which a driver was asked in vain: a line is asked for many at once, and one driver answers for all of them.
    { sign = 's', free = 4, text = '%d of the stops that you asked for were declined, or passed,' },
    -- Completed before anybody can have got anywhere: who drives and who asks are one. Of honest short hops nobody has so many.
    { sign = 'q', free = 6, text = 'You have completed %d requests within a minute each,' },
    -- Promises to fetch somebody that a bus driver took back, or ended the tour with. A bus may break down, so the first few are free; from
    -- then on it is no accident.
    { sign = 'p', free = 1, grows = 16, text = 'You have taken back a promise to stop for somebody %d times, or ended the tour with it,' },
    -- Offers that a taxi has not shown. Once or twice a link is bad; who shows none would let each ride of the zone wait for it.
    { sign = 'u', free = 1, text = '%d offers could not be delivered to you' },
    -- Taken back before anybody was asked: it cost the hub only, and perhaps held seats.
    { sign = 'w', free = 4, text = 'You have taken back %d requests that still waited' },
    -- Rides that a taxi ended without having been near the pickup: it has fetched nobody. Each takes a minute.
    { sign = 'f', free = 1, grows = 4, window = 12, text = 'You have ended %d rides without having been near the pickup' },
    -- Accepted by somebody who was no nearer for long and may have tried to come, and taken back: passengers pay by `t`, drivers by `v`, who
    -- have more of them.
    { sign = 't', free = 1, grows = 4, window = 12, text = '%d times you took back a request to which the vehicle could not come' },
    { sign = 'v', free = 2, grows = 4, window = 12, text = '%d times you came no nearer to who waited for you' },
    -- Accepted by somebody who did not come, and taken back: nobody honest is left standing so often.
    { sign = 'y', free = 2, grows = 4, window = 12, text = '%d times you took back a request for which nobody came' },
    -- A taxi, minibus or bus came, and nobody was there, or it was sent away then. Each takes minutes, so they are counted for longer.
    { sign = 'n', free = 1, grows = 4, window = 12, text = 'Nobody came %d times when you were fetched, or you took it back only then' },
}
-- With the pauses doubling, more make no difference.
cancels.kept = 32

-- sign: of the kind; nil: taken back. Of a passenger (a name without a role, or who telephones) its own hash has the mark that there is
-- something, until the passenger asks again, or is forgotten.
function cancels.add(c, who, sign)
    local key, most = c.p .. 'cancels:' .. who, cancels.kept
    for _, kind in ipairs(cancels.kinds) do most = most + kind.free * c.free_cancels end
    redis.call('RPUSH', key, c.now_text .. (sign or ''))
    redis.call('LTRIM', key, -most, -1)
    redis.call('EXPIRE', key, c.history_ttl_s)
    if string.find(who, ':', 1, true) and not string.find(who, '^tel:') then return end
    if redis.call('HSET', c.p .. 'passenger:' .. who, 'cancels', '1') == 1 then
        redis.call('ZADD', c.p .. 'gone', c.real, 'passenger:' .. who)
    end
end

-- Nobody was there when a vehicle came: once for each four of the party, whose seats it was kept for.
function cancels.missed(c, passenger, passengers)
    for _ = 1, math.ceil((tonumber(passengers) or 1) / 4) do cancels.add(c, passenger, 'n') end
end

-- Takes the mark away if there is nothing more. Answers whether there is.
function cancels.unmark(c, passenger)
    if redis.call('EXISTS', c.p .. 'cancels:' .. passenger) == 1 then return true end
    redis.call('HDEL', c.p .. 'passenger:' .. passenger, 'cancels')
    return false
end

-- The same as `refusal` of a passenger whose `cancels` is known: without it there is nothing to look at.
function cancels.passenger_refusal(c, passenger, mark)
    return mark and cancels.unmark(c, passenger) and cancels.refusal(c, passenger) or nil
end

-- What came to nothing is known for 10 minutes, to be answered to who asks again: as often as it comes and goes it would fill
-- Redis.
function cancels.forget(c, key) redis.call('EXPIRE', c.p .. key, c.history_ttl_s < 600 and c.history_ttl_s_text or '600') end

-- What was completed so soon after it was asked for (requested_at) took nobody anywhere. It is forgotten sooner, as often as it may
-- come. It counts against who asked if the vehicle was there, and else against its driver, who said so from elsewhere.
cancels.brief_ms = 60000

-- Whether a time was within the last so many ms. What lies ahead does not count: hub time was set back.
local function is_within(c, at, window)
    local age = c.now - at
    return age >= 0 and age < window
end

function cancels.is_brief(c, requested_at) return is_within(c, tonumber(requested_at or 0), cancels.brief_ms) end

function cancels.completed(c, key, request, who, driver)
    if not cancels.is_brief(c, request.requested_at) then return end
    cancels.forget(c, key)
    cancels.add(c, request.notified == '20' and who or driver, 'q')
end

-- Rides that a taxi ends within a minute after they were asked for, or undriven within a minute after they began, take nobody anywhere, and a
-- ride from who would have. `brief` on the vehicle: since when they are counted, and how many there were, for half an hour: in a minute one who
-- stands at a rank could end six, each minute. Answers for how many ms it is not available, or nil.
local BRIEF_WINDOW_MS = 1800000

function cancels.brief_wait(c, v)
    local _, count, left = tally(c, v.brief, BRIEF_WINDOW_MS)
    return count > 2 * c.free_cancels and left or nil
end

-- One more; what `brief` is then.
function cancels.one_more_brief(c, v)
    v.brief = one_more(tally(c, v.brief, BRIEF_WINDOW_MS))
    return v.brief
end

-- Whoever drives says when the passenger is aboard. Who is not, and waits for no other ride before that one is over, can take it back
-- after a while. Answers how long it still has to wait, ms.
function cancels.aboard_for(c, aboard_at) return math.max(0, tonumber(aboard_at or 0) + c.driver_lost_ms - c.now) end

function cancels.still_aboard(left, what)
    return refuse('not_available', 'The passenger is aboard: the driver ends the ' .. what .. '. If you are not aboard, send it again in '
        .. math.ceil(left / 1000) .. ' s.', left)
end

-- Refuses a request that comes too soon; nil: it may ring somebody. text: of what was taken back, if not requests.
function cancels.refusal(c, who, text)
    local entries = redis.call('LRANGE', c.p .. 'cancels:' .. who, 0, -1)
    if #entries == 0 then return nil end
    local times = {}
    for _, entry in ipairs(entries) do
        local at, sign = string.match(entry, '^(%d+)(%a?)$')
        times[sign] = times[sign] or {}
        table.insert(times[sign], tonumber(at))
    end
    local longest, why = 0, nil
    for _, kind in ipairs(cancels.kinds) do
        local window, count, last = (kind.window or 1) * c.cancel_window_ms, 0, nil
        for _, at in ipairs(times[kind.sign] or {}) do
            if is_within(c, at, window) then count, last = count + 1, at end
        end
        local free = kind.free * c.free_cancels
        local pause = count >= free and math.min(window, c.cancel_pause_ms * (kind.grows or 2) ^ (count - free))
        if pause and last and last + pause - c.now > longest then
            longest, why = last + pause - c.now, string.format(kind.sign == '' and text or kind.text, count)
        end
    end
    if not why then return nil end
    return refuse('rate_limited', why .. ' in a short time. Ask again in ' .. math.ceil(longest / 1000) .. ' s.', longest)
end

-- Refuses a taxi that has given back ride after ride, each of which has shown it who waits where, or has not shown its offers; nil:
-- it may be asked.
function cancels.driver_refusal(c, driver) return cancels.refusal(c, 'driver:' .. driver, 'You have given back %d rides') end

-- The same by what its vehicle knows of rides that it ended at once.
function cancels.brief_refusal(c, v)
    local wait = cancels.brief_wait(c, v)
    return wait and refuse('rate_limited', 'You have ended more than ' .. 2 * c.free_cancels .. ' rides in which nobody was taken anywhere. '
        .. 'Be available again in ' .. math.ceil(wait / 1000) .. ' s.', wait)
end

-- Whose tour an operator has ended leaves the bus to another driver for a while. `relieved` on the bus: until when, hub time, and who.
cancels.relieved_ms = 120000

function cancels.relieve(c, bus, driver)
    redis.call('HSET', c.p .. 'bus:' .. bus, 'relieved', string.format('%.0f ', c.now + cancels.relieved_ms) .. driver)
end

function cancels.relieved_refusal(c, bus, driver)
    local till, who = string.match(redis.call('HGET', c.p .. 'bus:' .. bus, 'relieved') or '', '^(%d+) (.*)$')
    local left = who == driver and till - c.now or 0
    if left <= 0 then return nil end
    return refuse('not_available', 'An operator has ended your tour with the bus ' .. bus .. '. You can start with it again in '
        .. math.ceil(left / 1000) .. ' s, or with another one now.', left)
end

-- What may happen so often in a minute, and no more. times: when it did last, hub time, the latest last; nil: never. Answers the
-- times with this one, as text; or nil, how often it did, and for how many ms it may not.
function cancels.in_a_minute(c, times, most)
    local recent = {}
    for at in string.gmatch(times or '', '%d+') do
        if is_within(c, at, 60000) then recent[#recent + 1] = at end
    end
    if #recent >= most then return nil, #recent, recent[1] + 60000 - c.now end
    recent[#recent + 1] = c.now_text
    return table.concat(recent, ' ')
end

-- What may happen so often in an hour, or a day, from the first on, and no more. text: what this answered last; nil: never. Answers the text with
-- one more; or nil, and for how many ms it may not.
local function in_a_window(c, text, most, window)
    local since, count, left = tally(c, text, window)
    if count >= most then return nil, left end
    return one_more(since, count)
end

function cancels.in_an_hour(c, text, most) return in_a_window(c, text, most, 3600000) end
function cancels.in_a_day(c, text, most) return in_a_window(c, text, most, 86400000) end

return { links = links, cancels = cancels }
