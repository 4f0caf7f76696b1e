-- The administrators' figures: what happened on each line on each day, counted in the same step in which it happens, so
-- that neither a repeated command nor the death of a worker counts anything twice or not at all.
--
-- `figures:<date>` (2026-11-21, by the clock of the catalog's time zone) is a hash, `<line>|<name>` to a number; what the
-- names mean stands with `Figure` in Domain. Everything counts on the day on which it happens, so a day that is over does
-- not change any more. Kept for `figure_days` days.

local refuse = import('core', 'refuse')
local beside, beside_changed = import('settings', 'beside', 'beside_changed')

local figures = {}

-- The city's local time less UTC, s: the workers know its time zone, and say it with each sweep. `utc_offset_changed` has since when (ms, a quarter
-- of an hour, as clocks are changed by), and what it was before: what began before the change to summer time counts where it began.
local QUARTER_MS = 900000

function figures.set_offset(c, seconds)
    local key = c.p .. 'settings'
    local before = redis.call('HGET', key, 'utc_offset_s')
    if before == seconds then return end
    redis.call('HSET', key, 'utc_offset_s', seconds)
    if before then
        -- The clock of the worker that says it may be a moment ahead.
        local since = math.floor((c.now + 10000) / QUARTER_MS) * QUARTER_MS
        redis.call('HSET', key, 'utc_offset_changed', string.format('%.0f ', since) .. before)
    end
    beside_changed(c)
end

local function offset_at(c, at)
    local since, before = string.match(beside(c, 'utc_offset_changed') or '', '^(%d+) (%-?%d+)$')
    return tonumber(since and at < tonumber(since) and before or beside(c, 'utc_offset_s')) or 0
end

-- The day of a time (ms; nil: now), as 2026-11-21, and its hour. Days since 1970 to a date as `ServiceDate` in Domain has it, with years that
-- begin in March.
function figures.date(c, at)
    local floor = math.floor
    local seconds = (at or c.now) / 1000 + offset_at(c, at or c.now)
    local days = floor(seconds / 86400) + 719468
    local era = floor(days / 146097)
    local day = days - era * 146097
    local year = floor((day - floor(day / 1460) + floor(day / 36524) - floor(day / 146096)) / 365)
    day = day - (365 * year + floor(year / 4) - floor(year / 100))
    local month = floor((5 * day + 2) / 153)
    day = day - floor((153 * month + 2) / 5) + 1
    month = month < 10 and month + 3 or month - 9
    return string.format('%04d-%02d-%02d', year + era * 400 + (month <= 2 and 1 or 0), month, day), floor(seconds % 86400 / 3600)
end

-- The same for many times, of which most are of one hour: that of each quarter of an hour is reckoned once, as clocks are set by quarters.
function figures.dates(c)
    local known = {}
    return function(at)
        local quarter = math.floor(at / QUARTER_MS)
        local of = known[quarter]
        if not of then
            of = { figures.date(c, at) }
            known[quarter] = of
        end
        return of[1], of[2]
    end
end

local TEN = '^(%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+)$'
local TEN_TEXT = '%d %d %d %d %d %d %d %d %d %d'

local function sum_text(text, more)
    local n = { string.match(text or '0 0 0 0 0 0 0 0 0 0', TEN) }
    for place = 1, 10 do n[place] = tonumber(n[place]) + (more[place] or 0) end
    return string.format(TEN_TEXT, unpack(n))
end

