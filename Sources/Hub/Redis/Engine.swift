import EventLoop
public import RedisLink
public import Settings

extension RedisLimits {
    /// As the settings have them, for every connection to Redis.
    init(_ settings: Settings) {
        self.init()
        maxPending = settings.redis.maxPending
        commandTimeoutMs = UInt64(settings.redis.commandTimeoutMs)
    }
}

/// Where this hub's Redis is.
public struct RedisLocation: Sendable {
    public let endpoint: RedisEndpoint

    /// The configured Redis, or the socket of the embedded one in the data directory. Throws on a malformed address.
    public init(_ settings: Settings) throws {
        endpoint =
            settings.redis.isEmbedded
            ? .unix(path: Self.socketPath(settings)) : try RedisEndpoint(url: settings.redis.url)
    }

    static func socketPath(_ settings: Settings) -> String { settings.data.dir + "/redis.sock" }
}

/// Makes a Redis ready for a city: functions loaded, settings and clock written. The supervisor does so at each connect,
/// so a Redis that comes back empty is ready again before a worker's next call.
struct RedisSetup {
    let keys: Keys
    let settings: Settings
    let library: FunctionLibrary

    func prepare(_ connection: RedisConnection) async throws {
        let failure = await withCheckedContinuation { continuation in
            library.load(on: connection) { continuation.resume(returning: $0) }
        }
        if let failure { throw failure }
        let clock = try await clock(connection)
        _ = try await connection.send(["HSET", RedisArgument(keys.settings)] + fields + clock)
    }

    /// What the functions read; the names are those of `SETTINGS` and `RARE_SETTINGS` in core.lua.
    private var fields: [RedisArgument] {
        let dispatch = settings.dispatch
        let values: [(String, Int)] = [
            ("offer_timeout_ms", dispatch.offerTimeoutMs), ("offer_seen_timeout_ms", dispatch.offerSeenTimeoutMs),
            ("accept_grace_ms", dispatch.acceptGraceMs), ("rounds", dispatch.rounds),
            ("max_passengers", dispatch.maxPassengers), ("search_timeout_ms", dispatch.searchTimeoutMs),
            ("away_grace_ms", dispatch.awayGraceMs), ("recovery_ms", dispatch.recoveryMs),
            ("stale_after_ms", dispatch.staleAfterMs), ("idempotency_ttl_s", dispatch.idempotencyTtlS),
            ("history_length", settings.redis.historyLength), ("history_ttl_s", settings.redis.historyTtlS),
            ("events_length", settings.redis.eventsLength), ("seat_hold_ms", settings.vehicles.seatHoldMs),
            ("idempotency_keys", dispatch.idempotencyKeys), ("kept_s", settings.redis.keptDays * 86_400),
            ("max_links", settings.server.maxConnectionsPerSubject), ("free_cancels", dispatch.freeCancels),
            ("cancel_window_ms", dispatch.cancelWindowMs), ("cancel_pause_ms", dispatch.cancelPauseMs),
            ("driver_lost_ms", dispatch.driverLostMs), ("noshow_wait_ms", dispatch.noshowWaitMs),
            ("round_pause_ms", dispatch.roundPauseMs),
            ("tour_late_s", settings.tours.lateS), ("tour_lost_ms", settings.tours.lostMs),
        ]
        return values.flatMap { [RedisArgument($0.0), RedisArgument($0.1)] } + settings.stopFields
            + settings.statisticsFields
    }

    /// Hub time is Redis' time. Scaled, or begun at another time, it runs from the moment at which the run began, which a
    /// restart keeps.
    private func clock(_ connection: RedisConnection) async throws -> [RedisArgument] {
        let clock = settings.clock
        func fields(real: Int64, hub: Int64) -> [RedisArgument] {
            [
                "clock_scale", RedisArgument(clock.scale), "clock_real", RedisArgument(real), "clock_hub",
                RedisArgument(hub), "clock_start", RedisArgument(clock.start),
            ]
        }
        guard clock.scale != 1 || clock.startMs != nil else { return fields(real: 0, hub: 0) }
        let kept = try await connection.send([
            "HMGET", RedisArgument(keys.settings), "clock_scale", "clock_real", "clock_hub", "clock_start",
        ])
        if kept[0].double == clock.scale, kept[3].text ?? "" == clock.start, let real = kept[1].int,
            let hub = kept[2].int
        {
            return fields(real: real, hub: hub)
        }
        let time = try await connection.send(["TIME"])
        let now = (time[0].int ?? 0) * 1000 + (time[1].int ?? 0) / 1000
        return fields(real: now, hub: clock.startMs ?? now)
    }
}
