import Domain
import Glibc
import Testing

struct CellGridTests {
    private func anywhere(_ random: inout Random) -> GeoPoint {
        GeoPoint(lat: Double.random(in: -90...90, using: &random), lon: Double.random(in: -180...180, using: &random))
    }

    @Test("a point's cell holds it, and its text reads back")
    func holds() throws {
        var random = Random(seed: 1)
        let edges = [
            GeoPoint(lat: 90, lon: 180), GeoPoint(lat: -90, lon: -180), GeoPoint(lat: 90, lon: -180),
            GeoPoint(lat: 0, lon: 180), GeoPoint(lat: 45.4608, lon: 9.1836),
        ]
        for point in edges + (0..<20_000).map({ _ in anywhere(&random) }) {
            let cell = CellGrid.cell(of: point)
            let box = CellGrid.box(of: cell)
            #expect(point.lat >= box.south - 1e-9 && point.lat <= box.north + 1e-9)
            #expect(point.lon >= box.west - 1e-9 && point.lon <= box.east + 1e-9)
            #expect(CellID(text: cell.text.utf8) == cell)
            #expect(CellGrid.corner(of: cell) == GeoPoint(lat: box.south, lon: box.west))
        }
    }

    @Test("the middle of each neighbour is in that neighbour: cells neither overlap nor leave gaps")
    func neighbours() {
        var random = Random(seed: 2)
        for _ in 0..<2000 {
            let cell = CellGrid.cell(of: anywhere(&random))
            let box = CellGrid.box(of: cell)
            let middle = GeoPoint(lat: (box.south + box.north) / 2, lon: (box.west + box.east) / 2)
            #expect(CellGrid.cell(of: middle) == cell)
            let width = box.east - box.west
            let east = CellGrid.cell(of: GeoPoint(lat: middle.lat, lon: min(180, middle.lon + width)))
            #expect(east.row == cell.row && (east.column == cell.column + 1 || box.east >= 180 - width))
        }
    }

    @Test("cells are 300 to 500 m high and wide up to 70 degrees")
    func sizes() {
        for lat in stride(from: -70.0, through: 70, by: 0.01) {
            let box = CellGrid.box(of: CellGrid.cell(of: GeoPoint(lat: lat, lon: 9)))
            let corner = GeoPoint(lat: box.south, lon: box.west)
            let high = corner.distance(to: GeoPoint(lat: box.north, lon: box.west))
            let wide = corner.distance(to: GeoPoint(lat: box.south, lon: box.east))
            #expect((300...500).contains(high) && (300...500).contains(wide), "\(lat): \(high) \(wide)")
        }
    }

    @Test("the cells that touch a circle hold every point of it, each once, and few others")
    func circles() {
        var random = Random(seed: 3)
        var centers = (0..<300).map { _ in anywhere(&random) }
        for _ in 0..<60 {
            centers.append(GeoPoint(lat: 90 - Double.random(in: 0...0.05, using: &random), lon: 20))
            centers.append(GeoPoint(lat: -90 + Double.random(in: 0...0.05, using: &random), lon: -170))
            centers.append(GeoPoint(lat: Double.random(in: -60...60, using: &random), lon: 180))
            centers.append(GeoPoint(lat: Double.random(in: -60...60, using: &random), lon: -179.999))
        }
        for center in centers {
            let radius = Double.random(in: 50...5000, using: &random)
            let cells = CellGrid.cells(touching: center, radius: radius)
            let set = Set(cells)
            #expect(set.count == cells.count)
            #expect(set.contains(CellGrid.cell(of: center)))
            for _ in 0..<60 {
                let point = Self.point(
                    from: center, metres: radius * Double.random(in: 0...0.9999, using: &random),
                    bearing: Double.random(in: 0...(2 * .pi), using: &random))
                #expect(set.contains(CellGrid.cell(of: point)), "\(center) \(radius) \(point)")
            }
            guard abs(center.lat) < 80 else { continue }
            for cell in cells {
                let box = CellGrid.box(of: cell)
                let middle = GeoPoint(lat: (box.south + box.north) / 2, lon: (box.west + box.east) / 2)
                #expect(middle.distance(to: center) < radius + 360, "\(center) \(radius) \(cell)")
            }
        }
    }

    @Test("some 25 cells for 1 km, some 530 for 5 km")
    func counts() {
        let milan = GeoPoint(lat: 45.46, lon: 9.18)
        #expect((20...36).contains(CellGrid.cells(touching: milan, radius: 1000).count))
        #expect((490...600).contains(CellGrid.cells(touching: milan, radius: 5000).count))
        #expect((1...4).contains(CellGrid.cells(touching: milan, radius: 50).count))
    }

    @Test("the cells of a box hold every point of it, also across the antimeridian")
    func boxes() {
        var random = Random(seed: 4)
        for west in [9.1, 179.99, -180, 179.95] {
            let width = Double.random(in: 0.01...0.06, using: &random)
            let east = west + width > 180 ? west + width - 360 : west + width
            let box = GeoBounds(south: 45.4, west: west, north: 45.45, east: east)
            let cells = CellGrid.cells(in: box)
            let set = Set(cells)
            #expect(set.count == cells.count && cells.count < 400)
            for _ in 0..<500 {
                let lon = west + Double.random(in: 0...width, using: &random)
                let point = GeoPoint(
                    lat: Double.random(in: 45.4...45.45, using: &random), lon: lon > 180 ? lon - 360 : lon)
                #expect(set.contains(CellGrid.cell(of: point)))
            }
        }
        #expect(CellGrid.cells(in: GeoBounds(south: 1, west: 0, north: 0, east: 1)).isEmpty)
    }

    @Test(
        "texts that name no cell",
        arguments: ["", ".", "1", "1.", ".1", "1.2.3", "50000.1", "0.9", "1.-2", "1.1234567"])
    func texts(text: String) {
        #expect(CellID(text: text.utf8) == nil)
    }

    /// The point so many metres away on the sphere.
    private static func point(from center: GeoPoint, metres: Double, bearing: Double) -> GeoPoint {
        let (lat, arc) = (center.lat * .pi / 180, metres / GeoPoint.earthRadius)
        let sine =
            sin(lat) * cos(arc)
            + cos(lat) * sin(arc) * cos(bearing)
        let there = asin(max(-1, min(1, sine)))
        let turn = atan2(
            sin(bearing) * sin(arc) * cos(lat),
            cos(arc) - sin(lat) * sine)
        return GeoPoint(lat: there * 180 / .pi, lon: GeoPoint.wrappedDegrees(center.lon + turn * 180 / .pi))
    }
}
