-- Requests for stops while buses drive, tours come and go, and time goes by.

local log = import('core', 'log')
local approach, metres_between = import('distances', 'approach', 'metres_between')
local figures = import('figures', 'figures')
local PASSED_M, stops = import('stop', 'PASSED_M', 'stops')

-- The bus stands at the pickup within so many metres, slower than so many m/s. A bus stops where it can, not on the spot.
local STAND_M, STAND_MPS = 50, 2
-- Along the shape the bus may be so far from a place that it is near as the crow flies: more is another pass of a loop.
local SLACK_M = 500
-- So many requests at most one call hands over, looks for another tour for, or ends: 1 to 2 ms. The next sweep goes on with the others.
stops.at_once = 10
local AT_ONCE = stops.at_once
-- How long a request whose tour has ended waits for the next tour once its time has come, ms.
local ORPHAN_MS = 300000

-- MARK: the bus on its way

-- The way between two fixes is taken as straight if they are no further apart than this, ms and metres.
local GAP_MS, GAP_M = 120000, 1000

-- Whether the bus, as far as it is known where on its shape it is, is on the pass of the place that was promised.
local function is_this_pass(s, dist, reach)
    return not dist or not s.dist or math.abs(tonumber(s.dist) - dist) <= reach + SLACK_M
end

local function is_at(s, fix) return metres_between(tonumber(s.lat), tonumber(s.lon), fix.lat, fix.lon) <= STAND_M end

-- from: the fix before, if the bus stands. That counts from when it came, which a device can't make up, until it was measured
-- elsewhere.
local function stand(c, id, s, fix, from)
    if from then
        if not s.stood_from then stops.set(c, id, 'stood_from', string.format('%.0f', from.came)) end
    elseif s.stood_from then
        local stood = math.max(tonumber(s.stood_ms or 0), math.min(fix.at, c.now) - tonumber(s.stood_from))
        stops.set(c, id, 'stood_ms', string.format('%.0f', stood))
        stops.clear(c, id, 'stood_from')
    end
end

-- Told once each, on the way since the last fix, so that a bus that passes between two fixes is not missed. first: of a bus
-- that has not begun its way, how far along it still is at its first stop: it comes near to nobody yet, and is there only for
-- who gets on at that stop. stands: it does, within 50 m of the place, and has arrived.
local function alert(c, id, s, metres, dist, first, stands)
    local reached = tonumber(s.notified)
    if reached == 20 then return end
    if first and not (s.dist and tonumber(s.dist) <= first) then return end
    local arrived = (stands or metres <= c.stop_arrived_m) and is_this_pass(s, dist, stands and STAND_M or c.stop_arrived_m)
    local near = arrived or (metres <= c.stop_near_m and is_this_pass(s, dist, c.stop_near_m))
    if not near or ((reached == 500 or first) and not arrived) then return end
    local data = { distance_m = math.floor(metres + 0.5) }
    if reached == 0 and not first then
        log(c, 'stop.near', { request = id, line = s.line, tour = s.tour, bus = stops.tour(c, s.tour).bus, distance_m = data.distance_m })
        stops.tell_citizen(c, 'stop.near', id, s, data)
    end
    if arrived then
        log(c, 'stop.arrived', { request = id, line = s.line, tour = s.tour, bus = stops.tour(c, s.tour).bus, distance_m = data.distance_m })
        stops.tell_citizen(c, 'stop.arrived', id, s, data)
    end
    stops.set(c, id, 'notified', arrived and 20 or 500)
end

local function pass(c, id, s, fix, before, dist, first)
    local metres = before and metres_between(before.lat, before.lon, fix.lat, fix.lon)
    if before and (fix.at - before.at > GAP_MS or metres > GAP_M) then before = nil end
    local stands = before and fix.at > before.at and metres * 1000 <= STAND_MPS * (fix.at - before.at)
    stands = stands and is_at(s, before) and is_at(s, fix)
    alert(c, id, s, approach(tonumber(s.lat), tonumber(s.lon), before, fix), dist, first, stands)
    stand(c, id, s, fix, stands and before)
end

