/// When a line runs, by its schedule: what a request for a stop must know of it. Times in Unix seconds.
///
/// A question looks at the runs of its time only (`LineIndex`), and at no more of them than it needs.
struct LineTimetable {
    private let index: LineIndex
    private let time: CityTime

    init(_ index: LineIndex, _ time: CityTime) {
        self.index = index
        self.time = time
    }

    /// Nothing says when the line runs.
    var isEmpty: Bool { index.line.trips.isEmpty && index.line.onDemand.isEmpty }

    /// Whether the time lies between the first departure and the last arrival of a service day: its own calendar day's, or
    /// that of the day before, which may reach beyond midnight.
    func runs(at second: Int64) -> Bool {
        let today = time.date(at: second)
        return [today, today + -1].contains { day in
            guard let hours = hours(on: day) else { return false }
            return hours.contains(Int(second - time.start(of: day)))
        }
    }

    /// From the first departure to the last arrival of a service day, in its seconds; nil when nothing runs.
    func hours(on day: ServiceDate) -> ClosedRange<Int>? {
        let hours = index.runs(on: day).compactMap(\.hours)
        guard let first = hours.map(\.lowerBound).min(), let last = hours.map(\.upperBound).max() else { return nil }
        return first...last
    }

    /// Who waits in the night waits so long for a run of the next service day, seconds, and otherwise comes again by day.
    private static let throughTheNight: Int64 = 10_800

    /// When a run that begins later than one time passes one of the places (by pattern, metres along its shape) next, but at
    /// most `early` seconds before the wanted time: on the service day of that or the day before, or on the next one within
    /// three hours, as a line that runs through the night goes on with that day's.
    func next(
        passing places: [String: [Double]], startingAfter now: Int64, about wanted: Int64, early: Int64
    ) -> Int64? {
        let earliest = wanted - early
        let places = self.places(places)
        let soon = first(of: places, on: days(from: earliest, to: wanted), from: earliest, beginningAfter: now)
        let (tomorrow, end) = (time.date(at: wanted) + 1, wanted + Self.throughTheNight)
        guard time.start(of: tomorrow) <= end else { return soon }
        let later = first(of: places, on: [tomorrow], from: earliest, to: min(end, soon ?? end), beginningAfter: now)
        return later ?? soon
    }

    /// When the first run passes one of the places from a time on, on its service day or a later one.
    func first(passing places: [String: [Double]], from earliest: Int64, to latest: Int64) -> Int64? {
        let places = self.places(places)
        var day = time.date(at: earliest) + -1
        while time.start(of: day) <= latest {
            if let found = first(of: places, on: [day], from: earliest) { return found <= latest ? found : nil }
            day = day + 1
        }
        return nil
    }

    /// A scheduled run that passes a place.
    struct Passing: Equatable {
        /// A trip's id, what its times count from, and the index of its pattern.
        var trip: String
        var base: Int64
        var pattern: Int
        /// When it leaves its first stop, and when it passes the place.
        var begin: Int64
        var second: Int64
        /// Which of the pattern's passes of the place this is, from 0.
        var pass = 0
        /// Its service day, and the index of its trip.
        fileprivate var day: ServiceDate
        fileprivate var number: Int

        /// As the timetable has them.
        fileprivate static func isListedBefore(_ a: Passing, _ b: Passing) -> Bool {
            (a.day, a.number, a.pass, a.base) < (b.day, b.number, b.pass, b.base)
        }

        /// By when they pass, and those of one second by their trips' ids.
        fileprivate static func isBefore(_ a: Passing, _ b: Passing) -> Bool {
            if a.second != b.second { return a.second < b.second }
            return a.trip == b.trip ? isListedBefore(a, b) : a.trip < b.trip
        }
    }

    /// The runs that pass one of the places (by pattern, metres along its shape) within a span of time, as the timetable has
    /// them.
    func runs(passing places: [String: [Double]], from earliest: Int64, to latest: Int64) -> [Passing] {
        var found: [Passing] = []
        let days = days(from: earliest, to: latest)
        for source in sources(self.places(places), on: days, from: earliest, to: latest) {
            collect(source, from: earliest, to: latest, beginningAfter: nil, &found)
        }
        return found.sorted(by: Passing.isListedBefore)
    }

    /// The same by time, those of one second by their trips' ids, for as long as `body` wants more.
    func visit(
        passing places: [String: [Double]], from earliest: Int64, to latest: Int64, _ body: (Passing) -> Bool
    ) {
        search(self.places(places), on: days(from: earliest, to: latest), from: earliest, to: latest, body)
    }

