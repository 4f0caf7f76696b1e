-- Drivers that are lost on their way to somebody. Who waits for one is told after `driver_lost_ms`, and told again when it is back
-- before anything else was decided. `missing` on the vehicle says that they were told, and since when it is away; it goes with
-- `away` (queue.lua).

local is_minibus, load_ride, log, set_vehicle, tell = import('core', 'is_minibus', 'load_ride', 'log', 'set_vehicle', 'tell')

-- Calls `body` with each who waits for this driver: of a taxi its accepted ride, of a minibus its confirmed bookings.
local function each_waiting(c, driver, v, body)
    local r = v.ride and load_ride(c, v.ride) or {}
    if r.state == 'accepted' and r.driver == driver then body('ride', { ride = v.ride, taxi = driver }, r.passenger, r.zone) end
    if not is_minibus(v) then return end
    for _, booking in ipairs(redis.call('ZRANGE', c.p .. 'bookings:' .. driver, 0, -1)) do
        local b = redis.call('HMGET', c.p .. 'booking:' .. booking, 'state', 'passenger', 'zone')
        if b[1] == 'confirmed' then body('seat', { booking = booking, vehicle = driver }, b[2], b[3] or nil) end
    end
end

-- Since when the driver is away, and until when the hub waits for it by itself. Nil while nobody was told.
local function missing(c, v)
    return v.missing and { since = tonumber(v.missing), ['until'] = tonumber(v.missing) + c.recovery_ms } or nil
end

local function tell_missing(c, driver, v)
    if v.missing then return end
    v.missing = v.away
    set_vehicle(c, driver, 'missing', v.missing)
    each_waiting(c, driver, v, function(kind, data, passenger, zone)
        log(c, kind .. '.driver_lost', { ride = data.ride, zone = zone, booking = data.booking, driver = driver, passenger = passenger })
        for name, value in pairs(missing(c, v)) do data[name] = value end
        tell(c, 'passenger:' .. passenger, kind .. '.driver_lost', data)
    end)
end

local function tell_found(c, driver, v)
    v.missing = nil
    each_waiting(c, driver, v, function(kind, data, passenger, zone)
        log(c, kind .. '.driver_back', { ride = data.ride, zone = zone, booking = data.booking, driver = driver, passenger = passenger })
        tell(c, 'passenger:' .. passenger, kind .. '.driver_back', data)
    end)
end

return { missing = missing, tell_missing = tell_missing, tell_found = tell_found }
