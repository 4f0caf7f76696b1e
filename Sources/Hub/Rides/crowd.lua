-- How many rides may wait in a zone where nobody is free. Each is looked at with the others, some 20 µs each time.

-- Of all, and so many while reservations begin their search: who asks now is not kept out by who has reserved.
local MOST_WAITING, MOST_RESERVED = 500, 300

-- For callers of one operator, reserved or not: a caller needs no token, so without this one operator could fill the zone.
-- Twice as many where somebody is free, who may decline whatever is offered.
local MOST_OF_OPERATOR = 125

-- Whether an operator has so many waiting. That is read from the rides that wait, so it is right however they end. Who has enough is known
-- for the rest of a call, as many reservations of one operator may be due in one sweep.
local function has_enough(c, zone, operator, most)
    c.enough = c.enough or {}
    local name, own = most .. '\n' .. zone .. '\n' .. operator, 0
    if c.enough[name] then return true end
    for _, ride in ipairs(redis.call('ZRANGE', c.p .. 'waiting:' .. zone, '0', '-1')) do
        if redis.call('HGET', c.p .. 'ride:' .. ride, 'operator') == operator then own = own + 1 end
        if own == most then
            c.enough[name] = true
            return true
        end
    end
    return false
end

local function waiting(c, zone) return redis.call('ZCARD', c.p .. 'waiting:' .. zone) end

-- Why nobody more can wait in a zone where nobody is free; nil: one more can.
local function full(c, zone, is_reserved)
    local most = is_reserved and MOST_RESERVED or MOST_WAITING
    if waiting(c, zone) >= most then return most .. ' rides wait in this zone already, and nobody is free' end
end

-- Why an operator can't ask for one more caller; nil: it can.
local function full_of(c, zone, operator, is_anybody_free)
    local most = is_anybody_free and 2 * MOST_OF_OPERATOR or MOST_OF_OPERATOR
    if waiting(c, zone) >= most and has_enough(c, zone, operator, most) then
        return most .. ' rides for callers of one operator wait in this zone already'
    end
end

return { full = full, full_of = full_of }
