-- What those who rode together think of one another. `rating:<role>:<subject>`: how many stars a person got in all, and how often.

local log, ok, once, refuse = import('core', 'log', 'ok', 'once', 'refuse')
local register, set_ride = import('core', 'register', 'set_ride')
local receipts = import('receipt', 'receipts')

-- A mean is kept for so long after the last stars, s.
local KEPT_S = 400 * 86400
-- Who is rated is told its mean from so many on, and by tenths: of fewer it would follow who gave what.
local LEAST = 5

local OTHER = { passenger = 'driver', driver = 'passenger' }

-- trip_rate: role, subject, trip, stars, comment ('' = none), key. Once per side. The comment goes to the log alone.
register('trip_rate', { 'role', 'subject', 'trip', 'stars', 'comment', 'key' }, function(c, given)
    local role, trip, stars = given.role, given.trip, tonumber(given.stars)
    return once(c, 'trip.rate', role .. ':' .. given.subject, given.key, function()
        local t, no = receipts.find(c, role, given.subject, trip)
        if no then return no end
        local rated = OTHER[role]
        local field = 'stars_of_' .. rated
        if t[field] then return refuse('not_available', 'You have given this trip ' .. t[field] .. ' stars already.') end
        if c.now - tonumber(t.closed_at) > c.trip_rate_ms then
            return refuse('not_available', 'Trips can be rated within ' .. math.floor(c.trip_rate_ms / 86400000) .. ' days after their end.')
        end
        set_ride(c, trip, field, given.stars)
        local whose = rated .. ':' .. t[rated]
        local key = c.p .. 'rating:' .. whose
        redis.call('HINCRBY', key, 'stars', given.stars)
        redis.call('HINCRBY', key, 'count', 1)
        redis.call('EXPIRE', key, KEPT_S)
        log(c, 'trip.rated', { ride = trip, zone = t.zone, driver = t.driver, passenger = t.passenger, by = role, stars = stars,
            text = given.comment ~= '' and given.comment or nil })
        return ok({ trip = trip, stars = stars })
    end)
end)

-- rating_get: role and subject who was rated, and the reader's role.
register('rating_get', { 'role', 'subject', 'reader' }, function(c, given)
    local who = given.role .. ':' .. given.subject
    local held = redis.call('HMGET', c.p .. 'rating:' .. who, 'stars', 'count')
    local count, mean = tonumber(held[2] or 0), cjson.null
    local is_own = given.reader ~= 'operator'
    if count >= (is_own and LEAST or 1) then
        local by = is_own and 10 or 100
        mean = math.floor(held[1] / count * by + 0.5) / by
    end
    return ok({ role = given.role, subject = given.subject, count = count, mean = mean })
end, { 'no-writes' })
