-- A ride is asked for.

local log, ok, refuse, register, tell = import('core', 'log', 'ok', 'refuse', 'register', 'tell')
local quoted = import('json', 'quoted')
local blocks = import('blocks', 'blocks')
local callers = import('callers', 'callers')
local cancels = import('limits', 'cancels')
local is_anybody_free, nobody_around, view = import('candidates', 'is_anybody_free', 'nobody_around', 'view')
local taxi_figures = import('taxi_figures', 'taxi_figures')
local full, full_of = import('crowd', 'full', 'full_of')
local begin_search, needs_of = import('search', 'begin_search', 'needs_of')

-- Why a passenger can't have a ride now; nil: it can, and then whether something counts against it (`cancels`, limits.lua).
local function refusal(c, passenger)
    local held = redis.call('HMGET', c.p .. 'passenger:' .. passenger, 'ride', 'booking', 'cancels', 'blocked')
    local barred = blocks.refusal(c, held[4])
    if barred then return barred end
    local open = held[1] or held[2]
    if open then
        local what = held[1] and 'The ride ' or 'The booking '
        return refuse('already_requested', what .. open .. ' is still open. Cancel it first, or wait for its end.')
    end
    return nil, held[3]
end

-- The order of requests is that of the log: its ids are milliseconds and a number within them, far below 2048.
local function place_in_log(id)
    local ms, number = string.match(id, '^(%d+)%-(%d+)$')
    return string.format('%d', ms * 2048 + math.min(number, 2047))
end

-- Fields that few rides have, and after each what it is called in what is asked for.
local RARE = { 'dlat', 'to_lat', 'dlon', 'to_lon', 'needs', 'needs', 'near', 'near', 'wait_until', 'wait_until', 'reservation', 'reservation',
    'operator', 'operator', 'name', 'name', 'number', 'number', 'payment', 'payment', 'estimate', 'estimate' }

-- Makes a ride that searches at once, after those that do already. of: zone, lat, lon, passengers, and as far as there are: to_lat, to_lon, needs,
-- near (zones around, see search.lua), wait_until (ms of hub time), reservation; of who telephones name, number, and the operator
-- who asks (crowd.lua). All as text.
local function begin_ride(c, ride, passenger, of, queue)
    local logged = log(c, 'ride.requested', '{"ride":"' .. ride .. '","passenger":"' .. passenger .. '","zone":' .. quoted(of.zone)
        .. ',"passengers":' .. of.passengers .. ',"lat":' .. of.lat .. ',"lon":' .. of.lon
        .. (of.to_lat and ',"to_lat":' .. of.to_lat .. ',"to_lon":' .. of.to_lon or '')
        .. (of.needs and ',"needs":' .. cjson.encode(needs_of(of)) or '') .. '}')
    local order = place_in_log(logged)
    local fields = { 'passenger', passenger, 'zone', of.zone, 'lat', of.lat, 'lon', of.lon,
        'passengers', of.passengers, 'round', '1', 'order', order, 'requested_at', c.now_text }
    local count = #fields
    for i = 1, #RARE, 2 do
        local value = of[RARE[i + 1]]
        if value then fields[count + 1], fields[count + 2], count = RARE[i], value, count + 2 end
    end
    redis.call('HSET', c.p .. 'passenger:' .. passenger, 'ride', ride)
    local r = { zone = of.zone, lat = of.lat, lon = of.lon, passengers = of.passengers, round = 1, attempt = 0, order = order,
        needs = of.needs, near = of.near, wait_until = of.wait_until, reservation = of.reservation }
    tell(c, 'passenger:' .. passenger, 'ride.searching', '{"ride":"' .. ride .. '","zone":' .. quoted(of.zone) .. ',"round":1,"reason":"requested"}')
    begin_search(c, ride, r, queue or view(c, of.zone), fields)
end

-- ride_request: passenger, ride id (new, random), zone, lat, lon, passengers, destination lat and lon ('' = none), key, and who asks for
-- one who telephones (callers.lua), what the vehicle must have (words, a space between), the zones around (a line break between), and 1 if
-- the passenger waits where nobody is; how it will be paid ('' = in cash), and the estimated fare, `<hundredths> <currency>` ('' = none).
register('ride_request', {
    'passenger', 'ride', 'zone', 'lat', 'lon', 'passengers', 'to_lat', 'to_lon', 'key', 'by?', 'needs?', 'near?', 'wait?', 'payment?',
    'estimate?',
}, function(c, given)
    local passenger, ride, zone = given.passenger, given.ride, given.zone
    return callers.once(c, 'ride.request', passenger, given.key, given.by, 'ride', function(caller, note)
        if tonumber(given.passengers) > c.max_passengers then
            return refuse('too_many_passengers', 'At most ' .. c.max_passengers .. ' passengers can ride; got ' .. given.passengers .. '.')
        end
        local no, mark = refusal(c, passenger)
        if no then return no end
        local function text(value) if value ~= '' then return value end end
        local of = { zone = zone, lat = given.lat, lon = given.lon, passengers = given.passengers, to_lat = text(given.to_lat),
            to_lon = text(given.to_lon), needs = text(given.needs), near = text(given.near), payment = text(given.payment),
            estimate = text(given.estimate) }
        local queue = view(c, zone)
        local is_free = is_anybody_free(c, queue, of)
        local too_many = caller and full_of(c, zone, caller.operator, is_free) or not is_free and full(c, zone)
        if too_many then return refuse('zone_empty', too_many .. '. Request again later.') end
        local code, detail = nobody_around(c, queue, of)
        if given.wait == '1' and c.wait_ms > 0 then
            of.wait_until = string.format('%.0f', c.now + c.wait_ms)
        elseif code then
            -- Who needs something that few cars have shows nothing of taxis, and who may not ask now shows nothing at all.
            if code == 'zone_empty' and not of.needs and not cancels.passenger_refusal(c, passenger, mark) then
                taxi_figures.unmet(c, passenger, zone)
            end
            return refuse(code, detail .. (c.wait_ms > 0 and ' Or send it with `wait`: true, to wait for the next one.' or ''))
        end
        local too_soon = cancels.passenger_refusal(c, passenger, mark)
        if too_soon then return too_soon end
        if caller then
            note(c, passenger, caller)
            of.operator, of.name, of.number = caller.operator, caller.name, caller.number
        end
        begin_ride(c, ride, passenger, of, queue)
        local amount, currency = string.match(of.estimate or '', '^(%d+) (%u+)$')
        return ok('{"ride":"' .. ride .. '","zone":' .. quoted(zone) .. ',"state":"searching"'
            .. (of.wait_until and ',"until":' .. of.wait_until or '')
            .. (amount and ',"fare":{"amount":' .. amount .. ',"currency":"' .. currency .. '"}' or '') .. '}')
    end)
end)

return { begin_ride = begin_ride }