-- A bus was on its way: the fixes that fences may use, [lat, lon, when measured] each. before: {lat, lon, at, came} of the one before
-- them, if there is one; dist: metres along the shape at the last, nil off it or unknown; first: see alert(), nil on its way.
function stops.moved(c, tour, way, before, dist, first)
    if #way == 0 then return end
    local left, is_more = AT_ONCE, false
    stops.together(c, function()
        for _, one in ipairs(stops.of_tour(c, tour)) do
            local id, s = one.id, one.s
            -- Hours before its time the bus may well pass the place: that is another round.
            local is_due = not s.waits and tonumber(s.at) - c.now <= c.stop_early_ms
            if is_due and s.state == 'accepted' then
                local last = before
                for _, row in ipairs(way) do
                    local fix = { lat = row[1], lon = row[2], at = row[3], came = c.now }
                    pass(c, id, s, fix, last, dist, first)
                    last = fix
                end
            elseif not s.waits and not first and dist and s.dist and dist > tonumber(s.dist) + PASSED_M then
                if not is_due then
                    stops.wait(c, id, s)
                elseif left > 0 then
                    stops.expire(c, id, s, 'passed')
                    left = left - 1
                else
                    is_more = true
                end
            end
        end
    end)
    if is_more then stops.due(c, tour, 'passed', c.now) end
end

-- What a bus has passed, and moved() has left.
local function go_on_passing(c, tour)
    local t, left = stops.tour(c, tour), AT_ONCE
    if t.state ~= 'running' then return end
    for _, one in ipairs(stops.of_tour(c, tour)) do
        if one.s.state == 'requested' and stops.has_passed(c, one.s, t) then
            if left == 0 then return stops.due(c, tour, 'passed', c.now) end
            stops.expire(c, one.id, one.s, 'passed')
            left = left - 1
        end
    end
end

-- MARK: tours come and go

-- From now on somebody can answer.
function stops.await_answer(c, id, s)
    s.answer_by = string.format('%.0f', c.now + c.stop_answer_ms)
    stops.set(c, id, 'answer_by', s.answer_by)
    stops.due(c, id, 'remind_driver', c.now + c.stop_remind_driver_ms)
    stops.due(c, id, 'expire', c.now + c.stop_answer_ms)
end

local function look_when_near(c, id, s)
    local near = tonumber(s.at) - c.stop_early_ms
    if not s.anywhere and near > c.now then stops.due(c, id, 'handover', near) end
end

-- Nobody can answer yet. Who drives next has the whole time for it; nobody comes any more when the wanted time, and that of each
-- run that is due about then, is over, and the next driver has had some minutes to begin. A tour that runs already may come by, too: that is
-- looked at when the time is near.
function stops.await_driver(c, id, s)
    local at = tonumber(s.at)
    local till = at
    if not s.anywhere then
        for _, run in ipairs(s.runs and cjson.decode(s.runs) or {}) do till = math.max(till, run[3]) end
        till = till + ORPHAN_MS
        look_when_near(c, id, s)
    end
    stops.due(c, id, 'orphan', math.max(till, c.now + ORPHAN_MS))
end

-- A request that nobody could answer has a driver now; the citizen is told until when it is answered. reason: see attach().
function stops.ask_first(c, id, s, reason)
    s.ahead = nil
    stops.clear(c, id, 'ahead')
    if s.state ~= 'requested' then return end
    stops.await_answer(c, id, s)
    stops.tell_citizen(c, 'stop.pending', id, s, { answer_by = tonumber(s.answer_by), reason = reason })
end

-- This tour does not come by for it any more: it waits for a later round, be it the same driver's or another's, and is looked
-- at again when its time comes near. Until then each tour that begins may take it.
function stops.wait(c, id, s)
    s.waits = '1'
    stops.set(c, id, 'waits', s.waits)
    stops.due(c, id, 'handover', tonumber(s.at) - c.stop_early_ms)
end

-- What find_tour must know of a request that is open.
function stops.wanted(s)
    return { citizen = s.citizen, tour = s.tour, at = tonumber(s.at), anywhere = s.anywhere, places = cjson.decode(s.places),
        next = s.nexts and cjson.decode(s.nexts) }
end

-- To a tour that comes by, from the one that it waits with, if any; without an answer so far its driver has the whole time
-- for it.
function stops.hand_over(c, id, s, tour, dist, next_stop)
    if s.tour and s.tour ~= tour then
        stops.leaves(c, id, s.tour)
        log(c, 'stop.taken_over', { request = id, line = s.line, tour = tour, bus = stops.tour(c, tour).bus, citizen = s.citizen, from = s.tour })
        stops.tell_driver(c, s.tour, 'stop.withdrawn', { request = id, reason = 'taken_over' })
    end
    s.ahead = '1'
    stops.attach(c, id, s, tour, dist, next_stop)
