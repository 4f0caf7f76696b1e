-- The most free seats that a vehicle in a zone's queue may have, as far as the queue was read to its end: a party that is too large costs one
-- reading of the queue, and not one each time somebody asks. Known in this process alone; every change of a queue, of
-- seats or of capabilities goes through its functions.

local room = {}

-- By zone and what is needed of the vehicle ('' = nothing).
local most_free, entries, changes = {}, 0, 0
local MOST_ENTRIES = 1000

local function name(c, zone) return c.p .. zone end

-- Somebody has come into the queue, or has counted: so many seats are free there (nil: it has never said). What is known stays a bound, so a zone
-- in which people come and go is not read anew for each of them.
function room.may_have(c, zone, seats)
    changes = changes + 1
    local of_zone = most_free[name(c, zone)]
    if not of_zone then return end
    seats = tonumber(seats) or math.huge
    for needs, most in pairs(of_zone) do of_zone[needs] = math.max(most, seats) end
end

-- Somebody has a capability more.
function room.may_be_more_anywhere()
    most_free, entries = {}, 0
    changes = changes + 1
end

-- A mark of how things stand: what was read under an older one is not kept.
function room.mark() return changes end

function room.keep(c, zone, needs, most, mark)
    if mark ~= changes then return end
    if entries >= MOST_ENTRIES then most_free, entries = {}, 0 end
    local of_zone = most_free[name(c, zone)] or {}
    if not of_zone[needs] then entries = entries + 1 end
    of_zone[needs], most_free[name(c, zone)] = most, of_zone
end

-- At most so many have room; many, if that is not known.
function room.most(c, zone, needs)
    local of_zone = most_free[name(c, zone)]
    if not of_zone then return math.huge end
    return math.min(of_zone[''] or math.huge, of_zone[needs] or math.huge)
end

-- Who was found last in a zone's queue to have more seats than others: to be looked at first.
local widest, zones = {}, 0

function room.found(c, zone, driver)
    if not widest[name(c, zone)] then zones = zones + 1 end
    if zones > MOST_ENTRIES then widest, zones = {}, 1 end
    widest[name(c, zone)] = driver
end

function room.widest(c, zone) return widest[name(c, zone)] end

return { room = room }
