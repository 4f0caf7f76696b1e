import Testing

@testable import Domain

/// A line's index answers what going through the whole timetable does, and looks at less.
@Suite struct LineTimetableTests {
    /// A timetable, the same for the plain reference, and a time of it: days about which clocks change, or do not.
    private struct Scene {
        let given: RandomLine
        let time: CityTime
        let index: LineIndex
        let plain: PlainTimetable
        let today: ServiceDate
        let now: Int64
        let places: [String: [Double]]
        var timetable: LineTimetable { LineTimetable(index, time) }

        init(_ random: inout Random) throws {
            let zones = ["Europe/Berlin", "America/St_Johns", "UTC"]
            let changes = ["20260308", "20260329", "20261025", "20261101"]
            let zone = zones[Int.random(in: zones.indices, using: &random)]
            let change = changes[Int.random(in: changes.indices, using: &random)]
            let time = try #require(CityTime(zone: zone))
            let day = try #require(ServiceDate(change))
            let today = day + Int.random(in: -2...2, using: &random)
            self.time = time
            self.today = today
            given = RandomLine(about: today, &random)
            index = LineIndex(given.line, of: given.services)
            plain = PlainTimetable(given.line, given.services, time)
            now = time.start(of: today) + Int64.random(in: -3600...100_000, using: &random)
            places = given.places(&random)
        }
    }

    /// Each test is run with so many seeds, and looks at so many scenes.
    private static let seeds: Range<UInt64> = 0..<6
    private static let scenes = 20

    private func plain(_ passing: LineTimetable.Passing) -> PlainTimetable.Passing {
        PlainTimetable.Passing(
            trip: passing.trip, base: passing.base, pattern: passing.pattern, begin: passing.begin,
            second: passing.second, pass: passing.pass)
    }

    /// By time, then by id, then as they stand.
    private func byTime(_ passings: [PlainTimetable.Passing]) -> [PlainTimetable.Passing] {
        passings.enumerated().sorted {
            ($0.element.second, $0.element.trip, $0.offset) < ($1.element.second, $1.element.trip, $1.offset)
        }.map(\.element)
    }

    @Test("B6: the runs that pass within a time are those of the whole timetable, in its order", arguments: seeds)
    func runs(_ seed: UInt64) throws {
        var random = Random(seed: seed)
        var count = 0
        for _ in 0..<Self.scenes {
            let scene = try Scene(&random)
            let latest = scene.now + Int64.random(in: 0...100_000, using: &random)
            let expected = scene.plain.runs(passing: scene.places, from: scene.now, to: latest)
            let found = scene.timetable.runs(passing: scene.places, from: scene.now, to: latest).map { plain($0) }
            #expect(found == expected)
            count += expected.count
        }
        #expect(count > 0)
    }

    @Test("B6: one after the other they come by time, and no more than are wanted", arguments: seeds)
    func visit(_ seed: UInt64) throws {
        var random = Random(seed: seed)
        for _ in 0..<Self.scenes {
            let scene = try Scene(&random)
            let expected = byTime(scene.plain.runs(passing: scene.places, from: scene.now, to: scene.now + 86_400))
            for most in [1, 8, Int.max] {
                var found: [PlainTimetable.Passing] = []
                scene.timetable.visit(passing: scene.places, from: scene.now, to: scene.now + 86_400) {
                    found.append(plain($0))
                    return found.count < most
                }
                #expect(found == Array(expected.prefix(most)))
            }
        }
    }

