import Testing

@testable import Domain

/// Lines that are driven on request (GTFS-Flex): inside an area, within its hours, booked in time.
@Suite struct OnDemandPlanTests {
    /// Friday 2026-11-20, 00:00 UTC, s.
    private static let midnight: Int64 = 1_795_132_800

    private static func square(_ south: Double, _ west: Double, _ size: Double) -> [GeoPoint] {
        [(0, 0), (0, size), (size, size), (size, 0), (0, 0)].map { GeoPoint(lat: south + $0.0, lon: west + $0.1) }
    }

    /// From 8:00 to 18:00 on Fridays in a square with a hole, asked two hours before and at most a day; at stop `a` until 2:00
    /// in the night, asked at once; in another square the day before until 17:00, from two days before at 9:00 on.
    private static let line: Line = {
        let areas = [
            ServiceArea(id: "town", name: "Town", polygons: [[square(46, 10, 0.1), square(46.04, 10.04, 0.02)]]),
            ServiceArea(id: "hills", name: "Hills", polygons: [[square(47, 10, 0.1)], [square(48, 10, 0.1)]]),
        ]
        let rules = [
            BookingRule(id: "2h", kind: .sameDay, noticeMinutes: 120, longestNoticeMinutes: 1440),
            BookingRule(id: "now", kind: .realTime),
            BookingRule(id: "day", kind: .priorDay, lastDay: 1, lastTime: 17 * 3600, firstDay: 2, firstTime: 9 * 3600),
        ]
        let day = OnDemandRun(
            id: "day", service: "friday",
            places: [
                OnDemandPlace(area: 0, opens: 8 * 3600, closes: 18 * 3600, rule: 0),
                OnDemandPlace(area: 1, opens: 8 * 3600, closes: 18 * 3600, canBoard: false),
                OnDemandPlace(area: 1, opens: 10 * 3600, closes: 12 * 3600, rule: 2),
            ])
        let night = OnDemandRun(
            id: "night", service: "friday",
            places: [OnDemandPlace(stops: ["a"], opens: 20 * 3600, closes: 26 * 3600, rule: 1)])
        return Line(id: "F", name: "F", kind: .flex, onDemand: [day, night], areas: areas, rules: rules)
    }()

    private static let stop = Stop(id: "a", name: "A", point: GeoPoint(lat: 49, lon: 9))
    private static let town = StopRequestPlan.Place.point(GeoPoint(lat: 46.03, lon: 10.03))
    private static let hills = StopRequestPlan.Place.point(GeoPoint(lat: 48.05, lon: 10.05))

    private func plan(
        _ place: StopRequestPlan.Place, at hour: Double, now: Double, line: Line = line, hours: ClosedRange<Int>? = nil
    ) throws -> StopRequestPlan {
        let services = [
            "friday": Service(weekdays: 1 << 4, start: ServiceDate(days: 20_000), end: ServiceDate(days: 30_000))
        ]
        var rules = StopRequestPlan.Rules()
        rules.hours = hours
        func time(_ hour: Double) -> Int64 { (Self.midnight + Int64(hour * 3600)) * 1000 }
        return try StopRequestPlan(
            place, at: time(hour), now: time(now), on: LineIndex(line, of: services), time: .utc, rules: rules)
    }

