-- Requests for stops while buses drive, tours come and go, and time goes by.

-- The bus stands at the pickup within so many metres, slower than so many m/s. A bus stops where it can, not on the spot.
local STAND_M, STAND_MPS = 50, 2
-- Along the shape the bus may be so far from a place that it is near as the crow flies: more is another pass of a loop.
local SLACK_M = 500
-- How long a request whose tour has ended waits for the next tour once its time has come, ms.
local ORPHAN_MS = 300000

-- MARK: the bus on its way

-- The way between two fixes is taken as straight if they are no further apart than this, ms and metres.
local GAP_MS, GAP_M = 120000, 1000

-- Whether the bus, as far as it is known where on its shape it is, is on the pass of the place that was promised.
local function is_this_pass(s, dist, reach)
    return not dist or not s.dist or math.abs(tonumber(s.dist) - dist) <= reach + SLACK_M
end

-- from: the fix before, if the bus has hardly moved since. It stands as long as it stays within 50 m of the place.
local function stand(c, id, s, fix, from)
    local function is_there(f)
        return stops.distance(tonumber(s.lat), tonumber(s.lon), f.lat, f.lon) <= STAND_M
    end
    if is_there(fix) and from and is_there(from) then
        if not s.stood_from then stops.set(c, id, 'stood_from', string.format('%.0f', math.min(from.at, c.now))) end
    elseif s.stood_from then
        local stood = math.max(tonumber(s.stood_ms or 0), math.min(fix.at, c.now) - tonumber(s.stood_from))
        stops.set(c, id, 'stood_ms', string.format('%.0f', stood))
        redis.call('HDEL', c.p .. 'stop:' .. id, 'stood_from')
    end
end

-- Told once each, on the way since the last fix, so that a bus that passes between two fixes is not missed.
local function alert(c, id, s, metres, dist)
    local rules, reached = stops.rules(c), tonumber(s.notified)
    if reached == 20 then return end
    local arrived = metres <= rules.arrived_m and is_this_pass(s, dist, rules.arrived_m)
    local near = arrived or (metres <= rules.near_m and is_this_pass(s, dist, rules.near_m))
    if not near or (reached == 500 and not arrived) then return end
    local data = { distance_m = math.floor(metres + 0.5) }
    if reached == 0 then
        log(c, 'stop.near', { request = id, tour = s.tour, distance_m = data.distance_m })
        stops.tell_citizen(c, 'stop.near', id, s, data)
    end
    if arrived then
        log(c, 'stop.arrived', { request = id, tour = s.tour, distance_m = data.distance_m })
        stops.tell_citizen(c, 'stop.arrived', id, s, data)
    end
    stops.set(c, id, 'notified', arrived and 20 or 500)
end

local function moved(c, id, s, fix, before, dist)
    local metres = before and stops.distance(before.lat, before.lon, fix.lat, fix.lon)
    if before and (fix.at - before.at > GAP_MS or metres > GAP_M) then before = nil end
    local stands = before and fix.at > before.at and metres * 1000 <= STAND_MPS * (fix.at - before.at)
    alert(c, id, s, stops.approach(tonumber(s.lat), tonumber(s.lon), before, fix), dist)
    stand(c, id, s, fix, stands and before)
end

-- A bus was on its way: the fixes that fences may use, [lat, lon, at] each. before: {lat, lon, at} of the one before them,
-- if there is one; dist: metres along the shape at the last, nil off it or unknown.
function stops.moved(c, tour, way, before, dist)
    if #way == 0 then return end
    for _, one in ipairs(stops.of_tour(c, tour)) do
        local id, s = one.id, one.s
        -- Hours before its time the bus may well pass the place: that is another round.
        local is_due = not s.waits and tonumber(s.at) - c.now <= stops.rules(c).early_ms
        if is_due and s.state == 'accepted' then
            local last = before
            for _, point in ipairs(way) do
                local fix = { lat = point[1], lon = point[2], at = point[3] }
                moved(c, id, stops.load(c, id), fix, last, dist)
                last = fix
            end
        elseif not s.waits and dist and s.dist and dist > tonumber(s.dist) + PASSED_M then
            if is_due then stops.expire(c, id, s, 'passed') else stops.wait(c, id, s) end
        end
    end
end

-- MARK: tours come and go

-- From now on somebody can answer.
function stops.await_answer(c, id, s)
    local rules = stops.rules(c)
    s.answer_by = string.format('%.0f', c.now + rules.answer_ms)
    stops.set(c, id, 'answer_by', s.answer_by)
    stops.due(c, id, 'remind_driver', c.now + rules.remind_driver_ms)
    stops.due(c, id, 'expire', c.now + rules.answer_ms)
end

