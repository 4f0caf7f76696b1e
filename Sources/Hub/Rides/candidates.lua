-- Who of a zone can be asked for a ride, in the order of its queue. `free:<zone>` has who is present and asked nothing (queue.lua),
-- so mostly one reading finds who is asked next, however many stand before it and have not answered yet. Only where nobody is
-- found there, the queue itself is read: whose answer a ride may wait for, and whether anybody can take it. For a ride that needs something
-- of its vehicle both are cut down to who has that (`able:`, registry.lua) by Redis itself, however many have not.

local passed = import('passed', 'passed')
local room = import('room', 'room')

-- Both are read in pieces, and each vehicle when its turn comes: most who look need the first only, so the first piece is small.
local FIRST_PIECE, LAST_OF_FIRST, PIECE = 2, '1', 16

-- Who has given this ride back is not asked for it again. `gave_back`: their names, a line break before and after each.
local function gave_back(r, driver) return r.gave_back and string.find(r.gave_back, '\n' .. driver .. '\n', 1, true) end

-- What a ride needs of a vehicle, as text: words, a space between.
local function words(text) return string.gmatch(text or '', '%S+') end

-- The same text for whatever means the same.
local function in_order(needs)
    local list = {}
    for word in words(needs) do list[#list + 1] = word end
    table.sort(list)
    return table.concat(list, ' ')
end

-- Names out of a sorted set, as they are needed. needs: only of those who have all of that.
local function names_of(list, count)
    if #list.names < count and not list.ended and list.needs then
        -- In the order of the queue: by its scores alone.
        local keys, weights = { list.key }, { 'WEIGHTS', 1 }
        for word in words(list.needs) do keys[#keys + 1], weights[#weights + 1] = list.p .. 'able:' .. word, 0 end
        local of_keys = #keys
        for _, weight in ipairs(weights) do keys[#keys + 1] = weight end
        list.names, list.ended = redis.call('ZINTER', of_keys, unpack(keys)), true
    elseif #list.names < count and not list.ended then
        local read = #list.names
        local most = read == 0 and FIRST_PIECE or PIECE
        local piece = read == 0 and redis.call('ZRANGE', list.key, '0', LAST_OF_FIRST)
            or redis.call('ZRANGE', list.key, read, read + most - 1)
        for i = 1, #piece do list.names[read + i] = piece[i] end
        list.ended = #piece < most
    end
    return list.names[count]
end

-- What is known of a zone during one call. `seats`: the free ones of each that was read, and `away`, whether it is; who has never said how many
-- has enough. Of the queue, as far as it was read (`size`): `present`, and the most free seats of those who are not `except` and present
-- (`most_free_others`), and of all, away or not (`most_free`). `with`: what is known of those who have what a ride needs, by that; `around`: of
-- other zones.
-- except: a driver. whole: of the zone, if needs are given: of those who have them.
local function view(c, zone, except, needs, whole)
    return {
        zone = zone, except = except, seats = whole and whole.seats or {}, away = whole and whole.away or {},
        is_free = whole and whole.is_free or {}, with = {}, around = {},
        free = { key = c.p .. 'free:' .. zone, names = {}, needs = needs, p = c.p },
        queue = { key = c.p .. 'queue:' .. zone, names = {}, needs = needs, p = c.p },
        present = {}, size = 0, most_free_others = 0, most_free = 0, mark = room.mark(),
    }
end

-- The part of a zone that a ride can hope for, as far as what it needs goes.
local function part_for(c, seen, r)
    if not r.needs then return seen end
    local part = seen.with[r.needs]
    if not part then
        local needs = in_order(r.needs)
        part = seen.with[needs] or view(c, seen.zone, seen.except, needs, seen)
        seen.with[needs], seen.with[r.needs] = part, part
    end
    return part
end

-- The zones around a ride's own, nearest first (`near`: their names, a line break between): the name of each, and what is known of it, for all
-- who look there during this call.
local function around(c, seen, r)
    local names = string.gmatch(r.near or '', '[^\n]+')
    return function()
        local zone = names()
        if not zone then return nil end
        seen.around[zone] = seen.around[zone] or view(c, zone)
        return zone, seen.around[zone]
    end
end

-- The first of those who are free in a zone and have what is needed, so many at most.
local function first_free(c, zone, needs, most)
    if not needs then return redis.call('ZRANGE', c.p .. 'free:' .. zone, 0, most - 1) end
    local free = view(c, zone, nil, needs).free
    names_of(free, most)
    return { unpack(free.names, 1, most) }
end

-- Reads on in the queue, one driver; false when it was read to its end.
local function read_on(c, seen)
    local driver = names_of(seen.queue, seen.size + 1)
    if not driver then
        seen.is_over = true
        if seen.size > 0 then room.keep(c, seen.zone, seen.queue.needs or '', seen.most_free, seen.mark) end
        return false
    end
    seen.size = seen.size + 1
    local seats, is_away = seen.seats[driver], seen.away[driver]
    if is_away == nil then
        local v = redis.call('HMGET', c.p .. 'vehicle:' .. driver, 'away', 'seats')
        is_away, seats = v[1] ~= false, tonumber(v[2]) or math.huge
        seen.away[driver], seen.seats[driver] = is_away, seats
    end
    seen.most_free = math.max(seen.most_free, seats)
    if not is_away then
        seen.present[#seen.present + 1] = driver
        if driver ~= seen.except then seen.most_free_others = math.max(seen.most_free_others, seats) end
    end
    return true
end

-- Reads on until somebody has so many free seats. Who was found the last time is looked at first, and often has them still.
local function read_for(c, seen, passengers)
    local found = room.widest(c, seen.zone)
    local v = found and redis.call('HMGET', c.p .. 'vehicle:' .. found, 'state', 'zone', 'seats')
    if v and v[1] == 'available' and v[2] == seen.zone then seen.most_free = math.max(seen.most_free, tonumber(v[3]) or math.huge) end
    if seen.most_free >= passengers then return end
    while seen.most_free < passengers and read_on(c, seen) do end
    if seen.most_free >= passengers then room.found(c, seen.zone, names_of(seen.queue, seen.size)) end
end

-- Whether nobody in the queue has seats for so many, as far as that is known: the next ride for as many needs no look at all of them.
local function is_too_small(c, seen, passengers)
    return (seen.is_over and seen.most_free or room.most(c, seen.zone, seen.queue.needs or '')) < passengers
end

-- Who is free, at a place in the order of the queue; nil after the last.
local function free_at(c, seen, i)
    local driver = names_of(seen.free, i)
    while driver and not seen.is_free[driver] do
        local v = redis.call('HMGET', c.p .. 'vehicle:' .. driver, 'away', 'offer', 'seats', 'state', 'zone')
        if v[4] == 'available' and v[5] == seen.zone and not v[1] and not v[2] then
            seen.is_free[driver], seen.seats[driver], seen.away[driver] = true, tonumber(v[3]) or math.huge, false
        else
            -- An earlier version of the hub, which runs beside this one, does not keep it.
            redis.call('ZREM', seen.free.key, driver)
            table.remove(seen.free.names, i)
            driver = names_of(seen.free, i)
        end
    end
    return driver
end

-- It is asked: it is free no more. To be said together with that, as the names that follow are read by their places. Where it stands in another
-- list, too, it is looked at there again.
local function take(seen, driver)
    seen.is_free[driver] = nil
    for i, one in ipairs(seen.free.names) do
        if one == driver then return table.remove(seen.free.names, i) end
    end
end

-- The first thing that a ride needs and this driver has not; nil: it has all. able: what is known of this driver, by word, if many rides are
-- tried with it.
local function lacks(c, r, driver, able)
    for word in words(r.needs) do
        local has = able and able[word]
        if has == nil then has = redis.call('SISMEMBER', c.p .. 'able:' .. word, driver) == 1 end
        if able then able[word] = has end
        if not has then return word end
    end
    return nil
end

-- Whether somebody is free who can take a ride, and has not given it back; who comes behind is not looked at.
local function has_free(c, seen, r)
    local passengers = tonumber(r.passengers)
    if is_too_small(c, seen, passengers) then return false end
    local i, driver = 1, free_at(c, seen, 1)
    while driver do
        if seen.seats[driver] >= passengers and not gave_back(r, driver) then return true end
        i = i + 1
        driver = free_at(c, seen, i)
    end
    return false
end

-- The same of all who are present.
local function has_room(c, seen, r)
    if has_free(c, seen, r) then return true end
    local passengers = tonumber(r.passengers)
    if is_too_small(c, seen, passengers) then return false end
    local i = 1
    repeat
        while seen.present[i] do
            local driver = seen.present[i]
            if seen.seats[driver] >= passengers and not gave_back(r, driver) then return true end
            i = i + 1
        end
    until not read_on(c, seen)
    return false
end

-- Whether others than `except` who are present have room for so many, whatever is needed besides.
local function have_others_room(c, seen, passengers)
    if is_too_small(c, seen, passengers) then return false end
    while seen.most_free_others < passengers and read_on(c, seen) do end
    return seen.most_free_others >= passengers
end

-- `wheelchair and child_seat`: what a ride needs, for people; nil: nothing.
local function named(needs) return needs and string.gsub(needs, ' ', ' and ') or nil end

-- Why nobody who is present can be asked for a ride (`passengers`, `needs`, `gave_back`): code and detail; nil when somebody can.
local function nobody_for(c, whole, r)
    local seen = part_for(c, whole, r)
    if has_room(c, seen, r) then return nil end
    local with = r.needs and ' with ' .. named(r.needs) or ''
    local i = 1
    repeat
        while seen.present[i] do
            if not gave_back(r, seen.present[i]) then
                return 'seats_full', 'No taxi' .. with .. ' that waits in zone ' .. seen.zone .. ' has ' .. r.passengers
                    .. ' free seats now. Request fewer, or again in a few minutes.'
            end
            i = i + 1
        end
    until not read_on(c, seen)
    return 'zone_empty', 'No taxi' .. with .. ' waits in zone ' .. seen.zone .. ' now. Request again in a few minutes.'
end

-- The same of a ride's own zone and those around it: nil when somebody can be asked in any of them.
local function nobody_around(c, whole, r)
    local code, detail = nobody_for(c, whole, r)
    if not code then return nil end
    for _, seen in around(c, whole, r) do
        if not nobody_for(c, seen, r) then return nil end
    end
    return code, detail
end

-- Whether a ride has asked the driver at a place in `names` in this round. asked: what is known of that; it is read of all who follow, in
-- one call. `asks:<ride>` has who was asked: 1 in this round, 0 in an earlier one.
local function is_asked(c, ride, r, asked, names, i)
    if tonumber(r.attempt) == 0 then return false end
    if asked[names[i]] == nil then
        -- Lua gives a function no more arguments than some thousands.
        local last = math.min(#names, i + 999)
        for at, score in ipairs(redis.call('ZMSCORE', c.p .. 'asks:' .. ride, unpack(names, i, last))) do
            asked[names[i + at - 1]] = score == '1'
        end
    end
    return asked[names[i]]
end

-- A ride goes to `driver`. Who waits before all is passed over if it can't take it; who was asked for it, or has given it back, is not.
local function pass_over(c, ride, r, whole, driver)
    local first = free_at(c, whole, 1)
    -- Once by each ride, however many decline it.
    if not first or first == driver or r.over == first then return end
    if whole.seats[first] < tonumber(r.passengers) or lacks(c, r, first) then
        r.over = first
        redis.call('HSET', c.p .. 'ride:' .. ride, 'over', first)
        passed.over(c, whole.zone, first)
    end
end

-- Whether somebody in the zone is free who has room for this ride, and what it needs.
local function is_anybody_free(c, whole, r) return has_free(c, part_for(c, whole, r), r) end

-- The first free driver who can take this ride and was not asked for it in this round; it is to be asked then.
local function take_unasked(c, ride, r, whole, asked)
    local seen = part_for(c, whole, r)
    local i, passengers = 1, tonumber(r.passengers)
    if is_too_small(c, seen, passengers) or not free_at(c, whole, 1) then return nil end
    local driver = free_at(c, seen, i)
    while driver do
        if seen.seats[driver] >= passengers and not gave_back(r, driver) and not is_asked(c, ride, r, asked, seen.free.names, i) then
            pass_over(c, ride, r, whole, driver)
            return take(seen, driver)
        end
        i = i + 1
        driver = free_at(c, seen, i)
    end
end

-- What a ride for which nobody is free has to hope for of a zone: `unasked` (somebody is present who can take it, and was not asked in this
-- round), `asked` (they all were; and as the second, whether all of them have given it back), `away` (all who can take it are away), `full` or
-- `empty` (nobody can, and why).
local function outlook(c, ride, r, whole, asked)
    local seen, passengers = part_for(c, whole, r), tonumber(r.passengers)
    local can_any, may_any = false, false
    if not names_of(seen.queue, 1) then return 'empty' end
    -- Who has asked nobody need not know of all of them.
    if tonumber(r.attempt) == 0 and not r.gave_back and have_others_room(c, seen, passengers) then return 'unasked' end
    if not is_too_small(c, seen, passengers) then
        while read_on(c, seen) do end
    end
    if is_too_small(c, seen, passengers) then return 'full' end
    for i, driver in ipairs(seen.present) do
        if seen.seats[driver] >= passengers then
            local may = not gave_back(r, driver)
            if may and not is_asked(c, ride, r, asked, seen.present, i) then return 'unasked' end
            can_any, may_any = true, may_any or may
        end
    end
    if can_any then return 'asked', not may_any end
    return 'away'
end

-- Why a search comes to nothing: code and what the passenger is told, by the outlook.
local function failure(r, hope)
    if r.wait_until then return 'timeout', 'No driver could be found by the time that was told. Request again.' end
    if hope == 'asked' then return 'no_driver', 'Every driver of the zone was asked; none accepted. Request again later.' end
    if hope == 'full' then return 'seats_full', 'No taxi in the zone has ' .. r.passengers .. ' free seats. Request again later.' end
    return 'zone_empty', 'No driver' .. (r.needs and ' with ' .. named(r.needs) or '') .. ' is left in the zone. Request again later.'
end

-- The parties that wait for a zone, by ride, of those up to `most`; and how large the largest is.
local function parties_up_to(c, rides, most)
    local parties, largest = {}, 0
    for _, ride in ipairs(rides) do
        local party = tonumber(redis.call('HGET', c.p .. 'ride:' .. ride, 'passengers')) or 0
        if party <= most then parties[ride], largest = party, math.max(largest, party) end
    end
    return parties, largest
end

return {
    view = view, around = around, first_free = first_free, free_at = free_at, failure = failure, parties_up_to = parties_up_to,
    read_on = read_on, read_for = read_for, gave_back = gave_back, take = take, have_others_room = have_others_room, lacks = lacks,
    words = words, nobody_around = nobody_around, take_unasked = take_unasked, outlook = outlook,
    is_anybody_free = is_anybody_free,
}
