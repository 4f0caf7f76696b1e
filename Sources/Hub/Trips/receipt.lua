-- Trips as they are read: one by its receipt, a person's by pages; and what becomes of their payment.

local hash, log, ok, once, refuse = import('core', 'hash', 'log', 'ok', 'once', 'refuse')
local register, tell = import('core', 'register', 'tell')
local portions = import('portions', 'portions')
local trips = import('trip', 'trips')

local receipts = {}

local function fare_of(t)
    if not t.fare then return cjson.null end
    local parts = trips.parts(t.parts)
    return { amount = tonumber(t.fare), currency = t.currency, parts = #parts > 0 and parts or nil }
end

-- `<hundredths> <currency>`, as the request has it.
local function estimate_of(t)
    local amount, currency = string.match(t.estimate or '', '^(%d+) (%u+)$')
    return amount and { amount = tonumber(amount), currency = currency } or nil
end

-- A trip as `reader` (a role) may know it: whose card the passenger was shown; of passengers nothing but for operators, who they are.
local function facts(t, trip, reader)
    local card = { plate = t.plate, name = t.driver_name, company = t.company }
    local rated = reader == 'passenger' and t.stars_of_driver or reader == 'driver' and t.stars_of_passenger
    return {
        trip = trip, kind = trips.is_booking(trip) and 'minibus' or 'taxi', receipt = t.receipt, driver = t.driver, card = next(card) and card or nil,
        route = trips.is_booking(trip) and t.route ~= '' and t.route or nil,
        passenger = reader == 'operator' and t.passenger or nil, passengers = tonumber(t.aboard or t.passengers),
        from_zone = not trips.is_booking(trip) and t.zone or nil, to_zone = t.to_zone,
        began_at = tonumber(t.aboard_at), ended_at = tonumber(t.closed_at), ['local'] = t.clock,
        distance_m = tonumber(t.metres), duration_s = math.max(0, math.floor((t.closed_at - (t.aboard_at or t.closed_at)) / 1000)),
        fare = fare_of(t), estimate = estimate_of(t),
        payment = { method = t.payment, state = t.paid, reference = reader ~= 'driver' and t.reference or nil },
        stars = rated and tonumber(rated) or nil, route_stars = reader == 'passenger' and tonumber(t.route_stars) or nil,
    }
end

-- The trip that a person or the office means, or nil and the refusal.
function receipts.find(c, role, subject, trip)
    local t = hash(trips.key(c, trip))
    if t.receipt and (role == 'operator' or role == 'service' or t[role] == subject) then return t end
    return nil, refuse('not_found', 'There is no trip ' .. trip .. ' of yours: it has not ended, or is no longer kept.')
end

-- receipt_get: role, subject, trip.
register('receipt_get', { 'role', 'subject', 'trip' }, function(c, given)
    local t, no = receipts.find(c, given.role, given.subject, given.trip)
    return t and ok(facts(t, given.trip, given.role)) or no
end, { 'no-writes' })

-- Makes the JSON of a trip of somebody's for who reads it; of one that is no longer kept, nil. given: of the two functions below. To read a trip
-- takes Redis 15 µs, to write it as JSON 10.
local function row(c, given)
    return function(trip)
        local t = hash(trips.key(c, trip))
        return t.receipt and t[given.role] == given.subject and cjson.encode(facts(t, trip, given.reader)) or nil
    end
end

-- trip_list: role and subject whose trips they are, the trip at which the page begins ('' = the latest), how many, and the reader's role. The
-- first portion of a page.
register('trip_list', { 'role', 'subject', 'from', 'limit', 'reader' }, function(c, given)
    local who = given.role .. ':' .. given.subject
    local key, first, limit = c.p .. 'trips:' .. who, 0, tonumber(given.limit)
    if given.from ~= '' then
        first = redis.call('ZREVRANK', key, given.from)
        if not first then return refuse('not_found', 'field `from`: no page begins at ' .. given.from .. ' any more; begin anew.') end
    end
    local found = redis.call('ZREVRANGE', key, first, first + limit)
    local after = found[limit + 1] and ',"next":' .. cjson.encode(found[limit + 1]) or ''
    return portions.first('{"trips":[', ']' .. after .. '}', found, math.min(limit, #found), row(c, given))
end, { 'no-writes' })

-- trip_rows: as of trip_list, and the trips of another portion of that page.
register('trip_rows', { 'role', 'subject', 'reader', 'trips' }, function(c, given) return portions.next(given.trips, row(c, given)) end,
    { 'no-writes' })

-- What may follow a state of a payment.
local MOVES = {
    pending = { paid = true, failed = true }, failed = { paid = true, pending = true }, paid = { refunded = true }, refunded = {},
}

-- So often a payment may change, and then only to be paid or refunded. Each change is told to both sides, and kept in what they are told.
local MOST_MOVES = 20

-- Why a payment can't become what is reported, as text; nil: it can. t: the trip.
local function no_move(t, trip, state, reference, service)
    -- That it was paid in cash says its driver. Where nobody did (ended by the office, or lost), a service settles it, and it is as any other.
    if t.payment ~= 'digital' and t.paid == 'paid' and not t.settled then return 'The trip ' .. trip .. ' is paid in cash.' end
    -- A reference names the payment. Two of them for one trip that is paid: somebody was charged twice.
    local is_other = reference ~= '' and t.reference and t.reference ~= reference
    if is_other and state == 'paid' and t.paid == 'paid' then
        return 'The payment of ' .. trip .. ' is paid already, under another reference: what was taken under this one is to be given back.'
    end
    -- Where either has none, only who reported it as paid (`payer`) can mean the same payment.
    local is_unnamed = reference == '' or not t.reference
    if is_unnamed and state == 'paid' and t.paid == 'paid' and t.payer and t.payer ~= service then
        return 'The payment of ' .. trip .. ' is paid already, as another service has reported: '
            .. 'if this is another payment, what was taken is to be given back.'
    end
    if is_other and state == 'refunded' then
        return 'The payment of ' .. trip .. ' has another reference: report its refund under that, or without.'
    end
    if t.paid ~= state and not (MOVES[t.paid] or {})[state] then
        return 'The payment of ' .. trip .. ' is ' .. t.paid .. ', and can\'t become ' .. state .. '.'
    end
end

-- payment_report: service, trip, state, reference ('' = none), key. Who reports what holds already changes nothing.
register('payment_report', { 'service', 'trip', 'state', 'reference', 'key' }, function(c, given)
    local trip, state = given.trip, given.state
    return once(c, 'payment.report', 'service:' .. given.service, given.key, function()
        local t, no = receipts.find(c, 'service', given.service, trip)
        if no then return no end
        local why = no_move(t, trip, state, given.reference, given.service)
        if why then return refuse('not_available', why) end
        if t.paid ~= state then
            if tonumber(t.payments or 0) >= MOST_MOVES and state ~= 'paid' and state ~= 'refunded' then
                return refuse('not_available', 'The payment of ' .. trip .. ' has changed ' .. MOST_MOVES .. ' times, and changes no more.')
            end
            local fields = { 'paid', state, 'payments', (t.payments or 0) + 1 }
            if given.reference ~= '' then fields[#fields + 1], fields[#fields + 2] = 'reference', given.reference end
            if state == 'paid' then fields[#fields + 1], fields[#fields + 2] = 'payer', given.service end
            if t.payment ~= 'digital' then fields[#fields + 1], fields[#fields + 2] = 'settled', '1' end
            redis.call('HSET', trips.key(c, trip), unpack(fields))
            log(c, 'payment.changed', trips.naming(trip, { zone = t.zone, driver = t.driver, passenger = t.passenger, receipt = t.receipt,
                payment_state = state }), given.reference ~= '' and { reference = given.reference } or nil)
            local told = { trip = trip, receipt = t.receipt, payment = { method = t.payment, state = state } }
            tell(c, 'passenger:' .. t.passenger, 'payment.changed', told)
            tell(c, 'driver:' .. t.driver, 'payment.changed', told)
        elseif state == 'paid' and given.reference ~= '' and not t.reference then
            -- Its name comes later: from now on no other is taken for it.
            redis.call('HSET', trips.key(c, trip), 'reference', given.reference)
        end
        return ok({ trip = trip, receipt = t.receipt, payment = { method = t.payment, state = state } })
    end)
end)

return { receipts = receipts }
