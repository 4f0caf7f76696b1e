-- The records of drivers and vehicles. `drivers` and `vehicles` have them by id, JSON as the worker has written the command's fields, and
-- with them `by` and `at`: which operator wrote it, and when; a vehicle's has its `code`. `driver-ids` and `vehicle-ids` have the ids in order,
-- `driver-ends` `<date>:<id>`, the day on which the first of its papers ends. `drivers-of:<vehicle>` has who drives it, `signs` the vehicle of
-- each code, `words` how many records have each word of their capabilities. What is needed of them elsewhere stands in `standing` (papers.lua),
-- and in `card` of a driver's hash.

local log, ok, once, pick, refuse, register = import('core', 'log', 'ok', 'once', 'pick', 'refuse', 'register')
local audit = import('audit', 'audit')
local papers = import('papers', 'papers')
local room = import('room', 'room')
local look_soon_in = import('search', 'look_soon_in')

local registry = {}

-- Drivers of one vehicle: all of their cards change with it.
local MOST_DRIVERS = 20

-- Over the network so many drivers can be registered at most, as many vehicles, and so many different words of capabilities in all. An id may be
-- one that nobody has, and a record stays until it is removed: without a bound one operator makes 86,400 of them a day. Each word has a set of
-- its own (`able:`).
local MOST_RECORDS = 50000
local MOST_WORDS = 200

local function load(c, kind, id)
    local json = redis.call('HGET', c.p .. kind .. 's', id)
    return json and cjson.decode(json) or nil, json
end

local function vehicle_of(r) return r.vehicle or r.driver end

