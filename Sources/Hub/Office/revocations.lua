-- Whose tokens the office has revoked: `revoked` has `<role> <subject>` by the second of real time before which a token counts no more.
-- Workers know it a moment later: what lasts asks here.

local revocations = {}

-- Whether a token of role:subject that was issued in this second counts no more.
function revocations.holds(c, channel, issued)
    local before = redis.call('ZSCORE', c.p .. 'revoked', (string.gsub(channel, ':', ' ', 1)))
    return before and tonumber(issued) < tonumber(before)
end

return { revocations = revocations }
