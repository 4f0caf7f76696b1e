-- A ride from its request to its end: requested, accepted (offer.lua), alerted, aboard, ended; or cancelled, not shown up.

local clear_vehicle, hash, load_ride, log, pick = import('core', 'clear_vehicle', 'hash', 'load_ride', 'log', 'pick')
local register, set_vehicle, vehicle = import('core', 'register', 'set_vehicle', 'vehicle')
local ok, once, refuse, set_ride, set_state, tell = import('core', 'ok', 'once', 'refuse', 'set_ride', 'set_state', 'tell')
local blocks = import('blocks', 'blocks')
local callers = import('callers', 'callers')
local how_it_comes, is_elsewhere, pay = import('coming', 'how_it_comes', 'is_elsewhere', 'pay')
local cancels = import('limits', 'cancels')
local reliability = import('reliability', 'reliability')
local join, mark_back = import('queue', 'join', 'mark_back')
local nobody_around, view = import('candidates', 'nobody_around', 'view')
local ask_anew, close_ride, dispatch_driver = import('search', 'ask_anew', 'close_ride', 'dispatch_driver')
local dispatch_ride, remember_ask, search_ends = import('search', 'dispatch_ride', 'remember_ask', 'search_ends')
local tell_followers = import('search', 'tell_followers')
local trips = import('trip', 'trips')
local forget_walk = import('walk', 'forget_walk')
local free_again, offer_by_operator, withdraw_offer = import('offer', 'free_again', 'offer_by_operator', 'withdraw_offer')

local function make_unavailable(c, driver, v)
    set_state(c, driver, v, 'unavailable')
    clear_vehicle(c, driver, 'ride')
    redis.call('ZREM', c.p .. 'alive', driver)
end

-- The driver of an accepted ride is free again, at the place that it had; after long on the way, or if it was lost, at the bottom.
-- One that is away stays so, and loses the place if that lasts. Who was blocked meanwhile is not available: no rank is answered then.
local function restore(c, r, v, was_lost, is_refused)
    if v.away then redis.call('ZADD', c.p .. 'away', v.away, r.driver) end
    if is_refused or blocks.holds(c, v.blocked) then return make_unavailable(c, r.driver, v) end
    local keeps = not was_lost and c.now - tonumber(r.accepted_at) <= c.recovery_ms
    return join(c, r.driver, v, r.place_zone, 'restored', keeps and r.place or nil)
end

-- The driver gives an accepted ride back (or is lost with it): the ride is searched again, first in line (C45).
-- by: passenger (who does not wait for a lost driver) | driver | operator, who says why (text)
local function give_back(c, ride, r, reason, by, text)
    r.gave_back = (r.gave_back or '\n') .. r.driver .. '\n'
    set_ride(c, ride, 'state', 'searching', 'notified', '0', 'gave_back', r.gave_back)
    redis.call('HDEL', c.p .. 'ride:' .. ride, 'driver', 'accepted_at', 'place', 'place_zone', 'arrived_at', 'near_at', 'from')
    -- Where its passenger walked to was for this driver.
    forget_walk(c.p .. 'ride:' .. ride, r)
    ask_anew(c, ride)
    remember_ask(c, ride, r.driver)
    redis.call('ZADD', c.p .. 'waiting:' .. r.zone, r.order, ride)
    redis.call('ZADD', c.p .. 'searching', search_ends(c, r), ride)
    log(c, 'ride.searching', { ride = ride, zone = r.zone, driver = r.driver, round = tonumber(r.round), reason = reason })
    tell(c, 'passenger:' .. r.passenger, 'ride.searching',
        { ride = ride, zone = r.zone, round = tonumber(r.round), reason = reason })
    tell(c, 'driver:' .. r.driver, 'ride.cancelled', { ride = ride, by = by, reason = reason, text = text })
    tell_followers(c, ride, r, 'searching', { reason = reason })
end

