import Domain
import RedisLink
import Settings

/// What the Redis functions see of the settings, by the names of `NAMES` in settings.lua.
struct RedisSettings {
    /// `{city}:settings`, without the clock.
    let values: [(name: String, value: Double)]

    init(_ settings: Settings) {
        let dispatch = settings.dispatch
        let stops = settings.stops
        let reservations = settings.reservations
        let reliability = settings.reliability
        let whole: [(String, Int)] = [
            ("history_length", settings.redis.historyLength), ("history_ttl_s", settings.redis.historyTtlS),
            ("events_length", settings.redis.eventsLength), ("idempotency_ttl_s", dispatch.idempotencyTtlS),
            ("idempotency_keys", dispatch.idempotencyKeys), ("kept_s", settings.redis.keptDays * 86_400),

            ("offer_timeout_ms", dispatch.offerTimeoutMs), ("offer_seen_timeout_ms", dispatch.offerSeenTimeoutMs),
            ("accept_grace_ms", dispatch.acceptGraceMs), ("rounds", dispatch.rounds),
            ("round_pause_ms", dispatch.roundPauseMs), ("max_passengers", dispatch.maxPassengers),
            ("search_timeout_ms", dispatch.searchTimeoutMs), ("look_again_ms", dispatch.lookAgainMs),
            ("wait_ms", dispatch.waitMs), ("away_grace_ms", dispatch.awayGraceMs),
            ("recovery_ms", dispatch.recoveryMs), ("stale_after_ms", dispatch.staleAfterMs),
            ("driver_lost_ms", dispatch.driverLostMs), ("noshow_wait_ms", dispatch.noshowWaitMs),

            ("max_links", settings.server.maxConnectionsPerSubject),
            ("max_topics", settings.redis.maxTopicsPerSubject),
            ("max_topic_bytes", settings.redis.maxTopicMbPerSubject * 1_048_576),
            ("free_cancels", dispatch.freeCancels), ("cancel_window_ms", dispatch.cancelWindowMs),
            ("cancel_pause_ms", dispatch.cancelPauseMs),

            ("seat_hold_ms", settings.vehicles.seatHoldMs), ("tour_late_s", settings.tours.lateS),
            ("tour_lost_ms", settings.tours.lostMs),

            ("stop_answer_ms", stops.answerMs), ("stop_remind_driver_ms", stops.remindDriverMs),
            ("stop_reminder_ms", stops.reminderMs), ("stop_merge_ms", stops.mergeMs), ("stop_wait_ms", stops.waitMs),
            ("stop_early_ms", stops.earlyMs), ("stop_round_ms", stops.roundMs), ("stop_late_ms", stops.lateMs),
            ("stop_quiet_ms", stops.quietMs), ("stop_max_open", stops.maxOpen),
            ("stop_max_open_passengers", stops.maxOpenPassengers),
            ("stop_max_on_tour", stops.maxOnTour), ("stop_dwell_ms", stops.dwellMs),

            ("reservation_min_ahead_ms", reservations.minAheadMin * 60_000),
            ("reservation_max_ahead_ms", reservations.maxAheadH * 3_600_000),
            ("reservation_cancel_before_ms", reservations.cancelBeforeMin * 60_000),
            ("reservation_search_before_ms", reservations.searchBeforeMin * 60_000),
            ("reservation_give_up_ms", reservations.giveUpAfterMin * 60_000),
            ("reservation_max_open", reservations.maxOpen),

            ("reliability_window_days", reliability.windowDays), ("reliability_warn_at", reliability.warnAt),
            ("reliability_pause_at", reliability.pauseAt), ("reliability_deposit_at", reliability.depositAt),
            ("reliability_driver_warn_at", reliability.driverWarnAt),
            ("reliability_driver_pause_at", reliability.driverPauseAt),
            ("reliability_pause_ms", reliability.pauseH * 3_600_000),
            // They tell where people were.
            ("trip_kept_s", min(settings.trips.keptDays, settings.redis.keptDays) * 86_400),
            ("trip_rate_ms", settings.trips.rateDays * 86_400_000),

            ("figure_days", settings.statistics.days), ("figure_early_s", settings.statistics.earlyS),
            ("figure_late_s", settings.statistics.lateS),

            ("sos_ring_ms", settings.safety.ringAgainS * 1000), ("safety_kept_s", settings.safety.keptDays * 86_400),
            ("must_be_registered", settings.drivers.mustBeRegistered ? 1 : 0),
            ("push_on", settings.push.isOn ? 1 : 0),
        ]
        let decimal: [(String, Double)] = [
            ("stop_ahead_m", stops.aheadM), ("stop_merge_m", stops.mergeM), ("stop_near_m", stops.nearM),
            ("stop_arrived_m", stops.arrivedM), ("walk_m", settings.dispatch.walkM),
            ("max_speed_mps", settings.positions.maxSpeedMps),
            ("reliability_points_per_km", reliability.pointsPerKm),
            ("eta_speed_mps", settings.eta.speedKmh / 3.6), ("eta_detour", settings.eta.detour),
        ]
        values = whole.map { (name: $0.0, value: Double($0.1)) } + decimal.map { (name: $0.0, value: $0.1) }
    }

    /// Fields and values for HSET. Whole numbers are written without a point.
    var fields: [RedisArgument] {
        values.flatMap {
            [RedisArgument($0.name), Int(exactly: $0.value).map { RedisArgument($0) } ?? RedisArgument($0.value)]
        }
    }

    /// Another one for other values, or another clock: the functions keep what they have read until it changes.
    func version(clock: String) -> String {
        CatalogPages.digest(Array((values.map { "\($0.value)" } + [clock]).joined(separator: " ").utf8))
    }
}
