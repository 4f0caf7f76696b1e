-- How many requests a tour takes, and what concerns all open requests of a line: a tour begins or has room again, or another catalog comes
-- into use. A line may have thousands, for days ahead, so they are looked at in portions by pickup time. What is left stands in `stopdue`, as
-- `<tour>|started`, or in `lines-due`, as `<line>|changed`, with ` <at> <request>` behind it: the next sweep goes on behind that request, or from
-- the first where none is named. So nothing is lost when a worker dies in between.

local pick = import('core', 'pick')
local stops = import('stop', 'stops')

-- So many requests at most are looked at in one call, 0.5 to 0.8 ms of Redis.
local LOOKS = 50
-- Of a line that is decoded so many bytes are what one request needs, as stops.fall_due() counts it: 0.15 ms.
local LINE_BYTES = 3072
local AT_ONCE = stops.at_once

-- How soon a line is looked at again for a tour, ms: not for each request that goes.
local ROOM_MS = 10000

-- MARK: how many a tour takes

local function is_full(c, tour) return redis.call('ZCARD', c.p .. 'tour-stops:' .. tour) >= c.stop_max_on_tour end

-- Whether other tours are asked before this one. r: what is wanted, as of find_tour(), and the tour that has it, if one has; declined: by tour.
function stops.comes_last(c, tour, t, r, declined)
    return declined[tour] or stops.is_silent(c, t) or (tour ~= r.tour and is_full(c, tour))
end

local function set_short(c, tour, t, value)
    t.is_short = value
    redis.call('HSET', c.p .. 'tour:' .. tour, 'is_short', value)
end

-- Whether a request that was made before is too much for a tour. Then it stays where it is, among those of its line, and is taken up when the
-- list has room, or by another tour when one begins or this one ends; else it ends in its time. `is_short` of a tour: 1 while something
-- waits for room, 0 when something did.
function stops.is_too_much(c, tour)
    if not is_full(c, tour) then return false end
    local t = stops.tour(c, tour)
    if t.is_short ~= '1' then set_short(c, tour, t, '1') end
    return true
end

-- The line is looked at from the first, soon.
local function look_again(c, tour)
    if not redis.call('ZSCORE', c.p .. 'stopdue', tour .. '|started') then stops.due(c, tour, 'started', c.now + ROOM_MS) end
end

-- One request less.
function stops.has_room(c, tour)
    local t = stops.tour(c, tour)
    if t.is_short ~= '1' then return end
    set_short(c, tour, t, '0')
    look_again(c, tour)
end

-- A tour has ended: what waited for room in its list can be for others that run.
function stops.pass_on(c, t)
    if not t.is_short then return end
    for _, other in ipairs(redis.call('SMEMBERS', c.p .. 'line:' .. t.line .. ':tours')) do look_again(c, other) end
end

-- MARK: portions

-- Of a request, without reading all of it.
local function look(c, id, names) return c.loaded and c.loaded[id] or pick(c.p .. 'stop:' .. id, names) end

-- Calls `act` with each id of a portion of a line's requests. `act` answers whether it did something, whether that ended the request, and
-- whether no more are to be looked at. behind: `<at> <request>`, the last open one that was looked at; nil: from the first. leave: is called with
-- the same for the rest, if there is one. Answers how much it was, as stops.fall_due() counts.
local function each(c, line, behind, leave, act)
    local key, first, left = c.p .. 'line:' .. line .. ':stops', 0, AT_ONCE
    if behind then
        local at, id = string.match(behind, '^(%S+) (.*)$')
        local rank = redis.call('ZRANK', key, id)
        -- It may have ended since: then all of the same moment are looked at again.
        first = rank and rank + 1 or redis.call('ZCOUNT', key, '-inf', '(' .. at)
    end
    local found = redis.call('ZRANGE', key, first, first + LOOKS - 1, 'WITHSCORES')
    local is_more = #found == 2 * LOOKS
    for i = 1, #found, 2 do
        if left == 0 then
            is_more = true
            break
        end
        local has_acted, is_over, is_enough = act(found[i])
        if is_enough then
            is_more = false
            break
        end
        if has_acted then left = left - 1 end
        if not is_over then behind = found[i + 1] .. ' ' .. found[i] end
    end
    if is_more then leave(behind) end
    return #found / 20 + AT_ONCE - left
