/// The way that a minibus has announced: straight from point to point. Metres, good within a few kilometres of each piece.
public struct AnnouncedPath: Equatable, Sendable {
    let points: [GeoPoint]
    /// Metres from the start to each point.
    private let distances: [Double]

    /// Nil with fewer than two points.
    public init?(_ points: [GeoPoint]) {
        guard points.count >= 2 else { return nil }
        self.points = points
        var distances = [0.0]
        for (from, to) in zip(points, points.dropFirst()) {
            distances.append(distances[distances.count - 1] + from.distance(to: to))
        }
        self.distances = distances
    }

    /// As a line that is measured; nil when all its points are one.
    public var shape: LineShape? { LineShape(points) }

    /// Whether passengers can ride from one place to another.
    public enum Fit: Equatable, Sendable {
        /// They ride so many metres of the way, from so many after its start on, and make the vehicle drive so many more than the
        /// way has: to each of the places and back.
        case fits(metres: Double, from: Double, detour: Double)
        /// The nearest that the way comes to it, metres.
        case pickupIsFar(metres: Double)
        case destinationIsFar(metres: Double)
        /// The way comes to the destination first.
        case isBackwards
    }

    /// Where the way comes near a place: metres from the start, and metres off the way.
    private struct Spot {
        let along: Double
        let off: Double
    }

    /// The nearest places to get on and off, in this order on the way, both within `reach` metres of it. A way that comes
    /// by twice counts each time, so that a round can be ridden past its start.
    public func fit(from pickup: GeoPoint, to destination: GeoPoint, reach: Double) -> Fit {
        let starts = spots(near: pickup)
        let nearestStart = starts.map(\.off).min() ?? .infinity
        guard nearestStart <= reach else { return .pickupIsFar(metres: nearestStart) }
        let ends = spots(near: destination)
        let nearestEnd = ends.map(\.off).min() ?? .infinity
        guard nearestEnd <= reach else { return .destinationIsFar(metres: nearestEnd) }
        var best: (off: Double, metres: Double, from: Double)?
        for start in starts where start.off <= reach {
            for end in ends where end.off <= reach && end.along > start.along {
                let off = start.off + end.off
                if best.map({ off < $0.off }) ?? true { best = (off, end.along - start.along, start.along) }
            }
        }
        return best.map { .fits(metres: $0.metres, from: $0.from, detour: 2 * $0.off) } ?? .isBackwards
    }

    /// Metres from the start to the spot nearest to a place.
    public func along(_ place: GeoPoint) -> Double { spots(near: place).min { $0.off < $1.off }?.along ?? 0 }

    /// The nearest spot of each piece of the way.
    private func spots(near place: GeoPoint) -> [Spot] {
        points.indices.dropLast().map { index in
            let frame = LocalFrame(origin: points[index])
            let end = frame.project(points[index + 1])
            let point = frame.project(place)
            let square = end.x * end.x + end.y * end.y
            let part = square > 0 ? min(1, max(0, (point.x * end.x + point.y * end.y) / square)) : 0
            let off = PlanePoint(x: point.x - end.x * part, y: point.y - end.y * part).length
            return Spot(along: distances[index] + (distances[index + 1] - distances[index]) * part, off: off)
        }
    }
}
