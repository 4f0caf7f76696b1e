-- Who is connected where, what it missed, and what is live: hello, the loss of a link, batches of positions.

local function driver_snapshot(c, driver, v)
    local s = { state = v.state or 'unavailable' }
    if s.state == 'available' then
        s.zone = v.zone
        s.rank, s.size = place(c, driver, v.zone)
    end
    local meta = ''
    local r = v.offer and load_ride(c, v.offer) or {}
    if r.deadline then
        local left = tonumber(r.deadline) - c.now
        if r.seen ~= '1' then left = c.offer_timeout_ms end
        s.offer = { ride = v.offer, zone = r.zone, passengers = tonumber(r.passengers),
            expires_in_ms = math.max(0, left), expires_at = c.now + math.max(0, left) }
        meta = r.lat .. ',' .. r.lon
    end
    if v.ride then
        local r = load_ride(c, v.ride)
        s.ride = { ride = v.ride, state = r.state, pickup = point(r.lat, r.lon), passengers = tonumber(r.passengers),
            notified = tonumber(r.notified) }
        if r.dlat then s.ride.destination = point(r.dlat, r.dlon) end
    end
    return s, meta
end

local function passenger_snapshot(c, passenger)
    local ride = redis.call('HGET', c.p .. 'passenger:' .. passenger, 'ride')
    local requests = stops.of_citizen(c, passenger)
    if not ride then return { ride = cjson.null, requests = requests } end
    local r = load_ride(c, ride)
    local s = { ride = ride, state = r.state, zone = r.zone, passengers = tonumber(r.passengers) }
    if r.driver then
        local v = vehicle(c, r.driver)
        s.taxi, s.notified = r.driver, tonumber(r.notified)
        if v.lat then s.position = { lat = tonumber(v.lat), lon = tonumber(v.lon), at = tonumber(v.at) } end
    end
    return { ride = s, requests = requests }
end

-- Where a channel's history ends. An empty one gets a mark that is no event, so that there is a place to begin at.
local function newest(c, channel)
    local key = c.p .. 'ch:' .. channel
    local entry = redis.call('XREVRANGE', key, '+', '-', 'COUNT', 1)[1]
    if entry then return entry[1] end
    local mark = redis.call('XADD', key, '*', 'type', 'opened', 'time', c.iso, 'data', '{}')
    redis.call('EXPIRE', key, c.history_ttl_s)
    return mark
end

-- What a channel's reader missed since `since`. The entry that it saw last must still be there: then all that follows it
-- is there too, whatever happened to Redis in between (its log is lost from the end only). Otherwise it is a gap.
local function missed(c, channel, since)
    local key = c.p .. 'ch:' .. channel
    local last = newest(c, channel)
    if since == '' then return last, 'fresh', {} end
    local seen = string.match(since, '^%d+%-%d+$') and redis.pcall('XRANGE', key, since, since) or {}
    if seen.err or #seen == 0 then return last, 'gap', {} end
    return last, 'resumed', redis.call('XRANGE', key, '(' .. since, '+')
end

