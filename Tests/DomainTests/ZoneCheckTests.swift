import Domain
import Testing

/// C17: a set of zones with a fault is refused with its place, or mended and told so.
struct ZoneCheckTests {
    private let sound = Square.zone("sound", south: 45, west: 9, north: 45.02, east: 9.02)

    private func problems(_ shapes: [ZoneShape], _ options: ZoneOptions = ZoneOptions()) -> [ZoneProblem] {
        do throws(ZoneSetError) {
            _ = try ZoneSet(shapes, options: options)
            return []
        } catch {
            return error.problems
        }
    }

    private func repaired(_ shapes: [ZoneShape]) throws -> ZoneSet {
        var options = ZoneOptions()
        options.repair = true
        return try ZoneSet(shapes, options: options)
    }

    /// The one problem of a zone "bad" with this outer ring beside a sound one.
    private func problem(_ ring: [GeoPoint]) throws -> ZoneProblem {
        let found = problems([sound, ZoneShape(id: "bad", polygons: [[ring]])])
        #expect(found.count == 1)
        return try #require(found.first)
    }

    @Test func soundZonesHaveNoProblems() {
        #expect(problems([sound]).isEmpty)
    }

    @Test("An unclosed ring is refused with both its ends, and closed")
    func unclosed() throws {
        let ring = Array(Square.ring(south: 45, west: 9.03, north: 45.02, east: 9.05).dropLast())
        let found = try problem(ring)
        #expect(found.kind == .notClosed && found.zone == "bad" && found.isRepairable)
        #expect(found.description.contains("45.0, 9.03") && found.description.contains("45.02, 9.03"))
        let zones = try repaired([sound, ZoneShape(id: "bad", polygons: [[ring]])])
        #expect(zones.repairs.map(\.zone) == ["bad"])
        #expect(zones.lookup(GeoPoint(lat: 45.01, lon: 9.04)) == .zone(1))
    }

    @Test("A ring of fewer than 4 points is refused; a zone of nothing else can't be mended")
    func tooFewPoints() throws {
        let line = Square.ring([(9.03, 45), (9.05, 45)])
        #expect(try problem(line).kind == .tooFewPoints)
        let island = Square.ring(south: 45, west: 9.06, north: 45.02, east: 9.08)
        let zones = try repaired([ZoneShape(id: "bad", polygons: [[line], [island]])])
        #expect(zones.repairs.count == 1)
        #expect(zones.lookup(GeoPoint(lat: 45.01, lon: 9.07)) == .zone(0))
        #expect(throws: ZoneSetError.self) { try repaired([ZoneShape(id: "bad", polygons: [[line]])]) }
    }

    @Test("A ring that crosses itself is refused with the place, and split there")
    func bowTie() throws {
        let ring = Square.ring([(9.03, 45), (9.05, 45.02), (9.05, 45), (9.03, 45.02)])
        let found = try problem(ring)
        #expect(found.kind == .selfIntersection && found.text.contains("45.01, 9.04"))
        let zones = try repaired([ZoneShape(id: "bad", polygons: [[ring]])])
        #expect(zones.repairs.count == 1 && zones.repairs[0].text.contains("2 rings"))
        #expect(zones.lookup(GeoPoint(lat: 45.01, lon: 9.032)) == .zone(0))
        #expect(zones.lookup(GeoPoint(lat: 45.01, lon: 9.048)) == .zone(0))
        #expect(zones.lookup(GeoPoint(lat: 45.018, lon: 9.04)) == .outside)
        // What was mended is sound.
        #expect(try ZoneSet(geoJSON: zones.geoJSON()).version == zones.version)
    }

    @Test("A ring that touches itself at a corner is refused, and split into what it encloses")
    func pinched() throws {
        // A square with a second one inside it, joined at a corner: the second is a hole.
        let ring = Square.ring([
            (9.03, 45), (9.05, 45), (9.05, 45.02), (9.03, 45.02), (9.03, 45), (9.035, 45.01), (9.04, 45.01),
            (9.04, 45.005),
        ])
        #expect(try problem(ring).kind == .selfIntersection)
        let zones = try repaired([ZoneShape(id: "bad", polygons: [[ring]])])
        #expect(zones.lookup(GeoPoint(lat: 45.008, lon: 9.038)) == .outside)
        #expect(zones.lookup(GeoPoint(lat: 45.015, lon: 9.045)) == .zone(0))
        #expect(try ZoneSet(geoJSON: zones.geoJSON()).version == zones.version)
    }

