-- Distances between places of one city.

-- On the sphere of 6,371,008.8 m. A number, as `math` is not there yet while a library is loaded.
local METRES_PER_DEGREE = 111195.0797

local function east(from, to, lat)
    local difference = to - from
    if difference > 180 then difference = difference - 360 elseif difference < -180 then difference = difference + 360 end
    return difference * METRES_PER_DEGREE * math.cos(lat * math.pi / 180)
end

local function metres_between(lat, lon, to_lat, to_lon)
    local x, y = east(lon, to_lon, lat), (to_lat - lat) * METRES_PER_DEGREE
    return math.sqrt(x * x + y * y)
end

-- Metres by which a fix of another session may be ahead of what can have been driven: how good a kept place is nobody knows.
local SLACK_M = 100

-- Whether a vehicle can have come from where one worker had it to where another one says it is, ms later. Each worker holds fixes
-- against the last one that came to itself: of two connections the silent one would gain time for a jump (decision 102).
local function can_have_come(c, lat, lon, to_lat, to_lon, ms)
    if c.max_speed_mps == 0 or not lat or not lon then return true end
    local metres = metres_between(tonumber(lat), tonumber(lon), tonumber(to_lat), tonumber(to_lon))
    return metres <= c.max_speed_mps * ms / 1000 + SLACK_M
end

-- How near the straight way between two fixes came to a place, metres. before nil: only the last fix is known.
local function approach(lat, lon, before, fix)
    local x1, y1 = east(lon, fix.lon, lat), (fix.lat - lat) * METRES_PER_DEGREE
    if not before then return math.sqrt(x1 * x1 + y1 * y1) end
    local x0, y0 = east(lon, before.lon, lat), (before.lat - lat) * METRES_PER_DEGREE
    local dx, dy = x1 - x0, y1 - y0
    local squared = dx * dx + dy * dy
    local t = squared > 0 and math.max(0, math.min(1, -(x0 * dx + y0 * dy) / squared)) or 1
    local x, y = x0 + t * dx, y0 + t * dy
    return math.sqrt(x * x + y * y)
end

return { metres_between = metres_between, can_have_come = can_have_come, approach = approach }