end

local OF_TOUR = { 'state', 'tour', 'waits', 'at', 'anywhere', 'runs' }

-- Whether stops.is_for() may say so. Nearly all requests for another day are told by this, which decodes nothing. trip: of the tour, as JSON has it.
local function may_be_for(c, s, tour, trip)
    -- What waits for another round of this tour has it already.
    if not stops.is_open(s) or s.tour == tour then return false end
    if s.anywhere then return not s.tour end
    if s.tour and not s.waits then return false end
    local near = s.runs and c.stop_early_ms or s.tour and c.stop_round_ms
    if not near or tonumber(s.at) - c.now <= near then return true end
    return s.runs and string.find(s.runs, trip, 1, true)
end

-- A tour begins: what waits on its line and lies on its way is its driver's, also what another driver has for a later round
-- that may be this one, up to the end of its list. behind, and the answer: see each().
function stops.tour_started(c, tour, behind)
    local t = stops.tour(c, tour)
    if t.state ~= 'running' then return 1 end
    local trip, much = cjson.encode(t.trip), 0
    local function leave(rest) stops.due(c, tour, 'started' .. (rest and ' ' .. rest or ''), c.now) end
    stops.together(c, function()
        much = each(c, t.line, behind, leave, function(id)
            if not may_be_for(c, look(c, id, OF_TOUR), tour, trip) then return false end
            local s = stops.load(c, id)
            local is_its, dist, next_stop = stops.is_for(c, s, t)
            if is_its and stops.is_too_much(c, tour) then return false, false, true end
            if is_its then stops.hand_over(c, id, s, tour, dist, next_stop) end
            return is_its
        end)
    end)
    return much
end

-- Of the line that was read last, as one may be looked at in many portions.
local read = {}

-- Whether it can be said which ways a line has now, the ids of its patterns, as a set (nil: there is no such line), and how many bytes were
-- decoded for it.
local function ways_of(c, line)
    local version = redis.call('HGET', c.p .. 'catalog', 'version')
    if not version then return false end
    local prefix = c.p .. 'catalog:' .. version .. ':'
    local name = prefix .. line
    if read.name == name then return true, read.ways, 0 end
    -- Of one that is not whole nothing can be said.
    if redis.call('HLEN', prefix .. 'lines') ~= tonumber(redis.call('HGET', prefix .. 'meta', 'lines') or nil) then return false end
    local json = redis.call('HGET', prefix .. 'lines', line)
    if not json then return true, nil, 0 end
    -- A catalog with a line that can't be read is taken by no worker: the lines stay as they were.
    local is_read, found = pcall(cjson.decode, json)
    if not is_read then return false end
    local ways = {}
    for _, pattern in ipairs(found.patterns or {}) do ways[pattern.id] = true end
    read = { name = name, ways = ways }
    return true, ways, #json
end

-- The requests of a line are to be looked at, as another catalog has come into use. behind: see each().
function stops.line_due(c, line, behind)
    redis.call('ZADD', c.p .. 'lines-due', c.now_text, line .. '|changed' .. (behind and ' ' .. behind or ''))
end

local OF_WAYS = { 'state', 'tour', 'waits', 'at', 'anywhere', 'places' }

-- Another catalog has come into use. What waits for a later run of a line that it does not have, or of ways that the line does
-- not take any more, can't be fetched: who asked is told. The running tours go on to their end. behind, and the answer: see each(); nil:
-- nothing can be said.
function stops.line_changed(c, line, behind)
    local is_known, ways, bytes = ways_of(c, line)
    if not is_known then return nil end
    local much = bytes / LINE_BYTES
    local function leave(rest) stops.line_due(c, line, rest) end
    stops.together(c, function()
        much = much + each(c, line, behind, leave, function(id)
            local s = look(c, id, OF_WAYS)
            local is_later = not s.tour or s.waits or tonumber(s.at) - c.now > c.stop_round_ms
            if not (stops.is_open(s) and is_later) then return false end
            local is_there = ways and s.anywhere
            for way in pairs(ways and cjson.decode(s.places) or {}) do is_there = is_there or ways[way] end
            if is_there then return false end
            stops.expire(c, id, stops.load(c, id), ways and 'line_changed' or 'line_removed')
            return true, true
        end)
    end)
    return much
end
