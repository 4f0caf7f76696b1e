-- Seats of minibuses: a booking from its request to its end. It is `waiting` for its turn (a driver is asked one thing at a
-- time), `offered` to the driver, `confirmed`, `aboard` and then `ended`; or `declined`, or `cancelled`.
-- On `vehicle:<driver>`: `capacity`; `taken`, the seats that are taken or promised; `held`, those of bookings that wait for the driver's
-- answer; `seats` = capacity - taken, which everybody is shown. A booking's `seats` are its part of `taken`. Always 0 <= the bookings'
-- seats <= taken and taken + held <= capacity (C47): all changes are made here and in minibus.lua. `seatwaiting:<driver>` are those whose
-- turn has not come, `bookings:<driver>` those confirmed and aboard; `holds` is every booking without an answer, by when that ends.

local clear_vehicle, hash, is_minibus, log, register = import('core', 'clear_vehicle', 'hash', 'is_minibus', 'log', 'register')
local ok, once, point, refuse, set_vehicle, show = import('core', 'ok', 'once', 'point', 'refuse', 'set_vehicle', 'show')
local tell, vehicle = import('core', 'tell', 'vehicle')
local blocks = import('blocks', 'blocks')
local callers = import('callers', 'callers')
local cancels = import('limits', 'cancels')
local forget_walk = import('walk', 'forget_walk')
local figures = import('figures', 'figures')
local seat_figures = import('seat_figures', 'seat_figures')
local mark_away, mark_back = import('queue', 'mark_away', 'mark_back')

local function load_booking(c, booking) return hash(c.p .. 'booking:' .. booking) end
local function set_booking(c, booking, ...) redis.call('HSET', c.p .. 'booking:' .. booking, ...) end
local function free_seats(v) return tonumber(v.capacity) - tonumber(v.taken) - tonumber(v.held) end

local function hold(c, driver, v, delta)
    v.held = tonumber(v.held) + delta
    set_vehicle(c, driver, 'held', v.held)
end

-- What the vehicle does, for those who watch it (M6): full, on its way to somebody who is near, or under way.
local function refresh_status(c, driver, v)
    local status = 'en_route'
    for _, booking in ipairs(redis.call('ZRANGE', c.p .. 'bookings:' .. driver, 0, -1)) do
        local b = redis.call('HMGET', c.p .. 'booking:' .. booking, 'state', 'notified')
        if b[1] == 'confirmed' and b[2] ~= '0' then status = 'picking_up' end
    end
    if tonumber(v.taken) == tonumber(v.capacity) then status = 'full' end
    if v.status == status then return false end
    v.status = status
    set_vehicle(c, driver, 'status', status)
    return true
end

-- Every change of what is taken: told to the driver with its reason, and shown to all who watch. is_of_several: of several, after which the caller
-- refreshes the status.
local function count(c, driver, v, delta, reason, booking, is_of_several)
    local capacity, taken = tonumber(v.capacity), tonumber(v.taken) + delta
    if taken < 0 or taken > capacity then
        -- Nobody is shown such a number, and it must not go unnoticed: the books are wrong.
        redis.log(redis.LOG_WARNING, 'kerbside: ' .. driver .. ' would have ' .. taken .. ' of ' .. capacity .. ' seats taken')
        log(c, 'seats.clamped', { driver = driver, taken = taken, capacity = capacity, reason = reason, booking = booking })
        taken = math.max(0, math.min(capacity, taken))
    end
    v.taken = taken
    set_vehicle(c, driver, 'taken', taken, 'seats', capacity - taken)
    local version = redis.call('HINCRBY', c.p .. 'vehicle:' .. driver, 'seats_version', 1)
    log(c, 'seats.changed', { driver = driver, taken = taken, seats = capacity - taken, delta = delta, reason = reason,
        booking = booking, version = version })
    tell(c, 'driver:' .. driver, 'seats.changed', { taken = taken, seats = capacity - taken, capacity = capacity,
        delta = delta, reason = reason, booking = booking })
    if not is_of_several then refresh_status(c, driver, v) end
    show(c, driver)
end

local function fare_of(b)
    return b.fare and { amount = tonumber(b.fare), currency = b.currency } or nil
end

