import Domain
import Testing
import Wire

@Suite("Outlines of zones for maps")
struct ZoneOutlineTests {
    private struct Outline {
        let id: String
        let middle: GeoPoint
        /// Polygons of rings, each with its first corner again at its end.
        let polygons: [[[GeoPoint]]]

        func contains(_ point: GeoPoint) -> Bool {
            var isInside = false
            for ring in polygons.joined() {
                for (a, b) in zip(ring, ring.dropFirst()) where (a.lat > point.lat) != (b.lat > point.lat) {
                    let lon = a.lon + (point.lat - a.lat) / (b.lat - a.lat) * (b.lon - a.lon)
                    if lon > point.lon { isInside.toggle() }
                }
            }
            return isInside
        }
    }

    private static func outlines(_ set: ZoneSet, within metres: Double) throws -> [Outline] {
        let json = try JSONValue(parsing: set.outlines(within: metres))
        #expect(json["type"]?.text == "FeatureCollection")
        func place(_ json: JSONValue) throws -> GeoPoint {
            GeoPoint(lat: try #require(json[1]?.double), lon: try #require(json[0]?.double))
        }
        return try (json["features"]?.elements ?? []).map { feature in
            #expect(feature["geometry"]?["type"]?.text == "MultiPolygon")
            let polygons = feature["geometry"]?["coordinates"]?.elements ?? []
            return Outline(
                id: try #require(feature["properties"]?["zone"]?.text),
                middle: try place(try #require(feature["properties"]?["middle"])),
                polygons: try polygons.map { try ($0.elements ?? []).map { try ($0.elements ?? []).map(place) } })
        }
    }

    /// A square with a corner of `side` degrees at `south`, `west`, and corners every fifth of its sides, which wave by `wave` degrees.
    private static func square(_ id: String, _ south: Double, _ west: Double, _ side: Double, wave: Double = 0)
        -> ZoneShape
    {
        var ring: [GeoPoint] = []
        for (lat, lon, dlat, dlon) in [(0.0, 0.0, 0.0, 1.0), (0, 1, 1, 0), (1, 1, 0, -1), (1, 0, -1, 0)] {
            for step in 0..<5 {
                let part = Double(step) / 5
                let bend = step % 2 == 1 ? wave : 0
                ring.append(
                    GeoPoint(
                        lat: south + (lat + dlat * part) * side + dlon * bend,
                        lon: west + (lon + dlon * part) * side + dlat * bend))
            }
        }
        return ZoneShape(id: id, polygons: [[ring + ring.prefix(1)]])
    }

    @Test("Corners on a straight side are left out, and those that make the shape are kept")
    func straight() throws {
        let set = try ZoneSet([Self.square("a", 45, 9, 0.02)])
        let outline = try #require(try Self.outlines(set, within: 4).first)
        #expect(outline.polygons.map { $0.map(\.count) } == [[5]])
        #expect(outline.contains(outline.middle))
        // A wave of 22 m is none to be left out.
        let waved = try Self.outlines(try ZoneSet([Self.square("a", 45, 9, 0.02, wave: 0.0002)]), within: 4)
        #expect(waved[0].polygons[0][0].count > 15)
    }

    @Test("A zone that is smaller than what is left out stays as it is")
    func tiny() throws {
        let outlines = try Self.outlines(try ZoneSet([Self.square("a", 45, 9, 0.0002)]), within: 1000)
        #expect(outlines[0].polygons[0][0].count > 3)
    }

    private static let cities = [
        ("zones-milano-nil/nil.geojson", false), ("zones-sf/sf_planning_neighborhoods_37.geojson", true),
        ("zones-sf/sffind_neighborhoods_117.geojson", true),
    ]

    @Test(
        "Of real cities a part of the corners is left, and each place is in the zone that it was in",
        .enabled(
            if: TestData.exists(cities[0].0) && TestData.exists(cities[1].0), "no zones of cities in the test data"),
        arguments: cities)
    func real(file: String, isRepaired: Bool) throws {
        var options = ZoneOptions()
        options.repair = isRepaired
        let set = try ZoneSet(geoJSON: try TestData.bytes(file), options: options)
        let outlines = try Self.outlines(set, within: 4)
        #expect(outlines.map(\.id) == set.zones.map(\.id))
        func corners(_ json: [UInt8]) -> Int { json.count { $0 == UInt8(ascii: "[") } }
        #expect(corners(set.outlines(within: 4)) < corners(set.geoJSON()))
        var random = Random(seed: 17)
        var compared = 0
        for _ in 0..<1000 {
            let point = GeoPoint(
                lat: set.bounds.south + (set.bounds.north - set.bounds.south) * random.within(0, 1),
                lon: set.bounds.west + (set.bounds.east - set.bounds.west) * random.within(0, 1))
            // Nearer to a border it may be on its other side: what is left out, and the rounding to a metre.
            guard set.nearestBorder(to: point, within: 6) == nil else { continue }
            compared += 1
            let found = outlines.filter { $0.contains(point) }.map(\.id)
            switch set.lookup(point) {
            case .zone(let zone): #expect(found == [set.zones[zone].id])
            default: #expect(found.isEmpty)
            }
        }
        #expect(compared > 300)
        for (outline, zone) in zip(outlines, set.zones) { #expect(outline.contains(outline.middle), "\(zone.id)") }
    }
}