    @Test("Spikes are refused and left out; repeated points are harmless")
    func spikesAndRepetitions() throws {
        let spike = Square.ring([(9.03, 45), (9.05, 45), (9.05, 45.02), (9.05, 45.04), (9.05, 45.02), (9.03, 45.02)])
        #expect(try problem(spike).kind == .selfIntersection)
        let zones = try repaired([ZoneShape(id: "bad", polygons: [[spike]])])
        #expect(zones.lookup(GeoPoint(lat: 45.03, lon: 9.05)) == .outside)
        #expect(zones.lookup(GeoPoint(lat: 45.01, lon: 9.04)) == .zone(0))
        let twice = Square.ring([(9.03, 45), (9.03, 45), (9.05, 45), (9.05, 45.02), (9.05, 45.02), (9.03, 45.02)])
        #expect(problems([ZoneShape(id: "a", polygons: [[twice]])]).isEmpty)
    }

    @Test("Rings twisted many times over are mended into sound ones, with the inside that counting borders gives")
    func twisted() throws {
        for seed in 1...60 {
            var random = Random(seed: UInt64(seed))
            let points = (0..<Int.random(in: 5...14, using: &random)).map { _ in
                (random.within(9, 9.05), random.within(45, 45.04))
            }
            let zones = try repaired([ZoneShape(id: "bad", polygons: [[Square.ring(points)]])])
            #expect(try ZoneSet(geoJSON: zones.geoJSON()).repairs.isEmpty)
            let closed = points + [points[0]]
            for _ in 0..<300 {
                let (x, y) = (random.within(9, 9.05), random.within(45, 45.04))
                let point = GeoPoint(lat: y, lon: x)
                if zones.nearestZone(to: point, within: 1) != nil { continue }
                let crossed = zip(closed, closed.dropFirst()).count { a, b in
                    (a.1 > y) != (b.1 > y) && a.0 + (y - a.1) / (b.1 - a.1) * (b.0 - a.0) > x
                }
                #expect((zones.lookup(point) == .zone(0)) == (crossed % 2 == 1), "seed \(seed), \(point)")
            }
        }
    }

    @Test("Out of range, and latitude and longitude swapped")
    func range() throws {
        #expect(try problem(Square.ring([(100, 45), (100, 95), (101, 95)])).kind == .outOfRange)
        #expect(try problem(Square.ring([(9, 45), (.nan, 45.1), (10, 45)])).kind == .outOfRange)
        let swapped = try problem(Square.ring([(37.7, -122.4), (37.8, -122.4), (37.8, -122.3)]))
        #expect(swapped.kind == .swapped && swapped.text.contains("longitude first") && !swapped.isRepairable)
        // Where both are in range only the place of the city can tell.
        var options = ZoneOptions()
        options.near = GeoPoint(lat: 45.46, lon: 9.19)
        let milano = ZoneShape(id: "m", polygons: [[Square.ring([(45.4, 9.1), (45.5, 9.1), (45.5, 9.2)])]])
        #expect(problems([milano], options).map(\.kind) == [.swapped])
        let elsewhere = Square.zone("e", south: 51, west: 0, north: 51.1, east: 0.1)
        #expect(problems([elsewhere], options).map(\.kind) == [.farAway])
        #expect(problems([sound], options).isEmpty)
        let vast = Square.zone("v", south: -60, west: -20, north: 60, east: 20)
        #expect(problems([vast]).map(\.kind) == [.tooLarge])
    }

    @Test("Overlaps are refused with their size and place; repaired, the first by order has them")
    func overlaps() throws {
        let other = Square.zone("other", south: 45, west: 9.01, north: 45.02, east: 9.03)
        let found = problems([sound, other])
        #expect(found.map(\.kind) == [.overlap] && found[0].zone == "other")
        #expect(found[0].text.contains("\"sound\"") && found[0].text.contains("45.01, 9.015"))
        let shared = GeoPoint(lat: 45.01, lon: 9.015)
        let zones = try repaired([sound, other])
        #expect(zones.lookup(shared) == .zone(0))
        #expect(zones.repairs.count == 1)
        var options = ZoneOptions()
        options.repair = true
        options.priority = ["other"]
        #expect(try ZoneSet([sound, other], options: options).lookup(shared) == .zone(1))
        options.priority = ["nobody"]
        #expect(problems([sound], options).map(\.kind) == [.unknownPriority])
    }

