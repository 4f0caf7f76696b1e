import ClientSupport
import Domain

/// How the taxis of a recording drove with passengers, for the taxis of a replay to drive likewise: what they are told of arrivals
/// can be judged then.
///
/// Of a recorded way it takes the part that leads from near to where a taxi is to near to where it goes, and moves, turns and
/// stretches it so that it begins and ends just there. Its speeds stay as they were. Where nobody drove so, the way is straight, at
/// the pace that is usual for the distance.
final class RecordedWays: Sendable {
    enum Leg {
        /// Any way that fits, leads there, and was driven at another time than is played: what the hub learns from passengers'
        /// rides is not what it is judged on.
        case toPickup
        /// The one that fits best: mostly the passenger's own.
        case withPassenger
    }

    /// Where a taxi was on its way; between fixes on the straight line, every 15 s.
    private struct Spot {
        var way: Int32
        var at: Int64
        var place: PlanePoint
        /// Metres since its way began.
        var driven = 0.0
    }

    private struct Cell: Hashable {
        var x: Int32
        var y: Int32

        init(_ place: PlanePoint) {
            x = Int32((place.x / RecordedWays.cellM).rounded(.down))
            y = Int32((place.y / RecordedWays.cellM).rounded(.down))
        }
    }

    private let frame: LocalFrame
    /// One way after the other.
    private let spots: [Spot]
    /// By way: it was driven in the time that is played.
    private let isPlayed: [Bool]
    /// The first spot of each stay of a way in a cell.
    private let cells: [Cell: [Int32]]
    /// By half octaves of the straight distance from 200 m on: m/s of the straight line.
    private let paces: [Double]

    private static let spotEveryMs: Int64 = 15_000
    private static let cellM = 250.0
    /// Both ends may be off by this share of the distance, and by so many metres at most.
    private static let offShare = 0.2
    private static let offM = 250.0
    /// A part may be stretched or shrunk so much.
    private static let stretch = 0.85...1.18
    /// Nobody took a taxi for less, metres.
    private static let leastM = 100.0
    /// Passengers have errands on their way, a taxi that is waited for has none: it drives this many times the straight line at most,
    /// and stands within 50 m for three minutes at most.
    private static let longestDetour = 2.0
    private static let standsM = 50.0
    private static let longestStandMs: Int64 = 180_000

    /// Of a recording without a meter there are none.
    init(_ trace: Trace, playing window: TraceWindow) {
        let ways = HiredTrips(trace).ways.sorted { $0.key < $1.key }.flatMap(\.value)
        frame = LocalFrame(origin: ways.first?.places.first?.point ?? GeoPoint(lat: 0, lon: 0))
        var spots: [Spot] = []
        var speeds: [[Double]] = []
        for (index, way) in ways.enumerated() {
            RecordedWays.add(way, Int32(index), frame, to: &spots)
            let metres = way.places[0].point.distance(to: way.places[way.places.count - 1].point)
            let octave = RecordedWays.halfOctave(metres)
            while speeds.count <= octave { speeds.append([]) }
            speeds[octave].append(metres * 1000 / Double(way.durationMs))
        }
        isPlayed = ways.map { way in
            way.places[way.places.count - 1].at >= window.startMs && way.places[0].at < window.endMs
        }
        // Distances that nobody went take the pace of shorter ones, or of the shortest that somebody went.
        let shortest = speeds.first { !$0.isEmpty } ?? []
        paces = speeds.reduce(into: []) { paces, speeds in
            paces.append(speeds.isEmpty ? paces.last ?? Self.middle(shortest) : Self.middle(speeds))
        }
        var cells: [Cell: [Int32]] = [:]
        var last: (way: Int32, cell: Cell)?
        for (index, spot) in spots.enumerated() {
            let cell = Cell(spot.place)
            if last?.way != spot.way || last?.cell != cell { cells[cell, default: []].append(Int32(index)) }
            last = (spot.way, cell)
        }
        for index in spots.indices.dropFirst() where spots[index].way == spots[index - 1].way {
            spots[index].driven = spots[index - 1].driven + (spots[index].place - spots[index - 1].place).length
        }
        self.spots = spots
        self.cells = cells
    }

    private static func add(_ way: TravelledWay, _ index: Int32, _ frame: LocalFrame, to spots: inout [Spot]) {
        var before: Spot?
        for place in way.places {
            let spot = Spot(way: index, at: place.at, place: frame.project(place.point))
            if let before {
                let parts = (spot.at - before.at + spotEveryMs - 1) / spotEveryMs
                for part in 1..<max(1, parts) {
                    let share = Double(part) / Double(parts)
                    let (from, step) = (before.place, spot.place - before.place)
                    spots.append(
                        Spot(
                            way: index, at: before.at + (spot.at - before.at) * part / parts,
                            place: PlanePoint(x: from.x + step.x * share, y: from.y + step.y * share)))
                }
            }
            spots.append(spot)
            before = spot
        }
    }

