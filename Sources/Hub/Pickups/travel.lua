-- The ways that taxis have finished, from which every worker learns how long theirs take. `travelled` has the latest of them.
--
-- A driver may invent ways. So in a week it teaches few ways to the same place, and `taught:<driver>` counts them: `at` is when it taught
-- last, hub time; `ways` how many; and by square how many led there, by pair of squares how many led from the one to the other.

local register = import('core', 'register')

-- So many ways are kept, 200 bytes each.
local KEPT = 10000
local WEEK_S = 7 * 86400
local APART_MS = 120000
local MOST, MOST_TO_A_SQUARE, MOST_OF_A_PAIR = 100, 10, 3

-- travel_learn: driver; its way as text (TravelledWay.swift); the squares that it leads from and to. Answers whether it counts.
register('travel_learn', { 'driver', 'way', 'start', 'end' }, function(c, given)
    local taught, square = c.p .. 'taught:' .. given.driver, given['end']
    local pair = given.start .. '>' .. square
    local known = redis.call('HMGET', taught, 'at', 'ways', square, pair)
    local function many(place) return tonumber(known[place] or 0) end
    if c.now - many(1) < APART_MS or many(2) >= MOST or many(3) >= MOST_TO_A_SQUARE or many(4) >= MOST_OF_A_PAIR then return 0 end
    redis.call('HSET', taught, 'at', c.now_text, 'ways', many(2) + 1, square, many(3) + 1, pair, many(4) + 1)
    if not known[2] then redis.call('EXPIRE', taught, WEEK_S) end
    redis.call('XADD', c.p .. 'travelled', 'MAXLEN', '~', KEPT, '*', 'way', given.way)
    return 1
end)
