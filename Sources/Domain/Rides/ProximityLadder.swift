/// How sure a proximity event is, said to whoever is told.
public enum Confidence: String, Sendable {
    case high, medium, low
}

/// A rung of the ladder, by its radius in metres. Ordered: the nearer the higher.
public enum ProximityRung: Int, Comparable, Sendable {
    case none = 0
    case near = 500
    case arrived = 20

    private var height: Int {
        switch self {
        case .none: 0
        case .near: 1
        case .arrived: 2
        }
    }

    public static func < (a: ProximityRung, b: ProximityRung) -> Bool { a.height < b.height }
}

/// A rung that has been reached, told once.
public struct ProximityEvent: Equatable, Sendable {
    public var rung: ProximityRung
    /// The closest approach on the segment that reached the rung, metres.
    public var distance: Double
    /// Unix ms, by the device's clock; interpolated on the segment when the crossing lay between two fixes.
    public var at: Int64
    /// The crossing lay between two fixes.
    public var isInterpolated: Bool
    /// The vehicle was inside already when the ride began.
    public var isInitial: Bool
    public var confidence: Confidence
}

/// What one step of the ladder has to tell: nothing, one rung, or both, the wider first.
public struct ProximityEvents: Equatable, Sendable {
    public var near: ProximityEvent?
    public var arrived: ProximityEvent?

    public static let none = ProximityEvents()
    public var isEmpty: Bool { near == nil && arrived == nil }

    init(near: ProximityEvent? = nil, arrived: ProximityEvent? = nil) {
        self.near = near
        self.arrived = arrived
    }
}

/// The latched ladder of one ride: 500 m from the pickup, then 20 m. Each rung is told once, never again, and never
/// taken back; a new ride begins with a new ladder. `notified` is all that must survive the worker.
///
/// The test is made on the way since the last fix, against where the pickup is now, so that a car which passes between
/// two fixes 75 m apart is not missed, and a pickup that moves across the car is not taken for its arrival. Where the way is unknown, because more than 120 s or 1 km lie
/// between the fixes or the vehicle jumped, only the new fix itself is tested. Fixes worse than 50 m are not used.
///
/// The rule for 20 m, which is within the error of a phone in a street:
/// - **high**: the way came within 20 m, and both of its ends are accurate to 20 m (an unstated accuracy counts as 10 m);
/// - **medium**: the vehicle stood, slower than 2 m/s, for 10 s within 20 m + its accuracy, at most 50 m;
/// - **low**: the way came within 20 m, and both of its ends are accurate to 50 m.
///
/// For 500 m, where such errors matter little: high if both ends are accurate to 20 m, else medium.
/// Reaching 20 m reaches 500 m too: both are told, in that order.
public struct ProximityLadder: Sendable {
    /// Where the rungs lie, metres from the pickup. The rungs keep their names, 500 and 20, wherever they lie.
    public struct Radii: Sendable {
        public var near = 500.0
        public var arrived = 20.0

        public init() {}
    }

    /// Fixes that are worse are not used here, metres.
    static let usableAccuracy = 50.0
    static let goodAccuracy = 20.0
    /// Past these the way between two fixes is unknown.
    static let maximumGapMs: Int64 = 120_000
    static let maximumSegment = 1000.0
    static let standingSpeed = 2.0
    static let dwellMs: Int64 = 10_000
    static let dwellReach = 50.0

    private struct Last: Sendable {
        var vehicle: GeoPoint
        var at: Int64
        var accuracy: Double
        var isStanding: Bool
    }

    /// The rung that was told last: the state to keep, as 0, 500 or 20 (`rawValue`).
    public private(set) var notified: ProximityRung
    private let radii: Radii
    private var isFirst: Bool
    private var last: Last?
    private var dwellStart: Int64?

    /// A ladder for a ride just assigned.
    public init(radii: Radii = Radii()) {
        self.radii = radii
        notified = .none
        isFirst = true
    }

    /// The ladder of a ride that is under way, from the state kept for it.
    public init(restored notified: ProximityRung, radii: Radii = Radii()) {
        self.radii = radii
        self.notified = notified
        isFirst = false
    }