    private static func middle(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    private static func halfOctave(_ metres: Double) -> Int {
        var (octave, limit) = (0, 200 * 2.0.squareRoot())
        while metres >= limit { (octave, limit) = (octave + 1, limit * 2.0.squareRoot()) }
        return octave
    }

    /// `speed`: of who has no recording to go by, m/s.
    func way(
        from start: GeoPoint, to end: GeoPoint, _ leg: Leg, speed: Double, _ random: inout SeededRandom
    ) -> TimedWay {
        let (from, to) = (frame.project(start), frame.project(end))
        let metres = (to - from).length
        if metres >= RecordedWays.leastM, let part = part(from: from, to: to, metres, leg, &random) {
            return TimedWay(recorded: fitted(part, start, end, from, to))
        }
        let pace = paces.isEmpty ? speed : paces[min(paces.count - 1, RecordedWays.halfOctave(metres))]
        return TimedWay(path: [start, end], speed: pace)
    }

    // MARK: parts of ways

    /// The first and the last spot of a part of a way.
    private typealias Part = (first: Int, last: Int)

    private func part(
        from: PlanePoint, to: PlanePoint, _ metres: Double, _ leg: Leg, _ random: inout SeededRandom
    ) -> Part? {
        let reach = min(RecordedWays.offM, RecordedWays.offShare * metres)
        // Of places that are equally near, the last to leave and the first to come to: a taxi that stands is not on its way.
        let begins = nearest(to: from, within: reach, isLater: true)
        let ends = nearest(to: to, within: reach, isLater: false)
        var best: (part: Part, off: Double)?
        var fitting: [Part] = []
        for (way, first) in begins {
            guard let last = ends[way], spots[last.spot].at > spots[first.spot].at else { continue }
            let length = (spots[last.spot].place - spots[first.spot].place).length
            guard length > 0, RecordedWays.stretch.contains(metres / length) else { continue }
            switch leg {
            case .toPickup: if !isPlayed[Int(way)] { fitting.append((first.spot, last.spot)) }
            case .withPassenger:
                let off = first.metres + last.metres
                if off < best?.off ?? .infinity { best = ((first.spot, last.spot), off) }
            }
        }
        if let best { return best.part }
        // The order of a dictionary is another in each process.
        fitting.sort { $0.first < $1.first }
        fitting.shuffle(using: &random)
        return fitting.first(where: leadsThere)
    }

    private func leadsThere(_ part: Part) -> Bool {
        let (first, last) = (spots[part.first], spots[part.last])
        let straight = (last.place - first.place).length
        guard last.driven - first.driven <= RecordedWays.longestDetour * straight else { return false }
        var since = part.first
        for index in part.first...part.last {
            if (spots[index].place - spots[since].place).length > RecordedWays.standsM { since = index }
            if spots[index].at - spots[since].at > RecordedWays.longestStandMs { return false }
        }
        return true
    }

    /// Of each way that comes so near to a place, the spot that is nearest.
    private func nearest(
        to place: PlanePoint, within reach: Double, isLater: Bool
    ) -> [Int32: (spot: Int, metres: Double)] {
        var found: [Int32: (spot: Int, metres: Double)] = [:]
        let low = Cell(PlanePoint(x: place.x - reach, y: place.y - reach))
        let high = Cell(PlanePoint(x: place.x + reach, y: place.y + reach))
        var cell = low
        for x in low.x...high.x {
            for y in low.y...high.y {
                (cell.x, cell.y) = (x, y)
                for begin in cells[cell] ?? [] {
                    var index = Int(begin)
                    let way = spots[index].way
                    while index < spots.count, spots[index].way == way, Cell(spots[index].place) == cell {
                        let metres = (spots[index].place - place).length
                        if metres <= reach {
                            let known = found[way]?.metres ?? .infinity
                            if metres < known || (isLater && metres == known) { found[way] = (index, metres) }
                        }
                        index += 1
                    }
                }
            }
        }
        return found
    }

    /// The part as it is driven: its ends are where they must be.
    private func fitted(
        _ part: Part, _ start: GeoPoint, _ end: GeoPoint, _ from: PlanePoint, _ to: PlanePoint
    ) -> [TimedWay.Place] {
        let (first, last) = (spots[part.first], spots[part.last])
        // The quotient of complex numbers: it turns and stretches.
        let (was, goes) = (last.place - first.place, to - from)
        let squared = was.x * was.x + was.y * was.y
        let turn = PlanePoint(
            x: (goes.x * was.x + goes.y * was.y) / squared, y: (goes.y * was.x - goes.x * was.y) / squared)
        return (part.first...part.last).map { index in
            let step = spots[index].place - first.place
            let place = PlanePoint(
                x: from.x + step.x * turn.x - step.y * turn.y, y: from.y + step.x * turn.y + step.y * turn.x)
            let point = index == part.first ? start : index == part.last ? end : frame.point(place)
            return TimedWay.Place(
                point: point, afterMs: Int64(Double(spots[index].at - first.at) * turn.length))
        }
    }
}

/// It is one for all drivers of a run.
extension RecordedWays: Equatable {
    static func == (a: RecordedWays, b: RecordedWays) -> Bool { a === b }
}
