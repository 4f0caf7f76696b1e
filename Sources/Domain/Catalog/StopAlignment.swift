/// Where along a shape its stops lie: the choice of places, never going back, that is nearest to the stops as a whole.
///
/// By distance along the shape and not by nearness alone, so that a loop that passes a stop twice, and a way out and
/// back on one street, come out right.
public struct StopAlignment: Equatable, Sendable {
    /// Metres along the shape, one per stop, never less than the one before.
    public let distances: [Double]
    /// Metres from the stop to its place on the shape; 0 for those that have none.
    public let gaps: [Double]
    /// Indices of stops that fit nowhere in the order of the others; they are put evenly between their neighbours.
    public let unplaced: [Int]

    /// The largest of `gaps`.
    public var widest: Double { gaps.max() ?? 0 }

    private struct Place {
        let along: Double
        let gap: Double
    }

    /// The best way to have put all stops up to one of them, with that one at one of its places.
    private struct Step {
        var cost = Double.infinity
        /// The stop and place before; -1: none.
        var stop = -1
        var place = -1
    }

    /// Places that are looked at per stop: a way that passes a stop more often is hardly one.
    private static let places = 24
    /// Further away than this and twice the nearest is no place for a stop, metres.
    private static let reach = 100.0
    /// A stop is left without a place rather than put so far from it, metres.
    private static let unplacedGap = 600.0
    /// Stops side by side that may have no place: then the shape is not that of the line.
    private static let unplacedRun = 3

    /// Nil when the shape has no length, or more than a fifth of the stops (and more than one) fit nowhere.
    public init?(_ stops: [GeoPoint], on shape: [GeoPoint]) {
        guard shape.count >= 2, !stops.isEmpty else { return nil }
        let starts = Self.lengths(shape)
        guard starts[starts.count - 1] > 0 else { return nil }
        let candidates = stops.map { Self.places(of: $0, on: shape, starts) }
        guard let chosen = Self.choose(candidates) else { return nil }
        unplaced = chosen.indices.filter { chosen[$0] == nil }
        guard unplaced.count <= max(1, stops.count / 5), unplaced.count < stops.count else { return nil }
        var distances: [Double] = []
        for place in chosen { distances.append(max(place?.along ?? 0, distances.last ?? 0)) }
        for index in unplaced {
            let next = chosen[index...].firstIndex { $0 != nil }
            let before = index > 0 ? distances[index - 1] : 0
            let after = next.flatMap { chosen[$0]?.along } ?? starts[starts.count - 1]
            distances[index] = before + max(0, after - before) / Double((next ?? stops.count) - index + 1)
        }
        self.distances = distances
        gaps = chosen.map { $0?.gap ?? 0 }
    }

    /// The least sum of squared gaps: from each place of each stop back to those of the stops before it.
    private static func choose(_ candidates: [[Place]]) -> [Place?]? {
        let skip = unplacedGap * unplacedGap
        var steps = candidates.map { [Step](repeating: Step(), count: $0.count) }
        var best = Step()
        for stop in candidates.indices {
            for place in candidates[stop].indices where stop <= unplacedRun {
                steps[stop][place].cost = Double(stop) * skip
            }
            for before in max(0, stop - unplacedRun - 1)..<stop {
                let skipped = Double(stop - before - 1) * skip
                // Both are in the order of the way, so the best so far serves all that follow.
                var least = -1
                var read = 0
                for place in candidates[stop].indices {
                    while read < candidates[before].count,
                        candidates[before][read].along <= candidates[stop][place].along + 0.5
                    {
                        if least < 0 || steps[before][read].cost < steps[before][least].cost { least = read }
                        read += 1
                    }
                    guard least >= 0, steps[before][least].cost + skipped < steps[stop][place].cost else { continue }
                    steps[stop][place] = Step(cost: steps[before][least].cost + skipped, stop: before, place: least)
                }
            }
            for place in candidates[stop].indices {
                let gap = candidates[stop][place].gap
                steps[stop][place].cost += gap * gap
                let left = candidates.count - 1 - stop
                guard left <= unplacedRun else { continue }
                let whole = steps[stop][place].cost + Double(left) * skip
                if whole < best.cost { best = Step(cost: whole, stop: stop, place: place) }
            }
        }
        guard best.stop >= 0 else { return nil }
        var chosen = [Place?](repeating: nil, count: candidates.count)
        var step = best
        while step.stop >= 0 {
            chosen[step.stop] = candidates[step.stop][step.place]
            step = steps[step.stop][step.place]
        }
        return chosen
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
