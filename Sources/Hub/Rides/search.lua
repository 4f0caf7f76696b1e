-- The search of a ride: who is asked for it, in which order, and what it waits for. A ride is `searching` (and then stands in
-- `waiting:<zone>` in the order of its request), or `offered` to exactly one driver (offer.lua). Nobody is free in its zone: it waits for those
-- who are asked for others; between two rounds there is a pause. Nobody is there: the zones around are looked through (`near`), and who waits on
-- (`wait_until`) is tried again until then. A ride in a pause, or that looks around again, stands in `looks` by when that is.

local load_ride, log, pick, set_ride, set_vehicle, tell = import('core', 'load_ride', 'log', 'pick', 'set_ride', 'set_vehicle', 'tell')
local digits, quoted = import('json', 'digits', 'quoted')
local cancels = import('limits', 'cancels')
local forget_walk = import('walk', 'forget_walk')
local taxi_figures = import('taxi_figures', 'taxi_figures')
local set_not_free = import('queue', 'set_not_free')
local around, gave_back = import('candidates', 'around', 'gave_back')
local free_at, have_others_room, lacks = import('candidates', 'free_at', 'have_others_room', 'lacks')
local failure, outlook, parties_up_to = import('candidates', 'failure', 'outlook', 'parties_up_to')
local read_for, read_on, take = import('candidates', 'read_for', 'read_on', 'take')
local take_unasked, view, words = import('candidates', 'take_unasked', 'view', 'words')
local room = import('room', 'room')

-- Who is told, in the same step, what becomes of rides that were reserved (`reservation` of the ride).
local followers = {}

