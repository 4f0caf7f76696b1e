-- What operators did: the stream `audit`, an entry for each act, written by the function that makes the change, and by no other. Its id
-- is the entry's; `act` is JSON. Nothing else shortens it.

local log, once, refuse = import('core', 'log', 'once', 'refuse')
local cancels = import('limits', 'cancels')

-- So many entries at least are kept: at 300 bytes, some 15 MB, and at a hundred acts a day more than a year.
local KEPT = 50000

-- So many acts a minute of one operator: by hand nobody needs more, and nobody pushes out what it did before within a shift.
local ACTS = 60

local audit = {}

-- `acts:<operator>`: when those of the last minute were, hub time. Answers it with one more, or nil, how many there were, and for how
-- many ms there can't be another.
local function one_more(c, operator)
    return cancels.in_a_minute(c, redis.call('GET', c.p .. 'acts:' .. operator) or nil, ACTS)
end

-- An act of an operator, once for its key (`once`); or the refusal of one who does more by hand than anybody can, before anything
-- changes. given: of the function, with `operator` and `key`.
function audit.act(c, command, given, body)
    return once(c, command, 'operator:' .. given.operator, given.key, function()
        local times, done, wait = one_more(c, given.operator)
        if times then return body() end
        return refuse('rate_limited', 'You have done ' .. done .. ' things by hand within a minute. Do this one again in '
            .. math.ceil(wait / 1000) .. ' s.', wait)
    end)
end

-- Whether this operator has done so many within a minute already. What can't be refused is done all the same.
function audit.is_full(c, operator) return one_more(c, operator) == nil end

-- One more act of this minute; also of what was refused after the hub had looked through a zone for it.
function audit.tried(c, operator)
    local times = one_more(c, operator)
    if times then redis.call('SET', c.p .. 'acts:' .. operator, times, 'EX', 60) end
end

-- target: on whom or what, as driver:<id>; reason: nil where the command has none; before, after: small objects (`auditFacts` in
-- common.json). Answers the entry's id.
function audit.write(c, operator, command, target, reason, before, after)
    local act = { operator = operator, command = command, target = target, reason = reason, before = before, after = after }
    local id = redis.call('XADD', c.p .. 'audit', 'MAXLEN', '~', KEPT, '*', 'time', c.now_text, 'act', cjson.encode(act))
    act.id = id
    audit.tried(c, operator)
    log(c, 'audit', act)
    return id
end

-- A passenger as the audit names it, for good: of a telephone number the last digits.
function audit.person(passenger)
    local digits = string.match(passenger or '', '^tel:%d*(%d%d%d)$')
    return digits and 'tel:...' .. digits or passenger
end

-- What a tour was when an operator ended it.
function audit.of_tour(t) return { state = t.state, bus = t.bus, line = t.line, driver = t.driver } end

-- A page, the newest first. from: the id at which it begins ('' = the newest). Answers JSON of the entries and, if there are more, the id
-- at which the next page begins; nil: there can't be such an id.
function audit.page(c, from, limit)
    if from == '' then from = '+' elseif not string.match(from, '^%d+%-%d+$') then return nil end
    -- Backwards from before its first entry, Redis goes through all of the stream.
    local first = redis.pcall('XRANGE', c.p .. 'audit', '-', from, 'COUNT', 1)
    if first.err then return nil end
    local found = first[1] and redis.call('XREVRANGE', c.p .. 'audit', from, '-', 'COUNT', limit + 1) or {}
    local entries = {}
    for i = 1, math.min(limit, #found) do
        local fields = found[i][2]
        entries[i] = '{"id":"' .. found[i][1] .. '","time":' .. fields[2] .. ',' .. string.sub(fields[4], 2)
    end
    local after = found[limit + 1] and ',"next":"' .. found[limit + 1][1] .. '"' or ''
    return '{"entries":[' .. table.concat(entries, ',') .. ']' .. after .. '}'
end

return { audit = audit }