-- The driver has accepted and stays away, or says that the passenger is aboard, who says that it is not: the ride is over, as if the
-- driver had given it back. Nobody but the two knows who is right: the log has how far the taxi drove meanwhile, for the office.
local function leave_behind(c, ride, r, v)
    close_ride(c, ride, r, 'cancelled', nil, { by = 'passenger' })
    log(c, 'ride.cancelled', { ride = ride, zone = r.zone, driver = r.driver, passenger = r.passenger, by = 'passenger',
        aboard_s = r.aboard_at and math.floor((c.now - r.aboard_at) / 1000), driven_m = r.aboard_at and math.floor(trips.metres(v)) })
    tell(c, 'passenger:' .. r.passenger, 'ride.cancelled', { ride = ride, by = 'passenger', reason = 'passenger' })
    tell(c, 'driver:' .. r.driver, 'ride.cancelled', { ride = ride, by = 'passenger', reason = 'passenger' })
    -- Who has driven on since is elsewhere, perhaps with somebody aboard: it says itself when it is available again.
    local has_driven = r.state == 'aboard' and trips.metres(v) > trips.least_m
    -- Such a one, and one that was at the pickup, may be right about who is aboard: both pay, so that neither can often have a ride, or a fare, for
    -- nothing.
    local is_unclear = has_driven or r.state == 'aboard' and not r.unmet
    pay(c, is_unclear and 'unclear' or 'away', r, v, r.passenger, r.driver)
    if v.away then redis.call('ZADD', c.p .. 'away', v.away, r.driver) end
    if has_driven or blocks.holds(c, v.blocked) or cancels.driver_refusal(c, r.driver) then
        make_unavailable(c, r.driver, v)
    else
        join(c, r.driver, v, r.place_zone, 'gave_back')
        dispatch_driver(c, r.place_zone, r.driver, true)
    end
    return ok({ ride = ride, state = 'cancelled' })
end

local function cancel_by_passenger(c, ride, r)
    local v = r.state == 'accepted' and vehicle(c, r.driver)
    local how = v and how_it_comes(c, r, v)
    if how == 'away' then return leave_behind(c, ride, r, v) end
    if r.state == 'offered' then withdraw_offer(c, ride, r) end
    close_ride(c, ride, r, 'cancelled', nil, { by = 'passenger' })
    -- Whose driver is lost has rung nobody in vain: the driver pays for it.
    local is_lost, is_refused = v and v.missing, false
    if is_lost then
        cancels.add(c, 'driver:' .. r.driver)
    elseif v then
        is_refused = pay(c, how, r, v, r.passenger, r.driver)
    else
        cancels.add(c, r.passenger, tonumber(r.attempt) == 0 and 'w' or nil)
    end
    log(c, 'ride.cancelled', { ride = ride, zone = r.zone, driver = r.driver, passenger = r.passenger, by = 'passenger' })
    tell(c, 'passenger:' .. r.passenger, 'ride.cancelled', { ride = ride, by = 'passenger', reason = 'passenger' })
    if r.state == 'accepted' then
        tell(c, 'driver:' .. r.driver, 'ride.cancelled', { ride = ride, by = 'passenger', reason = 'passenger' })
        restore(c, r, vehicle(c, r.driver), is_lost, is_refused)
        dispatch_driver(c, r.place_zone, r.driver, true)
    elseif r.state == 'offered' then
        free_again(c, r.offered_to)
    end
    return ok({ ride = ride, state = 'cancelled' })
end

-- The office takes a ride back that nobody is aboard of: it counts against nobody, and the driver keeps its turn. text: why.
local function cancel_by_operator(c, ride, r, text)
    local told = { ride = ride, by = 'operator', reason = 'operator', text = text }
    if r.state == 'offered' then withdraw_offer(c, ride, r) end
    close_ride(c, ride, r, 'cancelled', nil, { by = 'operator' })
    log(c, 'ride.cancelled', { ride = ride, zone = r.zone, driver = r.driver, passenger = r.passenger, by = 'operator', text = text })
    tell(c, 'passenger:' .. r.passenger, 'ride.cancelled', told)
    if r.state == 'accepted' then
        tell(c, 'driver:' .. r.driver, 'ride.cancelled', told)
        local v = vehicle(c, r.driver)
        restore(c, r, v, v.missing)
        dispatch_driver(c, r.place_zone, r.driver, true)
    elseif r.state == 'offered' then
        free_again(c, r.offered_to)
    end
end

