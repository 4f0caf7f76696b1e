import Testing

@testable import Domain

@Suite("A tour on its line")
struct TourProgressTests {
    /// 4 km to the east along the equator's neighbour, with a stop each kilometre.
    private static let origin = GeoPoint(lat: 45, lon: 9)
    private static let frame = LocalFrame(origin: origin)
    private static func point(_ east: Double, north: Double = 0) -> GeoPoint {
        frame.point(PlanePoint(x: east, y: north))
    }
    private static let pattern = LinePattern(
        id: "52:0", shape: stride(from: 0.0, through: 4000, by: 200).map { point($0) },
        stops: (0...4).map { PatternStop(stop: "s\($0)", distance: Double($0) * 1000) })
    /// 100 s from stop to stop, 20 s at each.
    private static let trip = LineTrip(
        id: "t1", pattern: 0, service: "daily",
        times: (0...4).map { StopTime(arrival: $0 * 120, departure: $0 * 120 + 20) })
    private static let base: Int64 = 1_800_000_000

    private static func fix(_ east: Double, after seconds: Int, north: Double = 0) -> Fix {
        Fix(point(east, north: north), at: (base + Int64(seconds)) * 1000)
    }

    private func progress(trip: LineTrip? = trip, expected: Double? = nil) throws -> TourProgress {
        try #require(TourProgress(pattern: Self.pattern, trip: trip, base: Self.base, expected: expected))
    }

    /// Along the line at 10 m/s, a fix each 10 s; what changed of the next stop.
    private func drive(_ progress: inout TourProgress, from: Int, to: Int, at seconds: Int, north: Double = 0) -> [Int]
    {
        var next: [Int] = []
        for step in 0...((to - from) / 100) {
            let change = progress.moved(
                to: Self.fix(Double(from + step * 100), after: seconds + step * 10, north: north))
            if let index = change.next { next.append(index) }
        }
        return next
    }

    @Test("B13: it is stepped when it has left a stop, each once")
    func steps() throws {
        var progress = try progress()
        #expect(drive(&progress, from: 0, to: 3900, at: 20) == [1, 2, 3, 4])
        #expect(abs((progress.distance ?? 0) - 3900) < 5)
    }

    @Test("C51: it has not begun as long as it is at its first stop; before its time also where buses wait nearby")
    func start() throws {
        var scheduled = try progress()
        #expect(scheduled.start == 30, "nobody has seen it yet")
        for (east, seconds, expected) in [
            (0, -600, 150.0), (80, -300, 150), (60, 10, 150), (85, 25, nil), (90, 30, nil),
        ] {
            _ = scheduled.moved(to: Self.fix(Double(east), after: seconds))
            #expect(scheduled.start == expected, "\(east) m")
        }
        // Too early is on its way, too.
        var early = try progress()
        for (east, expected) in [(0, 150.0), (100, 150), (200, nil)] {
            _ = early.moved(to: Self.fix(Double(east), after: east - 600))
            #expect(early.start == expected, "\(east) m")
        }
        #expect(try progress(expected: 2000).start == nil, "it was on its way when another worker had it")
        var unscheduled = try progress(trip: nil)
        for (east, expected) in [(0, 30.0), (20, 30), (40, nil)] {
            _ = unscheduled.moved(to: Self.fix(Double(east), after: east))
            #expect(unscheduled.start == expected, "\(east) m")
        }
    }

