-- Reports of what happened. `report:<id>` is one, as JSON; `reports` has those that are open and `reports-closed` those that are dealt with,
-- by when they were sent, which their ids say, too. All end after `safety_kept_s`, read or not. Of an anonymous one nothing
-- here, nor in the event log, says who sent it.

local log, ok, once, refuse, register, tell = import('core', 'log', 'ok', 'once', 'refuse', 'register', 'tell')
local audit = import('audit', 'audit')

-- Open ones, and as many that are dealt with: some 9 MB each at the most. Nobody's report is thrown away unread for another's.
local MOST = 2000

local function key_of(c, id) return c.p .. 'report:' .. id end

-- What is too old, or too much.
local function tidy(c)
    local before = string.format('%.0f', c.real - c.safety_kept_s * 1000)
    redis.call('ZREMRANGEBYSCORE', c.p .. 'reports', '-inf', before)
    redis.call('ZREMRANGEBYSCORE', c.p .. 'reports-closed', '-inf', before)
    for _, id in ipairs(redis.call('ZRANGE', c.p .. 'reports-closed', 0, -MOST - 1)) do
        redis.call('UNLINK', key_of(c, id))
        redis.call('ZREM', c.p .. 'reports-closed', id)
    end
end

-- report_send: role, subject (both '' = anonymous), category, text, ride, vehicle (each '' = none), key. An anonymous one with a key is
-- known again by what it says: two people with the same key do not meet.
register('report_send', { 'role', 'subject', 'category', 'text', 'ride', 'vehicle', 'key' }, function(c, given)
    local who, key = given.role .. ':' .. given.subject, given.key
    if given.role == '' then
        who = 'anonymous'
        if key ~= '' then
            key = redis.sha1hex(cjson.encode({ key, given.category, given.text, given.ride, given.vehicle }))
        end
    end
    return once(c, 'report.send', who, key, function()
        tidy(c)
        if redis.call('ZCARD', c.p .. 'reports') >= MOST then
            return refuse('unavailable', MOST .. ' reports wait for the office already. Send it again later.')
        end
        local at = c.real
        while redis.call('EXISTS', key_of(c, string.format('p_%.0f', at))) == 1 do at = at + 1 end
        local id = string.format('p_%.0f', at)
        local report = { report = id, at = c.now, category = given.category, text = given.text }
        for _, name in ipairs({ 'role', 'subject', 'ride', 'vehicle' }) do
            if given[name] ~= '' then report[name] = given[name] end
        end
        redis.call('SET', key_of(c, id), cjson.encode(report), 'EX', c.safety_kept_s)
        redis.call('ZADD', c.p .. 'reports', string.format('%.0f', at), id)
        log(c, 'report.sent', { report = id, category = given.category },
            { text = report.text, role = report.role, subject = report.subject, ride = report.ride, vehicle = report.vehicle })
        tell(c, 'office', 'report.sent', { report = id, category = given.category })
        return ok({ report = id })
    end)
end)

-- report_list: id at which the page begins ('' = the newest), how many at most, '1' = those that are dealt with.
register('report_list', { 'from', 'limit', 'closed' }, function(c, given)
    local limit, from = tonumber(given.limit), given.from == '' and '+inf' or string.match(given.from, '^p_(%d+)$')
    if not from or #from > 15 then return refuse('bad_message', 'field `from`: expected the id of a report, as `next` has it') end
    local key, found = c.p .. (given.closed == '1' and 'reports-closed' or 'reports'), {}
    local ids = redis.call('ZREVRANGEBYSCORE', key, from, '-inf', 'LIMIT', 0, limit + 1)
    for i = 1, math.min(limit, #ids) do found[#found + 1] = redis.call('GET', key_of(c, ids[i])) or nil end
    local after = ids[limit + 1] and ',"next":"' .. ids[limit + 1] .. '"' or ''
    return '+{"reports":[' .. table.concat(found, ',') .. ']' .. after .. '}'
end, { 'no-writes' })

-- report_close: operator, report, note, key.
register('report_close', { 'operator', 'report', 'note', 'key' }, function(c, given)
    local id = given.report
    return audit.act(c, 'report.close', given, function()
        local json = redis.call('GET', key_of(c, id))
        if not json then return refuse('not_found', 'There is no report ' .. id .. ', or it is too old.') end
        local report = cjson.decode(json)
        if report.closed then return refuse('not_available', report.closed.by .. ' has closed this report.') end
        report.closed = { by = given.operator, at = c.now, note = given.note }
        redis.call('SET', key_of(c, id), cjson.encode(report), 'KEEPTTL')
        redis.call('ZADD', c.p .. 'reports-closed', redis.call('ZSCORE', c.p .. 'reports', id) or c.real, id)
        redis.call('ZREM', c.p .. 'reports', id)
        tidy(c)
        local entry = audit.write(c, given.operator, 'report.close', 'report:' .. id, given.note, { state = 'open' }, { state = 'closed' })
        log(c, 'report.closed', { report = id, operator = given.operator }, { note = given.note })
        return ok({ report = id, state = 'closed', audit = entry })
    end)
end)

return {}
