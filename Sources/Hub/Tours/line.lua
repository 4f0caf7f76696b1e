-- What runs on a line.

local register = import('core', 'register')
local tours = import('tour', 'tours')

-- line_state: line. Answers id, revision, JSON of each running tour.
register('line_state', { 'line' }, function(c, given)
    local answer = {}
    for _, id in ipairs(redis.call('SMEMBERS', c.p .. 'line:' .. given.line .. ':tours')) do
        local t = tours.load(c, id)
        if t.state == 'running' then
            answer[#answer + 1] = id
            answer[#answer + 1] = t.rev or '0'
            answer[#answer + 1] = tours.state(id, t)
        end
    end
    return answer
end, { 'no-writes' })
