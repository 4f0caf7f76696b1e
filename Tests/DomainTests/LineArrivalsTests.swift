import Domain
import Testing

/// Which buses are told of a place, and when they come there: those on their way, and the schedule for the rest.
@Suite struct LineArrivalsTests {
    /// Friday 2026-11-20, 00:00 UTC, s.
    private static let midnight: Int64 = 1_795_132_800

    private static func line(_ trips: [LineTrip]) -> Line {
        let a = GeoPoint(lat: 46, lon: 10)
        let pattern = LinePattern(
            id: "out", headsign: "Mill", shape: [a, LocalFrame(origin: a).point(PlanePoint(x: 4000, y: 0))],
            stops: [PatternStop(stop: "a", distance: 0), PatternStop(stop: "b", distance: 4000)])
        return Line(id: "L", name: "L", patterns: [pattern], trips: trips)
    }

    /// Ten minutes from a to b.
    private static func trip(_ id: String, _ hour: Int, _ frequencies: [Frequency] = []) -> LineTrip {
        let start = hour * 3600
        return LineTrip(
            id: id, pattern: 0, service: "daily",
            times: [
                StopTime(arrival: start, departure: start), StopTime(arrival: start + 600, departure: start + 600),
            ],
            frequencies: frequencies)
    }

    private func next(
        _ count: Int = 8, on line: Line, at hour: Double, tours: [LineArrivals.Tour] = [],
        places: [String: [Double]] = ["out": [2000]], ahead: Int64 = 86_400
    ) -> [LineArrivals.Arrival] {
        LineArrivals.next(
            count, at: places,
            on: LineIndex(
                line,
                of: ["daily": Service(weekdays: 127, start: ServiceDate(days: 20_000), end: ServiceDate(days: 30_000))]),
            tours: tours, time: .utc, now: (Self.midnight + Int64(hour * 3600)) * 1000, ahead: ahead)
    }

    /// Minutes after midnight.
    private func minutes(_ arrivals: [LineArrivals.Arrival]) -> [Int64] {
        arrivals.map { ($0.at / 1000 - Self.midnight) / 60 }
    }

    private func tour(_ trip: String, base: Int64 = midnight, inMinutes: [Int64]?, now: Double) -> LineArrivals.Tour {
        let now = (Self.midnight + Int64(now * 3600)) * 1000
        return LineArrivals.Tour(
            id: "t", bus: "B", pattern: "out", trip: trip, base: base, isKnown: inMinutes != nil,
            passes: (inMinutes ?? []).map { minute in
                let at = now + minute * 60_000
                return LineArrivals.Pass(distance: 500, eta: ETA(early: at - 1, likely: at, late: at + 1))
            })
    }

    @Test("B6: by the schedule in between two stops, today's and tomorrow's, but nothing that is over or too far off")
    func schedule() {
        let line = Self.line([Self.trip("t8", 8), Self.trip("t10", 10)])
        #expect(minutes(next(on: line, at: 9)) == [605, 1925])
        #expect(
            minutes(next(on: line, at: 8.05)) == [485, 605],
            "under way by the schedule; of tomorrow's none within a day")
        #expect(minutes(next(on: line, at: 9, ahead: 3600)).isEmpty)
        #expect(minutes(next(1, on: line, at: 9)) == [605])
        #expect(next(on: line, at: 9).allSatisfy { $0.pass == nil && $0.tour == nil })
        #expect(minutes(next(on: line, at: 9, places: ["out": [0, 4000]])) == [600, 610, 1920, 1930])
        #expect(next(on: line, at: 9, places: [:]).isEmpty)
    }

    @Test("B6: a run of the day before, after midnight, and one that is driven every so often")
    func days() {
        #expect(minutes(next(on: Self.line([Self.trip("night", 25)]), at: 0.5)) == [65])
        let often = Self.trip(
            "often", 0, [Frequency(headwaySeconds: 1200, startTime: 28_800, endTime: 32_400, isExact: false)])
        #expect(minutes(next(on: Self.line([often]), at: 8.25, ahead: 7200)) == [505, 525])
    }

    @Test("B6: of a run that a bus is on its position counts, not the schedule, also when it has passed")
    func live() {
        let line = Self.line([Self.trip("t8", 8), Self.trip("t10", 10)])
        let late = tour("t8", inMinutes: [20], now: 8.05)
        let found = next(on: line, at: 8.05, tours: [late])
        #expect(minutes(found) == [503, 605] && found[0].pass?.distance == 500 && found[0].trip == "t8")
        #expect(minutes(next(on: line, at: 8.05, tours: [tour("t8", inMinutes: [], now: 8.05)])) == [605])
        #expect(
            minutes(next(on: line, at: 8.05, tours: [tour("t8", inMinutes: [3, 9], now: 8.05)])) == [486, 492, 605])
    }

    @Test(
        "B6: while nobody knows where a bus is the schedule counts, and the bus is named; the same run of another day is not it"
    )
    func unknown() {
        let line = Self.line([Self.trip("t8", 8)])
        let found = next(on: line, at: 8.05, tours: [tour("t8", inMinutes: nil, now: 8.05)])
        #expect(minutes(found) == [485] && found[0].tour?.bus == "B" && found[0].pass == nil)
        let yesterdays = tour("t8", base: Self.midnight - 86_400, inMinutes: [2], now: 8.05)
        #expect(minutes(next(on: line, at: 8.05, tours: [yesterdays])) == [485, 485])
        let extra = tour("", base: 0, inMinutes: [1], now: 8.05)
        let all = next(on: line, at: 8.05, tours: [extra])
        #expect(minutes(all) == [484, 485] && all[0].trip == nil)
    }
}
