-- A passenger asks for seats in any minibus that goes there: those that are near are judged by the worker, which knows the lines, and asked in its
-- order. From then on it is a booking like any other, which goes on to the next minibus where another one would end (`go_on` in seat.lua).

local ok, register, refuse = import('core', 'ok', 'register', 'refuse')
local blocks = import('blocks', 'blocks')
local callers = import('callers', 'callers')
local cancels = import('limits', 'cancels')
local seat_figures = import('seat_figures', 'seat_figures')
local ask_candidate, next_candidate, set_booking = import('seat', 'ask_candidate', 'next_candidate', 'set_booking')

-- To put together where all minibuses are takes 1.5 ms a thousand. Of more it is kept for so long, ms: by then a minibus has gone some 15 m.
local CROWD, KEPT_MS = 1000, 1000

-- A place, within how many metres, how many at most. JSON of the minibuses that are online, nearest first: those that go somewhere
-- (`minibuses` has who is online). Nothing of it is for people.
local function near_of(c, given)
    if math.abs(tonumber(given.lat)) > 85.05 then return '[]' end
    local near = c.p .. 'minibuses-near'
    -- For this call alone.
    redis.set_repl(redis.REPL_NONE)
    local is_crowd = redis.call('SCARD', c.p .. 'minibuses') > CROWD
    if not is_crowd or redis.call('EXISTS', near) == 0 then
        redis.call('ZINTERSTORE', near, 2, c.p .. 'pos', c.p .. 'minibuses', 'WEIGHTS', 1, 0)
    end
    local found = redis.call('GEOSEARCH', near, 'FROMLONLAT', given.lon, given.lat, 'BYRADIUS', given.radius_m, 'm', 'ASC', 'COUNT', given.most)
    if not is_crowd then redis.call('DEL', near) elseif redis.call('PTTL', near) == -1 then redis.call('PEXPIRE', near, KEPT_MS) end
    redis.set_repl(redis.REPL_ALL)
    local shown = {}
    for _, driver in ipairs(found) do
        local v = redis.call('HMGET', c.p .. 'vehicle:' .. driver,
            'state', 'away', 'capacity', 'taken', 'held', 'route', 'way', 'along', 'lat', 'lon')
        if v[1] == 'available' and not v[2] and (v[6] or v[7]) then
            local json = cjson.encode({ vehicle = driver, free = v[3] - v[4] - v[5], route = v[6] or nil, along = v[8] or nil,
                position = { lat = tonumber(v[9]), lon = tonumber(v[10]) } })
            -- The way as it is kept: to take it apart and put it together again took four fifths of the time.
            shown[#shown + 1] = v[7] and string.sub(json, 1, -2) .. ',"way":' .. v[7] .. '}' or json
        end
    end
    return '[' .. table.concat(shown, ',') .. ']'
end

-- seat_near: as near_of, and the passenger, the key and who asks for one who telephones, of the seat.request that it is for: what that would
-- answer without looking at any minibus is answered here.
register('seat_near', { 'lat', 'lon', 'radius_m', 'most', 'passenger?', 'key?', 'by?' }, function(c, given)
    return callers.ahead(c, 'seat.request', given.passenger or '', given.key or '', given.by, function() return near_of(c, given) end)
end)

-- seat_request: passenger, booking id (new, random), lat, lon, destination lat, lon, passengers, currency, the minibuses to ask (lines, see
-- next_candidate in seat.lua), 1 if others go there that are full, key, who asks for one who telephones, how it will be paid ('' = in cash), the
-- zone of the pickup ('' = none).
register('seat_request', {
    'passenger', 'booking', 'lat', 'lon', 'to_lat', 'to_lon', 'passengers', 'currency', 'next', 'full', 'key', 'by?', 'payment?', 'zone?',
}, function(c, given)
    local passenger, booking, n = given.passenger, given.booking, tonumber(given.passengers)
    return callers.once(c, 'seat.request', passenger, given.key, given.by, 'booking', function(caller, note)
        local open = redis.call('HMGET', c.p .. 'passenger:' .. passenger, 'booking', 'ride', 'blocked')
        local barred = blocks.refusal(c, open[3])
        if barred then return barred end
        if open[1] or open[2] then
            return refuse('already_requested', (open[1] or open[2]) .. ' is still open. Cancel it first, or wait for its end.')
        end
        local too_soon = cancels.refusal(c, passenger)
        if too_soon then return too_soon end
        local b = { passenger = passenger, passengers = n, next = given.next, currency = given.currency,
            ends = string.format('%.0f', c.now + c.search_timeout_ms) }
        b.payment = (given.payment or '') ~= '' and given.payment or nil
        b.zone = (given.zone or '') ~= '' and given.zone or nil
        local found = next_candidate(c, b)
        local advice = ' Request again in a few minutes, or ask for a taxi with ride.request.'
        if not found then
            local is_full = given.full == '1' or given.next ~= ''
            seat_figures.unmet(c, given, is_full and 'seats_full' or 'not_available')
            if is_full then return refuse('seats_full', 'No minibus that goes there has ' .. n .. ' free seats now.' .. advice) end
            return refuse('not_available', 'No minibus passes there and then goes to the destination now.' .. advice)
        end
        b.order = redis.call('INCR', c.p .. 'requests')
        set_booking(c, booking, 'passenger', passenger, 'lat', given.lat, 'lon', given.lon, 'dlat', given.to_lat, 'dlon', given.to_lon,
            'passengers', n, 'seats', 0, 'order', b.order, 'notified', '0', 'requested_at', c.now_text, 'ends', b.ends, 'currency', given.currency,
            unpack(b.payment and { 'payment', b.payment } or {}))
        if b.zone then set_booking(c, booking, 'zone', b.zone) end
        if caller then
            note(c, passenger, caller)
            set_booking(c, booking, 'name', caller.name, 'number', caller.number)
        end
        redis.call('HSET', c.p .. 'passenger:' .. passenger, 'booking', booking)
        ask_candidate(c, booking, b, found, 'requested')
        return ok({ booking = booking, passengers = n, state = 'searching', ['until'] = tonumber(b.ends) })
    end)
end)
