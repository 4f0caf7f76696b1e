-- Reservations: a taxi for a time between two hours and two days ahead. `reservation:<id>` is all there is to know of one;
-- `reservations:<passenger>` has those of a person that are open, by when they meet. Time has all of them looked at (reservation_due.lua). Its
-- ride is named after it, so one reservation can't have two.
--
-- open: nobody is asked yet; searching: its ride is; assigned: a driver has accepted. Then done, cancelled or failed.

local hash, log, ok, point = import('core', 'hash', 'log', 'ok', 'point')
local refuse, register, tell = import('core', 'refuse', 'register', 'tell')
local metres_between = import('distances', 'metres_between')
local blocks = import('blocks', 'blocks')
local callers = import('callers', 'callers')
local AGAIN_MS, due = import('reservation_due', 'AGAIN_MS', 'due')
local cancels = import('limits', 'cancels')
local first_free, is_anybody_free, view = import('candidates', 'first_free', 'is_anybody_free', 'view')
local full, full_of = import('crowd', 'full', 'full_of')
local follow, needs_of = import('search', 'follow', 'needs_of')
local begin_ride = import('request', 'begin_ride')
local cancel_by_operator, cancel_by_passenger = import('ride', 'cancel_by_operator', 'cancel_by_passenger')

local reservations = {}

local MINUTE_MS = 60000
-- Nearer than this pickup and destination are the same place, metres: as exact as telephones know where they are.
local SAME_PLACE_M = 20
-- So many of those who are free in a zone are looked at for who is nearest.
local NEAREST_OF = 16
-- A search that waits for the passenger itself is tried again after AGAIN_MS. One that waits for room in its zone is tried after 30 s, then 60,
-- then each 120.
local ROOM_AGAIN_MS = 120000
-- What is told before the meeting time, so many minutes; the reminders, and that nobody has accepted yet.
local STEPS = {
    { minutes = 60, is_reminder = true }, { minutes = 10, is_reminder = true }, { minutes = 8 }, { minutes = 5 },
}

local function key_of(c, id) return c.p .. 'reservation:' .. id end
local function set(c, id, ...) redis.call('HSET', key_of(c, id), ...) end
local function is_open(v) return v.state == 'open' or v.state == 'searching' or v.state == 'assigned' end

-- The stated end: with nobody by then, it has failed.
local function end_of(c, v) return v.at + c.reservation_give_up_ms end

local function minutes_left(c, v) return math.max(0, math.ceil((v.at - c.now) / MINUTE_MS)) end

-- v: of `reservation:<id>`, with its time as a number; nil: there is none.
local function load(c, id)
    local v = hash(key_of(c, id))
    v.at = tonumber(v.at)
    return v.state and v
end

-- As its passenger sees it.
local function shown(c, id, v)
    local amount, currency = string.match(v.estimate or '', '^(%d+) (%u+)$')
    return {
        reservation = id, state = v.state, zone = v.zone, pickup = point(v.lat, v.lon), destination = point(v.to_lat, v.to_lon),
        at = v.at, ['local'] = v['local'], time_zone = v.time_zone, passengers = tonumber(v.passengers), needs = needs_of(v),
        payment = v.payment, search_at = v.at - c.reservation_search_before_ms, ride = v.ride,
        fare = amount and { amount = tonumber(amount), currency = currency } or nil,
    }
end

