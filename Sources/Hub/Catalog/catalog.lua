-- The catalog of lines and buses: written beside the one in use under a version of its own, then taken into use whole.
--
-- `catalog`: version, and for each list changed:<list> (hub time, ms) and digest:<list>; untold: the data of an
-- event `catalog.changed` that is still to be told. Of each version
-- `catalog:<version>:lines`, `:stops`, `:buses`, `:services` (hashes: id to JSON) and `:meta` (hash: time_zone, how many
-- there are of each, digest:<list>). What is not in use expires.

local hash, log, ok, refuse, register, tell = import('core', 'hash', 'log', 'ok', 'refuse', 'register', 'tell')
local stops = import('stop', 'stops')

local catalog = {}
catalog.parts = { 'lines', 'stops', 'buses', 'services' }
catalog.lists = { 'lines', 'buses', 'stops', 'routes' }
-- What is not in use is kept for workers that are just reading it, s.
catalog.leftover_s = 3600

function catalog.each_part(c, version, act)
    if version == '' then return end
    local prefix = c.p .. 'catalog:' .. version .. ':'
    act(prefix .. 'meta')
    for _, part in ipairs(catalog.parts) do act(prefix .. part) end
end

function catalog.expire(key) redis.call('EXPIRE', key, catalog.leftover_s) end

-- Whoever waits for a line that the new version does not have, or has with other patterns, is told by the next sweeps (stop_line.lua).
function catalog.tell_waiting(c)
    for _, line in ipairs(redis.call('SMEMBERS', c.p .. 'stoplines')) do
        if redis.call('EXISTS', c.p .. 'line:' .. line .. ':stops') == 0 then
            redis.call('SREM', c.p .. 'stoplines', line)
        else
            stops.line_due(c, line)
        end
    end
end

-- untold: JSON of the event's data; nil: all is told.
function catalog.tell_change(c, untold)
    if not untold then return end
    local data = cjson.decode(untold)
    log(c, 'catalog.changed', data)
    tell(c, 'catalog', 'catalog.changed', data)
end

-- catalog_use: version, the version that it replaces. Refused when another one came in between, and when not all of
-- it is there. Answers which lists have changed; none: then the old version stays. Who reads them is told by `catalog_tell`.
register('catalog_use', { 'version', 'replaced' }, function(c, given)
    local version, replaced = given.version, given.replaced
    local current = hash(c.p .. 'catalog')
    local before = current.version or ''
    if before == version then return ok({ version = version, changed = {} }) end
    if before ~= replaced then
        return refuse('conflict', 'the catalog was changed by somebody else meanwhile')
    end
    local prefix = c.p .. 'catalog:' .. version .. ':'
    local meta = hash(prefix .. 'meta')
    if not meta.time_zone then return refuse('incomplete', 'the catalog is not there') end
    for _, part in ipairs(catalog.parts) do
        if redis.call('HLEN', prefix .. part) ~= tonumber(meta[part]) then
            return refuse('incomplete', 'of the catalog not all ' .. part .. ' are there')
        end
    end
    local changed = {}
    for _, list in ipairs(catalog.lists) do
        if current['digest:' .. list] ~= meta['digest:' .. list] then changed[#changed + 1] = list end
    end
    if #changed == 0 then
        catalog.each_part(c, version, catalog.expire)
        return ok({ version = before, changed = changed })
    end
    catalog.each_part(c, version, function(key) redis.call('PERSIST', key) end)
    catalog.each_part(c, before, catalog.expire)
    -- A list that has changed in this second already has changed in the next: else who has the date only, which knows seconds,
    -- would never see this change.
    local times, at = {}, c.now
    for _, list in ipairs(changed) do
        local last = math.floor(tonumber(current['changed:' .. list] or 0) / 1000)
        if math.floor(at / 1000) <= last then at = (last + 1) * 1000 end
    end
    local iso = string.format('%.0f', at)
    redis.call('HSET', c.p .. 'catalog', 'version', version)
    for _, list in ipairs(changed) do
        redis.call('HSET', c.p .. 'catalog', 'changed:' .. list, iso, 'digest:' .. list, meta['digest:' .. list])
        times[list] = at
    end
    -- What is not told yet is told first: one place is kept for it.
    catalog.tell_change(c, current.untold)
    redis.call('HSET', c.p .. 'catalog', 'untold', cjson.encode({ version = version, changed = times }))
    redis.call('PUBLISH', c.p .. 'catalog-news', 'use ' .. version .. ' ' .. iso)
    catalog.tell_waiting(c)
    return ok({ version = version, changed = changed })
end)

-- catalog_tell: version. Tells everybody that it is in use, once; called when all workers use it, or have had time to.
register('catalog_tell', { 'version' }, function(c, given)
    local untold = redis.call('HGET', c.p .. 'catalog', 'untold')
    if untold and cjson.decode(untold).version == given.version then
        redis.call('HDEL', c.p .. 'catalog', 'untold')
        catalog.tell_change(c, untold)
    end
    return ok({})
end)
