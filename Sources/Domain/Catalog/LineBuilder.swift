/// Makes a line of trips as they come: trips that take the same way share a pattern.
///
/// Used by every import, so that a line looks the same wherever it came from.
public struct LineBuilder {
    /// How a trip runs: what patterns are told apart by.
    private struct Way: Hashable {
        let direction: Int
        let headsign: String
        let shape: String
        let stops: [String]
    }

    /// One stop of a way.
    public struct Place: Sendable {
        public var stop: Stop
        /// Metres along the shape, if known better than by the stop's place.
        public var distance: Double?

        public init(stop: Stop, distance: Double? = nil) {
            self.stop = stop
            self.distance = distance
        }
    }

    /// One stop of a trip.
    public struct Call: Sendable {
        public var place: Place
        /// Nil between stops at which the bus keeps its time.
        public var time: StopTime?

        public init(stop: Stop, time: StopTime?, distance: Double? = nil) {
            place = Place(stop: stop, distance: distance)
            self.time = time
        }
    }

    /// What a way came to that is not as it was given.
    public enum Mend: Equatable, Sendable {
        /// The shape runs against the stops, and was turned.
        case turned
        /// The stops do not lie along the shape in their order, or the given metres from it: the straight way is taken.
        case dropped(metres: Double?)
        /// A stop lies so many metres from the shape, which was kept.
        case far(stop: String, metres: Double)
        /// Stops that fit nowhere on the shape in the order of the others; they are put between their neighbours.
        case unplaced(stops: [String])
    }

    public private(set) var line: Line
    private var patterns: [Way: Int] = [:]
    private let farStop: Double
    private let tooFar: Double

    public init(_ line: Line, farStop: Double, tooFar: Double) {
        self.line = line
        self.farStop = farStop
        self.tooFar = tooFar
    }

    /// Adds a trip of at least two calls, of which the first and the last have a time. `shape` may be empty. Answers what
    /// had to be mended, once per pattern.
    public mutating func add(
        id: String, feedID: String? = nil, service: String, direction: Int, headsign: String, calls: [Call],
        shapeID: String, shape: @autoclosure () -> [GeoPoint]
    ) -> [Mend] {
        var mends: [Mend] = []
        let pattern = pattern(
            direction: direction, headsign: headsign, places: calls.map(\.place), shapeID: shapeID, shape: shape(),
            &mends)
        add(id: id, feedID: feedID, service: service, pattern: pattern, times: calls.map(\.time))
        return mends
    }

    /// The index of the pattern of those who run so; it is made when there is none. `mends` gets what had to be mended then.
    public mutating func pattern(
        direction: Int, headsign: String, places: [Place], shapeID: String, shape: @autoclosure () -> [GeoPoint],
        _ mends: inout [Mend]
    ) -> Int {
        let way = Way(direction: direction, headsign: headsign, shape: shapeID, stops: places.map(\.stop.id))
        if let known = patterns[way] { return known }
        let index = line.patterns.count
        patterns[way] = index
        let (shape, distances) = lay(places, on: shape(), &mends)
        line.patterns.append(
            LinePattern(
                id: patternID(way), direction: direction, headsign: headsign, shape: shape,
                stops: zip(places, distances).map {
                    PatternStop(stop: $0.stop.id, distance: ($1 * 10).rounded() / 10)
                }))
        return index
    }

    /// Adds a trip of a pattern that is there; the first and the last of its times are given.
    public mutating func add(
        id: String, feedID: String? = nil, service: String, pattern: Int, times: [StopTime?],
        frequencies: [Frequency] = [], sequences: [Int] = []
    ) {
        var times = Self.complete(times, line.patterns[pattern].stops)
        if !frequencies.isEmpty {
            let start = times[0].arrival
            times = times.map { StopTime(arrival: $0.arrival - start, departure: $0.departure - start) }
        }
        line.trips.append(
            LineTrip(
                id: id, feedID: feedID, pattern: pattern, service: service, times: times, frequencies: frequencies,
                sequences: sequences))
    }

    /// The line with its trips in a fixed order: the same input makes the same line.
    public consuming func finish() -> Line {
        var line = line
        line.trips.sort {
            ($0.pattern, $0.times[0].departure, $0.service, $0.id) < (
                $1.pattern, $1.times[0].departure, $1.service, $1.id
            )
        }
        return line
    }

