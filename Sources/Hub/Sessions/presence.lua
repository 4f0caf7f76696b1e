-- Who is connected where, what it missed, and what is live: hello, the loss of a link, batches of positions.

local beginning, clear_vehicle, feed_line, register = import('core', 'beginning', 'clear_vehicle', 'feed_line', 'register')
local forget_place, is_beginning, is_minibus = import('core', 'forget_place', 'is_beginning', 'is_minibus')
local is_followed, load_ride, point, push = import('core', 'is_followed', 'load_ride', 'point', 'push')
local pick, set_vehicle, show_in = import('core', 'pick', 'set_vehicle', 'show_in')
local take_up_awaited, tell_watchers, vehicle = import('core', 'take_up_awaited', 'tell_watchers', 'vehicle')
local workers = import('workers', 'workers')
local papers = import('papers', 'papers')
local callers = import('callers', 'callers')
local trips = import('trip', 'trips')
local can_have_come = import('distances', 'can_have_come')
local is_from_before = import('hub_time', 'is_from_before')
local links = import('limits', 'links')
local people = import('people', 'people')
local wishes_of = import('notify', 'wishes_of')
local missing = import('lost', 'missing')
local leave, mark_away, mark_back, place, recover = import('queue', 'leave', 'mark_away', 'mark_back', 'place', 'recover')
local remembers, set_free = import('queue', 'remembers', 'set_free')
local dispatch, dispatch_driver, dispatch_rest = import('search', 'dispatch', 'dispatch_driver', 'dispatch_rest')
local needs_of = import('search', 'needs_of')
local assignment, fare_of, load_booking = import('seat', 'assignment', 'fare_of', 'load_booking')
local enlist, forget_way, go_offline, has_bookings = import('minibus', 'enlist', 'forget_way', 'go_offline', 'has_bookings')
local minibus_is_back = import('minibus', 'minibus_is_back')
local do_without = import('driver', 'do_without')
local buses = import('bus', 'buses')
local stops = import('stop', 'stops')
local reservations = import('reservation', 'reservations')
local tours = import('tour', 'tours')

-- A minibus: what is taken, what it is asked, and its bookings in the order in which they came.
local function minibus_snapshot(c, driver, v)
    local s = { state = v.state, kind = 'minibus', notify = wishes_of(c, 'driver:' .. driver),
        capacity = tonumber(v.capacity), taken = tonumber(v.taken), seats = tonumber(v.seats),
        route = v.route or nil, way = v.way and cjson.decode(v.way) or nil }
    local meta, bookings = '', {}
    if v.asking then
        local b = load_booking(c, v.asking)
        local left = b.seen == '1' and tonumber(b.deadline) - c.now or c.offer_timeout_ms
        s.request = { booking = v.asking, passengers = tonumber(b.passengers), length_m = tonumber(b.length),
            distance_m = tonumber(b.distance), detour_m = tonumber(b.detour), fare = fare_of(b), payment = b.payment,
            expires_in_ms = math.max(0, left), expires_at = c.now + math.max(0, left) }
        meta = b.lat .. ',' .. b.lon
    end
    for i, booking in ipairs(redis.call('ZRANGE', c.p .. 'bookings:' .. driver, 0, -1)) do
        local b = load_booking(c, booking)
        bookings[i] = assignment(booking, b)
        bookings[i].state, bookings[i].notified = b.state, tonumber(b.notified)
    end
    if #bookings > 0 then s.bookings = bookings end
    return s, meta
end

local function driver_snapshot(c, driver, v)
    if is_minibus(v) then return minibus_snapshot(c, driver, v) end
    local s = { state = v.state or 'unavailable', notify = wishes_of(c, 'driver:' .. driver) }
    if s.state == 'available' then
        s.zone = v.zone
        s.rank, s.size = place(c, driver, v.zone)
    end
    local meta = ''
    local r = v.offer and load_ride(c, v.offer) or {}
    if r.deadline then
        local left = tonumber(r.deadline) - c.now
        if r.seen ~= '1' then left = c.offer_timeout_ms end
        s.offer = { ride = v.offer, zone = r.zone, passengers = tonumber(r.passengers), needs = needs_of(r),
            expires_in_ms = math.max(0, left), expires_at = c.now + math.max(0, left) }
        meta = r.lat .. ',' .. r.lon
    end
    if v.ride then
        local ride = load_ride(c, v.ride)
        s.ride = { ride = v.ride, state = ride.state, pickup = point(ride.lat, ride.lon), passengers = tonumber(ride.passengers),
            notified = tonumber(ride.notified), contact = callers.contact(ride), needs = needs_of(ride),
            payment = ride.payment }
        if ride.dlat then s.ride.destination = point(ride.dlat, ride.dlon) end
    end
    return s, meta
