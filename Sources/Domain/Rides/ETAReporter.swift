/// Decides when a passenger is told a new time of arrival: when it differs by more than 10 s from what they were told,
/// which counts down by itself in between, and at least every 90 s. One value per ride.
public struct ETAReporter: Sendable {
    public struct Settings: Sendable {
        /// A difference of more than this is told, seconds.
        public var changeSeconds = 10.0
        /// … and anything after this time, ms.
        public var everyMs: Int64 = 90_000
        /// Nothing is told sooner after the last, ms: a vehicle whose positions jump to and fro is told as it is then.
        public var atLeastMs: Int64 = 1_000

        public init() {}
    }

    private let settings: Settings
    private var told: (seconds: Double, at: Int64)?

    public init(settings: Settings = Settings()) { self.settings = settings }

    /// Hub time, Unix ms, at which the passenger must be told even if nothing changed; nil before the first time.
    public var due: Int64? { told.map { $0.at + settings.everyMs } }

    /// What the passenger believes at hub time `now`, seconds; nil before the first time.
    public func believed(at now: Int64) -> Double? {
        told.map { max(0, $0.seconds - Double(now - $0.at) / 1000) }
    }

    /// The whole seconds to tell now, or nil when there is nothing new.
    public mutating func report(seconds: Double, at now: Int64) -> Int? {
        guard seconds.isFinite else { return nil }
        if let told, now >= told.at, now - told.at < settings.atLeastMs { return nil }
        let rounded = min(max(0, seconds), 1e6).rounded()
        if let believed = believed(at: now), let due, now < due, abs(seconds - believed) <= settings.changeSeconds {
            return nil
        }
        told = (rounded, now)
        return Int(rounded)
    }
}