    /// The vehicle's new accepted fix. `isContinuous` is false when the way since the last one is unknown.
    /// Fixes that are not newer than the last one are ignored.
    public mutating func vehicleMoved(to fix: Fix, target: GeoPoint, isContinuous: Bool = true) -> ProximityEvents {
        guard notified < .arrived, fix.effectiveAccuracy <= Self.usableAccuracy else { return .none }
        if let last, fix.at <= last.at { return .none }
        let previous = isContinuous ? last : nil
        let standing = isStanding(fix, since: previous)
        let events = step(
            Last(vehicle: fix.point, at: fix.at, accuracy: fix.effectiveAccuracy, isStanding: standing),
            to: target, from: previous)
        isFirst = false
        return events
    }

    private mutating func step(_ now: Last, to target: GeoPoint, from previous: Last?) -> ProximityEvents {
        let frame = LocalFrame(origin: target)
        let end = frame.project(now.vehicle)
        var start = end
        var before = now
        if let previous, now.at - previous.at <= Self.maximumGapMs {
            let from = frame.project(previous.vehicle)
            if (end - from).length <= Self.maximumSegment {
                start = from
                before = previous
            }
        }
        let way = Way(start: start, end: end, from: before.at, to: now.at, isInitial: isFirst)
        let closest = Approach(from: start, to: end).distance
        let accuracy = max(before.accuracy, now.accuracy)
        let dwelt = hasDwelt(now, distance: end.length)
        last = now

        var events = ProximityEvents.none
        if closest <= radii.arrived {
            let confidence: Confidence = accuracy <= Self.goodAccuracy ? .high : dwelt ? .medium : .low
            events.arrived = way.event(.arrived, radius: radii.arrived, distance: closest, confidence)
        } else if dwelt {
            events.arrived = ProximityEvent(
                rung: .arrived, distance: end.length, at: now.at, isInterpolated: false, isInitial: false,
                confidence: .medium)
        }
        if notified < .near, events.arrived != nil || closest <= radii.near {
            let confidence: Confidence = accuracy <= Self.goodAccuracy ? .high : .medium
            events.near = way.event(.near, radius: radii.near, distance: closest, confidence)
        }
        if events.arrived != nil { notified = .arrived } else if events.near != nil { notified = .near }
        return events
    }

    /// By the device's own speed, or else by the way since the last fix.
    private func isStanding(_ fix: Fix, since previous: Last?) -> Bool {
        if let speed = fix.speed { return speed < Self.standingSpeed }
        guard let previous, fix.at > previous.at else { return false }
        let seconds = Double(fix.at - previous.at) / 1000
        return previous.vehicle.distance(to: fix.point) / seconds < Self.standingSpeed
    }

    /// Keeps the time since which the vehicle stands near the pickup. A silence in between begins it anew.
    private mutating func hasDwelt(_ now: Last, distance: Double) -> Bool {
        let reach = min(Self.dwellReach, radii.arrived + now.accuracy)
        guard now.isStanding, distance <= reach else {
            dwellStart = nil
            return false
        }
        if let last, now.at - last.at > Self.maximumGapMs { dwellStart = nil }
        let start = dwellStart ?? now.at
        dwellStart = start
        return now.at - start >= Self.dwellMs
    }
}

/// The way of the vehicle between two fixes, seen from the pickup.
private struct Way {
    var start: PlanePoint
    var end: PlanePoint
    var from: Int64
    var to: Int64
    var isInitial: Bool

    func event(
        _ rung: ProximityRung, radius: Double, distance: Double, _ confidence: Confidence
    ) -> ProximityEvent {
        let entry = start == end ? nil : Approach.entry(from: start, to: end, radius: radius)
        // At 1 the fix itself is the first one inside; at 0 the way began inside, with a fix that was not good enough.
        let between = entry.flatMap { $0 > 0 && $0 < 1 ? $0 : nil }
        let at = between.map { from + Int64(Double(to - from) * $0) } ?? to
        return ProximityEvent(
            rung: rung, distance: distance, at: at, isInterpolated: between != nil, isInitial: isInitial,
            confidence: confidence)
    }
}
