-- Custom stops: a citizen asks the bus of a line to stop at a place, the driver of the right tour answers. A request is
-- `requested`, then `accepted`, and ends as `declined`, `expired`, `completed`, `no_show` or `cancelled`. While it is open
-- it stands in `line:<id>:stops` and, if a tour has it, in `tour-stops:<id>`, both by the pickup time; what time brings
-- about stands in `stopdue`, by hub time, as `<id>|<what>`, and what one call leaves of many as `<tour>|<what>`; `lines-due` has the lines of
-- a new catalog as `<line>|changed`, which a sweep reads last, as they may be many. Names and numbers
-- are told to the driver of the tour and to nobody else, not even to the event log.
--
-- A line that is driven on request, or by a timetable, may be asked before anybody drives it: the request has no tour until
-- somebody does, and only then does the time run in which it is to be answered (`ahead`). So it is with what a tour leaves open
-- at its end: it is `requested` again, whatever its driver had promised, and its citizen is told (stop_way.lua).

local hash, log, tell = import('core', 'hash', 'log', 'tell')
local metres_between = import('distances', 'metres_between')
local cancels = import('limits', 'cancels')
local figures = import('figures', 'figures')

-- What the files of this capability share.
local stops = {}

-- So far behind the bus a place is passed, metres.
local PASSED_M = 50

-- Each request is read once per call, as one step of a tour may look at all of a line again and again: what changes in Redis
-- changes in the table, too. So with tours, until tours.set().
function stops.load(c, id)
    c.loaded = c.loaded or {}
    c.loaded[id] = c.loaded[id] or hash(c.p .. 'stop:' .. id)
    return c.loaded[id]
end

function stops.set(c, id, ...)
    redis.call('HSET', c.p .. 'stop:' .. id, ...)
    local s, values = c.loaded and c.loaded[id], { ... }
    -- As Redis has it: text.
    for i = 1, s and #values or 0, 2 do
        local value = values[i + 1]
        s[values[i]] = type(value) == 'number' and string.format('%.17g', value) or value
    end
end

function stops.clear(c, id, ...)
    redis.call('HDEL', c.p .. 'stop:' .. id, ...)
    local s = c.loaded and c.loaded[id] or {}
    for _, name in ipairs({ ... }) do s[name] = nil end
end

function stops.is_open(s) return s.state == 'requested' or s.state == 'accepted' end
-- Whether the bus still is at the first stop of its tour, or before it: its way has not begun, nor has its driver said so.
function stops.is_waiting(t) return (t.start or '') ~= '' and not t.left end

-- A bus that was heard of so long ago, ms, may have nobody in it who looks: others of its line are asked before it.
stops.silent_ms = 180000
function stops.is_silent(c, t) return math.abs(c.now - tonumber(t.heard or t.started_at or 0)) > stops.silent_ms end

-- Which requests a tour has is read once per call, by pickup time; what changes in Redis changes here, too.
local function ids_of(c, tour)
    c.stop_ids = c.stop_ids or {}
    c.stop_ids[tour] = c.stop_ids[tour] or redis.call('ZRANGE', c.p .. 'tour-stops:' .. tour, 0, -1)
    return c.stop_ids[tour]
end

local function index_of(ids, id)
    for i, one in ipairs(ids) do
        if one == id then return i end
    end
    return nil
end

local function is_after(c, other, at, id)
    local its = tonumber(stops.load(c, other).at)
    return its > at or (its == at and other > id)
end

-- It has a tour from now on, or none any more.
function stops.joins(c, id, s, tour)
    redis.call('ZADD', c.p .. 'tour-stops:' .. tour, s.at, id)
    local ids, at = c.stop_ids and c.stop_ids[tour], tonumber(s.at)
    if not ids or index_of(ids, id) then return end
    local i = #ids
    while i > 0 and is_after(c, ids[i], at, id) do i = i - 1 end
    table.insert(ids, i + 1, id)
end

function stops.leaves(c, id, tour)
    redis.call('ZREM', c.p .. 'tour-stops:' .. tour, id)
    local ids = c.stop_ids and c.stop_ids[tour]
    local i = ids and index_of(ids, id)
    if i then table.remove(ids, i) end
    stops.set_detour(c, tour, id, nil)
    stops.has_room(c, tour)
end

