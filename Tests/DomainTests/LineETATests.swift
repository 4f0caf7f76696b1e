import Domain
import Testing

struct LineETATests {
    private static let start: Int64 = 1_795_210_000_000
    private let places = StopPlaces([0, 1000, 2000, 3000, 4000])
    private let ids = ["a", "b", "c", "d", "e"]

    /// Every segment takes 100 s and every stop 20 s.
    private func segments(_ source: SegmentTime.Source = .learned) -> [SegmentTime] {
        (0..<4).map { _ in SegmentTime(run: 100, dwell: 20, source: source) }
    }

    /// Departure at the start, then 120 s from stop to stop.
    private func schedule() -> [LineETA.ScheduledStop] {
        (0..<5).map { stop in
            let arrival = Self.start + Int64(stop) * 120_000 - (stop > 0 ? 20_000 : 0)
            return LineETA.ScheduledStop(arrival: arrival, departure: Self.start + Int64(stop) * 120_000)
        }
    }

    /// A spread that many exact tours have narrowed to nothing much.
    private func exact(_ eta: LineETA) -> ETASpread {
        var spread = ETASpread()
        var passages = StopPassages(places: places)
        passages.start(at: 0)
        for stop in 0..<4 {
            let left = Self.start + Int64(stop) * 120_000
            let (begin, end) = (places.exit(stop), places.entry(stop + 1))
            passages.moved(from: begin - 1, at: left - 1, to: begin, at: left)
            passages.moved(from: begin, at: left, to: end, at: left + 100_000)
            if stop < 3 { passages.moved(from: end, at: left + 100_000, to: places.exit(stop + 1), at: left + 120_000) }
        }
        for _ in 0..<400 { spread.learn(passages, forecast: eta) }
        return spread
    }

    private func learnedETA(_ schedule: [LineETA.ScheduledStop]? = nil) -> LineETA {
        var eta = LineETA(places: places, segments: segments(), schedule: schedule)
        eta.spread = exact(eta)
        return eta
    }

    @Test("B6: at every later stop and at any point between, from what was learned; dwell included")
    func timeline() throws {
        let eta = learnedETA()
        let ahead = eta.stops(ahead: .init(distance: 30, at: Self.start), now: Self.start)
        #expect(ahead.map(\.stop) == [1, 2, 3, 4])
        for (index, found) in ahead.enumerated() {
            let arrival = Double(found.arrival.likely - Self.start) / 1000
            #expect(abs(arrival - Double(index * 120 + 100)) <= 6, "\(found)")
            #expect(abs(Double(found.departure.likely - found.arrival.likely) / 1000 - (index < 3 ? 20 : 0)) <= 1)
        }
        let half = try #require(eta.point(at: 1500, ahead: .init(distance: 30, at: Self.start), now: Self.start))
        #expect(abs(Double(half.likely - Self.start) / 1000 - 170) <= 4)
        #expect(eta.point(at: 20, ahead: .init(distance: 30, at: Self.start), now: Self.start) == nil, "behind it")
    }

    @Test("B6: along the way times never fall, bounds enclose the likely time, and nothing is before now")
    func ordered() {
        var random = Random(seed: 21)
        for _ in 0..<300 {
            let distances = (0..<Int.random(in: 2...20, using: &random))
                .map { _ in random.within(0, 9000) }.sorted()
            let places = StopPlaces(distances)
            let segments = distances.dropFirst().map { _ in
                SegmentTime(
                    run: random.within(0, 300), dwell: random.within(0, 90),
                    source: [.learned, .schedule, .distance].randomElement(using: &random) ?? .learned)
            }
            var time = Self.start + Int64.random(in: -1_800_000...1_800_000, using: &random)
            let schedule = distances.map { _ in
                time += Int64.random(in: 0...200_000, using: &random)
                return LineETA.ScheduledStop(
                    arrival: time, departure: time + Int64.random(in: 0...60_000, using: &random))
            }
            let eta = LineETA(
                places: places, segments: segments, schedule: Bool.random(using: &random) ? schedule : nil)
            let pace = LivePace(elapsed: random.within(0, 1200), expected: random.within(0, 1200))
            let calls = (0..<3).map { _ in
                LineETA.Call(distance: random.within(0, 9000), seconds: random.within(0, 120))
            }
            let bus = LineETA.Bus(
                distance: random.within(0, distances.last ?? 0), at: Self.start - 40_000, pace: pace, calls: calls)
            var last = ETA(early: Self.start, likely: Self.start, late: Self.start)
            for stop in eta.stops(ahead: bus, now: Self.start) {
                for found in [stop.arrival, stop.departure] {
                    #expect(found.early <= found.likely && found.likely <= found.late)
                    #expect(found.early >= last.early && found.likely >= last.likely && found.late >= last.late)
                    last = found
                }
            }
            var before = ETA(early: 0, likely: 0, late: 0)
            for place in stride(from: bus.distance, through: distances.last ?? 0, by: 37) {
                guard let found = eta.point(at: place, ahead: bus, now: Self.start) else { continue }
                #expect(found.early >= Self.start && found.early <= found.likely && found.likely <= found.late)
                #expect(found.likely >= before.likely - 60_000, "by a rounding of the bounds at most")
                before = found
            }
        }
    }

