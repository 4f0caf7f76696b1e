import Domain
import Testing

/// Q1 and C17: every point of the city lies in exactly one zone.
struct ZoneLookupTests {
    /// A sheet of triangles with shared corners, shaken so that no border is straight: the hard case for borders, as six
    /// zones meet in each corner. Corners have more digits than the grid, as in real files.
    private func sheet(_ random: inout Random, columns: Int, rows: Int) -> (zones: [ZoneShape], corners: [[GeoPoint]]) {
        let step = 0.01
        let corners = (0...rows).map { row in
            (0...columns).map { column in
                let isEdge = row == 0 || column == 0 || row == rows || column == columns
                let shake = isEdge ? 0 : step * 0.3
                return GeoPoint(
                    lat: 45.4 + Double(row) * step + random.within(-shake, shake.nextUp),
                    lon: 9.1 + Double(column) * step + random.within(-shake, shake.nextUp))
            }
        }
        var zones: [ZoneShape] = []
        for row in 0..<rows {
            for column in 0..<columns {
                let a = corners[row][column]
                let b = corners[row][column + 1]
                let c = corners[row + 1][column + 1]
                let d = corners[row + 1][column]
                zones.append(ZoneShape(id: "\(zones.count)", polygons: [[[a, b, c, a]]]))
                zones.append(ZoneShape(id: "\(zones.count)", polygons: [[[a, c, d, a]]]))
            }
        }
        return (zones, corners)
    }

    /// How many of the zones, each loaded alone and with nothing beyond its border, claim the point.
    private func claims(_ alone: [ZoneSet], _ point: GeoPoint) -> Int {
        alone.count { $0.lookup(point) != .outside }
    }

    private func alone(_ shapes: [ZoneShape]) throws -> [ZoneSet] {
        // One origin for all, as in one set: a far corner is added to none, so each uses its own; the grid's points are
        // the same, because origins are whole units.
        var options = ZoneOptions()
        options.reach = 0
        return try shapes.map { try ZoneSet([$0], options: options) }
    }

    @Test("C17: random points, corners and points of edges lie in exactly one zone, by the zones' own borders alone")
    func exactlyOne() throws {
        var random = Random(seed: 17)
        let (shapes, corners) = sheet(&random, columns: 5, rows: 4)
        let zones = try ZoneSet(shapes)
        let alone = try alone(shapes)
        func check(_ point: GeoPoint, _ what: String) {
            #expect(claims(alone, point) == 1, "\(what) \(point)")
            #expect(zones.lookup(point) != .outside)
        }
        for _ in 0..<5000 {
            check(GeoPoint(lat: random.within(45.4001, 45.4399), lon: random.within(9.1001, 9.1499)), "random")
        }
        for row in 1..<corners.count - 1 {
            for column in 1..<corners[row].count - 1 {
                let corner = corners[row][column]
                check(corner, "corner")
                for other in [corners[row][column + 1], corners[row + 1][column], corners[row + 1][column + 1]] {
                    for _ in 0..<50 {
                        let t = random.within(0, 1)
                        check(
                            GeoPoint(
                                lat: corner.lat + t * (other.lat - corner.lat),
                                lon: corner.lon + t * (other.lon - corner.lon)), "edge")
                    }
                }
            }
        }
    }

    @Test("C17: points exactly on borders along meridians and parallels, and on corners, lie in exactly one zone")
    func alongTheGrid() throws {
        var shapes: [ZoneShape] = []
        for row in 0..<3 {
            for column in 0..<3 {
                shapes.append(
                    Square.zone(
                        "\(row)\(column)", south: 45 + Double(row) / 50, west: 9 + Double(column) / 50,
                        north: 45 + Double(row + 1) / 50, east: 9 + Double(column + 1) / 50))
            }
        }
        let zones = try ZoneSet(shapes)
        let alone = try alone(shapes)
        for step in 1..<30 {
            for line in [1.0, 2.0] {
                let onMeridian = GeoPoint(lat: 45 + Double(step) / 500, lon: 9 + line / 50)
                let onParallel = GeoPoint(lat: 45 + line / 50, lon: 9 + Double(step) / 500)
                for point in [onMeridian, onParallel] {
                    #expect(claims(alone, point) == 1)
                    #expect(zones.lookup(point) != .outside)
                }
            }
        }
    }

