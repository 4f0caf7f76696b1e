-- The end of a ride: its passenger is aboard, and it ends as a trip (trip.lua); or nobody came.

local log, ok, once, refuse, register = import('core', 'log', 'ok', 'once', 'refuse', 'register')
local pick, set_ride, set_vehicle, tell, vehicle = import('core', 'pick', 'set_ride', 'set_vehicle', 'tell', 'vehicle')
local digits, quoted = import('json', 'digits', 'quoted')
local blocks = import('blocks', 'blocks')
local is_elsewhere = import('coming', 'is_elsewhere')
local cancels = import('limits', 'cancels')
local reliability = import('reliability', 'reliability')
local join, mark_back = import('queue', 'join', 'mark_back')
local close_ride, dispatch_driver = import('search', 'close_ride', 'dispatch_driver')
local trips = import('trip', 'trips')
local make_unavailable, meant, restore, tell_driver = import('ride', 'make_unavailable', 'meant', 'restore', 'tell_driver')

local BOARDING = { 'state', 'driver', 'passenger', 'zone', 'passengers', 'notified', 'lat', 'lon', 'asked' }

-- ride_aboard: driver, ride ('' = the open one), passengers ('' = as requested), key.
register('ride_aboard', { 'driver', 'ride', 'passengers', 'key' }, function(c, given)
    local driver = given.driver
    return once(c, 'ride.aboard', 'driver:' .. driver, given.key, function()
        local v = pick(c.p .. 'vehicle:' .. driver, { 'ride', 'lat', 'lon' })
        local ride, r, no = meant(c, 'ride', 'driver', driver, given.ride, BOARDING, v)
        if no then return no end
        if r.state == 'aboard' then return ok({ ride = ride }) end
        if r.state ~= 'accepted' then return refuse('not_available', 'The ride is over: it is ' .. r.state .. '.') end
        local passengers = tonumber(given.passengers) or tonumber(r.passengers)
        if passengers > c.max_passengers then
            return refuse('too_many_passengers', 'At most ' .. c.max_passengers .. ' passengers can ride; got ' .. given.passengers .. '.')
        end
        -- What it drives from here counts, not the way from where the passenger was to be (trip.lua); though it may have been there before.
        if is_elsewhere(r, v) then set_ride(c, ride, 'unmet', '1') end
        set_ride(c, ride, 'state', 'aboard', 'aboard_at', c.now_text, 'aboard', given.passengers ~= '' and given.passengers or r.passengers)
        trips.begin_meter(c, driver)
        local reply, count = '{"ride":"' .. ride .. '"', ',"passengers":' .. digits(passengers) .. '}'
        log(c, 'ride.aboard', reply .. ',"zone":' .. quoted(r.zone) .. ',"driver":"' .. driver .. '"' .. count)
        tell(c, 'passenger:' .. r.passenger, 'ride.aboard', reply .. count)
        return ok(reply .. '}')
    end)
end)

-- Available again where the driver now is; outside every zone ('') it is not, nor who has ended ride after ride at once, or without
-- having been at the pickup.
-- receipt: the last members of the reply's JSON, which are what is told of the trip, and its brace.
local function free_driver(c, driver, v, ride, zone, is_brief, has_fetched, receipt)
    mark_back(c, driver, v)
    local brief = is_brief and cancels.one_more_brief(c, v)
    if zone == '?' then zone = v.zone end
    -- By the last one `driver.available` is refused now, and says why and for how long.
    local reason = blocks.holds(c, v.blocked) and 'blocked' or zone == '' and 'outside_zones'
        or (cancels.brief_wait(c, v) or not has_fetched and cancels.driver_refusal(c, driver)) and 'rate_limited'
    if reason then
        if brief then set_vehicle(c, driver, 'brief', brief) end
        make_unavailable(c, driver, v)
        return ok('{"ride":"' .. ride .. '","state":"unavailable","reason":"' .. reason .. '"' .. receipt)
    end
    local rank, size = join(c, driver, v, zone, 'ended', nil, brief and { 'brief', brief })
    dispatch_driver(c, zone, driver, true)
    return ok('{"ride":"' .. ride .. '","state":"available","zone":' .. quoted(zone) .. ',"rank":' .. digits(rank) .. ',"size":'
        .. digits(size) .. receipt)
end

local ENDING = { 'state', 'driver', 'passenger', 'requested_at', 'attempt', 'notified', 'zone', 'accepted_at', 'arrived_at', 'reservation', 'payment',
    'lat', 'lon', 'dlat', 'dlon', 'asked', 'unmet', 'aboard_at', 'estimate' }

