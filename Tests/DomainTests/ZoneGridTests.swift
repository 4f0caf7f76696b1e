import Domain
import Testing

struct ZoneGridTests {
    /// Every ring closed, outer ones counter-clockwise, holes clockwise.
    private func isOriented(_ shape: ZoneShape) -> Bool {
        shape.polygons.allSatisfy { rings in
            rings.enumerated().allSatisfy { index, ring in
                var twice = 0.0
                for (a, b) in zip(ring, ring.dropFirst()) {
                    twice += (a.lon - ring[0].lon) * (b.lat - ring[0].lat)
                    twice -= (b.lon - ring[0].lon) * (a.lat - ring[0].lat)
                }
                return ring.first == ring.last && (twice > 0) == (index == 0)
            }
        }
    }

    /// Loads the zones without repair, so that they must be sound, and compares them with their outline.
    private func check(_ outline: [UInt8], zoneArea: Double = 2_000_000) throws -> ZoneSet {
        let grid = try ZoneGrid(outline: outline, zoneArea: zoneArea)
        var options = ZoneOptions()
        options.overlapTolerance = 1
        let zones = try ZoneSet(geoJSON: grid.geoJSON, options: options)
        #expect(zones.zones.map(\.id) == (1...grid.zones.count).map { "\($0)" })
        #expect(grid.zones.allSatisfy(isOriented))
        #expect(zones.version == (try ZoneSet(grid.zones).version), "written and read are the same")

        let whole = try ZoneSet([ZoneShape(id: "all", polygons: Self.polygons(outline))])
        let area = zones.zones.reduce(0) { $0 + $1.area }
        #expect(abs(area - whole.zones[0].area) < 1e-4 * area)
        let points = Self.polygons(outline).flatMap { $0 }.flatMap { $0 }
        let (south, north) = (points.map(\.lat).min()!, points.map(\.lat).max()!)
        let (west, east) = (points.map(\.lon).min()!, points.map(\.lon).max()!)
        var random = Random(seed: 3)
        var inside = 0
        for _ in 0..<20_000 {
            let point = GeoPoint(lat: random.within(south, north), lon: random.within(west, east))
            let isInside = whole.lookup(point) == .zone(0)
            inside += isInside ? 1 : 0
            // The outline itself may move by half a unit of the grid where it is cut.
            if isInside != (zones.lookup(point) != .outside) {
                #expect(whole.distanceToBorder(of: 0, from: point, within: 0.5) != nil, "\(point)")
            }
        }
        #expect(inside > 5000)
        return zones
    }

    /// Reads back what the tests write: a Polygon with its rings as (lon, lat).
    private static func polygons(_ outline: [UInt8]) -> [[[GeoPoint]]] {
        let text = String(decoding: outline, as: UTF8.self)
        let coordinates = text.drop { $0 != "[" }
        let numbers = coordinates.split { !"-.0123456789]".contains($0) }
        var rings: [[GeoPoint]] = [[]]
        var pending: [Double] = []
        for token in numbers {
            if let number = Double(token.filter { $0 != "]" }) { pending.append(number) }
            if pending.count == 2 {
                rings[rings.count - 1].append(GeoPoint(lat: pending[1], lon: pending[0]))
                pending = []
            }
            if token.hasSuffix("]]") { rings.append([]) }
        }
        return [rings.filter { !$0.isEmpty }]
    }

    private func polygon(_ rings: [[(Double, Double)]]) -> [UInt8] {
        let text = rings.map { ring in
            "[" + (ring + [ring[0]]).map { "[\($0.0),\($0.1)]" }.joined(separator: ",") + "]"
        }.joined(separator: ",")
        return Array("{\"type\":\"Polygon\",\"coordinates\":[\(text)]}".utf8)
    }

    @Test("Q1: a plain square becomes squares of 2 km²")
    func square() throws {
        let zones = try check(polygon([[(9, 45), (9.1, 45), (9.1, 45.07), (9, 45.07)]]))
        #expect(zones.zones.count == 30)
        #expect(zones.zones.allSatisfy { $0.area > 1.8e6 && $0.area < 2.2e6 })
    }

    @Test("Q1: a crooked outline with a bay and a lake is covered without hole or double")
    func crooked() throws {
        let outline = polygon([
            [
                (9.0, 45.0), (9.06, 45.004), (9.1, 44.99), (9.13, 45.03), (9.07, 45.035), (9.069, 45.041),
                (9.14, 45.05), (9.1, 45.09), (9.05, 45.07), (9.01, 45.1), (8.97, 45.05), (9.02, 45.045), (8.98, 45.02),
            ],
            [(9.03, 45.03), (9.035, 45.05), (9.05, 45.052), (9.05, 45.03)],
        ])
        let zones = try check(outline)
        #expect(zones.lookup(GeoPoint(lat: 45.04, lon: 9.042)) == .outside, "in the lake")
        #expect(zones.zones.allSatisfy { $0.area > 0.9e6 && $0.area < 3.6e6 })
        #expect(try check(outline, zoneArea: 500_000).zones.count > 100)
        #expect(try check(outline, zoneArea: 1e12).zones.count == 1)
    }

    @Test("Random star-shaped outlines are cut into sound zones")
    func stars() throws {
        for seed in 1...12 {
            var random = Random(seed: UInt64(seed))
            let count = 9 + seed * 3
            let ring = (0..<count).map { index in
                let angle = 2 * Double.pi * Double(index) / Double(count)
                let radius = random.within(0.02, 0.06)
                return (151.2 + radius * cosine(angle), -33.8 + radius * sine(angle))
            }
            _ = try check(polygon([ring]), zoneArea: 1_000_000)
        }
    }

    @Test("C16: a city across the antimeridian is cut like any other")
    func antimeridian() throws {
        let outline = polygon([[(179.97, -16.8), (-179.95, -16.81), (-179.96, -16.74), (179.98, -16.75)]])
        let grid = try ZoneGrid(outline: outline)
        let zones = try ZoneSet(geoJSON: grid.geoJSON)
        #expect(zones.zones.count > 20)
        for lon in [179.99, -179.99, 180, -180] {
            #expect(zones.lookup(GeoPoint(lat: -16.78, lon: lon)) != .outside)
        }
        #expect(zones.lookup(GeoPoint(lat: -16.78, lon: 0)) == .outside)
        #expect(zones.lookup(GeoPoint(lat: -16.78, lon: 180)) == zones.lookup(GeoPoint(lat: -16.78, lon: -180)))
    }

    @Test("An outline that isn't one is refused with the reason")
    func badOutlines() {
        #expect(throws: ZoneSetError.self) { try ZoneGrid(outline: Array("{}".utf8)) }
        #expect(throws: ZoneSetError.self) { try ZoneGrid(outline: Array("nonsense".utf8)) }
        #expect(throws: ZoneSetError.self) {
            try ZoneGrid(outline: polygon([[(9, 45), (9.1, 45.1), (9.1, 45), (9, 45.1)]]))
        }
    }

    @Test("Q1: the example city is what its outline gives, 30 to 40 zones of about 2 km²")
    func example() throws {
        let outline = try TestData.bytes(ofPackageFile: "config/zones-example-outline.geojson")
        let zones = try check(outline)
        #expect(zones.zones.count >= 30 && zones.zones.count <= 40)
        let mean = zones.zones.reduce(0) { $0 + $1.area } / Double(zones.zones.count)
        #expect(mean > 1.8e6 && mean < 2.3e6)
        let shipped = try TestData.bytes(ofPackageFile: "config/zones-example.geojson")
        #expect(shipped == (try ZoneGrid(outline: outline).geoJSON))
    }
}
