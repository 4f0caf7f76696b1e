/// Decides, fix by fix, what of a vehicle's positions is believed. One value per vehicle, about 120 bytes.
///
/// Two clocks: the device's time orders fixes, the hub's says how fresh they are: what a fix took longer to come than the
/// vehicle's fixes usually do, it was stored on the device. A fix that is refused, late, old, doubled or doubted changes neither
/// the position nor its freshness.
///
///     switch filter.offer(fix, receivedAt: now) {
///     case .accepted(let step): …      // the new position; step.previous begins a segment
///     case .late, .old: …              // nothing: it tells where the vehicle was, not where it is
///     case .duplicate, .quarantined: … // nothing
///     case .refused(let reason): …     // tell the client
///     }
public struct PositionFilter: Sendable {
    public struct Limits: Sendable {
        /// Fixes are used for fences and zones up to this radius of error, metres.
        public var fenceAccuracy = 50.0
        /// … and for the map up to this one.
        public var mapAccuracy = 100.0
        /// A device's clock may be ahead of the hub's by so much, ms.
        public var futureMs: Int64 = 60_000
        /// Faster than this between two fixes, m/s, is a jump of the receiver (162 km/h, or a ferry's worth of tunnel).
        public var maximumSpeed = 45.0
        /// So many fixes in a row that agree with each other, the first doubted one included, make a jump believed: as soon as by
        /// the hub's clock a vehicle can have come so far.
        public var confirmations = 2
        /// A fix that took so much longer to arrive than the vehicle's fixes usually do, ms, was stored on the device:
        /// it moves the vehicle silently and causes no live event.
        public var replayDelayMs: Int64 = 30_000
        /// A fix that was stored for longer, ms, says nothing of where the vehicle is.
        public var maximumAgeMs: Int64 = 300_000

        public init() {}
    }

    public struct Accepted: Equatable, Sendable {
        /// Where the vehicle was believed to be before; nil for the first fix, and when the way in between is unknown
        /// (a confirmed jump, a device clock set back).
        public var previous: Fix?
        /// Good enough for fences and zones (`fenceAccuracy`); otherwise for the map only.
        public var isForFences: Bool
        /// Measured now; false when it was stored and sent later (after a tunnel): no live events from it.
        public var isLive: Bool
        /// Hub time at which it was measured, as far as can be told, Unix ms: when it came, unless it was stored.
        public var measuredAt: Int64
    }

    public enum Refusal: Equatable, Sendable {
        /// Not finite, out of range, or (0, 0).
        case unusablePosition
        /// The radius of error, in metres, is more than the map takes. It proves that the device lives, nothing else.
        case inaccurate(metres: Double)
        /// The device's clock is ahead by so many milliseconds.
        case clockAhead(offsetMs: Int64)
        /// The time of the fix isn't a Unix time in milliseconds.
        case unusableTime
        /// … and may be one in seconds.
        case timeInSeconds(Int64)
    }

    public enum Verdict: Equatable, Sendable {
        case accepted(Accepted)
        /// Older than the last accepted fix.
        case late
        /// Was stored for longer than `maximumAgeMs`.
        case old
        /// The time of a fix that is known already: no effect, however often it is sent.
        case duplicate
        /// Too far for the time since the last fix: held until the next ones agree with it, and the time is over that the way takes.
        case quarantined
        case refused(Refusal)
    }

    /// A time before this, ms (March 1973), is in seconds.
    private static let earliestTime: Int64 = 100_000_000_000

    private struct Mark: Sendable {
        var point: GeoPoint
        var at: Int64
        var accuracy: Double
    }

    /// A row of late or old fixes that keeps pace with the hub's clock: the device's clock is behind, or was set back.
    private struct LateRun: Sendable {
        var firstAt: Int64
        var firstReceived: Int64
        var lastAt: Int64
        var count: Int
    }

    private var last: Mark?
    private var suspect: Mark?
    private var suspectCount = 0
    private var lateRun: LateRun?
    /// The least time that a fix has taken lately from its device's clock to the hub's, ms; may be negative.
    /// Nil until the first fix, and after the device's clock was set.
    private var usualLagMs: Int64?

    /// Hub time at which the position was last believed, Unix ms.
    public private(set) var lastReceived: Int64?
    /// The last position that another filter believed: the first fix here is held against it, but goes on no way from it.
    private var earlier: Mark?

    public init() {}

    /// Goes on from the last position that another filter believed, measured at `hubTime` by the hub's clock.
    public mutating func expect(_ fix: Fix, atHubTime hubTime: Int64) {
        guard usualLagMs == nil else { return }
        earlier = Mark(point: fix.point, at: fix.at, accuracy: fix.effectiveAccuracy)
        usualLagMs = hubTime - fix.at
        lastReceived = hubTime
    }

    /// The last accepted position.
    public var position: GeoPoint? { last?.point }

