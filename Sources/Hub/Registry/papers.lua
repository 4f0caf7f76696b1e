-- Papers: until which day a driver may drive, and the reminders before. `standing` has for each driver (and for each vehicle's name that is
-- no driver's) `<day> <paper> <missing> <card>`: the last day on which all its papers are valid, in days since 1970, and which of them
-- ends then ('-' '-': none has a date; '?' '-': it is no registered driver); what has no date (licence, medical, both; '-': nothing); and
-- JSON of what passengers are shown, '' if there is nothing. Written by registry.lua alone.
-- `papers-due` has `<driver> <paper>` by the day of its next reminder.

local log, refuse, tell = import('core', 'log', 'refuse', 'tell')

local papers = {}

local DAY_MS = 86400000
-- Days before the last one on which a reminder is due; after the last of them there is none.
local REMINDERS = { 90, 30, 7, 0 }
-- Told by one sweep; while there are more the next one comes within 100 ms.
local BATCH = 20
local NAMES = { licence = 'licence', medical = 'medical certificate' }

papers.PAPERS = { 'licence', 'medical' }

-- Days since 1970 of YYYY-MM-DD, and back. Years begin in March here, so that the odd day is their last one.
function papers.day_of(date)
    local year, month, day = string.match(date, '^(%d%d%d%d)-(%d%d)-(%d%d)$')
    year, month = tonumber(year), tonumber(month)
    if month < 3 then year, month = year - 1, month + 12 end
    return 365 * year + math.floor(year / 4) - math.floor(year / 100) + math.floor(year / 400)
        + math.floor((153 * (month - 3) + 2) / 5) + day - 719469
end

function papers.date_of(days)
    days = days + 719468
    local era, day = math.floor(days / 146097), days % 146097
    local year = math.floor((day - math.floor(day / 1460) + math.floor(day / 36524) - math.floor(day / 146096)) / 365)
    local of_year = day - 365 * year - math.floor(year / 4) + math.floor(year / 100)
    local month = math.floor((5 * of_year + 2) / 153)
    local of_month = of_year - math.floor((153 * month + 2) / 5) + 1
    year, month = year + 400 * era + (month >= 10 and 1 or 0), month < 10 and month + 3 or month - 9
    return string.format('%04d-%02d-%02d', year, month, of_month)
end

-- The day on the city's clock (`clocks` in core.lua); by UTC until a worker has said what that shows.
function papers.today(c)
    local offset, till, after = string.match(redis.call('HGET', c.p .. 'clocks', 'city') or '', '^(-?%d+) (%d+) (-?%d+)$')
    if not offset then return math.floor(c.now / DAY_MS) end
    return math.floor((c.now + 1000 * (c.now < tonumber(till) and offset or after)) / DAY_MS)
end

-- Whether a day is over. No clock is more than 15 h from UTC: it is asked only near the end.
local function is_over(c, day)
    local past = c.now - (day + 1) * DAY_MS
    if past < -54000000 then return false end
    return past >= 54000000 or papers.today(c) > day
end

-- What stands in `standing`: its parts.
local function parts(text)
    local day, paper, missing, card = string.match(text or '? - - ', '^(%S+) (%S+) (%S+) (.*)$')
    return tonumber(day), paper, missing, card ~= '' and card or nil, day ~= '?'
end

-- What passengers are shown of a driver, JSON; nil: nothing is known.
function papers.card(c, driver)
    local _, _, _, card = parts(redis.call('HGET', c.p .. 'standing', driver))
    return card
end

-- What is wrong with a driver's papers: `ended` (a paper, its day), `unknown` or `missing` (what); nil: nothing. And its card.
local function fault(c, driver)
    local day, paper, missing, card, is_known = parts(redis.call('HGET', c.p .. 'standing', driver))
    if day and is_over(c, day) then return 'ended', card, NAMES[paper], papers.date_of(day) end
    if c.must_be_registered == 1 and not is_known then return 'unknown', card end
    if c.must_be_registered == 1 and missing ~= '-' then return 'missing', card, missing end
    return nil, card
end

-- Whether a driver may go available, or begin a tour: the refusal, and the fields of its card for its hash.
function papers.check(c, driver)
    local wrong, card, paper, date = fault(c, driver)
    if wrong == 'ended' then
        return refuse('forbidden', 'Your ' .. paper .. ' ended on ' .. date
            .. ': bring the new one to the office. When they have entered it you can go available.')
    elseif wrong == 'unknown' then
        return refuse('forbidden', 'The office has no record of you as a driver: bring it your licence and your medical certificate.')
    elseif wrong == 'missing' then
        local what = paper == 'both' and 'licence and your medical certificate' or NAMES[paper]
        return refuse('forbidden', 'The office does not know until when your ' .. what .. ' holds: bring it there.')
    end
    return nil, card and { 'card', card } or {}
end

-- The same for an operator who would put it into a queue.
function papers.for_office(c, driver)
    local wrong, card, paper, date = fault(c, driver)
    if not wrong then return nil, card and { 'card', card } or {} end
    local what = wrong == 'ended' and 'the ' .. paper .. ' of ' .. driver .. ' ended on ' .. date
        or wrong == 'unknown' and 'there is no record of ' .. driver .. ', and it must have one here'
        or 'the record of ' .. driver .. ' does not say until when its papers hold'
    return refuse('not_available', string.upper(string.sub(what, 1, 1)) .. string.sub(what, 2) .. ': enter that with drivers.set first.')
end

-- Where a driver is told: as what it has been here last.
local function channels(c, driver)
    local found = {}
    for _, role in ipairs({ 'driver', 'bus_driver' }) do
        if redis.call('ZSCORE', c.p .. 'people:' .. role, driver) then found[#found + 1] = role .. ':' .. driver end
    end
    return #found > 0 and found or { 'driver:' .. driver }
end

-- The day of the first reminder after `today` of a paper that ends on `day`; nil: there is none any more.
local function next_reminder(day, today)
    for _, before in ipairs(REMINDERS) do
        if day - before > today then return day - before end
    end
    return nil
end

-- A paper has a new date ('' = none any more). Who comes late, with less than three months left, is reminded at once.
function papers.remind(c, driver, paper, date)
    local key, member = c.p .. 'papers-due', driver .. ' ' .. paper
    if date == '' then redis.call('ZREM', key, member) else redis.call('ZADD', key, papers.day_of(date) - REMINDERS[1], member) end
end

local function text_of(paper, day, today)
    local left = day - today
    local name = NAMES[paper]
    if left < 0 then return 'Your ' .. name .. ' ended on ' .. papers.date_of(day)
        .. ': you can\'t go available until the office has the new one.' end
    local when = left == 0 and 'today' or left == 1 and 'tomorrow' or 'in ' .. left .. ' days, on ' .. papers.date_of(day)
    return 'Your ' .. name .. ' ends ' .. when .. '. Bring the new one to the office: from the day after you can\'t go available without it.'
end

local function fall_due(c, member, date_in, today)
    local driver, paper = string.match(member, '^(%S+) (%S+)$')
    local date = date_in(c, driver, paper)
    if not date then return redis.call('ZREM', c.p .. 'papers-due', member) end
    local day = papers.day_of(date)
    local next_day = next_reminder(day, today)
    if next_day then
        redis.call('ZADD', c.p .. 'papers-due', next_day, member)
    else
        redis.call('ZREM', c.p .. 'papers-due', member)
    end
    local facts = { driver = driver, paper = paper, ['until'] = date, days = day - today }
    log(c, 'papers.ending', facts)
    local notice = 'n_' .. paper .. '-' .. date .. '-' .. today
    for _, channel in ipairs(channels(c, driver)) do
        tell(c, channel, 'notice', { notice = notice, text = text_of(paper, day, today) })
    end
    tell(c, 'office', 'papers.ending', facts)
end

-- Reminds of what is due: one command while nothing is. date_in: until when a driver's paper holds, by the record. offset_s: of the city's clock
-- from UTC ('' = not known yet). Answers whether there may be more.
function papers.remind_due(c, date_in, offset_s)
    if offset_s == '' then return false end
    local today = math.floor((c.now + 1000 * offset_s) / DAY_MS)
    local found = redis.call('ZRANGEBYSCORE', c.p .. 'papers-due', '-inf', today, 'LIMIT', 0, BATCH)
    for _, member in ipairs(found) do
        local good, problem = pcall(fall_due, c, member, date_in, today)
        if not good then
            redis.log(redis.LOG_WARNING, 'kerbside: papers ' .. member .. ': ' .. tostring(problem))
            redis.call('ZREM', c.p .. 'papers-due', member)
        end
    end
    return #found == BATCH
end

return { papers = papers }