-- hello: ARGV role, subject, session, worker, seq of the last event seen on the own channel ('' = none).
-- Answers {position, mode (fresh | resumed | gap), snapshot, meta (of an open offer; of a tour its metres along the shape
-- and what its trip's times count from), lat, lon, at, when it was heard, '1' if a lost place is kept for it, entries}.
register('hello', function(keys, argv)
    local c, role, subject, session, worker = context(keys), argv[1], argv[2], argv[3], argv[4]
    local v = {}
    if role == 'driver' then
        v = vehicle(c, subject)
        if not v.state then
            v.state = 'unavailable'
            set_vehicle(c, subject, 'state', v.state)
        end
        set_vehicle(c, subject, 'session', session, 'worker', worker, 'kind', 'taxi')
        if v.worker and v.worker ~= worker then redis.call('SREM', c.p .. 'drivers:' .. v.worker, subject) end
        redis.call('SADD', c.p .. 'drivers:' .. worker, subject)
        redis.call('ZADD', c.p .. 'alive', 'XX', c.now, subject)
        local back = mark_back(c, subject, v)
        if remembers(c, v) and v.lost_why == 'connection_lost' then
            recover(c, subject, v, v.lost_zone)
            back = true
        end
        if back then
            local zone = redis.call('HGET', c.p .. 'vehicle:' .. subject, 'zone')
            if zone then dispatch(c, zone) end
        end
        v = vehicle(c, subject)
    end
    -- A bus driver reads `driver:<subject>`, too.
    local position, mode, entries = missed(c, (role == 'bus_driver' and 'driver' or role) .. ':' .. subject, argv[5])
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
    end
    return { position, mode, snapshot, meta,
        v.lat or '', v.lon or '', v.at or '', v.heard or '', remembers(c, v) and '1' or '', entries }
end)

-- gone: ARGV driver, session. The link of that session is lost; a newer session of the same driver is not touched.
register('gone', function(keys, argv)
    local c, driver = context(keys), argv[1]
    local v = vehicle(c, driver)
    if v.session ~= argv[2] then return 0 end
    mark_away(c, driver, v, 'connection_lost')
    if v.zone and v.state == 'available' then dispatch(c, v.zone) end
    return 1
end)

-- One vehicle of a batch: ARGV from i on: driver, session ('' = its link is lost meanwhile), lat, lon, at, heading, speed,
-- cell. `lines` collects what is shown by cell. Answers the zone where it is to be asked again, if it was away.
local function moved(c, argv, i, lines)
    local driver, cell = argv[i], argv[i + 7]
    local key = c.p .. 'vehicle:' .. driver
    local known = redis.call('HMGET', key, 'state', 'kind', 'seats', 'route', 'cell', 'watched', 'away')
    redis.call('HSET', key, 'lat', argv[i + 2], 'lon', argv[i + 3], 'at', argv[i + 4], 'heading', argv[i + 5],
        'speed', argv[i + 6], 'heard', c.iso, 'cell', cell)
    redis.call('ZADD', c.p .. 'alive', 'XX', c.now, driver)
    local old = known[5]
    if old ~= cell then
        if old then
            redis.call('SREM', c.p .. 'cell:' .. old, driver)
            lines[old] = lines[old] or {}
            table.insert(lines[old], 'G ' .. driver)
        end
        redis.call('SADD', c.p .. 'cell:' .. cell, driver)
    end
    local line = feed_line(driver, { argv[i + 2], argv[i + 3], argv[i + 5], argv[i + 4], c.iso, known[1], known[2], known[3],
        known[4] })
    lines[cell] = lines[cell] or {}
    table.insert(lines[cell], line)
    table.insert(lines.city, line)
    tell_watchers(c, driver, line, known[6])
    if argv[i + 1] == '' or not known[7] then return nil end
    local v = vehicle(c, driver)
    -- It may have been taken for lost together with its worker: it counts as this one's again.
    local worker = string.match(argv[i + 1], '^(.*)%.') or argv[i + 1]
    redis.call('HSET', key, 'session', argv[i + 1], 'worker', worker)
    redis.call('SADD', c.p .. 'drivers:' .. worker, driver)
    mark_back(c, driver, v)
    return v.state == 'available' and v.zone
end

-- positions: ARGV eight per vehicle, see moved(). One call for everything that moved in a tick.
register('positions', function(keys, argv)
    local c, geo, zones, lines = context(keys), {}, {}, { city = {} }
    for i = 1, #argv, 8 do
        -- A geo set ends at 85.05 degrees; the vehicle's own record does not.
        if math.abs(tonumber(argv[i + 2])) <= 85.05 then
            geo[#geo + 1], geo[#geo + 2], geo[#geo + 3] = argv[i + 3], argv[i + 2], argv[i]
        end
        local zone = moved(c, argv, i, lines)
        if zone then zones[zone] = true end
        if #geo >= 3000 then
            redis.call('GEOADD', c.p .. 'pos', unpack(geo))
            geo = {}
        end
    end
    if #geo > 0 then redis.call('GEOADD', c.p .. 'pos', unpack(geo)) end
    for cell, shown in pairs(lines) do
        redis.call('PUBLISH', c.p .. 'feed:' .. cell, table.concat(shown, '\n'))
    end
    for zone in pairs(zones) do dispatch(c, zone) end
    return #argv / 8
end)