    /// Judges a fix received at hub time `now` (Unix ms), and keeps it if it is believed.
    public mutating func offer(_ fix: Fix, receivedAt now: Int64, limits: Limits = Limits()) -> Verdict {
        guard fix.point.isUsable else { return .refused(.unusablePosition) }
        // Below 2^53 no difference taken here can overflow.
        guard fix.at > 0, fix.at < 1 << 53 else { return .refused(.unusableTime) }
        guard fix.at >= Self.earliestTime else { return .refused(.timeInSeconds(fix.at)) }
        guard fix.at - now <= limits.futureMs else { return .refused(.clockAhead(offsetMs: fix.at - now)) }
        let accuracy = fix.effectiveAccuracy
        guard accuracy >= 0, accuracy <= limits.mapAccuracy else { return .refused(.inaccurate(metres: accuracy)) }

        let mark = Mark(point: fix.point, at: fix.at, accuracy: accuracy)
        if mark.at == last?.at || mark.at == suspect?.at { return .duplicate }
        let isLate = (last ?? earlier).map { mark.at < $0.at } ?? false
        if isLate || now - mark.at - (usualLagMs ?? 0) > limits.maximumAgeMs {
            guard clockIsBehind(mark.at, now: now), hasHadTime(mark, now: now, limits: limits) else {
                return isLate ? .late : .old
            }
            usualLagMs = now - mark.at
            return accept(mark, from: nil, now: now, limits: limits)
        }
        guard let known = last ?? earlier else { return accept(mark, from: nil, now: now, limits: limits) }
        if PositionFilter.isReachable(mark, from: known, limits: limits) {
            return accept(mark, from: last, now: now, limits: limits)
        }
        let agrees = suspect.map { PositionFilter.isReachable(mark, from: $0, limits: limits) } ?? false
        suspectCount = agrees ? suspectCount + 1 : 1
        if suspectCount >= limits.confirmations, hasHadTime(mark, now: now, limits: limits) {
            return accept(mark, from: nil, now: now, limits: limits)
        }
        suspect = mark
        return .quarantined
    }

    private mutating func accept(_ mark: Mark, from previous: Mark?, now: Int64, limits: Limits) -> Verdict {
        let lag = now - mark.at
        // Of a first fix nobody knows whether it was stored or its device's clock is behind: it counts as stored.
        var (usual, stored) = (lag, lag)
        if let usualLagMs {
            // The floor rises by a tenth of the time passed (at most a minute counts), so that a device whose clock was
            // corrected is live again within minutes.
            usual = min(lag, usualLagMs + min(60_000, max(0, now - (lastReceived ?? now))) / 10)
            stored = lag - usual
        }
        usualLagMs = usual
        let isLive = stored <= limits.replayDelayMs
        last = mark
        suspect = nil
        suspectCount = 0
        lateRun = nil
        lastReceived = now
        return .accepted(
            Accepted(
                previous: previous.map { Fix($0.point, at: $0.at, accuracy: $0.accuracy) },
                isForFences: mark.accuracy <= limits.fenceAccuracy,
                isLive: isLive, measuredAt: isLive ? now : now - stored))
    }

    /// Whether a vehicle can have come from one mark to the other, both radii of error granted.
    private static func isReachable(_ mark: Mark, from other: Mark, limits: Limits) -> Bool {
        isReachable(mark, from: other, inMs: abs(mark.at - other.at), limits: limits)
    }

    private static func isReachable(_ mark: Mark, from other: Mark, inMs time: Int64, limits: Limits) -> Bool {
        let metres = mark.point.distance(to: other.point) - mark.accuracy - other.accuracy
        return metres <= limits.maximumSpeed * Double(time) / 1000
    }

    /// Whether by the hub's clock a vehicle can have come there since its position was believed last: what devices say of the time
    /// can be made up, and a jump with it.
    private func hasHadTime(_ mark: Mark, now: Int64, limits: Limits) -> Bool {
        guard let known = last ?? earlier, let lastReceived else { return true }
        return Self.isReachable(mark, from: known, inMs: max(0, now - lastReceived), limits: limits)
    }

    /// Notes a late or old fix. True when at least three in a row, over 20 s or more, ran with the hub's clock: a stored batch
    /// comes at once, so this is a device that lives on with another clock, and would stay "late" for as long as its
    /// clock was set back, or "old" for ever.
    private mutating func clockIsBehind(_ at: Int64, now: Int64) -> Bool {
        guard var run = lateRun, at > run.lastAt else {
            if lateRun?.lastAt != at { lateRun = LateRun(firstAt: at, firstReceived: now, lastAt: at, count: 1) }
            return false
        }
        let passed = now - run.firstReceived
        let drift = abs((at - run.firstAt) - passed)
        guard drift <= max(5000, passed / 5) else {
            lateRun = LateRun(firstAt: at, firstReceived: now, lastAt: at, count: 1)
            return false
        }
        run.lastAt = at
        run.count += 1
        lateRun = run
        return run.count >= 3 && passed >= 20_000
    }
}