    /// The shape and where along it the calls lie.
    private func lay(_ calls: [Place], on given: [GeoPoint], _ mends: inout [Mend]) -> ([GeoPoint], [Double]) {
        let points = calls.map(\.stop.point)
        let straight = Self.distinct(points)
        var shape = Self.distinct(given)
        guard shape.count >= 2 else { return Self.alongStraight(points, straight) }
        let length = StopAlignment.lengths(shape)
        // The feed's own distances, as far as they put each stop where it is.
        let told = calls.compactMap(\.distance)
        if told.count == calls.count, zip(told, told.dropFirst()).allSatisfy({ $0 <= $1 }),
            zip(points, told).allSatisfy({ Self.point(at: $1, shape, length).distance(to: $0) <= farStop })
        {
            return (shape, told.map { min(max(0, $0), length[length.count - 1]) })
        }
        var best = StopAlignment(points, on: shape)
        if best.map({ $0.widest > farStop || !$0.unplaced.isEmpty }) ?? true {
            let turned = Array(shape.reversed())
            if let other = StopAlignment(points, on: turned), Self.fits(other, better: best) {
                shape = turned
                best = other
                mends.append(.turned)
            }
        }
        guard let best, best.widest <= tooFar else {
            mends.append(.dropped(metres: best?.widest))
            return Self.alongStraight(points, straight)
        }
        if best.widest > farStop, let stop = best.gaps.firstIndex(of: best.widest) {
            mends.append(.far(stop: calls[stop].stop.id, metres: best.widest))
        }
        if !best.unplaced.isEmpty { mends.append(.unplaced(stops: best.unplaced.map { calls[$0].stop.id })) }
        return (shape, best.distances)
    }

    private static func fits(_ one: StopAlignment, better other: StopAlignment?) -> Bool {
        guard let other else { return true }
        if one.unplaced.count != other.unplaced.count { return one.unplaced.count < other.unplaced.count }
        return one.widest < other.widest / 2
    }

    /// Unique in the line, and the same in the next import as long as the stops are.
    private func patternID(_ way: Way) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for text in ["\(way.direction)", way.headsign] + way.stops {
            for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
            hash = (hash ^ 0xff) &* 0x100_0000_01b3
        }
        let digits = String(UInt32(truncatingIfNeeded: hash ^ (hash >> 32)), radix: 16)
        let base = String(repeating: "0", count: 8 - digits.count) + digits
        var id = base
        var number = 1
        while line.patterns.contains(where: { $0.id == id }) {
            number += 1
            id = "\(base)-\(number)"
        }
        return id
    }

    /// Without points that repeat the one before; two at least, even when all stops are in one place.
    private static func distinct(_ points: [GeoPoint]) -> [GeoPoint] {
        var distinct: [GeoPoint] = []
        for point in points where distinct.last != point { distinct.append(point) }
        return distinct
    }

    private static func alongStraight(_ points: [GeoPoint], _ straight: [GeoPoint]) -> ([GeoPoint], [Double]) {
        (straight.count >= 2 ? straight : [points[0], points[0]], StopAlignment.lengths(points))
    }

    private static func point(at distance: Double, _ shape: [GeoPoint], _ lengths: [Double]) -> GeoPoint {
        let next = lengths.firstIndex { $0 >= distance } ?? lengths.count - 1
        guard next > 0 else { return shape[0] }
        let length = lengths[next] - lengths[next - 1]
        let part = length > 0 ? min(1, (distance - lengths[next - 1]) / length) : 0
        let (a, b) = (shape[next - 1], shape[next])
        return GeoPoint(lat: a.lat + (b.lat - a.lat) * part, lon: a.lon + (b.lon - a.lon) * part)
    }

    /// Times between those that are given, as if the bus kept its speed there.
    static func complete(_ times: [StopTime?], _ stops: [PatternStop]) -> [StopTime] {
        var complete: [StopTime] = []
        complete.reserveCapacity(times.count)
        var last = 0
        for (index, time) in times.enumerated() {
            if let time {
                last = index
                complete.append(time)
                continue
            }
            guard let next = times[index...].firstIndex(where: { $0 != nil }), let to = times[next],
                let from = times[last]
            else { continue }
            let way = stops[next].distance - stops[last].distance
            let part =
                way > 0
                ? (stops[index].distance - stops[last].distance) / way : Double(index - last) / Double(next - last)
            let second = from.departure + Int((Double(to.arrival - from.departure) * part).rounded(.down))
            complete.append(StopTime(arrival: second, departure: second))
        }
        return complete
    }
}