-- The office takes an accepted ride from its driver, who keeps its turn. It is offered to `other`, or searched again, first in line.
local function reassign_by_operator(c, ride, r, text, other)
    give_back(c, ride, r, 'operator', 'operator', text)
    local v = vehicle(c, r.driver)
    local rank = restore(c, r, v, v.missing)
    if other then
        offer_by_operator(c, ride, load_ride(c, ride), other, vehicle(c, other))
    elseif not rank or r.place_zone ~= r.zone then
        dispatch_ride(c, ride)
    end
    if rank then dispatch_driver(c, r.place_zone, r.driver, true, not other and ride) end
end

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
    tell(c, 'driver:' .. r.driver, 'ride.cancelled', { ride = ride, by = 'operator', reason = 'operator', text = text })
    make_unavailable(c, r.driver, v)
end

-- The driver of an accepted ride is lost: it is off the ride, which goes to the next.
local function lose_driver(c, ride, r, by)
    local v = vehicle(c, r.driver)
    if by == 'passenger' then cancels.add(c, 'driver:' .. r.driver) end
    reliability.count(c, 'driver', r.driver, 'give_backs', v)
    give_back(c, ride, r, 'driver_lost', by)
    make_unavailable(c, r.driver, v)
    dispatch_ride(c, ride)
end

-- zone: where the driver is; '' outside every zone, '?' nobody knows. Who gives back ride after ride is not available any more, and
-- may be again after a while.
local function cancel_by_driver(c, ride, r, zone)
    give_back(c, ride, r, 'driver_cancelled', 'driver')
    local v = vehicle(c, r.driver)
    mark_back(c, r.driver, v)
    cancels.add(c, 'driver:' .. r.driver)
    reliability.count(c, 'driver', r.driver, 'give_backs', v)
    if blocks.holds(c, v.blocked) or cancels.driver_refusal(c, r.driver) then zone = '' end
    if zone == '' then
        make_unavailable(c, r.driver, v)
    else
        if zone == '?' then zone = r.place_zone end
        join(c, r.driver, v, zone, 'gave_back')
    end
    if zone ~= r.zone then dispatch_ride(c, ride) end
    if zone ~= '' then dispatch_driver(c, zone, r.driver, true, ride) end
    return ok({ ride = ride, state = 'cancelled' })
end

-- The ride, or the booking (`what`), that a command of its driver or passenger means: the one named, or the one that is
-- open. Answers its id and hash, or as the third the refusal. names: those of its fields that are needed, `state` and the role among
-- them; nil: all. v: the driver's vehicle, if it has been read.
local function meant(c, what, role, subject, named, names, v)
    local holder = role == 'driver' and 'vehicle:' or 'passenger:'
    local id = named
    if named == '' and v then id = v[what] elseif named == '' then id = redis.call('HGET', c.p .. holder .. subject, what) end
    if not id then return nil, nil, refuse('not_found', 'You have no open ' .. what .. '.') end
    local key = c.p .. what .. ':' .. id
    local found = names and pick(key, names) or hash(key)
    if not found.state or found[role] ~= subject then
        return nil, nil, refuse('not_found', 'The ' .. what .. ' ' .. id .. ' is not yours, or does not exist.')
    end
    return id, found
end

-- ride_cancel: role, subject, ride ('' = the open one), key, zone where the driver is ('' = outside, '?' = unknown), who asks for one who
-- telephones.
register('ride_cancel', { 'role', 'subject', 'ride', 'key', 'zone', 'by?' }, function(c, given)
    local role, subject = given.role, given.subject
    local function cancel()
        local ride, r, no = meant(c, 'ride', role, subject, given.ride)
        if no then return no end
        if r.state == 'aboard' and role == 'driver' then
            return refuse('not_available', 'The passenger is aboard: end the ride.')
        end
        if r.state == 'aboard' then
            local left = cancels.aboard_for(c, r.aboard_at)
            if left > 0 then return cancels.still_aboard(left, 'ride') end
            return leave_behind(c, ride, r, vehicle(c, r.driver))
        end
        if role == 'driver' and r.state == 'accepted' then return cancel_by_driver(c, ride, r, given.zone) end
        if role == 'passenger' and (r.state == 'searching' or r.state == 'offered' or r.state == 'accepted') then
            return cancel_by_passenger(c, ride, r)
        end
        if r.state == 'cancelled' then return ok({ ride = ride, state = 'cancelled' }) end
        return refuse('not_available', 'The ride is over: it is ' .. r.state .. '.')
    end
    if role == 'passenger' then return callers.once(c, 'ride.cancel', subject, given.key, given.by, 'ride', cancel) end
    return once(c, 'ride.cancel', role .. ':' .. subject, given.key, cancel)
end)