end

-- Where the passenger's booking stands; `waiting` and `offered` are one to it.
local function booking_snapshot(c, booking)
    local b = load_booking(c, booking)
    local s = { booking = booking, vehicle = b.driver, state = b.state, passengers = tonumber(b.passengers), fare = fare_of(b),
        notified = tonumber(b.notified) }
    if b.state == 'waiting' or b.state == 'offered' then
        s.state = b.ends and 'searching' or 'pending'
        if b.ends then s.vehicle, s['until'] = nil, tonumber(b.ends) end
    else
        local v = vehicle(c, b.driver)
        if v.lat then s.position = { lat = tonumber(v.lat), lon = tonumber(v.lon), at = tonumber(v.at) } end
        if b.state == 'confirmed' then s.driver_lost = missing(c, v) end
        s.card = v.card and cjson.decode(v.card)
    end
    return s
end

local function passenger_snapshot(c, passenger)
    local open = redis.call('HMGET', c.p .. 'passenger:' .. passenger, 'ride', 'booking')
    local ride, requests, reserved = open[1], stops.of_citizen(c, passenger), reservations.of(c, passenger)
    if not ride then
        return { ride = cjson.null, booking = open[2] and booking_snapshot(c, open[2]) or nil, requests = requests,
            reservations = reserved, notify = wishes_of(c, 'passenger:' .. passenger) }
    end
    local r = load_ride(c, ride)
    local s = { ride = ride, state = r.state, zone = r.zone, passengers = tonumber(r.passengers), needs = needs_of(r) }
    if r.state == 'searching' or r.state == 'offered' then s['until'] = tonumber(r.wait_until) end
    if r.driver then
        local v = vehicle(c, r.driver)
        s.taxi, s.notified, s.card = r.driver, tonumber(r.notified), v.card and cjson.decode(v.card)
        if r.state == 'accepted' then s.driver_lost = missing(c, v) end
        if v.lat then s.position = { lat = tonumber(v.lat), lon = tonumber(v.lon), at = tonumber(v.at) } end
    end
    return { ride = s, requests = requests, reservations = reserved, notify = wishes_of(c, 'passenger:' .. passenger) }
end

-- So many entries a function gives at most, as each costs it five times what XRANGE takes: the worker reads those that follow.
local FIRST = 32

