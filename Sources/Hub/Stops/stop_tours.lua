-- The tours of a line, as those who ask for a stop see them: what is read of one, and which is to serve a place.

local pick = import('core', 'pick')
local stops = import('stop', 'stops')

-- What requests and times of arrival need of a tour. The estimates for its stops are for the readers of its line, and 13 of the 16 KB of a tour
-- with 60 stops: whole, 40 tours take 1.4 ms, these fields 0.2. `course` is read where it is needed (stop_times.lua).
local OF_TOUR = {
    'state', 'bus', 'line', 'pattern', 'trip', 'base', 'driver', 'seats', 'taken', 'dist', 'off', 'start', 'left', 'heard', 'started_at',
    'zone', 'prompted_at', 'is_short', 'fetching',
}

function stops.tour(c, id)
    if not id then return {} end
    c.tours = c.tours or {}
    c.tours[id] = c.tours[id] or pick(c.p .. 'tour:' .. id, OF_TOUR)
    return c.tours[id]
end

-- Who declines a citizen is asked again by the same one only when nobody else can come, for 10 minutes: one bus before the stop could
-- else take all requests of a line and decline them. `declined:<citizen>`: the tours that did.
local DECLINED_S = 600

function stops.note_decline(c, citizen, tour)
    local key = c.p .. 'declined:' .. citizen
    redis.call('SADD', key, tour)
    redis.call('EXPIRE', key, DECLINED_S)
end

local function declined_by(c, citizen)
    local tours = {}
    for _, tour in ipairs(redis.call('SMEMBERS', c.p .. 'declined:' .. citizen)) do tours[tour] = true end
    return tours
end

-- Of a line that is driven on request any tour can serve a place of its areas: the one with the most free seats; one that is silent, that has
-- declined, or whose list is full, only if there is no other. Nil: nobody drives.
function stops.find_any(c, line, r)
    local at, best, best_free, best_is_last = r.at, nil, nil, nil
    local declined = declined_by(c, r.citizen)
    local running = redis.call('SMEMBERS', c.p .. 'line:' .. line .. ':tours')
    table.sort(running)
    for _, id in ipairs(running) do
        local t = stops.tour(c, id)
        if t.state == 'running' then
            local free, comes_last = stops.free_seats(c, id, at) or 0, stops.comes_last(c, id, t, r, declined)
            if not best or best_is_last and not comes_last or best_is_last == comes_last and free > best_free then
                best, best_free, best_is_last = id, free, comes_last
            end
        end
    end
    return best
end

-- Which running tour of the line is to serve a place: the one whose bus has the shortest way to it along its shape, with
-- room to brake. r: `places` has by pattern the distances along its shape at which it passes the place (a loop may pass
-- it twice), `next` likewise the index of the first stop behind each pass, `later` says whether the line passes it again
-- in a later round. Who has declined the `citizen`, is silent or has a full list comes after the others. Answers tour, distance along its
-- shape, index of the stop behind it, and true if it is for a later round
-- and no tour comes by on this one; or nil and why not. With `anywhere` any tour can. at: of the pickup, ms.
function stops.find_tour(c, line, r)
    local nobody = 'Nobody drives line ' .. line .. ' now. Ask again when a bus is on its way.'
    if r.anywhere then
        local any = stops.find_any(c, line, r)
        if any then return any end
        return nil, 'no_driver', nobody
    end
    local running = redis.call('SMEMBERS', c.p .. 'line:' .. line .. ':tours')
    if #running == 0 then return nil, 'no_driver', nobody end
    local ahead_m = c.stop_ahead_m
    local best, best_at, best_gap, best_next, best_is_last, later, later_at
    local declined = declined_by(c, r.citizen)
    table.sort(running)
    local is_driven = false
    for _, id in ipairs(running) do
        local t = stops.tour(c, id)
        if t.state == 'running' then
            is_driven = true
            local passes = r.places[t.pattern] or {}
            local behind = r.next and r.next[t.pattern] or {}
            for i, dist in ipairs(passes) do
                local gap = stops.gap_to(c, t, dist)
                local comes_last = gap >= ahead_m and stops.comes_last(c, id, t, r, declined)
                local is_better = not best or best_is_last and not comes_last or best_is_last == comes_last and gap < best_gap
                if gap >= ahead_m and is_better then
                    best, best_at, best_gap, best_next, best_is_last = id, dist, gap, behind[i], comes_last
                end
            end
            if r.later and (not later or (#passes > 0 and not later_at)) then later, later_at = id, passes[1] end
        end
    end
    if not is_driven then
        return nil, 'no_driver', nobody
    end
    if best then return best, best_at, best_next end
    if later then return later, later_at or 0, nil, true end
    return nil, 'stop_passed', 'The bus of line ' .. line .. ' has passed this place, or is too near to stop there, '
        .. 'and does not come again for this time.'
end
