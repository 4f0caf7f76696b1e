-- Notices of an operator to many people: an event on the channel of each, kept in its history. They are told in portions, as Redis does
-- nothing else meanwhile: `broadcasts` has the notices that are still being told, by id, and `broadcast:<id>` who has not been told yet.
-- Who is to be told is copied in portions, too; then a portion is told and taken out in one step, so each is told once, whatever dies.

local log, ok, refuse, register, tell = import('core', 'log', 'ok', 'refuse', 'register', 'tell')
local people = import('people', 'people')
local audit = import('audit', 'audit')

-- So many notices at once, and of one operator; and people in a portion: 0.5 ms of Redis, of which there are some 150 a second.
local MOST_OPEN, MOST_OF_ONE = 8, 2
local PORTION = 25

local ROLES = { drivers = 'driver', bus_drivers = 'bus_driver', passengers = 'passenger' }

-- broadcast_send: operator, id (new, random), to whom (drivers, bus_drivers, passengers), of drivers the zone in whose queue they
-- stand ('' = all who have been here within a week), the text, key. Answers how many will be told.
register('broadcast_send', { 'operator', 'id', 'to', 'zone', 'text', 'key' }, function(c, given)
    return audit.act(c, 'broadcast', given, function()
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
                cursor = not zone and '0' or nil }))
        end
        log(c, 'notify.sent', { notice = given.id, operator = given.operator, to = given.to, zone = zone, text = given.text,
            people = count })
        audit.write(c, given.operator, 'broadcast', zone and 'zone:' .. zone or given.to, nil, {},
            { notice = given.id, people = count, text = given.text })
        return ok({ notice = given.id, people = count })
    end)
end)

-- broadcast_tell: tells the next portion. Answers 1 if there is more.
register('broadcast_tell', {}, function(c)
    local open = c.p .. 'broadcasts'
    local id = redis.call('HKEYS', open)[1]
    if not id then return 0 end
    local notice, waiting = cjson.decode(redis.call('HGET', open, id)), c.p .. 'broadcast:' .. id
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
