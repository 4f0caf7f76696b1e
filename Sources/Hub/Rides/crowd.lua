-- How many rides may wait in a zone where nobody is free. Each is looked at with the others, some 20 µs each time.

-- Of all, and so many while reservations begin their search: who asks now is not kept out by who has reserved.
local MOST_WAITING, MOST_RESERVED = 500, 300

-- For callers of one operator, reserved or not: a caller needs no token, so without this one operator could fill the zone.
local MOST_OF_OPERATOR = 125

-- Whether an operator has so many waiting. That is read from the rides that wait, so it is right however they end. Who has enough is known
-- for the rest of a call, as many reservations of one operator may be due in one sweep.
local function has_enough(c, zone, operator)
    c.enough = c.enough or {}
    local name, own = zone .. '\n' .. operator, 0
    if c.enough[name] then return true end
    for _, ride in ipairs(redis.call('ZRANGE', c.p .. 'waiting:' .. zone, '0', '-1')) do
        if redis.call('HGET', c.p .. 'ride:' .. ride, 'operator') == operator then own = own + 1 end
        if own == MOST_OF_OPERATOR then
            c.enough[name] = true
            return true
        end
    end
    return false
end

-- Why one more can't wait in a zone; nil: it can. operator: who asks for a caller; nil: passengers ask for themselves.
local function full(c, zone, operator, is_reserved)
    local most, count = is_reserved and MOST_RESERVED or MOST_WAITING, redis.call('ZCARD', c.p .. 'waiting:' .. zone)
    if count >= most then return most .. ' rides wait in this zone already' end
    if operator and count >= MOST_OF_OPERATOR and has_enough(c, zone, operator) then
        return MOST_OF_OPERATOR .. ' rides for callers of one operator wait in this zone already'
    end
end

return { full = full }
