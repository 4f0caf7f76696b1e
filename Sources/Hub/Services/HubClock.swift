/// Hub time in a worker: Redis' time, scaled in a replay, carried on by the machine's monotonic clock between two readings.
///
/// Deadlines are decided in Redis by Redis' own time; a worker needs hub time to judge fixes and to stamp state.
struct HubClock {
    /// Hub milliseconds per real millisecond.
    let scale: Double
    private var hub: Double = 0
    private var monotonic: UInt64 = 0
    private var latest: Int64 = 0
    /// False until Redis was read once.
    private(set) var isSet = false

    init(scale: Double) { self.scale = scale }

    /// `hub`: a reading of Redis, in Unix ms of hub time; `monotonic`: when its answer came.
    mutating func set(hub: Int64, at monotonic: UInt64) {
        self.hub = Double(hub)
        self.monotonic = monotonic
        isSet = true
    }

    /// Hub time in Unix ms; never goes back.
    mutating func now(at monotonic: UInt64) -> Int64 {
        let elapsed = Double(monotonic) - Double(self.monotonic)
        latest = max(latest, Int64(hub + elapsed * scale))
        return latest
    }
}
