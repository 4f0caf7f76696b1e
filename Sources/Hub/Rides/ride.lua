-- A ride that has a driver (offer.lua), until its passenger is aboard (ride_end.lua): alerted, given back, taken back.

local clear_vehicle, hash, load_ride, log, pick = import('core', 'clear_vehicle', 'hash', 'load_ride', 'log', 'pick')
local pass_on, register, vehicle = import('core', 'pass_on', 'register', 'vehicle')
local ok, once, refuse, set_ride, set_state, tell = import('core', 'ok', 'once', 'refuse', 'set_ride', 'set_state', 'tell')
local quoted = import('json', 'quoted')
local blocks = import('blocks', 'blocks')
local callers = import('callers', 'callers')
local how_it_comes, pay = import('coming', 'how_it_comes', 'pay')
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

-- A driver is told that its ride is off. is_out: it is not available from now on, and is told so; else `queue.joined` follows.
local function tell_driver(c, driver, ride, by, reason, is_out, text)
    tell(c, 'driver:' .. driver, 'ride.cancelled',
        { ride = ride, by = by, reason = reason, state = is_out and 'unavailable' or nil, text = text })
end

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
-- by: passenger (who does not wait for a lost driver) | driver | operator, who says why (text). is_out: the driver is not available after it.
local function give_back(c, ride, r, reason, by, is_out, text)
    r.gave_back = (r.gave_back or '\n') .. r.driver .. '\n'
    set_ride(c, ride, 'state', 'searching', 'notified', '0', 'gave_back', r.gave_back)
    redis.call('HDEL', c.p .. 'ride:' .. ride, 'driver', 'accepted_at', 'place', 'place_zone', 'arrived_at', 'near_at', 'from', 'ends')
    -- Where its passenger walked to was for this driver.
    forget_walk(c.p .. 'ride:' .. ride, r)
    ask_anew(c, ride)
    remember_ask(c, ride, r.driver)
    redis.call('ZADD', c.p .. 'waiting:' .. r.zone, r.order, ride)
    redis.call('ZADD', c.p .. 'searching', search_ends(c, r), ride)
    log(c, 'ride.searching', { ride = ride, zone = r.zone, driver = r.driver, round = tonumber(r.round), reason = reason })
    tell(c, 'passenger:' .. r.passenger, 'ride.searching',
        { ride = ride, zone = r.zone, round = tonumber(r.round), reason = reason })
    tell_driver(c, r.driver, ride, by, reason, is_out, text)
    tell_followers(c, ride, r, 'searching', { reason = reason })
end

-- The driver has accepted and stays away, or says that the passenger is aboard, who says that it is not: the ride is over, as if the
-- driver had given it back. Nobody but the two knows who is right: the log has how far the taxi drove meanwhile, for the office.
local function leave_behind(c, ride, r, v)
    close_ride(c, ride, r, 'cancelled', nil, { by = 'passenger' })
    log(c, 'ride.cancelled', { ride = ride, zone = r.zone, driver = r.driver, passenger = r.passenger, by = 'passenger',
        aboard_s = r.aboard_at and math.floor((c.now - r.aboard_at) / 1000), driven_m = r.aboard_at and math.floor(trips.metres(v)) })
    tell(c, 'passenger:' .. r.passenger, 'ride.cancelled', { ride = ride, by = 'passenger', reason = 'passenger' })
    -- Who has driven on since is elsewhere, perhaps with somebody aboard: it says itself when it is available again.
    local has_driven = r.state == 'aboard' and trips.metres(v) > trips.least_m
    -- Such a one, and one that was at the pickup, may be right about who is aboard: both pay, so that neither can often have a ride, or a fare, for
    -- nothing.
    local is_unclear = has_driven or r.state == 'aboard' and not r.unmet
    pay(c, is_unclear and 'unclear' or 'away', r, v, r.passenger, r.driver)
    if v.away then redis.call('ZADD', c.p .. 'away', v.away, r.driver) end
    local is_out = has_driven or blocks.holds(c, v.blocked) or cancels.driver_refusal(c, r.driver)
    tell_driver(c, r.driver, ride, 'passenger', 'passenger', is_out)
    if is_out then
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
        v = vehicle(c, r.driver)
        tell_driver(c, r.driver, ride, 'passenger', 'passenger', is_refused or blocks.holds(c, v.blocked))
        restore(c, r, v, is_lost, is_refused)
        dispatch_driver(c, r.place_zone, r.driver, true)
    elseif r.state == 'offered' then
        free_again(c, r.offered_to)
    end
    return ok({ ride = ride, state = 'cancelled' })
end

-- The office takes a ride back that nobody is aboard of: it counts against nobody, and the driver keeps its turn. text: why.
local function cancel_by_operator(c, ride, r, text)
    if r.state == 'offered' then withdraw_offer(c, ride, r) end
    close_ride(c, ride, r, 'cancelled', nil, { by = 'operator', text = text })
    log(c, 'ride.cancelled', { ride = ride, zone = r.zone, driver = r.driver, passenger = r.passenger, by = 'operator', text = text })
    tell(c, 'passenger:' .. r.passenger, 'ride.cancelled', { ride = ride, by = 'operator', reason = 'operator', text = text })
    if r.state == 'accepted' then
        local v = vehicle(c, r.driver)
        tell_driver(c, r.driver, ride, 'operator', 'operator', blocks.holds(c, v.blocked), text)
        restore(c, r, v, v.missing)
        dispatch_driver(c, r.place_zone, r.driver, true)
    elseif r.state == 'offered' then
        free_again(c, r.offered_to)
    end
