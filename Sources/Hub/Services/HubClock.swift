/// Hub time in a worker: Redis' time, scaled in a replay, carried on by the machine's monotonic clock between two readings.
///
/// Deadlines are decided in Redis by Redis' own time; a worker needs hub time to judge fixes and to stamp state.
struct HubClock {
    /// Further than this, real ms, hub time only goes back if the machine's clock was set back. Between readings it may be off by what
    /// an answer takes, and by what the machine's clock is slewed.
    static let jumpMs = 5_000.0

    /// Hub milliseconds per real millisecond.
    let scale: Double
    private var hub: Double = 0
    private var monotonic: UInt64 = 0
    private var latest: Int64 = 0
    /// False until Redis was read once.
    private(set) var isSet = false

    init(scale: Double) { self.scale = scale }

    /// - Parameters:
    ///   - hub: a reading of Redis, in Unix ms of hub time.
    ///   - asked: when Redis was asked for it. The reading is not older than that.
    ///   - monotonic: when its answer came.
    /// - Returns: by how much hub time has gone back if the machine's clock was set back, ms; nil if it was not.
    mutating func set(hub: Int64, asked: UInt64, at monotonic: UInt64) -> Int64? {
        let onTheWay = Double(max(asked, monotonic) - asked) * scale
        let back = Double(latest) - Double(hub) - onTheWay
        self.hub = Double(hub)
        self.monotonic = monotonic
        isSet = true
        guard latest > 0, back > Self.jumpMs * max(1, scale) else { return nil }
        latest = hub
        return Int64(back)
    }

    /// Hub time in Unix ms; goes back only where `set` says so.
    mutating func now(at monotonic: UInt64) -> Int64 {
        let elapsed = Double(monotonic) - Double(self.monotonic)
        latest = max(latest, Int64(hub + elapsed * scale))
        return latest
    }
}