    @Test("Of zones that all lie on each other not each pair is compared, and the first hundred are written out")
    func duplicates() throws {
        // 19,900 pairs.
        let shapes = (0..<200).map { Square.zone("z\($0)", south: 45, west: 9, north: 45.02, east: 9.02) }
        let found = problems(shapes)
        #expect(found.count == 1_001)
        #expect(found[0].description.contains("1000 overlaps were found"))
        let lines = ZoneSetError(found).lines
        #expect(lines.count == 101 && lines.last == "and 901 more")
        let zones = try repaired(shapes)
        #expect(zones.repairs.count == 1_001 && zones.zones.count == 200)
        #expect(zones.lookup(GeoPoint(lat: 45.01, lon: 9.01)) == .zone(0))
    }

    @Test("The size of an overlap is right for shapes of any kind")
    func overlapSize() {
        func isRefused(_ a: ZoneShape, _ b: ZoneShape, tolerance: Double) -> Bool {
            var options = ZoneOptions()
            options.overlapTolerance = tolerance
            return !problems([a, b], options).isEmpty
        }
        // A diamond over the corner of a square: a quarter of its 0.01° × 0.01° / 2.
        let diamond = ZoneShape(
            id: "d", polygons: [[Square.ring([(9.015, 45.02), (9.02, 45.015), (9.025, 45.02), (9.02, 45.025)])]])
        let unit = GeoPoint.metresPerDegree
        let expected = 0.005 * 0.005 / 2 * unit * unit * cosine(45.0183 * .pi / 180)
        #expect(isRefused(sound, diamond, tolerance: expected * 0.999))
        #expect(!isRefused(sound, diamond, tolerance: expected * 1.001))
        // Within a hole there is no overlap; across its edge there is.
        let frame = ZoneShape(
            id: "f",
            polygons: [
                [
                    Square.ring(south: 45, west: 9, north: 45.03, east: 9.03),
                    Square.ring(south: 45.01, west: 9.01, north: 45.02, east: 9.02),
                ]
            ])
        #expect(!isRefused(frame, Square.zone("i", south: 45.01, west: 9.01, north: 45.02, east: 9.02), tolerance: 0.5))
        #expect(
            isRefused(frame, Square.zone("i", south: 45.01, west: 9.01, north: 45.02, east: 9.0201), tolerance: 0.5))
    }

    @Test("Slivers within the tolerance are no fault, and belong to one zone")
    func slivers() throws {
        let other = Square.zone("other", south: 45, west: 9.019995, north: 45.02, east: 9.04)
        let zones = try ZoneSet([sound, other])
        #expect(zones.lookup(GeoPoint(lat: 45.01, lon: 9.019997)) == .zone(0))
    }

    @Test("The same id twice is refused; repaired, the features are parts of one zone")
    func duplicateIDs() throws {
        let second = Square.zone("sound", south: 45, west: 9.03, north: 45.02, east: 9.05)
        #expect(problems([sound, second]).map(\.kind) == [.duplicateID])
        let zones = try repaired([sound, second])
        #expect(zones.zones.count == 1)
        #expect(zones.lookup(GeoPoint(lat: 45.01, lon: 9.04)) == .zone(0))
    }

    @Test("A hole outside its ring is refused")
    func strayHole() {
        let hole = Square.ring(south: 45.01, west: 9.01, north: 45.03, east: 9.015)
        let shape = ZoneShape(id: "h", polygons: [sound.polygons[0] + [hole]])
        #expect(problems([shape]).map(\.kind) == [.misplacedHole])
    }

    /// In hundredths of a degree from 45, 9.
    private func ring(_ points: [(Double, Double)]) -> [GeoPoint] {
        Square.ring(points.map { (9 + $0.0 / 100, 45 + $0.1 / 100) })
    }

    private func square(_ west: Double, _ south: Double, _ east: Double, _ north: Double) -> [GeoPoint] {
        ring([(west, south), (east, south), (east, north), (west, north)])
    }

    @Test("Holes that lie one over the other, or half outside, are refused even when no corner is in the wrong place")
    func misplacedHoles() {
        let outer = square(0, 0, 10, 10)
        let notched = ring([(0, 0), (10, 0), (10, 10), (6, 10), (6, 4), (4, 4), (4, 10), (0, 10)])
        let dented = ring([(0, 0), (10, 0), (10, 10), (5, 5), (0, 10)])
        let broken: [(String, [[GeoPoint]])] = [
            ("outside", [outer, square(12, 2, 14, 4)]),
            ("half outside", [outer, square(8, 2, 14, 4)]),
            ("around the outer ring", [square(2, 2, 4, 4), outer]),
            ("nested, the larger first", [outer, square(2, 2, 7, 7), square(4, 4, 5, 5)]),
            ("nested, the smaller first", [outer, square(4, 4, 5, 5), square(2, 2, 7, 7)]),
            ("crossing like a plus", [outer, square(2, 4, 8, 6), square(4, 2, 6, 8)]),
            ("overlapping at a corner", [outer, square(2, 2, 5, 5), square(4, 4, 7, 7)]),
            ("twice the same", [outer, square(2, 2, 5, 5), square(2, 2, 5, 5)]),
            ("bridging a notch", [notched, square(2, 5, 8, 7)]),
            ("with all corners on the border", [dented, ring([(2, 8), (8, 8), (5, 2)])]),
        ]
        for (name, rings) in broken {
            let found = problems([ZoneShape(id: name, polygons: [rings])])
            #expect(found.map(\.kind) == [.misplacedHole], "\(name): \(found)")
        }
        #expect(problems([ZoneShape(id: "full", polygons: [[outer, outer]])]).map(\.kind) == [.empty])
    }

    @Test("Holes that touch are no fault, and count once")
    func touchingHoles() throws {
        let outer = square(0, 0, 10, 10)
        let sound: [(holes: [[GeoPoint]], share: Double)] = [
            ([square(2, 2, 4, 4), square(6, 6, 8, 8)], 0.92), ([square(2, 2, 4, 4), square(4, 2, 6, 4)], 0.92),
            ([square(0, 2, 4, 4)], 0.92), ([ring([(0, 5), (5, 3), (10, 5), (5, 7)])], 0.8),
            ([ring([(0, 5), (2, 4), (2, 6)])], 0.98),
        ]
        let whole = try ZoneSet([ZoneShape(id: "z", polygons: [[outer]])]).zones[0].area
        for (holes, share) in sound {
            let zones = try ZoneSet([ZoneShape(id: "z", polygons: [[outer] + holes])])
            #expect(abs(zones.zones[0].area / whole - share) < 0.001)
        }
    }

    @Test("All faults are told at once")
    func allAtOnce() {
        let open = Array(Square.ring(south: 45, west: 9.03, north: 45.02, east: 9.05).dropLast())
        let found = problems([
            ZoneShape(id: "a", polygons: [[open]]), ZoneShape(id: "b", polygons: [[Square.ring([(9, 95), (9, 45)])]]),
            sound,
            sound,
        ])
        #expect(Set(found.compactMap(\.zone)) == ["a", "b", "sound"])
        #expect(problems([]).map(\.kind) == [.noZones])
    }

    @Test("Overlaps are told together with rings that can be mended, not after those")
    func overlapsAtOnce() {
        let open = Array(Square.ring(south: 45, west: 9.01, north: 45.02, east: 9.03).dropLast())
        let found = problems([sound, ZoneShape(id: "b", polygons: [[open]])])
        #expect(found.map(\.kind) == [.notClosed, .overlap])
        // Whose hole lies elsewhere is not measured.
        let hole = Square.ring(south: 46, west: 9, north: 46.01, east: 9.01)
        let stray = ZoneShape(
            id: "c", polygons: [[Square.ring(south: 45, west: 9.01, north: 45.02, east: 9.03), hole]])
        #expect(problems([sound, stray]).map(\.kind) == [.misplacedHole])
    }

    @Test("A GeometryCollection is what its polygons are; what has no area is no part of it")
    func collection() throws {
        func collection(_ parts: String) -> String {
            #"{"features":[{"id":1,"geometry":{"type":"GeometryCollection","geometries":["# + parts + "]}}]}"
        }
        let square = #"{"type":"Polygon","coordinates":[[[9,45],[9.02,45],[9.02,45.02],[9,45.02],[9,45]]]}"#
        let other = #"{"type":"MultiPolygon","coordinates":[[[[9.1,45],[9.12,45],[9.12,45.02],[9.1,45.02],[9.1,45]]]]}"#
        let line = #"{"type":"LineString","coordinates":[[9,45],[9.5,45]]}"#
        let alone = try read(collection(square)).zones[0].area
        #expect(abs(try read(collection([square, line, other].joined(separator: ","))).zones[0].area - 2 * alone) < 10)
        for empty in ["", line] {
            let error = #expect(throws: ZoneSetError.self) { try read(collection(empty)) }
            #expect(error?.problems.map(\.kind) == [.notGeoJSON])
        }
    }

    private func read(_ text: String, _ options: ZoneOptions = ZoneOptions()) throws(ZoneSetError) -> ZoneSet {
        try ZoneSet(geoJSON: Array(text.utf8), options: options)
    }

    private func feature(id: String?, properties: String) -> String {
        let ring = "[[[9,45],[9.02,45],[9.02,45.02],[9,45.02],[9,45]]]"
        let member = id.map { "\"id\":\($0)," } ?? ""
        return """
            {"type":"FeatureCollection","features":[{"type":"Feature",\(member)"properties":{\(properties)},
             "geometry":{"type":"Polygon","coordinates":\(ring)}}]}
            """
    }

    @Test("Ids and names come from the feature, or from its properties")
    func ids() throws {
        #expect(try read(feature(id: "7", properties: "\"name\":\"Duomo\"")).zones[0].id == "7")
        #expect(try read(feature(id: "\"x\"", properties: "\"name\":\"Duomo\"")).zones[0].name == "Duomo")
        #expect(try read(feature(id: nil, properties: "\"ID_NIL\":88,\"NIL\":\"PORTO\"")).zones[0].id == "88")
        #expect(try read(feature(id: nil, properties: "\"name\":\"Seacliff\"")).zones[0].id == "Seacliff")
        var options = ZoneOptions()
        options.idProperty = "code"
        #expect(try read(feature(id: "7", properties: "\"code\":\"C\""), options).zones[0].id == "C")
        let error = #expect(throws: ZoneSetError.self) { try read(feature(id: nil, properties: "\"x\":1")) }
        #expect(error?.problems.map(\.kind) == [.missingID])
        // Zones around are named one a line.
        let broken = #expect(throws: ZoneSetError.self) {
            try read(feature(id: "\"a\\nb\"", properties: "\"name\":\"Duomo\""))
        }
        #expect(broken?.problems.map(\.kind) == [.missingID])
        // No command could name it; a name is shown without what nobody sees.
        let hidden = #expect(throws: ZoneSetError.self) {
            try read(feature(id: "\"a\u{200B}\"", properties: "\"name\":\"Duomo\""))
        }
        #expect(hidden?.problems.map(\.kind) == [.missingID])
        #expect(try read(feature(id: "7", properties: "\"name\":\"Du\u{AD}omo\u{FEFF}\"")).zones[0].name == "Duomo")
    }

    @Test(
        "What is no GeoJSON of zones is refused with the place",
        arguments: [
            ("{\"type\":\n\"FeatureCollection\" \"features\":[]}", "line 2"),
            ("[]", "features"),
            ("{\"features\":[]}", "no zone"),
            ("{\"features\":[{\"id\":1,\"geometry\":null}]}", "feature 1"),
            ("{\"features\":[{\"id\":1,\"geometry\":{\"type\":\"Point\",\"coordinates\":[9,45]}}]}", "Point"),
            ("{\"features\":[{\"id\":1,\"geometry\":{\"type\":\"Polygon\",\"coordinates\":[]}}]}", "rings"),
            ("{\"features\":[{\"id\":1,\"geometry\":{\"type\":\"Polygon\",\"coordinates\":[[[9]]]}}]}", "position"),
        ])
    func notGeoJSON(text: String, expected: String) {
        let error = #expect(throws: ZoneSetError.self) { try read(text) }
        #expect(error?.description.contains(expected) == true, "\(error?.description ?? "")")
    }
}