-- What the driver must know of a booking that it has taken.
local function assignment(booking, b)
    return { booking = booking, pickup = point(b.lat, b.lon), destination = point(b.dlat, b.dlon),
        passengers = tonumber(b.passengers), contact = callers.contact(b), payment = b.payment }
end

-- Asks the driver for the booking that has waited longest, if it can be asked now. The exact places are told on acceptance.
local function ask_next(c, driver)
    local v = vehicle(c, driver)
    if v.asking or v.away or v.state ~= 'available' then return end
    local booking = redis.call('ZRANGE', c.p .. 'seatwaiting:' .. driver, 0, 0)[1]
    if not booking then return end
    local b = load_booking(c, booking)
    local deadline = string.format('%.0f', c.now + c.offer_seen_timeout_ms)
    redis.call('ZREM', c.p .. 'seatwaiting:' .. driver, booking)
    redis.call('ZADD', c.p .. 'holds', deadline, booking)
    set_booking(c, booking, 'state', 'offered', 'deadline', deadline, 'seen', '0')
    set_vehicle(c, driver, 'asking', booking)
    log(c, 'seat.asked', { booking = booking, zone = b.zone, driver = driver })
    tell(c, 'driver:' .. driver, 'seat.requested', { booking = booking, passengers = tonumber(b.passengers),
        length_m = tonumber(b.length), distance_m = tonumber(b.distance), detour_m = tonumber(b.detour), fare = fare_of(b), payment = b.payment,
        expires_in_ms = c.offer_timeout_ms, expires_at = c.now + c.offer_timeout_ms }, b.lat .. ',' .. b.lon)
end

local function end_asking(c, booking, b, reason)
    redis.call('ZREM', c.p .. 'holds', booking)
    redis.call('HDEL', c.p .. 'booking:' .. booking, 'deadline', 'seen')
    if b.state ~= 'offered' then return end
    clear_vehicle(c, b.driver, 'asking')
    if reason then tell(c, 'driver:' .. b.driver, 'seat.withdrawn', { booking = booking, reason = reason }) end
end

-- A booking that has come to its end, whichever: nothing open remains of it. reason: why it was declined; trip: the fields of a trip that it
-- becomes (trip.lua), which is kept for longer.
local function close_booking(c, booking, b, state, reason, trip)
    redis.call('ZREM', c.p .. 'seatwaiting:' .. b.driver, booking)
    redis.call('ZREM', c.p .. 'bookings:' .. b.driver, booking)
    redis.call('HDEL', c.p .. 'passenger:' .. b.passenger, 'booking')
    set_booking(c, booking, 'state', state, 'closed_at', c.now_text, unpack(trip or {}))
    forget_walk(c.p .. 'booking:' .. booking, b)
    seat_figures.note(c, b, state, reason)
    redis.call('EXPIRE', c.p .. 'booking:' .. booking, trip and c.trip_kept_s or c.history_ttl_s)
end

-- Why a minibus can't be asked for so many seats now: code and detail; nil: it can.
local function unable(c, driver, v, n)
    if not is_minibus(v) then return 'not_found', 'There is no minibus ' .. driver .. '.' end
    if v.state ~= 'available' then return 'not_available', 'The minibus ' .. driver .. ' is offline.' end
    if v.away then return 'not_available', 'The driver of ' .. driver .. ' can not be reached at this moment.' end
    -- A taxi that has let so many wait is in no queue; a minibus stays online for those whom it has.
    if cancels.driver_refusal(c, driver) then
        return 'not_available', 'The minibus ' .. driver .. ' takes no bookings for a while. Book another one.'
    end
    if n > tonumber(v.capacity) then
        return 'too_many_passengers', driver .. ' has ' .. v.capacity .. ' seats; got ' .. n .. ' passengers.'
    end
    if n > free_seats(v) then
        return 'seats_full', math.max(0, free_seats(v)) .. ' seats can be booked in ' .. driver .. ' now; got ' .. n .. ' passengers.'
    end
    -- Who does not end its bookings has them all read when it says hello.
    if redis.call('ZCARD', c.p .. 'bookings:' .. driver) >= 2 * v.capacity then
        return 'seats_full', driver .. ' has ' .. 2 * v.capacity .. ' open bookings, which is the most for its seats. Book another one.'
    end
