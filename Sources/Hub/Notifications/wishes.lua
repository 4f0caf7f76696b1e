-- Who wants to be told what, and when (M8): `wishes:<role>:<subject>` (notify.lua); and what clocks show, for the hours in which somebody is to be
-- left alone.

local waking = import('waking', 'waking')

local wishes = {}

-- Which kind of notification an event is (M8). What only informs is not told to who does not want it; what a person needs to
-- know to go on comes all the same, marked `silent`.
local NOTIFIES = {
    ['ride.near'] = 'proximity', ['ride.arrived'] = 'proximity', ['seat.near'] = 'proximity', ['seat.arrived'] = 'proximity',
    ['route.changed'] = 'route', ['ride.accepted'] = 'answers', ['ride.failed'] = 'answers', ['seat.confirmed'] = 'answers',
    ['seat.declined'] = 'answers', ['seat.failed'] = 'answers', ['offer.made'] = 'requests', ['seat.requested'] = 'requests',
    ['stop.near'] = 'proximity', ['stop.arrived'] = 'proximity', ['stop.reminder'] = 'reminders',
    ['stop.accepted'] = 'answers', ['stop.declined'] = 'answers', ['stop.expired'] = 'answers',
    ['stop.requested'] = 'requests', ['ride.driver_lost'] = 'answers', ['ride.driver_back'] = 'answers',
    ['seat.driver_lost'] = 'answers', ['seat.driver_back'] = 'answers', notice = 'notices',
    ['reservation.reminder'] = 'reminders', ['reservation.assigned'] = 'answers', ['reservation.failed'] = 'answers',
    ['advice.wait'] = 'advice',
}
wishes.informs = { ['ride.near'] = true, ['seat.near'] = true, ['stop.near'] = true, ['route.changed'] = true,
    ['advice.wait'] = true }

-- Minutes after midnight on a clock. zone: seconds east of Greenwich, until when (ms), and how many from then on; nil when it
-- says nothing.
local function minute_of_day(zone, at)
    local offset, till, after = string.match(zone or '', '^(-?%d+) (%d+) (-?%d+)$')
    if not offset then return nil end
    return math.floor((at / 1000 + (at < tonumber(till) and offset or after)) / 60) % 1440
end

-- What clocks show: `clocks`, by the name of the time zone; `city` is the catalog's. Said by the workers, who can read the
-- files of time zones: notify_set, notify_clocks, city_sweep.
local function set_clock(c, name, zone)
    if redis.call('HGET', c.p .. 'clocks', name) ~= zone then redis.call('HSET', c.p .. 'clocks', name, zone) end
end

-- Channels of which this process of Redis knows that there are no wishes and no subscriptions. notify_set and push_subscribe say when there are;
-- all are forgotten now and then, as another version of the hub beside this one does not say so here, nor did one that wrote to another Redis
-- meanwhile.
local WISHLESS_MS = 10000
local wishless, wishless_till = {}, 0

-- Of a channel: kinds that are muted (with commas), from and to when it is to be left alone (minutes after midnight), by the clock of which time
-- zone; and whether there are subscriptions to pushes. False for what there is not.
function wishes.held(c, channel)
    return redis.call('HMGET', c.p .. 'wishes:' .. channel, 'mute', 'from', 'to', 'time_zone', 'push')
end

-- Somebody's wishes are others now.
function wishes.changed(c, channel) wishless[c.p .. channel] = nil end

-- Whether who reads the channel does not want to be told of such an event, or not now; and whether it is to be pushed, if nobody is there.
function wishes.are_against(c, channel, type)
    local kind, wakes = NOTIFIES[type], waking.wakes(type)
    if not kind and not wakes then return false end
    if c.real > wishless_till then wishless, wishless_till = {}, c.real + WISHLESS_MS end
    local key = c.p .. channel
    if wishless[key] then return false end
    local held = wishes.held(c, channel)
    if not held[1] and not held[2] and not held[5] then wishless[key] = true end
    wakes = wakes and held[5] ~= false
    if not kind then return false, wakes end
    if held[1] and string.find(held[1], kind, 1, true) then return true, wakes end
    if not held[2] then return false, wakes end
    local zone = redis.call('HGET', c.p .. 'clocks', held[4] or 'city')
    local minute, from, to = minute_of_day(zone or '0 0 0', c.now), tonumber(held[2]), tonumber(held[3])
    if from <= to then return minute >= from and minute < to, wakes end
    return minute >= from or minute < to, wakes
end

return { wishes = wishes, minute_of_day = minute_of_day, set_clock = set_clock }