-- What a channel's reader missed since `since`. The entry that it saw last must still be there: then all that follows it
-- is there too, whatever happened to Redis in between (its log is lost from the end only). Otherwise it is a gap. 0-0 is the
-- place before the oldest entry that is kept.
local function missed(c, channel, since)
    local key = c.p .. 'ch:' .. channel
    local entry = redis.call('XREVRANGE', key, '+', '-', 'COUNT', 1)[1]
    local last = entry and entry[1] or beginning(c)
    if since == '' then return last, 'fresh', {} end
    -- All that is kept; what was before may be in the snapshot only, which therefore follows.
    if since == '0-0' then return last, 'oldest', redis.call('XRANGE', key, '-', '+', 'COUNT', FIRST) end
    local seen = string.match(since, '^%d+%-%d+$') and redis.pcall('XRANGE', key, since, since) or {}
    if seen.err or (#seen == 0 and not is_beginning(c, key, since)) then return last, 'gap', {} end
    return last, 'resumed', redis.call('XRANGE', key, '(' .. since, '+', 'COUNT', FIRST)
end

-- What the driver's token says of the vehicle: what it is, and its seats. One that is on a ride or has bookings stays what it
-- is until they are over; one that waits for them as what it was stops waiting.
local function become(c, driver, v, kind, capacity)
    if v.kind and v.kind ~= kind and (v.state ~= 'unavailable' or has_bookings(c, driver)) then
        if v.state == 'busy' or has_bookings(c, driver) then return end
        if is_minibus(v) then
            go_offline(c, driver, v, 'unavailable')
            v.state = 'unavailable'
        else
            leave(c, driver, v, 'unavailable', 'unavailable')
            do_without(c, driver, v)
        end
    end
    -- A place in a queue, or online, is kept for what it was.
    if v.kind and v.kind ~= kind then
        forget_place(c, driver)
        v.lost_zone, v.lost_score, v.lost_until, v.lost_why = nil, nil, nil, nil
    end
    set_vehicle(c, driver, 'kind', kind)
    if kind == 'minibus' then
        enlist(c, driver, v, capacity)
    elseif v.capacity then
        clear_vehicle(c, driver, 'capacity', 'taken', 'held', 'seats', 'status')
        forget_way(c, driver, v)
    end
end

-- To the workers that hold a link of this driver: whose session speaks for it.
local function say_speaker(c, driver, session)
    push(c, 'driver:' .. driver, '', 'speaker', '', session)
end

-- This session speaks for the driver from now on; more of the vehicle may be set with that. The worker of the one that did (`old`)
-- may hold a link that is half open: it is told to be silent (C63).
local function speak(c, driver, session, worker, old, ...)
    set_vehicle(c, driver, 'session', session, 'worker', worker, ...)
    redis.call('SADD', c.p .. 'drivers:' .. worker, driver)
    if not old or old == worker then return end
    redis.call('SREM', c.p .. 'drivers:' .. old, driver)
    say_speaker(c, driver, session)
end

-- session_hello: role, subject, session, worker, seq of the last event seen on the own channel ('' = none), and of a driver the
-- kind of its vehicle (nothing = a taxi), the seats of a minibus, and 1 if this session has said hello and catches up again.
-- Answers {position, mode (fresh | resumed | oldest | gap), snapshot, meta (of an open offer; of a tour its metres along the shape
-- what its trip's times count from, and its device's clock), lat, lon, at, when it was heard, '1' if a lost place is kept for it,
-- the first entries, how far a minibus is along its way}; or the refusal of a driver who has the name of a bus, or comes again and again.
register('session_hello', { 'role', 'subject', 'session', 'worker', 'seen', 'kind?', 'seats?', 'again?' }, function(c, given)
    local role, subject, session, worker = given.role, given.subject, given.session, given.worker
    local v = {}
    if role == 'driver' then
        v = vehicle(c, subject)
        local no = buses.driver_refusal(c, subject, v)
        if no then return no end
        local hellos, too_often = v.hellos, nil
        if given.again ~= '1' then hellos, too_often = links.one_more_hello(c, v) end
        if too_often then return too_often end
        if not v.state then
            v.state = 'unavailable'
            set_vehicle(c, subject, 'state', v.state)
            take_up_awaited(c, subject)
        end
        people.is_back(c, subject)
        become(c, subject, v, given.kind or 'taxi', given.seats)
        speak(c, subject, session, worker, v.worker, 'hellos', hellos or '')
        v.kind = redis.call('HGET', c.p .. 'vehicle:' .. subject, 'kind')
        redis.call('ZADD', c.p .. 'alive', 'XX', c.now, subject)
        local back = mark_back(c, subject, v)
        set_free(c, subject, v)
        if is_minibus(v) then
            minibus_is_back(c, subject)
            back = false
        elseif remembers(c, v) and v.lost_why == 'connection_lost' and not papers.check(c, subject) then
            recover(c, subject, v, v.lost_zone)
            back = true
        end
        if back then
            local zone = redis.call('HGET', c.p .. 'vehicle:' .. subject, 'zone')
            if zone then dispatch_driver(c, zone, subject, true) end
        end
        v = vehicle(c, subject)
    end
    links.add(c, role .. ':' .. subject, session)
    people.came(c, role, subject)
    local position, mode, entries = missed(c, role .. ':' .. subject, given.seen)
    local snapshot, meta = '{}', ''
    if role == 'driver' then
        local state
        state, meta = driver_snapshot(c, subject, v)
        snapshot = cjson.encode(state)
    elseif role == 'passenger' then
        snapshot = cjson.encode(passenger_snapshot(c, subject))
    elseif role == 'bus_driver' then
        local t
        snapshot, t = tours.hello(c, subject, worker)
        v, meta = { lat = t.lat, lon = t.lon, at = t.at, heard = t.heard }, (t.dist or '-') .. ' ' .. (t.base or '0')
        if t.device then meta = meta .. ' ' .. t.device end
    end
    return { position, mode, snapshot, meta,
        v.lat or '', v.lon or '', v.at or '', v.heard or '', remembers(c, v) and '1' or '', entries, v.along or '' }
end)

-- passenger_state: passenger. JSON of how things stand, as the snapshot after hello has it.
register('passenger_state', { 'passenger' }, function(c, given)
    return cjson.encode(passenger_snapshot(c, given.passenger))
end, { 'no-writes' })

-- driver_gone: driver, session. The link of that session is lost; a newer session of the same driver is not touched.
register('driver_gone', { 'driver', 'session' }, function(c, given)
    local driver = given.driver
    local v = vehicle(c, driver)
    if v.session ~= given.session then return 0 end
    people.went(c, driver)
    redis.call('SREM', c.p .. 'drivers:' .. v.worker, driver)
    mark_away(c, driver, v, 'connection_lost')
    -- Rides of its zone may have waited for its answer.
    if v.offer and v.zone and v.state == 'available' and not is_minibus(v) then dispatch_rest(c, v.zone, driver) end
    return 1
end, { 'allow-oom' })

-- Of a vehicle that stays in its cell one position in so many ms goes to Redis' log (decision 18).
local LOGGED_MS = 10000

-- Whether another session's vehicle can be where this one says it is, ms after it was heard last.
local function is_reachable(c, key, lat, lon, ms)
    local known = redis.call('HMGET', key, 'lat', 'lon')
    return can_have_come(c, known[1], known[2], lat, lon, ms)
end

-- One vehicle of a batch: ARGV from i on: driver, session ('' = its link is lost meanwhile; `bus` = a bus on tour), lat, lon, at, heading, speed,
-- cell and, after a space, how far it is along its way if that is known (`PathProgress.text` in Domain), or `~` and how good the fix is, m, if it is
-- coarse, when the worker heard it (ms of hub time, '' = now). `lines` collects what is shown by cell. Answers when it was heard, whether that
-- goes to the log, and the zone where it is to be asked again, if it was away; a minibus that was is noted in `minibuses`. Nothing of a driver whose
-- name a bus has taken meanwhile, nor of a bus whose name a driver has: it is not where the other one is. Nothing either if there is a
-- later one: this worker kept it while it could not reach Redis, or the driver is connected to another one, too. Of a driver's sessions the one
-- with the latest position speaks, if a car can have come there from where the other one was.
local function moved(c, argv, i, lines, minibuses)
    local driver, cell, along = argv[i], argv[i + 7], nil
    local space = string.find(cell, ' ', 1, true)
    if space then cell, along = string.sub(cell, 1, space - 1), string.sub(cell, space + 1) end
    local coarse = along and string.match(along, '^~(%d+)$')
    if coarse then along = nil end
    local key = c.p .. 'vehicle:' .. driver
    local known = redis.call('HMGET', key, 'state', 'kind', 'seats', 'route', 'cell', 'watched', 'away', 'along', 'heard',
        'session')
    local session, speaker = argv[i + 1], known[10]
    if (session == 'bus') ~= (known[2] == 'bus') then return nil end
    if session == 'bus' then session = '' end
    local heard = tonumber(argv[i + 8]) or c.now
    if heard > c.now then heard = c.now end
    -- Of before hub time was set back the vehicle was not heard of since.
    if known[9] and is_from_before(c, tonumber(known[9])) then
        known[9] = false
        redis.call('ZADD', c.p .. 'alive', 'XX', heard, driver)
    end
    local is_other = session ~= '' and speaker and speaker ~= session
    if known[9] and (tonumber(known[9]) > heard
        or is_other and not is_reachable(c, key, argv[i + 2], argv[i + 3], heard - known[9])) then
        if is_other then say_speaker(c, driver, speaker) end
        return nil
    end
    -- Only a taxi that somebody may be aboard of has a meter to look at.
    local before = known[1] == 'busy' and known[2] ~= 'minibus' and pick(key, { 'meter', 'lat', 'lon', 'heard' })
    local meter = before and before.meter
        and trips.metered(c, before.meter, argv[i + 2], argv[i + 3], heard, tonumber(coarse), before)
    local heard_text, old = string.format('%d', heard), known[5]
    local is_logged = old ~= cell or known[7] or not known[9]
        or math.floor(heard / LOGGED_MS) ~= math.floor(known[9] / LOGGED_MS)
    if not is_logged then redis.set_repl(redis.REPL_REPLICA) end
    redis.call('HSET', key, 'lat', argv[i + 2], 'lon', argv[i + 3], 'at', argv[i + 4], 'heading', argv[i + 5],
        'speed', argv[i + 6], 'heard', heard_text, 'cell', cell)
    if meter then redis.call('HSET', key, 'meter', meter) end
    if along then redis.call('HSET', key, 'along', along) elseif known[8] then redis.call('HDEL', key, 'along') end
    if not is_logged then redis.set_repl(redis.REPL_ALL) end
    if old ~= cell then
        if old then
            redis.call('SREM', c.p .. 'cell:' .. old, driver)
            if is_followed(c, old) then
                lines[old] = lines[old] or {}
                table.insert(lines[old], 'G ' .. driver)
            end
        end
        redis.call('SADD', c.p .. 'cell:' .. cell, driver)
    end
    local line = feed_line(c, driver, { argv[i + 2], argv[i + 3], argv[i + 5], argv[i + 4], heard_text, known[1], known[2], known[3],
        known[4], nil, nil, along })
    if is_followed(c, cell) then
        lines[cell] = lines[cell] or {}
        table.insert(lines[cell], line)
    end
    if is_followed(c, 'city') then table.insert(lines.city, line) end
    tell_watchers(c, driver, line, known[6])
    if is_other then speak(c, driver, session, workers.of(session), workers.of(speaker)) end
    if session == '' or not known[7] then return heard, is_logged end
    local v = vehicle(c, driver)
    -- It may have been taken for lost together with its worker: it counts as this one's again.
    if not is_other then speak(c, driver, session, workers.of(session)) end
    mark_back(c, driver, v)
    if is_minibus(v) then
        minibuses[#minibuses + 1] = driver
        return heard, is_logged
    end
    return heard, is_logged, v.state == 'available' and v.zone
end

-- Where vehicles are and when they were heard, of several at once: arguments of ZADD and GEOADD.
local function add_places(c, places)
    if #places.alive > 0 then redis.call('ZADD', c.p .. 'alive', 'XX', 'GT', unpack(places.alive)) end
    if #places.geo > 0 then redis.call('GEOADD', c.p .. 'pos', unpack(places.geo)) end
    places.alive, places.geo = {}, {}
end

-- positions_take: nine per vehicle, see moved(). One call for everything that moved in a tick.
register('positions_take', { '...' }, function(c, given)
    -- zones: who is back there; false: several are, for whom a zone is looked at once, however many they are.
    local zones, minibuses, lines = {}, {}, { city = {} }
    local logged, unlogged = { alive = {}, geo = {} }, { alive = {}, geo = {} }
    for i = 1, #given, 9 do
        local heard, is_logged, zone = moved(c, given, i, lines, minibuses)
        local places = is_logged and logged or unlogged
        local alive, geo = places.alive, places.geo
        if heard then alive[#alive + 1], alive[#alive + 2] = heard, given[i] end
        -- A geo set ends at 85.05 degrees; the vehicle's own record does not.
        if heard and math.abs(tonumber(given[i + 2])) <= 85.05 then
            geo[#geo + 1], geo[#geo + 2], geo[#geo + 3] = given[i + 3], given[i + 2], given[i]
        end
        if zone then zones[zone] = zones[zone] == nil and given[i] end
        -- As many arguments as one call can have.
        if #geo >= 3000 or #alive >= 2000 or i + 9 > #given then
            add_places(c, logged)
            redis.set_repl(redis.REPL_REPLICA)
            add_places(c, unlogged)
            redis.set_repl(redis.REPL_ALL)
        end
    end
    for cell, shown in pairs(lines) do
        if #shown > 0 then show_in(c, cell, table.concat(shown, '\n')) end
    end
    for zone, driver in pairs(zones) do
        if driver then dispatch_driver(c, zone, driver, true) else dispatch(c, zone) end
    end
    for _, driver in ipairs(minibuses) do minibus_is_back(c, driver) end
    return #given / 9
end)
