-- A confirmed booking from the vehicle's approach to its end: near, there, aboard, over.

local log, ok, once, refuse, register = import('core', 'log', 'ok', 'once', 'refuse', 'register')
local pass_on, show, tell, vehicle = import('core', 'pass_on', 'show', 'tell', 'vehicle')
local is_elsewhere = import('coming', 'is_elsewhere')
local cancels = import('limits', 'cancels')
local figures = import('figures', 'figures')
local meant = import('ride', 'meant')
local trips = import('trip', 'trips')
local close_booking, count, free_seats = import('seat', 'close_booking', 'count', 'free_seats')
local load_booking, refresh_status, set_booking = import('seat', 'load_booking', 'refresh_status', 'set_booking')

-- seat_aboard: driver, booking, passengers that came ('' = as booked), key.
register('seat_aboard', { 'driver', 'booking', 'passengers', 'key' }, function(c, given)
    local driver = given.driver
    return once(c, 'seat.aboard', 'driver:' .. driver, given.key, function()
        local booking, b, no = meant(c, 'booking', 'driver', driver, given.booking)
        if no then return no end
        local v = vehicle(c, driver)
        if b.state == 'aboard' then return ok({ booking = booking, seats = tonumber(v.seats) }) end
        if b.state ~= 'confirmed' then return refuse('not_available', 'The booking is ' .. b.state .. '.') end
        local n = tonumber(given.passengers) or tonumber(b.passengers)
        local delta = n - tonumber(b.seats)
        if delta > free_seats(v) then
            return refuse('seats_full', math.max(0, free_seats(v)) .. ' seats are free for ' .. delta .. ' more than were booked.')
        end
        set_booking(c, booking, 'state', 'aboard', 'aboard_at', c.now_text, 'seats', n, 'passengers', n,
            'began', v.lat and v.lat .. ' ' .. v.lon or '')
        local was_here = b.notified == '20' or b.notified ~= '0' and not is_elsewhere(b, v)
        if not was_here then cancels.add(c, 'driver:' .. driver, 'f') end
        local fetched = was_here and figures.fetched(c, b.passenger, 'vehicle:' .. driver, v, tonumber(v.capacity), n) or 0
        figures.of_minibus(c, v, { passengers = fetched, fetched = fetched })
        log(c, 'seat.aboard', { booking = booking, zone = b.zone, driver = driver, passenger = b.passenger, passengers = n })
        for _, channel in ipairs({ 'passenger:' .. b.passenger, 'driver:' .. driver }) do
            tell(c, channel, 'seat.aboard', { booking = booking, passengers = n })
        end
        if delta ~= 0 then count(c, driver, v, delta, 'aboard', booking) elseif refresh_status(c, driver, v) then show(c, driver) end
        return ok({ booking = booking, seats = tonumber(v.capacity) - tonumber(v.taken) })
    end)
end)

-- The passengers of a booking have got off, and it becomes a trip. payment: as the driver says (nil: as was asked for); clock: the time on the
-- city's clock, nil: nobody drove it to its end, so nobody can say what was paid; text: why the office has ended it. Answers what is told of the
-- trip, of which there may be none.
local function end_booking(c, booking, b, v, payment, clock, text)
    local trip, told
    -- What took nobody anywhere is no trip.
    local is_brief, is_any = cancels.is_brief(c, b.requested_at), trips.is_any_booking(b, v)
    if not is_any and not is_brief then cancels.add(c, 'driver:' .. b.driver, 'f') end
    if is_any and not is_brief then
        trip, told = trips.made(c, booking, b, b.driver, v.card, { is_unsaid = not clock, payment = payment,
            clock = clock ~= '' and clock or nil, metres = b.length, fare = b.fare, currency = b.currency })
    end
    close_booking(c, booking, b, 'ended', nil, trip)
    figures.of_minibus(c, v, { completed = 1 })
    log(c, 'seat.ended', trips.logged(told, { booking = booking, zone = b.zone, driver = b.driver, passenger = b.passenger,
        route = b.route ~= '' and b.route or nil, reason = text and 'operator', text = text }))
    local facts = told or {}
    local function tell_one(channel, why)
        tell(c, channel, 'seat.ended', { booking = booking, fare = facts.fare, receipt = facts.receipt, payment = facts.payment,
            reason = text and 'operator', text = why })
    end
    tell_one('passenger:' .. b.passenger)
    tell_one('driver:' .. b.driver, text)
    if tonumber(b.seats) > 0 then count(c, b.driver, v, -tonumber(b.seats), 'ended', booking) end
    return facts