end

-- The office takes an accepted ride from its driver, who keeps its turn. It is offered to `other`, or searched again, first in line.
local function reassign_by_operator(c, ride, r, text, other)
    local v = vehicle(c, r.driver)
    give_back(c, ride, r, 'operator', 'operator', blocks.holds(c, v.blocked), text)
    local rank = restore(c, r, v, v.missing)
    if other then
        offer_by_operator(c, ride, load_ride(c, ride), other, vehicle(c, other))
    elseif not rank or r.place_zone ~= r.zone then
        dispatch_ride(c, ride)
    end
    if rank then dispatch_driver(c, r.place_zone, r.driver, true, not other and ride) end
end

-- The driver of an accepted ride is lost: it is off the ride, which goes to the next.
local function lose_driver(c, ride, r, by)
    local v = vehicle(c, r.driver)
    if by == 'passenger' then cancels.add(c, 'driver:' .. r.driver) end
    reliability.count(c, 'driver', r.driver, 'give_backs', v)
    give_back(c, ride, r, 'driver_lost', by, true)
    make_unavailable(c, r.driver, v)
    dispatch_ride(c, ride)
end

-- zone: where the driver is; '' outside every zone, '?' nobody knows. Who gives back ride after ride is not available any more, and
-- may be again after a while.
local function cancel_by_driver(c, ride, r, zone)
    local v = vehicle(c, r.driver)
    cancels.add(c, 'driver:' .. r.driver)
    reliability.count(c, 'driver', r.driver, 'give_backs', v)
    if blocks.holds(c, v.blocked) or cancels.driver_refusal(c, r.driver) then zone = '' end
    give_back(c, ride, r, 'driver_cancelled', 'driver', zone == '')
    mark_back(c, r.driver, v)
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
        local was = { state = r.state, driver = r.driver }
        if r.state == 'aboard' and role == 'driver' then
            return refuse('not_available', 'The passenger is aboard: end the ride.')
        end
        if r.state == 'aboard' then
            local left = cancels.aboard_for(c, r.aboard_at)
            if left > 0 then return cancels.still_aboard(left, 'ride') end
            return leave_behind(c, ride, r, vehicle(c, r.driver)), was
        end
        if role == 'driver' and r.state == 'accepted' then return cancel_by_driver(c, ride, r, given.zone) end
        if role == 'passenger' and (r.state == 'searching' or r.state == 'offered' or r.state == 'accepted') then
            return cancel_by_passenger(c, ride, r), was
        end
        if r.state == 'cancelled' then return ok({ ride = ride, state = 'cancelled' }), false end
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
        if r.state == 'searching' or r.state == 'offered' then return ok({ ride = ride, state = 'searching' }), false end
        if r.state ~= 'accepted' then return refuse('not_available', 'The ride is ' .. r.state .. '.') end
        if not redis.call('HGET', c.p .. 'vehicle:' .. r.driver, 'missing') then
            return refuse('not_available', 'Your driver is on the way. To give the ride up, send ride.cancel.')
        end
        local code, detail = nobody_around(c, view(c, r.zone), r)
        if code then
            return refuse(code, detail .. ' Your driver keeps the ride meanwhile, and may come back; to give it up, send ride.cancel.')
        end
        local was = { state = r.state, driver = r.driver }
        lose_driver(c, ride, r, 'passenger')
        return ok({ ride = ride, state = 'searching' }), was
    end)
end)

local ALERTED = { 'state', 'driver', 'passenger', 'zone', 'notified' }

-- ride_alert: driver, ride, rung (500 or 20), metres, confidence, and the `ride.eta` of the same fix, as it would be published ('' = none is
-- told). The ladder is latched: each rung is told once (C11).
register('ride_alert', { 'driver', 'id', 'rung', 'metres', 'confidence', 'eta?' }, function(c, given)
    local driver, ride, rung = given.driver, given.id, given.rung
    pass_on(c, given.eta)
    local r = load_ride(c, ride, ALERTED)
    if r.driver ~= driver or r.state ~= 'accepted' then return 0 end
    local reached = r.notified
    local event = '{"ride":"' .. ride .. '","zone":' .. quoted(r.zone) .. ',"driver":"' .. driver .. '","distance_m":' .. given.metres .. '}'
    local data = '{"ride":"' .. ride .. '","taxi":"' .. driver .. '","distance_m":' .. given.metres .. ',"confidence":"' .. given.confidence .. '"}'
    if reached == '0' then
        log(c, 'ride.near', event)
        tell(c, 'passenger:' .. r.passenger, 'ride.near', data)
    end
    if rung == '20' and reached ~= '20' then
        set_ride(c, ride, 'notified', rung, 'arrived_at', c.now_text)
        log(c, 'ride.arrived', event)
        tell(c, 'passenger:' .. r.passenger, 'ride.arrived', data)
        tell(c, 'driver:' .. driver, 'ride.confirm_aboard', '{"ride":"' .. ride .. '"}')
    elseif reached == '0' then
        set_ride(c, ride, 'notified', rung, 'near_at', c.now_text)
    end
    return 1
end)

return {
    tell_driver = tell_driver, make_unavailable = make_unavailable, restore = restore, lose_driver = lose_driver, meant = meant,
    cancel_by_operator = cancel_by_operator, cancel_by_passenger = cancel_by_passenger, reassign_by_operator = reassign_by_operator,
}
