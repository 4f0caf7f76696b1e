-- Whether who has accepted a request is coming, of rides and bookings alike: who lets whom wait in vain pays for it.

local metres_between = import('distances', 'metres_between')
local cancels = import('limits', 'cancels')
local reliability = import('reliability', 'reliability')
local places = import('walk', 'places')

-- Whoever promises to come is held to it by where it was then: `from` of the request, lat,lon. Who is so much nearer, metres, for each
-- `driver_lost_ms` since, is coming. Who has driven so far and is no nearer may be on a way round.
local NEARER_M = 100
-- For so long somebody who is near may not have left yet.
local COMING_MS = 30000
-- Further from the place nobody waits there, or takes somebody aboard.
local THERE_M = 150

local function metres_from(place, v)
    return metres_between(tonumber(place[1]), tonumber(place[2]), tonumber(v.lat), tonumber(v.lon))
end

-- As far as it is known: neither where its passenger is now nor where that was at first.
local function is_elsewhere(request, v)
    for _, place in ipairs(v.lat and places(request) or {}) do
        if metres_from(place, v) <= THERE_M then return false end
    end
    return v.lat ~= nil
end

-- Metres from the place now, then, and between the two; nil: nobody knows. Of a passenger who walks it is the place to which the vehicle has
-- come nearer: who drives must not be taken for one who stays away because the other one does.
local function way_so_far(request, v)
    local lat, lon = string.match(request.from or '', '^([^,]+),(.+)$')
    if not lat or not v.lat then return nil end
    local now, before
    for _, place in ipairs(places(request)) do
        local metres, were = metres_from(place, v), metres_between(place[1], place[2], lat, lon)
        if not now or were - metres > before - now then now, before = metres, were end
    end
    return now, before, metres_between(lat, lon, v.lat, v.lon)
end

-- Whether it was told to be near so long ago that it would be there, if it could. `near_at`: when it was.
local function stays_near(c, request) return request.near_at and c.now - request.near_at >= c.driver_lost_ms end

-- Whether a vehicle has come for who takes a request back now: it is there, or near and on its way. One that has stood near since it
-- accepted, or stands there now, does not drive for it.
local function has_come(c, request, v)
    if request.notified == '20' then return true end
    if request.notified == '0' or c.now - request.accepted_at < COMING_MS or stays_near(c, request) then return false end
    local now, before = way_so_far(request, v)
    return not now or now <= before - NEARER_M
end

-- How who has accepted comes, when its passenger takes the request back: 'away' lets it wait in vain; 'unclear' is near and gets no
-- nearer, or drives and gets no nearer: it may not want to, or no road may lead there, which positions do not tell apart; else 'comes'.
local function how_it_comes(c, request, v)
    local waited = c.now - tonumber(request.accepted_at)
    if request.notified == '20' or waited < c.driver_lost_ms or v.missing then return 'comes' end
    local now, before, driven = way_so_far(request, v)
    if not now then return 'away' end
    if stays_near(c, request) then return 'unclear' end
    local periods = c.driver_lost_ms > 0 and math.floor(waited / c.driver_lost_ms) or 1
    if now <= math.max(NEARER_M, before - NEARER_M * periods) then return 'comes' end
    return (driven >= NEARER_M or request.notified ~= '0') and 'unclear' or 'away'
end

-- The passenger takes back what `driver` has accepted, and pays if that is its own doing. Of the others both pay: a passenger by a kind of
-- its own, which has more that are free, so that neither can make the other pay often. Answers whether the driver pays so much that it is not
-- available for a while.
local function pay(c, how, request, v, passenger, driver)
    if how == 'away' then
        cancels.add(c, passenger, 'y')
        cancels.add(c, 'driver:' .. driver)
        reliability.count(c, 'driver', driver, 'give_backs', v)
    elseif how == 'unclear' then
        cancels.add(c, passenger, 't')
        cancels.add(c, 'driver:' .. driver, 'v')
    elseif has_come(c, request, v) then
        cancels.missed(c, passenger, request.passengers)
        reliability.count(c, 'passenger', passenger, 'late_cancels')
    else
        cancels.add(c, passenger)
    end
    return how ~= 'comes' and cancels.driver_refusal(c, driver) ~= nil
end

return { how_it_comes = how_it_comes, is_elsewhere = is_elsewhere, pay = pay }
