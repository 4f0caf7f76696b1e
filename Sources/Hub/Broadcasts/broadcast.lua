-- Notices of an operator to many people: an event on the channel of each, kept in its history. They are told in portions, as Redis does
-- nothing else meanwhile: `broadcasts` has the notices that are still being told, by id, and `broadcast:<id>` who has not been told yet.
-- Who is to be told is copied in portions, too; then a portion is told and taken out in one step, so each is told once, whatever dies.

local log, ok, refuse, register, tell = import('core', 'log', 'ok', 'refuse', 'register', 'tell')
local people = import('people', 'people')
local audit = import('audit', 'audit')

-- So many notices at once, and of one operator; and people in a portion: 0.5 ms of Redis.
local MOST_OPEN, MOST_OF_ONE = 8, 2
local PORTION = 25

-- Each who is told gets a copy into the history: 100 bytes and the text. One operator may make so many copies an hour, each for a text of up to
-- TEXT_BYTES; a longer one counts as two. That is 10 KB a second, of which Redis gets a gigabyte in a day. It is enough to tell something to
-- 5,000 drivers every three minutes.
local COPIES, TEXT_BYTES, HOUR_MS = 100000, 256, 3600000
-- Everybody can be told in an emergency, however many they are: a notice may go beyond the bound. Who has more than an hour to work off is refused,
-- and no notice leaves more than two hours: so an operator that has sent nothing for an hour is not refused for this, and one that goes on can
-- tell a larger city something once an hour.
local MOST_OWED_MS = 2 * HOUR_MS

local ROLES = { drivers = 'driver', bus_drivers = 'bus_driver', passengers = 'passenger' }

-- `told:<operator>` lives as long as an operator's copies are worked off, at COPIES an hour. Answers for how many ms that still is.
local function owed(c, operator) return math.max(0, redis.call('PTTL', c.p .. 'told:' .. operator)) end

local function owe(c, operator, copies)
    local left = math.min(owed(c, operator) + copies * HOUR_MS / COPIES, MOST_OWED_MS)
    redis.call('SET', c.p .. 'told:' .. operator, '', 'PX', string.format('%.0f', left))
end

-- The refusal of an operator that has too much to work off; nil: it may send.
local function refusal(c, operator)
    local wait = owed(c, operator) - HOUR_MS
    if wait <= 0 then return nil end
    return refuse('rate_limited', 'Your notices went to more people than one operator may tell in an hour: ' .. COPIES .. ', who count twice if '
        .. 'the text has more than ' .. TEXT_BYTES .. ' bytes. Send it again in ' .. math.ceil(wait / 60000) .. ' min, or let another operator '
        .. 'send it now.', wait)
end

-- broadcast_send: operator, id (new, random), to whom (drivers, bus_drivers, passengers), of drivers the zone in whose queue they
-- stand ('' = all who have been here within a week), the text, key. Answers how many will be told.
register('broadcast_send', { 'operator', 'id', 'to', 'zone', 'text', 'key' }, function(c, given)
    return audit.act(c, 'broadcast', given, function()
        local refused = refusal(c, given.operator)
        if refused then return refused end
        local open, waiting = c.p .. 'broadcasts', c.p .. 'broadcast:' .. given.id
        local notices, own = redis.call('HVALS', open), 0
        for _, notice in ipairs(notices) do
            if cjson.decode(notice).operator == given.operator then own = own + 1 end
        end
        if #notices >= MOST_OPEN or own >= MOST_OF_ONE then
            return refuse('rate_limited', 'So many notices are still being told: send it again in a moment.', 1000)
        end
        local zone, role = given.zone ~= '' and given.zone or nil, ROLES[given.to]
        local count = zone and redis.call('ZRANGESTORE', waiting, c.p .. 'queue:' .. zone, 0, -1) or people.count(c, role)
        if count > 0 then
            redis.call('HSET', open, given.id, cjson.encode({ role = role, zone = zone, text = given.text, operator = given.operator,
                people = count, cursor = not zone and '0' or nil }))
            owe(c, given.operator, count * math.ceil(#given.text / TEXT_BYTES))
        end
        log(c, 'notify.sent', { notice = given.id, operator = given.operator, to = given.to, zone = zone, text = given.text,
            people = count })
        audit.write(c, given.operator, 'broadcast', zone and 'zone:' .. zone or given.to, nil, {},
            { notice = given.id, people = count, text = given.text })
        return ok({ notice = given.id, people = count })
    end)
end)

-- Of the open notices that with the fewest people left, its id and what is kept of it: one to a zone need not wait for those to everybody. One
-- that is still being copied has all of them left.
local function next_notice(c, open)
    local found, fewest, kept
    local notices = redis.call('HGETALL', open)
    for i = 1, #notices, 2 do
        local id = notices[i]
        local notice = cjson.decode(notices[i + 1])
        local left = notice.cursor and (notice.people or math.huge) or redis.call('ZCARD', c.p .. 'broadcast:' .. id)
        if not found or left < fewest or left == fewest and id < found then found, fewest, kept = id, left, notice end
    end
    return found, kept
end

-- broadcast_tell: tells the next portion. Answers 1 if there is more.
register('broadcast_tell', {}, function(c)
    local open = c.p .. 'broadcasts'
    local id, notice = next_notice(c, open)
    if not id then return 0 end
    local waiting = c.p .. 'broadcast:' .. id
    if notice.cursor then
        notice.cursor = people.copy(c, notice.role, waiting, notice.cursor)
        if notice.cursor == '0' then notice.cursor = nil end
        redis.call('HSET', open, id, cjson.encode(notice))
        return 1
    end
    local some = redis.call('ZPOPMAX', waiting, PORTION)
    for i = 1, #some, 2 do
        tell(c, notice.role .. ':' .. some[i], 'notice', { notice = id, text = notice.text, zone = notice.zone })
    end
    if redis.call('EXISTS', waiting) == 0 then redis.call('HDEL', open, id) end
    return redis.call('HLEN', open) > 0 and 1 or 0
end)
