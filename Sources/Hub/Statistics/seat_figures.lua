-- The figures of seats in minibuses, from which routes are improved: what became of the bookings that were asked for on a route in an hour of the
-- city's clock, and from where to where people asked in vain. A step only notes, in `seats_over`; each sweep adds up what was noted (`sum_up`).
--
-- `seats:<date>` has for each `<hour>|<route>` (no route: nothing behind the bar) these numbers (`SeatFigures` in Domain): asked for, accepted,
-- declined, unanswered, unmet (no seat, or nobody goes there), cancelled, aboard, ended; stars in all, and how often they were given.
-- `vain:<date>` has for each `<from> <to>`, the middles of two cells, who asked: a mark of each person, made with a secret of that day
-- (`vain-secret:<date>`), which is gone two days later: from then on nobody can try all telephone numbers until one fits. It ends with all that
-- tells where people were (`kept_s`).

local log = import('core', 'log')
local figures = import('figures', 'figures')

local seat_figures = {}

local ASKED, ACCEPTED, DECLINED, UNANSWERED, UNMET, CANCELLED, ABOARD, ENDED, STARS, RATINGS = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
local OUTCOMES = { ended = ENDED, cancelled = CANCELLED, declined = DECLINED, full = UNMET }

-- Of a cell from south to north, degrees: some 500 m. From west to east it is as wide.
local STEP = 0.0045

-- The middle of the cell in which a place is, as text; nil: there is no place.
function seat_figures.cell(lat, lon)
    if not lat or not lon then return nil end
    local middle = (math.floor(tonumber(lat) / STEP) + 0.5) * STEP
    local width = STEP / math.max(0.01, math.cos(math.rad(middle)))
    return string.format('%.4f,%.4f', middle, math.min(180, (math.floor(tonumber(lon) / width) + 0.5) * width))
end

-- places: of the numbers that grow by 1, or `<place>+<more>`.
local function counted(at, places, route) return 'n ' .. at .. ' ' .. table.concat(places, ' ') .. '|' .. (route or '') end

local function in_vain(at, passenger, from, to) return from and to and 'v ' .. at .. ' ' .. passenger .. ' ' .. from .. ' ' .. to or nil end

local function note(c, ...) redis.call('RPUSH', c.p .. 'seats_over', ...) end

