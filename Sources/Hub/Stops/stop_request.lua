-- What a citizen asks: a request is made, or taken back.

local log, ok, refuse, register = import('core', 'log', 'ok', 'refuse', 'register')
local blocks = import('blocks', 'blocks')
local callers = import('callers', 'callers')
local cancels = import('limits', 'cancels')
local metres_between = import('distances', 'metres_between')
local figures = import('figures', 'figures')
local people = import('people', 'people')
local reliability = import('reliability', 'reliability')
local stops = import('stop', 'stops')

-- So many open requests on one line are for callers of one operator: a caller needs no token, so one operator could ask for any number, for
-- days ahead, and whatever concerns all of a line would take as long.
local MOST_OF_OPERATOR = 500

function stops.receipt(c, id, s)
    return { eta = s.tour and stops.eta(c, s, stops.tour(c, s.tour)), request = id, line = s.line,
        state = s.state, at = tonumber(s.at), passengers = tonumber(s.passengers),
        answer_by = tonumber(s.answer_by), back = s.back }
end

-- Nobody drives: whether whoever drives next can be asked. On request a line is driven when somebody has asked; by a timetable
-- it is driven when a run is due for the wanted time, or is the first of the day. Others want a bus now, and are told so.
function stops.seek_ahead(c, line, r, detail)
    local until_then = r.at - c.now
    if r.anywhere and until_then >= c.stop_answer_ms then return end
    local is_run = not r.anywhere and r.later_at and r.later_at - r.at <= c.stop_early_ms
    if is_run and (r.first or (r.asked and until_then >= c.stop_answer_ms)) then
        r.at = math.max(r.at, r.later_at)
        return
    end
    r.code, r.detail = 'no_driver', detail
    if not r.later_moment then return end
    -- What is too soon for the next driver to be asked ahead is answered when that one has begun.
    r.detail = 'Nobody drives line ' .. line .. ' now. By its timetable the next bus passes this place at ' .. r.later_moment
        .. (r.later_at - c.now >= c.stop_answer_ms and ': ask for that time.' or ': ask again when its driver has begun.')
end

-- Finds the tour of what is wanted (r, as of stop_request): sets its tour, dist, next_stop and waits; or code and detail of why
-- there is none; none of these where the next driver can be asked. The bus may have gone by and the line come again later: then
-- that is its time, unless the citizen has named one that is soon and too far from it. It reads all tours of the line.
function stops.seek(c, line, r)
    if r.is_sought then return end
    r.is_sought = true
    local tour, dist, next_stop, waits = stops.find_tour(c, line, r)
    -- For hours ahead the driver says what can be done.
    local again = waits and r.at - c.now <= c.stop_round_ms and r.later_at
    if not tour and dist == 'no_driver' then
        stops.seek_ahead(c, line, r, next_stop)
    elseif not tour then
        r.code, r.detail = dist, next_stop
    elseif again and r.asked and again - r.at > c.stop_early_ms then
        r.code, r.detail = 'stop_passed', 'The bus of line ' .. line .. ' has passed this place, or is too near to stop there. '
            .. 'It comes again at ' .. r.later_clock .. ': ask for that time.'
    else
        r.tour, r.dist, r.next_stop, r.waits = tour, dist, next_stop, waits
        if again then r.at, r.runs = math.max(r.at, again), r.later_runs end
    end
end

-- The open request of the same citizen that this one, for a time `at`, repeats: the same place within 50 m, the same minute. Also how many
-- it has open, and for how many passengers.
local function repeated_at(c, citizen, line, r, at)
    local open, passengers = redis.call('SMEMBERS', c.p .. 'stops-of:' .. citizen), 0
    for _, id in ipairs(open) do
        local s = stops.load(c, id)
        if stops.is_open(s) and s.line == line and math.abs(tonumber(s.at) - at) < 60000
            and metres_between(r.lat, r.lon, tonumber(s.lat), tonumber(s.lon)) <= c.stop_merge_m then
            return id, s, #open
        end
        passengers = passengers + tonumber(s.passengers or 0)
    end
    return nil, nil, #open, passengers
