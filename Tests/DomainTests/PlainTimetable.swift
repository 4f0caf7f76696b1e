import Domain

/// `LineTimetable` as it is easiest to read: each question goes through all trips. What that answers is held against it.
struct PlainTimetable {
    private let line: Line
    private let services: [String: Service]
    private let time: CityTime

    init(_ line: Line, _ services: [String: Service], _ time: CityTime) {
        self.line = line
        self.services = services
        self.time = time
    }

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

    /// When a run that begins later than one time passes one of the places (by pattern, metres along its shape) next, but at
    /// most `early` seconds before the wanted time: on the service day of that or the day before, or on the next one within
    /// three hours.
    func next(
        passing places: [String: [Double]], startingAfter now: Int64, about wanted: Int64, early: Int64
    ) -> Int64? {
        let earliest = wanted - early
        // Shortly after midnight that is the day before.
        let first = time.date(at: earliest) + -1
        let days = (0...(time.date(at: wanted).days - first.days)).map { first + $0 }
        let tomorrow = runs(passing: places, on: [time.date(at: wanted) + 1]).filter { $0.second <= wanted + 10_800 }
        return (runs(passing: places, on: days) + tomorrow)
            .filter { $0.begin > now && $0.second >= earliest }.map(\.second).min()
    }

    /// When the first run passes one of the places from a time on, on its service day or a later one.
    func first(passing places: [String: [Double]], from earliest: Int64, to latest: Int64) -> Int64? {
        var day = time.date(at: earliest) + -1
        while time.start(of: day) <= latest {
            let found = runs(passing: places, on: [day]).map(\.second).filter { $0 >= earliest }.min()
            if let found { return found <= latest ? found : nil }
            day = day + 1
        }
        return nil
    }

    /// A scheduled run that passes a place.
    struct Passing: Equatable {
        var trip: String
        var base: Int64
        var pattern: Int
        var begin: Int64
        var second: Int64
        var pass = 0
    }

    /// The runs that pass one of the places (by pattern, metres along its shape) within a span of time.
    func runs(passing places: [String: [Double]], from earliest: Int64, to latest: Int64) -> [Passing] {
        let first = time.date(at: earliest) + -1
        let days = (0...(time.date(at: latest).days - first.days)).map { first + $0 }
        return runs(passing: places, on: days).filter { (earliest...latest).contains($0.second) }
    }

    /// Likewise of some service days.
    private func runs(passing places: [String: [Double]], on days: [ServiceDate]) -> [Passing] {
        var found: [Passing] = []
        for day in days {
            let midnight = time.start(of: day)
            for trip in line.trips where runs(trip.service, on: day) {
                guard line.patterns.indices.contains(trip.pattern), let first = trip.times.first else { continue }
                let pattern = line.patterns[trip.pattern]
                for (pass, distance) in (places[pattern.id] ?? []).enumerated() {
                    let passing = trip.second(at: distance, of: pattern)
                    for start in trip.starts {
                        let base = midnight + Int64(start)
                        found.append(
                            Passing(
                                trip: trip.id, base: base, pattern: trip.pattern,
                                begin: base + Int64(first.departure), second: base + Int64(passing), pass: pass))
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