end

-- The next minibus that a request for any (`ends`: until when it is searched) can ask, and what the booking would be in it; nil: none. It is taken
-- out of `next`: a line each of driver, metres that are ridden, fare, metres to the pickup, metres of detour, `-` where nobody knows.
local function next_candidate(c, b)
    while b.next ~= '' do
        local line, rest = string.match(b.next, '^([^\n]+)\n?(.*)$')
        b.next = rest
        local found = {}
        found.driver, found.length, found.fare, found.distance, found.detour = string.match(line, '^(%S+) (%S+) (%S+) (%S+) (%S+)$')
        found.v = vehicle(c, found.driver)
        if not unable(c, found.driver, found.v, tonumber(b.passengers)) then return found end
    end
end

-- Its driver is asked in turn. b: the booking, which is nobody's now.
local function ask_candidate(c, booking, b, found, reason)
    local function known(value) return value ~= '-' and value or '' end
    local hold_until = string.format('%.0f', math.min(c.now + c.seat_hold_ms, tonumber(b.ends)))
    b.driver, b.route, b.fare = found.driver, found.v.route, found.fare ~= '-' and found.fare or nil
    set_booking(c, booking, 'state', 'waiting', 'driver', b.driver, 'next', b.next, 'length', found.length, 'distance', known(found.distance),
        'detour', known(found.detour), 'hold_until', hold_until, 'route', found.v.route or '')
    if b.fare then set_booking(c, booking, 'fare', b.fare) else redis.call('HDEL', c.p .. 'booking:' .. booking, 'fare') end
    redis.call('ZADD', c.p .. 'seatwaiting:' .. b.driver, b.order, booking)
    redis.call('ZADD', c.p .. 'holds', hold_until, booking)
    hold(c, b.driver, found.v, tonumber(b.passengers))
    figures.of_minibus(c, found.v, { requested = 1 })
    if reason == 'requested' then
        log(c, 'seat.requested', { booking = booking, zone = b.zone, driver = b.driver, passenger = b.passenger,
            passengers = tonumber(b.passengers) })
    else
        log(c, 'seat.searching', { booking = booking, zone = b.zone, driver = b.driver, passenger = b.passenger, reason = reason })
    end
    tell(c, 'passenger:' .. b.passenger, 'seat.searching', { booking = booking, passengers = tonumber(b.passengers), reason = reason,
        fare = fare_of(b), ['until'] = tonumber(b.ends) })
    ask_next(c, b.driver)
end

-- A request for any minibus goes on to the next. False: there is none, or its time is over.
local function go_on(c, booking, b, reason)
    local found = c.now < tonumber(b.ends) and next_candidate(c, b)
    if not found then return false end
    redis.call('ZREM', c.p .. 'seatwaiting:' .. b.driver, booking)
    set_booking(c, booking, 'were', (b.were or '\n') .. b.driver .. '\n', unpack(b.rang and { 'rang', '1' } or {}))
    ask_candidate(c, booking, b, found, reason)
    return true
end

local function fail(c, booking, b)
    local code = c.now >= tonumber(b.ends) and 'timeout' or 'no_driver'
    local detail = code == 'timeout' and 'No minibus took the request in time.' or 'Every minibus that goes there was asked; none took it.'
    tell(c, 'passenger:' .. b.passenger, 'seat.failed', { booking = booking, reason = code,
        detail = detail .. ' Request again in a few minutes, or ask for a taxi with ride.request.' })
end

