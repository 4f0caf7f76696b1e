-- Whether who has accepted a request is coming, of rides and bookings alike: who lets whom wait in vain pays for it.

local metres_between = import('distances', 'metres_between')

-- Whoever promises to come is held to it by where it was then: `from` of the request, lat,lon. Who is so much nearer, metres, or was
-- told to be near and is so far from where it was, is coming: no road may lead to the place itself.
local NEARER_M = 100
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

-- Who has accepted and is no nearer after a while lets its passenger wait in vain.
local function has_not_come(c, request, v)
    if request.notified == '20' or c.now - tonumber(request.accepted_at) < c.driver_lost_ms or v.missing then return false end
    local now, before, driven = way_so_far(request, v)
    if not now then return true end
    if request.notified ~= '0' and driven >= NEARER_M then return false end
    return now > math.max(NEARER_M, before - NEARER_M)
end

return { has_come = has_come, has_not_come = has_not_come }
