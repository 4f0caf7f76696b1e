/// When a line runs, by its schedule: what a request for a stop must know of it. Times in Unix seconds.
struct LineTimetable {
    private let line: Line
    private let services: [String: Service]
    private let time: CityTime

    init(_ line: Line, _ services: [String: Service], _ time: CityTime) {
        self.line = line
        self.services = services
        self.time = time
    }

    /// Nothing says when the line runs.
    var isEmpty: Bool { line.trips.isEmpty && line.onDemand.isEmpty }

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
        var hours: ClosedRange<Int>?
        func add(_ from: Int, _ to: Int) {
            guard from <= to else { return }
            hours = hours.map { min($0.lowerBound, from)...max($0.upperBound, to) } ?? from...to
        }
        for trip in line.trips where runs(trip.service, on: day) {
            guard let first = trip.times.first, let last = trip.times.last else { continue }
            let starts = trip.starts
            guard let start = starts.first, let end = starts.last else { continue }
            add(start + first.departure, end + last.arrival)
        }
        for run in line.onDemand where runs(run.service, on: day) {
            for place in run.places where place.canBoard { add(place.opens, place.closes) }
        }
        return hours
    }

    /// Whether a run that begins later than one time passes one of the places (by pattern, metres along its shape) not
    /// before the other, on the service day of that or the day before.
    func passes(_ places: [String: [Double]], startingAfter now: Int64, passingFrom earliest: Int64) -> Bool {
        let today = time.date(at: earliest)
        for day in [today + -1, today] {
            let midnight = time.start(of: day)
            for trip in line.trips where runs(trip.service, on: day) {
                guard line.patterns.indices.contains(trip.pattern), let first = trip.times.first else { continue }
                let pattern = line.patterns[trip.pattern]
                for distance in places[pattern.id] ?? [] {
                    let passing = trip.second(at: distance, of: pattern)
                    let isLater = trip.starts.contains {
                        midnight + Int64($0 + first.departure) > now && midnight + Int64($0 + passing) >= earliest
                    }
                    if isLater { return true }
                }
            }
        }
        return false
    }

    /// A scheduled run that passes a place.
    struct Passing: Equatable {
        /// A trip's id, what its times count from, and the index of its pattern.
        var trip: String
        var base: Int64
        var pattern: Int
        var second: Int64
    }

    /// The runs that pass one of the places (by pattern, metres along its shape) within a span of time, of the service days
    /// that touch it.
    func runs(passing places: [String: [Double]], from earliest: Int64, to latest: Int64) -> [Passing] {
        var found: [Passing] = []
        let first = time.date(at: earliest) + -1
        for day in (0...(time.date(at: latest).days - first.days)).map({ first + $0 }) {
            let midnight = time.start(of: day)
            for trip in line.trips where runs(trip.service, on: day) {
                guard line.patterns.indices.contains(trip.pattern) else { continue }
                let pattern = line.patterns[trip.pattern]
                for distance in places[pattern.id] ?? [] {
                    let passing = Int64(trip.second(at: distance, of: pattern))
                    for start in trip.starts {
                        let base = midnight + Int64(start)
                        guard (earliest...latest).contains(base + passing) else { continue }
                        found.append(
                            Passing(trip: trip.id, base: base, pattern: trip.pattern, second: base + passing))
                    }
                }
            }
        }
        return found
    }

    private func runs(_ service: String, on day: ServiceDate) -> Bool { services[service]?.runs(on: day) ?? false }
}

extension LineTrip {
    /// When it passes a distance along the shape: between two stops as if it drove evenly.
    fileprivate func second(at distance: Double, of pattern: LinePattern) -> Int {
        let stops = pattern.stops
        guard let next = stops.firstIndex(where: { $0.distance >= distance }), times.indices.contains(next) else {
            return times.last?.arrival ?? 0
        }
        guard next > 0 else { return times[0].departure }
        let length = stops[next].distance - stops[next - 1].distance
        let share = length > 0 ? (distance - stops[next - 1].distance) / length : 1
        let from = times[next - 1].departure
        return from + Int((share * Double(times[next].arrival - from)).rounded())
    }
}