    @Test("Q1: points on the outer border are in the city, a metre outside they aren't")
    func outerBorder() throws {
        let zones = try ZoneSet([Square.zone("a", south: 45, west: 9, north: 45.02, east: 9.02)])
        for t in stride(from: 0.0, through: 0.02, by: 0.0005) {
            for point in [
                GeoPoint(lat: 45 + t, lon: 9), GeoPoint(lat: 45 + t, lon: 9.02), GeoPoint(lat: 45, lon: 9 + t),
                GeoPoint(lat: 45.02, lon: 9 + t),
            ] { #expect(zones.lookup(point) == .zone(0)) }
        }
        #expect(zones.lookup(GeoPoint(lat: 45.02001, lon: 9.01)) == .outside)
        #expect(zones.lookup(GeoPoint(lat: 45.01, lon: 8.99999)) == .outside)
    }

    @Test("C17: a neighbour's additional corner on a shared edge (T-junction) opens no hole and makes no double")
    func tJunctions() throws {
        var random = Random(seed: 71)
        for _ in 0..<40 {
            // One zone below a slanted edge, three above it, whose corners on it are rounded as files round them.
            let left = GeoPoint(lat: 45 + random.within(0, 0.003), lon: 9)
            let right = GeoPoint(lat: 45 + random.within(0, 0.003), lon: 9.03)
            func between(_ t: Double, digits: Double) -> GeoPoint {
                func round(_ x: Double) -> Double { (x * digits).rounded() / digits }
                return GeoPoint(
                    lat: round(left.lat + t * (right.lat - left.lat)), lon: round(left.lon + t * (right.lon - left.lon))
                )
            }
            let digits = random.within(0, 1) < 0.5 ? 1e6 : 1e9
            let first = between(random.within(0.2, 0.4), digits: digits)
            let second = between(random.within(0.6, 0.8), digits: digits)
            let top = [left, first, second, right].map { GeoPoint(lat: 45.02, lon: $0.lon) }
            let south = [GeoPoint(lat: 44.98, lon: 9), GeoPoint(lat: 44.98, lon: 9.03)]
            var shapes = [ZoneShape(id: "below", polygons: [[[south[0], south[1], right, left, south[0]]]])]
            for (index, pair) in [(left, first), (first, second), (second, right)].enumerated() {
                shapes.append(
                    ZoneShape(
                        id: "above\(index)", polygons: [[[pair.0, pair.1, top[index + 1], top[index], pair.0]]]))
            }
            let zones = try ZoneSet(shapes)
            for step in 1..<2000 {
                let on = between(Double(step) / 2000, digits: 1e12)
                for offset in [0, 1e-7, -1e-7, 5e-7, -5e-7] {
                    let point = GeoPoint(lat: on.lat + offset, lon: on.lon)
                    #expect(zones.lookup(point) != .outside, "\(point)")
                }
            }
            #expect(zones.lookup(first) != .outside && zones.lookup(second) != .outside)
        }
    }

    @Test("The grid's short cuts give what the borders say")
    func indexAgreesWithBorders() throws {
        var random = Random(seed: 5)
        let (shapes, _) = sheet(&random, columns: 9, rows: 7)
        let zones = try ZoneSet(shapes)
        let alone = try alone(shapes)
        for _ in 0..<5000 {
            let point = GeoPoint(lat: random.within(45.39, 45.48), lon: random.within(9.09, 9.2))
            let claimed = alone.indices.filter { alone[$0].lookup(point) != .outside }
            switch zones.lookup(point) {
            case .zone(let index): #expect(claimed == [index])
            case .outside: #expect(claimed.isEmpty)
            case .unknown: Issue.record("a loaded set knows")
            }
        }
    }

    @Test("C17: holes are outside, or the zone that fills them")
    func holes() throws {
        let ring = Square.ring(south: 45, west: 9, north: 45.03, east: 9.03)
        let hole = Square.ring(south: 45.01, west: 9.01, north: 45.02, east: 9.02)
        let park = GeoPoint(lat: 45.015, lon: 9.015)
        let open = try ZoneSet([ZoneShape(id: "a", polygons: [[ring, hole]])])
        #expect(open.lookup(park) == .outside)
        #expect(open.lookup(GeoPoint(lat: 45.005, lon: 9.015)) == .zone(0))
        let filled = try ZoneSet([
            ZoneShape(id: "a", polygons: [[ring, hole.reversed()]]), ZoneShape(id: "b", polygons: [[hole]]),
        ])
        #expect(filled.lookup(park) == .zone(1))
        for t in stride(from: 45.01, through: 45.02, by: 0.0003) {
            #expect(filled.lookup(GeoPoint(lat: t, lon: 9.01)) != .outside)
            #expect(filled.lookup(GeoPoint(lat: t, lon: 9.02)) != .outside)
        }
    }

    @Test("C16: zones on both sides of the antimeridian, and at 70° north")
    func antimeridian() throws {
        let zones = try ZoneSet([
            Square.zone("fiji west", south: -16.9, west: 179.9, north: -16.7, east: 180),
            Square.zone("fiji east", south: -16.9, west: -180, north: -16.7, east: -179.9),
        ])
        #expect(zones.lookup(GeoPoint(lat: -16.8, lon: 179.95)) == .zone(0))
        #expect(zones.lookup(GeoPoint(lat: -16.8, lon: -179.95)) == .zone(1))
        #expect(zones.lookup(GeoPoint(lat: -16.8, lon: 180)) == zones.lookup(GeoPoint(lat: -16.8, lon: -180)))
        #expect(zones.lookup(GeoPoint(lat: -16.8, lon: 180)) != .outside)
        #expect(zones.lookup(GeoPoint(lat: -16.8, lon: 0)) == .outside)
        let border = zones.distanceToBorder(of: 0, from: GeoPoint(lat: -16.8, lon: -179.9999), within: 50)
        #expect(border.map { abs($0 - 10.6) < 0.2 } == true)

        let chukotka = try ZoneSet([
            Square.zone("a", south: 69.9, west: 179.5, north: 70.1, east: -179.5)
        ])
        #expect(chukotka.lookup(GeoPoint(lat: 70, lon: -179.6)) == .zone(0))
        #expect(chukotka.lookup(GeoPoint(lat: 70, lon: 179.4)) == .outside)
        #expect(abs(chukotka.zones[0].area / 1e6 - 22.24 * 38.03) < 2)
    }

    @Test("Distances to a border, from inside and outside, only when near")
    func distances() throws {
        let zones = try ZoneSet([
            Square.zone("a", south: 45, west: 9, north: 45.02, east: 9.02),
            Square.zone("b", south: 45, west: 9.02, north: 45.02, east: 9.04),
        ])
        let border = GeoPoint(lat: 45.01, lon: 9.04)
        for x in [-80.0, -25, -3, 3, 25, 80] {
            let point = LocalFrame(origin: border).point(PlanePoint(x: x, y: 0))
            let metres = zones.distanceToBorder(of: 1, from: point, within: 100)
            #expect(metres.map { abs($0 - abs(x)) < 0.05 } == true)
            #expect((zones.distanceToBorder(of: 1, from: point, within: 10) != nil) == (abs(x) < 10))
            #expect(zones.distanceToBorder(of: 0, from: point, within: 100) == nil)
            #expect(zones.nearestZone(to: point, within: 100) == 1)
        }
        #expect(zones.nearestZone(to: GeoPoint(lat: 44, lon: 9), within: 100) == nil)
        #expect(zones.distanceToBorder(of: 0, from: GeoPoint(lat: .nan, lon: 9), within: 100) == nil)
    }

    @Test("Odd points are outside, not fatal")
    func oddPoints() throws {
        let zones = try ZoneSet([Square.zone("a", south: 45, west: 9, north: 45.02, east: 9.02)])
        for point in [
            GeoPoint(lat: .nan, lon: 9), GeoPoint(lat: 45, lon: .infinity), GeoPoint(lat: 91, lon: 9),
            GeoPoint(lat: 45, lon: 1e300), GeoPoint(lat: 90, lon: 180), GeoPoint(lat: -90, lon: -180),
        ] { #expect(zones.lookup(point) == .outside) }
    }
}