end

-- How far ahead of the bus a place is, metres. Before its first position, and as long as it stands at its first stop, a bus has all of its way
-- ahead, and room to brake.
function stops.gap_to(c, t, dist)
    if (t.dist or '') == '' or stops.is_waiting(t) then return dist + c.stop_ahead_m end
    return dist - tonumber(t.dist)
end

local function is_ahead(c, t, dist) return stops.gap_to(c, t, dist) >= c.stop_ahead_m end

-- Whether a tour that begins is the one for a request that waits: the run of the timetable that is due about its time, or any
-- run that comes by when that is near. Where the timetable says nothing, and on request, it is who drives next. Answers true,
-- the distance along its shape and the index of the stop behind it; false also when the bus has passed the place.
function stops.is_for(c, s, t)
    if s.anywhere then return not s.tour end
    local passes = cjson.decode(s.places)[t.pattern]
    if not passes or (s.tour and not s.waits) then return false end
    local behind, nth, due = s.nexts and cjson.decode(s.nexts)[t.pattern], nil, nil
    for _, run in ipairs(s.runs and cjson.decode(s.runs) or {}) do
        local away = math.abs(run[3] - tonumber(s.at))
        if run[1] == t.trip and run[2] == tonumber(t.base) and (not due or away < due) then nth, due = run[4], away end
    end
    local near = s.runs and c.stop_early_ms or s.tour and c.stop_round_ms
    if not nth and near and tonumber(s.at) - c.now > near then return false end
    nth = nth or 1
    local first = passes[nth]
    -- By the turn of a later sweep the bus may have passed it. Of a run of the timetable no later pass counts.
    while not due and passes[nth] and not is_ahead(c, t, passes[nth]) do nth = nth + 1 end
    if first and not (passes[nth] and is_ahead(c, t, passes[nth])) then return false end
    return true, passes[nth], behind and behind[nth]
end

-- The line is in no catalog any more: no tour of it can begin.
function stops.is_removed(c, line)
    return redis.call('HGET', c.p .. 'catalog', 'version') and not figures.is_line(c, line)
end

-- Back to `requested`: nothing remains of the tour that had it.
function stops.reopen(c, id, s)
    local gone = { 'tour', 'dist', 'place', 'next', 'waits', 'accepted_at', 'stood_from', 'stood_ms', 'reminded', 'told', 'eta_told',
        'eta_sent' }
    stops.clear(c, id, unpack(gone))
    for _, name in ipairs(gone) do s[name] = nil end
    s.state, s.notified, s.ahead = 'requested', '0', '1'
    s.answer_by = string.format('%.0f', math.max(tonumber(s.at), c.now + ORPHAN_MS))
    stops.set(c, id, 'state', s.state, 'notified', s.notified, 'ahead', s.ahead, 'answer_by', s.answer_by)
    stops.not_due(c, id, 'remind_driver', 'expire', 'remind_citizen', 'handover')
end

-- A running tour of the line that can serve what another one has, or has left: it comes by, and has the seats and room in its list.
-- What is hours ahead waits for its run, if there is a timetable. Answers as find_tour() does.
function stops.find_successor(c, s)
    local at = tonumber(s.at)
    if s.runs and at - c.now > math.max(c.stop_round_ms, c.stop_early_ms) then return nil end
    local tour, dist, next_stop = stops.find_tour(c, s.line, stops.wanted(s))
    local free = tour and tour ~= s.tour and stops.free_seats(c, tour, at)
    if free and free < tonumber(s.passengers) then return nil end
    if tour and tour ~= s.tour and stops.is_too_much(c, tour) then return nil end
    return tour, dist, next_stop
end