-- A request that was made before anybody drove the line has a driver now; the citizen is told until when it is answered.
function stops.ask_first(c, id, s)
    s.ahead = nil
    redis.call('HDEL', c.p .. 'stop:' .. id, 'ahead')
    if s.state ~= 'requested' then return end
    stops.await_answer(c, id, s)
    stops.tell_citizen(c, 'stop.pending', id, s, { answer_by = tonumber(s.answer_by) })
end

-- This tour does not come by for it any more: it waits for a later round, be it the same driver's or another's, and is looked
-- at again when its time comes near. Until then each tour that begins may take it.
function stops.wait(c, id, s)
    s.waits = '1'
    stops.set(c, id, 'waits', s.waits)
    stops.due(c, id, 'handover', tonumber(s.at) - stops.rules(c).early_ms)
end

-- What find_tour must know of a request that is open.
function stops.wanted(s)
    return { at = tonumber(s.at), anywhere = s.anywhere, places = cjson.decode(s.places),
        next = s.nexts and cjson.decode(s.nexts) }
end

-- From the tour that it waits with to one that comes by; without an answer so far its driver has the whole time for it.
function stops.hand_over(c, id, s, tour, dist, next_stop)
    if s.tour ~= tour then
        redis.call('ZREM', c.p .. 'tour-stops:' .. s.tour, id)
        stops.tell_driver(c, s.tour, 'stop.withdrawn', { request = id, reason = 'taken_over' })
    end
    s.ahead = '1'
    stops.attach(c, id, s, tour, dist, next_stop)
end

-- A tour begins: what waits on its line and lies on its way is its driver's, also what another driver has for a later round
-- that may be this one.
function stops.tour_started(c, tour)
    local t = stops.tour(c, tour)
    for _, id in ipairs(redis.call('ZRANGE', c.p .. 'line:' .. t.line .. ':stops', 0, -1)) do
        local s = stops.load(c, id)
        local is_waiting = s.waits and tonumber(s.at) - c.now <= stops.rules(c).round_ms
        if stops.is_open(s) and (not s.tour or is_waiting) then
            local passes = cjson.decode(s.places)[t.pattern]
            local behind = s.nexts and cjson.decode(s.nexts)[t.pattern]
            if passes or s.anywhere then
                local take = s.tour and stops.hand_over or stops.attach
                take(c, id, s, tour, passes and passes[1], behind and behind[1])
            end
        end
    end
end

-- A tour has ended, and is no longer among those of its line: what it leaves open goes to another tour of the line that
-- can serve it, or waits for the next. Who is to be picked up and has no tour then is told.
function stops.tour_ended(c, tour)
    for _, one in ipairs(stops.of_tour(c, tour)) do
        local id, s = one.id, one.s
        redis.call('HDEL', c.p .. 'stop:' .. id, 'tour', 'dist', 'place', 'stood_from', 'waits')
        s.tour, s.dist, s.place, s.waits = nil, nil, nil, nil
        local next_tour, dist, next_stop = stops.find_tour(c, s.line, stops.wanted(s))
        if next_tour then
            stops.attach(c, id, s, next_tour, dist, next_stop)
        else
            -- Who drives next has the whole time to answer.
            if s.state == 'requested' then
                stops.set(c, id, 'ahead', '1', 'answer_by', s.at)
                stops.due(c, id, 'expire')
                stops.due(c, id, 'remind_driver')
            end
            stops.due(c, id, 'orphan', math.max(tonumber(s.at), c.now) + ORPHAN_MS)
        end
    end
    redis.call('DEL', c.p .. 'tour-stops:' .. tour)
end

-- MARK: what time brings about

function stops.fall_due(c, member)
    local id, what = string.match(member, '^(.*)|(.*)$')
    redis.call('ZREM', c.p .. 'stopdue', member)
    local s = id and stops.load(c, id) or {}
    if not stops.is_open(s) then return end
    if what == 'remind_driver' and s.state == 'requested' and s.tour then
        log(c, 'stop.unanswered', { request = id, line = s.line, tour = s.tour })
        stops.tell_driver(c, s.tour, 'stop.unanswered', { request = id, answer_by = tonumber(s.answer_by) })
    elseif what == 'expire' and s.state == 'requested' then
        stops.expire(c, id, s, 'unanswered')
    elseif what == 'remind_citizen' and s.state == 'accepted' and not s.reminded then
        stops.remind(c, id, s)
    elseif what == 'handover' and s.tour and s.waits then
        local tour, dist, next_stop = stops.find_tour(c, s.line, stops.wanted(s))
        if tour then stops.hand_over(c, id, s, tour, dist, next_stop) end
    elseif what == 'orphan' and not s.tour then
        stops.expire(c, id, s, 'no_driver')
    elseif what == 'overdue' then
        stops.expire(c, id, s, s.tour and 'not_served' or 'no_driver')
    end
end
