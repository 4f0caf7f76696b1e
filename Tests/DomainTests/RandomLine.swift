import Domain

/// A line with a timetable in which all is found that a timetable may have: several services with exceptions and one that is not
/// known, trips past midnight, frequencies that overlap or are empty, trips that lack times, runs on request.
struct RandomLine {
    let line: Line
    let services: [String: Service]

    /// today: about which its services begin, end and have their exceptions.
    init(about today: ServiceDate, _ random: inout Random) {
        var services: [String: Service] = [:]
        for number in 0..<4 {
            func days(_ most: Int) -> Set<ServiceDate> {
                Set(
                    (0..<Int.random(in: 0...most, using: &random)).map { _ in
                        today + Int.random(in: -4...9, using: &random)
                    })
            }
            services["s\(number)"] = Service(
                weekdays: UInt8.random(in: 0...127, using: &random),
                start: today + Int.random(in: -300...3, using: &random),
                end: today + Int.random(in: -1...300, using: &random), added: days(3), removed: days(3))
        }
        self.services = services
        let patterns = (0..<Int.random(in: 1...4, using: &random)).map { Self.pattern("p\($0)", &random) }
        var trips = (0..<Int.random(in: 0...40, using: &random)).map { Self.trip($0, patterns, &random) }
        trips.shuffle(using: &random)
        let onDemand = (0..<Int.random(in: 0...1, using: &random)).map { number in
            let opens = Int.random(in: 0...90_000, using: &random)
            return OnDemandRun(
                id: "d\(number)", service: "s\(number)",
                places: [
                    OnDemandPlace(opens: opens, closes: opens + Int.random(in: -600...20_000, using: &random)),
                    OnDemandPlace(opens: 0, closes: 200_000, canBoard: false),
                ])
        }
        line = Line(id: "L", name: "L", patterns: patterns, trips: trips, onDemand: onDemand)
    }

    /// By pattern id, metres: none, some, stops, before the first and behind the last; of some patterns only.
    func places(_ random: inout Random) -> [String: [Double]] {
        var places: [String: [Double]] = [:]
        for pattern in line.patterns where Int.random(in: 0..<5, using: &random) > 0 {
            places[pattern.id] = (0..<Int.random(in: 0...3, using: &random)).map { _ in
                Bool.random(using: &random)
                    ? pattern.stops.randomElement(using: &random)?.distance ?? 0 : random.within(-100, 6000)
            }.sorted()
        }
        return places
    }

    private static func pattern(_ id: String, _ random: inout Random) -> LinePattern {
        var distance = 0.0
        let stops = (0..<Int.random(in: 2...6, using: &random)).map { number in
            // Two stops may be at one place.
            if number > 0 { distance += max(0, random.within(-300, 1500)) }
            return PatternStop(stop: "\(id)-\(number)", distance: distance)
        }
        let frame = LocalFrame(origin: GeoPoint(lat: 46, lon: 10))
        let shape = (0..<Int.random(in: 0...12, using: &random)).map { _ in
            frame.point(PlanePoint(x: random.within(-2000, 2000), y: random.within(-2000, 2000)))
        }
        return LinePattern(id: id, shape: shape, stops: stops)
    }

    private static func trip(_ number: Int, _ patterns: [LinePattern], _ random: inout Random) -> LineTrip {
        // One in a while is of no pattern.
        let pattern = Int.random(in: 0..<20, using: &random) == 0 ? 9 : Int.random(in: patterns.indices, using: &random)
        let isFrequent = Int.random(in: 0..<5, using: &random) == 0
        // In whole quarters, so that many pass in the same second.
        var second =
            isFrequent ? Int.random(in: 0...2, using: &random) * 60 : Int.random(in: -4...124, using: &random) * 900
        var times: [StopTime] = []
        for _ in 0..<(patterns.indices.contains(pattern) ? patterns[pattern].stops.count : 3) {
            let arrival = second
            second += Int.random(in: 0...2, using: &random) * 30
            times.append(StopTime(arrival: arrival, departure: second))
            second += Int.random(in: 0...20, using: &random) * 60
        }
        if Int.random(in: 0..<12, using: &random) == 0 {
            times.removeLast(Int.random(in: 1...times.count, using: &random))
        }
        let frequencies = (0..<(isFrequent ? Int.random(in: 1...3, using: &random) : 0)).map { _ in
            let start = Int.random(in: 0...100, using: &random) * 900
            return Frequency(
                headwaySeconds: Int.random(in: 1...30, using: &random) * 60, startTime: start,
                endTime: start + Int.random(in: -1...24, using: &random) * 900, isExact: Bool.random(using: &random))
        }
        return LineTrip(
            id: "t\(number)", pattern: pattern, service: "s\(Int.random(in: 0...4, using: &random))", times: times,
            frequencies: frequencies)
    }
}