-- A booking is over. b: as it was until now; reason: why it was declined.
function seat_figures.note(c, b, state, reason)
    if not b.requested_at then return end
    local is_declined = state == 'declined'
    local places = { ASKED, OUTCOMES[is_declined and reason or state] or UNANSWERED }
    if b.accepted_at then places[#places + 1] = ACCEPTED end
    if b.aboard_at then places[#places + 1] = ABOARD end
    local sum = counted(b.requested_at, places, b.route)
    local vain = is_declined and in_vain(b.requested_at, b.passenger, seat_figures.cell(b.lat, b.lon), seat_figures.cell(b.dlat, b.dlon))
    if vain then note(c, sum, vain) else note(c, sum) end
end

-- Whose request was refused counts once in so long, s: who asks again and again is one who has found nobody.
local UNMET_ONCE_S = 600

-- A request was refused as no seat is free, or nobody goes there. given: of the function; route: of the minibus that was asked, nil: any.
function seat_figures.unmet(c, given, code, route)
    local passenger = given.passenger
    if not redis.call('SET', c.p .. 'unmet:' .. passenger, '1', 'NX', 'EX', UNMET_ONCE_S) then return end
    local from, to = seat_figures.cell(given.lat, given.lon), seat_figures.cell(given.to_lat, given.to_lon)
    note(c, counted(c.now_text, { ASKED, UNMET }, route), in_vain(c.now_text, passenger, from, to))
    log(c, 'seat.unmet', { zone = (given.zone or '') ~= '' and given.zone or nil, passenger = passenger,
        passengers = tonumber(given.passengers), reason = code, route = route, from_cell = from,
        to_cell = to })
end

-- A passenger has rated the route of a booking that was asked for then.
function seat_figures.rated(c, requested_at, route, stars)
    note(c, counted(requested_at, { STARS .. '+' .. stars, RATINGS }, route))
end

-- As much of what was noted as one sweep takes. Of a day so many fields are its routes' by any name, those of lines of the catalog besides; so
-- many pairs of cells; and of a pair so many people.
local MOST, MOST_FIELDS, MOST_PAIRS, MOST_PEOPLE = 500, 2000, 5000, 100

local function part(of, name)
    of[name] = of[name] or {}
    return of[name]
end

local SECRET_S = 172800

-- Of a day; fresh: a random text, for a day that has none yet.
local function secret_of(c, date, fresh)
    local key = c.p .. 'vain-secret:' .. date
    if fresh and redis.call('SET', key, fresh, 'NX', 'EX', SECRET_S) then return fresh end
    return redis.call('GET', key) or ''
end

-- secret: of a day.
local function take(c, over, date_of, sums, pairs_asked, secret)
    local kind, at, rest = string.match(over, '^(%l) (%d+) (.*)$')
    local date, hour = date_of(tonumber(at))
    if kind == 'v' then
        local passenger, from_to = string.match(rest, '^(%S+) (.*)$')
        local mark = string.sub(redis.sha1hex(secret(date) .. ' ' .. passenger .. ' ' .. from_to), 1, 10)
        part(part(pairs_asked, c.p .. 'vain:' .. date), from_to)[mark] = true
        return
    end
    local places, route = string.match(rest, '^([^|]*)|(.*)$')
    local numbers = part(part(part(sums, c.p .. 'seats:' .. date), hour), route)
    for place, more in string.gmatch(places, '(%d+)%+?(%d*)') do
        place = tonumber(place)
        numbers[place] = (numbers[place] or 0) + (tonumber(more) or 1)
    end
end

-- By what name a route counts. A driver may announce any: there must not be a field for each.
local function field_of(c, key, hour, route)
    local field = hour .. '|' .. route
    if route == '' or redis.call('HLEN', key) < MOST_FIELDS or redis.call('HEXISTS', key, field) == 1 then return field end
    return figures.is_line(c, route) and field or hour .. '|'
end

local function add_numbers(c, key, hours)
    for hour, routes in pairs(hours) do
        for route, more in pairs(routes) do figures.add_numbers(key, { [field_of(c, key, hour, route)] = more }) end
    end
    redis.call('EXPIRE', key, c.figure_days * 86400)
end

local function add_people(c, key, places)
    for from_to, people in pairs(places) do
        local known = redis.call('HGET', key, from_to)
        local marks, is_new = {}, {}
        for mark in string.gmatch(known or '', '%S+') do
            marks[#marks + 1] = mark
            is_new[mark] = false
        end
        for mark in pairs(people) do
            if is_new[mark] == nil and #marks < MOST_PEOPLE then marks[#marks + 1] = mark end
        end
        if known or redis.call('HLEN', key) < MOST_PAIRS then redis.call('HSET', key, from_to, table.concat(marks, ' ')) end
    end
    redis.call('EXPIRE', key, math.min(c.kept_s, c.figure_days * 86400))
end

-- fresh: a random text (secret_of).
function seat_figures.sum_up(c, fresh)
    local sums, pairs_asked, date_of, secrets = {}, {}, figures.dates(c), {}
    local function secret(date)
        secrets[date] = secrets[date] or secret_of(c, date, fresh)
        return secrets[date]
    end
    for _, over in ipairs(redis.call('LPOP', c.p .. 'seats_over', MOST) or {}) do take(c, over, date_of, sums, pairs_asked, secret) end
    for key, hours in pairs(sums) do add_numbers(c, key, hours) end
    for key, places in pairs(pairs_asked) do add_people(c, key, places) end
end

return { seat_figures = seat_figures }
