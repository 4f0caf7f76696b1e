-- What an operator does by hand to rides, bookings and queues: a driver is put into its queue, a ride is offered to one who is chosen, taken
-- from its driver, cancelled or ended. Each act is one step with its entry in the audit; a refusal leaves none.

local hash, is_minibus, load_ride, ok = import('core', 'hash', 'is_minibus', 'load_ride', 'ok')
local refuse, register, vehicle = import('core', 'refuse', 'register', 'vehicle')
local audit = import('audit', 'audit')
local blocks = import('blocks', 'blocks')
local papers = import('papers', 'papers')
local join, leave, place = import('queue', 'join', 'leave', 'place')
local lacks, nobody_around, view = import('candidates', 'lacks', 'nobody_around', 'view')
local dispatch_driver = import('search', 'dispatch_driver')
local offer_by_operator = import('offer', 'offer_by_operator')
local cancel_by_operator, reassign_by_operator = import('ride', 'cancel_by_operator', 'reassign_by_operator')
local end_by_operator = import('ride_end', 'end_by_operator')
local cancel_confirmed, cancel_unanswered = import('seat', 'cancel_confirmed', 'cancel_unanswered')
local end_booking = import('pickup', 'end_booking')
local reservations = import('reservation', 'reservations')
local known, standing = import('office', 'known', 'standing')

-- For so long after it was lost a driver's old place is given back to it without a rank, ms.
local OLD_PLACE_MS = 3600000

-- Why a driver can't be asked anything now; nil: it can.
local function unreachable(c, driver, v)
    if not v.session or redis.call('ZSCORE', c.p .. 'gone', driver) then
        return refuse('not_available', driver .. ' is not connected: its driver must open the app first.')
    end
    if v.away then
        return refuse('not_available', driver .. ' does not answer: its driver must look at the app first.')
    end
end

local function no_taxi(driver, v)
    return is_minibus(v) and refuse('not_available', driver .. ' is a minibus: it waits in no queue, and its seats are booked.') or nil
end

-- The score of who stands there in a queue, counted from 0, without who has the place `own` in it.
local function score_of(key, own, index)
    if index < 0 then return nil end
    if own and own <= index then index = index + 1 end
    return tonumber(redis.call('ZRANGE', key, index, index, 'WITHSCORES')[2])
end

-- A score by which a driver gets this rank, nil: at the end; or the refusal. Scores are written with 14 digits, so a place between
-- the same two can be halved some 20 times.
local function score_at(c, driver, zone, rank)
    local key = c.p .. 'queue:' .. zone
    local own = redis.call('ZRANK', key, driver) or nil
    local ahead, behind = score_of(key, own, rank - 2), score_of(key, own, rank - 1)
    if not behind then return nil end
    local score = string.format('%.14g', ahead and ahead + (behind - ahead) * 0.382 or behind - 1)
    if tonumber(score) >= behind or ahead and tonumber(score) <= ahead then
        return nil, refuse('not_available', 'There is no more room at rank ' .. rank .. ': take the one before or after.')
    end
    return score
end

-- Where a driver that is put back stands: zone, score (nil: at the end); or the refusal. given: of office_put.
local function seat_in_queue(c, driver, v, given)
    local is_there = v.state == 'available'
    local zone = is_there and v.zone or given.zone
    if not is_there and not v.lat then
        return nil, nil, refuse('no_position', 'The hub knows no position of ' .. driver .. ': its driver must open the app first.')
    end
    if not is_there and c.now - tonumber(v.heard or 0) > c.stale_after_ms then
        return nil, nil, refuse('no_position', 'The last position of ' .. driver .. ' is '
            .. math.floor((c.now - tonumber(v.heard or 0)) / 1000) .. ' s old: its driver must open the app first.')
    end
    if zone == '' then return nil, nil, refuse(given.code, driver .. ': ' .. given.detail) end
    if given.wanted ~= '' and given.wanted ~= zone then
        return nil, nil, refuse('not_available', driver .. ' is in zone ' .. zone .. ', not in ' .. given.wanted
            .. ': leave `zone` out, or let it drive there.')
    end
    if given.rank ~= '' then
        local score, no = score_at(c, driver, zone, tonumber(given.rank))
        return zone, score, no
    end
    if is_there then
        return nil, nil, refuse('not_available', driver .. ' waits in zone ' .. zone .. ' already, at rank ' .. place(c, driver, zone)
            .. ': name a `rank` to move it.')
    end
    local is_known = v.lost_zone == zone and v.lost_until and c.now - tonumber(v.lost_until) < OLD_PLACE_MS
    return zone, is_known and v.lost_score or nil