    @Test("The schedule is the fall-back, then the distance; five runs in an hour count, or three in the whole day")
    func fallBack() {
        var times = SegmentTimes()
        let pair = StopPair(from: "a", to: "b")
        let plan = schedule().map { StopTime(arrival: Int($0.arrival / 1000), departure: Int($0.departure / 1000)) }
        func first(_ hour: Int, _ plan: [StopTime]?) -> SegmentTime {
            times.segments(stops: ids, places: places, schedule: plan, hour: hour)[0]
        }
        #expect(first(8, plan) == SegmentTime(run: 100, dwell: 20, source: .schedule))
        #expect(first(8, nil).source == .distance)
        #expect(abs(first(8, nil).run - 180) < 1, "20 km/h")
        times.add(pair, hour: 8, run: 200, dwell: 10)
        times.add(pair, hour: 8, run: 210, dwell: 10)
        #expect(first(8, plan).source == .schedule, "two runs are chance")
        times.add(pair, hour: 8, run: 2000, dwell: 40)
        #expect(
            first(8, plan) == SegmentTime(run: 210, dwell: 10, source: .learned),
            "medians: one breakdown is not heard of")
        #expect(first(20, plan) == first(8, plan), "the whole day")
        for run in [90.0, 91, 92, 93, 94] { times.add(pair, hour: 20, run: run, dwell: 5) }
        #expect(first(20, plan).run == 92, "its own hour")
        #expect(first(21, plan).run == 92, "the hour beside it")
        for _ in 0..<12 { times.add(pair, hour: 20, run: 60, dwell: 5) }
        #expect(first(20, plan).run == 60, "the latest twelve")
        times.add(pair, hour: 24, run: 1, dwell: 1)
        times.add(pair, hour: 8, run: -1, dwell: .infinity)
        #expect(first(20, plan).run == 60, "no hour, and no time, that can be")
    }

    @Test("Learned from finished tours: what lies between leaving a stop and reaching the next")
    func learning() {
        var passages = StopPassages(places: places)
        passages.start(at: 0)
        passages.moved(from: 0, at: Self.start, to: 4000, at: Self.start + 160_000)
        var times = SegmentTimes()
        for _ in 0..<3 { times.learn(stops: ids, passages: passages) { _ in 7 } }
        let found = times.learned(StopPair(from: "b", to: "c"), hour: 7)
        #expect(found == SegmentTime(run: 38, dwell: 2, source: .learned), "940 m and 60 m at 25 m/s")
        #expect(times.learned(StopPair(from: "c", to: "b"), hour: 7) == nil)
    }

    @Test("What a line knows can be made again from its kept tours")
    func knowledge() {
        var random = Random(seed: 9)
        var first = LineKnowledge()
        var again = LineKnowledge()
        for _ in 0..<20 {
            var passages = StopPassages(places: places)
            passages.start(at: 0)
            let seconds = random.within(100, 170)
            passages.moved(from: 0, at: Self.start, to: 4000, at: Self.start + Int64(seconds * 1000))
            first.learn(stops: ids, passages: passages, schedule: schedule()) { _ in 7 }
            let kept = StopPassages(
                places: places, arrivals: passages.arrivals, departures: passages.departures)
            again.learn(stops: ids, passages: kept, schedule: schedule()) { _ in 7 }
        }
        #expect(first.spread == again.spread)
        let bus = LineETA.Bus(distance: 100, at: Self.start)
        let (a, b) = (first, again)
        func ahead(_ line: LineKnowledge) -> [LineETA.StopETA] {
            line.eta(stops: ids, places: places, schedule: schedule(), hour: 7).stops(ahead: bus, now: Self.start)
        }
        #expect(ahead(a) == ahead(b) && ahead(a) != ahead(LineKnowledge()))
        let before = first.spread
        first.learn(stops: ids, passages: StopPassages(places: places), schedule: nil) { _ in 7 }
        #expect(first.spread == before, "a tour that passed no stop")
    }

    @Test("A bus slower than usual stays so for a while: a part of its live delay is carried forward, fading")
    func pace() throws {
        let eta = learnedETA()
        func seconds(_ pace: LivePace, _ place: Double) throws -> Double {
            let bus = LineETA.Bus(distance: 30, at: Self.start, pace: pace)
            return Double(try #require(eta.point(at: place, ahead: bus, now: Self.start)).likely - Self.start) / 1000
        }
        var slow = LivePace()
        var quick = LivePace()
        #expect(slow.ratio == 1)
        for _ in 0..<60 {
            slow.moved(elapsed: 20, expected: 10)
            quick.moved(elapsed: 5, expected: 10)
        }
        #expect(slow.ratio > 1.7 && quick.ratio < 0.7)
        let (usual, late, early) = try (seconds(LivePace(), 4000), seconds(slow, 4000), seconds(quick, 4000))
        #expect(early < usual && usual < late)
        #expect(late <= usual * 1.26 && early >= usual * 0.79, "bounded")
        let near = try seconds(slow, 1000) / seconds(LivePace(), 1000)
        #expect(near > late / usual, "and less of it the farther ahead")
    }

    @Test("By schedule alone, a late bus comes late, and makes up some of it by and by")
    func delayFades() throws {
        let eta = LineETA(places: places, segments: segments(.schedule), schedule: schedule())
        let late: Int64 = 600_000
        #expect(eta.delay(distance: 30, at: Self.start + late) == 600)
        let bus = LineETA.Bus(distance: 30, at: Self.start + late)
        let ahead = eta.stops(ahead: bus, now: Self.start + late)
        var last = Double(late) / 1000
        for found in ahead {
            let delay = Double(found.arrival.likely - schedule()[found.stop].arrival) / 1000
            #expect(delay > 500 && delay < last)
            last = delay
        }
    }

    @Test("Delay: between stops by the part of the way; a bus that waits for its departure is not late")
    func delay() throws {
        let eta = LineETA(places: places, segments: segments(), schedule: schedule())
        func delay(_ distance: Double, _ seconds: Int64) throws -> Double {
            try #require(eta.delay(distance: distance, at: Self.start + seconds * 1000))
        }
        #expect(try abs(delay(500, 50)) < 1e-6)
        #expect(try abs(delay(500, 110) - 60) < 1e-6)
        #expect(try delay(1000, 110) == 0 && delay(1000, 120) == 0)
        #expect(try delay(1000, 130) == 10)
        #expect(try delay(1000, 90) == -10)
        #expect(LineETA(places: places, segments: segments()).delay(distance: 1, at: 0) == nil)
    }

    @Test("Nobody leaves the first stop before the time; a bus that manoeuvres there counts as standing at it")
    func departure() throws {
        let eta = learnedETA(schedule())
        for distance in [0.0, 20, 400] {
            let bus = LineETA.Bus(distance: distance, at: Self.start - 300_000)
            let ahead = eta.stops(ahead: bus, now: Self.start - 300_000)
            #expect(ahead[0].stop == 0 && ahead[0].arrival.likely == Self.start - 300_000)
            #expect(ahead[0].departure.early == Self.start)
            #expect(abs(ahead[1].arrival.likely - (Self.start + 100_000)) <= 5000)
        }
        let gone = eta.stops(ahead: .init(distance: 400, at: Self.start - 30_000), now: Self.start - 30_000)
        #expect(gone[0].stop == 1, "half a minute early is gone")
    }

    @Test("B7: who gets on between two stops costs everyone behind that place the time, and nobody before it")
    func calls() throws {
        let eta = learnedETA()
        let plain = eta.stops(ahead: .init(distance: 30, at: Self.start), now: Self.start)
        let call = LineETA.Call(distance: 1500, seconds: 45)
        let longer = eta.stops(ahead: .init(distance: 30, at: Self.start, calls: [call]), now: Self.start)
        #expect(longer.map { $0.arrival.likely }[0] == plain.map { $0.arrival.likely }[0])
        for index in 1..<4 { #expect(longer[index].arrival.likely - plain[index].arrival.likely == 45_000) }
        let behind = LineETA.Call(distance: 10, seconds: 45)
        #expect(eta.stops(ahead: .init(distance: 30, at: Self.start, calls: [behind]), now: Self.start) == plain)
    }

    @Test("The bounds come to hold what they say: of tours with random delays one in ten lies beyond each")
    func spread() {
        var random = Random(seed: 77)
        let eta = LineETA(places: places, segments: segments())
        func tour() -> StopPassages {
            var passages = StopPassages(places: places)
            passages.start(at: 0)
            var time = Self.start
            for stop in 0..<4 {
                let factor = 1.1 + abs(random.normal(sigma: 0.3))
                let begin = stop == 0 ? 0 : places.exit(stop)
                let end = stop < 3 ? places.exit(stop + 1) : 4000
                let later = time + Int64(120_000 * factor)
                // In two steps: over more than three minutes nothing would be known.
                let (half, middle) = ((begin + end) / 2, (time + later) / 2)
                passages.moved(from: begin, at: time, to: half, at: middle)
                passages.moved(from: half, at: middle, to: end, at: later)
                time = later
            }
            return passages
        }
        var spread = ETASpread()
        for _ in 0..<300 { spread.learn(tour(), forecast: eta) }
        var judged = eta
        judged.spread = spread
        var (all, below, middle, above) = (0.0, 0.0, 0.0, 0.0)
        for _ in 0..<1000 {
            let passages = tour()
            var pace = LivePace()
            for stop in 0..<4 {
                guard let left = passages.departures[stop] else { continue }
                if stop > 0, let before = passages.departures[stop - 1] {
                    let usual = eta.usualSeconds(from: places.exit(stop - 1), to: places.exit(stop))
                    pace.moved(elapsed: Double(left - before) / 1000, expected: usual)
                }
                let bus = LineETA.Bus(distance: places.exit(stop), at: left, pace: pace)
                for found in judged.stops(ahead: bus, now: left) {
                    guard let came = passages.arrivals[found.stop] else { continue }
                    all += 1
                    if came < found.arrival.early { below += 1 }
                    if came < found.arrival.likely { middle += 1 }
                    if came > found.arrival.late { above += 1 }
                }
            }
        }
        #expect(all == 10_000)
        #expect((0.03...0.17).contains(below / all), "\(below / all) before P10")
        #expect((0.4...0.6).contains(middle / all), "\(middle / all) before P50")
        #expect((0.03...0.17).contains(above / all), "\(above / all) after P90")
    }

    @Test("The accuracy of forecasts, by percentage and by the benchmark's buckets, bounds included")
    func accuracy() {
        var accuracy = ETAAccuracy()
        #expect(accuracy.meanAbsolutePercentageError == nil && accuracy.score == nil)
        accuracy.add(forecast: 200, truth: 179.9)
        #expect(accuracy.count == 0 && accuracy.buckets[0].total == 1)
        #expect(accuracy.buckets[0].accurate == 1)
        for (forecast, isAccurate) in [(240.0, true), (240.1, false), (30, true), (29.9, false)] {
            var one = ETAAccuracy()
            one.add(forecast: forecast, truth: 180)
            #expect((one.buckets[1].accurate == 1) == isAccurate, "\(forecast)")
        }
        accuracy.add(forecast: 220, truth: 200)
        accuracy.add(forecast: 900, truth: 600)
        #expect(abs((accuracy.meanAbsolutePercentageError ?? 0) - 0.3) < 1e-9)
        #expect(accuracy.buckets.map(\.total) == [1, 1, 0, 1])
        #expect(accuracy.score == nil, "a bucket is empty")
        accuracy.add(forecast: 400, truth: 400)
        #expect(accuracy.score == 0.75)
        accuracy.add(forecast: 1, truth: -1)
        accuracy.add(forecast: 950, truth: 900)
        #expect(accuracy.buckets.map(\.total).reduce(0, +) == 4, "past 15 minutes is in no bucket")
    }
}
