/// Where a point lies on the way of a line.
public struct ShapeMatch: Equatable, Sendable {
    /// Metres along the shape from its beginning.
    public var distance: Double
    /// Metres beside it.
    public var offset: Double

    public init(distance: Double, offset: Double) {
        self.distance = distance
        self.offset = offset
    }
}

/// The way that the buses of a pattern drive: a line of points, measured in metres from its beginning.
///
/// A way may cross itself, go out and back on the same street, or end where it began. A point then has several matches;
/// which one is meant only the bus's way up to now can say (`TourTrack`).
public struct LineShape: Sendable {
    /// At least two; neighbours differ.
    public let points: [GeoPoint]
    /// Metres from the beginning to each point, rising.
    public let distances: [Double]
    private let frame: LocalFrame
    private let plane: [PlanePoint]

    /// Between two matches of the same point the way must have gone farther away by so much, metres.
    public static let separation = 15.0

    /// Nil when fewer than two different usable points are left.
    public init?(_ given: [GeoPoint]) {
        var points: [GeoPoint] = []
        var distances: [Double] = []
        for point in given where point.isUsable {
            guard let last = points.last else {
                points.append(point)
                distances.append(0)
                continue
            }
            let metres = last.distance(to: point)
            // What is nearer than a millimetre is the same point.
            guard metres > 0.001 else { continue }
            points.append(point)
            distances.append(distances[distances.count - 1] + metres)
        }
        guard points.count >= 2 else { return nil }
        // Those that were given are not kept twice.
        self.points = points.count == given.count ? given : points
        self.distances = distances
        let frame = LocalFrame(origin: points[points.count / 2])
        self.frame = frame
        plane = points.map { frame.project($0) }
    }

    /// Metres.
    public var length: Double { distances[distances.count - 1] }

    /// The place so many metres along, held to the shape's ends.
    public func point(at distance: Double) -> GeoPoint {
        let (index, fraction) = segment(at: distance)
        let (a, b) = (points[index], points[index + 1])
        return GeoPoint(
            lat: a.lat + (b.lat - a.lat) * fraction,
            lon: GeoPoint.wrappedDegrees(a.lon + GeoPoint.wrappedDegrees(b.lon - a.lon) * fraction))
    }

    /// Every place where the way comes nearest to `point`, within `radius` metres, in the order of the way.
    ///
    /// Two of them on the same stretch count as one unless the way goes away by `separation` metres in between. Costs a
    /// look at each segment: some 5 µs for a way of 600 points.
    public func matches(
        of point: GeoPoint, within radius: Double, separation: Double = LineShape.separation
    ) -> [ShapeMatch] {
        var valleys = Valleys(separation: separation, radius: radius)
        visit(point) { valleys.add($0) }
        return valleys.finished()
    }

    /// The nearest place of the whole way.
    public func nearest(to point: GeoPoint) -> ShapeMatch {
        var best = ShapeMatch(distance: 0, offset: .infinity)
        visit(point) { if $0.offset < best.offset { best = $0 } }
        return best
    }

    /// Metres between two points as straight lines on this shape's map; the points are near it.
    func straight(_ a: GeoPoint, _ b: GeoPoint) -> Double { (frame.project(a) - frame.project(b)).length }

    /// Calls `body` with the offsets of each corner and of each segment's nearest place, in the order of the way.
    private func visit(_ point: GeoPoint, _ body: (ShapeMatch) -> Void) {
        let p = frame.project(point)
        body(ShapeMatch(distance: 0, offset: (plane[0] - p).length))
        for index in 1..<plane.count {
            let (a, b) = (plane[index - 1], plane[index])
            let way = b - a
            let squared = way.x * way.x + way.y * way.y
            let t = squared > 0 ? ((p.x - a.x) * way.x + (p.y - a.y) * way.y) / squared : 1
            if t > 0, t < 1 {
                let offset = PlanePoint(x: a.x + t * way.x - p.x, y: a.y + t * way.y - p.y).length
                let distance = distances[index - 1] + t * (distances[index] - distances[index - 1])
                body(ShapeMatch(distance: distance, offset: offset))
            }
            body(ShapeMatch(distance: distances[index], offset: (b - p).length))
        }
    }

    /// The segment that holds a distance, and how far into it that is, 0…1.
    private func segment(at distance: Double) -> (index: Int, fraction: Double) {
        var low = 0
        var high = distances.count - 1
        while high - low > 1 {
            let middle = (low + high) / 2
            if distances[middle] <= distance { low = middle } else { high = middle }
        }
        let fraction = (distance - distances[low]) / (distances[low + 1] - distances[low])
        return (low, min(1, max(0, fraction)))
    }
}

/// Finds the low points of a sequence of offsets.
private struct Valleys {
    let separation: Double
    let radius: Double
    private var found: [ShapeMatch] = []
    private var low: ShapeMatch?
    /// The farthest since the low point.
    private var high = 0.0

    init(separation: Double, radius: Double) {
        self.separation = separation
        self.radius = radius
    }

    mutating func add(_ match: ShapeMatch) {
        guard let bottom = low else {
            low = match
            high = match.offset
            return
        }
        if high >= bottom.offset + separation, match.offset <= high - separation {
            close(bottom)
            low = match
            high = match.offset
        } else if match.offset < bottom.offset {
            low = match
            high = match.offset
        } else {
            high = max(high, match.offset)
        }
    }

    mutating func finished() -> [ShapeMatch] {
        if let low { close(low) }
        return found
    }

    private mutating func close(_ valley: ShapeMatch) {
        if valley.offset <= radius { found.append(valley) }
    }
}
