-- Who can be relied on: no-shows and late cancellations of passengers, rides and bookings that drivers give back, and the points of
-- regulars. `reliability:<role>:<subject>` has `<kind> <week>`, how often it was in that week of hub time (weeks since 1970), and
-- `points`. What is over drops out with its week, so a window is up to six days longer than `reliability.window_days`.
--
-- What follows is set by the city: at `warn_at` the person is told, at `pause_at` it is paused for a while, by the mark of a block
-- (blocks.lua), which everything asks that a blocked one may not do; `deposit` is a flag, which says what services may do with it.

local hash, keep, log, ok, unkeep = import('core', 'hash', 'keep', 'log', 'ok', 'unkeep')
local refuse, register, tell = import('core', 'refuse', 'register', 'tell')
local metres_between = import('distances', 'metres_between')
local blocks = import('blocks', 'blocks')
local people = import('people', 'people')
local audit = import('audit', 'audit')

local reliability = {}

local WEEK_MS, DAY_MS = 604800000, 86400000
-- Points are kept for so long after the last ride, as wishes are, days.
local POINTS_DAYS = 400
-- Of somebody who telephones all is gone with the number (people.lua), and at the latest then: `keep` adds an eighth. Days.
local CALLER_DAYS = 30
-- A ride is worth so many km at most: a lost position may be anywhere.
local MOST_KM = 200

local KINDS = { passenger = { 'no_shows', 'late_cancels' }, driver = { 'give_backs' } }

local function key_of(c, role, subject)
    local who = role .. ':' .. subject
    return c.p .. 'reliability:' .. who
end
local function holder(c, role, subject) return c.p .. (role == 'driver' and 'vehicle:' or 'passenger:') .. subject end
local function week(c) return math.floor(c.now / WEEK_MS) end

local function keep_it(c, key)
    local is_caller = string.find(key, ':passenger:tel:', 1, true)
    keep(c, key, (is_caller and CALLER_DAYS or math.max(c.reliability_window_days + 7, POINTS_DAYS)) * 86400)
end