    @Test("B8, B14: the next run, and the first of a day, are those of the whole timetable", arguments: seeds)
    func nextAndFirst(_ seed: UInt64) throws {
        var random = Random(seed: seed)
        var (next, first) = (0, 0)
        for _ in 0..<Self.scenes {
            let scene = try Scene(&random)
            for _ in 0..<3 {
                let wanted = scene.now + Int64.random(in: 0...200_000, using: &random)
                let early = Int64.random(in: 0...3600, using: &random)
                let soon = scene.plain.next(
                    passing: scene.places, startingAfter: scene.now, about: wanted, early: early)
                #expect(
                    scene.timetable.next(passing: scene.places, startingAfter: scene.now, about: wanted, early: early)
                        == soon)
                let latest = wanted + Int64.random(in: 0...604_800, using: &random)
                let later = scene.plain.first(passing: scene.places, from: wanted, to: latest)
                #expect(scene.timetable.first(passing: scene.places, from: wanted, to: latest) == later)
                next += soon == nil ? 0 : 1
                first += later == nil ? 0 : 1
            }
        }
        #expect(next > 0 && first > 0)
    }

    @Test("B14: the hours of a day are those of the whole timetable", arguments: seeds)
    func hours(_ seed: UInt64) throws {
        var random = Random(seed: seed)
        var count = 0
        for _ in 0..<Self.scenes {
            let scene = try Scene(&random)
            // More days than are kept, and each again.
            for day in Array(-10...10) + Array(-10...10) {
                let expected = scene.plain.hours(on: scene.today + day)
                #expect(scene.timetable.hours(on: scene.today + day) == expected)
                count += expected == nil ? 0 : 1
            }
            for _ in 0..<4 {
                let second = scene.now + Int64.random(in: -100_000...100_000, using: &random)
                #expect(scene.timetable.runs(at: second) == scene.plain.runs(at: second))
            }
        }
        #expect(count > 0)
    }

    private func tour(
        _ number: Int, _ run: PlainTimetable.Passing, of line: Line, isKnown: Bool
    ) -> LineArrivals.Tour {
        func pass(_ at: Int64) -> LineArrivals.Pass {
            LineArrivals.Pass(distance: 500, eta: ETA(early: at, likely: at, late: at))
        }
        return LineArrivals.Tour(
            id: "tour\(number)", bus: "B\(number)", pattern: line.patterns[run.pattern].id, trip: run.trip,
            base: run.base, isKnown: isKnown, passes: [pass(run.second * 1000), pass(run.second * 1000 + 60_000)])
    }

    @Test("B6: what comes next is what the whole timetable and the tours say", arguments: seeds)
    func arrivals(_ seed: UInt64) throws {
        var random = Random(seed: seed)
        for _ in 0..<Self.scenes {
            let scene = try Scene(&random)
            let runs = byTime(scene.plain.runs(passing: scene.places, from: scene.now, to: scene.now + 86_400))
            // Of every other of the next runs a bus is on its way, of which it is known where it is, or not.
            var tours: [LineArrivals.Tour] = []
            for number in stride(from: 0, to: min(12, runs.count), by: 2) {
                tours.append(tour(number, runs[number], of: scene.given.line, isKnown: number % 4 == 0))
            }
            var expected: [LineArrivals.Arrival] = []
            for tour in tours where tour.isKnown {
                let pattern = try #require(scene.given.line.patterns.firstIndex { $0.id == tour.pattern })
                for pass in tour.passes {
                    expected.append(
                        LineArrivals.Arrival(
                            tour: tour, pattern: pattern, trip: tour.trip, at: pass.eta.likely, pass: pass))
                }
            }
            for run in runs {
                let tour = tours.first { $0.trip == run.trip && $0.base == run.base }
                guard tour?.isKnown != true else { continue }
                expected.append(
                    LineArrivals.Arrival(
                        tour: tour, pattern: run.pattern, trip: run.trip, at: run.second * 1000, pass: nil))
            }
            let sorted = expected.enumerated().sorted {
                ($0.element.at, $0.element.trip ?? "", $0.offset) < ($1.element.at, $1.element.trip ?? "", $1.offset)
            }
            let found = LineArrivals.next(
                8, at: scene.places, on: scene.index, tours: tours, time: scene.time, now: scene.now * 1000 + 999,
                ahead: 86_400)
            #expect(found == Array(sorted.prefix(8).map(\.element)))
        }
    }

    @Test("B7: a line passes a place where its shapes, made anew, do", arguments: seeds)
    func passes(_ seed: UInt64) throws {
        var random = Random(seed: seed)
        var count = 0
        for _ in 0..<Self.scenes {
            let scene = try Scene(&random)
            let point = LocalFrame(origin: GeoPoint(lat: 46, lon: 10)).point(
                PlanePoint(x: random.within(-2500, 2500), y: random.within(-2500, 2500)))
            let reach = random.within(50, 1500)
            var expected: [String: [Double]] = [:]
            var nearest = Double.infinity
            for pattern in scene.given.line.patterns {
                guard let shape = LineShape(pattern.shape) else { continue }
                let best = shape.nearest(to: point).offset
                nearest = min(nearest, best)
                let found = shape.matches(of: point, within: min(reach, best + 50)).map(\.distance)
                if !found.isEmpty { expected[pattern.id] = found }
            }
            let expectedRefusal: StopRequestPlan.Refusal? = expected.isEmpty ? .offRoute(nearest) : nil
            // The second time with the shapes of the first.
            for _ in 0..<2 {
                var found: [String: [Double]] = [:]
                var refusal: StopRequestPlan.Refusal?
                do throws(StopRequestPlan.Refusal) {
                    found = try StopRequestPlan.passes(of: .point(point), on: scene.index, within: reach)
                } catch {
                    refusal = error
                }
                #expect(found == expected && refusal == expectedRefusal)
            }
            count += expected.count
        }
        #expect(count > 0)
    }

    @Test("B8: shortly before midnight the next run is the next day's, if it comes soon; not the morning's")
    func night() throws {
        let pattern = LinePattern(
            id: "p", shape: [], stops: [PatternStop(stop: "a", distance: 0), PatternStop(stop: "b", distance: 1000)])
        func trip(_ id: String, _ second: Int) -> LineTrip {
            LineTrip(
                id: id, pattern: 0, service: "daily",
                times: [
                    StopTime(arrival: second, departure: second),
                    StopTime(arrival: second + 60, departure: second + 60),
                ])
        }
        let today = try #require(ServiceDate("20261231"))
        let daily = Service(weekdays: 127, start: today, end: today + 1)
        let midnight = CityTime.utc.start(of: today + 1)
        func next(_ trips: [LineTrip], about wanted: Int64) -> Int64? {
            LineTimetable(
                LineIndex(Line(id: "L", name: "L", patterns: [pattern], trips: trips), of: ["daily": daily]), .utc
            )
            .next(passing: ["p": [0]], startingAfter: wanted, about: wanted, early: 0)
        }
        let (night, morning) = (trip("night", 600), trip("morning", 20_000))
        #expect(next([night, morning], about: midnight - 300) == midnight + 600)
        #expect(next([morning], about: midnight - 300) == nil)
        // A run of the old day beyond midnight may come before it, and may come after it.
        #expect(next([night, trip("late", 86_700)], about: midnight - 300) == midnight + 300)
        #expect(next([night, trip("late", 87_300)], about: midnight - 300) == midnight + 600)
        // Nothing runs on the day after.
        #expect(next([night], about: midnight + 86_100) == nil)
    }

    @Test("B6: a frequency is no list of its runs: one of each second for thousands of years is answered as others are")
    func endless() throws {
        let pattern = LinePattern(
            id: "p", shape: [], stops: [PatternStop(stop: "a", distance: 0), PatternStop(stop: "b", distance: 1000)])
        let trip = LineTrip(
            id: "t", pattern: 0, service: "daily",
            times: [StopTime(arrival: 0, departure: 0), StopTime(arrival: 60, departure: 60)],
            frequencies: [Frequency(headwaySeconds: 1, startTime: 0, endTime: 1 << 40, isExact: true)])
        let today = try #require(ServiceDate("20261120"))
        let service = Service(weekdays: 127, start: today, end: today)
        let timetable = LineTimetable(
            LineIndex(
                Line(id: "L", name: "L", patterns: [pattern], trips: [trip]), of: ["daily": service]), .utc)
        let now = CityTime.utc.start(of: today) + 3600
        let places = ["p": [500.0]]
        #expect(timetable.first(passing: places, from: now, to: now + 86_400) == now)
        // Who begins later than now comes half a minute later.
        #expect(timetable.next(passing: places, startingAfter: now, about: now, early: 0) == now + 31)
        #expect(timetable.runs(passing: places, from: now, to: now + 9).map(\.second) == Array(now...now + 9))
        #expect(timetable.hours(on: today) == 0...(1 << 40) + 59)
    }
}
