import Domain
import Testing

/// Ways on a plane of metres around a place in Berlin.
enum Ways {
    static let frame = LocalFrame(origin: GeoPoint(lat: 52.5, lon: 13.4))

    static func point(_ x: Double, _ y: Double) -> GeoPoint { frame.point(PlanePoint(x: x, y: y)) }
    static func shape(_ corners: [(Double, Double)]) throws -> LineShape {
        try #require(LineShape(corners.map { point($0.0, $0.1) }))
    }

    /// 3 km to the east.
    static let straight = [(0.0, 0.0), (3000.0, 0.0)]
    /// Once round a square and back to where it began.
    static let loop = [(0.0, 0.0), (1000.0, 0.0), (1000.0, 1000.0), (0.0, 1000.0), (0.0, 0.0)]
    /// Out along a street and back on it.
    static let outAndBack = [(0.0, 0.0), (2000.0, 0.0), (0.0, 0.0)]
    /// Crosses itself at (500, 0).
    static let eight = [(0.0, 0.0), (1000.0, 0.0), (1000.0, 500.0), (500.0, 500.0), (500.0, -500.0)]
}

struct LineShapeTests {
    @Test("A shape is measured in metres; equal and unusable points are passed over")
    func measures() throws {
        let shape = try Ways.shape([(0, 0), (0, 0), (1000, 0), (1000, 500)])
        #expect(shape.points.count == 3)
        #expect(abs(shape.length - 1500) < 1)
        #expect(LineShape([]) == nil)
        #expect(LineShape([Ways.point(1, 1), Ways.point(1, 1)]) == nil)
        #expect(LineShape([GeoPoint(lat: .nan, lon: 0), Ways.point(1, 1)]) == nil)
        #expect(shape.point(at: -5).distance(to: Ways.point(0, 0)) < 0.01)
        #expect(shape.point(at: 1250).distance(to: Ways.point(1000, 250)) < 1)
        #expect(shape.point(at: 9000).distance(to: Ways.point(1000, 500)) < 0.01)
    }

    @Test("C52: a corner that a loop passes twice has two matches, and so has a street driven out and back")
    func severalMatches() throws {
        let loop = try Ways.shape(Ways.loop)
        let start = loop.matches(of: Ways.point(0, 5), within: 60).map(\.distance)
        #expect(start.count == 2)
        #expect(abs(start[0] - 0) < 1 && abs(start[1] - 3995) < 6)
        let street = try Ways.shape(Ways.outAndBack)
        let there = street.matches(of: Ways.point(1960, 3), within: 60).map(\.distance)
        #expect(there.count == 2, "also 40 m before the turn")
        #expect(abs(there[0] - 1960) < 1 && abs(there[1] - 2040) < 1)
        let eight = try Ways.shape(Ways.eight)
        #expect(eight.matches(of: Ways.point(500, 0), within: 60).count == 2)
        #expect(eight.matches(of: Ways.point(500, 200), within: 60).count == 1)
        #expect(eight.matches(of: Ways.point(-200, 200), within: 60).isEmpty)
    }

    @Test("Every match lies where it says, in the order of the way, and the nearest place of all is among them")
    func property() throws {
        var random = Random(seed: 7)
        for _ in 0..<300 {
            let corners = (0..<Int.random(in: 2...30, using: &random)).map { _ in
                (random.within(-800, 800), random.within(-800, 800))
            }
            let shape = try Ways.shape(corners)
            let point = Ways.point(random.within(-900, 900), random.within(-900, 900))
            let matches = shape.matches(of: point, within: 120)
            let nearest = shape.nearest(to: point)
            #expect(matches.isEmpty == (nearest.offset > 120))
            if !matches.isEmpty {
                #expect(abs((matches.map(\.offset).min() ?? .infinity) - nearest.offset) < 1e-6)
            }
            for match in matches {
                #expect(abs(shape.point(at: match.distance).distance(to: point) - match.offset) < 0.5)
                #expect(match.offset <= 120)
            }
            for (a, b) in zip(matches, matches.dropFirst()) { #expect(a.distance < b.distance) }
        }
    }
}