-- ride_finish: driver, ride ('' = the open one), zone where the driver is ('' = outside, '?' = unknown), key, how it is paid ('' = as was asked
-- for; digital only if it was), the time on the city's clock, metres, and its fare in hundredths ('' = none is told), currency and parts
-- (trip.lua). (command ride.end)
register('ride_finish', {
    'driver', 'ride', 'zone', 'key', 'payment?', 'clock?', 'metres?', 'fare?', 'currency?', 'parts?',
}, function(c, given)
    local driver = given.driver
    local function text(name) return given[name] and given[name] ~= '' and given[name] or nil end
    return once(c, 'ride.end', 'driver:' .. driver, given.key, function()
        local v = vehicle(c, driver)
        local ride, r, no = meant(c, 'ride', 'driver', driver, given.ride, ENDING, v)
        if no then return no end
        if r.state == 'accepted' then
            return refuse('not_available', 'The passenger is not aboard yet: send ride.aboard, ride.noshow or ride.cancel.')
        end
        if r.state ~= 'aboard' then return refuse('not_available', 'The ride is over: it is ' .. r.state .. '.') end
        if given.payment == 'digital' and r.payment ~= 'digital' then
            return refuse('not_available', 'The passenger has asked to pay in cash: only it can wish otherwise, as it asks. End the ride with '
                .. '`payment` cash, or without.')
        end
        -- Passengers may have put their pin elsewhere: it counts against the driver only if nobody was driven anywhere.
        local is_driven = trips.metres(v) >= trips.least_m
        local is_brief = cancels.is_brief(c, r.requested_at) or trips.moved(v) < trips.least_m and cancels.is_brief(c, r.aboard_at)
            or not trips.has_moved(r, v)
        local trip, told
        local is_trip = not is_brief and trips.is_any(r, v)
        if (is_brief or not is_driven) and (r.unmet or r.notified == '0') then cancels.add(c, 'driver:' .. driver, 'f') end
        -- What took nobody anywhere is no trip.
        if is_trip then
            reliability.ride_ended(c, r.passenger, r, v)
            trip, told = trips.made(c, ride, r, driver, v.card, {
                payment = text('payment'), clock = text('clock'), to_zone = given.zone ~= '?' and text('zone') or nil,
                metres = text('metres') or string.format('%.0f', trips.driven(r, v)),
                fare = text('fare'), currency = given.currency, parts = given.parts })
        end
        close_ride(c, ride, r, 'ended', is_brief, nil, trip)
        log(c, 'ride.ended', trips.logged(told, { ride = ride, zone = r.zone, driver = driver, passenger = r.passenger }))
        local receipt = told and ',' .. string.sub(cjson.encode({ receipt = told.receipt, fare = told.fare, payment = told.payment }), 2) or '}'
        tell(c, 'passenger:' .. r.passenger, 'ride.ended', '{"ride":"' .. ride .. '"' .. receipt)
        return free_driver(c, driver, v, ride, given.zone, is_brief, r.notified == '20' and not r.unmet, receipt)
    end)
end)

-- ride_noshow: driver, ride ('' = the open one), key. Nobody came for noshow_wait_ms after the taxi was there. The old
-- place is restored; it counts for the passenger's reliability (R12).
register('ride_noshow', { 'driver', 'ride', 'key' }, function(c, given)
    local driver = given.driver
    return once(c, 'ride.noshow', 'driver:' .. driver, given.key, function()
        local ride, r, no = meant(c, 'ride', 'driver', driver, given.ride)
        if no then return no end
        if r.state ~= 'accepted' then return refuse('not_available', 'The ride is ' .. r.state .. '.') end
        if r.notified ~= '20' then
            return refuse('not_available', 'Drive to the pickup first; or give the ride back with ride.cancel.')
        end
        -- A ride of an earlier build may have no `arrived_at`.
        local left = tonumber(r.arrived_at or r.accepted_at) + c.noshow_wait_ms - c.now
        if left > 0 then
            local wait = math.ceil(left / 1000)
            return refuse('not_available', 'Wait for the passenger for ' .. wait .. ' s more, then send it again.', left)
        end
        local v = vehicle(c, driver)
        if is_elsewhere(r, v) then
            return refuse('not_available', 'You have left the pickup: the passenger is missed only by who waits there.')
        end
        close_ride(c, ride, r, 'noshow')
        cancels.add(c, r.passenger, 'n')
        reliability.count(c, 'passenger', r.passenger, 'no_shows')
        log(c, 'ride.noshow', { ride = ride, zone = r.zone, driver = driver, passenger = r.passenger })
        tell(c, 'passenger:' .. r.passenger, 'ride.cancelled', { ride = ride, by = 'driver', reason = 'noshow' })
        mark_back(c, driver, v)
        local rank, size = restore(c, r, v)
        if not rank then return ok({ ride = ride, state = 'unavailable', reason = 'blocked' }) end
        dispatch_driver(c, r.place_zone, driver, true)
        return ok({ ride = ride, state = 'available', zone = r.place_zone, rank = rank, size = size })
    end)
end)

-- The office ends a ride whose driver does not: where the driver is nobody knows, so it says itself when it is available again.
local function end_by_operator(c, ride, r, text)
    local v = vehicle(c, r.driver)
    local is_brief = cancels.is_brief(c, r.requested_at)
    local trip, told
    -- What took nobody anywhere is no trip.
    if not is_brief and trips.is_any(r, v) then trip, told = trips.made(c, ride, r, r.driver, v.card) end
    close_ride(c, ride, r, 'ended', is_brief, nil, trip)
    log(c, 'ride.ended', trips.logged(told, { ride = ride, zone = r.zone, driver = r.driver, passenger = r.passenger, reason = 'operator',
        text = text }))
    tell(c, 'passenger:' .. r.passenger, 'ride.ended',
        { ride = ride, reason = 'operator', receipt = told and told.receipt, payment = told and told.payment })
    tell_driver(c, r.driver, ride, 'operator', 'operator', true, text)
    make_unavailable(c, r.driver, v)
end

return { end_by_operator = end_by_operator }
