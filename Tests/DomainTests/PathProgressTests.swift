import Testing

@testable import Domain

/// How far a minibus is along what it goes, and in which direction (M3, C52).
@Suite("M3: progress along a way")
struct PathProgressTests {
    private static func at(_ north: Double, _ east: Double = 0) -> GeoPoint {
        LocalFrame(origin: GeoPoint(lat: 45.461, lon: 9.182)).point(PlanePoint(x: east, y: north))
    }

    /// Drives at 10 m/s with a fix every 50 m, the first where it begins.
    private final class Car {
        var progress: PathProgress
        var place: (north: Double, east: Double)
        var time: Int64 = 1_800_000_000_000

        init(_ progress: PathProgress, _ north: Double, _ east: Double = 0) {
            self.progress = progress
            place = (north, east)
            fix()
        }

        func fix() { progress.moved(to: at(place.north, place.east), at: time) }

        func drive(_ north: Double, _ east: Double = 0) {
            let length = at(place.north, place.east).distance(to: at(north, east))
            let steps = max(1, Int((length / 50).rounded()))
            let start = place
            for step in 1...steps {
                let part = Double(step) / Double(steps)
                place = (start.north + (north - start.north) * part, start.east + (east - start.east) * part)
                time += 5000
                fix()
            }
        }

        /// Metres by pattern; of an announced way under "".
        var metres: [String: Int] {
            if let metres = Int(progress.text) { return ["": metres] }
            return Dictionary(
                uniqueKeysWithValues: PathProgress.parts(of: progress.text).map { (String($0.id), $0.metres) })
        }
    }

    /// About so many metres.
    private func expect(_ metres: Int?, _ expected: Int, at location: SourceLocation = #_sourceLocation) throws {
        #expect(abs(try #require(metres) - expected) <= 10, "\(metres ?? -1)", sourceLocation: location)
    }

    private func route(_ patterns: [String: [GeoPoint]]) -> [RoutePattern] {
        patterns.compactMap { RoutePattern(id: $0.key, shape: $0.value) }
    }

    private var outAndBack: [RoutePattern] {
        route(["out": [Self.at(0), Self.at(3000)], "in": [Self.at(3000, 12), Self.at(0, 12)]])
    }

    @Test("C52: out and back on one street are two passes; at the end of a round it begins anew")
    func round() throws {
        let way = try #require(LineShape([Self.at(0), Self.at(2000), Self.at(0)]))
        let car = Car(PathProgress(way: way, reach: 1000), 0)
        car.drive(1000)
        try expect(Int(car.progress.text), 1000)
        car.drive(2000)
        car.drive(1000)
        try expect(Int(car.progress.text), 3000)
        // Another worker takes the driver over.
        let later = Car(PathProgress(way: way, reach: 1000, known: car.progress.text), 1000)
        try expect(Int(later.progress.text), 3000)
        later.drive(900)
        try expect(Int(later.progress.text), 3100)
        later.drive(0)
        later.drive(200)
        try expect(Int(later.progress.text), 200)
    }

    @Test("who drives back to the start has passed until it begins again; a street beside its straight way is its way")
    func back() throws {
        let way = try #require(LineShape([Self.at(0), Self.at(3000)]))
        let car = Car(PathProgress(way: way, reach: 1000), 0, 300)
        car.drive(2000, 400)
        try expect(car.metres[""], 2000)
        car.drive(3000)
        car.drive(200)
        #expect(try #require(car.metres[""]) > 2900)
        car.drive(0)
        #expect(try #require(car.metres[""]) > 2900, "it has not turned yet")
        car.drive(100)
        #expect(try #require(car.metres[""]) <= 110)
    }

    @Test("a device's clock that is set back does not stop it")
    func clockSetBack() throws {
        let way = try #require(LineShape([Self.at(0), Self.at(2000), Self.at(0)]))
        let car = Car(PathProgress(way: way, reach: 1000), 0)
        car.drive(2000)
        car.drive(1500)
        car.time -= 3_600_000
        car.drive(1000)
        try expect(car.metres[""], 3000)
    }

    @Test("standing still or jittering does not pass")
    func standing() throws {
        let way = try #require(LineShape([Self.at(0), Self.at(3000)]))
        let car = Car(PathProgress(way: way, reach: 1000), 0)
        car.drive(1000)
        var random = Random(seed: 7)
        for _ in 0..<200 {
            car.place = (1000 + .random(in: -12...12, using: &random), .random(in: -12...12, using: &random))
            car.time += 15_000
            car.fix()
        }
        #expect(try #require(car.metres[""]) < 1000 + 25)
    }

    @Test("the direction is that in which it moves; before it moves, and at a terminus, it may be either")
    func directions() throws {
        let car = Car(try #require(PathProgress(route: outAndBack)), 1000)
        #expect(car.metres == ["out": 1000, "in": 2000])
        car.drive(1100)
        #expect(car.metres.keys.sorted() == ["out"])
        car.drive(2500)
        try expect(car.metres["out"], 2500)
        #expect(car.metres.count == 1)
        car.drive(3000)
        let terminus = car.metres
        #expect(terminus.keys.sorted() == ["in", "out"])
        #expect(try #require(terminus["in"]) < 50 && #require(terminus["out"]) > 2900)
        car.drive(2800)
        #expect(car.metres.keys.sorted() == ["in"])
        try expect(car.metres["in"], 200)
        // It turns round half-way.
        car.drive(1500)
        car.drive(1900)
        #expect(car.metres.keys.sorted() == ["out"])
        try expect(car.metres["out"], 1900)
    }

    @Test("what another worker knew of the direction counts until it is shown to be wrong")
    func takenOver() throws {
        let car = Car(try #require(PathProgress(route: outAndBack, known: "in@1200")), 1790)
        #expect(car.metres.keys.sorted() == ["in"])
        car.drive(2000)
        #expect(car.metres.keys.sorted() == ["out"])
        let elsewhere = Car(try #require(PathProgress(route: outAndBack, known: "in@1200")), 1000, 5000)
        #expect(elsewhere.progress.text == "in@1200")
    }

    @Test(
        "variants that share a street are both what it goes, until they part; beside all nobody knows more than before")
    func variants() throws {
        let routePatterns = route([
            "long": [Self.at(0), Self.at(3000)], "branch": [Self.at(0), Self.at(1500), Self.at(1500, 2000)],
        ])
        let car = Car(try #require(PathProgress(route: routePatterns)), 0)
        car.drive(1000)
        #expect(car.metres.keys.sorted() == ["branch", "long"])
        car.drive(1500)
        car.drive(1500, 800)
        #expect(car.metres.keys.sorted() == ["branch"])
        #expect(PathProgress(route: []) == nil)
        #expect(RoutePattern(id: "a b", shape: [Self.at(0), Self.at(1)]) == nil)
        #expect(PathProgress.text(on: "p,1", metres: 5).isEmpty && PathProgress.text(on: "p1", metres: 5.9) == "p1@5")
    }
}
