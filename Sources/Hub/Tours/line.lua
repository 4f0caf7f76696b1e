-- What runs on a line.

local pick, register = import('core', 'pick', 'register')
local tours = import('tour', 'tours')

-- What tours.state goes by, and what else workers must know of a running tour.
local SHOWN = {
    'state', 'rev', 'bus', 'line', 'pattern', 'off', 'taken', 'seats', 'delay_s', 'trip', 'lat', 'lon', 'at', 'next', 'stops', 'etas',
    'base', 'heard', 'counted',
}

-- As tours.load, but only that. The way that is forecast, and the times of arrival without what is asked, are the larger half of a tour.
local function load_shown(c, id) return pick(c.p .. 'tour:' .. id, SHOWN) end

-- line_state: line. Answers of each running tour: id, revision, JSON of its state, the Unix second from which its trip's times count,
-- and the hub time at which its last position came, 0 before the first.
register('line_state', { 'line' }, function(c, given)
    local answer = {}
    for _, id in ipairs(redis.call('SMEMBERS', c.p .. 'line:' .. given.line .. ':tours')) do
        local t = load_shown(c, id)
        if t.state == 'running' then
            answer[#answer + 1] = id
            answer[#answer + 1] = t.rev or '0'
            answer[#answer + 1] = tours.state(id, t)
            answer[#answer + 1] = t.base or '0'
            answer[#answer + 1] = t.heard or '0'
        end
    end
    return answer
end, { 'no-writes' })

return { load_shown = load_shown }
