import Domain
import Testing

struct ZoneTrackerTests {
    /// Two squares of about 1.5 km side by side, "west" and "east", with nothing around them.
    private let zones: ZoneSet
    private let corner = GeoPoint(lat: 45.46, lon: 9.18)
    private let start: Int64 = 1_795_210_199_000

    init() throws {
        zones = try ZoneSet([
            Square.zone("west", south: 45.45, west: 9.16, north: 45.47, east: 9.18),
            Square.zone("east", south: 45.45, west: 9.18, north: 45.47, east: 9.20),
        ])
    }

    /// So many metres east and north of the middle of the common border.
    private func fix(_ s: Double, x: Double, y: Double = 0, accuracy: Double? = 10) -> Fix {
        Fix(
            LocalFrame(origin: corner).point(PlanePoint(x: x, y: y)), at: start + Int64(s * 1000), accuracy: accuracy)
    }

    private func moves(_ fixes: [Fix], settings: ZoneTracker.Settings = .init()) -> [ZoneMove] {
        var tracker = ZoneTracker(zone: 0)
        return fixes.map { tracker.update($0, zones: zones, settings: settings) }
    }

    @Test("C19 Q6: three fixes in a row in another zone, by more than the accuracy, switch; two don't")
    func switching() {
        let three = moves([fix(0, x: -50), fix(10, x: 20), fix(20, x: 40), fix(30, x: 90), fix(40, x: 120)])
        #expect(three == [.stay, .stay, .stay, .switch(to: 1), .stay])
        #expect(
            moves([fix(0, x: 20), fix(10, x: 20), fix(20, x: -5), fix(30, x: 20), fix(40, x: 20)])
                .allSatisfy { $0 == .stay }, "coming back starts anew")
    }

    @Test("C19: outside by no more than the accuracy never counts, however often")
    func withinAccuracy() {
        #expect(moves((0..<20).map { fix(Double($0) * 60, x: 9) }).allSatisfy { $0 == .stay })
        #expect(moves((0..<20).map { fix(Double($0) * 60, x: 45, accuracy: 50) }).allSatisfy { $0 == .stay })
        #expect(moves((0..<3).map { fix(Double($0), x: 9, accuracy: 5) }).last == .switch(to: 1))
        #expect(moves((0..<3).map { fix(Double($0), x: 9, accuracy: nil) }).last == .stay, "unstated is 10 m")
    }

    @Test("C19: a margin larger than the accuracy counts")
    func margin() {
        var settings = ZoneTracker.Settings()
        settings.margin = 50
        #expect(moves((0..<9).map { fix(Double($0), x: 45) }, settings: settings).allSatisfy { $0 == .stay })
        #expect(moves((0..<3).map { fix(Double($0), x: 55) }, settings: settings).last == .switch(to: 1))
    }

    @Test("C19: two fixes 180 s apart outside are enough, one never is")
    func byTime() {
        #expect(moves([fix(0, x: 30), fix(179, x: 30)]) == [.stay, .stay])
        #expect(moves([fix(0, x: 30), fix(180, x: 30)]) == [.stay, .switch(to: 1)])
        #expect(moves([fix(0, x: -30), fix(1000, x: 30)]) == [.stay, .stay], "silence before doesn't count")
    }

    @Test("C19: outside every zone leaves the queue")
    func leaving() {
        #expect(moves([fix(0, x: -500, y: 1200), fix(10, x: -500, y: 1210), fix(20, x: -500, y: 1220)]).last == .leave)
        #expect(moves([fix(0, x: -500, y: 1200), fix(10, x: -500, y: 1210), fix(20, x: 300)]).last == .switch(to: 1))
        #expect(
            moves([fix(0, x: 300), fix(10, x: 300), fix(20, x: -500, y: 1200)]).last == .stay,
            "one fix outside doesn't turn a move into a departure: it takes three outside every zone")
    }

    @Test("C19: outside every zone, but no farther from one than the accuracy, counts for that one")
    func nearTheEdgeOfAnother() {
        // The northern edge of both zones is 1,112 m north of the corner point.
        #expect(moves((0..<3).map { fix(Double($0), x: 300, y: 1117) }).last == .switch(to: 1))
        #expect(moves((0..<3).map { fix(Double($0), x: 300, y: 1140) }).last == .leave)
    }

    @Test("C18: unknown is never outside, and forgets nothing")
    func unknown() {
        var tracker = ZoneTracker(zone: 0)
        for s in 0..<100 { #expect(tracker.update(fix(Double(s), x: 9000), zones: nil) == .stay) }
        var other = ZoneTracker(zone: 0)
        _ = other.update(fix(0, x: 40), zones: zones)
        _ = other.update(fix(1, x: 40), zones: nil)
        _ = other.update(fix(2, x: 40), zones: zones)
        #expect(other.update(fix(3, x: 40), zones: zones) == .switch(to: 1))
        let none: ZoneSet? = nil
        #expect(none.lookup(corner) == .unknown)
    }

    @Test("C18: a new set of zones keeps the place under its new index")
    func rezone() throws {
        var tracker = ZoneTracker(zone: 0)
        _ = tracker.update(fix(0, x: 40), zones: zones)
        _ = tracker.update(fix(1, x: 40), zones: zones)
        let swapped = try ZoneSet([
            Square.zone("east", south: 45.45, west: 9.18, north: 45.47, east: 9.20),
            Square.zone("west", south: 45.45, west: 9.16, north: 45.47, east: 9.18),
        ])
        #expect(swapped.version != zones.version)
        tracker.rezone(to: try #require(swapped.index(ofID: "west")))
        #expect(tracker.update(fix(2, x: 40), zones: swapped) == .stay)
        #expect(tracker.update(fix(3, x: -40), zones: swapped) == .stay)
        #expect(tracker.zone == 1)
    }

    @Test("C19: a parked driver keeps the place through an hour of noise with a stated accuracy")
    func parked() {
        var random = Random(seed: 19)
        for _ in 0..<50 {
            var tracker = ZoneTracker(zone: 0)
            for s in stride(from: 0.0, to: 3600, by: 10) {
                let noisy = fix(s, x: -20 + random.normal(sigma: 10), y: random.normal(sigma: 10), accuracy: 12)
                #expect(tracker.update(noisy, zones: zones) == .stay)
            }
        }
    }
}
