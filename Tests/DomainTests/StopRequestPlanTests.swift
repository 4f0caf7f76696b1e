import Domain
import Testing

/// Where and when a line can stop: places on its way, its working hours, its rounds.
@Suite struct StopRequestPlanTests {
    /// Friday 2026-11-20, 00:00 UTC, s.
    private static let midnight: Int64 = 1_795_132_800
    private static let origin = GeoPoint(lat: 46, lon: 10)

    private static func point(east: Double, north: Double = 0) -> GeoPoint {
        LocalFrame(origin: origin).point(PlanePoint(x: east, y: north))
    }

    /// Out and back on the same street: 0 m, 2,000 m, and 4,000 m where it began. One trip at 8:00, one at 10:00 on Fridays.
    private static let line: Line = {
        let pattern = LinePattern(
            id: "loop", shape: [point(east: 0), point(east: 1000), point(east: 2000), point(east: 0)],
            stops: [
                PatternStop(stop: "a", distance: 0), PatternStop(stop: "b", distance: 2000),
                PatternStop(stop: "a", distance: 4000),
            ])
        func trip(_ id: String, _ hour: Int) -> LineTrip {
            LineTrip(
                id: id, pattern: 0, service: "friday",
                times: [0, 600, 1200].map { StopTime(arrival: hour * 3600 + $0, departure: hour * 3600 + $0) })
        }
        return Line(id: "L", name: "L", patterns: [pattern], trips: [trip("t8", 8), trip("t10", 10)])
    }()

    private static let catalog = Catalog(
        lines: ["L": line],
        stops: [
            "a": Stop(id: "a", name: "A", point: point(east: 0)),
            "b": Stop(id: "b", name: "B", point: point(east: 2000)),
            "c": Stop(id: "c", name: "C", point: point(east: 9000)),
        ],
        services: [
            "friday": Service(
                weekdays: 1 << 4, start: ServiceDate(days: 20_000), end: ServiceDate(days: 30_000))
        ])

    private func plan(
        _ place: StopRequestPlan.Place, at hour: Double?, now: Double, line: Line = line,
        _ change: (inout StopRequestPlan.Rules) -> Void = { _ in }
    ) throws -> StopRequestPlan {
        var rules = StopRequestPlan.Rules()
        change(&rules)
        func time(_ hour: Double) -> Int64 { (Self.midnight + Int64(hour * 3600)) * 1000 }
        return try StopRequestPlan(
            place, at: hour.map(time), now: time(now), on: LineIndex(line, of: Self.catalog.services), time: .utc,
            rules: rules)
    }

