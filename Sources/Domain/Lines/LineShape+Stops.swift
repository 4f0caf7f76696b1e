extension LineShape {
    /// Stops are looked for within so many metres of the way before the nearest place of all is taken.
    static let stopReach = 100.0

    /// How far along the way each stop of a pattern lies, metres, never falling: of all ways to place them in this order,
    /// the one with the smallest sum of squared offsets. So a stop that a loop passes twice gets its own place each time.
    public func distances(ofStops stops: [GeoPoint]) -> [Double] {
        var layers: [[Placed]] = []
        for stop in stops {
            var candidates = matches(of: stop, within: LineShape.stopReach)
            if candidates.isEmpty { candidates = [nearest(to: stop)] }
            layers.append(place(candidates, after: layers.last))
        }
        guard let last = layers.last, var chosen = last.indices.min(by: { last[$0].cost < last[$1].cost }) else {
            return []
        }
        var result = [Double](repeating: 0, count: stops.count)
        for layer in layers.indices.reversed() {
            result[layer] = layers[layer][chosen].distance
            chosen = layers[layer][chosen].previous
        }
        return result
    }

    /// One way to place a stop, with the best way to place those before it.
    private struct Placed {
        var distance: Double
        var cost: Double
        /// The index in the layer before.
        var previous: Int
    }

    private func place(_ candidates: [ShapeMatch], after earlier: [Placed]?) -> [Placed] {
        candidates.map { candidate in
            let own = candidate.offset * candidate.offset
            guard let earlier else { return Placed(distance: candidate.distance, cost: own, previous: 0) }
            var best = Placed(distance: candidate.distance, cost: .infinity, previous: 0)
            for (index, before) in earlier.enumerated() {
                // What can't lie behind the one before is put beside it, and pays for the way back.
                let back = max(0, before.distance - candidate.distance)
                let cost = before.cost + own + back * back
                guard cost < best.cost else { continue }
                best = Placed(
                    distance: max(candidate.distance, before.distance), cost: cost, previous: index)
            }
            return best
        }
    }
}
