/// Where and when a line can stop for somebody. Pure: the catalog and the times are given.
///
/// Which of the line's buses can still stop there is decided where it is known where they are (stop.lua), by the distances
/// along their shapes that are found here.
public struct StopRequestPlan: Equatable, Sendable {
    /// What the settings say.
    public struct Rules: Sendable {
        /// A place may be so far from the line's way, metres.
        public var offRoute = 300.0
        /// Seconds of the day between which requests are taken; nil: as the line's schedule has it.
        public var hours: ClosedRange<Int>?
        /// A pickup later than this is not on the bus's present round, ms.
        public var roundMs: Int64 = 3_600_000
        /// A bus this much before the wanted time still is the one that is meant, seconds …
        public var earlySeconds: Int64 = 900
        /// … and one this much after it, ms.
        public var laterMs: Int64 = 1_800_000
        /// How far ahead a request may be, ms.
        public var maxAheadMs: Int64 = 604_800_000

        public init() {}
    }

    public enum Refusal: Error, Equatable, Sendable {
        /// Metres to the line's way.
        case offRoute(Double)
        /// Seconds of the day; nil: the line does not run on that day. `next`: when a run passes the place next, Unix seconds,
        /// as far as the timetable says.
        case outsideHours(ClosedRange<Int>?, next: Int64? = nil)
        case past
        case tooFarAhead
        /// The line does not come by this stop.
        case notServed(String)
        /// Of a line that is driven on request: the place is in none of its areas.
        case outsideArea
        /// It had to be asked for by then, Unix seconds; or can be only from then on.
        case bookedTooLate(until: Int64)
        case bookedTooEarly(from: Int64)
    }

    public enum Place: Equatable, Sendable {
        case stop(Stop)
        case point(GeoPoint)

        var point: GeoPoint {
            switch self {
            case .stop(let stop): stop.point
            case .point(let point): point
            }
        }
    }

    /// A run of the timetable that passes the place about the wanted time.
    public struct Run: Equatable, Sendable {
        /// A trip's id, and what its times count from, Unix seconds.
        public var trip: String
        public var base: Int64
        /// When it passes, Unix ms, and which of its pattern's passes that is, from 0.
        public var at: Int64
        public var pass: Int
    }

    public var point: GeoPoint
    /// For when it is, Unix ms: as was asked for; before the first run of a day, when that passes.
    public var at: Int64
    /// Whether it was asked for before the first run of a day, and is for that.
    public var isFirst = false
    /// By pattern id: the distances along its shape at which it passes the place, rising. A loop may pass it twice.
    public var passes: [String: [Double]] = [:]
    /// Likewise the index of the first of the pattern's stops behind each pass; none for a stop of the line, where the bus
    /// stops anyway.
    public var nextStops: [String: [Int]] = [:]
    /// Whether the line passes it again for this time, should the bus have gone by on its present round; and when, Unix ms, if
    /// a schedule says so.
    public var comesAgain = false
    public var comesAgainAt: Int64?
    /// The runs that may be meant, the nearest in time first: for `at`, and for `comesAgainAt`. Nil without a timetable.
    public var runs: [Run]?
    public var laterRuns: [Run]?
    /// The place is on no way of the line, and is fetched from all the same: any bus of the line can.
    public var isOnDemand = false

    /// `at` and `now` in Unix ms, `at` nil for as soon as possible.
    public init(
        _ place: Place, at: Int64?, now: Int64, on index: LineIndex, time: CityTime, rules: Rules
    ) throws(Refusal) {
        let line = index.line
        point = place.point
        self.at = max(at ?? now, now)
        guard at ?? now >= now - 60_000 else { throw .past }
        guard self.at - now <= rules.maxAheadMs else { throw .tooFarAhead }
        let onItsWay: Refusal
        do throws(Refusal) {
            try plan(place, isNamed: at != nil, now: now, on: index, time: time, rules: rules)
            return
        } catch {
            onItsWay = error
        }
        guard !line.onDemand.isEmpty else { throw onItsWay }
        do throws(Refusal) {
            try OnDemandPlan.check(
                place, at: self.at / 1000, now: now / 1000, on: line, services: index.services, time: time)
            if let hours = rules.hours { try Self.check(hours, self.at / 1000, time) }
        } catch {
            throw error == .outsideArea && !line.patterns.isEmpty ? onItsWay : error
        }
        passes = [:]
        nextStops = [:]
        isOnDemand = true
    }

