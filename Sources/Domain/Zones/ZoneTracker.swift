/// What an accepted fix means for the place in the queue of an available driver.
public enum ZoneMove: Equatable, Sendable {
    case stay
    /// Outside every zone, for good.
    case leave
    /// In another zone (an index into `ZoneSet.zones`), on purpose.
    case `switch`(to: Int)
}

/// Watches in which zone an available driver waits, so that a bad fix or a walk along the border never costs the place.
/// One value per driver in a queue.
///
/// A fix is *away* when it lies outside the driver's zone by more than its accuracy (10 m when unstated), or by more
/// than `Settings.margin` if that is larger. Three away fixes in a row, or away fixes over 180 s, move the driver: to
/// the zone where the last one lies, or out of the queue when all of them, or those over 180 s, lay outside every zone.
/// A fix outside every zone but no farther from one than its accuracy counts for that one. Any fix that isn't away
/// starts the count anew. While no zones are loaded nothing is known, so nothing counts and nothing is forgotten.
public struct ZoneTracker: Sendable {
    public struct Settings: Sendable {
        /// Least distance outside the zone that counts, metres; the fix's accuracy counts when it is larger.
        public var margin = 0.0
        /// So many away fixes in a row are believed. Should be more than the fixes of one burst of bad reception.
        public var fixes = 3
        /// … or away fixes over so long, ms: for devices that report seldom.
        public var afterMs: Int64 = 180_000

        public init() {}
    }

    /// Away fixes in a row.
    private struct Run: Sendable {
        var count: Int
        var since: Int64
    }

    /// The zone whose queue the driver is in.
    public private(set) var zone: Int
    private var away: Run?
    /// Those of them, the latest ones in a row, that lay outside every zone.
    private var outside: Run?

    public init(zone: Int) { self.zone = zone }

    /// A new set of zones counts: the same place has this index in it. What was counted before is forgotten.
    public mutating func rezone(to zone: Int) { self = ZoneTracker(zone: zone) }

    /// Judges an accepted fix that is good enough for zones. `zones` is nil while none are loaded. After `.leave` the
    /// value has served; after `.switch` it watches the new zone.
    public mutating func update(_ fix: Fix, zones: ZoneSet?, settings: Settings = Settings()) -> ZoneMove {
        guard let zones else { return .stay }
        let margin = max(fix.effectiveAccuracy, settings.margin)
        let found = zones.lookup(fix.point)
        if found == .zone(zone) || zones.distanceToBorder(of: zone, from: fix.point, within: margin) != nil {
            away = nil
            outside = nil
            return .stay
        }
        ZoneTracker.extend(&away, at: fix.at)
        let target: Int?
        if case .zone(let other) = found {
            target = other
        } else {
            target = zones.nearestZone(to: fix.point, within: margin)
        }
        if let target {
            outside = nil
            guard isBelieved(away, at: fix.at, settings) else { return .stay }
            self = ZoneTracker(zone: target)
            return .switch(to: target)
        }
        ZoneTracker.extend(&outside, at: fix.at)
        return isBelieved(outside, at: fix.at, settings) ? .leave : .stay
    }

    private static func extend(_ run: inout Run?, at: Int64) {
        run = Run(count: (run?.count ?? 0) + 1, since: run?.since ?? at)
    }

    private func isBelieved(_ run: Run?, at: Int64, _ settings: Settings) -> Bool {
        guard let run else { return false }
        return run.count >= settings.fixes || at - run.since >= settings.afterMs
    }
}