-- The requests of a tour that are open, by pickup time: {id, fields}.
function stops.of_tour(c, tour)
    local found = {}
    for _, id in ipairs(ids_of(c, tour)) do
        local s = stops.load(c, id)
        if stops.is_open(s) then found[#found + 1] = { id = id, s = s } end
    end
    return found
end

-- What time will bring about; at nil: nothing.
function stops.due(c, id, what, at)
    local member = id .. '|' .. what
    if at then
        redis.call('ZADD', c.p .. 'stopdue', at, member)
    else
        redis.call('ZREM', c.p .. 'stopdue', member)
    end
end

function stops.not_due(c, id, ...)
    local members = { ... }
    for i, what in ipairs(members) do members[i] = id .. '|' .. what end
    redis.call('ZREM', c.p .. 'stopdue', unpack(members))
end

-- MARK: what is told

-- What both sides may know of a request.
function stops.brief(id, s)
    return { request = id, line = s.line, state = s.state, at = tonumber(s.at), lat = tonumber(s.lat),
        lon = tonumber(s.lon), stop = s.stop, passengers = tonumber(s.passengers), back = s.back }
end

-- To the citizen, with the bus that comes.
function stops.tell_citizen(c, type, id, s, more)
    local data = stops.brief(id, s)
    if s.tour then
        local t = stops.tour(c, s.tour)
        data.bus = t.bus
        if stops.is_open(s) then data.eta = stops.eta(c, s, t) end
        if data.eta then stops.set(c, id, 'eta_told', string.format('%.0f', data.eta.at)) end
    end
    for name, value in pairs(more or {}) do data[name] = value end
    tell(c, 'passenger:' .. s.citizen, type, data)
end

-- The driver's list: places by pickup time, each with all requests that it stands for; nil when it is empty.
function stops.list(c, tour)
    local places, by_name = {}, {}
    for _, one in ipairs(stops.of_tour(c, tour)) do
        local s = one.s
        local spot = by_name[s.place]
        if not spot then
            spot = { place = s.place, at = tonumber(s.at), lat = tonumber(s.lat), lon = tonumber(s.lon), stop = s.stop,
                passengers = 0, requests = {} }
            by_name[s.place] = spot
            places[#places + 1] = spot
        end
        spot.passengers = spot.passengers + tonumber(s.passengers)
        local request = { request = one.id, state = s.state, at = tonumber(s.at), passengers = tonumber(s.passengers),
            name = s.name, number = s.number, address = s.address, notified = tonumber(s.notified), back = s.back }
        if s.state == 'requested' then request.answer_by = tonumber(s.answer_by) end
        if s.help then request.help = cjson.decode(s.help) end
        table.insert(spot.requests, request)
    end
    return #places > 0 and places or nil
end

-- To the driver of the tour, with the whole list as it is now. The history does without: as often as requests come and go it
-- would keep them all, and who reads it is told the list as it is then (the snapshot). more: another event with the list
-- follows at once.
function stops.tell_driver(c, tour, type, data, more)
    if c.untold then
        c.untold[#c.untold + 1] = { tour = tour, type = type, data = data }
        if not c.listed[tour] then
            c.listed[tour] = true
            c.to_list = c.to_list + #ids_of(c, tour)
        end
        return
    end
    local t = stops.tour(c, tour)
    if not t.driver then return end
    data.tour = tour
    tell(c, 'bus_driver:' .. t.driver, type, data, nil, not more and { places = stops.list(c, tour) } or nil)
end

-- What `body` brings about for many requests at once: when it is done the times of each tour are reckoned, once, and drivers are
-- told all of it, the list with the last event of each tour. c.to_list: how many requests these lists have, so far.
function stops.together(c, body)
    if c.untold then return body() end
    local untold, last, changed = {}, {}, {}
    c.untold, c.to_retime, c.listed, c.to_list = untold, changed, {}, 0
    local good, problem = pcall(body)
    c.untold, c.to_retime, c.listed = nil, nil, nil
    if not good then error(problem, 0) end
    for tour in pairs(changed) do stops.retime(c, tour) end
    for i, one in ipairs(untold) do last[one.tour] = i end
    for i, one in ipairs(untold) do stops.tell_driver(c, one.tour, one.type, one.data, i < last[one.tour]) end
end

-- For the snapshot of a citizen's channel: its open requests, by pickup time; nil if there is none.
function stops.of_citizen(c, citizen)
    local found = {}
    for _, id in ipairs(redis.call('SMEMBERS', c.p .. 'stops-of:' .. citizen)) do
        local s = stops.load(c, id)
        if stops.is_open(s) then
            local one = stops.brief(id, s)
            one.notified = tonumber(s.notified)
            if s.state == 'requested' then one.answer_by = tonumber(s.answer_by) end
            if s.tour then
                local t = stops.tour(c, s.tour)
                one.bus, one.eta = t.bus, stops.eta(c, s, t)
            end
            found[#found + 1] = one
        end
    end
    table.sort(found, function(a, b) return a.at < b.at or (a.at == b.at and a.request < b.request) end)
    return #found > 0 and found or nil
end

-- MARK: beginning and end of a request

-- Comes to its end, whichever: nothing open remains of it.
function stops.close(c, id, s, state)
    local was_promised = s.state == 'accepted'
    stops.set(c, id, 'state', state, 'closed_at', c.now_text)
    s.state = state
    figures.add(c, s.line, { [state] = 1 })
    if s.tour then stops.leaves(c, id, s.tour) end
    redis.call('ZREM', c.p .. 'line:' .. s.line .. ':stops', id)
    redis.call('SREM', c.p .. 'stops-of:' .. s.citizen, id)
    stops.count_for_operator(c, s, -1)
    stops.not_due(c, id, 'remind_driver', 'expire', 'remind_citizen', 'overdue', 'orphan', 'handover')
    redis.call('EXPIRE', c.p .. 'stop:' .. id, c.history_ttl_s)
    if was_promised and s.tour then stops.retime(c, s.tour) end
end

-- Nobody answered, or nobody came. reason: unanswered | passed | no_driver | not_served | line_changed | line_removed.
function stops.expire(c, id, s, reason)
    local was_asked = s.state == 'requested' and s.tour
    stops.close(c, id, s, 'expired')
    if was_asked and (reason == 'passed' or reason == 'unanswered') then stops.rang_in_vain(c, s, 'expired') end
    log(c, 'stop.expired', { request = id, line = s.line, tour = s.tour, bus = stops.tour(c, s.tour).bus, citizen = s.citizen, reason = reason })
    stops.tell_citizen(c, 'stop.expired', id, s, { reason = reason })
    if s.tour then stops.tell_driver(c, s.tour, 'stop.withdrawn', { request = id, reason = reason }) end
end

-- A driver was asked, and nothing came of it. state: that of the request now. The way there and the way back are one.
function stops.rang_in_vain(c, s, state)
    if not s.back or stops.load(c, s.back).state ~= state then cancels.add(c, s.citizen, 's') end
end

-- The name under which the driver sees a place: that of an open request within 50 m at about the same time, or its own.
function stops.place(c, tour, id, s)
    local at, lat, lon, most_ms, most_m = tonumber(s.at), tonumber(s.lat), tonumber(s.lon), c.stop_merge_ms, c.stop_merge_m
    for _, other in ipairs(ids_of(c, tour)) do
        local o = stops.load(c, other)
        if other ~= id and stops.is_open(o) and o.waits == s.waits and math.abs(o.at - at) <= most_ms
            and metres_between(lat, lon, tonumber(o.lat), tonumber(o.lon)) <= most_m then
            return o.place, o.state == 'requested'
        end
    end
    return id, false
end

-- Gives an open request to a tour, and tells its driver. `quiet`: the place is on the screen already, or the driver was
-- prompted a moment ago; the app adds it to the list and does not ring.
-- waits: for a later round of the line; this tour does not come by any more, but its driver may drive that one, too.
-- reason: why its citizen is told that it waits for an answer again.
function stops.attach(c, id, s, tour, dist, next_stop, waits, reason)
    s.waits = waits and '1' or nil
    local spot, is_shown = stops.place(c, tour, id, s)
    s.tour, s.place, s.dist = tour, spot, dist
    local fields = { 'tour', tour, 'place', spot }
    for name, value in pairs({ dist = dist or false, next = next_stop or false, waits = s.waits or false }) do
        if value then
            fields[#fields + 1], fields[#fields + 2] = name, value
        else
            stops.clear(c, id, name)
        end
    end
    stops.set(c, id, unpack(fields))
    s.next = next_stop
    stops.joins(c, id, s, tour)
    if s.state == 'accepted' then stops.set_detour(c, tour, id, s) end
    stops.due(c, id, 'orphan')
    if waits then stops.wait(c, id, s) end
    if s.ahead then stops.ask_first(c, id, s, reason) end
    local data = { request = id, state = s.state }
    if s.state ~= 'requested' then
        data.reason = 'taken_over'
        return stops.tell_driver(c, tour, 'stop.list', data)
    end
    local t = stops.tour(c, tour)
    data.quiet = is_shown or math.abs(c.now - tonumber(t.prompted_at or 0)) < c.stop_quiet_ms
    if not data.quiet then
        redis.call('HSET', c.p .. 'tour:' .. tour, 'prompted_at', c.now_text)
        t.prompted_at = c.now_text
    end
    data.answer_by = tonumber(s.answer_by)
    stops.tell_driver(c, tour, 'stop.requested', data)
end

-- Seats that are free when a request is to be picked up: those who are aboard now count if it is on this round, and so
-- does who was promised a seat at about the same time. nil: the bus does not tell its seats.
function stops.free_seats(c, tour, at, except)
    local t, round = stops.tour(c, tour), c.stop_round_ms
    local free = tonumber(t.seats)
    if not free then return nil end
    if at - c.now <= round then free = free - (tonumber(t.taken) or 0) end
    for _, id in ipairs(ids_of(c, tour)) do
        local s = stops.load(c, id)
        if s.state == 'accepted' and id ~= except and math.abs(s.at - at) <= round then free = free - s.passengers end
    end
    return math.max(0, free)
end

return { stops = stops, PASSED_M = PASSED_M }
