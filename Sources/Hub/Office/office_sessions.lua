-- Whose connections the office has ended, and whose tokens it has revoked: `revoked` has `<role> <subject>` by the second of real time
-- before which a token counts no more. `<role> <subject> others` has that of the `iat` of other issuers, with the leeway that there was then:
-- it stays when the setting is lowered. Workers hear of each at once, and read all in pieces when they come, or come back (OfficeSessions.swift).

local ok, push, refuse, register = import('core', 'ok', 'push', 'refuse', 'register')
local audit = import('audit', 'audit')
local cancels = import('limits', 'cancels')
local revocations = import('revocations', 'revocations')
local subscriptions = import('subscriptions', 'subscriptions')

-- So many a day of one operator may be of people whom the hub does not know. These names may be invented, and each revocation is kept for long,
-- in Redis and by each worker. Whom the hub knows came with a token, so their number is bounded; who has to revoke all of them can.
local UNKNOWN_A_DAY = 1000

-- The newest so many are kept, however old: two of each person where there are other issuers. None goes by its age, as one moment of a wrong clock
-- would decide that for good. With people whom the hub does not know one operator takes 200 days to get there, when the first ones
-- mean nothing any more unless tokens live longer than they do by default. They take tens of MB of Redis, and of each worker
-- (OfficeRevocations.swift).
local MOST_REVOKED = 400000

-- Counts no token of role:subject that was issued before this second; and of other issuers, before others_before (nil: there are none).
local function revoke(c, role, subject, before, others_before)
    local key, member = c.p .. 'revoked', role .. ' ' .. subject
    redis.call('ZADD', key, 'GT', before, member)
    if others_before then redis.call('ZADD', key, 'GT', others_before, member .. ' others') end
    -- Who has the device is told nothing any more.
    subscriptions.drop_all(c, role .. ':' .. subject)
    redis.call('ZREMRANGEBYRANK', key, 0, -MOST_REVOKED - 1)
end

-- Has said hello within a week, as a driver within a month, is connected, or is told things on a device.
local function is_known(c, role, subject)
    local channel = role .. ':' .. subject
    return redis.call('ZSCORE', c.p .. 'people:' .. role, subject)
        or redis.call('EXISTS', c.p .. 'links:' .. channel, c.p .. 'subscriptions:' .. channel) > 0
        or role == 'driver' and redis.call('HEXISTS', c.p .. 'vehicle:' .. subject, 'state') == 1
end

-- `revoking:<operator>`: since when those are counted, hub time, and how many there were. Answers it with one more, or nil and the refusal.
local function one_more(c, operator)
    local text, wait = cancels.in_a_day(c, redis.call('GET', c.p .. 'revoking:' .. operator) or nil, UNKNOWN_A_DAY)
    if text then return text end
    return nil, refuse('rate_limited', 'You have revoked the tokens of ' .. UNKNOWN_A_DAY .. ' people whom the hub does not know within a day, which '
        .. 'is the most of one operator. Revoke this one in ' .. math.ceil(wait / 60000) .. ' min, let another operator do it, or have it done '
        .. 'on the hub\'s machine, for a whole role at once if need be (tokens.revoked_file).', wait)
end

-- office_end_session: operator, role, subject, reason, whether its tokens are revoked ('1' or ''), by how much the clock of another
-- issuer may be ahead, s ('0': there is none), the second of the hub's own clock, by which it issues tokens, key.
register('office_end_session', {
    'operator', 'role', 'subject', 'reason', 'revoke', 'leeway_s', 'now_s', 'key',
}, function(c, given)
    local role, subject = given.role, given.subject
    if role == 'operator' and subject == given.operator then
        return refuse('not_available', 'That is you: it would end the connection that asks, and this reply would not come. Another operator '
            .. 'can do it; or close the connection yourself, and have your token revoked on the hub\'s machine (tokens.revoked_file).')
    end
    return audit.act(c, 'office.session_end', given, function()
        local is_revoked, before, others_before = given.revoke == '1', nil, nil
        local was = redis.call('ZSCORE', c.p .. 'revoked', role .. ' ' .. subject) and { state = 'revoked' } or {}
        if is_revoked and not was.state and not is_known(c, role, subject) then
            local counted, too_many = one_more(c, given.operator)
            if too_many then return too_many end
            redis.call('SET', c.p .. 'revoking:' .. given.operator, counted, 'EX', 86400)
        end
        if is_revoked then
            -- Those of this second, too: who had the token a moment ago must get a new one. The clock of Redis may be behind the hub's, and the
            -- hub's may have been ahead.
            before = math.max(math.floor(c.real / 1000), tonumber(given.now_s), revocations.latest_signed(c)) + 1
            if given.leeway_s ~= '0' then others_before = before + given.leeway_s end
            revoke(c, role, subject, before, others_before)
        end
        push(c, 'sessions', '', 'ended', before and string.format('%.0f', before) or '', cjson.encode({
            role = role, subject = subject, reason = given.reason, others_before = others_before,
        }))
        local id = audit.write(c, given.operator, 'office.session_end',
            role .. ':' .. (role == 'passenger' and audit.person(subject) or subject), given.reason, was,
            { state = is_revoked and 'revoked' or 'ended' })
        -- `before` and `others_before` are for the worker's journal, and not sent (OfficeSessions.swift).
        return ok({
            role = role, subject = subject, revoked = is_revoked, audit = id, before = before, others_before = others_before,
        })
    end)
end)

-- office_revoke_again: of revocations that a journal has (KeptRevocations.swift), the latest first, each as role, subject, the second before
-- which its tokens count no more, and that of other issuers ('': there is none). Answers how many Redis had lost, and has again, and 1 if it has
-- the newest `MOST_REVOKED` and what was left of them is older than all of these. If one is wrong it takes none.
register('office_revoke_again', { '...' }, function(c, given)
    local key, again = c.p .. 'revoked', 0
    for i = 1, #given, 4 do
        local others = given[i + 3]
        if not tonumber(given[i + 2]) or not others or others ~= '' and not tonumber(others) then
            error('wrong arguments: each is a role, a subject, a second, and a second or nothing', 0)
        end
    end
    local function has(member, second)
        local known = redis.call('ZSCORE', key, member)
        return known and tonumber(known) >= second
    end
    for i = 1, #given, 4 do
        local role, subject, before, others_before = given[i], given[i + 1], tonumber(given[i + 2]), tonumber(given[i + 3])
        local member = role .. ' ' .. subject
        if not has(member, before) or others_before and not has(member .. ' others', others_before) then
            if redis.call('ZCARD', key) >= MOST_REVOKED and before <= tonumber(redis.call('ZRANGE', key, 0, 0, 'WITHSCORES')[2]) then
                return { again, 1 }
            end
            revoke(c, role, subject, before, others_before)
            again = again + 1
            -- Other hubs know it by this only. Who is connected may have a newer token, so nobody's session is ended for it (`Channel.revocations`).
            push(c, 'revocations', '', 'again', string.format('%.0f', before), cjson.encode({
                role = role, subject = subject, others_before = others_before,
            }))
        end
    end
    return { again, 0 }
end, { 'allow-oom' })

-- office_revoked: from which second on, how many are left out. Answers the next 1,000 revocations, each as its member and its second. Those made
-- after a clock was ahead are all of one second.
register('office_revoked', { 'from', 'skipped' }, function(c, given)
    return redis.call('ZRANGE', c.p .. 'revoked', given.from, '+inf', 'BYSCORE', 'LIMIT', given.skipped, 1000, 'WITHSCORES')
end, { 'no-writes' })
