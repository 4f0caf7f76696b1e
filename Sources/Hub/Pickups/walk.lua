-- A passenger who walks while a vehicle comes: the pickup moves along, up to `walk_m` from where it was asked for. Of the walk only the
-- latest place is kept, as `lat` and `lon` of the ride or booking, with `asked`, where that was at first, `walked_at`, `walks` and `walked_m`: when
-- the pickup moved last, how often it did, and how far in all. When the ride is over they are gone.

local log, pick, register, tell = import('core', 'log', 'pick', 'register', 'tell')
local metres_between = import('distances', 'metres_between')

-- The driver is told of no less than this, no more often, and no more times on one ride: who drives must not look at a place that dances. Nor may all
-- moves together be more than so many times `walk_m`.
local LEAST_M, EVERY_MS, MOST, WAYS = 20, 4000, 12, 2

local function place(text) return string.match(text, '^([^,]+),(.+)$') end

-- The places where a request may be waited for: where its passenger is, and where that was at first.
local function places(request)
    local lat, lon
    if request.asked then lat, lon = place(request.asked) end
    return { { request.lat, request.lon }, lat and { lat, lon } or nil }
end

-- The ride or booking is over: where its passenger walked is known no more. request: as it was, `asked` among its fields.
local function forget_walk(key, request)
    if not request.asked then return end
    local lat, lon = place(request.asked)
    redis.call('HSET', key, 'lat', lat, 'lon', lon)
    redis.call('HDEL', key, 'asked', 'walked_at', 'walks', 'walked_m')
end

-- pickup_walk: passenger, lat, lon, of what it takes to be no unrest of the phone's fixes, metres. Answers '' if the pickup is there now; or why
-- it stays: no_pickup (nobody is on the way to this passenger), arrived, soon, near (less than 20 m from it), far (more than walk_m from where
-- it was asked for, or twice that in all).
register('pickup_walk', { 'passenger', 'lat', 'lon', 'least_m?' }, function(c, given)
    local held = redis.call('HMGET', c.p .. 'passenger:' .. given.passenger, 'ride', 'booking')
    local ride, booking = held[1], not held[1] and held[2]
    local id = ride or booking
    if not id then return 'no_pickup' end
    local key = c.p .. (ride and 'ride:' or 'booking:') .. id
    local r = pick(key, { 'state', 'driver', 'zone', 'lat', 'lon', 'asked', 'notified', 'walked_at', 'walks', 'walked_m' })
    if r.state ~= 'accepted' and r.state ~= 'confirmed' then return 'no_pickup' end
    if r.notified == '20' then return 'arrived' end
    local walks, lat, lon = tonumber(r.walks or 0), tonumber(given.lat), tonumber(given.lon)
    if r.walked_at and c.now - r.walked_at < EVERY_MS then return 'soon' end
    local step = metres_between(tonumber(r.lat), tonumber(r.lon), lat, lon)
    if step < math.max(LEAST_M, tonumber(given.least_m) or 0) then return 'near' end
    if walks >= MOST then return 'far' end
    local walked = (tonumber(r.walked_m) or 0) + step
    local asked = r.asked or r.lat .. ',' .. r.lon
    local first_lat, first_lon = place(asked)
    local metres = metres_between(tonumber(first_lat), tonumber(first_lon), lat, lon)
    if metres > c.walk_m or walked > WAYS * c.walk_m then return 'far' end
    redis.call('HSET', key, 'lat', given.lat, 'lon', given.lon, 'asked', asked, 'walked_at', c.now_text, 'walks', walks + 1,
        'walked_m', string.format('%d', walked))
    -- The history keeps that it has moved, not where to: who reads that later is told by the snapshot.
    local now = { position = { lat = lat, lon = lon } }
    metres = math.floor(metres + 0.5)
    if ride then
        log(c, 'ride.pickup_moved', { ride = id, zone = r.zone, driver = r.driver, moved_m = metres })
        tell(c, 'driver:' .. r.driver, 'ride.pickup_moved', { ride = id }, nil, now)
    else
        log(c, 'seat.pickup_moved', { booking = id, zone = r.zone, driver = r.driver, moved_m = metres })
        tell(c, 'driver:' .. r.driver, 'seat.pickup_moved', { booking = id }, nil, now)
    end
    return ''
end)

return { places = places, forget_walk = forget_walk }