-- Adds to the ten numbers of fields, `<hour>|<name>`, of a day's hash. sums: for each field what is added, by its place; at most 1,000 fields.
function figures.add_numbers(key, sums)
    local fields, values = {}, {}
    for field in pairs(sums) do fields[#fields + 1] = field end
    for place, text in ipairs(redis.call('HMGET', key, unpack(fields))) do
        values[2 * place - 1] = fields[place]
        values[2 * place] = sum_text(text, sums[fields[place]])
    end
    redis.call('HSET', key, unpack(values))
end

-- counts: name to a whole number.
function figures.add(c, line, counts)
    local key = c.p .. 'figures:' .. figures.date(c)
    for name, n in pairs(counts) do
        if n ~= 0 then redis.call('HINCRBY', key, line .. '|' .. name, string.format('%.0f', n)) end
    end
    redis.call('EXPIRE', key, c.figure_days * 86400)
end

-- A name that comes from a client is a line's only if the catalog has it: there must not be a figure for every misspelling.
function figures.is_line(c, line)
    local version = line and redis.call('HGET', c.p .. 'catalog', 'version')
    return version and redis.call('HEXISTS', c.p .. 'catalog:' .. version .. ':lines', line) == 1
end

-- A request was refused. who: role and subject. One that is sent again with its key is counted once, as far as the latest keys
-- of a subject that were refused can tell; without a key, all of one reason in ten minutes are one.
function figures.refused(c, line, code, who, key)
    if not figures.is_line(c, line) then return end
    local seen = c.p .. 'refused:' .. who
    if key == '' then
        if not redis.call('SET', seen .. ':' .. code, '', 'NX', 'EX', 600) then return end
    else
        if redis.call('LPOS', seen, key) then return end
        redis.call('LPUSH', seen, key)
        redis.call('LTRIM', seen, 0, 15)
        redis.call('EXPIRE', seen, c.idempotency_ttl_s)
    end
    figures.add(c, line, { ['refused:' .. code] = 1 })
end

-- Somebody got on during a tour. how: 'boarded', by the driver's count of seats, or 'fetched', by a request that was
-- completed. A driver who counts seats counts those who were fetched, too; so the tour's passengers are the more of the two.
function figures.got_on(c, tour, line, how, n)
    local key = c.p .. 'tour:' .. tour
    local counts = redis.call('HMGET', key, 'boarded', 'fetched')
    local before = math.max(tonumber(counts[1] or 0), tonumber(counts[2] or 0))
    local after = math.max(before, redis.call('HINCRBY', key, how, n))
    figures.add(c, line, { passengers = after - before, [how] = n })
end

-- A driver who corrects the count lets some get on again. This many times a vehicle's seats is no correction any more.
figures.recounts = 4

-- By a driver's count of seats `more` have got on. Answers how many are believed, as no more get on than the vehicle has seats, at a
-- stop or in a minute; or nil and the refusal of what nobody can believe. v: the hash of the tour or minibus; its field `boarding`
-- has since when, how many stops were judged by then, and how many got on.
function figures.believed(c, key, v, seats, more)
    if more <= 0 then return 0 end
    local judged = v.judged or '0'
    local since, stop, on = string.match(v.boarding or '', '^(%d+) (%d+) (%d+)$')
    if not since or math.abs(c.now - since) >= 60000 or tonumber(judged) > tonumber(stop) then since, on = c.now_text, 0 end
    local wait = since + 60000 - c.now
    if on + more > seats * figures.recounts then
        return nil, refuse('rate_limited', 'By your count ' .. string.format('%.0f', on + more) .. ' have got on within a minute; there are '
            .. seats .. ' seats. Count again in ' .. math.ceil(wait / 1000) .. ' s.', wait)
    end
    redis.call('HSET', c.p .. key, 'boarding', since .. ' ' .. judged .. ' ' .. string.format('%.0f', on + more))
    return math.max(0, math.min(more, seats - on))
end

-- Who asks and who drives may be one, and what they complete fills the figures. Of a person so many requests count as fetched in an hour,
-- with all who ride along; `fetched:<id>` has when.
local FETCHED_AN_HOUR, HOUR_MS = 3, 3600000

-- A request was completed, or its passengers are aboard. Answers of how many it is believed: a vehicle fetches no more in a minute than it
-- has seats. v: the hash of the tour or minibus; its field `fetching` has since when, and how many.
function figures.fetched(c, person, key, v, seats, n)
    local recent = {}
    local fetched = c.p .. 'fetched:' .. person
    for at in string.gmatch(redis.call('GET', fetched) or '', '%d+') do
        if math.abs(c.now - at) < HOUR_MS then recent[#recent + 1] = at end
    end
    local since, before = string.match(v.fetching or '', '^(%d+) (%d+)$')
    if not since or math.abs(c.now - since) >= 60000 then since, before = c.now_text, 0 end
    local believed = math.max(0, math.min(n, seats - before))
    if #recent >= FETCHED_AN_HOUR or believed == 0 then return 0 end
    recent[#recent + 1] = c.now_text
    redis.call('SET', fetched, table.concat(recent, ' '), 'PX', HOUR_MS)
    v.fetching = since .. ' ' .. string.format('%.0f', before + believed)
    redis.call('HSET', c.p .. key, 'fetching', v.fetching)
    return believed
end

-- A tour has come by its stops up to `to` (an index, not included); those in `skipped` were left out. Each stop of a tour is
-- judged once, however often it is stepped back. delays: how late each was left by the schedule, s, as far as it is known.
function figures.passed(c, tour, t, to, skipped, delays)
    local first = math.max(tonumber(t.next), tonumber(t.judged or 0))
    if first >= to then return end
    t.judged = to
    redis.call('HSET', c.p .. 'tour:' .. tour, 'judged', to)
    local counts = {}
    local function count(name, n) counts[name] = (counts[name] or 0) + n end
    for index = first, to - 1 do
        local delay = delays[index]
        count(skipped[index] and 'stops_skipped' or 'stops_passed', 1)
        if delay and not skipped[index] then
            local is_early, is_late = delay < -c.figure_early_s, delay > c.figure_late_s
            count(is_early and 'stops_early' or is_late and 'stops_late' or 'stops_on_time', 1)
            count('delay_s', delay)
        end
    end
    figures.add(c, t.line, counts)
end

-- A stop was left out by mistake: it is judged when it is left, or counts as passed if later ones are judged already.
function figures.restored(c, tour, t, index)
    local is_last = tonumber(t.judged or 0) == index + 1
    if is_last then
        t.judged = index
        redis.call('HSET', c.p .. 'tour:' .. tour, 'judged', index)
    end
    figures.add(c, t.line, { stops_skipped = -1, stops_passed = is_last and 0 or 1 })
end

-- why: as tours.finish has it. A driver who ends the tour at its last stop has come there, `delay` late.
function figures.tour_ended(c, tour, t, why, delay)
    local last = #cjson.decode(t.stops) - 1
    if why == 'driver' and tonumber(t.next) == last then figures.passed(c, tour, t, last + 1, {}, { [last] = delay }) end
    figures.add(c, t.line, { tours_ended = 1, tours_lost = why == 'lost' and 1 or 0,
        tours_cut_short = tonumber(t.next) < last and 1 or 0 })
end

-- A minibus counts for the line that it has announced as its route, if it is one.
function figures.of_minibus(c, v, counts)
    if figures.is_line(c, v.route) then figures.add(c, v.route, counts) end
end

return { figures = figures }
