/// When a tour reached and left each stop of its pattern, interpolated between fixes.
public struct StopPassages: Equatable, Sendable {
    /// Between fixes that lie farther apart, ms, nobody knows when a stop was passed: no time is noted.
    public static let maximumGapMs: Int64 = 180_000

    public let places: StopPlaces
    /// Unix ms; nil when the stop is still ahead, or when nobody knows.
    public private(set) var arrivals: [Int64?]
    public private(set) var departures: [Int64?]
    /// The stop that the bus is at or comes to next; the last one stays next for ever.
    public private(set) var next = 0

    public init(places: StopPlaces) {
        self.places = places
        arrivals = Array(repeating: nil, count: places.count)
        departures = arrivals
    }

    /// A finished tour as it was kept: one entry per stop.
    public init(places: StopPlaces, arrivals: [Int64?], departures: [Int64?]) {
        precondition(arrivals.count == places.count && departures.count == places.count)
        self.places = places
        self.arrivals = arrivals
        self.departures = departures
        next = places.count - 1
    }

    /// The tour begins, or is taken up again, here.
    public mutating func start(at distance: Double) { next = places.first(after: distance) }

    /// The bus moved on from one place of the way to another that is no nearer to the beginning. Times in Unix ms.
    public mutating func moved(from start: Double, at since: Int64, to end: Double, at now: Int64) {
        guard end > start else { return }
        let isKnown = now - since <= StopPassages.maximumGapMs
        func time(_ place: Double) -> Int64 {
            since + Int64((Double(now - since) * (place - start) / (end - start)).rounded())
        }
        while true {
            let entry = places.entry(next)
            if next > 0, start < entry, entry <= end, isKnown { arrivals[next] = time(entry) }
            let exit = places.exit(next)
            guard exit <= end else { return }
            if start < exit, isKnown { departures[next] = time(exit) }
            next += 1
        }
    }

    /// The bus was found to be at another place than was believed: what it had not reached there is ahead of it again.
    public mutating func relocated(to distance: Double) {
        for stop in 0..<places.count {
            if stop == 0 || places.entry(stop) > distance { arrivals[stop] = nil }
            if places.exit(stop) > distance { departures[stop] = nil }
        }
        next = places.first(after: distance)
    }
}