-- Ends a booking without an answer that takes it. reason: declined | no_answer | full | offline; of a request for any minibus also undelivered:
-- it goes on to the next. It frees no seat, as it had none.
local function turn_down(c, booking, b, v, reason)
    -- What no phone has shown rang nobody. Who is searched for pays once, if nobody takes it.
    b.rang = b.rang or reason == 'declined' or reason == 'no_answer' and b.seen == '1' or nil
    end_asking(c, booking, b, reason ~= 'declined' and reason or nil)
    hold(c, b.driver, v, -tonumber(b.passengers))
    figures.of_minibus(c, v, { [(reason == 'no_answer' or reason == 'undelivered') and 'expired' or 'declined'] = 1 })
    if b.ends and go_on(c, booking, b, reason) then return end
    if b.rang then cancels.add(c, b.passenger, 'd') end
    close_booking(c, booking, b, 'declined', reason)
    log(c, 'seat.declined', { booking = booking, zone = b.zone, driver = b.driver, passenger = b.passenger, reason = reason,
        route = b.route ~= '' and b.route or nil, from_cell = seat_figures.cell(b.lat, b.lon), to_cell = seat_figures.cell(b.dlat, b.dlon) })
    if b.ends then return fail(c, booking, b) end
    tell(c, 'passenger:' .. b.passenger, 'seat.declined', { booking = booking, vehicle = b.driver, reason = reason })
end

