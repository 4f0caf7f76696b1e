import Glibc

/// A polygon on the grid: rings without the repeated last point, outer ring first. Inside is what an odd number of its
/// rings encloses.
struct MapPolygon: Equatable, Sendable {
    var rings: [[MapPoint]]

    /// Every edge of every ring.
    var edges: [BorderEdge] {
        var all: [BorderEdge] = []
        all.reserveCapacity(size)
        for ring in rings {
            var previous = ring[ring.count - 1]
            for point in ring {
                all.append(BorderEdge(previous, point))
                previous = point
            }
        }
        return all
    }

    /// Corners, which are as many as edges.
    var size: Int { rings.reduce(0) { $0 + $1.count } }

    var bounds: MapBounds? {
        var bounds: MapBounds?
        for ring in rings {
            for point in ring {
                if bounds == nil { bounds = MapBounds(point) } else { bounds?.add(point) }
            }
        }
        return bounds
    }

    /// By the half-open rule of `BorderEdge`. Slow: for checks, not for look-ups.
    func contains(_ p: MapPoint) -> Bool {
        var isInside = false
        for ring in rings where MapRing.contains(ring, p) { isInside.toggle() }
        return isInside
    }

    /// Square metres: the outer ring without its holes.
    var area: Double {
        var sum = 0.0
        for (index, ring) in rings.enumerated() {
            let area = abs(MapRing.signedArea(ring))
            sum += index == 0 ? area : -area
        }
        return sum
    }
}

struct MapBounds: Equatable, Sendable {
    var minX: Int32
    var minY: Int32
    var maxX: Int32
    var maxY: Int32

    init(_ point: MapPoint) {
        minX = point.x
        maxX = point.x
        minY = point.y
        maxY = point.y
    }

    mutating func add(_ point: MapPoint) {
        minX = min(minX, point.x)
        maxX = max(maxX, point.x)
        minY = min(minY, point.y)
        maxY = max(maxY, point.y)
    }

    mutating func add(_ other: MapBounds) {
        add(MapPoint(x: other.minX, y: other.minY))
        add(MapPoint(x: other.maxX, y: other.maxY))
    }

    func meets(_ other: MapBounds) -> Bool {
        minX <= other.maxX && other.minX <= maxX && minY <= other.maxY && other.minY <= maxY
    }

    func contains(_ other: MapBounds) -> Bool {
        minX <= other.minX && minY <= other.minY && maxX >= other.maxX && maxY >= other.maxY
    }

    /// What two that meet have in common.
    func common(_ other: MapBounds) -> MapBounds {
        var box = MapBounds(MapPoint(x: max(minX, other.minX), y: max(minY, other.minY)))
        box.add(MapPoint(x: min(maxX, other.maxX), y: min(maxY, other.maxY)))
        return box
    }

    func contains(_ p: MapPoint) -> Bool { p.x >= minX && p.x <= maxX && p.y >= minY && p.y <= maxY }
}

/// What can be asked of one ring, a list of points without the repeated last one.
enum MapRing {
    static func contains(_ ring: [MapPoint], _ p: MapPoint) -> Bool {
        var isInside = false
        var previous = ring[ring.count - 1]
        for point in ring {
            if BorderEdge(previous, point).isCrossedByRay(from: p) { isInside.toggle() }
            previous = point
        }
        return isInside
    }

    /// Square metres, positive when the ring runs counter-clockwise. Each strip is scaled by the cosine of its own
    /// latitude, so that a ring of any height is measured.
    static func signedArea(_ ring: [MapPoint]) -> Double {
        guard var previous = ring.last, let first = ring.first else { return 0 }
        let unit = GeoPoint.metresPerDegree / MapPoint.scale
        var sum = 0.0
        for point in ring {
            // −∫ x dy: with x counted from the first point the numbers stay small.
            let x = Double(Int64(previous.x) + Int64(point.x) - 2 * Int64(first.x)) / 2
            let dy = Double(Int64(point.y) - Int64(previous.y))
            let middle = (Double(previous.y) + Double(point.y)) / 2 / MapPoint.scale
            sum += x * dy * cos(middle * .pi / 180)
            previous = point
        }
        return sum * unit * unit
    }
}
