/// The limits of one link to Redis. Times are milliseconds.
public struct RedisLimits: Sendable {
    /// Commands that may wait for an answer; further ones fail with `.overloaded`. At the 90,000 commands a second that
    /// one Redis does, this is a tenth of a second of work: more would only make every answer late.
    public var maxPending = 10_000
    /// Bytes not yet taken by the kernel; further commands fail with `.overloaded`. Bounds memory when Redis hangs.
    public var maxUnsentBytes = 64 << 20
    /// From the start of connecting until the server has accepted password and database and answers PING.
    public var connectTimeoutMs: UInt64 = 2000
    /// A command without an answer for so long means that the link is dead.
    public var commandTimeoutMs: UInt64 = 2000
    /// The first wait before connecting again; it doubles with every failure …
    public var backoffMinMs: UInt64 = 50
    /// … up to this. Each wait is shortened at random by up to a half, so that many workers don't come at once.
    public var backoffMaxMs: UInt64 = 2000
    /// A subscriber publishes a heartbeat to itself this often …
    public var heartbeatEveryMs: UInt64 = 1000
    /// … and takes its link for dead when one was sent so long ago and nothing at all has come since.
    public var heartbeatDeadAfterMs: UInt64 = 3000

    public init() {}
}