-- All that wait for this driver's answer, the latest first.
local function unanswered(c, driver, v)
    local bookings = redis.call('ZREVRANGE', c.p .. 'seatwaiting:' .. driver, 0, -1)
    if v.asking then bookings[#bookings + 1] = v.asking end
    return bookings
end

local function turn_down_all(c, driver, v, reason)
    for _, booking in ipairs(unanswered(c, driver, v)) do turn_down(c, booking, load_booking(c, booking), v, reason) end
end

-- The time of an asked booking is over. Not shown to the driver, it waits on while it may: the driver is asked again when it
-- shows that it lives (C30).
local function overdue(c, booking, b)
    local v = vehicle(c, b.driver)
    if not b.ends and b.state == 'offered' and b.seen ~= '1' and c.now < tonumber(b.hold_until) then
        end_asking(c, booking, b, 'undelivered')
        set_booking(c, booking, 'state', 'waiting')
        redis.call('ZADD', c.p .. 'seatwaiting:' .. b.driver, b.order, booking)
        redis.call('ZADD', c.p .. 'holds', b.hold_until, booking)
        log(c, 'seat.undelivered', { booking = booking, zone = b.zone, driver = b.driver })
        return mark_away(c, b.driver, v, 'undelivered')
    end
    local driver, was_shown = b.driver, b.state ~= 'offered' or b.seen == '1'
    turn_down(c, booking, b, v, was_shown and 'no_answer' or b.ends and 'undelivered' or 'no_answer')
    if b.ends and not was_shown then mark_away(c, driver, v, 'undelivered') end
    ask_next(c, driver)
end

-- Why the booking that a driver answers does not wait for its answer.
local function no_request(booking, b, driver)
    if b.were and string.find(b.were, '\n' .. driver .. '\n', 1, true) then
        return refuse('offer_expired', 'The request stands no more: it went on to another minibus.')
    end
    if not b.state or b.driver ~= driver then return refuse('not_found', 'The booking ' .. booking .. ' is not yours, or does not exist.') end
    if b.state == 'waiting' then return refuse('offer_expired', 'You were asked earlier; you will be asked again.') end
    return refuse('offer_expired', 'It is too late: the booking is ' .. b.state .. '.')
end

-- seat_book: passenger, booking id (new, random), vehicle, lat, lon, destination lat, lon, passengers, length of the way
-- in m, fare ('' = none), its currency, key, why the worker refuses it ('' = it does not): code, detail; and metres from the
-- vehicle to the pickup and metres that the passengers make it drive more ('' = nobody knows); who asks for one who telephones; and how it
-- will be paid ('' = in cash); and the zone of the pickup ('' = none).
register('seat_book', {
    'passenger', 'booking', 'vehicle', 'lat', 'lon', 'to_lat', 'to_lon', 'passengers', 'way_m',
    'fare', 'currency', 'key', 'code', 'detail', 'pickup_m', 'detour_m', 'by?', 'payment?', 'zone?',
}, function(c, given)
    local passenger, booking, driver = given.passenger, given.booking, given.vehicle
    return callers.once(c, 'seat.book', passenger, given.key, given.by, 'booking', function(caller, note)
        local v, n = vehicle(c, driver), tonumber(given.passengers)
        local function no(code, detail)
            figures.refused(c, v.route, code, 'passenger:' .. passenger, given.key)
            if code == 'seats_full' or given.code ~= '' and code == given.code then seat_figures.unmet(c, given, code, v.route) end
            return refuse(code, detail)
        end
        local open = redis.call('HMGET', c.p .. 'passenger:' .. passenger, 'booking', 'ride', 'blocked')
        local barred = blocks.refusal(c, open[3])
        if barred then return barred end
        if open[1] or open[2] then
            return no('already_requested', (open[1] or open[2]) .. ' is still open. Cancel it first, or wait for its end.')
        end
        local code, detail = unable(c, driver, v, n)
        -- Which way it goes comes before how full it is.
        if given.code ~= '' and code ~= 'not_found' and code ~= 'not_available' then code, detail = given.code, given.detail end
        if code then return no(code, detail) end
        local too_soon = cancels.refusal(c, passenger)
        if too_soon then return too_soon end
        local order = redis.call('INCR', c.p .. 'requests')
        local hold_until = string.format('%.0f', c.now + c.seat_hold_ms)
        set_booking(c, booking, 'state', 'waiting', 'passenger', passenger, 'driver', driver, 'lat', given.lat, 'lon', given.lon,
            'dlat', given.to_lat, 'dlon', given.to_lon, 'passengers', n, 'seats', 0, 'length', given.way_m, 'order', order,
            'notified', '0', 'hold_until', hold_until, 'requested_at', c.now_text, 'distance', given.pickup_m,
            'detour', given.detour_m, 'route', v.route or '', unpack((given.payment or '') ~= '' and { 'payment', given.payment } or {}))
        local b = { fare = given.fare ~= '' and given.fare or nil, currency = given.currency,
            zone = (given.zone or '') ~= '' and given.zone or nil }
        if b.fare then set_booking(c, booking, 'fare', b.fare, 'currency', b.currency) end
        if b.zone then set_booking(c, booking, 'zone', b.zone) end
        if caller then
            note(c, passenger, caller)
            set_booking(c, booking, 'name', caller.name, 'number', caller.number)
        end
        redis.call('HSET', c.p .. 'passenger:' .. passenger, 'booking', booking)
        redis.call('ZADD', c.p .. 'seatwaiting:' .. driver, order, booking)
        redis.call('ZADD', c.p .. 'holds', hold_until, booking)
        hold(c, driver, v, n)
        local told = { booking = booking, vehicle = driver, passengers = n, fare = fare_of(b) }
        figures.of_minibus(c, v, { requested = 1 })
        log(c, 'seat.requested', { booking = booking, zone = b.zone, driver = driver, passenger = passenger, passengers = n })
        tell(c, 'passenger:' .. passenger, 'seat.pending', told)
        ask_next(c, driver)
        told.state = 'pending'
        return ok(told)
    end)
end)

-- seat_seen: driver, booking. The driver's app shows the request: its time starts now (C30). (command offer.seen)
register('seat_seen', { 'driver', 'booking' }, function(c, given)
    local driver, booking = given.driver, given.booking
    if mark_back(c, driver, vehicle(c, driver)) then ask_next(c, driver) end
    local b = load_booking(c, booking)
    if b.state ~= 'offered' or b.driver ~= driver then return no_request(booking, b, driver) end
    if b.seen ~= '1' then
        b.deadline = string.format('%.0f', c.now + c.offer_timeout_ms)
        set_booking(c, booking, 'seen', '1', 'deadline', b.deadline)
        redis.call('ZADD', c.p .. 'holds', b.deadline, booking)
        log(c, 'seat.seen', { booking = booking, zone = b.zone, driver = driver })
    end
    return ok({ ride = booking, expires_in_ms = math.max(0, tonumber(b.deadline) - c.now), expires_at = tonumber(b.deadline) })
end)

-- seat_accept: driver, booking, key, seconds to the pickup as the driver's worker reckons them ('' = unknown).
register('seat_accept', { 'driver', 'booking', 'key', 'eta_s' }, function(c, given)
    local driver, booking = given.driver, given.booking
    return once(c, 'seat.accept', 'driver:' .. driver, given.key, function()
        local b = load_booking(c, booking)
        local taken = b.driver == driver and (b.state == 'confirmed' or b.state == 'aboard')
        if taken then return ok(assignment(booking, b)) end
        if b.state ~= 'offered' or b.driver ~= driver then return no_request(booking, b, driver) end
        if c.now > tonumber(b.deadline) + c.accept_grace_ms then
            overdue(c, booking, b)
            return refuse('offer_expired', 'It was due earlier.')
        end
        local v, n = vehicle(c, driver), tonumber(b.passengers)
        mark_back(c, driver, v)
        end_asking(c, booking, b)
        set_booking(c, booking, 'state', 'confirmed', 'seats', n, 'accepted_at', c.now_text, 'from', v.lat and v.lat .. ',' .. v.lon or '')
        redis.call('ZADD', c.p .. 'bookings:' .. driver, b.order, booking)
        hold(c, driver, v, -n)
        local assigned = assignment(booking, b)
        figures.of_minibus(c, v, { accepted = 1 })
        log(c, 'seat.confirmed', { booking = booking, zone = b.zone, driver = driver, passenger = b.passenger, passengers = n })
        tell(c, 'driver:' .. driver, 'seat.assigned', assigned)
        count(c, driver, v, n, 'booked', booking)
        local position = cjson.null
        if v.lat then position = { lat = tonumber(v.lat), lon = tonumber(v.lon), at = tonumber(v.at) } end
        tell(c, 'passenger:' .. b.passenger, 'seat.confirmed', { booking = booking, vehicle = driver, passengers = n,
            position = position, eta_s = tonumber(given.eta_s) or cjson.null, fare = fare_of(b),
            card = v.card and cjson.decode(v.card) })
        ask_next(c, driver)
        return ok(assigned)
    end)
end)

-- seat_decline: driver, booking, key.
register('seat_decline', { 'driver', 'booking', 'key' }, function(c, given)
    local driver, booking = given.driver, given.booking
    return once(c, 'seat.decline', 'driver:' .. driver, given.key, function()
        local v, b = vehicle(c, driver), load_booking(c, booking)
        mark_back(c, driver, v)
        if b.state ~= 'offered' or b.driver ~= driver then return no_request(booking, b, driver) end
        turn_down(c, booking, b, v, 'declined')
        ask_next(c, driver)
        return ok({ booking = booking })
    end)
end)

-- Takes a confirmed booking back and gives its seats free. by: passenger | driver | operator, who says why (text); is_of_several: see count().
local function cancel_confirmed(c, booking, b, v, by, reason, text, is_of_several)
    close_booking(c, booking, b, 'cancelled')
    figures.of_minibus(c, v, { cancelled = 1 })
    if tonumber(b.seats) > 0 then count(c, b.driver, v, -tonumber(b.seats), 'cancelled', booking, is_of_several) end
    local told = { booking = booking, by = by, reason = reason, text = text }
    log(c, 'seat.cancelled', { booking = booking, zone = b.zone, driver = b.driver, passenger = b.passenger, by = by, reason = reason, text = text,
        route = b.route ~= '' and b.route or nil })
    tell(c, 'passenger:' .. b.passenger, 'seat.cancelled', told)
    tell(c, 'driver:' .. b.driver, 'seat.cancelled', told)
end

local function cancel_unanswered(c, booking, b, v, by, text)
    end_asking(c, booking, b, 'cancelled')
    hold(c, b.driver, v, -tonumber(b.passengers))
    close_booking(c, booking, b, 'cancelled')
    figures.of_minibus(c, v, { cancelled = 1 })
    log(c, 'seat.cancelled', { booking = booking, zone = b.zone, driver = b.driver, passenger = b.passenger, by = by, reason = by, text = text,
        route = b.route ~= '' and b.route or nil })
    tell(c, 'passenger:' .. b.passenger, 'seat.cancelled', { booking = booking, by = by, reason = by, text = text })
    ask_next(c, b.driver)
end

return {
    load_booking = load_booking, set_booking = set_booking, free_seats = free_seats, refresh_status = refresh_status,
    count = count, fare_of = fare_of, assignment = assignment, ask_next = ask_next, turn_down = turn_down,
    unanswered = unanswered, turn_down_all = turn_down_all, overdue = overdue, cancel_confirmed = cancel_confirmed,
    next_candidate = next_candidate, ask_candidate = ask_candidate, cancel_unanswered = cancel_unanswered, close_booking = close_booking,
}
