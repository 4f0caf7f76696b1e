-- What the driver of a tour answers to requests for stops.

local log, ok, once, refuse, register = import('core', 'log', 'ok', 'once', 'refuse', 'register')
local reliability = import('reliability', 'reliability')
local cancels = import('limits', 'cancels')
local figures = import('figures', 'figures')
local PASSED_M, stops = import('stop', 'PASSED_M', 'stops')

-- Whether the bus has gone by the place on the round that the request is for.
function stops.has_passed(c, s, t)
    return t.dist and t.dist ~= '' and s.dist and not s.waits and tonumber(s.at) - c.now <= c.stop_early_ms
        and t.off ~= '1' and not stops.is_waiting(t) and tonumber(t.dist) > tonumber(s.dist) + PASSED_M
end

-- Each answers nil when it took effect, or the refusal.
local ANSWERS = {}

function ANSWERS.accept(c, id, s, t)
    if s.state == 'accepted' then return end
    if s.notified == '0' and stops.has_passed(c, s, t) then
        stops.expire(c, id, s, 'passed')
        return refuse('not_available', 'The bus has passed the place; the citizen was told.')
    end
    local free = stops.free_seats(c, s.tour, tonumber(s.at), id)
    if free and tonumber(s.passengers) > free then
        return refuse('seats_full', 'Only ' .. free .. ' seats are free then; ' .. s.passengers .. ' are asked for. Decline it.')
    end
    -- One that was promised before by a driver whose tour has ended counts once.
    if not s.promised then figures.add(c, s.line, { accepted = 1 }) end
    stops.set(c, id, 'state', 'accepted', 'accepted_at', c.now_text, 'promised', '1')
    s.state, s.promised = 'accepted', '1'
    stops.set_detour(c, s.tour, id, s)
    stops.due(c, id, 'remind_driver')
    stops.due(c, id, 'expire')
    -- Accepted later than that it needs no reminder: the acceptance is one, as it tells when the bus comes. Should the bus
    -- wait for the wanted time after all, that one is reminded of.
    local remind, eta = tonumber(s.at) - c.stop_reminder_ms, stops.eta(c, s, t)
    if remind > c.now then stops.due(c, id, 'remind_citizen', remind) end
    stops.was_told(c, id, s, (eta or remind <= c.now) and 'time' or 'later')
    stops.plan_reminder(c, id, s, eta)
    log(c, 'stop.accepted', { request = id, line = s.line, tour = s.tour, bus = stops.tour(c, s.tour).bus, citizen = s.citizen })
    stops.tell_citizen(c, 'stop.accepted', id, s)
    if s.next then stops.retime(c, s.tour) end
end

function stops.decline(c, id, s)
    if s.tour then stops.note_decline(c, s.citizen, s.tour) end
    stops.close(c, id, s, 'declined')
    log(c, 'stop.declined', { request = id, line = s.line, tour = s.tour, bus = stops.tour(c, s.tour).bus, citizen = s.citizen })
    stops.tell_citizen(c, 'stop.declined', id, s)
end

-- Who takes promises back pays for it, once for all that are taken back together, as who ends the tour with them does.
function ANSWERS.decline(c, id, s, t)
    local was_promised = s.promised
    stops.decline(c, id, s)
    if not was_promised then return stops.rang_in_vain(c, s, 'declined') end
    if not c.took_back then cancels.add(c, 'bus_driver:' .. t.driver, 'p') end
    c.took_back = true
end

function ANSWERS.complete(c, id, s, t)
    if s.state ~= 'accepted' then return refuse('not_available', 'Accept the request first.') end
    stops.close(c, id, s, 'completed')
    cancels.completed(c, 'stop:' .. id, s, s.citizen, 'bus_driver:' .. t.driver)
    -- It was not even near: nobody was fetched, and a promise was not kept.
    local was_near = (s.notified or '0') ~= '0'
    if not was_near then cancels.add(c, 'bus_driver:' .. t.driver, 'p') end
    local fetched = was_near and figures.fetched(c, s.citizen, 'tour:' .. s.tour, t, tonumber(t.seats), tonumber(s.passengers)) or 0
    if fetched > 0 then figures.got_on(c, s.tour, s.line, 'fetched', fetched) end
    log(c, 'stop.completed', { request = id, line = s.line, tour = s.tour, bus = stops.tour(c, s.tour).bus, citizen = s.citizen })
    stops.tell_citizen(c, 'stop.completed', id, s)