    @Test("B16: how late each stop was left, by the times between two fixes")
    func left() throws {
        var progress = try progress()
        var left: [TourProgress.Left] = []
        for step in 0...22 {
            left += progress.moved(to: Self.fix(Double(step * 100), after: 50 + step * 10)).left
        }
        #expect(left.map(\.stop) == [0, 1, 2])
        // 30 s late at the first; it does not stand anywhere, which makes up 20 s at each.
        for (one, delay) in zip(left, [30, 10, -10]) { #expect(abs(one.delay - delay) <= 5, "\(one)") }
        // Where it was for minutes nobody saw.
        #expect(progress.moved(to: Self.fix(3500, after: 600)).left.isEmpty)
        var free = try self.progress(trip: nil)
        #expect((0...12).allSatisfy { free.moved(to: Self.fix(Double($0 * 100), after: $0 * 10)).left.isEmpty })
    }

    @Test("each stop is due when it is to be left, the last when it is reached")
    func due() throws {
        let due = try progress().due
        #expect(due == [20, 140, 260, 380, 480].map { Int(Self.base) + $0 })
        #expect(try self.progress(trip: nil).due == nil)
    }

    @Test("the delay is what the schedule says of the place")
    func delay() throws {
        var progress = try progress()
        #expect(progress.delay == nil)
        _ = progress.moved(to: Self.fix(0, after: -300))
        #expect(progress.delay == 0, "not early before it begins")
        _ = drive(&progress, from: 0, to: 500, at: 20)
        #expect(abs((progress.delay ?? 99)) <= 3)
        _ = progress.moved(to: Self.fix(600, after: 20 + 60 + 60))
        #expect((55...65).contains(progress.delay ?? 0))
        var free = try self.progress(trip: nil)
        _ = drive(&free, from: 0, to: 500, at: 20)
        #expect(free.delay == nil)
        #expect(free.arrivals(now: Self.base * 1000).count == 4, "by distance, where there is no schedule")
    }

    @Test("how long it stands at its last stop is no delay")
    func last() throws {
        var progress = try progress()
        _ = drive(&progress, from: 0, to: 4000, at: 20)
        let arrived = try #require(progress.delay)
        _ = progress.moved(to: Self.fix(4000, after: 5000))
        #expect(progress.delay == arrived)
    }

    @Test("arrivals are those of the stops to come, in order, bounds around the middle")
    func arrivals() throws {
        var progress = try progress()
        _ = drive(&progress, from: 0, to: 1500, at: 20)
        let now = (Self.base + 170) * 1000
        let arrivals = progress.arrivals(now: now)
        #expect(arrivals.map(\.stop) == [2, 3, 4])
        for (earlier, later) in zip(arrivals, arrivals.dropFirst()) {
            #expect(earlier.arrival.likely < later.arrival.likely)
        }
        for stop in arrivals {
            #expect(stop.arrival.early <= stop.arrival.likely && stop.arrival.likely <= stop.arrival.late)
            #expect(stop.arrival.early >= now)
        }
        #expect(progress.arrival(at: 1000, now: now) == nil)
        #expect(progress.arrival(at: 2500, now: now) != nil)
    }

    @Test("B6: between the places of the course the time is that of the point")
    func course() throws {
        var progress = try progress()
        #expect(progress.course(now: Self.base * 1000).isEmpty)
        _ = drive(&progress, from: 0, to: 1500, at: 20)
        let now = (Self.base + 170) * 1000
        let course = progress.course(now: now)
        #expect(course.map { $0.distance.rounded() } == [1500, 2000, 2030, 3000, 3030, 4000])
        for (a, b) in zip(course, course.dropFirst()) {
            #expect(a.distance <= b.distance && a.eta.likely <= b.eta.likely && a.eta.early <= b.eta.early)
        }
        for metres in stride(from: 1550.0, through: 3950, by: 100) {
            let point = try #require(progress.arrival(at: metres, now: now))
            let index = try #require(course.firstIndex { $0.distance >= metres })
            let (a, b) = (course[index - 1], course[index])
            let part = (metres - a.distance) / (b.distance - a.distance)
            for bound in [\ETA.early, \.likely, \.late] {
                let between =
                    Double(a.eta[keyPath: bound])
                    + Double(b.eta[keyPath: bound] - a.eta[keyPath: bound]) * part
                #expect(abs(between - Double(point[keyPath: bound])) < 5000, "at \(metres) m")
            }
        }
    }

    @Test("off its route after two fixes beyond 60 m; stops passed meanwhile were left out")
    func offRoute() throws {
        var progress = try progress()
        _ = drive(&progress, from: 0, to: 1500, at: 20)
        _ = progress.moved(to: Self.fix(1600, after: 180, north: 100))
        #expect(!progress.isOffRoute)
        _ = progress.moved(to: Self.fix(1700, after: 190, north: 100))
        #expect(progress.isOffRoute)
        _ = progress.moved(to: Self.fix(2500, after: 260, north: 300))
        let back = progress.moved(to: Self.fix(3300, after: 340))
        #expect(!progress.isOffRoute && back.next == 4 && back.skipped == [2, 3])
    }

    @Test("one bad fix is no reason to leave a stop out")
    func oneBadFix() throws {
        var progress = try progress()
        _ = drive(&progress, from: 0, to: 1900, at: 20)
        #expect(progress.moved(to: Self.fix(2000, after: 220, north: 100)) == .init())
        let back = progress.moved(to: Self.fix(2100, after: 230))
        #expect(back.next == 3 && back.skipped.isEmpty)
    }

    @Test("taken up again where it was")
    func resumed() throws {
        var progress = try progress(expected: 2480)
        let change = progress.moved(to: Self.fix(2500, after: 300))
        #expect(change.next == 3)
        #expect(abs((progress.distance ?? 0) - 2500) < 5)
    }
}

@Suite("Which run a driver begins")
struct TourPlanTests {
    private static let days = ServiceDate(year: 2026, month: 11, day: 21) ?? ServiceDate(days: 0)
    private static let always = Service(weekdays: 0x7F, start: days, end: days + 30)
    private static let never = Service(weekdays: 0, start: days, end: days + 30)

