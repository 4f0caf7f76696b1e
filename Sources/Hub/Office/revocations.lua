-- Whose tokens the office has revoked: `revoked` has `<role> <subject>` by the second of real time before which a token counts no more.
-- Workers know it a moment later: what lasts asks here.
-- `signed` has one member, `latest`: the latest second at which the hub has signed a token, or could have. A clock that was ahead, and is right
-- again, has signed tokens of a time to come: what is revoked meanwhile has to reach them, too.

local revocations = {}

-- Whether a token of role:subject that was issued in this second counts no more.
function revocations.holds(c, channel, issued)
    local before = redis.call('ZSCORE', c.p .. 'revoked', (string.gsub(channel, ':', ' ', 1)))
    return before and tonumber(issued) < tonumber(before)
end

-- A worker sweeps by this second of its clock (sweep.lua), or signs somebody in by it (SignIn.swift writes it without a function).
function revocations.note_second(c, second) redis.call('ZADD', c.p .. 'signed', 'GT', second, 'latest') end

-- Unix s; 0: none is known.
function revocations.latest_signed(c) return tonumber(redis.call('ZSCORE', c.p .. 'signed', 'latest') or 0) end

return { revocations = revocations }
