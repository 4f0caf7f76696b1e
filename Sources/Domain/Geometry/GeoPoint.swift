import Glibc

/// A position on the earth: WGS 84 degrees.
///
/// Longitudes may be compared across the antimeridian: every difference taken here is wrapped to ±180.
public struct GeoPoint: Hashable, Sendable {
    /// Degrees north, −90…90.
    public var lat: Double
    /// Degrees east, −180…180.
    public var lon: Double

    public init(lat: Double, lon: Double) {
        self.lat = lat
        self.lon = lon
    }

    /// Mean radius of the earth (IUGG), metres.
    public static let earthRadius = 6_371_008.8
    /// Metres in one degree of latitude on that sphere.
    public static let metresPerDegree = earthRadius * .pi / 180

    /// Both numbers are finite, in range, and not the (0, 0) that receivers give before their first fix.
    public var isUsable: Bool {
        lat.isFinite && lon.isFinite && abs(lat) <= 90 && abs(lon) <= 180 && !(lat == 0 && lon == 0)
    }

    /// Great-circle distance in metres (haversine). Symmetric, exact to the sphere also for far points.
    public func distance(to other: GeoPoint) -> Double {
        let radians = Double.pi / 180
        let halfLat = (other.lat - lat) * radians / 2
        let halfLon = GeoPoint.wrappedDegrees(other.lon - lon) * radians / 2
        let a =
            sin(halfLat) * sin(halfLat)
            + cos(lat * radians) * cos(other.lat * radians) * sin(halfLon) * sin(halfLon)
        return 2 * GeoPoint.earthRadius * asin(min(1, a.squareRoot()))
    }

    /// A difference of longitudes brought to −180…180, so that 179.9 and −179.9 are 0.2 apart.
    public static func wrappedDegrees(_ difference: Double) -> Double {
        if difference >= -180 && difference <= 180 { return difference }
        let turned = (difference + 180).truncatingRemainder(dividingBy: 360)
        return (turned < 0 ? turned + 360 : turned) - 180
    }
}

/// A point or a difference of points in metres: x to the east, y to the north.
public struct PlanePoint: Equatable, Sendable {
    public var x: Double
    public var y: Double

    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }

    public var length: Double { (x * x + y * y).squareRoot() }

    public static func - (a: PlanePoint, b: PlanePoint) -> PlanePoint { PlanePoint(x: a.x - b.x, y: a.y - b.y) }
}

/// A flat map around one place (equirectangular): good to some millimetres per hundred metres within a few kilometres
/// of its origin.
///
/// Near the poles a degree of longitude has no length to divide by; its scale is held at a small positive value, so
/// results stay finite there, if coarse.
public struct LocalFrame: Sendable {
    public let origin: GeoPoint
    /// Metres per degree of longitude here; never zero.
    public let metresPerLonDegree: Double

    public init(origin: GeoPoint) {
        self.origin = origin
        metresPerLonDegree = GeoPoint.metresPerDegree * max(cos(origin.lat * .pi / 180), 1e-6)
    }

    /// Metres east and north of the origin.
    public func project(_ point: GeoPoint) -> PlanePoint {
        PlanePoint(
            x: GeoPoint.wrappedDegrees(point.lon - origin.lon) * metresPerLonDegree,
            y: (point.lat - origin.lat) * GeoPoint.metresPerDegree)
    }

    /// The point that lies so many metres east and north of the origin; longitude wrapped to ±180, latitude held to ±90.
    public func point(_ offset: PlanePoint) -> GeoPoint {
        GeoPoint(
            lat: min(90, max(-90, origin.lat + offset.y / GeoPoint.metresPerDegree)),
            lon: GeoPoint.wrappedDegrees(origin.lon + offset.x / metresPerLonDegree))
    }
}

/// How a straight way passes a point: used for fences between two fixes, and for borders.
public struct Approach: Equatable, Sendable {
    /// Smallest distance on the way, metres.
    public var distance: Double
    /// Where on the way that is: 0 at its start, 1 at its end.
    public var fraction: Double

    /// The closest approach of the way from `start` to `end` to the origin of the plane.
    ///
    /// With two moving ends the way is that of the one relative to the other.
    public init(from start: PlanePoint, to end: PlanePoint) {
        let way = end - start
        let squared = way.x * way.x + way.y * way.y
        let t = squared > 0 ? -(start.x * way.x + start.y * way.y) / squared : 1
        fraction = min(1, max(0, t))
        distance = PlanePoint(x: start.x + fraction * way.x, y: start.y + fraction * way.y).length
    }

    /// The closest approach to `point` of the straight way from `start` to `end`.
    public init(to point: GeoPoint, from start: GeoPoint, to end: GeoPoint) {
        let frame = LocalFrame(origin: point)
        self.init(from: frame.project(start), to: frame.project(end))
    }

    /// The fraction of the way from `start` to `end` at which it first comes within `radius` metres of the origin:
    /// 0 when it starts inside, nil when it stays outside.
    public static func entry(from start: PlanePoint, to end: PlanePoint, radius: Double) -> Double? {
        let way = end - start
        let a = way.x * way.x + way.y * way.y
        let c = start.x * start.x + start.y * start.y - radius * radius
        if c <= 0 { return 0 }
        guard a > 0 else { return nil }
        let halfB = start.x * way.x + start.y * way.y
        let discriminant = halfB * halfB - a * c
        guard discriminant >= 0 else { return nil }
        let t = (-halfB - discriminant.squareRoot()) / a
        return t >= 0 && t <= 1 ? t : nil
    }
}
