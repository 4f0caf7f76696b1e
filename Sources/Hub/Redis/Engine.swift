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

    /// What commands say that work beside the hub.
    static func unreached(_ reason: String) -> HubFailure {
        HubFailure(
            "Redis can't be reached, so the hub is not running here (\(reason)): start it with kerbside serve, or say which one is meant, with its --config or --data"
        )
    }

    static func socketPath(_ settings: Settings) -> String { settings.data.dir + "/redis.sock" }
}

/// Makes a Redis ready for a city: functions loaded, settings and clock written. The supervisor does so at each connect,
/// so a Redis that comes back empty is ready again before a worker's next call.
struct RedisSetup {
    let keys: Keys
    let settings: Settings
    let library: FunctionLibrary

    /// The functions come last: loaded anew, they have read no settings yet.
    func prepare(_ connection: RedisConnection) async throws {
        let clock = try await clock(connection)
        let seen = RedisSettings(settings)
        let version = seen.version(clock: "\(clock.scale) \(clock.real) \(clock.hub)")
        _ = try await connection.send(
            [
                "HSET", RedisArgument(keys.settings), "version", RedisArgument(version), "clock_scale",
                RedisArgument(clock.scale), "clock_real", RedisArgument(clock.real), "clock_hub",
                RedisArgument(clock.hub), "clock_start", RedisArgument(settings.clock.start),
            ] + seen.fields)
        let failure = await withCheckedContinuation { continuation in
            library.load(on: connection) { continuation.resume(returning: $0) }
        }
        if let failure { throw failure }
    }

    /// Hub time is Redis' time. Scaled, or begun at another time, it runs from the moment at which the run began, which a
    /// restart keeps.
    private func clock(_ connection: RedisConnection) async throws -> (scale: Double, real: Int64, hub: Int64) {
        let clock = settings.clock
        guard clock.scale != 1 || clock.startMs != nil else { return (clock.scale, real: 0, hub: 0) }
        let kept = try await connection.send([
            "HMGET", RedisArgument(keys.settings), "clock_scale", "clock_real", "clock_hub", "clock_start",
        ])
        if kept[0].double == clock.scale, kept[3].text ?? "" == clock.start, let real = kept[1].int,
            let hub = kept[2].int
        {
            return (clock.scale, real: real, hub: hub)
        }
        let time = try await connection.send(["TIME"])
        let now = (time[0].int ?? 0) * 1000 + (time[1].int ?? 0) / 1000
        return (clock.scale, real: now, hub: clock.startMs ?? now)
    }
}