    // MARK: looking for them

    /// The service days of a span of time, and the one before: shortly after midnight its runs are under way.
    private func days(from earliest: Int64, to latest: Int64) -> [ServiceDate] {
        let first = time.date(at: earliest) + -1
        return (0...(time.date(at: latest).days - first.days)).map { first + $0 }
    }

    /// By the index of the pattern.
    private func places(_ places: [String: [Double]]) -> [[PlaceOfPattern]] {
        index.line.patterns.map { pattern in
            (places[pattern.id] ?? []).map { PlaceOfPattern(at: $0, of: pattern) }
        }
    }

    /// The runs of a pattern on a service day, and one of the places that they pass.
    private struct Source {
        let runs: PatternRuns
        let day: ServiceDate
        let midnight: Int64
        let pass: Int
        let place: PlaceOfPattern
        /// How many seconds after their begin they pass it, at least and at most.
        let offsets: ClosedRange<Int>
        /// Between which times all of them pass it.
        let span: ClosedRange<Int64>
    }

    /// Those of which a run may pass within a span of time.
    private func sources(
        _ places: [[PlaceOfPattern]], on days: [ServiceDate], from earliest: Int64, to latest: Int64
    ) -> [Source] {
        var sources: [Source] = []
        for day in days {
            let midnight = time.start(of: day)
            for runs in index.runs(on: day).lazy.flatMap(\.patterns) {
                for (pass, place) in places[runs.pattern].enumerated() {
                    let (begins, offsets) = (runs.begins, runs.offsets(at: place))
                    let first = midnight + Int64(begins.lowerBound + offsets.lowerBound)
                    let last = midnight + Int64(begins.upperBound + offsets.upperBound)
                    guard first <= latest, last >= earliest else { continue }
                    sources.append(
                        Source(
                            runs: runs, day: day, midnight: midnight, pass: pass, place: place, offsets: offsets,
                            span: first...last))
                }
            }
        }
        return sources
    }

    /// So much of a search is looked through first, seconds, and twice as much each time that it was not enough.
    private static let firstStep: Int64 = 900

    /// Calls `body` with the runs that pass one of the places within a span of time, by time, until it answers false.
    private func search(
        _ places: [[PlaceOfPattern]], on days: [ServiceDate], from earliest: Int64, to latest: Int64 = .max,
        beginningAfter now: Int64? = nil, _ body: (Passing) -> Bool
    ) {
        let sources = sources(places, on: days, from: earliest, to: latest)
        guard let first = sources.map(\.span.lowerBound).min(), let last = sources.map(\.span.upperBound).max() else {
            return
        }
        var (from, step) = (max(earliest, first), Self.firstStep)
        let end = min(latest, last)
        while from <= end {
            let to = min(end, from + step - 1)
            var found: [Passing] = []
            for source in sources { collect(source, from: from, to: to, beginningAfter: now, &found) }
            found.sort(by: Passing.isBefore)
            for passing in found {
                guard body(passing) else { return }
            }
            (from, step) = (to + 1, step * 2)
        }
    }

    /// When the first of them passes.
    private func first(
        of places: [[PlaceOfPattern]], on days: [ServiceDate], from earliest: Int64, to latest: Int64 = .max,
        beginningAfter now: Int64? = nil
    ) -> Int64? {
        var found: Int64?
        search(places, on: days, from: earliest, to: latest, beginningAfter: now) {
            found = $0.second
            return false
        }
        return found
    }

    private func collect(
        _ source: Source, from: Int64, to: Int64, beginningAfter now: Int64?, _ found: inout [Passing]
    ) {
        let (midnight, offsets) = (source.midnight, source.offsets)
        let earliest = max(from - Int64(offsets.upperBound), now.map { $0 + 1 } ?? .min)
        let latest = to - Int64(offsets.lowerBound)
        guard earliest <= latest else { return }
        source.runs.visit(Int(earliest - midnight)...Int(latest - midnight)) { number, begin in
            let trip = index.line.trips[number]
            let base = midnight + Int64(begin - trip.times[0].departure)
            let second = base + Int64(source.place.second(of: trip))
            guard from <= second, second <= to else { return }
            found.append(
                Passing(
                    trip: trip.id, base: base, pattern: source.runs.pattern, begin: midnight + Int64(begin),
                    second: second, pass: source.pass, day: source.day, number: number))
        }
    }
}
