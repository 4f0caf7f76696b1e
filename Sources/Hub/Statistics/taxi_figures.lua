-- The figures of taxis. A ride is counted once, in the step in which it is over, at the hour of the city's clock in which it was asked
-- for: so on its way it costs nothing. `taxis:<date>` has for each `<hour>|<zone>` these numbers (`TaxiFigures` in Domain): rides asked for,
-- accepted, ended, no-shows, cancelled, failed; ms from request to acceptance, and of how many; ms from acceptance to arrival, and of how many.

local figures = import('figures', 'figures')

local taxi_figures = {}

local OUTCOMES = { ended = 3, noshow = 4, cancelled = 5, failed = 6 }

local function add(n, place, more) n[place] = (n[place] or 0) + more end

-- r: the ride as it was until now, with its zone and times.
function taxi_figures.count(c, r, state)
    local asked, accepted, arrived = tonumber(r.requested_at), tonumber(r.accepted_at), tonumber(r.arrived_at)
    if not asked or not r.zone then return end
    local date, hour = figures.date(c, asked)
    local key, field, n = c.p .. 'taxis:' .. date, hour .. '|' .. r.zone, {}
    local known = redis.call('HGET', key, field)
    for number in string.gmatch(known or '0 0 0 0 0 0 0 0 0 0', '%d+') do n[#n + 1] = tonumber(number) end
    add(n, 1, 1)
    add(n, OUTCOMES[state], 1)
    if accepted then
        add(n, 2, 1)
        add(n, 7, math.max(0, accepted - asked))
        add(n, 8, 1)
    end
    if accepted and arrived then
        add(n, 9, math.max(0, arrived - accepted))
        add(n, 10, 1)
    end
    redis.call('HSET', key, field, table.concat(n, ' '))
    if not known then redis.call('EXPIRE', key, c.figure_days * 86400) end
end

return { taxi_figures = taxi_figures }