end

-- The same for its own time, which seek() may make that of a later run. Only where it tells which request is repeated are the tours read for it.
function stops.repeated(c, citizen, line, r)
    local later = math.max(r.at, r.later_at or r.at)
    if later > r.at and repeated_at(c, citizen, line, r, later) ~= repeated_at(c, citizen, line, r, r.at) then stops.seek(c, line, r) end
    return repeated_at(c, citizen, line, r, r.at)
end

-- The open requests that its driver will have besides, their ids: those of the tour; before there is one, those of the line that the next
-- driver will have, which are those about the same time if the line is driven by a timetable; no more of these than can be.
function stops.beside(c, line, r)
    if r.tour then return redis.call('ZRANGE', c.p .. 'tour-stops:' .. r.tour, 0, -1) end
    local key, round = c.p .. 'line:' .. line .. ':stops', c.stop_round_ms
    local most = c.stop_max_on_tour
    if r.anywhere then return redis.call('ZRANGE', key, 0, most - 1) end
    return redis.call('ZRANGEBYSCORE', key, string.format('%.0f', r.at - round), string.format('%.0f', r.at + round), 'LIMIT', 0, most)
end

-- Who has no account may be anybody, and many at once: of what a driver can have, all guests together ask for a half at most, and those of one
-- network for a sixth. Answers whether that is so already.
function stops.has_guests_enough(c, citizen, others)
    local own, all, near = people.guest_network(citizen), 0, 0
    for _, id in ipairs(others) do
        local network = people.guest_network(redis.call('HGET', c.p .. 'stop:' .. id, 'citizen') or '')
        if network then all = all + 1 end
        if network and network == own then near = near + 1 end
    end
    return all >= math.ceil(c.stop_max_on_tour / 2) or near >= math.ceil(c.stop_max_on_tour / 6)
end

-- One more open request of an operator's caller, or one less. `stops-by:<operator>`: how many it has, by line.
function stops.count_for_operator(c, s, change)
    if not s.operator then return end
    local key = c.p .. 'stops-by:' .. s.operator
    if redis.call('HINCRBY', key, s.line, change) <= 0 then redis.call('HDEL', key, s.line) end
end

-- Callers of one operator have a half at most of what one driver can have, or one who answers the telephone would fill a tour for all others.
-- Answers why it can't ask for one more; nil: it can.
local function refusal_of_operator(c, operator, others)
    local most, own = math.ceil(c.stop_max_on_tour / 2), 0
    for _, id in ipairs(others) do
        if redis.call('HGET', c.p .. 'stop:' .. id, 'operator') == operator then own = own + 1 end
    end
    if own < most then return nil end
    return 'Of the ' .. c.stop_max_on_tour .. ' open requests that one driver can have, ' .. most .. ' can be for callers of one operator; you have '
        .. own .. '. Ask again when some are answered, or let another operator ask.'
end

-- Why an operator can't ask for so many more on a line; nil: it can.
local function full_of(c, line, operator, more)
    local own = tonumber(redis.call('HGET', c.p .. 'stops-by:' .. operator, line) or 0)
    if own + more <= MOST_OF_OPERATOR then return nil end
    return 'One operator can have ' .. MOST_OF_OPERATOR .. ' open requests on a line for its callers; you have ' .. own
        .. '. Ask again when some have ended, or let another operator ask.'
end

