-- When a bus comes to those who have asked it to stop: what they are told of it, and when they are reminded. What a tour is
-- forecast to do comes from the worker with each of its positions (tour_moved).

local log, push, register = import('core', 'log', 'push', 'register')
local minute_of_day = import('wishes', 'minute_of_day')
local stops = import('stop', 'stops')

-- Nothing is forecast from a position that is older, ms: a bus sends one a minute.
local LATEST_MS = 300000
-- Who waits is told a time of arrival that differs by so much from the last, ms; and as positions come, so long after the last.
local ETA_STEP_MS, ETA_PAUSE_MS = 10000, 1000

-- The local time as people read it, 9:05. zone: see minute_of_day.
function stops.clock(zone, at)
    local minute = minute_of_day(zone, at)
    return minute and string.format('%d:%02d', math.floor(minute / 60), minute % 60)
end

local function is_before(a, b) return a.at < b.at or (a.at == b.at and a.id < b.id) end

-- Accepted requests at places that the bus would not stop at otherwise. `tour-detours:<tour>` has by request what times of
-- arrival need of it, `<ms of the wanted time> <metres along the shape> <index of the stop behind it> <place>`: who asks when a bus
-- comes need not have all that its tour is asked read. Read once per call, by pickup time; what changes in Redis changes here, too.
local function all_detours(c, tour)
    c.detours = c.detours or {}
    if c.detours[tour] then return c.detours[tour] end
    local flat, found = redis.call('HGETALL', c.p .. 'tour-detours:' .. tour), {}
    for i = 1, #flat, 2 do
        local at, dist, behind, spot = string.match(flat[i + 1], '^(%S+) (%S+) (%S+) (.*)$')
        found[#found + 1] = { id = flat[i], at = tonumber(at), dist = tonumber(dist), next = tonumber(behind), place = spot }
    end
    table.sort(found, is_before)
    c.detours[tour] = found
    return found
end

-- An accepted request is one of the tour's from now on, if the bus would not stop there otherwise; s nil: it is none any more.
function stops.set_detour(c, tour, id, s)
    local key, known = c.p .. 'tour-detours:' .. tour, c.detours and c.detours[tour] or {}
    known.ahead = nil
    for i, one in ipairs(known) do
        if one.id == id then
            table.remove(known, i)
            break
        end
    end
    if not s or not s.next then return redis.call('HDEL', key, id) end
    redis.call('HSET', key, id, table.concat({ s.at, s.dist, s.next, s.place }, ' '))
    local one = { id = id, at = tonumber(s.at), dist = tonumber(s.dist), next = tonumber(s.next), place = s.place }
    local i = 1
    while known[i] and is_before(known[i], one) do i = i + 1 end
    table.insert(known, i, one)
end

function stops.forget_detours(c, tour)
    redis.call('DEL', c.p .. 'tour-detours:' .. tour)
    if c.detours then c.detours[tour] = nil end
end

-- Those that the bus still makes on this round, and in `first` how far along each of their places is first. t: the tour. Found once per call
-- and place of the bus, until one comes or goes.
local function detours_ahead(c, tour, t)
    local all = all_detours(c, tour)
    if all.ahead and all.ahead.dist == t.dist then return all.ahead end
    local first = {}
    local ahead, till, along = { dist = t.dist, first = first }, c.now + c.stop_early_ms, t.dist and tonumber(t.dist)
    for _, one in ipairs(all) do
        if one.at <= till and (not along or one.dist > along) then
            ahead[#ahead + 1] = one
            first[one.place] = math.min(first[one.place] or one.dist, one.dist)
        end
    end
    all.ahead = ahead
    return ahead
end

-- Of the text of a way the place that stands at a byte: {metres, early, likely, late}.
local function place_at(course, at)
    local metres, early, likely, late = string.match(course, '^%[([^,]+),([^,]+),([^,]+),([^%]]+)', at)
    return { tonumber(metres), tonumber(early), tonumber(likely), tonumber(late) }
end

-- Of the way that a tour is forecast to take (JSON of {metres, early, likely, late} each, in seconds after the fix of `heard`, by metres)
-- the place so many metres along; nil when that is not ahead. Linear in between. It is looked for in the text, which takes 7 µs; to decode all
-- of a way of 60 stops takes 50 to 80.
local function crossing(course, dist)
    -- In bytes. What begins before `low` is less far than dist; what begins at `high` or behind is not.
    local low, high, before_at, there_at = 2, #course, nil, nil
    while low < high do
        local middle = math.floor((low + high) / 2)
        local at, last, metres = string.find(course, '%[([^%[,]+)', middle)
        if not at or at >= high then
            high = middle
        elseif tonumber(metres) >= dist then
            high, there_at = middle, at
        else
            low, before_at = last, at
        end
    end
    local there = there_at and place_at(course, there_at)
    local before = there and (before_at and place_at(course, before_at) or (there[1] == dist and there))
    if not before then return nil end
    local part = there[1] > before[1] and (dist - before[1]) / (there[1] - before[1]) or 1
    local found = {}
    for i = 2, 4 do found[i - 1] = before[i] + (there[i] - before[i]) * part end
    return found
end

-- The text of the way that a tour is forecast to take; '[]' when there is none. Who asks of many tours reads that of few: it is not among
-- what stops.tour() reads.
local function course_of(c, tour, t)
    if t.course == nil then t.course = redis.call('HGET', c.p .. 'tour:' .. tour, 'course') end
    return t.course or '[]'
end

-- Whether it can be said where on its way a bus is: not without a position of the last minutes, nor off the route.
function stops.is_known(c, tour, t)
    return t.state == 'running' and t.off ~= '1' and t.dist ~= nil and math.abs(c.now - tonumber(t.heard or 0)) <= LATEST_MS
        and course_of(c, tour, t) ~= '[]'
end

-- When the bus will be at the place of a request, ms; nil when nobody can say: without a position of the last minutes, off the
-- route, behind the place, or on a round before the one that is meant. t: its tour.
local function arrival(c, s, t)
    local dist, along = s.dist and tonumber(s.dist), t.dist and tonumber(t.dist)
    if s.waits or not dist or not along or along > dist or not stops.is_known(c, s.tour, t) then return nil end
    local found = crossing(course_of(c, s.tour, t), dist)
    if not found then return nil end
    local stay, dwell = 0, c.stop_dwell_ms
    for spot, first in pairs(detours_ahead(c, s.tour, t).first) do
        if spot ~= s.place and first < dist then stay = stay + dwell end
    end
    local eta = {}
    for i, name in ipairs({ 'early', 'at', 'late' }) do
        eta[name] = math.max(c.now, math.floor(tonumber(t.heard) + found[i] * 1000 + stay + 0.5))
    end
    return eta.late >= tonumber(s.at) - c.stop_early_ms and eta or nil
end

-- The same, also as h:mm.
function stops.eta(c, s, t)
    local eta = arrival(c, s, t)
    if eta then eta.clock = stops.clock(t.zone, eta.at) end
    return eta
end

-- To the citizens whom a bus is to fetch: when it comes, where that differs from what they were told. Only the latest
-- counts, so it is no event. has_moved: by a position; one that jumps to and fro would tell ten a second.
function stops.tell_etas(c, t, all, has_moved)
    for _, one in ipairs(all) do
        local id, s = one.id, one.s
        local eta = s.state == 'accepted' and stops.eta(c, s, t)
        -- What lies ahead was told before hub time was set back.
        local is_soon = has_moved and math.abs(c.now - tonumber(s.eta_sent or 0)) < ETA_PAUSE_MS
        if eta and not is_soon and math.abs(eta.at - tonumber(s.eta_told or 0)) >= ETA_STEP_MS then
            stops.set(c, id, 'eta_told', string.format('%.0f', eta.at), 'eta_sent', c.now_text)
            local data = { request = id, line = s.line, bus = t.bus, eta = eta }
            push(c, 'passenger:' .. s.citizen, '', 'stop.eta', '', cjson.encode(data))
        end
        if s.state == 'accepted' then stops.plan_reminder(c, id, s, eta) end
    end
end

-- The citizen is reminded once, so long before the bus may be there at the earliest; while nobody can say when that is, so
-- long before the wanted time. eta: nil or false if it is not known.
function stops.plan_reminder(c, id, s, eta)
    if s.reminded or s.told == 'eta' or not eta then return end
    local at = eta.early - c.stop_reminder_ms
    if at > c.now then
        stops.due(c, id, 'remind_citizen', at)
        stops.was_told(c, id, s, 'later')
    elseif s.told == 'time' then
        stops.was_told(c, id, s, 'eta')
    else
        stops.remind(c, id, s)
    end
end

-- What its acceptance has told a citizen: that the bus may be there within the time of the reminder (`eta`), or that it was
-- asked for within that time, while nobody could say when it comes (`time`); `later`: neither, a reminder will.
function stops.was_told(c, id, s, what)
    if s.told == what then return end
    s.told = what
    stops.set(c, id, 'told', what)
end

function stops.remind(c, id, s)
    stops.due(c, id, 'remind_citizen')
    s.reminded = '1'
    stops.set(c, id, 'reminded', s.reminded)
    log(c, 'stop.reminder', { request = id, line = s.line, tour = s.tour, bus = stops.tour(c, s.tour).bus })
    stops.tell_citizen(c, 'stop.reminder', id, s)
end

-- Estimates of a tour's stops, JSON, later by the time that each place on request before them takes.
function stops.with_dwell(c, tour, t, etas)
    local before, places = {}, {}
    for _, one in ipairs(detours_ahead(c, tour, t)) do
        if not places[one.place] then
            places[one.place] = true
            before[#before + 1] = one.next
        end
    end
    if #before == 0 or etas == '[]' then return etas end
    local later = cjson.decode(etas)
    for _, eta in ipairs(later) do
        local stay = 0
        for _, index in ipairs(before) do
            if eta.index >= index then stay = stay + c.stop_dwell_ms end
        end
        if stay > 0 then
            for _, name in ipairs({ 'at', 'early', 'late' }) do
                if eta[name] then eta[name] = eta[name] + stay end
            end
            eta.clock = stops.clock(t.zone, eta.at)
        end
    end
    return cjson.encode(later)
end

-- line_eta: line, JSON by pattern of the distances along its shape at which it passes a place, rising. Answers JSON of the
-- line's running tours: {tour, bus, pattern, trip, base, known, passes}, where known says that it can be said where on its way
-- the bus is, and passes are those ahead of it, {distance_m, early, at, late} each.
register('line_eta', { 'line', 'places' }, function(c, given)
    local places, answer = cjson.decode(given.places), {}
    for _, id in ipairs(redis.call('SMEMBERS', c.p .. 'line:' .. given.line .. ':tours')) do
        local t = stops.tour(c, id)
        if t.state == 'running' then
            local one = { tour = id, bus = t.bus, pattern = t.pattern, trip = t.trip, base = tonumber(t.base or 0),
                known = stops.is_known(c, id, t) }
            local passes = {}
            for _, dist in ipairs(places[t.pattern] or {}) do
                local eta = arrival(c, { tour = id, dist = dist, at = c.now }, t)
                if eta then
                    passes[#passes + 1] = { distance_m = math.floor(dist - tonumber(t.dist) + 0.5), early = eta.early,
                        at = eta.at, late = eta.late }
                end
            end
            if #passes > 0 then one.passes = passes end
            answer[#answer + 1] = one
        end
    end
    return #answer > 0 and cjson.encode(answer) or '[]'
end, { 'no-writes' })
