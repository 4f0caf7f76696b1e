import Domain
import Testing

struct LineTrackTests {
    private static let start: Int64 = 1_795_210_000_000

    private func track(_ corners: [(Double, Double)], _ stops: [Double], expected: Double? = nil) throws -> TourTrack {
        TourTrack(shape: try Ways.shape(corners), stops: StopPlaces(stops), expected: expected)
    }

    /// Drives along the way with `speed` m/s, a fix every `every` seconds, `beside` metres of error; gives each step.
    private func drive(
        _ track: inout TourTrack, from: Double, to: Double, at time: inout Int64, speed: Double = 8, every: Double = 10,
        beside: Double = 0, random: inout Random
    ) -> [TourTrack.Step] {
        var steps: [TourTrack.Step] = []
        let direction = to >= from ? 1.0 : -1.0
        var place = from
        while true {
            let point = track.shape.point(at: place)
            let frame = LocalFrame(origin: point)
            let error = PlanePoint(x: random.normal(sigma: beside), y: random.normal(sigma: beside))
            steps.append(track.moved(to: frame.point(error), at: time))
            guard place != to else { return steps }
            place += direction * min(abs(to - place), speed * every)
            time += Int64(every * 1000)
        }
    }

    @Test(
        "C52: on loops, crossings and streets driven out and back, the distance never falls and is the one driven",
        arguments: 0..<40)
    func follows(seed: Int) throws {
        for way in [Ways.straight, Ways.loop, Ways.outAndBack, Ways.eight] {
            var random = Random(seed: UInt64(seed))
            var track = try track(way, [0, 500, 1000])
            var time = Self.start
            let length = track.shape.length
            let every = random.within(5, 30)
            let speed = random.within(3, 15)
            let beside = random.within(0, 10)
            var last = 0.0
            var place = 0.0
            while place < length {
                _ = drive(
                    &track, from: place, to: place, at: &time, every: every, beside: beside, random: &random)
                let distance = try #require(track.distance)
                // A fix from shortly after a turn looks like one from shortly before it, until the next one comes.
                let turned = way.count == 3 ? place - length / 2 : -1
                let unclear = turned > -90 && turned < speed * every + 90 ? speed * every : 0
                #expect(distance >= last, "never falls")
                #expect(
                    abs(distance - place) < 75 + unclear,
                    "seed \(seed): at \(distance) instead of \(place) of \(length)")
                #expect(!track.isOffRoute && !track.isReversed)
                last = distance
                place += speed * every
                time += Int64(every * 1000)
            }
        }
    }

    @Test(
        "Off its route after two fixes in a row farther than 60 m beside it, and on it again with the first that is not"
    )
    func offRoute() throws {
        var track = try track(Ways.straight, [0, 1500, 3000])
        _ = track.moved(to: Ways.point(500, 0), at: Self.start)
        let step1 = track.moved(to: Ways.point(600, 65), at: Self.start + 10_000)
        #expect(step1 == .beside)
        #expect(!track.isOffRoute, "one fix may be wrong")
        let step2 = track.moved(to: Ways.point(700, 55), at: Self.start + 20_000)
        #expect(step2 != .beside)
        let step3 = track.moved(to: Ways.point(800, 90), at: Self.start + 30_000)
        #expect(step3 == .beside)
        let step4 = track.moved(to: Ways.point(900, 200), at: Self.start + 40_000)
        #expect(step4 == .beside)
        #expect(track.isOffRoute)
        #expect(abs((track.distance ?? 0) - 700) < 2, "it is where it was seen last")
        let step5 = track.moved(to: Ways.point(1200, 0), at: Self.start + 50_000)
        #expect(step5 != .beside)
        #expect(!track.isOffRoute)
        #expect(abs((track.distance ?? 0) - 1200) < 2)
    }

    @Test("C52: a bus that drives its way backwards is told, stays where it was, and is found again when it goes on")
    func wrongDirection() throws {
        var random = Random(seed: 3)
        var track = try track(Ways.straight, [0, 1500, 3000])
        var time = Self.start
        _ = drive(&track, from: 0, to: 2000, at: &time, random: &random)
        #expect(track.nextStop == 2)
        time += 10_000
        let back = drive(&track, from: 1920, to: 1000, at: &time, random: &random)
        #expect(back.allSatisfy { $0 == .reversed })
        #expect(track.isReversed)
        #expect(abs((track.distance ?? 0) - 2000) < 5)
        time += 10_000
        let on = drive(&track, from: 1080, to: 1200, at: &time, random: &random)
        guard case .relocated(_, let place) = on[0] else {
            Issue.record("\(on)")
            return
        }
        #expect(abs(place - 1080) < 5)
        #expect(!track.isReversed)
        #expect(track.nextStop == 1, "the stop behind which it turned is ahead again")
        #expect(track.passages.departures[1] == nil)
    }

    @Test("Fixes of a standing bus that jump about neither move it back nor make it reversed")
    func jitter() throws {
        var random = Random(seed: 11)
        var track = try track(Ways.straight, [0, 1500, 3000])
        var time = Self.start
        _ = drive(&track, from: 0, to: 1500, at: &time, random: &random)
        for _ in 0..<100 {
            time += 10_000
            _ = drive(&track, from: 1500, to: 1500, at: &time, beside: 8, random: &random)
            #expect(!track.isReversed)
            #expect((1495...1535).contains(track.distance ?? 0))
        }
        #expect(track.nextStop == 1, "it stands there")
    }

    @Test("On a street driven out and back, who says where the bus should be finds it on the right side")
    func expected() throws {
        for place in [1200.0, 2800] {
            var track = try track(Ways.outAndBack, [0, 2000, 4000], expected: place + 150)
            _ = track.moved(to: Ways.point(1200, 3), at: Self.start)
            #expect(abs((track.distance ?? 0) - place) < 2)
        }
        var track = try track(Ways.outAndBack, [0, 2000, 4000])
        _ = track.moved(to: Ways.point(1200, 3), at: Self.start)
        _ = track.moved(to: Ways.point(1100, 3), at: Self.start + 10_000)
        _ = track.moved(to: Ways.point(1000, 3), at: Self.start + 20_000)
        #expect(abs((track.distance ?? 0) - 3000) < 2, "otherwise its driving tells")
    }

    @Test("A fix that is not newer, or no place on earth, is ignored")
    func ignored() throws {
        var track = try track(Ways.straight, [0, 3000])
        _ = track.moved(to: Ways.point(10, 0), at: Self.start)
        let step6 = track.moved(to: Ways.point(90, 0), at: Self.start)
        #expect(step6 == .ignored)
        let nowhere = track.moved(to: GeoPoint(lat: .nan, lon: 1), at: Self.start + 1)
        #expect(nowhere == .ignored)
        #expect(abs((track.distance ?? 0) - 10) < 1)
    }

    @Test("Stops are reached and left at times between the fixes; the first is only left, the last only reached")
    func passages() throws {
        var random = Random(seed: 5)
        var track = try track(Ways.straight, [0, 1000, 1040, 2000, 3000])
        var time = Self.start
        _ = drive(&track, from: 0, to: 1990, at: &time, speed: 10, random: &random)
        time += 60_000
        _ = drive(&track, from: 1990, to: 3000, at: &time, speed: 10, random: &random)
        let arrivals = track.passages.arrivals.map { $0.map { Double($0 - Self.start) / 1000 } }
        let departures = track.passages.departures.map { $0.map { Double($0 - Self.start) / 1000 } }
        #expect(arrivals[0] == nil && departures[4] == nil)
        for (stop, second) in [(1, 97.0), (2, 102), (3, 197)] {
            #expect(abs(try #require(arrivals[stop]) - second) < 1.5, "stop \(stop)")
        }
        #expect(abs(try #require(departures[1]) - 102) < 1.5, "neighbours share the way between them")
        #expect(try #require(departures[3]) - #require(arrivals[3]) >= 60, "it stood there")
        #expect(arrivals[4] != nil && track.nextStop == 4)
        for stop in 1..<4 { #expect(try #require(arrivals[stop]) <= #require(departures[stop])) }
    }

    @Test("Over a silence of more than three minutes nobody knows when stops were passed")
    func silence() throws {
        var track = try track(Ways.straight, [0, 1000, 2000, 3000])
        _ = track.moved(to: Ways.point(500, 0), at: Self.start)
        _ = track.moved(to: Ways.point(1500, 0), at: Self.start + 181_000)
        _ = track.moved(to: Ways.point(2500, 0), at: Self.start + 281_000)
        #expect(track.passages.arrivals[1] == nil && track.passages.departures[1] == nil)
        #expect(track.passages.arrivals[2] == Self.start + 228_000 || track.passages.arrivals[2] != nil)
        #expect(track.nextStop == 3)
    }
}
