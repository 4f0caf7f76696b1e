/// A line with what questions about it look through: the shapes of its patterns, and its runs in order. Each is made when the
/// first question needs it, and kept.
///
/// It has 40 bytes for each trip or frequency, 16 for each stop of a pattern of a service, 24 for each point of a shape.
/// Not Sendable: it changes as it is read.
public final class LineIndex {
    public let line: Line
    /// Of the same catalog.
    let services: [String: Service]

    public init(_ line: Line, of services: [String: Service]) {
        self.line = line
        self.services = services
    }

    /// One for each pattern; nil where it has no length.
    private(set) lazy var shapes: [LineShape?] = line.patterns.map { LineShape($0.shape) }

    private lazy var serviceRuns: [ServiceRuns] = ServiceRuns.all(of: line, services)

    /// Of the days that were asked for last.
    private var days: [ServiceDate: [ServiceRuns]] = [:]
    /// Those of a week, and of the days before and after it.
    private static let mostDays = 16

    /// The services that run on a day.
    func runs(on day: ServiceDate) -> [ServiceRuns] {
        if let known = days[day] { return known }
        let running = serviceRuns.filter { $0.service.runs(on: day) }
        if days.count >= Self.mostDays { days = [:] }
        days[day] = running
        return running
    }
}

/// The runs of a line that one service has.
struct ServiceRuns {
    let service: Service
    /// From the first departure to the last arrival, seconds of the service day; nil when nothing runs.
    private(set) var hours: ClosedRange<Int>?
    private(set) var patterns: [PatternRuns] = []

    private init(_ service: Service) { self.service = service }

    /// Of each service that is known and that the line names.
    static func all(of line: Line, _ services: [String: Service]) -> [ServiceRuns] {
        var all: [ServiceRuns] = []
        var indexes: [String: Int] = [:]
        func find(_ id: String) -> Int? {
            if let known = indexes[id] { return known }
            guard let service = services[id] else { return nil }
            all.append(ServiceRuns(service))
            indexes[id] = all.count - 1
            return all.count - 1
        }
        var trips: [Key: [Int]] = [:]
        for (number, trip) in line.trips.enumerated() {
            guard let index = find(trip.service), let first = trip.times.first, let last = trip.times.last else {
                continue
            }
            if let starts = trip.span {
                all[index].run(from: starts.lowerBound + first.departure, to: starts.upperBound + last.arrival)
            }
            guard line.patterns.indices.contains(trip.pattern) else { continue }
            trips[Key(service: index, pattern: trip.pattern), default: []].append(number)
        }
        for (key, numbers) in trips {
            guard let runs = PatternRuns(of: numbers, on: line, pattern: key.pattern) else { continue }
            all[key.service].patterns.append(runs)
        }
        for run in line.onDemand {
            guard let index = find(run.service) else { continue }
            for place in run.places where place.canBoard { all[index].run(from: place.opens, to: place.closes) }
        }
        return all
    }

    private struct Key: Hashable {
        let service: Int
        let pattern: Int
    }

    private mutating func run(from: Int, to: Int) {
        guard from <= to else { return }
        hours = hours.map { min($0.lowerBound, from)...max($0.upperBound, to) } ?? from...to
    }
}

/// The runs of one pattern that one service has, in the order in which they begin: when they leave the first stop, seconds of
/// the service day. Those of a frequency are not listed one by one, so it is no larger than the timetable.
struct PatternRuns {
    /// A trip that runs once, or one of a trip's frequencies.
    private struct Entry {
        /// Index in the line's trips.
        let trip: Int
        let begin: Int
        var headway = 1
        var count = 1
        /// When the last run of this entry or of one before it begins.
        var reach = 0

        var last: Int { begin + headway * (count - 1) }
    }

    /// Index in the line's patterns.
    let pattern: Int
    /// By `begin`.
    private let entries: [Entry]
    /// By the index of the next stop, the last for none: how many seconds after its begin a run passes a place there, the
    /// fastest and the slowest of them.
    private let offsets: [ClosedRange<Int>]

