-- What those who rode together think of one another. `rating:<role>:<subject>`: how many stars a person got in all, and how often (`stars`,
-- `count`); what of that it is told (`told_stars`, `told`), and what comes after that, in its order: `recent`, `<hub ms> <stars>` on each line.

local log, ok, once, refuse = import('core', 'log', 'ok', 'once', 'refuse')
local pick, register = import('core', 'pick', 'register')
local seat_figures = import('seat_figures', 'seat_figures')
local trips = import('trip', 'trips')
local receipts = import('receipt', 'receipts')

-- A mean is kept for so long after the last stars, s.
local KEPT_S = 400 * 86400
-- Who is rated is told of so many more at once, when each is so old, and by tenths: else it would follow from what is told before and after a trip
-- who gave what.
local STEP, OLD_MS = 5, 86400000
local FIELDS = { 'stars', 'count', 'told', 'told_stars', 'recent' }
-- Of somebody who telephones it is kept no longer than the number is known (people.lua), s.
local CALLER_KEPT_S = 30 * 86400
-- So many wait for that; what comes while they do is for the office alone.
local MOST_RECENT = 100

-- What its owner is told: how many, of how many stars in all; and what comes after that. held: of the hash. What an earlier build has counted is
-- one step.
local function told_of(c, held)
    local told, stars = tonumber(held.told or held.count or 0), tonumber(held.told_stars or held.stars or 0)
    local waiting = {}
    for at, n in string.gmatch(held.recent or '', '(%d+) (%d)') do waiting[#waiting + 1] = { at = at, stars = tonumber(n) } end
    local first = 1
    while waiting[first + STEP - 1] and c.now - tonumber(waiting[first + STEP - 1].at) >= OLD_MS do
        for i = first, first + STEP - 1 do stars = stars + waiting[i].stars end
        told, first = told + STEP, first + STEP
    end
    local rest = {}
    for i = first, #waiting do rest[#rest + 1] = waiting[i].at .. ' ' .. waiting[i].stars end
    return told, stars, rest
end

-- One more, of the person `whose`.
local function count(c, whose, stars)
    local key = c.p .. 'rating:' .. whose
    local told, told_stars, rest = told_of(c, pick(key, FIELDS))
    if #rest < MOST_RECENT then rest[#rest + 1] = c.now_text .. ' ' .. stars end
    redis.call('HINCRBY', key, 'stars', stars)
    redis.call('HINCRBY', key, 'count', 1)
    redis.call('HSET', key, 'told', told, 'told_stars', told_stars, 'recent', table.concat(rest, '\n'))
    redis.call('EXPIRE', key, string.find(whose, '^%a+:tel:') and CALLER_KEPT_S or KEPT_S)
end

local OTHER = { passenger = 'driver', driver = 'passenger' }

-- trip_rate: role, subject, trip, stars, comment ('' = none), key, and what a passenger thinks of the route of its minibus ('' = nothing is said).
-- Once per side. The comment goes to the log alone.
register('trip_rate', { 'role', 'subject', 'trip', 'stars', 'comment', 'key', 'route_stars?' }, function(c, given)
    local role, trip, stars, route_stars = given.role, given.trip, tonumber(given.stars), tonumber(given.route_stars or '')
    return once(c, 'trip.rate', role .. ':' .. given.subject, given.key, function()
        local t, no = receipts.find(c, role, given.subject, trip)
        if no then return no end
        local rated = OTHER[role]
        local field = 'stars_of_' .. rated
        if t[field] then return refuse('not_available', 'You have given this trip ' .. t[field] .. ' stars already.') end
        if c.now - tonumber(t.closed_at) > c.trip_rate_ms then
            return refuse('not_available', 'Trips can be rated within ' .. math.floor(c.trip_rate_ms / 86400000) .. ' days after their end.')
        end
        local is_routed = role == 'passenger' and trips.is_booking(trip) and (t.route or '') ~= ''
        if route_stars and not is_routed then
            return refuse('not_available', 'Only the passenger of a minibus on a route rates that: send it without `route_stars`.')
        end
        redis.call('HSET', trips.key(c, trip), field, given.stars, unpack(route_stars and { 'route_stars', given.route_stars } or {}))
        if route_stars then seat_figures.rated(c, t.requested_at, t.route, given.route_stars) end
        count(c, rated .. ':' .. t[rated], given.stars)
        log(c, 'trip.rated', trips.naming(trip, { zone = t.zone, driver = t.driver, passenger = t.passenger, by = role, stars = stars,
            route = route_stars and t.route or nil, route_stars = route_stars, text = given.comment ~= '' and given.comment or nil }))
        return ok({ trip = trip, stars = stars, route_stars = route_stars })
    end)
end)

-- rating_get: role and subject who was rated, and the reader's role.
register('rating_get', { 'role', 'subject', 'reader' }, function(c, given)
    local who = given.role .. ':' .. given.subject
    local held = pick(c.p .. 'rating:' .. who, FIELDS)
    local n, stars, by, mean = tonumber(held.count or 0), tonumber(held.stars or 0), 100, cjson.null
    if given.reader ~= 'operator' then
        n, stars = told_of(c, held)
        by = 10
        if n < STEP then n = 0 end
    end
    if n > 0 then mean = math.floor(stars / n * by + 0.5) / by end
    return ok({ role = given.role, subject = given.subject, count = by == 10 and n - n % STEP or n, mean = mean })
end, { 'no-writes' })
