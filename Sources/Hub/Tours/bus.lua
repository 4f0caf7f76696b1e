-- Names of buses. `vehicle:<id>` is of a bus by its id, and of a taxi or minibus by its driver's subject: what the catalog calls a bus
-- is no driver's.

local clear_vehicle, is_followed, is_minibus, push = import('core', 'clear_vehicle', 'is_followed', 'is_minibus', 'push')
local refuse, show_in, vehicle = import('core', 'refuse', 'show_in', 'vehicle')
local leave = import('queue', 'leave')
local forget_way, go_offline, has_bookings = import('minibus', 'forget_way', 'go_offline', 'has_bookings')
local do_without = import('driver', 'do_without')

local buses = {}

function buses.has(c, id)
    local version = redis.call('HGET', c.p .. 'catalog', 'version')
    return version and redis.call('HEXISTS', c.p .. 'catalog:' .. version .. ':buses', id) == 1
        or redis.call('HEXISTS', c.p .. 'bus:' .. id, 'tour') == 1
end

-- Who is fetched by it, or aboard, keeps it, whatever its name.
local function has_passengers(c, driver, v) return v.state == 'busy' or has_bookings(c, driver) end

-- Refuses a driver whose name is a bus'; nil: it is none.
function buses.driver_refusal(c, driver, v)
    if not buses.has(c, driver) or v.kind ~= 'bus' and has_passengers(c, driver, v) then return nil end
    return refuse('forbidden', 'The subject ' .. driver .. ' is the id of a bus in the catalog: a driver needs a token with another '
        .. '`sub`, or the bus another id.')
end

-- What stays of the hash: until when somebody watches that name, and what the office has said of the driver, who may come back.
local KEPT = { watched = true, blocked = true }

-- Where the driver was is nobody's business any more, least of all as the place of the bus, which is shown from its first position on.
local function forget_place_of(c, driver, v)
    if v.cell then
        redis.call('SREM', c.p .. 'cell:' .. v.cell, driver)
        if is_followed(c, v.cell) then show_in(c, v.cell, 'G ' .. driver) end
    end
    redis.call('ZREM', c.p .. 'pos', driver)
end

-- A tour begins: a taxi or minibus of the bus' name was there before the catalog had the bus. It leaves, and its apps are closed; they may
-- not come back. Answers the refusal while it has passengers. A hash without a kind is a driver's, too:
-- what came after Redis had forgotten who that is.
function buses.take_name(c, bus)
    local v = vehicle(c, bus)
    if not next(v) or v.kind == 'bus' then return nil end
    if has_passengers(c, bus, v) then
        return refuse('not_available', 'The driver ' .. bus .. ' has the name of this bus, and passengers: it must end that first. '
            .. 'Give the bus another id, or revoke the driver\'s token.')
    end
    if is_minibus(v) then
        if v.state == 'available' then go_offline(c, bus, v, 'unavailable') end
        forget_way(c, bus, v)
    elseif v.state == 'available' then
        leave(c, bus, v, 'unavailable', 'unavailable')
        do_without(c, bus, v)
    end
    forget_place_of(c, bus, v)
    local names = {}
    for name in pairs(v) do
        if not KEPT[name] then names[#names + 1] = name end
    end
    if #names > 0 then clear_vehicle(c, bus, unpack(names)) end
    redis.call('ZREM', c.p .. 'away', bus)
    if v.worker then redis.call('SREM', c.p .. 'drivers:' .. v.worker, bus) end
    local channel = 'driver:' .. bus
    local sessions = redis.call('ZRANGE', c.p .. 'links:' .. channel, 0, -1)
    if #sessions == 0 then sessions[1] = v.session end
    for _, session in ipairs(sessions) do push(c, channel, '', 'name_taken', session, '{}') end
    return nil
end

return { buses = buses }