end

-- office_put: operator, driver, zone of its last position ('' = none, and why: code, detail), zone that is wanted ('' = any), rank
-- ('' = its old place, or the end), reason, key. What a driver must wait for by its own fault, the office spares it.
register('office_put', { 'operator', 'driver', 'zone', 'code', 'detail', 'wanted', 'rank', 'reason', 'key' }, function(c, given)
    local driver = given.driver
    return audit.act(c, 'office.put', given, function()
        local v, no = known(c, driver)
        no = no or no_taxi(driver, v)
        if no then return no end
        if v.state == 'busy' then
            return refuse('not_available', driver .. ' is on ride ' .. (v.ride or '') .. ': it comes back into a queue after that.')
        end
        if blocks.holds(c, v.blocked) then
            return refuse('not_available', driver .. ' is blocked: end that first, with office.unblock.')
        end
        no = unreachable(c, driver, v)
        local card
        if not no and v.state ~= 'available' then no, card = papers.for_office(c, driver) end
        if no then return no end
        local zone, score, wrong = seat_in_queue(c, driver, v, given)
        if wrong then return wrong end
        local before = standing(c, driver, v)
        if v.state == 'available' then leave(c, driver, v, 'operator', 'available') end
        local rank, size = join(c, driver, v, zone, 'operator', score, card)
        local id = audit.write(c, given.operator, 'office.put', 'driver:' .. driver, given.reason, before,
            { state = 'available', zone = zone, rank = rank })
        dispatch_driver(c, zone, driver, true)
        return ok({ driver = driver, state = 'available', zone = zone, rank = rank, size = size, audit = id })
    end)
end)

-- Who is chosen for a ride: its vehicle, or the refusal.
local function chosen(c, driver, r)
    local v, no = known(c, driver)
    no = no or no_taxi(driver, v)
    if no then return nil, no end
    if v.state == 'busy' then return nil, refuse('not_available', driver .. ' is on ride ' .. (v.ride or '') .. ': choose another one.') end
    no = unreachable(c, driver, v)
    if no then return nil, no end
    if v.state ~= 'available' then
        return nil, refuse('not_available', driver .. ' is not available: put it into its queue first, with office.put, or choose another one.')
    end
    if v.offer then
        return nil, refuse('not_available', driver .. ' is asked for ride ' .. v.offer .. ' now: wait for its answer, or choose another one.')
    end
    if v.seats and tonumber(v.seats) < tonumber(r.passengers) then
        return nil, refuse('seats_full', driver .. ' has ' .. v.seats .. ' free seats; the ride is for ' .. r.passengers .. ' passengers.')
    end
    local lacking = lacks(c, r, driver)
    if lacking then return nil, refuse('not_available', driver .. ' has no ' .. lacking
        .. ' by its record, which the ride needs: choose another one.') end
    return v
end

-- What a ride was: as it is in the audit.
local function facts(r)
    return { state = r.state, passenger = audit.person(r.passenger), driver = r.driver or r.state == 'offered' and r.offered_to or nil }
end

-- An act on a ride that there is.
local function act_on_ride(c, command, given, body)
    return audit.act(c, command, given, function()
        local r = load_ride(c, given.ride)
        if not r.state then return refuse('not_found', 'There is no ride ' .. given.ride .. ', or it is long over.') end
        return body(r)
    end)
end

local function over(what, state) return refuse('not_available', 'The ' .. what .. ' is over: it is ' .. state .. '.') end

-- office_offer: operator, ride, driver, key.
register('office_offer', { 'operator', 'ride', 'driver', 'key' }, function(c, given)
    local ride, driver = given.ride, given.driver
    return act_on_ride(c, 'office.offer', given, function(r)
        if r.state == 'accepted' then
            return refuse('not_available', r.driver .. ' has taken the ride: take it from there with office.reassign.')
        end
        if r.state == 'aboard' then return refuse('not_available', 'The passengers are aboard of ' .. r.driver .. '.') end
        if r.state ~= 'searching' and r.state ~= 'offered' then return over('ride', r.state) end
        if r.state == 'offered' and r.offered_to == driver then
            return refuse('not_available', driver .. ' is asked for it already: wait for its answer.')
        end
        local v, no = chosen(c, driver, r)
        if no then return no end
        offer_by_operator(c, ride, r, driver, v)
        local id = audit.write(c, given.operator, 'office.offer', 'ride:' .. ride, nil, facts(r),
            { state = 'offered', passenger = audit.person(r.passenger), driver = driver })
        return ok({ ride = ride, driver = driver, state = 'offered', audit = id })
    end)
end)