local function follow(body) followers[#followers + 1] = body end

local function tell_followers(c, ride, r, what, facts)
    if not r.reservation then return end
    for _, body in ipairs(followers) do body(c, ride, r, what, facts or {}) end
end

-- A list of words, as the contract has it; nil: nothing is needed.
local function needs_of(r)
    if not r.needs then return nil end
    local list = {}
    for word in words(r.needs) do list[#list + 1] = word end
    return list
end

-- Who has been asked for a ride in vain: `asks:<ride>`, 1 in this round, 0 in an earlier one. Whom it is offered to now, or who has
-- accepted it, stands in the ride itself, so most rides need no such key.
local function remember_ask(c, ride, driver)
    redis.call('ZADD', c.p .. 'asks:' .. ride, 1, driver)
    redis.call('EXPIRE', c.p .. 'asks:' .. ride, c.history_ttl_s)
end

-- fields: of a ride that is not in Redis yet, with which it is made. by: 'operator', who asks a driver whose turn it need not be, or
-- 'neighbour': of a zone around, `zone`; nil: one of the ride's zone.
local function make_offer(c, ride, r, driver, fields, by, zone)
    local attempt = r.attempt + 1
    local deadline = string.format('%d', c.now + c.offer_seen_timeout_ms)
    set_ride(c, ride, 'state', 'offered', 'offered_to', driver, 'deadline', deadline, 'seen', '0',
        'attempt', digits(attempt),
        unpack(fields or {}))
    redis.call('ZADD', c.p .. 'offers', deadline, ride)
    if r.state == 'searching' then redis.call('ZREM', c.p .. 'waiting:' .. r.zone, ride) end
    if r.next_at or r.look_at then
        redis.call('HDEL', c.p .. 'ride:' .. ride, 'next_at', 'look_at')
        redis.call('ZREM', c.p .. 'looks', ride)
    end
    set_vehicle(c, driver, 'offer', ride)
    set_not_free(c, driver, zone or r.zone)
    local of = '{"ride":"' .. ride .. '","zone":' .. quoted(r.zone)
    log(c, 'offer.made', of .. ',"driver":"' .. driver .. '","round":' .. r.round .. ',"attempt":' .. digits(attempt)
        .. (by and ',"reason":"' .. by .. '"}' or '}'))
    tell(c, 'driver:' .. driver, 'offer.made', of .. ',"passengers":' .. r.passengers .. ',"expires_in_ms":' .. c.offer_timeout_ms_text
        .. ',"expires_at":' .. digits(c.now + c.offer_timeout_ms) .. (r.needs and ',"needs":' .. cjson.encode(needs_of(r)) .. '}' or '}'),
        r.lat .. ',' .. r.lon)
end

-- Until when a ride that searches now is searched at most.
local function search_ends(c, r)
    return string.format('%d', math.max(c.now + c.search_timeout_ms, tonumber(r.wait_until) or 0))
end

-- `searching` has the rides that search or are offered by when their search ends. One that is offered at once, as most are, keeps that as
-- `ends` and comes there when its first offer has come to nothing, as an offer ends by itself: that spares two commands.

-- fields: of a ride that is offered at once; gets `ends`, unless the search may end before the offer.
local function end_later(c, ride, r, fields)
    local ends = search_ends(c, r)
    if tonumber(ends) < c.now + c.offer_seen_timeout_ms + c.offer_timeout_ms + c.accept_grace_ms then
        redis.call('ZADD', c.p .. 'searching', ends, ride)
    else
        fields[#fields + 1], fields[#fields + 2] = 'ends', ends
    end
end

-- An offer of the ride has come to nothing.
local function searches_on(c, ride, r)
    if r.ends then redis.call('ZADD', c.p .. 'searching', r.ends, ride) end
end

-- r: as it was until now.
local function end_search(c, ride, r)
    if r.state == 'searching' then redis.call('ZREM', c.p .. 'waiting:' .. r.zone, ride) end
    if r.next_at or r.look_at then redis.call('ZREM', c.p .. 'looks', ride) end
    local is_first_offer = r.state == 'offered' and r.ends and r.attempt == '1'
    if r.state == 'searching' or r.state == 'offered' and not is_first_offer then redis.call('ZREM', c.p .. 'searching', ride) end
end

-- A ride that has come to its end, whichever: nothing open remains of it. r: as it was until now. is_brief: it took nobody anywhere.
-- facts: what followers are told of it. trip: the fields of a trip that it becomes (trip.lua), which is kept for longer.
local function close_ride(c, ride, r, state, is_brief, facts, trip)
    end_search(c, ride, r)
    if trip then
        set_ride(c, ride, 'state', state, 'closed_at', c.now_text, unpack(trip))
    else
        set_ride(c, ride, 'state', state, 'closed_at', c.now_text)
    end
    forget_walk(c.p .. 'ride:' .. ride, r)
    taxi_figures.note(c, r, state)
    redis.call('HDEL', c.p .. 'passenger:' .. r.passenger, 'ride')
    if is_brief then
        cancels.forget(c, 'ride:' .. ride)
        if r.attempt ~= '1' then cancels.forget(c, 'asks:' .. ride) end
    else
        redis.call('EXPIRE', c.p .. 'ride:' .. ride, trip and c.trip_kept_s_text or c.history_ttl_s_text)
    end
    tell_followers(c, ride, r, state, facts)
end

local function fail_ride(c, ride, r, code, detail)
    close_ride(c, ride, r, 'failed', nil, { code = code, detail = detail })
    if r.rang then cancels.add(c, r.passenger, 'd') end
    log(c, 'ride.failed', { ride = ride, zone = r.zone, passenger = r.passenger, code = code })
    tell(c, 'passenger:' .. r.passenger, 'ride.failed', { ride = ride, code = code, detail = detail })
end

-- Between two rounds there is a pause, so that a driver alone is not asked at once what it has just declined. Who comes
-- meanwhile is asked, and the pause begins anew after that.
local function is_pause_over(c, ride, r)
    if c.round_pause_ms == 0 then return true end
    if not r.next_at then
        r.next_at = string.format('%.0f', c.now + c.round_pause_ms)
        set_ride(c, ride, 'next_at', r.next_at)
    end
    if c.now >= tonumber(r.next_at) then return true end
    -- The sweep looks at it then (sweep_looks).
    redis.call('ZADD', c.p .. 'looks', r.next_at, ride)
    return false
end

-- Who was asked may be asked again.
local function ask_anew(c, ride)
    redis.call('ZUNIONSTORE', c.p .. 'asks:' .. ride, 1, c.p .. 'asks:' .. ride, 'WEIGHTS', 0)
    redis.call('EXPIRE', c.p .. 'asks:' .. ride, c.history_ttl_s)
end

local function next_round(c, ride, r)
    r.round = tonumber(r.round) + 1
    set_ride(c, ride, 'round', r.round)
    if r.next_at then redis.call('HDEL', c.p .. 'ride:' .. ride, 'next_at') end
    r.next_at = nil
    ask_anew(c, ride)
    log(c, 'ride.searching', { ride = ride, zone = r.zone, round = r.round, reason = 'next_round' })
    tell(c, 'passenger:' .. r.passenger, 'ride.searching',
        { ride = ride, zone = r.zone, round = r.round, reason = 'next_round' })
end

-- When a ride for which nobody is there looks around again: all of one zone together, so that the first of them comes first.
local function next_look(c, zone)
    -- Zones are often called by numbers, which lie close together; what is made of them must not.
    local shift = tonumber(string.sub(redis.sha1hex(zone), 1, 8), 16) % c.look_again_ms
    return math.floor((c.now - shift) / c.look_again_ms + 1) * c.look_again_ms + shift
end

-- Who was asked in vain is asked anew after so long, while the passenger waits on, ms.
local ASK_AGAIN_MS = 120000

-- Whether that time is over; it begins anew then.
local function may_ask_again(c, ride, r)
    if not r.wait_until or c.now < (tonumber(r.again_at) or 0) then return false end
    local has_waited = r.again_at
    r.again_at = string.format('%.0f', c.now + ASK_AGAIN_MS)
    set_ride(c, ride, 'again_at', r.again_at)
    if not has_waited then return false end
    ask_anew(c, ride)
    log(c, 'ride.searching', { ride = ride, zone = r.zone, round = tonumber(r.round), reason = 'asked_again' })
    return true
end

-- The ride waits for who comes.
local function wait_on(c, ride, r)
    -- It may stand there for the end of a pause that was sooner.
    if r.look_at and c.now < tonumber(r.look_at) then return redis.call('ZADD', c.p .. 'looks', r.look_at, ride) end
    local ends = tonumber(r.wait_until) or 0
    local at = next_look(c, r.zone)
    r.look_at = string.format('%.0f', ends > c.now and math.min(at, ends) or at)
    set_ride(c, ride, 'look_at', r.look_at)
    redis.call('ZADD', c.p .. 'looks', r.look_at, ride)
    if not r.wait_until or r.is_told then return end
    set_ride(c, ride, 'is_told', '1')
    log(c, 'ride.searching', { ride = ride, zone = r.zone, round = tonumber(r.round), reason = 'waiting' })
    tell(c, 'passenger:' .. r.passenger, 'ride.searching',
        { ride = ride, zone = r.zone, round = tonumber(r.round), reason = 'waiting', ['until'] = tonumber(r.wait_until) })
end

-- Asks the first who is free in the zones around. Answers whether somebody is asked; and whether somebody there may be asked later.
-- queue: of the ride's own zone.
local function ask_around(c, ride, r, queue)
    local may_come = false
    for zone, seen in around(c, queue, r) do
        local asked = {}
        local driver = take_unasked(c, ride, r, seen, asked)
        if driver then
            make_offer(c, ride, r, driver, nil, 'neighbour', zone)
            return true
        end
        may_come = may_come or not r.wait_until and outlook(c, ride, r, seen, asked) == 'unasked'
    end
    return false, may_come
end

-- One waiting ride against the free drivers: asked, told to wait, given another round, or failed. Answers who of this zone is asked.
-- queue: see view() in candidates.lua.
local function place_ride(c, ride, r, queue)
    local asked = {}
    local driver = take_unasked(c, ride, r, queue, asked)
    if driver then
        make_offer(c, ride, r, driver)
        return driver
    end
    local hope, is_given_back = outlook(c, ride, r, queue, asked)
    -- Who has given it back is asked no more: to wait for another round of them would be in vain.
    if hope == 'unasked' or is_given_back and ask_around(c, ride, r, queue) then return nil end
    if hope == 'asked' and tonumber(r.round) < c.rounds then
        if not is_pause_over(c, ride, r) then return nil end
        next_round(c, ride, r)
        return place_ride(c, ride, r, queue)
    end
    -- Nobody who is here takes it.
    local is_asked, may_come = ask_around(c, ride, r, queue)
    if is_asked then return nil end
    local waits = r.wait_until and c.now < tonumber(r.wait_until)
    if waits and may_ask_again(c, ride, r) then return place_ride(c, ride, r, queue) end
    if may_come or waits or hope == 'away' and (r.near or r.needs) then return wait_on(c, ride, r) end
    if hope ~= 'away' then fail_ride(c, ride, r, failure(r, hope)) end
end

-- A ride that was just requested: somebody is asked, or it waits for those who are. r, fields: not in Redis yet.
local function begin_search(c, ride, r, queue, fields)
    local driver = take_unasked(c, ride, r, queue, {})
    if driver then
        end_later(c, ride, r, fields)
        return make_offer(c, ride, r, driver, fields)
    end
    redis.call('ZADD', c.p .. 'searching', search_ends(c, r), ride)
    set_ride(c, ride, 'state', 'searching', 'attempt', '0', unpack(fields))
    redis.call('ZADD', c.p .. 'waiting:' .. r.zone, r.order, ride)
    if r.near or r.wait_until then place_ride(c, ride, load_ride(c, ride), queue) end
end

local function waiting(c, zone) return redis.call('ZRANGE', c.p .. 'waiting:' .. zone, '0', '-1') end

-- Rides that a sweep looks at, 20 to 140 us each; the next one looks at the others. Of those for which nobody is free, so many are looked at when
-- drivers are back, have gone or have other seats.
local LOOKED_AT = 25

-- It can wait for the next sweep.
local function look_soon(c, ride) redis.call('ZADD', c.p .. 'looks', 'LT', c.now_text, ride) end

local function look_soon_in(c, zone)
    for _, ride in ipairs(waiting(c, zone)) do look_soon(c, ride) end
end

-- Matches what waits in a zone with who is free there: rides in order of request (R2), drivers in order of the queue (R3). Of many rides
-- those behind ask who is free, and what becomes of them otherwise is seen by a sweep.
-- rides: of the zone, if they have been read.
local function dispatch(c, zone, rides)
    local queue = view(c, zone)
    for i, ride in ipairs(rides or waiting(c, zone)) do
        if i <= LOOKED_AT then
            place_ride(c, ride, load_ride(c, ride), queue)
        else
            local r = free_at(c, queue, 1) and load_ride(c, ride)
            local driver = r and take_unasked(c, ride, r, queue, {})
            if driver then make_offer(c, ride, r, driver) else look_soon(c, ride) end
        end
    end
end

local function scores(c, rides) return redis.call('ZMSCORE', c.p .. 'looks', unpack(rides)) end

-- As `dispatch`, when the time of rides has come (`looks`) that wait for a moment: of so many, `most`, in the order of their requests. What was
-- looked at is not due any more. Answers how many may still be looked at in this sweep.
local function dispatch_due(c, zone, most)
    local rides = waiting(c, zone)
    if #rides > most then
        local due = {}
        for i, at in ipairs(scores(c, rides)) do
            if at and tonumber(at) <= c.now and #due < most then due[#due + 1] = rides[i] end
        end
        rides = due
    end
    dispatch(c, zone, rides)
    if #rides == 0 then return most end
    for i, at in ipairs(scores(c, rides)) do
        if at and tonumber(at) <= c.now then
            -- It may have been looked at before its time: for a pause that is over, or a driver that was back.
            local look_at = redis.call('HGET', c.p .. 'ride:' .. rides[i], 'look_at')
            if look_at and tonumber(look_at) > c.now then
                redis.call('ZADD', c.p .. 'looks', look_at, rides[i])
            else
                redis.call('ZREM', c.p .. 'looks', rides[i])
            end
        end
    end
    return most - #rides
end

-- The same for one ride that searches anew. What waits besides has asked all who are free, or they
-- have no room for it: that is how each of these functions leaves a zone.
local function dispatch_ride(c, ride)
    local r = load_ride(c, ride)
    place_ride(c, ride, r, view(c, r.zone))
end

-- What says whether a driver can be asked for a ride.
local TRIED = { 'passengers', 'needs', 'gave_back', 'next_at' }

-- The same where only one driver can be asked now who could not before: the rides are tried with this one alone.
-- is_new: it was not there, or had fewer seats; rides that nobody had room for may have a round that is over by it.
-- again: a ride that has just been declined, and looks for a driver among all of them.
local function dispatch_driver(c, zone, driver, is_new, again)
    local rides = waiting(c, zone)
    if #rides == 0 then return end
    local v = redis.call('HMGET', c.p .. 'vehicle:' .. driver, 'away', 'offer', 'seats', 'state', 'zone', 'kind')
    local waits = v[4] == 'available' and v[5] == zone and v[6] ~= 'minibus'
    local is_there, seats = waits and not v[1], tonumber(v[3]) or math.huge
    local is_free, queue, left, able = is_there and not v[2], view(c, zone, driver), LOOKED_AT, {}
    for _, ride in ipairs(rides) do
        local is_looked_at = ride == again
        if not is_looked_at and is_there and (is_free or is_new) then
            local asked = redis.call('ZSCORE', c.p .. 'asks:' .. ride, driver)
            local was_asked = asked == '1'
            -- Once it is asked for one, only those are of interest that asked it before, or that it gave back, which it was asked for, too.
            local r = (is_free and not was_asked or is_new and asked) and load_ride(c, ride, TRIED)
            local can_take = r and seats >= tonumber(r.passengers) and not lacks(c, r, driver, able)
            was_asked = was_asked or can_take and gave_back(r, driver)
            if can_take and not was_asked and is_free then
                make_offer(c, ride, load_ride(c, ride), driver)
                is_free = false
                take(queue, driver)
            elseif can_take and was_asked and is_new then
                -- In a pause it waits for the end of that (sweep_looks).
                local is_paused = r.next_at and c.now < tonumber(r.next_at)
                is_looked_at = not is_paused
                    and (r.next_at or r.needs or not have_others_room(c, queue, tonumber(r.passengers)))
                if is_looked_at and left == 0 then
                    -- It has asked this driver already: it can wait for the sweep, or until it looks around again.
                    look_soon(c, ride)
                    is_looked_at = false
                elseif is_looked_at then
                    left = left - 1
                end
            end
        end
        if is_looked_at and place_ride(c, ride, load_ride(c, ride), queue) == driver then is_free = false end
    end
end

-- Whether a ride that waited for the answer of somebody who is gone now would find nothing new: it looks around again by itself, that driver
-- could not take it, or it has asked nobody yet, and others are there. able: what is known of the driver, see lacks().
local function is_in_good_hands(c, ride, queue, driver, able)
    local r = pick(c.p .. 'ride:' .. ride, { 'look_at', 'wait_until', 'attempt', 'passengers', 'needs' })
    if r.wait_until and r.look_at and c.now < tonumber(r.look_at) then return true end
    if driver and lacks(c, r, driver, able) then return true end
    return r.attempt == '0' and not r.needs and have_others_room(c, queue, tonumber(r.passengers))
end

-- The same where a driver has left a zone, or has fewer seats: there is nobody new to ask. A ride may have nobody left who has room for it, and the
-- round of one that waited for the driver's answer may be over. Larger parties than anybody had room for before are not looked at: they have been,
-- and the queue is not read to its end for them. However many drivers leave in one call, LOOKED_AT are looked at (`c.may_look`: how many more).
-- driver: if a ride had been offered to it. again: that ride, which looks for another one.
local function dispatch_rest(c, zone, driver, again)
    local rides = waiting(c, zone)
    if #rides == 0 then return end
    local queue, able, parties = view(c, zone), {}, nil
    read_on(c, queue)
    if queue.most_free < c.max_passengers then
        local largest
        parties, largest = parties_up_to(c, rides, room.most(c, zone, ''))
        read_for(c, queue, largest)
    end
    for _, ride in ipairs((parties or driver) and rides or {}) do
        local may_be_over = parties and (parties[ride] or 0) > queue.most_free
            or driver and redis.call('ZSCORE', c.p .. 'asks:' .. ride, driver) ~= '1'
        if ride == again then
            place_ride(c, ride, load_ride(c, ride), queue)
        elseif may_be_over and not is_in_good_hands(c, ride, queue, driver, able) then
            c.may_look = (c.may_look or LOOKED_AT) - 1
            if c.may_look >= 0 then place_ride(c, ride, load_ride(c, ride), queue) else look_soon(c, ride) end
        end
    end
end

return {
    follow = follow, tell_followers = tell_followers, needs_of = needs_of, remember_ask = remember_ask, make_offer = make_offer,
    end_search = end_search, search_ends = search_ends, searches_on = searches_on, close_ride = close_ride, fail_ride = fail_ride,
    ask_anew = ask_anew, begin_search = begin_search, dispatch = dispatch, dispatch_ride = dispatch_ride, dispatch_driver = dispatch_driver,
    dispatch_due = dispatch_due, dispatch_rest = dispatch_rest, look_soon_in = look_soon_in, LOOKED_AT = LOOKED_AT,
}
