-- Who of a zone can be asked for a ride, in the order of its queue. `free:<zone>` has who is present and asked nothing (queue.lua),
-- so mostly one reading finds who is asked next, however many stand before it and have not answered yet. Only where nobody is
-- found there, the queue itself is read: whose answer a ride may wait for, and whether anybody has room for it.

-- Both are read in pieces, and each vehicle when its turn comes: most who look need the first only.
local PIECE = 16

-- Who has given this ride back is not asked for it again. `gave_back`: their names, a line break before and after each.
local function gave_back(r, driver) return r.gave_back and string.find(r.gave_back, '\n' .. driver .. '\n', 1, true) end

-- Names out of a sorted set, as they are needed.
local function names_of(list, count)
    if #list.names < count and not list.ended then
        local piece = redis.call('ZRANGE', list.key, #list.names, #list.names + PIECE - 1)
        for _, name in ipairs(piece) do list.names[#list.names + 1] = name end
        list.ended = #piece < PIECE
    end
    return list.names[count]
end

-- What is known of a zone during one call. `seats`: the free ones of each who is present; who has never said how many has
-- enough. Of the queue, as far as it was read (`size`): `present`, the most free seats of them (`most_free_present`), without `except`
-- (`most_free_others`), and of all, away or not (`most_free`).
-- r: a ride; who has given it back does not count as present. except: a driver.
local function view(c, zone, r, except)
    return {
        zone = zone, r = r, except = except, seats = {}, is_free = {},
        free = { key = c.p .. 'free:' .. zone, names = {} }, queue = { key = c.p .. 'queue:' .. zone, names = {}, at = {} },
        present = {}, size = 0, most_free_present = 0, most_free_others = 0, most_free = 0,
    }
end

-- Reads on in the queue, one driver; false when it was read to its end.
local function read_on(c, seen)
    local driver = names_of(seen.queue, seen.size + 1)
    if not driver then return false end
    seen.size = seen.size + 1
    seen.queue.at[driver] = seen.size
    local seats, is_away = seen.seats[driver], false
    if not seats then
        local v = redis.call('HMGET', c.p .. 'vehicle:' .. driver, 'away', 'seats')
        is_away, seats = v[1], tonumber(v[2]) or math.huge
    end
    seen.most_free = math.max(seen.most_free, seats)
    if not is_away and not (seen.r and gave_back(seen.r, driver)) then
        seen.present[#seen.present + 1] = driver
        seen.seats[driver] = seats
        seen.most_free_present = math.max(seen.most_free_present, seats)
        if driver ~= seen.except then seen.most_free_others = math.max(seen.most_free_others, seats) end
    end
    return true
end

-- Who is free, at a place in the order of the queue; nil after the last.
local function free_at(c, seen, i)
    local driver = names_of(seen.free, i)
    while driver and not seen.is_free[driver] do
        local v = redis.call('HMGET', c.p .. 'vehicle:' .. driver, 'away', 'offer', 'seats', 'state', 'zone')
        if v[4] == 'available' and v[5] == seen.zone and not v[1] and not v[2] then
            seen.is_free[driver], seen.seats[driver] = true, tonumber(v[3]) or math.huge
        else
            -- An earlier version of the hub, which runs beside this one, does not keep it.
            redis.call('ZREM', seen.free.key, driver)
            table.remove(seen.free.names, i)
            driver = names_of(seen.free, i)
        end
    end
    return driver
end

-- It is asked: it is free no more. To be said together with that, as the names that follow are read by their places.
local function take(seen, driver)
    for i, one in ipairs(seen.free.names) do
        if one == driver then return table.remove(seen.free.names, i) end
    end
end

-- Whether somebody who is present has room for so many; who comes behind is not looked at.
local function has_room(c, seen, passengers)
    local i, driver = 1, free_at(c, seen, 1)
    while driver do
        if seen.seats[driver] >= passengers and not (seen.r and gave_back(seen.r, driver)) then return true end
        i = i + 1
        driver = free_at(c, seen, i)
    end
    while seen.most_free_present < passengers and read_on(c, seen) do end
    return seen.most_free_present >= passengers
end

-- The same of those who are not `except`.
local function have_others_room(c, seen, passengers)
    while seen.most_free_others < passengers and read_on(c, seen) do end
    return seen.most_free_others >= passengers
end

-- Why nobody who is present can be asked for so many passengers: code and detail; nil when somebody can.
local function nobody_for(c, seen, passengers)
    if has_room(c, seen, passengers) then return nil end
    if #seen.present == 0 then
        return 'zone_empty', 'No taxi waits in zone ' .. seen.zone .. ' now. Request again in a few minutes.'
    end
    return 'seats_full', 'No taxi that waits in zone ' .. seen.zone .. ' has ' .. passengers
        .. ' free seats now. Request fewer, or again in a few minutes.'
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

-- The first free driver with room whom this ride has not asked in this round; it is to be asked then.
local function take_unasked(c, ride, r, seen, asked)
    local i, passengers = 1, tonumber(r.passengers)
    local driver = free_at(c, seen, i)
    while driver do
        if seen.seats[driver] >= passengers and not gave_back(r, driver) and not is_asked(c, ride, r, asked, seen.free.names, i) then
            return table.remove(seen.free.names, i)
        end
        i = i + 1
        driver = free_at(c, seen, i)
    end
end

-- Whether all who are present and have room were asked.
local function is_round_over(c, ride, r, seen, asked)
    while read_on(c, seen) do end
    local passengers = tonumber(r.passengers)
    for i, driver in ipairs(seen.present) do
        if seen.seats[driver] >= passengers and not gave_back(r, driver) and not is_asked(c, ride, r, asked, seen.present, i) then
            return false
        end
    end
    return seen.most_free_present >= passengers
end

return {
    view = view, read_on = read_on, gave_back = gave_back, take = take, have_others_room = have_others_room,
    nobody_for = nobody_for, take_unasked = take_unasked, is_round_over = is_round_over,
}