    private func stop(_ id: String) throws -> StopRequestPlan.Place { .stop(try #require(Self.catalog.stops[id])) }

    @Test("C52: a street that is driven out and back is passed twice, a stop as often as the pattern has it")
    func passes() throws {
        let found = try plan(.point(Self.point(east: 700, north: 40)), at: 8.1, now: 8).passes["loop"] ?? []
        #expect(found.map { ($0 / 10).rounded() * 10 } == [700, 3300])
        #expect(try plan(stop("a"), at: 8.1, now: 8).passes == ["loop": [0, 4000]])
    }

    @Test("B7: too far from the route, by how much")
    func offRoute() throws {
        #expect(throws: StopRequestPlan.Refusal.notServed("c")) { try plan(stop("c"), at: 8.1, now: 8) }
        do {
            _ = try plan(.point(Self.point(east: 700, north: 310)), at: 8.1, now: 8)
            Issue.record("310 m are too far")
        } catch StopRequestPlan.Refusal.offRoute(let metres) {
            #expect(abs(metres - 310) < 1)
        }
        _ = try plan(.point(Self.point(east: 700, north: 310)), at: 8.1, now: 8) { $0.offRoute = 400 }
    }

    @Test("B14: outside working hours: of the schedule on that day, or of the setting")
    func hours() throws {
        let place = try stop("b")
        func hours(_ next: Double?, _ hours: ClosedRange<Int>? = 8 * 3600...10 * 3600 + 1200) -> StopRequestPlan.Refusal
        {
            .outsideHours(hours, next: next.map { Self.midnight + Int64(($0 * 3600).rounded()) })
        }
        let (today, friday) = (8 + 1 / 6.0, 7 * 24 + 8 + 1 / 6.0)
        #expect(throws: hours(today)) { try plan(place, at: 7.6, now: 7) }
        #expect(throws: hours(nil)) { try plan(place, at: 10.4, now: 7) }
        #expect(throws: hours(friday)) { try plan(place, at: 10.4, now: 9) }
        #expect(throws: hours(friday, nil)) { try plan(place, at: 24 + 9, now: 9) }
        _ = try plan(place, at: 9, now: 7)
        _ = try plan(place, at: 6.5, now: 6) { $0.hours = 6 * 3600...22 * 3600 }
        #expect(throws: StopRequestPlan.Refusal.outsideHours(6 * 3600...22 * 3600)) {
            try plan(place, at: 22.1, now: 6) { $0.hours = 6 * 3600...22 * 3600 }
        }
    }

    @Test("B14: before the first run of a day it is for that: of who names a time shortly before it, or none")
    func first() throws {
        let passing = (Self.midnight + 8 * 3600 + 600) * 1000
        for found in [try plan(stop("b"), at: 7.7, now: 5), try plan(stop("b"), at: nil, now: 7.2)] {
            #expect(found.isFirst && found.at == passing && found.comesAgainAt == passing)
            #expect(found.runs?.map(\.trip) == ["t8"])
        }
        let hours = StopRequestPlan.Refusal.outsideHours(8 * 3600...10 * 3600 + 1200, next: passing / 1000)
        #expect(throws: hours) { try plan(stop("b"), at: nil, now: 7.1) }
        let later = try plan(stop("b"), at: nil, now: 8.1)
        #expect(!later.isFirst && later.at == Self.midnight * 1000 + 29_160_000)
    }

    @Test("B14: the runs that may be meant, the nearest first; a loop's passes are told apart")
    func runs() throws {
        let midnight = Self.midnight
        let run = try #require(plan(stop("b"), at: 9.9, now: 9).runs?.first)
        #expect(run.trip == "t10" && run.base == midnight && run.at == (midnight + 36_600) * 1000 && run.pass == 0)
        #expect(try plan(stop("b"), at: 9.3, now: 9).runs == [])
        #expect(try plan(stop("a"), at: 10.3, now: 9).runs?.map(\.pass) == [1])
        #expect(try plan(stop("a"), at: 10.05, now: 9).runs?.map(\.pass) == [0, 1])
        let next = try plan(stop("b"), at: 8.2, now: 8.1)
        #expect(next.runs?.map(\.trip) == ["t8"] && next.laterRuns?.map(\.trip) == ["t10"])
        var unscheduled = Self.line
        unscheduled.trips = []
        #expect(try plan(stop("b"), at: 9, now: 8.5, line: unscheduled).runs == nil)
    }

    @Test("B14: a line that runs beyond midnight takes requests then")
    func night() throws {
        var line = Self.line
        line.trips[1].times = [23, 24, 25].map { StopTime(arrival: $0 * 3600, departure: $0 * 3600) }
        _ = try plan(stop("b"), at: 24.9, now: 23, line: line)
        #expect(throws: (any Error).self) { try plan(stop("b"), at: 25.1, now: 23, line: line) }
    }

    @Test("B8: the line comes by again as long as a later run passes the place")
    func rounds() throws {
        let place = try stop("b")
        #expect(try plan(place, at: 8.2, now: 8.1).comesAgain, "at 10:10")
        let again = try #require(plan(stop("b"), at: 8.2, now: 8.1).comesAgainAt)
        #expect(again == (Self.midnight + 10 * 3600 + 600) * 1000)
        #expect(try plan(place, at: 10.3, now: 8.1).comesAgain, "10:10 is near enough to 10:18")
        #expect(try !plan(place, at: 10.2, now: 10.1).comesAgain, "the last run is on its way")
        var unscheduled = Self.line
        unscheduled.trips = []
        #expect(try !plan(place, at: 9, now: 8.5, line: unscheduled).comesAgain)
        #expect(try plan(place, at: 10, now: 8.5, line: unscheduled).comesAgain)
    }

    @Test("B8: the line comes by again shortly after midnight, too")
    func roundsAfterMidnight() throws {
        func trip(_ hour: Int) -> LineTrip {
            LineTrip(
                id: "t\(hour)", pattern: 0, service: "friday",
                times: [0, 600, 1200].map { StopTime(arrival: hour * 3600 + $0, departure: hour * 3600 + $0) })
        }
        let hourly = Line(id: "L", name: "L", patterns: Self.line.patterns, trips: (0..<24).map(trip))
        for now in [0.1, 0.2, 0.24, 0.26, 3] {
            let found = try plan(stop("b"), at: now, now: now, line: hourly)
            #expect(found.comesAgainAt == (Self.midnight + (Int64(now) + 1) * 3600 + 600) * 1000, "at \(now) h")
        }
        // Asked for the evening before, for the first that passes after midnight.
        let found = try plan(stop("b"), at: 0.1, now: -0.5, line: hourly)
        #expect(found.comesAgainAt == (Self.midnight + 600) * 1000)
    }

    @Test("B8: runs by frequency are rounds of their own")
    func frequencies() throws {
        var line = Self.line
        line.trips = [line.trips[0]]
        line.trips[0].times = [0, 600, 1200].map { StopTime(arrival: $0, departure: $0) }
        line.trips[0].frequencies = [
            Frequency(headwaySeconds: 1800, startTime: 8 * 3600, endTime: 9 * 3600, isExact: true)
        ]
        #expect(try plan(stop("b"), at: 8.3, now: 8.2, line: line).comesAgain)
        #expect(try !plan(stop("b"), at: 8.8, now: 8.6, line: line).comesAgain)
        _ = try plan(stop("b"), at: 8.8, now: 8.6, line: line)
    }

    @Test("B7: not in the past, not too far ahead")
    func times() throws {
        #expect(throws: StopRequestPlan.Refusal.past) { try plan(stop("b"), at: 8, now: 8.1) }
        #expect(throws: StopRequestPlan.Refusal.tooFarAhead) { try plan(stop("b"), at: 8 + 24 * 8, now: 8) }
    }
}
