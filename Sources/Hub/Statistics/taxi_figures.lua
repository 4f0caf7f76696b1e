-- The figures of taxis. A ride is counted once, when it is over, at the hour of the city's clock in which it was asked for. In that step it is only
-- noted, in `taxis_over`; each sweep adds up what was noted (`sum_up`), all of an hour and zone together. `taxis:<date>` has for each
-- `<hour>|<zone>` these numbers (`TaxiFigures` in Domain): rides asked for, accepted, ended, no-shows, cancelled, failed; ms from request to
-- acceptance, and of how many; ms from acceptance to arrival, and of how many. What was refused as nobody was there is among those that failed.

local figures = import('figures', 'figures')

local taxi_figures = {}

local OUTCOMES = { ended = 3, noshow = 4, cancelled = 5, failed = 6 }

-- r: the ride as it was until now, with its zone and times (`-`: it was not accepted, or nobody arrived).
function taxi_figures.note(c, r, state)
    if not r.requested_at or not r.zone then return end
    redis.call('RPUSH', c.p .. 'taxis_over',
        r.requested_at .. ' ' .. (r.accepted_at or '-') .. ' ' .. (r.arrived_at or '-') .. ' ' .. state .. ' ' .. r.zone)
end

-- Somebody has asked where no taxi was: a request for which none was found, though no ride was made of it. One person counts once in ten minutes.
function taxi_figures.unmet(c, passenger, zone)
    if not redis.call('SET', c.p .. 'asked-in-vain:' .. passenger, '', 'NX', 'EX', 600) then return end
    redis.call('RPUSH', c.p .. 'taxis_over', c.now_text .. ' - - failed ' .. zone)
end

-- As much of what was noted as one sweep takes.
local MOST = 500

local function add(n, place, more) n[place] = (n[place] or 0) + more end

-- n: what one ride adds to the numbers of its hour and zone.
local function count(n, asked, accepted, arrived, state)
    add(n, 1, 1)
    add(n, OUTCOMES[state], 1)
    if not accepted then return end
    add(n, 2, 1)
    add(n, 7, math.max(0, accepted - asked))
    add(n, 8, 1)
    if not arrived then return end
    add(n, 9, math.max(0, arrived - accepted))
    add(n, 10, 1)
end

-- Where many end, each sum is of all zones, however little is new: after so many, the next is so much later, ms of machine time.
local MANY, LATER_MS = 20, 500
-- By city.
local due = {}

function taxi_figures.sum_up(c)
    local wait = (due[c.p] or 0) - c.real
    if wait > 0 and wait <= LATER_MS then return end
    local sums, date_of = {}, figures.dates(c)
    local noted = redis.call('LPOP', c.p .. 'taxis_over', MOST) or {}
    due[c.p] = #noted >= MANY and #noted < MOST and c.real + LATER_MS or nil
    for _, over in ipairs(noted) do
        local asked, accepted, arrived, state, zone = string.match(over, '^(%d+) (%S+) (%S+) (%l+) (.*)$')
        local date, hour = date_of(tonumber(asked))
        local key, field = c.p .. 'taxis:' .. date, hour .. '|' .. zone
        sums[key] = sums[key] or {}
        sums[key][field] = sums[key][field] or {}
        count(sums[key][field], tonumber(asked), tonumber(accepted), tonumber(arrived), state)
    end
    for key, fields in pairs(sums) do
        figures.add_numbers(key, fields)
        redis.call('EXPIRE', key, c.figure_days * 86400)
    end
end

return { taxi_figures = taxi_figures }