end

function ANSWERS.noshow(c, id, s)
    if s.state ~= 'accepted' then return refuse('not_available', 'Accept the request first.') end
    if c.now < tonumber(s.at) then
        return refuse('not_available', 'The pickup is due later: wait for its time, or decline the request.', s.at - c.now)
    end
    local stood = tonumber(s.stood_ms or 0)
    if s.stood_from then stood = math.max(stood, c.now - tonumber(s.stood_from)) end
    local wait = c.stop_wait_ms
    if stood < wait then
        return refuse('not_available', 'The bus must have stood at the place for ' .. math.ceil(wait / 1000)
            .. ' s; it has for ' .. math.floor(stood / 1000) .. ' s.', s.stood_from and wait - stood or nil)
    end
    -- Nobody is missed who does not know that the bus is there.
    if s.notified ~= '20' then
        return refuse('not_available', 'The bus must have come to the place on this round: the citizen was not told that it is there.')
    end
    stops.close(c, id, s, 'no_show')
    cancels.add(c, s.citizen, 'n')
    reliability.count(c, 'passenger', s.citizen, 'no_shows')
    log(c, 'stop.noshow', { request = id, line = s.line, tour = s.tour, bus = stops.tour(c, s.tour).bus, citizen = s.citizen })
    stops.tell_citizen(c, 'stop.noshow', id, s)
end

-- The driver leaves a stop of the line out: who asked for it to be fetched there on this round is told. Where the tour comes by
-- again nothing is decided yet.
function stops.left_out(c, tour, stop, later_stops)
    for _, later in ipairs(later_stops) do
        if later == stop then return end
    end
    stops.together(c, function()
        for _, one in ipairs(stops.of_tour(c, tour)) do
            local id, s = one.id, one.s
            if s.stop == stop and not s.waits and tonumber(s.at) - c.now <= c.stop_early_ms then
                stops.decline(c, id, s)
                stops.tell_driver(c, tour, 'stop.list', { request = id, state = s.state, reason = s.state })
            end
        end
    end)
end

local DONE = { accept = 'accepted', decline = 'declined', complete = 'completed', noshow = 'no_show' }

-- The requests that an answer means: the one named, or with `all` every one at its place that is in the same state.
function stops.meant(c, id, s, all)
    local found = { { id = id, s = s } }
    if not all then return found end
    for _, one in ipairs(stops.of_tour(c, s.tour)) do
        if one.id ~= id and one.s.place == s.place and one.s.state == s.state and one.s.waits == s.waits then found[#found + 1] = one end
    end
    return found
end

-- stop_answer: driver, accept | decline | complete | noshow, request, 1 for all at its place, key. With `all` the
-- answer stops at the first that is refused, and what was answered before it stands: the reply names them.
register('stop_answer', { 'driver', 'answer', 'stop', 'all', 'key' }, function(c, given)
    local driver, what, id = given.driver, given.answer, given.stop
    return once(c, 'stop.' .. what, 'bus_driver:' .. driver, given.key, function()
        local s = stops.load(c, id)
        local t = stops.tour(c, s.tour)
        if not s.state or t.driver ~= driver then
            return refuse('not_found', 'The request ' .. id .. ' is none of your tour, or does not exist.')
        end
        if s.state == DONE[what] then return ok({ requests = { id }, state = DONE[what] }) end
        if not stops.is_open(s) then return refuse('not_available', 'The request is over: it is ' .. s.state .. '.') end
        local answered, no = {}, nil
        stops.together(c, function()
            for _, one in ipairs(stops.meant(c, id, s, given.all == '1')) do
                no = ANSWERS[what](c, one.id, one.s, t)
                if no then break end
                answered[#answered + 1] = one.id
            end
            if #answered == 0 then return end
            stops.tell_driver(c, s.tour, 'stop.list', { request = id, state = DONE[what], reason = DONE[what] })
        end)
        if #answered == 0 then return no end
        return ok({ requests = answered, state = DONE[what] })
    end)
end)