-- What a car can do and its driver, each once; nil: nothing is known.
local function both(of_car, of_driver)
    if not of_car or not of_driver then return of_car or of_driver end
    local words, known = {}, {}
    for _, list in ipairs({ of_car, of_driver }) do
        for _, word in ipairs(list) do
            if not known[word] then words[#words + 1] = word end
            known[word] = true
        end
    end
    return words
end

-- What passengers are shown of who comes: nothing but what stands on the car and its sign, a name and a picture.
local function card_of(driver, vehicle)
    local card, v = {}, vehicle or {}
    for _, name in ipairs({ 'plate', 'registration', 'model', 'colour', 'company', 'capabilities', 'code' }) do card[name] = v[name] end
    if driver then
        card.name, card.photo, card.company = driver.name, driver.photo, card.company or driver.company
        card.capabilities = both(card.capabilities, driver.capabilities)
    end
    return next(card) and cjson.encode(card) or ''
end

-- The day on which the first paper ends, which it is, and which have no date.
local function first_end(r)
    local first, which, missing
    for _, paper in ipairs(papers.PAPERS) do
        local date = r[paper .. '_until']
        if not date then
            missing = missing and 'both' or paper
        elseif not first or date < first then
            first, which = date, paper
        end
    end
    return first, which, missing or '-'
end

-- Rides that need something may have waited for this driver's answer, who can take them no more: the next sweep looks at what waits in its zone.
local function lost_something(c, id)
    local v, looked_in = redis.call('HMGET', c.p .. 'vehicle:' .. id, 'state', 'zone'), c.looked_in or {}
    if v[1] ~= 'available' or looked_in[v[2]] then return end
    looked_in[v[2]], c.looked_in = true, looked_in
    look_soon_in(c, v[2])
end

-- Who has a capability: `able:<word>`, for rides that need it (candidates.lua). old, new: cards, nil: none.
local function index_card(c, id, old, new)
    local before, after = old and cjson.decode(old).capabilities or {}, new and cjson.decode(new).capabilities or {}
    for _, word in ipairs(before) do redis.call('SREM', c.p .. 'able:' .. word, id) end
    for _, word in ipairs(after) do redis.call('SADD', c.p .. 'able:' .. word, id) end
    for _, word in ipairs(before) do
        if redis.call('SISMEMBER', c.p .. 'able:' .. word, id) == 0 then
            lost_something(c, id)
            break
        end
    end
    if #after > 0 then room.may_be_more_anywhere() end
end

-- Writes what is needed of a driver elsewhere. r: its record; nil: there is none.
local function stand(c, id, r)
    local vehicle = load(c, 'vehicle', r and vehicle_of(r) or id)
    local card = card_of(r, vehicle)
    index_card(c, id, papers.card(c, id), card ~= '' and card or nil)
    if not r and not vehicle then
        redis.call('HDEL', c.p .. 'standing', id)
    else
        local first, which, missing = '?', '-', '-'
        if r then
            first, which, missing = first_end(r)
            first, which = first and string.format('%.0f', papers.day_of(first)) or '-', which or '-'
        end
        redis.call('HSET', c.p .. 'standing', id, table.concat({ first, which, missing, card }, ' '))
    end
    -- Who is there already has it at once.
    if card == '' then
        redis.call('HDEL', c.p .. 'vehicle:' .. id, 'card')
    elseif redis.call('HEXISTS', c.p .. 'vehicle:' .. id, 'state') == 1 then
        redis.call('HSET', c.p .. 'vehicle:' .. id, 'card', card)
    end
end

-- All whose cards a vehicle is on.
local function stand_all(c, vehicle)
    for _, driver in ipairs(redis.call('SMEMBERS', c.p .. 'drivers-of:' .. vehicle)) do
        stand(c, driver, (load(c, 'driver', driver)))
    end
    if redis.call('SISMEMBER', c.p .. 'drivers-of:' .. vehicle, vehicle) == 0 then
        local r = load(c, 'driver', vehicle)
        if not r or vehicle_of(r) == vehicle then stand(c, vehicle, r) end
    end
end

-- As it is in the audit: no name, no number of a person, as entries outlive records.
local function facts(kind, r)
    if not r then return { registered = false } end
    if kind == 'vehicle' then return { registered = true, plate = r.plate, registration = r.registration, company = r.company } end
    return { registered = true, vehicle = r.vehicle, company = r.company, licence_until = r.licence_until, medical_until = r.medical_until }
end

-- Whether two records say the same, whoever wrote them.
local function is_same(a, b)
    if type(a) ~= 'table' or type(b) ~= 'table' then return a == b end
    for name, value in pairs(a) do
        if name ~= 'by' and name ~= 'at' and not is_same(value, b[name]) then return false end
    end
    for name in pairs(b) do
        if name ~= 'by' and name ~= 'at' and a[name] == nil then return false end
    end
    return true
end

-- What is otherwise in a record: names of its fields, without what stands there; nil: it is new, or only its sign is.
local function changed(old, new)
    if not old then return nil end
    local names, seen = {}, {}
    for _, r in ipairs({ old, new }) do
        for name in pairs(r) do
            if name ~= 'by' and name ~= 'at' and name ~= 'code' and not seen[name] and not is_same(old[name], new[name]) then
                seen[name] = true
                names[#names + 1] = name
            end
        end
    end
    table.sort(names)
    return #names > 0 and names or nil
end

-- `kerbside` on the hub's own machine, whose name has a colon as no token's has, brings whole tables, however long they are.
local function is_here(operator) return string.find(operator, ':', 1, true) ~= nil end

local function words_of(r) return r and r.capabilities or {} end

-- Counts in `words` what a record has had and has. old, new: records, nil: none.
local function count_words(c, old, new)
    if is_same(words_of(old), words_of(new)) then return end
    for _, word in ipairs(words_of(old)) do
        if redis.call('HINCRBY', c.p .. 'words', word, -1) <= 0 then redis.call('HDEL', c.p .. 'words', word) end
    end
    for _, word in ipairs(words_of(new)) do redis.call('HINCRBY', c.p .. 'words', word, 1) end
end

-- How many different words there would be more (below 0: fewer), and the first of the record that none has yet.
local function new_words(c, old, new)
    local had, has, more, first = {}, {}, 0, nil
    for _, word in ipairs(words_of(old)) do had[word] = true end
    for _, word in ipairs(words_of(new)) do
        has[word] = true
        if not had[word] and redis.call('HEXISTS', c.p .. 'words', word) == 0 then more, first = more + 1, first or word end
    end
    if more == 0 then return 0 end
    for word in pairs(had) do
        if not has[word] and redis.call('HGET', c.p .. 'words', word) == '1' then more = more - 1 end
    end
    return more, first
end

-- The refusal of a record more, or of words more, than there can be; nil: there is room. What is registered can be changed.
local function no_room(c, kind, old, new, operator)
    if is_here(operator) then return nil end
    if not old and redis.call('HLEN', c.p .. kind .. 's') >= MOST_RECORDS then
        return refuse('not_available', MOST_RECORDS .. ' ' .. kind .. 's are registered, and over the network there can be no more. Remove those '
            .. 'that are not needed, with ' .. kind .. 's.remove; or use `kerbside ' .. kind
            .. 's import` on the hub\'s machine, which has no such limit.')
    end
    local more, word = new_words(c, old, new)
    local known = more > 0 and redis.call('HLEN', c.p .. 'words') or 0
    if known + more <= MOST_WORDS then return nil end
    return refuse('not_available', 'field `capabilities`: no record has the word ' .. word .. ' yet. Records have ' .. known
        .. ' different words; over the network there can be ' .. MOST_WORDS .. '. Use one of those, or take words that are not needed out of all '
        .. 'records that have them.')
end

local function save(c, kind, id, r, old, operator)
    r.by, r.at = operator, c.now
    count_words(c, old, r)
    redis.call('HSET', c.p .. kind .. 's', id, cjson.encode(r))
    redis.call('ZADD', c.p .. kind .. '-ids', 0, id)
    log(c, kind .. '.registered', r)
end

local function index_end(c, id, old, new)
    local before, after = old and first_end(old), new and first_end(new)
    if before == after then return end
    if before then redis.call('ZREM', c.p .. 'driver-ends', before .. ':' .. id) end
    if after then redis.call('ZADD', c.p .. 'driver-ends', 0, after .. ':' .. id) end
end

-- A change by an operator, once for its key. Who has a token is held to what can be done by hand in a minute (audit.lua).
local function change(c, command, given, body)
    if is_here(given.operator) then return once(c, command, 'operator:' .. given.operator, given.key, body) end
    return audit.act(c, command, given, body)
end

-- Who changes a part of a record says when what it has read was written, ms (0: there was none); it is refused if another change has come
-- between. Who writes it whole says nothing.
local function changed_since(kind, id, old, seen)
    if (seen or '') == '' or tonumber(seen) == (old and old.at or 0) then return nil end
    return refuse('not_available', kind .. ' ' .. id .. ' was ' .. (old and 'changed by ' .. old.by or 'removed')
        .. ' at this moment: look at the record, and say again what is to be changed.')
end

-- registry_set_driver: operator, JSON of the record, key, when what was read was written.
register('registry_set_driver', { 'operator', 'record', 'key', 'seen?' }, function(c, given)
    return change(c, 'drivers.set', given, function()
        local r = cjson.decode(given.record)
        local id, old = r.driver, load(c, 'driver', r.driver)
        if is_same(r, old) then return ok({ driver = id, changed = false }) end
        local no = changed_since('driver', id, old, given.seen) or no_room(c, 'driver', old, r, given.operator)
        if no then return no end
        if r.vehicle and redis.call('HEXISTS', c.p .. 'vehicles', r.vehicle) == 0 then
            return refuse('not_found', 'field `vehicle`: no vehicle ' .. r.vehicle .. ' is registered; vehicles.set does that first.')
        end
        local was, now = old and vehicle_of(old), vehicle_of(r)
        if was ~= now and redis.call('SCARD', c.p .. 'drivers-of:' .. now) >= MOST_DRIVERS then
            return refuse('not_available', 'field `vehicle`: ' .. now .. ' has ' .. MOST_DRIVERS .. ' drivers, and can have no more.')
        end
        if was and was ~= now then redis.call('SREM', c.p .. 'drivers-of:' .. was, id) end
        redis.call('SADD', c.p .. 'drivers-of:' .. now, id)
        save(c, 'driver', id, r, old, given.operator)
        index_end(c, id, old, r)
        for _, paper in ipairs(papers.PAPERS) do
            local name = paper .. '_until'
            if r[name] ~= (old or {})[name] then papers.remind(c, id, paper, r[name] or '') end
        end
        stand(c, id, r)
        local after = facts('driver', r)
        after.changed = changed(old, r)
        local entry = audit.write(c, given.operator, 'drivers.set', 'driver:' .. id, nil, facts('driver', old), after)
        return ok({ driver = id, changed = true, audit = entry })
    end)
end)

-- registry_set_vehicle: operator, JSON of the record, code of its sign if it needs a new one, 1 if it does in any case, key, when
-- what was read was written.
register('registry_set_vehicle', { 'operator', 'record', 'code', 'is_new', 'key', 'seen?' }, function(c, given)
    return change(c, 'vehicles.set', given, function()
        local r = cjson.decode(given.record)
        local id, old = r.vehicle, load(c, 'vehicle', r.vehicle)
        local renewed = not old or given.is_new == '1'
        r.code = renewed and given.code or old.code
        if is_same(r, old) then return ok({ vehicle = id, code = r.code, changed = false }) end
        local no = changed_since('vehicle', id, old, given.seen) or no_room(c, 'vehicle', old, r, given.operator)
        if no then return no end
        if renewed then
            if old then redis.call('HDEL', c.p .. 'signs', old.code) end
            redis.call('HSET', c.p .. 'signs', r.code, id)
        end
        save(c, 'vehicle', id, r, old, given.operator)
        stand_all(c, id)
        local after = facts('vehicle', r)
        after.new_code, after.changed = renewed or nil, changed(old, r)
        local entry = audit.write(c, given.operator, 'vehicles.set', 'vehicle:' .. id, nil, facts('vehicle', old), after)
        return ok({ vehicle = id, code = r.code, changed = true, audit = entry })
    end)
end)

local function missing(kind, id) return refuse('not_found', 'field `' .. kind .. '`: no ' .. kind .. ' ' .. id .. ' is registered.') end

local function drop(c, given, kind, id, old)
    count_words(c, old, nil)
    redis.call('HDEL', c.p .. kind .. 's', id)
    redis.call('ZREM', c.p .. kind .. '-ids', id)
    local gone = { [kind] = id }
    log(c, kind .. '.removed', gone)
    local entry = audit.write(c, given.operator, kind .. 's.remove', kind .. ':' .. id, nil, facts(kind, old), facts(kind, nil))
    return ok({ [kind] = id, audit = entry })
end

-- registry_remove_driver: operator, driver, key.
register('registry_remove_driver', { 'operator', 'driver', 'key' }, function(c, given)
    local id = given.driver
    return change(c, 'drivers.remove', given, function()
        local old = load(c, 'driver', id)
        if not old then return missing('driver', id) end
        redis.call('SREM', c.p .. 'drivers-of:' .. vehicle_of(old), id)
        index_end(c, id, old, nil)
        for _, paper in ipairs(papers.PAPERS) do papers.remind(c, id, paper, '') end
        local reply = drop(c, given, 'driver', id, old)
        stand(c, id, nil)
        return reply
    end)
end)

-- registry_remove_vehicle: operator, vehicle, key. Who drives it by its record has to be given another one before.
register('registry_remove_vehicle', { 'operator', 'vehicle', 'key' }, function(c, given)
    local id = given.vehicle
    return change(c, 'vehicles.remove', given, function()
        local old = load(c, 'vehicle', id)
        if not old then return missing('vehicle', id) end
        for _, driver in ipairs(redis.call('SMEMBERS', c.p .. 'drivers-of:' .. id)) do
            if (load(c, 'driver', driver) or {}).vehicle == id then
                return refuse('not_available', driver .. ' drives ' .. id .. ' by its record: change that first, with drivers.set.')
            end
        end
        redis.call('HDEL', c.p .. 'signs', old.code)
        local reply = drop(c, given, 'vehicle', id, old)
        stand_all(c, id)
        return reply
    end)
end)

-- registry_get: kind (driver or vehicle), id.
register('registry_get', { 'kind', 'id' }, function(c, given)
    local json = redis.call('HGET', c.p .. given.kind .. 's', given.id)
    return json and '+' .. json or missing(given.kind, given.id)
end, { 'no-writes' })

-- registry_list: kind, where the page begins ('' = at the beginning), how many records at most, of drivers the day by which a paper ends
-- ('' = any): then in the order of those days.
register('registry_list', { 'kind', 'from', 'limit', 'ends_by' }, function(c, given)
    local kind, limit, ends = given.kind, tonumber(given.limit), given.ends_by ~= ''
    local key = c.p .. kind .. (ends and '-ends' or '-ids')
    -- A semicolon comes after the colon that follows the date.
    local last = ends and '(' .. given.ends_by .. ';' or '+'
    local members = redis.call('ZRANGEBYLEX', key, given.from ~= '' and '[' .. given.from or '-', last, 'LIMIT', 0, limit + 1)
    local ids = {}
    for i = 1, math.min(limit, #members) do ids[i] = ends and string.sub(members[i], 12) or members[i] end
    local found = {}
    for _, json in ipairs(#ids > 0 and redis.call('HMGET', c.p .. kind .. 's', unpack(ids)) or {}) do found[#found + 1] = json or nil end
    local after = members[limit + 1] and ',"next":' .. cjson.encode(members[limit + 1]) or ''
    return '+{"' .. kind .. 's":[' .. table.concat(found, ',') .. ']' .. after .. '}'
end, { 'no-writes' })

-- Who drives a vehicle now: its record if there is one. The second answer is whether anybody does.
local function on_duty(c, vehicle)
    local tour = redis.call('HGET', c.p .. 'bus:' .. vehicle, 'tour')
    if tour then return load(c, 'driver', redis.call('HGET', c.p .. 'tour:' .. tour, 'driver') or ''), true end
    local drivers = redis.call('SMEMBERS', c.p .. 'drivers-of:' .. vehicle)
    local own = load(c, 'driver', vehicle)
    if not own then drivers[#drivers + 1] = vehicle end
    for _, driver in ipairs(drivers) do
        local v = pick(c.p .. 'vehicle:' .. driver, { 'state', 'kind' })
        if v.kind ~= 'bus' and (v.state == 'available' or v.state == 'busy') then return load(c, 'driver', driver), true end
    end
    return nil, false
end

-- registry_verify: code of a sign. JSON of what anybody is shown; '' if there is no such sign.
register('registry_verify', { 'code' }, function(c, given)
    local id = redis.call('HGET', c.p .. 'signs', given.code)
    local v = id and load(c, 'vehicle', id)
    if not v then return '' end
    local driver, is_on_duty = on_duty(c, id)
    v.by, v.at, v.code, v.on_duty = nil, nil, nil, is_on_duty
    if driver then v.driver = { name = driver.name, photo = driver.photo } end
    return cjson.encode(v)
end, { 'no-writes' })

-- Of records that a hub wrote which knew no `able:`, or no `words`: once.
function registry.index(c)
    if redis.call('EXISTS', c.p .. 'words-are-known') == 1 then return end
    if redis.call('EXISTS', c.p .. 'able-is-known') == 0 then
        for _, id in ipairs(redis.call('HKEYS', c.p .. 'standing')) do index_card(c, id, nil, papers.card(c, id)) end
        redis.call('SET', c.p .. 'able-is-known', 1)
    end
    redis.call('DEL', c.p .. 'words')
    for _, kind in ipairs({ 'driver', 'vehicle' }) do
        for _, id in ipairs(redis.call('HKEYS', c.p .. kind .. 's')) do count_words(c, nil, (load(c, kind, id))) end
    end
    redis.call('SET', c.p .. 'words-are-known', 1)
end

-- Until when a paper of a driver holds, by its record; nil: that is not known.
function registry.date_in(c, driver, paper) return (load(c, 'driver', driver) or {})[paper .. '_until'] end

return { registry = registry }