-- Those that are open, by time; nil: none.
function reservations.of(c, passenger)
    local found = {}
    for _, id in ipairs(redis.call('ZRANGE', c.p .. 'reservations:' .. passenger, 0, -1)) do
        local v = load(c, id)
        if v then found[#found + 1] = shown(c, id, v) end
    end
    return #found > 0 and found or nil
end

local function tell_passenger(c, id, v, what, more)
    local data = { reservation = id, at = v.at, ['local'] = v['local'] }
    for name, value in pairs(more or {}) do data[name] = value end
    tell(c, 'passenger:' .. v.passenger, 'reservation.' .. what, data)
end

local function tell_searching(c, id, v, reason)
    -- A search lasts as long as that of any ride, when it begins late, too.
    local till = math.max(end_of(c, v), c.now + c.search_timeout_ms)
    tell_passenger(c, id, v, 'searching', { ride = v.ride, reason = reason, minutes = minutes_left(c, v), ['until'] = till })
end

-- Over, whichever way. is_brief: it came to nothing before anybody was asked, as often as anybody may wish.
local function close(c, id, v, state, is_brief)
    set(c, id, 'state', state, 'closed_at', c.now_text)
    redis.call('ZREM', c.p .. 'reservations:' .. v.passenger, id)
    due.remove(c, id, v)
    if is_brief then return cancels.forget(c, 'reservation:' .. id) end
    redis.call('EXPIRE', key_of(c, id), c.history_ttl_s)
end

local function fail(c, id, v, code, detail)
    close(c, id, v, 'failed')
    log(c, 'reservation.failed', { reservation = id, zone = v.zone, passenger = v.passenger, ride = v.ride, code = code })
    tell_passenger(c, id, v, 'failed', { code = code, ride = v.ride, detail = detail .. ' Ask for a taxi now with ride.request.' })
end

-- reason: why, in a word; text: in those of the office.
local function cancel(c, id, v, by, reason, text)
    close(c, id, v, 'cancelled', v.state == 'open')
    log(c, 'reservation.cancelled', { reservation = id, zone = v.zone, passenger = v.passenger, ride = v.ride, by = by, reason = reason,
        text = text })
    tell_passenger(c, id, v, 'cancelled', { by = by, ride = v.ride, reason = reason, text = text })
end

-- How far the nearest taxi of a zone is from the pickup that is free, has the seats and what is needed, m; nil: nobody is, or nobody knows where.
local function nearest_in(c, v, zone)
    local nearest
    for _, driver in ipairs(first_free(c, zone, v.needs, NEAREST_OF)) do
        local known = redis.call('HMGET', c.p .. 'vehicle:' .. driver, 'lat', 'lon', 'seats')
        if known[1] and known[2] and (tonumber(known[3]) or math.huge) >= tonumber(v.passengers) then
            local metres = metres_between(tonumber(v.lat), tonumber(v.lon), tonumber(known[1]), tonumber(known[2]))
            nearest = math.min(nearest or math.huge, metres)
        end
    end
    return nearest
end

-- In how many ms the nearest taxi that could be asked would be at the pickup, by the straight line: of its own zone, and where nobody is free
-- there, of the first of those around where somebody is. Nil: nobody is free, or nobody knows where.
local function nearest_ms(c, v)
    local nearest = nearest_in(c, v, v.zone)
    for zone in string.gmatch(v.near or '', '[^\n]+') do
        nearest = nearest or nearest_in(c, v, zone)
    end
    return nearest and nearest * c.eta_detour / c.eta_speed_mps * 1000
end

-- When the search begins, as far as it is known now: early enough for the nearest taxi to come after all rounds have been asked.
local function start_of(c, v)
    local way = nearest_ms(c, v)
    local lead = way and way + c.rounds * c.offer_timeout_ms or 0
    return v.at - math.max(c.reservation_search_before_ms, lead)
end

-- The step that was last due by now, and when the next one is. A step that was missed for long (Redis was away) is not told when the one
-- after it is due, too.
local function step_of(c, v)
    local last, next_at = 0, nil
    for i, step in ipairs(STEPS) do
        local at = v.at - step.minutes * MINUTE_MS
        if at <= c.now then last = i else next_at = next_at or at end
    end
    return last, next_at
end

-- To be looked at again at the next step, or at `at` if that is earlier. is_waiting: as of due.set().
local function look_again(c, id, v, at, is_waiting)
    local _, next_at = step_of(c, v)
    at = math.min(at or math.huge, next_at or math.huge)
    due.set(c, id, at < math.huge and at, is_waiting)
end

-- The ride ends by itself; should it not be there then, that is seen.
local function watch_search(c, id, v)
    local last = end_of(c, v) + AGAIN_MS
    look_again(c, id, v, last > c.now and last or nil)
end

local function begin(c, id, v)
    v.state, v.ride = 'searching', 'r_' .. string.sub(id, 3)
    set(c, id, 'state', v.state, 'ride', v.ride)
    watch_search(c, id, v)
    begin_ride(c, v.ride, v.passenger, {
        zone = v.zone, lat = v.lat, lon = v.lon, passengers = v.passengers, to_lat = v.to_lat, to_lon = v.to_lon, needs = v.needs,
        near = v.near, operator = v.operator, name = v.name, number = v.number, payment = v.payment, estimate = v.estimate, reservation = id,
        wait_until = string.format('%.0f', end_of(c, v)),
    })
    log(c, 'reservation.searching', { reservation = id, zone = v.zone, passenger = v.passenger, ride = v.ride })
    tell_searching(c, id, v, 'begun')
end

-- It is time to search: at once, unless the passenger may not, or not yet: it has something else open, has taken back so many requests
-- that the next has to wait, or too many wait in the zone.
local function start(c, id, v)
    local held = redis.call('HMGET', c.p .. 'passenger:' .. v.passenger, 'ride', 'booking', 'blocked', 'cancels')
    local block = held[3] and blocks.read(c, held[3])
    if block then
        close(c, id, v, 'failed')
        log(c, 'reservation.failed', { reservation = id, zone = v.zone, passenger = v.passenger, code = 'forbidden' })
        return tell_passenger(c, id, v, 'failed', { code = 'forbidden', detail = blocks.text(block) })
    end
    local other = held[1] or held[2]
    local too_many = full(c, v.zone, true) or v.operator and full_of(c, v.zone, v.operator)
    if too_many and is_anybody_free(c, view(c, v.zone), v) then
        too_many = v.operator and full_of(c, v.zone, v.operator, true) or nil
    end
    -- The passenger itself may not, or not yet.
    local is_held = other or cancels.passenger_refusal(c, v.passenger, held[4])
    local reason = other and 'already_requested' or (is_held or too_many) and 'rate_limited'
    if c.now >= end_of(c, v) then
        local what = other and (held[1] and 'your ride ' or 'your booking ') .. other .. ' was still open'
            or too_many or reason and 'you have taken back too many requests' or 'the hub could not search'
        return fail(c, id, v, reason or 'timeout', 'No taxi could be looked for in time: ' .. what .. '.')
    end
    if not reason then return begin(c, id, v) end
    -- `is_waiting`: since when. Hubs of before wrote 1, which counts as very long.
    local waited = v.is_waiting and c.now - tonumber(v.is_waiting) or 0
    local wait = is_held and AGAIN_MS or math.max(AGAIN_MS, math.min(waited + AGAIN_MS, ROOM_AGAIN_MS))
    look_again(c, id, v, math.min(c.now + wait, end_of(c, v)), true)
    if v.is_waiting then return end
    set(c, id, 'is_waiting', c.now_text)
    tell_passenger(c, id, v, 'waiting', {
        reason = reason, ['until'] = end_of(c, v), ride = held[1] or nil, booking = not held[1] and held[2] or nil,
    })
end

-- What is due before the meeting time and has not been told; each once.
local function tell_step(c, id, v)
    local last = step_of(c, v)
    if last <= tonumber(v.step) then return end
    v.step = tostring(last)
    set(c, id, 'step', v.step)
    if c.now > v.at then return end
    if STEPS[last].is_reminder then
        tell_passenger(c, id, v, 'reminder', { minutes = minutes_left(c, v), state = v.state })
    elseif v.state == 'searching' then
        tell_searching(c, id, v, 'no_driver_yet')
    end
end

local function look(c, id)
    local v = load(c, id)
    if not v or not is_open(v) then return due.remove(c, id, v or {}) end
    tell_step(c, id, v)
    if v.state == 'open' then
        local start_at = start_of(c, v)
        if c.now >= start_at then return start(c, id, v) end
        -- Half of what is left: who is nearest now may be gone then.
        return look_again(c, id, v, math.min(start_at, c.now + math.max(MINUTE_MS, (start_at - c.now) / 2)))
    end
    if v.state == 'assigned' then return look_again(c, id, v) end
    if redis.call('EXISTS', c.p .. 'ride:' .. v.ride) == 1 then return watch_search(c, id, v) end
    start(c, id, v)
end

-- What time brings about (reservation_due.lua).
function reservations.fall_due(c) return due.fall_due(c, look) end

-- What has become of its ride, in the step in which it has.
follow(function(c, ride, r, what, facts)
    local id = r.reservation
    local v = load(c, id)
    if not v or v.ride ~= ride or not is_open(v) then return end
    if what == 'accepted' then
        v.state = 'assigned'
        set(c, id, 'state', v.state)
        look_again(c, id, v)
        log(c, 'reservation.assigned', { reservation = id, zone = v.zone, passenger = v.passenger, ride = ride, driver = facts.taxi })
        tell_passenger(c, id, v, 'assigned', { ride = ride, taxi = facts.taxi, position = facts.position, eta_s = facts.eta_s, card = facts.card })
    elseif what == 'searching' then
        v.state = 'searching'
        set(c, id, 'state', v.state)
        watch_search(c, id, v)
        log(c, 'reservation.searching', { reservation = id, zone = v.zone, passenger = v.passenger, ride = ride })
        tell_searching(c, id, v, facts.reason)
    elseif what == 'failed' then
        -- What a ride says to be done comes at the end, too.
        fail(c, id, v, facts.code, (string.gsub(facts.detail, ' Request again[^.]*%.$', '')))
    elseif what == 'cancelled' then
        cancel(c, id, v, facts.by, nil, facts.text)
    elseif what == 'noshow' then
        cancel(c, id, v, 'driver', 'noshow')
    elseif what == 'ended' then
        close(c, id, v, 'done')
    end
end)

-- Why it can't be made, as far as what is asked says (V1): code and detail; nil: it can.
local function fault_of(c, given)
    local metres = metres_between(tonumber(given.lat), tonumber(given.lon), tonumber(given.to_lat), tonumber(given.to_lon))
    if metres < SAME_PLACE_M then
        return 'same_place', 'field `destination`: it is ' .. math.floor(metres) .. ' m from the pickup; at least '
            .. SAME_PLACE_M .. ' m are needed.'
    end
    if tonumber(given.passengers) > c.max_passengers then
        return 'too_many_passengers', 'At most ' .. c.max_passengers .. ' passengers can ride; got ' .. given.passengers .. '.'
    end
    local ahead = tonumber(given.at) - c.now
    if ahead < 0 then return 'in_the_past', 'field `at`: ' .. given['local'] .. ' is over. Choose a time that is to come.' end
    if ahead < c.reservation_min_ahead_ms then
        return 'too_soon', 'field `at`: ' .. given['local'] .. ' is in ' .. math.floor(ahead / MINUTE_MS) .. ' minutes; at least '
            .. c.reservation_min_ahead_ms / MINUTE_MS .. ' are needed. For a taxi now, send ride.request.'
    end
    if ahead > c.reservation_max_ahead_ms then
        return 'too_far_ahead', 'field `at`: ' .. given['local'] .. ' is more than ' .. c.reservation_max_ahead_ms / 3600000
            .. ' hours ahead. Ask again nearer to it.'
    end
end

-- reservation_make: passenger, reservation id (new, random), zone of the pickup, its lat and lon, lat and lon of the destination,
-- passengers, needs (words, a space between), the zones around (a line break between), the meeting time (ms), the same as the city's clock
-- shows it (RFC 3339), the name of its time zone, key, who asks for one who telephones, how its ride will be paid ('' = in cash),
-- and the estimated fare, `<hundredths> <currency>` ('' = none).
register('reservation_make', {
    'passenger', 'reservation', 'zone', 'lat', 'lon', 'to_lat', 'to_lon',
    'passengers', 'needs', 'near', 'at', 'local', 'time_zone', 'key', 'by?', 'payment?', 'estimate?',
}, function(c, given)
    local passenger, id = given.passenger, given.reservation
    return callers.once(c, 'reservation.make', passenger, given.key, given.by, 'reservation', function(caller, note)
        local code, detail = fault_of(c, given)
        if code then return refuse(code, detail) end
        local held = redis.call('HMGET', c.p .. 'passenger:' .. passenger, 'cancels', 'blocked')
        local barred = blocks.refusal(c, held[2]) or cancels.passenger_refusal(c, passenger, held[1])
        if barred then return barred end
        local open = redis.call('ZCARD', c.p .. 'reservations:' .. passenger)
        if open >= c.reservation_max_open then
            return refuse('already_requested', 'You have ' .. open .. ' open reservations. Cancel one first, or wait for its time.')
        end
        local too_many = caller and due.full_of(c, caller.operator, tonumber(given.at))
        if too_many then return refuse('not_available', too_many) end
        local v = {
            passenger = passenger, state = 'open', zone = given.zone, lat = given.lat, lon = given.lon, to_lat = given.to_lat,
            to_lon = given.to_lon, passengers = given.passengers, at = tonumber(given.at), ['local'] = given['local'],
            time_zone = given.time_zone, needs = given.needs ~= '' and given.needs or nil,
            near = given.near ~= '' and given.near or nil, payment = given.payment == 'digital' and 'digital' or nil,
            estimate = (given.estimate or '') ~= '' and given.estimate or nil,
        }
        v.step = tostring(step_of(c, v))
        if caller then
            note(c, passenger, caller)
            v.operator, v.name, v.number = caller.operator, caller.name, caller.number
        end
        local fields = { 'made_at', c.now_text }
        for name, value in pairs(v) do
            fields[#fields + 1], fields[#fields + 2] = name, name == 'at' and given.at or value
        end
        set(c, id, unpack(fields))
        redis.call('ZADD', c.p .. 'reservations:' .. passenger, given.at, id)
        -- From the first reminder on it is looked at; one that is nearer than that at once.
        due.add(c, id, v, math.max(c.now, v.at - math.max(STEPS[1].minutes * MINUTE_MS, c.reservation_search_before_ms)))
        log(c, 'reservation.made', { reservation = id, passenger = passenger, zone = v.zone, at = v.at, passengers = tonumber(v.passengers),
            lat = tonumber(v.lat), lon = tonumber(v.lon), to_lat = tonumber(v.to_lat), to_lon = tonumber(v.to_lon),
            payment = v.payment })
        local made = shown(c, id, v)
        local answer = ok(made)
        tell(c, 'passenger:' .. passenger, 'reservation.made', made)
        return answer
    end)
end)

-- reservation_list: passenger. Those that are open, by time.
register('reservation_list', { 'passenger' }, function(c, given)
    local found = reservations.of(c, given.passenger)
    return found and ok({ reservations = found }) or '+{"reservations":[]}'
end, { 'no-writes' })

-- An operator takes one back, whenever it is; its ride ends by the rules of rides. v: its hash. Answers why it can't be, or nil.
function reservations.cancel_by_operator(c, id, v, text)
    if not is_open(v) then return refuse('not_available', 'The reservation is over: it is ' .. v.state .. '.') end
    v.at = tonumber(v.at)
    if v.state == 'open' then return cancel(c, id, v, 'operator', nil, text) end
    local r = hash(c.p .. 'ride:' .. v.ride)
    if r.state == 'aboard' then
        return refuse('not_available', 'The passengers are aboard: the driver ends the ride; if it does not, send office.end.')
    end
    if r.state == 'searching' or r.state == 'offered' or r.state == 'accepted' then cancel_by_operator(c, v.ride, r, text) end
    if redis.call('HGET', key_of(c, id), 'state') ~= 'cancelled' then cancel(c, id, v, 'operator', nil, text) end
end

-- reservation_cancel: passenger, reservation, key, who asks for one who telephones.
register('reservation_cancel', { 'passenger', 'reservation', 'key', 'by?' }, function(c, given)
    local passenger, id = given.passenger, given.reservation
    return callers.once(c, 'reservation.cancel', passenger, given.key, given.by, 'reservation', function()
        local v = load(c, id)
        if not v or v.passenger ~= passenger then
            return refuse('not_found', 'The reservation ' .. id .. ' is not yours, or does not exist.')
        end
        local answer = ok({ reservation = id, state = 'cancelled' })
        if v.state == 'cancelled' then return answer, false end
        local was = { state = v.state }
        if not is_open(v) then return refuse('not_available', 'The reservation is over: it is ' .. v.state .. '.') end
        if c.now > v.at - c.reservation_cancel_before_ms then
            return refuse('too_late', 'It could be cancelled until ' .. c.reservation_cancel_before_ms / MINUTE_MS .. ' minutes before '
                .. v['local'] .. (v.ride and '. To give the ride up, send ride.cancel.' or '.'))
        end
        if v.state == 'open' then
            cancel(c, id, v, 'passenger')
            cancels.add(c, passenger, 'w')
            return answer, was
        end
        local r = hash(c.p .. 'ride:' .. v.ride)
        if r.state == 'aboard' then return refuse('not_available', 'You are aboard: the ride ends with its driver.') end
        -- By the rules of rides; what becomes of it is told to `follow`.
        if r.state == 'searching' or r.state == 'offered' or r.state == 'accepted' then cancel_by_passenger(c, v.ride, r) end
        if redis.call('HGET', key_of(c, id), 'state') ~= 'cancelled' then cancel(c, id, v, 'passenger') end
        return answer, was
    end)
end)

return { reservations = reservations }
