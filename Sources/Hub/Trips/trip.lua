-- What remains of a taxi's ride, or of a booking of seats in a minibus, that has ended: its own hash lives on, as a trip, with number, fare and
-- payment, and no longer than anything tells where people were (`kept_s`). `trips:<role>:<subject>` has a person's trips by when they ended, hub ms.

local keep, pick, register = import('core', 'keep', 'pick', 'register')
local set_ride, set_vehicle = import('core', 'set_ride', 'set_vehicle')
local metres_between = import('distances', 'metres_between')
local is_from_before = import('hub_time', 'is_from_before')
local figures = import('figures', 'figures')

local trips = {}

-- A trip has the id of its ride or booking, which tell themselves what they are (the workers make them).
function trips.is_booking(trip) return string.sub(trip, 1, 2) == 'b_' end

-- The hash of a trip.
function trips.key(c, trip) return c.p .. (trips.is_booking(trip) and 'booking:' or 'ride:') .. trip end

-- An event of a trip, as the log keeps it, with what it is of.
function trips.naming(trip, event)
    event[trips.is_booking(trip) and 'booking' or 'ride'] = trip
    return event
end

-- Of one person; the oldest go first.
local MOST = 1000

local function index(c, who, ride)
    local key = c.p .. 'trips:' .. who
    redis.call('ZADD', key, c.now_text, ride)
    keep(c, key, c.trip_kept_s)
    -- Looked at now and then: one trip more or less is no matter.
    if c.real % 16 ~= 0 then return end
    redis.call('ZREMRANGEBYSCORE', key, '-inf', string.format('%.0f', c.now - c.trip_kept_s * 1000))
    redis.call('ZREMRANGEBYRANK', key, 0, -MOST - 1)
end

