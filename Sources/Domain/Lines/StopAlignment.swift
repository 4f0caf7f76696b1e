/// Where along a shape its stops lie: the choice of places, never going back, that is nearest to the stops as a whole.
///
/// By distance along the shape and not by nearness alone, so that a loop that passes a stop twice, and a way out and
/// back on one street, come out right.
public struct StopAlignment: Equatable, Sendable {
    /// Metres along the shape, one per stop, never less than the one before.
    public let distances: [Double]
    /// Metres from the stop to its place on the shape.
    public let gaps: [Double]

    /// The largest of `gaps`.
    public var widest: Double { gaps.max() ?? 0 }

    private struct Place {
        let along: Double
        let gap: Double
    }

    /// Places that are looked at per stop: a way that passes a stop more often is hardly one.
    private static let places = 24
    /// Further away than this and twice the nearest is no place for a stop, metres.
    private static let reach = 100.0

    /// Nil when the shape has no length or there is no such choice.
    public init?(_ stops: [GeoPoint], on shape: [GeoPoint]) {
        guard shape.count >= 2, !stops.isEmpty else { return nil }
        let starts = Self.lengths(shape)
        guard starts[starts.count - 1] > 0 else { return nil }
        let candidates = stops.map { Self.places(of: $0, on: shape, starts) }
        // The least sum of squared gaps up to each place of each stop.
        var cost = candidates[0].map { $0.gap * $0.gap }
        var from: [[Int]] = [[]]
        for index in 1..<max(1, candidates.count) {
            let (before, here) = (candidates[index - 1], candidates[index])
            var next = [Double](repeating: .infinity, count: here.count)
            var origin = [Int](repeating: -1, count: here.count)
            // Both are in the order of the way, so the best so far serves all that follow.
            var best = -1
            var read = 0
            for (place, candidate) in here.enumerated() {
                while read < before.count, before[read].along <= candidate.along + 0.5 {
                    if best < 0 || cost[read] < cost[best] { best = read }
                    read += 1
                }
                guard best >= 0, cost[best] < .infinity else { continue }
                next[place] = cost[best] + candidate.gap * candidate.gap
                origin[place] = best
            }
            cost = next
            from.append(origin)
        }
        guard var place = cost.indices.min(by: { cost[$0] < cost[$1] }), cost[place] < .infinity else { return nil }
        var chosen: [Place] = []
        for index in candidates.indices.reversed() {
            chosen.append(candidates[index][place])
            if index > 0 { place = from[index][place] }
        }
        chosen.reverse()
        var distances: [Double] = []
        for place in chosen { distances.append(max(place.along, distances.last ?? 0)) }
        self.distances = distances
        gaps = chosen.map(\.gap)
    }

    /// Metres from the start of a way to each of its points.
    public static func lengths(_ shape: [GeoPoint]) -> [Double] {
        var lengths: [Double] = []
        var length = 0.0
        for (index, point) in shape.enumerated() {
            if index > 0 { length += shape[index - 1].distance(to: point) }
            lengths.append(length)
        }
        return lengths
    }

    /// Where the way comes near, in the order of the way: its nearest place, and those that are nearest around them and not
    /// much further away.
    private static func places(of stop: GeoPoint, on shape: [GeoPoint], _ starts: [Double]) -> [Place] {
        let frame = LocalFrame(origin: stop)
        var all: [Place] = []
        all.reserveCapacity(shape.count)
        var start = frame.project(shape[0])
        for index in 1..<shape.count {
            let end = frame.project(shape[index])
            let approach = Approach(from: start, to: end)
            let length = starts[index] - starts[index - 1]
            // `Approach` of a point that stands still says its end.
            all.append(Place(along: starts[index - 1] + approach.fraction * length, gap: approach.distance))
            start = end
        }
        let nearest = all.lazy.map(\.gap).min() ?? 0
        let limit = max(reach, 2 * nearest)
        var places: [Place] = []
        for (index, place) in all.enumerated() where place.gap <= limit {
            let isBest =
                (index == 0 || place.gap < all[index - 1].gap)
                && (index == all.count - 1 || place.gap <= all[index + 1].gap)
            if isBest { places.append(place) }
        }
        guard places.count > Self.places else { return places }
        let kept = places.map(\.gap).sorted()[Self.places - 1]
        return Array(places.filter { $0.gap <= kept }.prefix(Self.places))
    }
}
