/// When a tour reached and left each stop of its pattern, interpolated between fixes.
///
/// A bus is at a stop while it is within 30 m of it along the way, or within half the distance to the next stop, where
/// that is less. The first stop is only left, the last one only reached.
public struct StopPassages: Equatable, Sendable {
    /// Half of the length of a stop, metres.
    public static let reach = 30.0
    /// Between fixes that lie farther apart, ms, nobody knows when a stop was passed: no time is noted.
    public static let maximumGapMs: Int64 = 180_000

    /// Where the stops are, metres along the way, never falling.
    public let stops: [Double]
    /// Unix ms; nil when the stop is still ahead, or when nobody knows.
    public private(set) var arrivals: [Int64?]
    public private(set) var departures: [Int64?]
    /// The stop that the bus is at or comes to next; the last one stays next for ever. 0 when there are no stops.
    public private(set) var next = 0

    public init(stops: [Double]) {
        self.stops = stops
        arrivals = Array(repeating: nil, count: stops.count)
        departures = arrivals
    }

    /// Metres along the way where the bus counts as having reached a stop.
    public func entry(of stop: Int) -> Double {
        stop == 0 ? stops[0] : stops[stop] - min(StopPassages.reach, (stops[stop] - stops[stop - 1]) / 2)
    }

    /// Metres along the way where it counts as having left it. At the last stop it never has.
    public func exit(of stop: Int) -> Double {
        stop == stops.count - 1
            ? .infinity : stops[stop] + min(StopPassages.reach, (stops[stop + 1] - stops[stop]) / 2)
    }

    /// The first stop that a bus so many metres along has not left.
    public func firstStop(after distance: Double) -> Int {
        guard !stops.isEmpty else { return 0 }
        var stop = 0
        while stop < stops.count - 1, exit(of: stop) <= distance { stop += 1 }
        return stop
    }

    /// The tour begins, or is taken up again, here.
    public mutating func start(at distance: Double) { next = firstStop(after: distance) }

    /// The bus moved on from one place of the way to another that is no nearer to the beginning. Times in Unix ms.
    public mutating func moved(from start: Double, at since: Int64, to end: Double, at now: Int64) {
        guard end > start, !stops.isEmpty else { return }
        let isKnown = now - since <= StopPassages.maximumGapMs
        func time(_ place: Double) -> Int64 {
            since + Int64((Double(now - since) * (place - start) / (end - start)).rounded())
        }
        while true {
            let entry = entry(of: next)
            if next > 0, start < entry, entry <= end, isKnown { arrivals[next] = time(entry) }
            let exit = exit(of: next)
            guard exit <= end else { return }
            if start < exit, isKnown { departures[next] = time(exit) }
            next += 1
        }
    }

    /// The bus was found to be at another place than was believed: what it had not reached there is ahead of it again.
    public mutating func relocated(to distance: Double) {
        for stop in stops.indices {
            if stop == 0 || entry(of: stop) > distance { arrivals[stop] = nil }
            if exit(of: stop) > distance { departures[stop] = nil }
        }
        next = firstStop(after: distance)
    }
}