    /// On the way of the line.
    private mutating func plan(
        _ place: Place, isNamed: Bool, now: Int64, on index: LineIndex, time: CityTime, rules: Rules
    ) throws(Refusal) {
        passes = try Self.passes(of: place, on: index, within: rules.offRoute)
        if case .point = place {
            for pattern in index.line.patterns {
                nextStops[pattern.id] = passes[pattern.id]?.map { pass in
                    pattern.stops.firstIndex { $0.distance > pass } ?? pattern.stops.count
                }
            }
        }
        let timetable = LineTimetable(index, time)
        try keepHours(timetable, now: now, isNamed: isNamed, time, rules)
        comesAgainAt = timetable.next(
            passing: passes, startingAfter: now / 1000, about: at / 1000, early: rules.earlySeconds
        ).map { $0 * 1000 }
        comesAgain = timetable.isEmpty ? at - now > rules.roundMs : comesAgainAt != nil
        guard !timetable.isEmpty else { return }
        runs = runs(about: at, timetable, rules)
        laterRuns = comesAgainAt.map { $0 - at > rules.laterMs ? runs(about: $0, timetable, rules) : runs ?? [] }
    }

    /// More may be meant on no line that is worth being asked.
    private static let mostRuns = 16

    private func runs(about at: Int64, _ timetable: LineTimetable, _ rules: Rules) -> [Run] {
        timetable.runs(passing: passes, from: at / 1000 - rules.earlySeconds, to: (at + rules.laterMs) / 1000)
            .map { Run(trip: $0.trip, base: $0.base, at: $0.second * 1000, pass: $0.pass) }
            .sorted { (abs($0.at - at), $0.trip, $0.pass) < (abs($1.at - at), $1.trip, $1.pass) }
            .prefix(Self.mostRuns).map { $0 }
    }

    /// Passes of a place whose distances from it differ by less are as good as each other, metres.
    private static let alike = 50.0

    /// By pattern id the distances along its shape at which the line passes a place, rising; a stop only where it is one of
    /// the pattern's, a point within so many metres. Throws `notServed` or `offRoute`.
    public static func passes(
        of place: Place, on index: LineIndex, within reach: Double
    ) throws(Refusal) -> [String: [Double]] {
        var passes: [String: [Double]] = [:]
        var nearest = Double.infinity
        for (number, pattern) in index.line.patterns.enumerated() {
            var found: [Double] = []
            switch place {
            case .stop(let stop): found = pattern.stops.filter { $0.stop == stop.id }.map(\.distance)
            case .point(let point):
                // All, as the nearest place of the way is one of them: so each segment is looked at once.
                let all = index.shapes[number]?.matches(of: point, within: .infinity) ?? []
                guard let best = all.map(\.offset).min() else { continue }
                nearest = min(nearest, best)
                // Another street of a loop may be within reach, too: nobody walks to the farther one.
                found = all.filter { $0.offset <= min(reach, best + alike) }.map(\.distance)
            }
            if !found.isEmpty { passes[pattern.id] = found }
        }
        if passes.isEmpty {
            switch place {
            case .stop(let stop): throw .notServed(stop.id)
            case .point: throw .offRoute(nearest)
            }
        }
        return passes
    }

    /// Before the first run of a day it is for that: of who names no time if it is the next that comes, within the time of a
    /// round; of who names one if the bus comes soon after it.
    private mutating func keepHours(
        _ timetable: LineTimetable, now: Int64, isNamed: Bool, _ time: CityTime, _ rules: Rules
    ) throws(Refusal) {
        let second = at / 1000
        if let hours = rules.hours { return try Self.check(hours, second, time) }
        guard !timetable.isEmpty, !timetable.runs(at: second) else { return }
        let hours = timetable.hours(on: time.date(at: second))
        let next = timetable.first(passing: passes, from: second, to: (now + rules.maxAheadMs) / 1000)
        let longest = isNamed ? rules.laterMs : rules.roundMs
        guard let next, next * 1000 - at <= longest else { throw .outsideHours(hours, next: next) }
        at = next * 1000
        isFirst = true
    }

    private static func check(_ hours: ClosedRange<Int>, _ at: Int64, _ time: CityTime) throws(Refusal) {
        let second = Int(at - time.start(of: time.date(at: at)))
        guard hours.contains(second) else { throw .outsideHours(hours) }
    }
}
