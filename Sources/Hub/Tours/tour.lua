-- Tours: a bus on a line, with one driver at a time. `tour:<id>` is all there is to know of one; `bus:<id>` and
-- `busdriver:<subject>` say which tour they are on, `line:<id>:tours` which are running, `tours` when each was heard last.
--
-- Who reads `line:<id>` is told the state `bus` at every change. Its meta, `tour revision state base heard`, lets a worker keep the
-- latest of each tour whatever the order in which readings and pushes reach it, and say when it comes to a stop (line.lua).

local clear_vehicle, hash, log, ok, once, register = import('core', 'clear_vehicle', 'hash', 'log', 'ok', 'once', 'register')
local push, refuse, set_state, set_vehicle = import('core', 'push', 'refuse', 'set_state', 'set_vehicle')
local take_up_awaited, tell = import('core', 'take_up_awaited', 'tell')
local audit = import('audit', 'audit')
local can_have_come = import('distances', 'can_have_come')
local is_from_before = import('hub_time', 'is_from_before')
local blocks = import('blocks', 'blocks')
local cancels = import('limits', 'cancels')
local wishes_of = import('notify', 'wishes_of')
local figures = import('figures', 'figures')
local buses = import('bus', 'buses')
local papers = import('papers', 'papers')
local people = import('people', 'people')
local stops = import('stop', 'stops')

local tours = {}

function tours.load(c, id) return hash(c.p .. 'tour:' .. id) end
function tours.set(c, id, ...)
    redis.call('HSET', c.p .. 'tour:' .. id, ...)
    if c.tours then c.tours[id] = nil end
end

-- The running tour of a driver: id and hash, or a refusal.
function tours.of(c, driver)
    local id = redis.call('HGET', c.p .. 'busdriver:' .. driver, 'tour')
    local t = id and tours.load(c, id)
    if not t or t.state ~= 'running' then
        return nil, nil, refuse('not_found', 'You are on no tour: begin one with tour.start.')
    end
    return id, t
end

-- The share of free seats in the three bands that clients show.
function tours.band(free, total)
    local percent = total > 0 and free * 100 / total or 0
    return percent >= 50 and '100-50' or percent >= 25 and '49-25' or '24-0'
end

-- JSON of what everybody may know of a tour.
function tours.state(id, t)
    local taken, total, at = tonumber(t.taken), tonumber(t.seats), tonumber(t.next)
    local s = {
        tour = id, bus = t.bus, line = t.line, pattern = t.pattern ~= '' and t.pattern or nil, state = t.state, off_route = t.off == '1',
        seats = { total = total, taken = taken, free = total - taken, band = tours.band(total - taken, total) },
        delay_s = tonumber(t.delay_s),
    }
    if t.trip ~= '' then s.trip = t.trip end
    if t.lat then s.position = { lat = tonumber(t.lat), lon = tonumber(t.lon), at = tonumber(t.at) } end
    local stop = cjson.decode(t.stops)[at + 1]
    if stop then s.next_stop = { index = at, stop = stop } end
    return string.sub(cjson.encode(s), 1, -2) .. ',"etas":' .. (t.etas or '[]') .. '}'
end

-- After every change: to the readers of the line; `to_driver` to the driver's own apps, too. Answers the JSON.
function tours.show(c, id, t, to_driver)
    local revision = redis.call('HINCRBY', c.p .. 'tour:' .. id, 'rev', 1)
    local json = tours.state(id, t)
    push(c, 'line:' .. t.line, '', 'bus', table.concat({ id, revision, t.state, t.base or '0', t.heard or '0' }, ' '), json)
    if to_driver then push(c, 'bus_driver:' .. t.driver, '', 'tour', '', json) end
    return json
end

-- schedule.changed, to the readers of the line and into the log.
function tours.changed(c, id, t, data)
    data.tour, data.bus = id, t.bus
    tell(c, 'line:' .. t.line, 'schedule.changed', data)
    data.line = t.line
    log(c, 'schedule.changed', data)
