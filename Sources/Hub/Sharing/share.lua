-- Links by which friends follow a ride. `share:<secret>` names the ride, and the ride its links: `shares`, secrets with blanks between. A link
-- says nothing any more when its ride is over, when its passenger takes it back, and a day after it was made.

local load_ride, ok, once, pick, point = import('core', 'load_ride', 'ok', 'once', 'pick', 'point')
local refuse, register, set_ride = import('core', 'refuse', 'register', 'set_ride')
local meant = import('ride', 'meant')

-- Links of one ride. Who wants to tell many sends one to all.
local MOST = 3
-- A link lives for so long at most, s.
local LIFE_S = 86400
local OPEN = { searching = true, offered = true, accepted = true, aboard = true }
local SHARING = { 'state', 'passenger', 'shares' }

local function secrets(r) return string.gmatch(r.shares or '', '%S+') end

-- ride_share: passenger, ride ('' = the open one), key, the secret of the new link. (command ride.share)
register('ride_share', { 'passenger', 'ride', 'key', 'secret' }, function(c, given)
    return once(c, 'ride.share', 'passenger:' .. given.passenger, given.key, function()
        local ride, r, no = meant(c, 'ride', 'passenger', given.passenger, given.ride, SHARING)
        if no then return no end
        if not OPEN[r.state] then return refuse('not_available', 'The ride is over: it is ' .. r.state .. '.') end
        local left = {}
        for secret in secrets(r) do
            if redis.call('EXISTS', c.p .. 'share:' .. secret) == 1 then left[#left + 1] = secret end
        end
        if #left >= MOST then
            return refuse('not_available', 'The ride has ' .. MOST .. ' links already: send one of them on, or take them back with ride.unshare.')
        end
        left[#left + 1] = given.secret
        set_ride(c, ride, 'shares', table.concat(left, ' '))
        redis.call('SET', c.p .. 'share:' .. given.secret, ride, 'EX', LIFE_S)
        return ok({ ride = ride, link = '/follow/#' .. given.secret })
    end)
end)

-- ride_unshare: passenger, ride ('' = the open one), key. All links of the ride are taken back. (command ride.unshare)
register('ride_unshare', { 'passenger', 'ride', 'key' }, function(c, given)
    return once(c, 'ride.unshare', 'passenger:' .. given.passenger, given.key, function()
        local ride, r, no = meant(c, 'ride', 'passenger', given.passenger, given.ride, SHARING)
        if no then return no end
        for secret in secrets(r) do redis.call('DEL', c.p .. 'share:' .. secret) end
        redis.call('HDEL', c.p .. 'ride:' .. ride, 'shares')
        return ok({ ride = ride })
    end)
end)

-- What people know a car by; neither the picture nor its driver's name, which the taxi's own id is where logins are names.
local CAR = { 'plate', 'model', 'colour' }
local RIDE = { 'state', 'driver', 'notified', 'lat', 'lon', 'dlat', 'dlon' }
local VEHICLE = { 'lat', 'lon', 'at', 'heading', 'card' }

-- share_read: secret of a link. JSON of what a friend sees; '' if it is none any more. `goal` is for the worker, which reckons how long it
-- takes, and is not told.
register('share_read', { 'secret' }, function(c, given)
    local ride = redis.call('GET', c.p .. 'share:' .. given.secret)
    if not ride then return '' end
    local r = load_ride(c, ride, RIDE)
    if not OPEN[r.state] then return cjson.encode({ state = 'over' }) end
    if r.state ~= 'accepted' and r.state ~= 'aboard' then return cjson.encode({ state = 'searching' }) end
    local v = pick(c.p .. 'vehicle:' .. r.driver, VEHICLE)
    local told = { state = r.state == 'accepted' and r.notified == '20' and 'arrived' or r.state }
    local card = v.card and cjson.decode(v.card) or {}
    for _, name in ipairs(CAR) do told[name] = card[name] end
    if v.lat then
        told.position = point(v.lat, v.lon)
        told.position.at, told.position.heading = tonumber(v.at), tonumber(v.heading)
    end
    if told.state == 'accepted' then told.goal = point(r.lat, r.lon) end
    if told.state == 'aboard' and r.dlat then told.goal = point(r.dlat, r.dlon) end
    return cjson.encode(told)
end, { 'no-writes' })
