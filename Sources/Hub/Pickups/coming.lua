-- Whether who has accepted a request is coming, of rides and bookings alike: who lets whom wait in vain pays for it.

local metres_between = import('distances', 'metres_between')
local cancels = import('limits', 'cancels')

-- Whoever promises to come is held to it by where it was then: `from` of the request, lat,lon. Who is so much nearer, metres, or was
-- told to be near and is so far from where it was, is coming: no road may lead to the place itself.
local NEARER_M = 100
-- Within so much of the place a vehicle may be as near as a road leads, metres.
local NEAR_M = 500
-- For so long somebody who is near may not have left yet.
local COMING_MS = 30000

-- Metres from the place now, then, and between the two; nil: nobody knows.
local function way_so_far(request, v)
    local lat, lon = string.match(request.from or '', '^([^,]+),(.+)$')
    if not lat or not v.lat then return nil end
    return metres_between(request.lat, request.lon, v.lat, v.lon), metres_between(request.lat, request.lon, lat, lon),
        metres_between(lat, lon, v.lat, v.lon)
end

-- Whether a vehicle has come for who takes a request back now: it is there, or near and on its way. One that has stood near since it
-- accepted has driven nowhere for it.
local function has_come(c, request, v)
    if request.notified == '20' then return true end
    if request.notified == '0' or c.now - request.accepted_at < COMING_MS then return false end
    local now, before = way_so_far(request, v)
    return not now or now <= before - NEARER_M
end

-- How who has accepted comes, when its passenger takes the request back: 'away' lets it wait in vain; 'stays' is near, and where it was:
-- no road may lead to the place, or it does not drive, which positions do not tell apart; else 'comes'.
local function how_it_comes(c, request, v)
    if request.notified == '20' or c.now - tonumber(request.accepted_at) < c.driver_lost_ms or v.missing then return 'comes' end
    local now, before, driven = way_so_far(request, v)
    if not now then return 'away' end
    if now <= math.max(NEARER_M, before - NEARER_M) then return 'comes' end
    if request.notified == '0' or now > NEAR_M then return 'away' end
    return driven >= NEARER_M and 'comes' or 'stays'
end

-- For one that stays near both pay: its passenger as for any request taken back, and its driver once for one and the same passenger, who
-- may ask again and again for a place without a road. `stayed` on the vehicle: for whom it last did.
local function pay_for_staying(c, driver, passenger)
    local key = c.p .. 'vehicle:' .. driver
    if redis.call('HGET', key, 'stayed') == passenger then return end
    redis.call('HSET', key, 'stayed', passenger)
    cancels.add(c, 'driver:' .. driver)
end

return { has_come = has_come, how_it_comes = how_it_comes, pay_for_staying = pay_for_staying }