-- Answers how many promises to fetch somebody with this bus end with its tour.
local function hand_back(c, tour, t)
    local left, promised = {}, 0
    for _, one in ipairs(stops.of_tour(c, tour)) do
        if one.s.state == 'accepted' and one.s.notified == '20' and stops.has_passed(c, one.s, t) then
            stops.expire(c, one.id, one.s, 'not_served')
        else
            left[#left + 1] = one
            if one.s.state == 'accepted' and not one.s.waits then promised = promised + 1 end
        end
    end
    redis.call('DEL', c.p .. 'tour-stops:' .. tour)
    if c.stop_ids then c.stop_ids[tour] = nil end
    stops.forget_detours(c, tour)
    for _, one in ipairs(left) do stops.reopen(c, one.id, one.s) end
    local is_removed = stops.is_removed(c, t.line)
    local is_driven = redis.call('EXISTS', c.p .. 'line:' .. t.line .. ':tours') == 1
    for i, one in ipairs(left) do
        local id, s = one.id, one.s
        local next_tour, dist, next_stop
        if is_driven and (is_removed or i <= AT_ONCE) then next_tour, dist, next_stop = stops.find_successor(c, s) end
        if not next_tour and is_removed then
            stops.expire(c, id, s, 'line_removed')
        else
            log(c, 'stop.reopened', { request = id, line = s.line, tour = next_tour, bus = stops.tour(c, next_tour).bus, citizen = s.citizen,
                reason = 'tour_ended' })
            if next_tour then
                stops.attach(c, id, s, next_tour, dist, next_stop, nil, 'tour_ended')
            else
                stops.await_driver(c, id, s)
                if is_driven and i > AT_ONCE then stops.due(c, id, 'handover', c.now) end
                stops.tell_citizen(c, 'stop.pending', id, s, { answer_by = tonumber(s.answer_by), reason = 'tour_ended' })
            end
        end
    end
    stops.pass_on(c, t)
    return promised
end

-- A tour has ended, and is no longer among those of its line. What it leaves open, promised or not, is asked anew: of another
-- tour of the line that can serve it, or of the next that begins. Those who wait are told now, whichever it is; for all but the first
-- AT_ONCE the next sweeps look for another tour. Where the bus has been, and gone on, nobody is waited for any more, though its driver did
-- not say what became of the citizen. Answers how many were promised.
function stops.tour_ended(c, tour, t)
    local promised = 0
    stops.together(c, function() promised = hand_back(c, tour, t) end)
    return promised
end

-- MARK: what time brings about

local function look_after(c, id, s, what)
    if what == 'remind_driver' and s.state == 'requested' and s.tour then
        log(c, 'stop.unanswered', { request = id, line = s.line, tour = s.tour, bus = stops.tour(c, s.tour).bus })
        stops.tell_driver(c, s.tour, 'stop.unanswered', { request = id, answer_by = tonumber(s.answer_by) })
    elseif what == 'expire' and s.state == 'requested' then
        stops.expire(c, id, s, 'unanswered')
    elseif what == 'remind_citizen' and s.state == 'accepted' and not s.reminded then
        stops.remind(c, id, s)
    elseif what == 'handover' and (s.waits or not s.tour) then
        local tour, dist, next_stop = stops.find_successor(c, s)
        if tour then
            stops.hand_over(c, id, s, tour, dist, next_stop)
        elseif not s.tour then
            look_when_near(c, id, s)
        end
    elseif what == 'orphan' and not s.tour then
        stops.expire(c, id, s, 'no_driver')
    elseif what == 'overdue' then
        stops.expire(c, id, s, s.tour and 'not_served' or 'no_driver')
    end
end

-- What goes on with the rest of many requests of a tour, or of a line.
local OF_MANY = {
    started = function(c, tour, behind) return stops.tour_started(c, tour, behind) end,
    changed = function(c, line, behind) return stops.line_changed(c, line, behind) end,
    passed = go_on_passing,
}

-- Within stops.together(). member: `<id>|<what>`, of a request, or of a tour or line what is left of many requests, which may say behind which
-- it goes on (stop_line.lua). Answers how much it was: 1 is what one request needs, to be handed over 2; one more in a driver's list is a quarter.
function stops.fall_due(c, member)
    local id, what = string.match(member, '^(.*)|(.*)$')
    redis.call('ZREM', c.p .. 'stopdue', member)
    if not id then return 1 end
    local name, behind = string.match(what, '^(%S*) ?(.*)$')
    -- A hub of before has `changed` in `stopdue`, too.
    if name == 'changed' then redis.call('ZREM', c.p .. 'lines-due', member) end
    local listed, go_on, much = c.to_list, OF_MANY[name], what == 'handover' and 2 or 1
    if go_on then
        much = go_on(c, id, behind ~= '' and behind or nil) or AT_ONCE
    else
        local s = stops.load(c, id)
        if stops.is_open(s) then look_after(c, id, s, what) end
    end
    return much + (c.to_list - listed) / 4
end
