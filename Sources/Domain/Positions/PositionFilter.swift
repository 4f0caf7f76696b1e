/// Decides, fix by fix, what of a vehicle's positions is believed. One value per vehicle, about 250 bytes.
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
        /// 0: any speed is believed.
        public var maximumSpeed = 45.0
        /// So many fixes in a row that agree with each other, the first doubted one included, make a jump believed: as soon as by
        /// the hub's clock a vehicle can have come so far.
        public var confirmations = 2
        /// A fix that took so much longer to arrive than the vehicle's fixes usually do, ms, was stored on the device:
        /// it moves the vehicle silently and causes no live event.
        public var replayDelayMs: Int64 = 30_000
        /// A fix that was stored for longer, ms, says nothing of where the vehicle is.
        public var maximumAgeMs: Int64 = 300_000
        /// What was believed more than so long ahead of the hub's clock, ms, was believed before that was set back.
        public var setBackMs: Int64 = 5_000

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
        /// When it was measured by the hub's clock, as far as its vehicle's lag tells.
        var hubTime: Int64
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
    /// Nil until the first fix.
    private var usualLagMs: Int64?

    /// Hub time at which the position was last believed, Unix ms.
    public private(set) var lastReceived: Int64?
    /// The last position that another filter believed: the first fix here is held against it, but goes on no way from it.
    private var earlier: Mark?
    /// A believed position of up to a minute ago, or the last one before. What comes is held against it, too: each fix may be off by its
    /// radius of error, and many in a row, each further by that, would be a jump.
    private var anchor: Mark?
    private static let anchoredMs: Int64 = 60_000

    public init() {}

    /// Goes on from the last position that another filter believed, measured at `hubTime` by the hub's clock. False: this one
    /// has believed a later one.
    public mutating func expect(_ fix: Fix, atHubTime hubTime: Int64) -> Bool {
        if let lastReceived, lastReceived >= hubTime { return false }
        let mark = Mark(point: fix.point, at: fix.at, accuracy: fix.effectiveAccuracy, hubTime: hubTime)
        let anchor = anchor ?? mark
        self = PositionFilter()
        (self.anchor, earlier) = (anchor, mark)
        usualLagMs = hubTime - fix.at
        lastReceived = hubTime
        return true
    }

    /// A new start of the same vehicle, perhaps with another device: where it was within the last minute counts.
    public func anew() -> PositionFilter {
        var filter = PositionFilter()
        filter.anchor = anchor
        return filter
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
        forgetWhatLiesAhead(of: now, limits: limits)
        let accuracy = fix.effectiveAccuracy
        guard accuracy >= 0, accuracy <= limits.mapAccuracy else { return .refused(.inaccurate(metres: accuracy)) }

        let lag = Lag(of: fix.at, receivedAt: now, usual: usualLagMs, lastReceived: lastReceived)
        var mark = Mark(point: fix.point, at: fix.at, accuracy: accuracy, hubTime: now - lag.stored)
        if mark.at == last?.at || mark.at == suspect?.at { return .duplicate }
        let isLate = (last ?? earlier).map { mark.at < $0.at } ?? false
        if isLate || now - mark.at - (usualLagMs ?? 0) > limits.maximumAgeMs {
            mark.hubTime = now
            guard clockIsBehind(mark.at, now: now), hasHadTime(mark, now: now, limits: limits) else {
                return isLate ? .late : .old
            }
            return accept(mark, from: nil, Lag(usual: now - mark.at, stored: 0), now: now, limits: limits)
        }
        // The device's clock says how long it was on its way, the hub's that this isn't made up: who sets a clock back and forth
        // comes no further than who leaves it.
        let isReached =
            (last ?? earlier).map {
                Self.isReachable(mark, from: $0, inMs: min(mark.at - $0.at, mark.hubTime - $0.hubTime), limits: limits)
            } ?? true
        if isReached, isNearAnchor(mark, limits: limits) {
            return accept(mark, from: last, lag, now: now, limits: limits)
        }
        let agrees =
            suspect.map { Self.isReachable(mark, from: $0, inMs: abs(mark.at - $0.at), limits: limits) } ?? false
        suspectCount = agrees ? suspectCount + 1 : 1
        // The hub's time until now is used up, whenever it was measured.
        mark.hubTime = now
        if suspectCount >= limits.confirmations, hasHadTime(mark, now: now, limits: limits) {
            return accept(mark, from: nil, lag, now: now, limits: limits)
        }
        suspect = mark
        return .quarantined
    }

    /// The hub's clock was set back: by it no fix could follow what was believed before, until it has caught up.
    private mutating func forgetWhatLiesAhead(of now: Int64, limits: Limits) {
        if let lastReceived, lastReceived - now > limits.setBackMs { self = PositionFilter() }
        // A first fix may seem to be measured later than it came, by as much as its device's clock may be ahead.
        if let anchor, anchor.hubTime - now > limits.setBackMs + limits.futureMs { self.anchor = nil }
    }

    /// What a fix took from its device's clock to the hub's, ms.
    private struct Lag {
        /// The least that fixes have taken lately, this one included.
        var usual: Int64
        /// How much more this one took.
        var stored: Int64

        init(usual: Int64, stored: Int64) {
            self.usual = usual
            self.stored = stored
        }

        init(of at: Int64, receivedAt now: Int64, usual: Int64?, lastReceived: Int64?) {
            let lag = now - at
            // Of a first fix nobody knows whether it was stored or its device's clock is behind: it counts as stored.
            guard let usual else {
                self.init(usual: lag, stored: lag)
                return
            }
            // The floor rises by a tenth of the time passed (at most a minute counts), so that a device whose clock was
            // corrected is live again within minutes.
            let least = min(lag, usual + min(60_000, max(0, now - (lastReceived ?? now))) / 10)
            self.init(usual: least, stored: lag - least)
        }
    }

    private mutating func accept(_ mark: Mark, from previous: Mark?, _ lag: Lag, now: Int64, limits: Limits) -> Verdict
    {
        usualLagMs = lag.usual
        let isLive = lag.stored <= limits.replayDelayMs
        last = mark
        let isOld = anchor.map { mark.hubTime - $0.hubTime >= Self.anchoredMs } ?? true
        if isOld || limits.maximumSpeed == 0 { anchor = mark }
        suspect = nil
        suspectCount = 0
        lateRun = nil
        lastReceived = now
        return .accepted(
            Accepted(
                previous: previous.map { Fix($0.point, at: $0.at, accuracy: $0.accuracy) },
                isForFences: mark.accuracy <= limits.fenceAccuracy,
                isLive: isLive, measuredAt: isLive ? now : now - lag.stored))
    }

    /// Whether a vehicle can have come from one mark to the other in the time, both radii of error granted.
    private static func isReachable(_ mark: Mark, from other: Mark, inMs time: Int64, limits: Limits) -> Bool {
        guard limits.maximumSpeed > 0 else { return true }
        let metres = mark.point.distance(to: other.point) - mark.accuracy - other.accuracy
        return metres <= limits.maximumSpeed * Double(max(0, time)) / 1000
    }

    /// Whether by the hub's clock a vehicle can have come there since its position was believed last: what devices say of the time
    /// can be made up, and a jump with it.
    private func hasHadTime(_ mark: Mark, now: Int64, limits: Limits) -> Bool {
        if let known = last ?? earlier, let lastReceived,
            !Self.isReachable(mark, from: known, inMs: now - lastReceived, limits: limits)
        {
            return false
        }
        return isNearAnchor(mark, limits: limits)
    }

    private func isNearAnchor(_ mark: Mark, limits: Limits) -> Bool {
        guard let anchor else { return true }
        return Self.isReachable(mark, from: anchor, inMs: mark.hubTime - anchor.hubTime, limits: limits)
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