end

-- As a vehicle on maps, where its id and line are such that they can be shown there.
function tours.on_map(c, t)
    local free = tonumber(t.seats) - tonumber(t.taken)
    set_vehicle(c, t.bus, 'kind', 'bus', 'seats', free)
    take_up_awaited(c, t.bus)
    if t.route ~= '' then set_vehicle(c, t.bus, 'route', t.route) else clear_vehicle(c, t.bus, 'route') end
    if (t.along or '') ~= '' then set_vehicle(c, t.bus, 'along', t.along) else clear_vehicle(c, t.bus, 'along') end
    set_state(c, t.bus, nil, t.state == 'running' and 'available' or 'unavailable')
    if t.state == 'running' then people.is_back(c, t.bus) else people.went(c, t.bus) end
end

-- Estimates of the stops from `at` on.
function tours.coming(etas, at)
    local left = {}
    for _, eta in ipairs(cjson.decode(etas or '[]')) do
        if eta.index >= at then left[#left + 1] = eta end
    end
    return #left > 0 and cjson.encode(left) or '[]'
end

-- A tour that ends sooner (ms), before it has passed its first stop, or without a position, has only had those asked who wait for it.
tours.brief_ms = 60000

function tours.came_to_nothing(c, t)
    return c.now - tonumber(t.started_at) < tours.brief_ms or (t.next == '0' and t.stops ~= '[]') or not t.lat
end

-- why: 'driver', 'operator' or 'lost'. delay: of a driver who ends it, s; nil: unknown.
function tours.finish(c, id, t, why, delay)
    figures.tour_ended(c, id, t, why, delay)
    if why == 'driver' and tours.came_to_nothing(c, t) then cancels.add(c, 'bus_driver:' .. t.driver) end
    t.state, t.etas = 'ended', '[]'
    tours.set(c, id, 'state', t.state, 'etas', t.etas, 'ended_at', c.now_text)
    redis.call('EXPIRE', c.p .. 'tour:' .. id, c.history_ttl_s)
    if not t.lat then cancels.forget(c, 'tour:' .. id) end
    redis.call('HDEL', c.p .. 'bus:' .. t.bus, 'tour')
    redis.call('HDEL', c.p .. 'busdriver:' .. t.driver, 'tour')
    redis.call('SREM', c.p .. 'line:' .. t.line .. ':tours', id)
    redis.call('ZREM', c.p .. 'tours', id)
    log(c, 'tour.ended', { tour = id, bus = t.bus, line = t.line, driver = t.driver, reason = why })
    tours.changed(c, id, t, { reason = 'ended' })
    tell(c, 'bus_driver:' .. t.driver, 'tour.ended', { tour = id, reason = why })
    tours.show(c, id, t)
    if t.shown == '1' then
        t.route = ''
        tours.on_map(c, t)
    end
    if why == 'operator' then cancels.relieve(c, t.bus, t.driver) end
    if stops.tour_ended(c, id, t) > 0 and why == 'driver' then cancels.add(c, 'bus_driver:' .. t.driver, 'p') end
end

-- tour_start: driver, tour id, bus, its seats, line, pattern, trip ('' = none), JSON of the pattern's stop ids, worker,
-- line as a route on maps ('' = can't be one), 1 if the bus can be shown on maps, pattern asked for ('' = any), trip asked
-- for, key, Unix second from which the trip's times count, the beginning of the pattern (`PathProgress.text`). Who is on this very tour gets it
-- as it is.
register('tour_start', {
    'driver', 'tour', 'bus', 'seats', 'line', 'pattern', 'trip', 'stops', 'worker',
    'route', 'is_shown', 'asked_pattern', 'asked_trip', 'key', 'base', 'along',
}, function(c, given)
    local driver, id, bus, line = given.driver, given.tour, given.bus, given.line
    return once(c, 'tour.start', 'bus_driver:' .. driver, given.key, function()
        local mine, blocked = unpack(redis.call('HMGET', c.p .. 'busdriver:' .. driver, 'tour', 'blocked'))
        if mine then
            local t = tours.load(c, mine)
            local is_this = t.bus == bus and t.line == line and (given.asked_pattern == '' or given.asked_pattern == t.pattern)
                and (given.asked_trip == '' or given.asked_trip == t.trip)
            if is_this then return '+' .. tours.state(mine, t) end
            return refuse('not_available', 'You are on tour ' .. mine .. ' with bus ' .. t.bus .. ' on line ' .. t.line
                .. ': end it first with tour.end.')
        end
        local other = redis.call('HGET', c.p .. 'bus:' .. bus, 'tour')
        if other then
            local t = tours.load(c, other)
            return refuse('not_available', 'The bus ' .. bus .. ' is driven by somebody else on line ' .. t.line
                .. ': that tour must be ended first.')
        end
        local too_soon = blocks.refusal(c, blocked) or papers.check(c, driver) or cancels.relieved_refusal(c, bus, driver)
            or cancels.refusal(c, 'bus_driver:' .. driver, 'You have ended %d tours that had hardly begun, or sent no position,')
        too_soon = too_soon or given.is_shown == '1' and buses.take_name(c, bus)
        if too_soon then return too_soon end
        local t = { bus = bus, line = line, pattern = given.pattern, trip = given.trip, base = given.base, stops = given.stops,
            driver = driver, worker = given.worker, route = given.route, shown = given.is_shown, along = given.along,
            state = 'running', next = '0', taken = '0', seats = given.seats }
        tours.set(c, id, 'bus', bus, 'line', line, 'pattern', t.pattern, 'trip', t.trip, 'base', t.base, 'stops', t.stops, 'seats', t.seats,
            'driver', driver, 'worker', t.worker, 'route', t.route, 'shown', t.shown, 'state', t.state, 'next', t.next,
            'taken', t.taken, 'started_at', c.now_text, 'last_at', c.now_text)
        redis.call('HSET', c.p .. 'bus:' .. bus, 'tour', id)
        redis.call('HSET', c.p .. 'busdriver:' .. driver, 'tour', id)
        redis.call('SADD', c.p .. 'line:' .. line .. ':tours', id)
        redis.call('ZADD', c.p .. 'tours', c.now, id)
        log(c, 'tour.started', { tour = id, bus = bus, line = line, driver = driver, pattern = t.pattern,
            trip = t.trip ~= '' and t.trip or nil })
        figures.add(c, line, { tours_started = 1 })
        if t.shown == '1' then tours.on_map(c, t) end
        local reply = '+' .. tours.show(c, id, t, true)
        stops.tour_started(c, id)
        return reply
    end)
end)

-- How late the bus is at the stop at index `at` now, s, by its positions; or else by the schedule. due: JSON list of the Unix
-- second at which each stop is to be left, the last reached; '' = unknown. nil: nobody knows. A bus that sends no positions any more, or never
-- did, is as late as its driver's word makes it.
function tours.delay(c, t, at, due)
    local is_silent = math.abs(c.now - tonumber(t.heard or 0)) > stops.silent_ms
    local second = is_silent and (due or '') ~= '' and cjson.decode(due)[at + 1]
    if second then return math.floor(c.now / 1000 - second) end
    return tonumber(t.delay_s)
end

-- tour_end: role, subject, tour ('' = one's own), key, and of a driver when each stop is due (tours.delay). An
-- operator may end any.
register('tour_end', { 'role', 'subject', 'tour', 'key', 'due' }, function(c, given)
    local role, subject = given.role, given.subject
    return once(c, 'tour.end', role .. ':' .. subject, given.key, function()
        local id, t, no = given.tour
        if id == '' then
            id, t, no = tours.of(c, subject)
            if no then return no end
        end
        t = t or tours.load(c, id)
        if not t.state or (role == 'bus_driver' and t.driver ~= subject) then
            return refuse('not_found', 'The tour ' .. id .. ' is not yours, or does not exist.')
        end
        if t.state == 'running' then
            if role == 'operator' then audit.write(c, subject, 'tour.end', 'tour:' .. id, nil, audit.of_tour(t), { state = 'ended' }) end
            tours.finish(c, id, t, role == 'bus_driver' and 'driver' or 'operator',
                tours.delay(c, t, tonumber(t.next), given.due))
        end
        return ok({ tour = id, state = 'ended' })
    end)
end)

-- The bus has passed stops, from `t.next` up to before `to`; those in `skipped` (by index) without serving them. delays: how
-- late, s, by index as far as it is known.
function tours.step(c, id, t, to, skipped, by, delays)
    local names, judged = cjson.decode(t.stops), tonumber(t.judged or 0)
    figures.passed(c, id, t, to, skipped, delays)
    for index = tonumber(t.next), to - 1 do
        local data = { index = index, stop = names[index + 1] }
        if skipped[index] then
            data.reason = 'skipped'
            local name = data.stop
            -- A bus that is found further back passes stops again: that they were left out is known.
            if by == 'driver' or index >= judged then tours.changed(c, id, t, data) end
            if by == 'driver' then
                -- Whether that counted: a stop is judged once.
                tours.set(c, id, 'skipped:' .. index, index >= judged and '1' or '0')
                stops.left_out(c, id, name, { unpack(names, index + 2) })
            end
        elseif by ~= 'driver' or index >= judged then
            log(c, 'stop.passed', { tour = id, bus = t.bus, line = t.line, pattern = t.pattern, index = index,
                stop = data.stop, by = by, delay_s = delays[index] })
        end
    end
    t.next = tostring(to)
end

-- So often in a minute a tour tells the readers of its line that its delay has changed, that its driver leaves a stop out, and that
-- it is served after all. Each is kept in the line's history, which who does it over and over would leave without anything else. The
-- field of the tour has when they were told.
tours.changes = { delayed = 4, left_out = 30, restored = 12 }

-- Counts one of them: nil, or the refusal of what comes too often. text: what was done, with a place for how often.
function tours.too_often(c, id, t, field, text)
    local times, done, wait = cancels.in_a_minute(c, t[field], tours.changes[field])
    if times then
        t[field] = times
        tours.set(c, id, field, times)
        return nil
    end
    return refuse('rate_limited', string.format(text, done) .. ' within a minute. Do it again in ' .. math.ceil(wait / 1000) .. ' s.', wait)
end

-- The driver is back at a stop that it had left out: it is served after all. Answers the refusal of what comes too often.
function tours.restore(c, id, t, index)
    local skipped = t['skipped:' .. index]
    if not skipped then return end
    local no = tours.too_often(c, id, t, 'restored', 'You have come back to %d stops that you had left out')
    if no then return no end
    redis.call('HDEL', c.p .. 'tour:' .. id, 'skipped:' .. index)
    if skipped == '1' then figures.restored(c, id, t, index) end
    tours.changed(c, id, t, { reason = 'restored', index = index, stop = cjson.decode(t.stops)[index + 1] })
end

-- tour_step: driver, 1 or -1, '1' if the stop is skipped, key, when each stop is due (tours.delay). (commands stop.next,
-- stop.previous)
register('tour_step', { 'driver', 'step', 'skip', 'key', 'due' }, function(c, given)
    local driver, step = given.driver, tonumber(given.step)
    return once(c, step > 0 and 'stop.next' or 'stop.previous', 'bus_driver:' .. driver, given.key, function()
        local id, t, no = tours.of(c, driver)
        if no then return no end
        local at = tonumber(t.next)
        if step > 0 and at >= #cjson.decode(t.stops) then
            return refuse('not_available', at == 0 and 'The line has no stops to step through: it is driven on request.'
                or 'The tour has passed its last stop: end it with tour.end.')
        end
        if step < 0 and at == 0 then
            return refuse('not_available', 'The tour is before its first stop.')
        end
        if step > 0 then
            no = given.skip == '1' and tours.too_often(c, id, t, 'left_out', 'You have left out %d stops')
            if no then return no end
            tours.step(c, id, t, at + 1, given.skip == '1' and { [at] = true } or {}, 'driver',
                { [at] = tours.delay(c, t, at, given.due) })
            t.etas = tours.coming(t.etas, at + 1)
            tours.set(c, id, 'left', '1')
        else
            no = tours.restore(c, id, t, at - 1)
            if no then return no end
            t.next = tostring(at - 1)
            if at == 1 then redis.call('HDEL', c.p .. 'tour:' .. id, 'left') end
            t.etas = stops.with_dwell(c, id, t, tours.coming(t.etas_plain, at - 1))
        end
        tours.set(c, id, 'next', t.next, 'etas', t.etas or '[]', 'last_at', c.now_text)
        redis.call('ZADD', c.p .. 'tours', 'XX', c.now, id)
        return '+' .. tours.show(c, id, t, true)
    end)
end)

-- Told when the delay has changed by at least the setting since it was told last. What comes too often waits: the delay of then is
-- told with the first position after that.
function tours.tell_delay(c, id, t)
    local delay, told = tonumber(t.delay_s), tonumber(t.told_s or 0)
    if not delay or math.abs(delay - told) < c.tour_late_s or tours.too_often(c, id, t, 'delayed', '%d') then return end
    t.told_s = t.delay_s
    tours.set(c, id, 'told_s', t.told_s)
    local minutes = math.floor(math.abs(delay) / 60 + 0.5)
    local reason = delay < 0 and minutes > 0 and 'early' or 'late'
    tours.changed(c, id, t, { reason = reason, minutes = minutes, delay_s = delay })
end

-- What a position changes of a tour.
local MOVED = { 'at', 'lat', 'lon', 'heard', 'off', 'next', 'etas', 'zone', 'course', 'start', 'worker', 'dist', 'delay_s' }

-- tour_moved: tour, the device's time of the fix, lat, lon, metres along the shape ('' = unknown), 1 if off the route, index of the next
-- stop by position if that has changed ('' = no), JSON list of the indexes that were skipped, delay in s ('' = unknown), JSON list
-- of estimates, hub time at which the fix came, 1 if the bus is behind where it was believed, JSON lists of the fixes since the last
-- call that fences may use, [lat, lon, measured], and of the stops left since then, [index, how late in s], the city's clock
-- (stops.clock), JSON of the way that is forecast (crossing() in stop_times.lua), as long as it has not left its first stop how far along
-- the shape it still is there ('' = it has, or nobody knows), when the fix was measured by the hub's clock, what is known of the device's
-- (`DeviceClock.text`), and the worker. Answers {state, index of the next stop}: a tour may have been stepped or ended by others
-- meanwhile; and `elsewhere`, and nothing is changed, if another worker has the bus where it can't have come from; else nil, and how many
-- open requests for stops were held against the way.
register('tour_moved', {
    'tour', 'at', 'lat', 'lon', 'dist', 'off', 'next', 'skipped', 'delay_s',
    'estimates', 'heard', 'behind', 'fixes', 'left', 'clock', 'way', 'still', 'measured', 'device', 'worker?',
}, function(c, given)
    local id = given.tour
    local t = tours.load(c, id)
    if t.state ~= 'running' then return { t.state or 'unknown', 0 } end
    -- Of before hub time was set back nothing was passed since.
    if is_from_before(c, tonumber(t.heard or 0)) then t.heard, t.measured = nil, nil end
    local before = t.measured and { lat = tonumber(t.lat), lon = tonumber(t.lon), at = tonumber(t.measured), came = tonumber(t.last_at) }
    -- What another worker has told since, when the driver changed over to it, is newer.
    if tonumber(t.heard or 0) > tonumber(given.heard) then return { t.state, tonumber(t.next) } end
    local is_other = given.worker and given.worker ~= t.worker
    if is_other and not can_have_come(c, t.lat, t.lon, given.lat, given.lon, given.heard - (t.heard or 0)) then
        return { t.state, tonumber(t.next), 'elsewhere' }
    end
    t.worker = given.worker or t.worker
    t.at, t.lat, t.lon, t.off = given.at, given.lat, given.lon, given.off
    if given.dist ~= '' then t.dist = given.dist end
    if given.delay_s ~= '' then t.delay_s = given.delay_s end
    local reached, stepped = tonumber(given.next), false
    if reached and reached > tonumber(t.next) then
        local skipped, delays = {}, {}
        for _, index in ipairs(cjson.decode(given.skipped)) do skipped[index] = true end
        for _, left in ipairs(cjson.decode(given.left)) do delays[left[1]] = left[2] end
        tours.step(c, id, t, math.min(reached, #cjson.decode(t.stops)), skipped, 'position', delays)
        stepped = true
    elseif reached and given.behind == '1' and reached < tonumber(t.next) then
        t.next, stepped = given.next, true
    end
    t.heard, t.zone, t.course, t.start = given.heard, given.clock, given.way, given.still
    t.etas = stops.with_dwell(c, id, t, tours.coming(given.estimates, tonumber(t.next)))
    local fields = { 'etas_plain', given.estimates, 'last_at', c.now_text, 'measured', given.measured, 'device', given.device }
    for _, name in ipairs(MOVED) do
        if t[name] then
            fields[#fields + 1] = name
            fields[#fields + 1] = t[name]
        end
    end
    tours.set(c, id, unpack(fields))
    redis.call('ZADD', c.p .. 'tours', 'XX', c.now, id)
    tours.tell_delay(c, id, t)
    tours.show(c, id, t, stepped)
    local asked = stops.of_tour(c, id)
    stops.tell_etas(c, t, asked, true)
    stops.moved(c, id, cjson.decode(given.fixes), before, t.off ~= '1' and tonumber(given.dist) or nil,
        stops.is_waiting(t) and tonumber(t.start) or nil)
    return { t.state, tonumber(t.next), false, #asked }
end)

-- A stop on request was promised, or is off: what that changes for those who wait behind it is shown at once, to who reads
-- the line and to whom the bus is to fetch.
function stops.retime(c, id)
    if c.to_retime then
        c.to_retime[id] = true
        return
    end
    local t = tours.load(c, id)
    if t.state ~= 'running' or not t.etas_plain then return end
    t.etas = stops.with_dwell(c, id, t, tours.coming(t.etas_plain, tonumber(t.next)))
    tours.set(c, id, 'etas', t.etas)
    tours.show(c, id, t)
    stops.tell_etas(c, t, stops.of_tour(c, id))
end

-- The hello of a bus driver: JSON of its snapshot, and the tour's hash.
function tours.hello(c, driver, worker)
    local id, t = tours.of(c, driver)
    local wishes = wishes_of(c, 'bus_driver:' .. driver)
    if not id then return wishes and cjson.encode({ notify = wishes }) or '{}', {} end
    tours.set(c, id, 'worker', worker, 'last_at', c.now_text)
    redis.call('ZADD', c.p .. 'tours', 'XX', c.now, id)
    local places = stops.list(c, id)
    return '{"tour":' .. tours.state(id, t) .. (places and ',"places":' .. cjson.encode(places) or '')
        .. (wishes and ',"notify":' .. cjson.encode(wishes) or '') .. '}', t
end

return { tours = tours }
