import Domain
import Testing

/// R14, C27: which zones lie around one.
struct ZoneNeighbourTests {
    /// Square zones in rows of `columns`, named by their place from 0, with a gap of so many degrees between.
    private func grid(_ columns: Int, _ rows: Int, gap: Double = 0) throws -> ZoneSet {
        let side = 0.01
        var zones: [ZoneShape] = []
        for row in 0..<rows {
            for column in 0..<columns {
                let south = 45 + Double(row) * (side + gap)
                let west = 9 + Double(column) * (side + gap)
                let a = GeoPoint(lat: south, lon: west)
                let b = GeoPoint(lat: south, lon: west + side)
                let c = GeoPoint(lat: south + side, lon: west + side)
                let d = GeoPoint(lat: south + side, lon: west)
                zones.append(ZoneShape(id: "\(zones.count)", polygons: [[[a, b, c, d, a]]]))
            }
        }
        return try ZoneSet(zones)
    }

    @Test("zones that share a border or a corner are neighbours, and no others")
    func touching() throws {
        let zones = try grid(4, 4)
        #expect(zones.touching(5).sorted() == [0, 1, 2, 4, 6, 8, 9, 10])
        #expect(zones.touching(0).sorted() == [1, 4, 5])
    }

    @Test("a gap of 22 m between zones is a street, one of 110 m is not")
    func gaps() throws {
        #expect(try grid(2, 1, gap: 0.0002).touching(0) == [1])
        #expect(try grid(2, 1, gap: 0.0020).touching(0) == [])
    }

    @Test("a small zone beside the middle of a long border is found from both sides")
    func middleOfABorder() throws {
        func box(_ id: String, _ south: Double, _ west: Double, _ north: Double, _ east: Double) -> ZoneShape {
            let corners = [
                GeoPoint(lat: south, lon: west), GeoPoint(lat: south, lon: east), GeoPoint(lat: north, lon: east),
                GeoPoint(lat: north, lon: west), GeoPoint(lat: south, lon: west),
            ]
            return ZoneShape(id: id, polygons: [[corners]])
        }
        let zones = try ZoneSet([box("large", 45, 9, 45.1, 9.1), box("small", 45.04, 9.1, 45.05, 9.11)])
        #expect(zones.touching(0) == [1])
        #expect(zones.touching(1) == [0])
    }

    @Test("the zone whose border is nearest to the point comes first")
    func byDistance() throws {
        let zones = try grid(3, 1)
        #expect(zones.byDistance([0, 2], from: GeoPoint(lat: 45.005, lon: 9.011)) == [0, 2])
        #expect(zones.byDistance([0, 2], from: GeoPoint(lat: 45.005, lon: 9.019)) == [2, 0])
    }
}