-- office_reassign: operator, ride, driver ('' = whoever is next), reason, key.
register('office_reassign', { 'operator', 'ride', 'driver', 'reason', 'key' }, function(c, given)
    local ride, other = given.ride, given.driver ~= '' and given.driver or nil
    return act_on_ride(c, 'office.reassign', given, function(r)
        if r.state == 'searching' or r.state == 'offered' then
            return refuse('not_available', 'No driver has taken the ride: offer it to one with office.offer.')
        end
        if r.state == 'aboard' then
            return refuse('not_available', 'The passengers are aboard of ' .. r.driver .. ': if they are not, end the ride with office.end.')
        end
        if r.state ~= 'accepted' then return over('ride', r.state) end
        if other == r.driver then return refuse('not_available', other .. ' has the ride: choose another one.') end
        if other then
            local _, no = chosen(c, other, r)
            if no then return no end
        else
            local code, detail = nobody_around(c, view(c, r.zone), r)
            if code then
                -- The zone and those around were looked through.
                audit.tried(c, given.operator)
                return refuse(code, detail .. ' Its driver keeps the ride; to give it up, send office.cancel.')
            end
        end
        reassign_by_operator(c, ride, r, given.reason, other)
        local after = load_ride(c, ride)
        local id = audit.write(c, given.operator, 'office.reassign', 'ride:' .. ride, given.reason, facts(r), facts(after))
        return ok({ ride = ride, driver = after.state == 'offered' and after.offered_to or nil, state = after.state, audit = id })
    end)
end)

-- An act on a ride, a booking or a reservation (`what`), by the name of each.
local function act_on(c, command, given, on)
    return audit.act(c, command, given, function()
        local what, id = given.what, given.id
        local found = hash(c.p .. what .. ':' .. id)
        if not found.state then return refuse('not_found', 'There is no ' .. what .. ' ' .. id .. ', or it is long over.') end
        local no = on[what](found)
        if no then return no end
        local state = command == 'office.end' and 'ended' or 'cancelled'
        local entry = audit.write(c, given.operator, command, what .. ':' .. id, given.reason, facts(found), { state = state })
        return ok({ [what] = id, state = state, audit = entry })
    end)
end

-- office_cancel: operator, what (ride, booking or reservation), its id, reason, key.
register('office_cancel', { 'operator', 'what', 'id', 'reason', 'key' }, function(c, given)
    return act_on(c, 'office.cancel', given, {
        ride = function(r)
            if r.state == 'aboard' then
                return refuse('not_available', 'The passengers are aboard: the driver ends the ride; if it does not, send office.end.')
            end
            if r.state ~= 'searching' and r.state ~= 'offered' and r.state ~= 'accepted' then return over('ride', r.state) end
            cancel_by_operator(c, given.id, r, given.reason)
        end,
        booking = function(b)
            if b.state == 'aboard' then
                return refuse('not_available', 'The passengers are aboard: the driver ends the booking; if it does not, send office.end.')
            end
            local v = vehicle(c, b.driver)
            if b.state == 'confirmed' then
                cancel_confirmed(c, given.id, b, v, 'operator', 'operator', given.reason)
            elseif b.state == 'waiting' or b.state == 'offered' then
                cancel_unanswered(c, given.id, b, v, 'operator', given.reason)
            else
                return over('booking', b.state)
            end
        end,
        reservation = function(v) return reservations.cancel_by_operator(c, given.id, v, given.reason) end,
    })
end)

-- office_end: operator, what (ride or booking), its id, reason, key. Of one whose driver does not end it.
register('office_end', { 'operator', 'what', 'id', 'reason', 'key' }, function(c, given)
    local function not_yet(what) return refuse('not_available', 'Nobody is aboard: cancel the ' .. what .. ' with office.cancel.') end
    return act_on(c, 'office.end', given, {
        ride = function(r)
            if r.state == 'searching' or r.state == 'offered' or r.state == 'accepted' then return not_yet('ride') end
            if r.state ~= 'aboard' then return over('ride', r.state) end
            end_by_operator(c, given.id, r, given.reason)
        end,
        booking = function(b)
            if b.state == 'waiting' or b.state == 'offered' or b.state == 'confirmed' then return not_yet('booking') end
            if b.state ~= 'aboard' then return over('booking', b.state) end
            end_booking(c, given.id, b, vehicle(c, b.driver), nil, nil, given.reason)
        end,
    })
end)
