import Domain
import Testing

struct GeoPointTests {
    /// Published great-circle distances on the mean sphere.
    @Test func haversineGivesKnownDistances() {
        let milano = GeoPoint(lat: 45.464211, lon: 9.191383)
        let roma = GeoPoint(lat: 41.902782, lon: 12.496366)
        #expect(abs(milano.distance(to: roma) - 477_000) < 1500)
        #expect(milano.distance(to: milano) == 0)
        let quarter = GeoPoint(lat: 0, lon: 0).distance(to: GeoPoint(lat: 90, lon: 0))
        #expect(abs(quarter - GeoPoint.earthRadius * .pi / 2) < 1e-3)
        let antipode = GeoPoint(lat: 12, lon: 34).distance(to: GeoPoint(lat: -12, lon: -146))
        #expect(abs(antipode - GeoPoint.earthRadius * .pi) < 1)
    }

    @Test func distancesAreSymmetricAndFitTheLocalFrame() {
        var random = Random(seed: 1)
        for _ in 0..<2000 {
            let a = GeoPoint(lat: random.within(-80, 80), lon: random.within(-180, 180))
            let frame = LocalFrame(origin: a)
            let b = frame.point(PlanePoint(x: random.within(-1500, 1500), y: random.within(-1500, 1500)))
            #expect(abs(a.distance(to: b) - b.distance(to: a)) < 1e-6)
            // At 80° the frame's flatness costs up to a thousandth.
            #expect(abs(a.distance(to: b) - frame.project(b).length) < 2.5)
        }
    }

    @Test("C16: longitudes wrap at the antimeridian, and cos(lat) at the poles never divides by zero")
    func antimeridianAndPoles() {
        let west = GeoPoint(lat: -16.5, lon: 179.999)
        let east = GeoPoint(lat: -16.5, lon: -179.999)
        #expect(west.distance(to: east) < 250)
        #expect(LocalFrame(origin: west).project(east).x > 0)
        #expect(abs(LocalFrame(origin: west).project(east).length - west.distance(to: east)) < 0.5)
        #expect(GeoPoint.wrappedDegrees(359) == -1)
        #expect(GeoPoint.wrappedDegrees(-359) == 1)
        #expect(GeoPoint.wrappedDegrees(180) == 180)

        let across = Approach(to: GeoPoint(lat: -16.5, lon: 180), from: west, to: east)
        #expect(across.distance < 0.001)
        #expect(abs(across.fraction - 0.5) < 1e-6)

        let pole = LocalFrame(origin: GeoPoint(lat: 90, lon: 0))
        let moved = pole.point(PlanePoint(x: 10, y: -10))
        #expect(moved.lat.isFinite && moved.lon.isFinite && abs(moved.lat) <= 90 && abs(moved.lon) <= 180)
        #expect(pole.project(GeoPoint(lat: 89.9999, lon: 180)).length < 30)
    }

    @Test("C10: distance to a segment is clamped to its ends")
    func approachIsClamped() {
        let a = PlanePoint(x: -30, y: 15)
        let b = PlanePoint(x: 45, y: 15)
        #expect(abs(Approach(from: a, to: b).distance - 15) < 1e-12)
        #expect(abs(Approach(from: a, to: b).fraction - 0.4) < 1e-12)
        let beyond = Approach(from: PlanePoint(x: 10, y: 0), to: PlanePoint(x: 40, y: 0))
        #expect(beyond.distance == 10 && beyond.fraction == 0)
        let before = Approach(from: PlanePoint(x: -40, y: 0), to: PlanePoint(x: -10, y: 0))
        #expect(before.distance == 10 && before.fraction == 1)
        let still = Approach(from: a, to: a)
        #expect(still.fraction == 1 && still.distance == a.length)
    }

    @Test func entryIsTheFirstCrossing() throws {
        let start = PlanePoint(x: -100, y: 0)
        let end = PlanePoint(x: 100, y: 0)
        let entry = try #require(Approach.entry(from: start, to: end, radius: 20))
        #expect(abs(entry - 0.4) < 1e-12)
        #expect(Approach.entry(from: PlanePoint(x: 5, y: 0), to: end, radius: 20) == 0)
        #expect(Approach.entry(from: PlanePoint(x: -100, y: 21), to: PlanePoint(x: 100, y: 21), radius: 20) == nil)
        #expect(Approach.entry(from: start, to: PlanePoint(x: -50, y: 0), radius: 20) == nil)
        #expect(Approach.entry(from: start, to: start, radius: 20) == nil)
    }
}
