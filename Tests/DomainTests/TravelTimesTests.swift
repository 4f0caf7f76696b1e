import Domain
import Testing

struct TravelTimesTests {
    private let here = GeoPoint(lat: 45.46, lon: 9.18)
    private let monday8: Int64 = 1_795_420_800_000

    private func place(_ east: Double, _ north: Double) -> GeoPoint {
        let degree = GeoPoint.metresPerDegree
        return GeoPoint(lat: here.lat + north / degree, lon: here.lon + east / degree / 0.7014)
    }

    /// Straight to the north from there, at a steady speed, a place every 30 s.
    private func drive(_ east: Double, _ metres: Double, seconds: Int, at start: Int64 = 0) -> TravelledWay {
        var way = TravelledWay()
        for second in stride(from: 0, through: seconds, by: 10) {
            let done = Double(second) / Double(seconds)
            way.pass(place(east, metres * done), at: start + Int64(second) * 1000)
        }
        return way.finished
    }

    @Test("What vehicles needed moves what is told: here at once, elsewhere hardly")
    func learns() {
        var times = TravelTimes()
        let before = times.seconds(from: place(0, 0), to: place(0, 3_000), hour: 8)
        // Between other squares as usual, here half as fast again.
        for number in 0..<60 {
            times.learn(drive(20_000, 3_000, seconds: Int(before)), hour: { _ in number % 168 })
            times.learn(drive(0, 3_000, seconds: Int(before * 1.5)), hour: { _ in number % 168 })
        }
        let slow = times.seconds(from: place(0, 0), to: place(0, 3_000), hour: 8)
        let usual = times.seconds(from: place(20_000, 0), to: place(20_000, 3_000), hour: 8)
        #expect(times.ways == 120)
        // Neither too little nor too much: 1.5, told 5 % shorter.
        #expect(slow > before * 1.3 && slow < before * 1.55, "\(slow) of \(before)")
        #expect(abs(usual / before - 1) < 0.1, "\(usual) of \(before)")
    }

    @Test("One way that took ten times as long, and a driver that teaches nonsense once, are hardly heard")
    func robust() {
        var times = TravelTimes()
        for _ in 0..<40 { times.learn(drive(0, 3_000, seconds: 470), hour: { _ in 8 }) }
        let usual = times.seconds(from: place(0, 0), to: place(0, 3_000), hour: 8)
        times.learn(drive(0, 3_000, seconds: 4_700), hour: { _ in 8 })
        times.learn(drive(0, 3_000, seconds: 1_500), hour: { _ in 8 })
        times.learn(drive(0, 0, seconds: 1_000), hour: { _ in 8 })
        let after = times.seconds(from: place(0, 0), to: place(0, 3_000), hour: 8)
        #expect(abs(after / usual - 1) < 0.1, "\(after) of \(usual)")
    }

    @Test("Nine invented ways among three hundred move little; what really changes is followed in time")
    func poison() {
        var times = TravelTimes()
        for _ in 0..<300 { times.learn(drive(0, 3_000, seconds: 470), hour: { _ in 8 }) }
        func told() -> Double { times.seconds(from: place(0, 0), to: place(0, 3_000), hour: 8) }
        let usual = told()
        for _ in 0..<9 { times.learn(drive(0, 3_000, seconds: 1_000), hour: { _ in 8 }) }
        #expect(told() < usual * 1.08, "\(told()) of \(usual)")
        for _ in 0..<400 { times.learn(drive(0, 3_000, seconds: 700), hour: { _ in 8 }) }
        #expect(told() > usual * 1.3, "\(told()) of \(usual)")
    }