    @Test("inside the area, and inside no hole of it")
    func areas() throws {
        let plan = try plan(Self.town, at: 12, now: 9)
        #expect(plan.isOnDemand && plan.passes.isEmpty && plan.point == GeoPoint(lat: 46.03, lon: 10.03))
        for (lat, lon) in [(46.05, 10.05), (45.99, 10.05), (46.05, 10.11), (46.05, 9.9)] {
            #expect(throws: StopRequestPlan.Refusal.outsideArea) {
                try self.plan(.point(GeoPoint(lat: lat, lon: lon)), at: 12, now: 9)
            }
        }
        #expect(throws: StopRequestPlan.Refusal.outsideArea) {
            try self.plan(.stop(Stop(id: "b", name: "B", point: Self.stop.point)), at: 21, now: 20)
        }
    }

    @Test("within its hours, on its days, beyond midnight too; and within those of the setting")
    func hours() throws {
        let window = StopRequestPlan.Refusal.outsideHours(8 * 3600...18 * 3600)
        #expect(throws: window) { try plan(Self.town, at: 7.9, now: 1) }
        #expect(throws: window) { try plan(Self.town, at: 18.1, now: 10) }
        #expect(throws: StopRequestPlan.Refusal.outsideHours(nil)) { try plan(Self.town, at: 24 + 12, now: 20) }
        _ = try plan(.stop(Self.stop), at: 25.5, now: 25)
        #expect(throws: StopRequestPlan.Refusal.outsideHours(9 * 3600...11 * 3600)) {
            try plan(Self.town, at: 12, now: 9, hours: 9 * 3600...11 * 3600)
        }
    }

    @Test("asked neither too late nor too early, by the rule of the place")
    func booking() throws {
        func at(_ hour: Double) -> Int64 { Self.midnight + Int64(hour * 3600) }
        _ = try plan(Self.town, at: 12, now: 10)
        #expect(throws: StopRequestPlan.Refusal.bookedTooLate(until: at(10))) {
            try plan(Self.town, at: 12, now: 10.01)
        }
        #expect(throws: StopRequestPlan.Refusal.bookedTooEarly(from: at(-12))) {
            try plan(Self.town, at: 12, now: -12.1)
        }
        _ = try plan(.stop(Self.stop), at: 21, now: 21)
        _ = try plan(Self.hills, at: 11, now: -7)
        #expect(throws: StopRequestPlan.Refusal.bookedTooLate(until: at(-7))) {
            try plan(Self.hills, at: 11, now: -6.9)
        }
        #expect(throws: StopRequestPlan.Refusal.bookedTooEarly(from: at(-39))) {
            try plan(Self.hills, at: 11, now: -40)
        }
    }

    @Test("a line with a way is left where it has one; off it, its areas count")
    func both() throws {
        var line = Self.line
        line.patterns = [
            LinePattern(
                id: "way", shape: [GeoPoint(lat: 46, lon: 10), GeoPoint(lat: 46.2, lon: 10)],
                stops: [PatternStop(stop: "x", distance: 0), PatternStop(stop: "y", distance: 22_000)])
        ]
        #expect(try plan(Self.town, at: 12, now: 10, line: line).isOnDemand)
        let beside = try plan(.point(GeoPoint(lat: 46.15, lon: 10.001)), at: 12, now: 11.9, line: line)
        #expect(!beside.isOnDemand && beside.passes["way"]?.count == 1)
        do {
            _ = try plan(.point(GeoPoint(lat: 46.15, lon: 10.1)), at: 12, now: 10, line: line)
            Issue.record("neither")
        } catch StopRequestPlan.Refusal.offRoute(let metres) {
            #expect((7000...8000).contains(metres))
        }
    }
}

extension TourPlanTests {
    @Test("a line without a way is driven without one, if it has areas")
    func onDemand() throws {
        let line = Line(
            id: "F", name: "F",
            onDemand: [
                OnDemandRun(id: "r", service: "s", places: [OnDemandPlace(area: 0, opens: 0, closes: 1)])
            ], areas: [ServiceArea(id: "a", name: "A", polygons: [])])
        func choose(_ line: Line, pattern: String? = nil, trip: String? = nil) throws(TourPlan.Refusal) -> TourPlan {
            try TourPlan.choose(on: line, pattern: pattern, trip: trip, services: [:], time: .utc, now: 0)
        }
        #expect(try choose(line) == TourPlan(pattern: nil, trip: nil, base: 0))
        #expect(throws: TourPlan.Refusal.noTrip) { try choose(line, trip: "r") }
        #expect(throws: TourPlan.Refusal.noPattern) { try choose(line, pattern: "p") }
        #expect(throws: TourPlan.Refusal.nothingToDrive) { try choose(Line(id: "E", name: "E")) }
    }
}
