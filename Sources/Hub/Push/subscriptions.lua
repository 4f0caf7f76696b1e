-- Where people are reached who have no connection: `subscriptions:<role>:<subject>` has by the endpoint when it was said last, machine ms, and
-- the two keys of the browser, and what is kept of the token; `subscriber:<SHA-1 of the endpoint>` whose it is, as a device may be somebody
-- else's by now. The field `push` of the wishes says that there are any: who has none costs nothing (wishes.lua).

local ok, once, refuse, register = import('core', 'ok', 'once', 'refuse', 'register')
local people = import('people', 'people')
local revocations = import('revocations', 'revocations')
local waking = import('waking', 'waking')
local wishes = import('wishes', 'wishes')

local subscriptions = {}

-- Of one person.
local MOST = 5
-- A page says its subscription again whenever it is opened. So long it is kept after that, s.
local KEPT_S = 90 * 86400

local function key_of(c, channel) return c.p .. 'subscriptions:' .. channel end
local function owner_of(c, endpoint) return c.p .. 'subscriber:' .. redis.sha1hex(endpoint) end

local function mark(c, channel, count)
    if count > 0 then
        redis.call('HSET', c.p .. 'wishes:' .. channel, 'push', '1')
        people.keep_wishes(c, channel)
    else
        redis.call('HDEL', c.p .. 'wishes:' .. channel, 'push')
    end
    wishes.changed(c, channel)
end

-- Answers how many are left.
local function drop(c, channel, endpoint)
    local key, owner = key_of(c, channel), owner_of(c, endpoint)
    redis.call('HDEL', key, endpoint)
    if redis.call('GET', owner) == channel then redis.call('DEL', owner) end
    local count = redis.call('HLEN', key)
    if count == 0 then mark(c, channel, 0) end
    return count
end

-- All of somebody: whoever has the device may be another now.
function subscriptions.drop_all(c, channel)
    for _, endpoint in ipairs(redis.call('HKEYS', key_of(c, channel))) do drop(c, channel, endpoint) end
end

-- The oldest but this one go.
local function make_room(c, channel, kept)
    local held, others = redis.call('HGETALL', key_of(c, channel)), {}
    for i = 1, #held, 2 do
        if held[i] ~= kept then others[#others + 1] = { held[i], tonumber(string.match(held[i + 1], '^%d+')) } end
    end
    table.sort(others, function(a, b) return a[2] < b[2] end)
    for i = 1, #others + 1 - MOST do drop(c, channel, others[i][1]) end
end

-- push_subscribe: role:subject, endpoint, public key and secret of the browser, both in Base64 for URLs, what is kept of the token
-- (`TokenStanding`, as the sender asks whether it still counts), key.
register('push_subscribe', { 'channel', 'endpoint', 'p256dh', 'auth', 'standing', 'key' }, function(c, given)
    local channel, endpoint = given.channel, given.endpoint
    if revocations.holds(c, channel, string.match(given.standing, '^%d+ (%d+)')) then
        return refuse('unauthenticated', 'The token has been revoked by the office; get a new one.')
    end
    return once(c, 'push.subscribe', channel, given.key, function()
        local key, owner = key_of(c, channel), owner_of(c, endpoint)
        local other = redis.call('GET', owner)
        if other and other ~= channel then drop(c, other, endpoint) end
        redis.call('SET', owner, channel, 'EX', KEPT_S)
        redis.call('HSET', key, endpoint, string.format('%.0f ', c.real) .. given.p256dh .. ' ' .. given.auth .. ' ' .. given.standing)
        redis.call('EXPIRE', key, KEPT_S)
        make_room(c, channel, endpoint)
        local count = redis.call('HLEN', key)
        mark(c, channel, count)
        waking.note(c, channel)
        return ok({ subscriptions = count })
    end)
end)

-- push_unsubscribe: role:subject, endpoint, key. One that is not there is none any more.
register('push_unsubscribe', { 'channel', 'endpoint', 'key' }, function(c, given)
    return once(c, 'push.unsubscribe', given.channel, given.key, function()
        return ok({ subscriptions = drop(c, given.channel, given.endpoint) })
    end)
end)

-- Whether a subscription may still be sent to: kept is what the hash has of it.
local function counts(c, channel, kept)
    local said, issued = string.match(kept, '^(%d+) %S+ %S+ %d+ (%d+)')
    return said and tonumber(said) > c.real - KEPT_S * 1000 and not revocations.holds(c, channel, issued)
end

-- push_gone: role:subject, endpoint, what was kept of it when it was read, or '' of one that counted no more. The push service knows it no
-- more, or it counts no more. One that was said again since then stays. Answers how many are left.
register('push_gone', { 'channel', 'endpoint', 'kept' }, function(c, given)
    local channel, key = given.channel, key_of(c, given.channel)
    local kept = redis.call('HGET', key, given.endpoint)
    local is_same = kept == given.kept or given.kept == '' and kept and not counts(c, channel, kept)
    if kept and not is_same then return redis.call('HLEN', key) end
    return drop(c, channel, given.endpoint)
end, { 'allow-oom' })

-- push_targets: role:subject. Endpoints, each with what is kept of it; none while there is a connection, over which everything comes, or has
-- come with what was missed. Of one that counts no more '' is answered, and the sender takes it out (push_gone): it was said so long ago that the
-- device may be somebody else's, or with a token that the office has revoked, or to a hub that kept nothing of tokens.
register('push_targets', { 'channel' }, function(c, given)
    if waking.is_connected(c, given.channel) then return {} end
    local held, targets = redis.call('HGETALL', key_of(c, given.channel)), {}
    for i = 1, #held, 2 do
        targets[#targets + 1], targets[#targets + 2] = held[i], counts(c, given.channel, held[i + 1]) and held[i + 1] or ''
    end
    return targets
end, { 'no-writes' })

-- push_done: the id of an entry of `wakings`. It was sent, or is of no use any more.
register('push_done', { 'id' }, function(c, given) return redis.call('XDEL', c.p .. 'wakings', given.id) end, { 'allow-oom' })

-- push_lead: sender, for how long, ms. Answers 1 if this is the one that sends now, for so long from now on.
register('push_lead', { 'sender', 'life_ms' }, function(c, given)
    local key = c.p .. 'push_sender'
    local who = redis.call('GET', key)
    if who and who ~= given.sender then return 0 end
    redis.call('SET', key, given.sender, 'PX', given.life_ms)
    return 1
end, { 'allow-oom' })

return { subscriptions = subscriptions }