-- What counts now: by kind, and all of it. fields: of the hash. Answers the weeks that are over, too.
local function counts_of(c, role, fields)
    local counts, total, over = {}, 0, {}
    for _, kind in ipairs(KINDS[role]) do counts[kind] = 0 end
    local first = math.floor((c.now - c.reliability_window_days * DAY_MS) / WEEK_MS)
    for field, value in pairs(fields) do
        local kind, at = string.match(field, '^([%a_]+) (%d+)$')
        if kind and tonumber(at) < first then
            over[#over + 1] = field
        elseif kind and counts[kind] then
            counts[kind], total = counts[kind] + tonumber(value), total + tonumber(value)
        end
    end
    return counts, total, over
end

-- As it is told. mark: `blocked` of its hash.
local function shown(c, role, fields, mark)
    local counts, total = counts_of(c, role, fields)
    local pause = blocks.pause(c, mark)
    local told = { window_days = c.reliability_window_days, total = total, paused_until = pause and pause['until'] }
    for kind, n in pairs(counts) do told[kind] = n end
    if role == 'passenger' then
        told.points = tonumber(fields.points) or 0
        told.deposit = c.reliability_deposit_at > 0 and total >= c.reliability_deposit_at
    end
    local warn_at = role == 'driver' and c.reliability_driver_warn_at or c.reliability_warn_at
    local pause_at = role == 'driver' and c.reliability_driver_pause_at or c.reliability_pause_at
    told.warn_at, told.pause_at = warn_at > 0 and warn_at or nil, pause_at > 0 and pause_at or nil
    return told, total
end

-- Who is blocked for longer, or for good, stays so. A block by the office that ends before stands beside the pause.
local function pause(c, role, subject, total)
    local key = holder(c, role, subject)
    local before = redis.call('HGET', key, 'blocked') or nil
    local ends = blocks.till(before)
    local till = c.now + c.reliability_pause_ms
    if ends and (ends == '0' or tonumber(ends) >= till) then return nil end
    local why = role == 'driver' and 'rides given back' or 'times that you did not come, or cancelled when you were fetched'
    local text = string.format('%.0f', till)
    local mark = blocks.joined(blocks.part(c, before, false),
        blocks.mark(c, text, blocks.HUB, string.format('%.0f ', total) .. why .. ' in ' .. c.reliability_window_days_text .. ' days.'))
    redis.call('HSET', key, 'blocked', mark)
    people.ends(c, role == 'driver' and subject or 'passenger:' .. subject, text)
    return till, mark
end

-- One more, of a kind. v: the vehicle of a driver; it is paused with it, so whoever goes on with it sees that.
function reliability.count(c, role, subject, kind, v)
    local key = key_of(c, role, subject)
    redis.call('HINCRBY', key, kind .. ' ' .. string.format('%.0f', week(c)), 1)
    local fields = hash(key)
    local _, total, over = counts_of(c, role, fields)
    if #over > 0 then redis.call('HDEL', key, unpack(over)) end
    keep_it(c, key)
    local warn_at = role == 'driver' and c.reliability_driver_warn_at or c.reliability_warn_at
    local pause_at = role == 'driver' and c.reliability_driver_pause_at or c.reliability_pause_at
    local till
    if pause_at > 0 and total >= pause_at then
        local mark
        till, mark = pause(c, role, subject, total)
        if till and v then v.blocked = mark end
    end
    local is_warned = warn_at > 0 and total >= warn_at
    if not till and not is_warned then return end
    local passenger, driver = role == 'passenger' and subject or nil, role == 'driver' and subject or nil
    if till then
        log(c, 'reliability.paused', { passenger = passenger, driver = driver, kind = kind, total = total, paused_until = till })
    else
        log(c, 'reliability.warned', { passenger = passenger, driver = driver, kind = kind, total = total })
    end
    local told = shown(c, role, fields, till and redis.call('HGET', holder(c, role, subject), 'blocked') or nil)
    told.kind, told['until'], told.paused_until = kind, till, nil
    tell(c, role .. ':' .. subject, till and 'reliability.paused' or 'reliability.warned', told)
end

-- A passenger's points for a ride that is over: for each km from the pickup to where the vehicle is now, by the straight line. r: its `lat`
-- and `lon`; v: the vehicle.
function reliability.ride_ended(c, passenger, r, v)
    if c.reliability_points_per_km <= 0 or not r.lat or not v.lat then return end
    local km = metres_between(tonumber(r.lat), tonumber(r.lon), tonumber(v.lat), tonumber(v.lon)) / 1000
    local points = math.floor(math.min(km, MOST_KM) * c.reliability_points_per_km)
    if points < 1 then return end
    local key = key_of(c, 'passenger', passenger)
    redis.call('HINCRBY', key, 'points', string.format('%.0f', points))
    keep_it(c, key)
end

local function read(c, role, subject)
    local mark = redis.call('HGET', holder(c, role, subject), 'blocked') or nil
    return shown(c, role, hash(key_of(c, role, subject)), mark)
end

-- reliability_get: role (driver, passenger), subject. What counts of somebody.
register('reliability_get', { 'role', 'subject' }, function(c, given)
    return ok((read(c, given.role, given.subject)))
end, { 'no-writes' })

-- reliability_of: the same for services and operators, with whose it is. all: '' tells of that only whether a deposit is wanted: the rest is
-- what a person does, day by day.
register('reliability_of', { 'role', 'subject', 'all' }, function(c, given)
    local told = read(c, given.role, given.subject)
    if given.all == '' then told = { window_days = told.window_days, deposit = told.deposit } end
    told.role, told.subject = given.role, given.subject
    return ok(told)
end, { 'no-writes' })

-- reliability_reset: operator, role, subject, reason, key. Nothing counts any more, and a pause is over; points stay, and so does what the
-- office has blocked.
register('reliability_reset', { 'operator', 'role', 'subject', 'reason', 'key' }, function(c, given)
    local role, subject = given.role, given.subject
    return audit.act(c, 'reliability.reset', given, function()
        local key, holds = key_of(c, role, subject), holder(c, role, subject)
        local mark = redis.call('HGET', holds, 'blocked') or nil
        local fields = hash(key)
        local paused = blocks.pause(c, mark)
        local _, total = counts_of(c, role, fields)
        if total == 0 and not paused then
            return refuse('not_available', 'Nothing counts against the ' .. role .. ' ' .. subject .. '.')
        end
        for field in pairs(fields) do
            if field ~= 'points' then redis.call('HDEL', key, field) end
        end
        unkeep(key)
        local rest = blocks.part(c, mark, false)
        if paused and rest then
            redis.call('HSET', holds, 'blocked', rest)
        elseif paused then
            redis.call('HDEL', holds, 'blocked')
        end
        local who = role == 'passenger' and audit.person(subject) or subject
        local id = audit.write(c, given.operator, 'reliability.reset', role .. ':' .. who, given.reason,
            { total = total, blocked = blocks.read(c, mark) ~= nil }, { total = 0, blocked = rest ~= nil })
        return ok({ role = role, subject = subject, audit = id })
    end)
end)

return { reliability = reliability }
