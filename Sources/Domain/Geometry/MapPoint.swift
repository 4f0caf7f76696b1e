/// A point on an integer grid of 1e-7 degrees (about a centimetre), counted from an origin near the city, so that
/// which side of a border a point lies on is decided exactly, and equally for the zones on both sides of it.
struct MapPoint: Hashable, Sendable {
    /// Units east of the origin's longitude, wrapped at the antimeridian.
    var x: Int32
    /// Units north of the equator.
    var y: Int32

    /// Units per degree.
    static let scale = 1e7
    static let turn: Int64 = 3_600_000_000
    /// Zones may span so much, units (90 degrees): within it products of differences fit an Int64.
    static let maximumSpan: Int64 = 900_000_000
}

/// The grid's origin: a longitude near the zones, so that a city across the antimeridian is in one piece.
struct MapOrigin: Equatable, Sendable {
    var lon: Int64

    init(near point: GeoPoint) { lon = Int64((point.lon * MapPoint.scale).rounded()) }

    /// The nearest point of the grid. `point` must be finite and in range.
    func map(_ point: GeoPoint) -> MapPoint {
        var x = Int64((point.lon * MapPoint.scale).rounded()) - lon
        if x > MapPoint.turn / 2 { x -= MapPoint.turn }
        if x < -MapPoint.turn / 2 { x += MapPoint.turn }
        return MapPoint(x: Int32(x), y: Int32((point.lat * MapPoint.scale).rounded()))
    }

    func geo(_ point: MapPoint) -> GeoPoint {
        let units = longitude(point)
        return GeoPoint(lat: Double(point.y) / MapPoint.scale, lon: Double(units) / MapPoint.scale)
    }

    /// Units of longitude, −180…180 degrees.
    func longitude(_ point: MapPoint) -> Int64 {
        var units = Int64(point.x) + lon
        if units > MapPoint.turn / 2 { units -= MapPoint.turn }
        if units < -MapPoint.turn / 2 { units += MapPoint.turn }
        return units
    }
}

extension MapPoint {
    /// Twice the signed area of the triangle a, b, c: positive when c lies to the left of the way from a to b. Exact.
    static func cross(_ a: MapPoint, _ b: MapPoint, _ c: MapPoint) -> Int64 {
        (Int64(b.x) - Int64(a.x)) * (Int64(c.y) - Int64(a.y)) - (Int64(b.y) - Int64(a.y)) * (Int64(c.x) - Int64(a.x))
    }
}

/// One edge of a zone's border, from its lower end to its upper one, so that both zones that share it calculate the same.
/// Horizontal edges are kept for distances; no ray crosses them.
struct BorderEdge: Hashable, Sendable {
    var low: MapPoint
    var high: MapPoint

    init(_ a: MapPoint, _ b: MapPoint) {
        let isRising = a.y < b.y || (a.y == b.y && a.x <= b.x)
        low = isRising ? a : b
        high = isRising ? b : a
    }

    var minX: Int32 { min(low.x, high.x) }
    var maxX: Int32 { max(low.x, high.x) }

    /// The other end.
    func end(from point: MapPoint) -> MapPoint { point == low ? high : low }

    /// Whether the half-open ray from `p` to the east crosses this edge.
    ///
    /// It is the ray of a point moved infinitesimally east, and by still less north: no such point lies on any edge or
    /// vertex, so zones that share their border points exactly claim every point exactly once.
    @inline(__always)
    func isCrossedByRay(from p: MapPoint) -> Bool {
        (low.y > p.y) != (high.y > p.y) && MapPoint.cross(low, high, p) > 0
    }

    /// Metres, given the metres per unit east and north.
    func length(east: Double, north: Double) -> Double {
        PlanePoint(
            x: Double(Int64(high.x) - Int64(low.x)) * east, y: Double(Int64(high.y) - Int64(low.y)) * north
        ).length
    }

    /// Square of the distance to `p` in metres, given the metres per unit east and north.
    func squaredDistance(to p: MapPoint, east: Double, north: Double) -> Double {
        let ax = Double(Int64(low.x) - Int64(p.x)) * east
        let ay = Double(Int64(low.y) - Int64(p.y)) * north
        let wx = Double(Int64(high.x) - Int64(low.x)) * east
        let wy = Double(Int64(high.y) - Int64(low.y)) * north
        let squared = wx * wx + wy * wy
        let t = squared > 0 ? min(1, max(0, -(ax * wx + ay * wy) / squared)) : 0
        let dx = ax + t * wx
        let dy = ay + t * wy
        return dx * dx + dy * dy
    }
}
