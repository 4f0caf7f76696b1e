-- Who telephones: an operator asks in the name of somebody who has no app. Each number is a passenger of its own, `tel:<digits>`, which no
-- token can be. Its driver is told whom to fetch, and `office` what a passenger's app would be told (core.lua).

local once, refuse = import('core', 'once', 'refuse')
local audit = import('audit', 'audit')
local cancels = import('limits', 'cancels')

local callers = {}

-- So many requests of these an hour are for callers of one operator. A caller needs no token, so no limit of a person counts: by the acts of a
-- minute alone one operator could have 86,400 a day, each of which is kept for long. Who telephones needs half a minute.
local ASKED_AN_HOUR = 500
local ASKS = { ['ride.request'] = true, ['stop.request'] = true, ['seat.book'] = true, ['seat.request'] = true, ['reservation.make'] = true }

-- `asked:<operator>`: since when they are counted, hub time, and how many there were. Answers it with one more, '' for a command that does not
-- count, or nil and the refusal.
local function one_more(c, command, operator)
    if not ASKS[command] then return '' end
    local text, wait = cancels.in_an_hour(c, redis.call('GET', c.p .. 'asked:' .. operator) or nil, ASKED_AN_HOUR)
    if text then return text end
    return nil, refuse('rate_limited', 'You have made ' .. ASKED_AN_HOUR .. ' requests for callers within an hour, which is the most of one '
        .. 'operator. Ask again in ' .. math.ceil(wait / 60000) .. ' min, or let another operator ask.', wait)
end

-- by: `<operator>\n<name>\n<number>`; '' or nil: the passenger asks itself.
local function read(by)
    local operator, name, number = string.match(by or '', '^([^\n]+)\n([^\n]*)\n([^\n]*)$')
    return operator and { operator = operator, name = name, number = number } or nil
end

-- An operator's key is one for each caller.
local function own_key(key, passenger) return key ~= '' and key .. ' ' .. passenger or '' end

-- Is known until 30 days after its last request.
local function note(c, passenger, caller)
    redis.call('HSET', c.p .. 'passenger:' .. passenger, 'name', caller.name, 'number', caller.number)
    redis.call('ZADD', c.p .. 'gone', c.real, 'passenger:' .. passenger)
end

-- A passenger's command takes effect once. That of an operator is an act of its, with its limit and its entry in the audit, and takes effect once
-- for this caller and this operator; what: the field of the reply that names what the command is about. body is given the caller, or nil, and
-- a function to be called before anybody is told. Besides the reply it answers how things stood (`state`, `driver`; nil: there was nothing),
-- or false: nothing has changed, and there is no act.
function callers.once(c, command, passenger, key, by, what, body)
    local caller = by and by ~= '' and read(by)
    if not caller then return once(c, command, 'passenger:' .. passenger, key, body) end
    return audit.act(c, command, { operator = caller.operator, key = own_key(key, passenger) }, function()
        local asked, too_many = one_more(c, command, caller.operator)
        if not asked then return too_many end
        local reply, was = body(caller, note)
        -- Refused or not, it may have looked through a zone and those around.
        if string.sub(reply, 1, 1) ~= '+' or was == false then
            audit.tried(c, caller.operator)
            return reply
        end
        if asked ~= '' then redis.call('SET', c.p .. 'asked:' .. caller.operator, asked, 'EX', 3600) end
        local told, who = cjson.decode(string.sub(reply, 2)), audit.person(passenger)
        audit.write(c, caller.operator, command, what .. ':' .. told[what], nil,
            was and { state = was.state, driver = was.driver, passenger = who } or {}, { state = told.state, passenger = who })
        return reply
    end)
end

-- What is looked for before a command is carried out: body answers it, and nothing that begins with `+`. Or the reply that its key has got, or
-- the refusal of an operator who has done, or asked for, too much: then nothing is looked for. It counts as no act, and is kept for no key.
function callers.ahead(c, command, passenger, key, by, body)
    local caller = by and by ~= '' and read(by)
    if not caller then return once(c, command, 'passenger:' .. passenger, key, body) end
    return audit.act(c, command, { operator = caller.operator, key = own_key(key, passenger) }, function()
        local asked, too_many = one_more(c, command, caller.operator)
        if not asked then return too_many end
        return body()
    end)
end

-- How the driver reaches whom it fetches; nil: by no other way than the app. of: a ride or booking.
function callers.contact(of) return of.number and { name = of.name, number = of.number } or nil end

return { callers = callers }