    @Test("A way leads from one square to another; neighbours in a square have the same")
    func squares() throws {
        // In the south-west, where whole numbers are below zero.
        let start = GeoPoint(lat: -33.45, lon: -70.66)
        // Of a kilometre to the east.
        let degrees = 1_000 / GeoPoint.metresPerDegree / 0.8344
        func way(to end: GeoPoint) -> TravelledWay {
            TravelledWay(places: [.init(start, at: 0), .init(end, at: 60_000)])
        }
        let first = try #require(way(to: GeoPoint(lat: -33.45, lon: -70.66 + degrees * 5)).squares(of: 1_000))
        let second = try #require(way(to: GeoPoint(lat: -33.45, lon: -70.66 + degrees * 6)).squares(of: 1_000))
        #expect(first.start == second.start && first.start != first.end)
        let place = first.end.split(separator: ",").compactMap { Int($0) }
        #expect(place.count == 2 && second.end == "\(place[0]),\(place[1] + 1)")
        #expect(way(to: start).squares(of: 1_000)?.end == first.start)
        #expect(TravelledWay(places: [.init(start, at: 0)]).squares(of: 1_000) == nil)
    }

    @Test("Bounds hold eight of ten: they become as wide as the ways differ")
    func bounds() {
        var even = TravelTimes()
        var uneven = TravelTimes()
        for number in 0..<200 {
            even.learn(drive(0, 3_000, seconds: 470), hour: { _ in 8 })
            uneven.learn(drive(0, 3_000, seconds: 300 + number % 10 * 40), hour: { _ in 8 })
        }
        for times in [even, uneven] {
            let seconds = times.seconds(from: place(0, 0), to: place(0, 3_000), hour: 8)
            let bounds = times.bounds(seconds)
            #expect(bounds.early <= seconds && bounds.late >= seconds)
        }
        func width(_ times: TravelTimes) -> Double { times.bounds(470).late - times.bounds(470).early }
        #expect(width(uneven) > width(even) * 2)
        let untaught = TravelTimes().bounds(600)
        #expect(untaught.early < 400 && untaught.late > 900)
    }

    @Test("A way keeps a place every half minute, fewer of a long one, and where it ended")
    func ways() {
        let short = drive(0, 3_000, seconds: 470)
        #expect(short.places.count == 17 && short.durationMs == 470_000)
        let long = drive(0, 30_000, seconds: 7_200)
        #expect(long.places.count <= 33 && long.durationMs == 7_200_000)
        #expect(long.places.last?.point == place(0, 30_000))
        var broken = TravelledWay()
        broken.pass(here, at: 0)
        broken.pass(here, at: 60_000)
        broken.pass(place(0, 100), at: 300_000)
        broken.pass(place(0, 200), at: 330_000)
        broken.pass(place(0, 900), at: 330_000)
        #expect(broken.finished.durationMs == 30_000, "what came before the gap is forgotten")
        #expect(broken.finished.places.last?.point == place(0, 200), "of two at the same time the first counts")
        broken.pass(place(0, 300), at: 1_000)
        #expect(broken.finished.durationMs == 0, "so it is when a clock goes back")
    }

    @Test("A way comes back from its text, with the times of the hub's clock")
    func text() throws {
        let way = drive(0, 3_000, seconds: 470)
        let read = try #require(TravelledWay(text: Array(way.text(endedAt: monday8).utf8)))
        #expect(read.places.count == way.places.count)
        #expect(read.places.last?.at == monday8 && read.durationMs == way.durationMs)
        for (one, other) in zip(read.places, way.places) { #expect(one.point.distance(to: other.point) < 2) }
    }

    @Test(arguments: [
        "", "5", "5 0,1,2", "x 0,1,2 9,1,2", "5 0,1,2 9,1", "5 0,1,2 0,1,2", "5 9,1,2 0,1,2", "5 0,1,2 9,9000001,2",
        "5 0,1,2 9,1,18000001", "5 0,1,2 9999999,1,2", "5 0,1,2 9,1.5,2", "5 -1,1,2 9,1,2", "5 0,1,2 9,1,2 ",
        "5 0,1,2 9,1,2,3", "1234567890123456 0,1,2 9,1,2",
    ])
    func badText(text: String) {
        #expect(TravelledWay(text: Array(text.utf8)) == nil)
    }
}
