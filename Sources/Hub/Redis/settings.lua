-- What the functions see of the settings: numbers, by the names under which RedisSettings.swift writes them into `{city}:settings`.
-- They are read once for each `version` of them, as Redis looks through the whole hash for each name; which version it is, once a
-- second. A hub that has written others loads the library anew, which has then read none.

local NAMES = {
    -- The clock: `now` in core.lua.
    'clock_scale', 'clock_real', 'clock_hub',
    -- What is kept, how much of it and how long.
    'history_length', 'history_ttl_s', 'events_length', 'idempotency_ttl_s', 'idempotency_keys', 'kept_s',
    -- Offers, rides and queues.
    'offer_timeout_ms', 'offer_seen_timeout_ms', 'accept_grace_ms', 'rounds', 'round_pause_ms', 'max_passengers',
    'search_timeout_ms', 'look_again_ms', 'wait_ms', 'away_grace_ms', 'recovery_ms', 'stale_after_ms', 'driver_lost_ms', 'noshow_wait_ms',
    'walk_m',
    -- Positions.
    'max_speed_mps',
    -- What one subject may do.
    'max_links', 'max_topics', 'max_topic_bytes', 'free_cancels', 'cancel_window_ms', 'cancel_pause_ms',
    -- Minibus seats, tours.
    'seat_hold_ms', 'tour_late_s', 'tour_lost_ms',
    -- Custom stops.
    'stop_answer_ms', 'stop_remind_driver_ms', 'stop_reminder_ms', 'stop_ahead_m', 'stop_merge_m', 'stop_merge_ms',
    'stop_near_m', 'stop_arrived_m', 'stop_wait_ms', 'stop_early_ms', 'stop_round_ms', 'stop_late_ms', 'stop_quiet_ms',
    'stop_max_open', 'stop_max_open_passengers', 'stop_max_on_tour', 'stop_dwell_ms',
    -- Reservations, and how long taxis need.
    'reservation_min_ahead_ms', 'reservation_max_ahead_ms', 'reservation_cancel_before_ms', 'reservation_search_before_ms',
    'reservation_give_up_ms', 'reservation_max_open', 'eta_speed_mps', 'eta_detour',
    -- Trips.
    'trip_kept_s', 'trip_rate_ms',
    -- Who can be relied on: days, counts (0: never), ms, and points.
    'reliability_window_days', 'reliability_warn_at', 'reliability_pause_at', 'reliability_deposit_at', 'reliability_driver_warn_at',
    'reliability_driver_pause_at', 'reliability_pause_ms', 'reliability_points_per_km',
    -- Statistics.
    'figure_days', 'figure_early_s', 'figure_late_s',
    -- Alarms, reports.
    'sos_ring_ms', 'safety_kept_s',
    -- Records of drivers; pushes: 1 or 0.
    'must_be_registered', 'push_on',
}

-- How long a version counts without another look, ms of machine time.
local CHECKED_MS = 1000

-- By the city's key prefix. __index: the numbers, for the context of a call; checked: when, ms of machine time.
local cached = {}

-- A metatable that gives a table all settings. Fails when one is not there: a transition must not find that in its middle.
-- real: ms of machine time.
local function settings(prefix, real)
    local known = cached[prefix]
    if known and known.version and real - known.checked < CHECKED_MS and real >= known.checked then return known end
    local key = prefix .. 'settings'
    local version = redis.call('HGET', key, 'version')
    if known and version and known.version == version then
        known.checked, known.beside = real, {}
        return known
    end
    local values, numbers = redis.call('HMGET', key, unpack(NAMES)), {}
    for i, name in ipairs(NAMES) do
        numbers[name] = tonumber(values[i]) or error('the settings of this city are not in Redis: ' .. name)
        -- As Redis takes it in a command: a number would be printed anew each time.
        numbers[name .. '_text'] = values[i]
    end
    known = { version = version, checked = real, __index = numbers, beside = {} }
    cached[prefix] = known
    return known
end

-- What stands beside the settings and the workers find out, such as the city's clock: text, or false. Read as often as the settings.
local function beside(c, name)
    local known = getmetatable(c).beside
    if known[name] == nil then known[name] = redis.call('HGET', c.p .. 'settings', name) end
    return known[name]
end

local function beside_changed(c) getmetatable(c).beside = {} end

return { settings = settings, beside = beside, beside_changed = beside_changed }