    /// trips: indexes in the line's trips, which are of this pattern and have times. Nil when none of them ever begins.
    fileprivate init?(of trips: [Int], on line: Line, pattern: Int) {
        var entries: [Entry] = []
        var offsets: [ClosedRange<Int>?] = Array(repeating: nil, count: line.patterns[pattern].stops.count + 1)
        for number in trips {
            let trip = line.trips[number]
            let begin = trip.times[0].departure
            if trip.frequencies.isEmpty { entries.append(Entry(trip: number, begin: begin)) }
            for frequency in trip.frequencies where frequency.count > 0 {
                entries.append(
                    Entry(
                        trip: number, begin: begin + frequency.startTime, headway: frequency.headwaySeconds,
                        count: frequency.count))
            }
            for stop in offsets.indices {
                let (a, b) = trip.times(before: stop < offsets.count - 1 ? stop : nil)
                let (low, high) = (min(a, b) - begin, max(a, b) - begin)
                offsets[stop] = offsets[stop].map { min($0.lowerBound, low)...max($0.upperBound, high) } ?? low...high
            }
        }
        guard !entries.isEmpty else { return nil }
        entries.sort { ($0.begin, $0.trip) < ($1.begin, $1.trip) }
        var reach = Int.min
        for index in entries.indices {
            reach = max(reach, entries[index].last)
            entries[index].reach = reach
        }
        self.pattern = pattern
        self.entries = entries
        self.offsets = offsets.compactMap { $0 }
    }

    /// When the first run begins, and the last.
    var begins: ClosedRange<Int> { entries[0].begin...entries[entries.count - 1].reach }

    /// How many seconds after their begin the runs pass a place, at least and at most.
    func offsets(at place: PlaceOfPattern) -> ClosedRange<Int> { offsets[place.next ?? offsets.count - 1] }

    /// Calls `body` with the index of the trip and the begin of each run that begins within a span.
    func visit(_ span: ClosedRange<Int>, _ body: (_ trip: Int, _ begin: Int) -> Void) {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].reach < span.lowerBound { low = middle + 1 } else { high = middle }
        }
        for entry in entries[low...] {
            guard entry.begin <= span.upperBound else { return }
            let wait = max(0, span.lowerBound - entry.begin)
            let first = (wait + entry.headway - 1) / entry.headway
            let last = min(entry.count - 1, (span.upperBound - entry.begin) / entry.headway)
            guard first <= last else { continue }
            for number in first...last { body(entry.trip, entry.begin + number * entry.headway) }
        }
    }
}

/// A place on the way of a pattern, between two of its stops.
struct PlaceOfPattern {
    /// Index of the first stop that is not before it; nil: it is behind all of them.
    let next: Int?
    /// What part of the way from the stop before to that lies before it.
    private let share: Double

    init(at distance: Double, of pattern: LinePattern) {
        let stops = pattern.stops
        next = stops.firstIndex { $0.distance >= distance }
        guard let next, next > 0 else {
            share = 1
            return
        }
        let length = stops[next].distance - stops[next - 1].distance
        share = length > 0 ? (distance - stops[next - 1].distance) / length : 1
    }

    /// When a trip of the pattern passes it: between two stops as if it drove evenly.
    func second(of trip: LineTrip) -> Int {
        let (from, to) = trip.times(before: next)
        return from + Int((share * Double(to - from)).rounded())
    }
}

extension LineTrip {
    /// When it leaves the stop before this one and comes to this one; at the first stop twice when it leaves that, behind the
    /// last (nil) twice when it comes to that.
    fileprivate func times(before stop: Int?) -> (from: Int, to: Int) {
        guard let stop, times.indices.contains(stop) else {
            let end = times.last?.arrival ?? 0
            return (end, end)
        }
        return stop > 0 ? (times[stop - 1].departure, times[stop].arrival) : (times[0].departure, times[0].departure)
    }

    /// The first and the last of its `starts`.
    fileprivate var span: ClosedRange<Int>? {
        guard !frequencies.isEmpty else { return 0...0 }
        let runs = frequencies.filter { $0.count > 0 }
        guard let first = runs.map(\.startTime).min(), let last = runs.map(\.last).max() else { return nil }
        return first...last
    }
}

extension Frequency {
    /// How many `starts` there are, and the last of them if there is one.
    fileprivate var count: Int { endTime > startTime ? (endTime - startTime - 1) / headwaySeconds + 1 : 0 }
    fileprivate var last: Int { startTime + (count - 1) * headwaySeconds }
}