    private static func trip(_ id: String, _ pattern: Int, _ start: Int, _ service: String = "daily") -> LineTrip {
        LineTrip(
            id: id, pattern: pattern, service: service,
            times: [StopTime(arrival: start, departure: start), StopTime(arrival: start + 600, departure: start + 600)])
    }
    private static func pattern(_ id: String) -> LinePattern {
        LinePattern(
            id: id, shape: [GeoPoint(lat: 45, lon: 9), GeoPoint(lat: 45, lon: 9.1)],
            stops: [PatternStop(stop: "a", distance: 0), PatternStop(stop: "b", distance: 7000)])
    }
    private static let line = Line(
        id: "52", name: "52", patterns: [pattern("out"), pattern("back")],
        trips: [
            trip("o8", 0, 8 * 3600), trip("b9", 1, 9 * 3600), trip("o10", 0, 10 * 3600), trip("night", 1, 25 * 3600),
            trip("sunday", 0, 9 * 3600, "none"),
        ])

    private func choose(
        at seconds: Int, pattern: String? = nil, trip: String? = nil, line: Line = line
    ) throws(TourPlan.Refusal) -> TourPlan {
        try TourPlan.choose(
            on: line, pattern: pattern, trip: trip, services: ["daily": Self.always, "none": Self.never], time: .utc,
            now: Int64((Self.days + 1).days) * 86_400 + Int64(seconds))
    }
    private let midnight = Int64((days + 1).days) * 86_400

    @Test("the nearest of the schedule that runs today")
    func nearest() throws {
        #expect(try choose(at: 8 * 3600 + 300) == TourPlan(pattern: 0, trip: 0, base: midnight))
        #expect(try choose(at: 8 * 3600 + 2700) == TourPlan(pattern: 1, trip: 1, base: midnight))
        #expect(try choose(at: 8 * 3600 + 2700, pattern: "out") == TourPlan(pattern: 0, trip: 0, base: midnight))
        #expect(
            try choose(at: 3600 + 60) == TourPlan(pattern: 1, trip: 3, base: midnight - 86_400), "yesterday's night bus"
        )
    }

    @Test("far from every run it is one outside the schedule")
    func outside() throws {
        #expect(try choose(at: 18 * 3600) == TourPlan(pattern: 0, trip: nil, base: 0))
        #expect(try choose(at: 18 * 3600, pattern: "back") == TourPlan(pattern: 1, trip: nil, base: 0))
        #expect(try choose(at: 18 * 3600, trip: "o8") == TourPlan(pattern: 0, trip: 0, base: midnight), "but asked for")
        #expect(try choose(at: 18 * 3600, trip: "sunday") == TourPlan(pattern: 0, trip: 4, base: midnight))
        #expect(try choose(at: 18 * 3600, trip: "o8").start(on: Self.line) == midnight + 8 * 3600)
        #expect(try choose(at: 18 * 3600).start(on: Self.line) == nil)
    }

    @Test("of a frequency the nearest departure")
    func frequency() throws {
        var often = Self.line
        often.trips = [
            LineTrip(
                id: "f", pattern: 0, service: "daily",
                times: [StopTime(arrival: 0, departure: 0), StopTime(arrival: 600, departure: 600)],
                frequencies: [Frequency(headwaySeconds: 900, startTime: 6 * 3600, endTime: 10 * 3600, isExact: true)])
        ]
        #expect(try choose(at: 8 * 3600 + 500, line: often).base == midnight + 8 * 3600 + 900)
        #expect(try choose(at: 5 * 3600, line: often).base == midnight + 6 * 3600)
        #expect(try choose(at: 11 * 3600, line: often).base == midnight + 9 * 3600 + 2700)
    }

    @Test("B2: what there is not is refused by name")
    func refusals() throws {
        #expect(throws: TourPlan.Refusal.noPattern) { try choose(at: 0, pattern: "x") }
        #expect(throws: TourPlan.Refusal.noTrip) { try choose(at: 0, trip: "x") }
        #expect(throws: TourPlan.Refusal.notOfPattern) { try choose(at: 0, pattern: "back", trip: "o8") }
        #expect(throws: TourPlan.Refusal.nothingToDrive) { try choose(at: 0, line: Line(id: "f", name: "f")) }
    }
}
