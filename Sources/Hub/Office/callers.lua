-- Who telephones: an operator asks in the name of somebody who has no app. Each number is a passenger of its own, `tel:<digits>`, which no
-- token can be. Its driver is told whom to fetch, and `office` what a passenger's app would be told (core.lua).

local once = import('core', 'once')
local audit = import('audit', 'audit')

local callers = {}

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
        local reply, was = body(caller, note)
        -- Refused or not, it may have looked through a zone and those around.
        if string.sub(reply, 1, 1) ~= '+' or was == false then
            audit.tried(c, caller.operator)
            return reply
        end
        local told, who = cjson.decode(string.sub(reply, 2)), audit.person(passenger)
        audit.write(c, caller.operator, command, what .. ':' .. told[what], nil,
            was and { state = was.state, driver = was.driver, passenger = who } or {}, { state = told.state, passenger = who })
        return reply
    end)
end

-- What is looked for before a command is carried out: body answers it, and nothing that begins with `+`. Or the reply that its key has got, or
-- the refusal of an operator who has done too much: then nothing is looked for. It counts as no act, and is kept for no key.
function callers.ahead(c, command, passenger, key, by, body)
    local caller = by and by ~= '' and read(by)
    if not caller then return once(c, command, 'passenger:' .. passenger, key, body) end
    return audit.act(c, command, { operator = caller.operator, key = own_key(key, passenger) }, body)
end

-- How the driver reaches whom it fetches; nil: by no other way than the app. of: a ride or booking.
function callers.contact(of) return of.number and { name = of.name, number = of.number } or nil end

return { callers = callers }