-- ride_search: passenger, ride ('' = the open one), key. The passenger waits no longer for a driver that is lost: the ride is
-- searched again, first in line, and the driver is off it. Until the driver is back; then it is on its way again. Refused while
-- nobody else could be asked, in its zone or those around. (command ride.search)
register('ride_search', { 'passenger', 'ride', 'key', 'by?' }, function(c, given)
    local passenger = given.passenger
    return callers.once(c, 'ride.search', passenger, given.key, given.by, 'ride', function()
        local ride, r, no = meant(c, 'ride', 'passenger', passenger, given.ride)
        if no then return no end
        if r.state == 'searching' or r.state == 'offered' then return ok({ ride = ride, state = 'searching' }) end
        if r.state ~= 'accepted' then return refuse('not_available', 'The ride is ' .. r.state .. '.') end
        if not redis.call('HGET', c.p .. 'vehicle:' .. r.driver, 'missing') then
            return refuse('not_available', 'Your driver is on the way. To give the ride up, send ride.cancel.')
        end
        local code, detail = nobody_around(c, view(c, r.zone), r)
        if code then
            return refuse(code, detail .. ' Your driver keeps the ride meanwhile, and may come back; to give it up, send ride.cancel.')
        end
        lose_driver(c, ride, r, 'passenger')
        return ok({ ride = ride, state = 'searching' })
    end)
end)

local ALERTED = { 'state', 'driver', 'passenger', 'zone', 'notified' }

-- ride_alert: driver, ride, rung (500 or 20), metres, confidence. The ladder is latched: each rung is told once (C11).
register('ride_alert', { 'driver', 'id', 'rung', 'metres', 'confidence' }, function(c, given)
    local driver, ride, rung = given.driver, given.id, tonumber(given.rung)
    local r = load_ride(c, ride, ALERTED)
    if r.driver ~= driver or r.state ~= 'accepted' then return 0 end
    local reached = tonumber(r.notified)
    local data = { ride = ride, taxi = driver, distance_m = tonumber(given.metres), confidence = given.confidence }
    if reached == 0 then
        log(c, 'ride.near', { ride = ride, zone = r.zone, driver = driver, distance_m = data.distance_m })
        tell(c, 'passenger:' .. r.passenger, 'ride.near', data)
    end
    if rung == 20 and reached ~= 20 then
        set_ride(c, ride, 'notified', given.rung, 'arrived_at', c.now_text)
        log(c, 'ride.arrived', { ride = ride, zone = r.zone, driver = driver, distance_m = data.distance_m })
        tell(c, 'passenger:' .. r.passenger, 'ride.arrived', data)
        tell(c, 'driver:' .. driver, 'ride.confirm_aboard', { ride = ride })
    elseif reached == 0 then
        set_ride(c, ride, 'notified', given.rung, 'near_at', c.now_text)
    end
    return 1
end)

local BOARDING = { 'state', 'driver', 'passenger', 'zone', 'passengers', 'notified', 'lat', 'lon', 'asked' }