end

-- seat_end: driver, booking, key, how it is paid ('' = as was asked for; digital only if it was), and the time on the city's clock. Its passengers
-- have got off, wherever that was (M9).
register('seat_end', { 'driver', 'booking', 'key', 'payment?', 'clock?' }, function(c, given)
    local driver = given.driver
    return once(c, 'seat.end', 'driver:' .. driver, given.key, function()
        local booking, b, no = meant(c, 'booking', 'driver', driver, given.booking)
        if no then return no end
        if b.state == 'confirmed' then
            return refuse('not_available', 'The passengers are not aboard yet: send seat.aboard or seat.cancel.')
        end
        if b.state ~= 'aboard' then return refuse('not_available', 'The booking is ' .. b.state .. '.') end
        if given.payment == 'digital' and b.payment ~= 'digital' then
            return refuse('not_available', 'The passenger has asked to pay in cash: only it can wish otherwise, as it asks. End the booking with '
                .. '`payment` cash, or without.')
        end
        local v = vehicle(c, driver)
        local trip = end_booking(c, booking, b, v, (given.payment or '') ~= '' and given.payment or nil, given.clock or '')
        cancels.completed(c, 'booking:' .. booking, b, b.passenger, 'driver:' .. driver)
        return ok({ booking = booking, seats = tonumber(v.capacity) - tonumber(v.taken), receipt = trip.receipt, fare = trip.fare,
            payment = trip.payment })
    end)
end)

-- seat_alert: driver, booking, rung (500 or 20), metres, confidence, and the `seat.eta` of the same fix (see ride_alert). The ladder is latched:
-- each rung is told once (C11).
register('seat_alert', { 'driver', 'id', 'rung', 'metres', 'confidence', 'eta?' }, function(c, given)
    local driver, booking, rung = given.driver, given.id, tonumber(given.rung)
    pass_on(c, given.eta)
    local b = load_booking(c, booking)
    if b.driver ~= driver or b.state ~= 'confirmed' then return 0 end
    local reached = tonumber(b.notified)
    if reached == 20 or reached == rung then return 0 end
    set_booking(c, booking, 'notified', rung, rung == 20 and 'arrived_at' or 'near_at', c.now_text)
    local data = { booking = booking, vehicle = driver, distance_m = tonumber(given.metres), confidence = given.confidence }
    if reached == 0 then
        log(c, 'seat.near', { booking = booking, zone = b.zone, driver = driver, distance_m = data.distance_m })
        tell(c, 'passenger:' .. b.passenger, 'seat.near', data)
        tell(c, 'driver:' .. driver, 'seat.waiting', { booking = booking, passengers = tonumber(b.passengers), distance_m = data.distance_m })
    end
    if rung == 20 then
        log(c, 'seat.arrived', { booking = booking, zone = b.zone, driver = driver, distance_m = data.distance_m })
        tell(c, 'passenger:' .. b.passenger, 'seat.arrived', data)
        tell(c, 'driver:' .. driver, 'seat.confirm_aboard', { booking = booking })
    end
    local v = vehicle(c, driver)
    if refresh_status(c, driver, v) then show(c, driver) end
    return 1
end)

return { end_booking = end_booking }