-- What is kept of a request that may be made.
function stops.open(c, citizen, line, person, r, back, operator)
    local s = { state = 'requested', line = line, citizen = citizen, lat = r.lat, lon = r.lon, stop = r.stop,
        at = string.format('%.0f', r.at), passengers = r.passengers, name = person.name, number = person.number,
        address = person.address, help = person.help and cjson.encode(person.help), back = back, notified = '0', operator = operator,
        anywhere = r.anywhere and '1', ahead = not r.tour and '1' or nil, runs = r.runs and cjson.encode(r.runs),
        places = cjson.encode(r.places), nexts = r.next and cjson.encode(r.next), requested_at = c.now_text, answer_by = string.format('%.0f', r.at) }
    local fields = {}
    for name, value in pairs(s) do fields[#fields + 1], fields[#fields + 2] = name, value end
    stops.set(c, r.id, unpack(fields))
    redis.call('ZADD', c.p .. 'line:' .. line .. ':stops', s.at, r.id)
    redis.call('SADD', c.p .. 'stoplines', line)
    redis.call('SADD', c.p .. 'stops-of:' .. citizen, r.id)
    stops.count_for_operator(c, s, 1)
    if r.tour then stops.await_answer(c, r.id, s) else stops.await_driver(c, r.id, s) end
    stops.due(c, r.id, 'overdue', r.at + c.stop_late_ms)
    s.tour, s.dist, s.place, s.waits = r.tour, r.dist, r.id, r.waits and '1' or nil
    figures.add(c, line, { requested = 1 })
    log(c, 'stop.requested', { request = r.id, line = line, tour = r.tour, bus = stops.tour(c, r.tour).bus, citizen = citizen, at = r.at,
        passengers = r.passengers, lat = r.lat, lon = r.lon, stop = r.stop, back = back })
    stops.tell_citizen(c, 'stop.pending', r.id, s, { answer_by = tonumber(s.answer_by) })
    if r.tour then stops.attach(c, r.id, s, r.tour, r.dist, r.next_stop, r.waits) end
    return s
end

-- stop_ahead: citizen, key and who asks for one who telephones, of the stop.request that it is for. What that would answer whatever its plan
-- is, is answered here; else [].
register('stop_ahead', { 'citizen', 'key', 'by' }, function(c, given)
    return callers.ahead(c, 'stop.request', given.citizen, given.key, given.by, function() return '[]' end)
end)

-- stop_request: citizen, key, line, code and detail of a refusal that the worker found ('' = none; refused here, so
-- that a repeated command gets its first reply), JSON {name, number, address, help, by (who asks for one who telephones)}, and JSON {id (new,
-- random), lat, lon, stop, at, asked (at is the citizen's), first (at is when the first run of the day passes, as the wanted time is before it),
-- passengers, places, next, later, later_at (when that is by the schedule, and later_clock, as h:mm, later_moment, with its
-- date), runs and later_runs (that pass about at and later_at: trip, base, when, which of the pattern's passes), anywhere} for
-- the request and, if there is one, for the way back. Both or none.
register('stop_request', { 'citizen', 'key', 'line', 'code', 'detail', 'person', '...' }, function(c, given)
    local citizen, line, person = given.citizen, given.line, cjson.decode(given.person)
    return callers.once(c, 'stop.request', citizen, given.key, person.by, 'request', function(caller, note)
        local function no(code, detail)
            figures.refused(c, line, code, 'passenger:' .. citizen, given.key)
            return refuse(code, detail)
        end
        if given.code ~= '' then return no(given.code, given.detail) end
        local held = redis.call('HMGET', c.p .. 'passenger:' .. citizen, 'cancels', 'blocked')
        local barred = blocks.refusal(c, held[2])
        if barred then return barred end
        local wanted = {}
        for i = 7, #given do
            wanted[#wanted + 1] = cjson.decode(given[i])
            wanted[#wanted].citizen = citizen
        end

        -- What the citizen has open refuses most that is asked in vain, and is little to read: the tours of the line come after it.
        local known, s, open, passengers = stops.repeated(c, citizen, line, wanted[1])
        if known and tonumber(s.passengers) == wanted[1].passengers then return ok(stops.receipt(c, known, s)), false end
        if known then
            return no('already_requested', 'The request ' .. known .. ' for this place and time is open. Cancel it first.')
        end
        if open + #wanted > math.min(c.stop_max_open, person.most_open or c.stop_max_open) then
            return no('already_requested', 'You have ' .. open .. ' open requests. Cancel one first, or wait for its end.')
        end
        for _, r in ipairs(wanted) do passengers = passengers + r.passengers end
        if passengers > c.stop_max_open_passengers then
            return no('already_requested', 'Your open requests would be for ' .. passengers .. ' passengers together; at most '
                .. c.stop_max_open_passengers .. ' can be. Cancel one first, or wait for its end.')
        end
        local is_full = caller and full_of(c, line, caller.operator, #wanted)
        if is_full then return no('not_available', is_full) end
        for i, r in ipairs(wanted) do
            local where = i == 2 and 'field `back`: ' or ''
            stops.seek(c, line, r)
            if r.code then return no(r.code, where .. r.detail) end
            local most = c.stop_max_on_tour
            local others = stops.beside(c, line, r)
            if #others + i > most then
                return no('not_available', where .. 'There are ' .. most .. ' open requests, which is the most that are taken. '
                    .. 'Ask again when some are answered.')
            end
            if person.most_open and stops.has_guests_enough(c, citizen, others) then
                return no('not_available', where .. 'Many without an account ask for this line now. Sign in to ask for a stop, or ask again '
                    .. 'when some are answered.')
            end
            local has_enough = caller and refusal_of_operator(c, caller.operator, others)
            if has_enough then return no('not_available', where .. has_enough) end
            local free = r.tour and stops.free_seats(c, r.tour, r.at)
            if free and r.passengers > free then
                return no('seats_full', where .. 'The bus has ' .. free .. ' free seats then; got ' .. r.passengers .. '.')
            end
        end
        local too_soon = cancels.passenger_refusal(c, citizen, held[1])
        if too_soon then return too_soon end
        local there, back = wanted[1], wanted[2]
        if caller then note(c, citizen, caller) end
        local operator = caller and caller.operator
        local first = stops.open(c, citizen, line, person, there, back and back.id, operator)
        if back then stops.open(c, citizen, line, person, back, there.id, operator) end
        return ok(stops.receipt(c, there.id, first))
    end)
end)

-- stop_cancel: citizen, request, key, who asks for one who telephones.
register('stop_cancel', { 'citizen', 'stop', 'key', 'by?' }, function(c, given)
    local citizen, id = given.citizen, given.stop
    return callers.once(c, 'stop.cancel', citizen, given.key, given.by, 'request', function()
        local s = stops.load(c, id)
        if s.citizen ~= citizen then
            return refuse('not_found', 'The request ' .. id .. ' is not yours, or does not exist.')
        end
        if s.state == 'cancelled' then return ok({ request = id, state = 'cancelled' }), false end
        local was = { state = s.state }
        local sign = s.state == 'accepted' and s.notified == '20' and 'n' or nil
        if not stops.is_open(s) then return refuse('not_available', 'The request is over: it is ' .. s.state .. '.') end
        stops.close(c, id, s, 'cancelled')
        -- The way there and the way back are one.
        if sign or not s.back or stops.load(c, s.back).state ~= 'cancelled' then cancels.add(c, citizen, sign) end
        if sign then reliability.count(c, 'passenger', citizen, 'late_cancels') end
        if not s.promised then cancels.forget(c, 'stop:' .. id) end
        log(c, 'stop.cancelled', { request = id, line = s.line, tour = s.tour, bus = stops.tour(c, s.tour).bus, citizen = citizen })
        stops.tell_citizen(c, 'stop.cancelled', id, s)
        if s.tour then stops.tell_driver(c, s.tour, 'stop.withdrawn', { request = id, reason = 'cancelled' }) end
        return ok({ request = id, state = 'cancelled' }), was
    end)
end)