-- ride_aboard: driver, ride ('' = the open one), passengers ('' = as requested), key.
register('ride_aboard', { 'driver', 'ride', 'passengers', 'key' }, function(c, given)
    local driver = given.driver
    return once(c, 'ride.aboard', 'driver:' .. driver, given.key, function()
        local ride, r, no = meant(c, 'ride', 'driver', driver, given.ride, BOARDING)
        if no then return no end
        if r.state == 'aboard' then return ok({ ride = ride }) end
        if r.state ~= 'accepted' then return refuse('not_available', 'The ride is over: it is ' .. r.state .. '.') end
        local passengers = tonumber(given.passengers) or tonumber(r.passengers)
        if passengers > c.max_passengers then
            return refuse('too_many_passengers', 'At most ' .. c.max_passengers .. ' passengers can ride; got ' .. given.passengers .. '.')
        end
        if r.notified ~= '20' then
            -- What it drives from here counts, not the way from where the passenger was to be (trip.lua).
            local is_unmet = is_elsewhere(r, vehicle(c, driver))
            if is_unmet then set_ride(c, ride, 'unmet', '1') end
            if is_unmet or r.notified == '0' then cancels.add(c, 'driver:' .. driver, 'f') end
        end
        set_ride(c, ride, 'state', 'aboard', 'aboard_at', c.now_text, 'aboard', passengers)
        trips.begin_meter(c, driver)
        log(c, 'ride.aboard', { ride = ride, zone = r.zone, driver = driver, passengers = passengers })
        tell(c, 'passenger:' .. r.passenger, 'ride.aboard', { ride = ride, passengers = passengers })
        return ok({ ride = ride })
    end)
end)

-- Available again where the driver now is; outside every zone ('') it is not, nor who has ended ride after ride at once, or without
-- having been at the pickup.
-- told: of the trip, nil if it was none.
local function free_driver(c, driver, v, ride, zone, is_brief, has_fetched, told)
    told = told or {}
    mark_back(c, driver, v)
    local brief = is_brief and cancels.one_more_brief(c, v)
    if zone == '?' then zone = v.zone end
    local is_barred = blocks.holds(c, v.blocked)
    if is_barred or zone == '' or cancels.brief_wait(c, v) or not has_fetched and cancels.driver_refusal(c, driver) then
        if brief then set_vehicle(c, driver, 'brief', brief) end
        make_unavailable(c, driver, v)
        return ok({ ride = ride, state = 'unavailable', reason = is_barred and 'blocked' or zone == '' and 'outside_zones' or nil,
            receipt = told.receipt, fare = told.fare, payment = told.payment })
    end
    local rank, size = join(c, driver, v, zone, 'ended', nil, brief and { 'brief', brief })
    dispatch_driver(c, zone, driver, true)
    return ok({ ride = ride, state = 'available', zone = zone, rank = rank, size = size, receipt = told.receipt, fare = told.fare,
        payment = told.payment })
end

local ENDING = { 'state', 'driver', 'passenger', 'requested_at', 'attempt', 'notified', 'zone', 'accepted_at', 'arrived_at', 'reservation', 'payment',
    'lat', 'lon', 'asked', 'unmet' }

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
        -- Of a reserved one nobody has said yet how it will be paid.
        if given.payment == 'digital' and r.payment ~= 'digital' and not r.reservation then
            return refuse('not_available', 'The passenger has asked to pay in cash: only it can wish otherwise, as it asks. End the ride with '
                .. '`payment` cash, or without.')
        end
        local is_brief = cancels.is_brief(c, r.requested_at)
        local trip, told
        -- What took nobody anywhere is no trip.
        if not is_brief and trips.is_any(r, v) then
            reliability.ride_ended(c, r.passenger, r, v)
            trip, told = trips.made(c, ride, r, driver, v.card, {
                payment = text('payment'), clock = text('clock'), to_zone = given.zone ~= '?' and text('zone') or nil,
                metres = text('metres') or string.format('%.0f', trips.driven(r, v)),
                fare = text('fare'), currency = given.currency, parts = given.parts })
        end
        close_ride(c, ride, r, 'ended', is_brief, nil, trip)
        log(c, 'ride.ended', trips.logged(told, { ride = ride, zone = r.zone, driver = driver, passenger = r.passenger }))
        local facts = told or {}
        tell(c, 'passenger:' .. r.passenger, 'ride.ended',
            { ride = ride, receipt = facts.receipt, fare = facts.fare, payment = facts.payment })
        return free_driver(c, driver, v, ride, given.zone, is_brief, r.notified == '20', told)
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

return {
    make_unavailable = make_unavailable, lose_driver = lose_driver, meant = meant, cancel_by_operator = cancel_by_operator,
    cancel_by_passenger = cancel_by_passenger,
    reassign_by_operator = reassign_by_operator, end_by_operator = end_by_operator,
}
