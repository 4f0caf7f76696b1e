-- What GTFS-Realtime publishes of the tours that run.

-- tours_running: answers of each tour that has sent a position: JSON of its state, the Unix second from which its trip's
-- times count, 1 if its passengers were ever counted.
register('tours_running', function(keys)
    local c, answer = context(keys), {}
    for _, id in ipairs(redis.call('ZRANGE', c.p .. 'tours', 0, -1)) do
        local t = tours.load(c, id)
        if t.state == 'running' and t.lat then
            answer[#answer + 1] = tours.state(id, t)
            answer[#answer + 1] = t.base or '0'
            answer[#answer + 1] = t.counted or ''
        end
    end
    return answer
end, { 'no-writes' })