-- A ride or booking ends and becomes a trip. r: as it was until now, with `payment`; card: of its driver, JSON, or nil. of, as text: `payment` as the
-- driver says (nil: as was asked for), `clock` the time on the city's clock, `to_zone`, `metres`, and where a fare is told `fare` in hundredths,
-- `currency` and `parts`; nil, or with `is_unsaid`: nobody drove it to its end, so nobody can say what was paid. Answers the fields that its hash
-- gets with its end, and what is told of it.
function trips.made(c, ride, r, driver, card, of)
    local is_driven = of ~= nil and not of.is_unsaid
    of = of or {}
    local year = string.sub(of.clock or figures.date(c), 1, 4)
    local number = string.format('%s-%06d', year, redis.call('HINCRBY', c.p .. 'receipts', year, 1))
    local method = of.payment or r.payment or 'cash'
    local state = is_driven and method == 'cash' and 'paid' or 'pending'
    local fields = { 'receipt', number, 'payment', method, 'paid', state }
    local function put(name, value) if value then fields[#fields + 1], fields[#fields + 2] = name, value end end
    put('clock', of.clock)
    put('to_zone', of.to_zone)
    put('metres', of.metres)
    if of.fare then
        put('fare', of.fare)
        put('currency', of.currency)
        put('parts', of.parts)
    end
    local shown = card and cjson.decode(card) or {}
    put('plate', shown.plate)
    put('driver_name', shown.name)
    put('company', shown.company)
    local parts = trips.parts(of.parts)
    index(c, 'passenger:' .. r.passenger, ride)
    index(c, 'driver:' .. driver, ride)
    return fields, { receipt = number, payment = { method = method, state = state },
        fare = of.fare and { amount = tonumber(of.fare), currency = of.currency } or nil,
        recorded = { ['local'] = of.clock, to_zone = of.to_zone, distance_m = tonumber(of.metres), parts = #parts > 0 and parts or nil,
            estimate = tonumber(string.match(r.estimate or '', '^%d+')), plate = shown.plate, driver_name = shown.name, company = shown.company } }
end

-- The parts of a fare, by their first letters in `parts` of the ride: `f320` in hundredths, one on a line; of a toll the zone follows.
local PARTS = { f = 'flag_fall', d = 'distance', t = 'time', s = 'slab', m = 'minimum', n = 'night', p = 'passengers', b = 'booking', z = 'toll' }

function trips.parts(text)
    local parts = {}
    for sign, amount, zone in string.gmatch(text or '', '(%l)(%d+) ?([^\n]*)') do
        parts[#parts + 1] = { name = PARTS[sign], amount = tonumber(amount), zone = zone ~= '' and zone or nil }
    end
    return parts
end

-- What `ride.ended` and `seat.ended` have of a trip, as the log keeps it, and the rest of its receipt, which is recorded; told: nil: it was none.
function trips.logged(told, event)
    if not told then return event end
    event.receipt, event.payment, event.payment_state = told.receipt, told.payment.method, told.payment.state
    if told.fare then event.amount, event.currency = told.fare.amount, told.fare.currency end
    return event, next(told.recorded) and told.recorded or nil
end

-- The way with the passenger aboard. `meter` of the vehicle: metres up to a place, when that was (hub ms), the place, and, if it has moved on from
-- there, where it was then; only metres until the first fix. A parked car's fixes are unrest: a place counts when the vehicle is so far from
-- the last one that counted, metres, and is so still by the next fix. No car is faster than `max_speed_mps`.
local STEP_M = 40
-- Of a coarse one it is so many times what it is good to; of one that is good to no more than this, metres, nothing is known.
local TIMES, COARSEST_M = 3, 50

local function read(meter)
    if not meter or meter == '0' then return tonumber(meter) end
    local metres, at, lat, lon, rest = string.match(meter, '^([%d.]+) (%d+) (%S+) (%S+)(.*)$')
    local next_lat, next_lon = string.match(rest or '', '^ (%S+) (%S+)$')
    return tonumber(metres or string.match(meter, '^[%d.]+')), tonumber(at), tonumber(lat), tonumber(lon), next_lat, next_lon
end

function trips.begin_meter(c, driver) set_vehicle(c, driver, 'meter', '0') end

-- So far, metres, a taxi drives that has somebody aboard.
trips.least_m = 300

-- Whether a ride has taken anybody anywhere. One that began where nobody waited (`unmet`) has if it was driven.
function trips.is_any(r, v) return not r.unmet or trips.metres(v) >= trips.least_m end

-- So far, metres, no parked car's fixes stray: a taxi that has not come so far with somebody aboard has stood still.
local STILL_M = 100

-- Whether a taxi that ends a ride has driven with somebody aboard, so far at least or half of the straight way that was asked for. Of one that
-- has never said where it is nobody knows.
function trips.has_moved(r, v)
    if not v.lat then return true end
    local least = STILL_M
    if r.dlat then
        least = math.min(least, metres_between(tonumber(r.lat), tonumber(r.lon), tonumber(r.dlat), tonumber(r.dlon)) / 2)
    end
    return trips.moved(v) >= least
end

-- The same of a booking, by where the vehicle was when its passengers came aboard (`began`) and is now: at least half of the straight way that was
-- booked, if that is shorter.
function trips.is_any_booking(b, v)
    local lat, lon = string.match(b.began or '', '^(%S+) (%S+)$')
    if not lat or not v.lat then return true end
    local here_lat, here_lon = tonumber(v.lat), tonumber(v.lon)
    local booked = metres_between(tonumber(b.lat), tonumber(b.lon), tonumber(b.dlat), tonumber(b.dlon))
    return metres_between(tonumber(lat), tonumber(lon), here_lat, here_lon) >= math.min(trips.least_m, booked / 2)
end

-- What the meter of a vehicle says.
function trips.metres(v) return (read(v.meter)) or 0 end

-- What the meter is after a fix, heard at a time (hub ms), coarse: to how many metres it is good, if that is little; nil: as before, or there is
-- none. before: where the vehicle was heard before it, and when: there the meter begins.
function trips.metered(c, meter, lat, lon, heard, coarse, before)
    if coarse and coarse > COARSEST_M then return nil end
    local metres, at, from_lat, from_lon, next_lat, next_lon = read(meter)
    if not metres then return nil end
    local start = string.format('%.1f ', metres)
    local begins = not from_lat
    if begins and not before.lat then return start .. string.format('%d ', heard) .. lat .. ' ' .. lon end
    if begins then at, from_lat, from_lon = tonumber(before.heard), tonumber(before.lat), tonumber(before.lon) end
    local function from_there(some_lat, some_lon) return metres_between(from_lat, from_lon, tonumber(some_lat), tonumber(some_lon)) end
    -- Hub time was set back: the way from there is driven from now on.
    if is_from_before(c, at) then return start .. string.format('%d ', heard) .. from_lat .. ' ' .. from_lon end
    start = start .. string.format('%d ', at) .. from_lat .. ' ' .. from_lon
    local step = math.max(STEP_M, (coarse or 0) * TIMES)
    if from_there(lat, lon) < step then return (begins or next_lat) and start or nil end
    if not next_lat then return start .. ' ' .. lat .. ' ' .. lon end
    local way = from_there(next_lat, next_lon)
    if c.max_speed_mps > 0 and way > c.max_speed_mps * (heard - at) / 1000 then return nil end
    local now = string.format('%.1f %d ', metres + way, heard) .. next_lat .. ' ' .. next_lon
    if metres_between(tonumber(next_lat), tonumber(next_lon), tonumber(lat), tonumber(lon)) < step then return now end
    return now .. ' ' .. lat .. ' ' .. lon
end

-- The same and the way from the last place that counted to where it is now.
function trips.moved(v)
    local metres, _, lat, lon = read(v.meter)
    if not lat or not v.lat then return metres or 0 end
    return metres + metres_between(lat, lon, tonumber(v.lat), tonumber(v.lon))
end

-- Metres of a ride so far: at least the straight line from its pickup to where the taxi was heard last, unless it was not at the pickup, or has
-- not moved since: that is a way it did not come.
function trips.driven(r, v)
    local metres = trips.moved(v)
    if r.unmet or not v.lat or metres < STEP_M then return metres end
    return math.max(metres, metres_between(tonumber(r.lat), tonumber(r.lon), tonumber(v.lat), tonumber(v.lon)))
end

local METERED = { 'state', 'driver', 'aboard_at', 'aboard', 'lat', 'lon', 'zone', 'tolls', 'reservation', 'unmet' }

-- trip_meter: driver, ride ('' = the open one). Of a ride whose passenger is aboard: id, metres, how long (s), since when (hub ms), how many are
-- aboard, the zone of the pickup, zones with a toll that it came through (a line break between), and 1 if it was reserved. Nothing of any
-- other, nor of one that is no trip.
register('trip_meter', { 'driver', 'ride' }, function(c, given)
    local v = pick(c.p .. 'vehicle:' .. given.driver, { 'ride', 'meter', 'lat', 'lon' })
    local ride = given.ride ~= '' and given.ride or v.ride
    if not ride or ride ~= v.ride then return {} end
    local r = pick(c.p .. 'ride:' .. ride, METERED)
    if r.state ~= 'aboard' or r.driver ~= given.driver or not trips.is_any(r, v) then return {} end
    local seconds = math.max(0, math.floor((c.now - tonumber(r.aboard_at)) / 1000))
    return { ride, string.format('%.0f', trips.driven(r, v)), string.format('%.0f', seconds), r.aboard_at, r.aboard or '1', r.zone, r.tolls or '',
        r.reservation and '1' or '' }
end, { 'no-writes' })

-- Zones with a toll that one trip can come through.
local MOST_TOLLS = 16

-- trip_toll: driver, ride, zone. The taxi has come into a zone with a toll, with its passenger. Each zone counts once.
register('trip_toll', { 'driver', 'ride', 'zone' }, function(c, given)
    local r = pick(c.p .. 'ride:' .. given.ride, { 'state', 'driver', 'tolls' })
    if r.state ~= 'aboard' or r.driver ~= given.driver then return 0 end
    local count = 0
    for zone in string.gmatch(r.tolls or '', '[^\n]+') do
        if zone == given.zone then return 1 end
        count = count + 1
    end
    if count >= MOST_TOLLS then return 0 end
    set_ride(c, given.ride, 'tolls', r.tolls and r.tolls .. '\n' .. given.zone or given.zone)
    return 1
end)

return { trips = trips }
