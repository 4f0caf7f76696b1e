/// Finds where a ring meets itself, and takes it apart there into loops that don't.
enum RingNoding {
    /// The ring with a point added wherever it crosses or touches itself, and one such place for the message.
    /// `place` is nil when it never does. Points of `ring` don't repeat one after the other.
    static func noded(_ ring: [MapPoint]) -> (ring: [MapPoint], place: MapPoint?) {
        var current = ring
        var place: MapPoint?
        // A crossing is rounded to the grid, which may bend an edge by half a unit across another: look again.
        for _ in 0..<8 {
            let added = meetings(current)
            place = place ?? added.place
            guard !added.points.isEmpty else { break }
            current = insert(added.points, into: current)
        }
        return (current, place)
    }

    /// The loops of a noded ring. What has no area (spikes) is left out.
    static func loops(_ ring: [MapPoint]) -> [[MapPoint]] {
        BorderLoops.loops(ring.indices.map { BorderEdge(ring[$0], ring[($0 + 1) % ring.count]) })
    }

    private struct Added {
        /// Points to insert, per edge by its number (edge n runs from point n to the next).
        var points: [Int: [MapPoint]] = [:]
        var place: MapPoint?
    }

    private static func meetings(_ ring: [MapPoint]) -> Added {
        let count = ring.count
        var added = Added()
        var seen: Set<MapPoint> = []
        for point in ring where !seen.insert(point).inserted { added.place = added.place ?? point }
        // Sweep from west to east: only edges whose spans meet are compared.
        let order = (0..<count).sorted { span(ring, $0).minX < span(ring, $1).minX }
        for (position, i) in order.enumerated() {
            let edge = span(ring, i)
            for j in order[(position + 1)...] {
                let other = span(ring, j)
                if other.minX > edge.maxX { break }
                if other.low.y > edge.high.y || other.high.y < edge.low.y { continue }
                for point in SegmentMeeting.points(ring[i], ring[(i + 1) % count], ring[j], ring[(j + 1) % count]) {
                    for k in [i, j] where point != ring[k] && point != ring[(k + 1) % count] {
                        added.points[k, default: []].append(point)
                        added.place = added.place ?? point
                    }
                }
            }
        }
        return added
    }

    private static func span(_ ring: [MapPoint], _ index: Int) -> BorderEdge {
        BorderEdge(ring[index], ring[index + 1 == ring.count ? 0 : index + 1])
    }

    private static func insert(_ points: [Int: [MapPoint]], into ring: [MapPoint]) -> [MapPoint] {
        var result: [MapPoint] = []
        for (index, point) in ring.enumerated() {
            if result.last != point { result.append(point) }
            guard let extra = points[index] else { continue }
            let sorted = extra.sorted { squared(point, $0) < squared(point, $1) }
            for added in sorted where result.last != added { result.append(added) }
        }
        if result.count > 1, result.first == result.last { result.removeLast() }
        return result
    }

    private static func squared(_ a: MapPoint, _ b: MapPoint) -> Double {
        let dx = Double(Int64(a.x) - Int64(b.x))
        let dy = Double(Int64(a.y) - Int64(b.y))
        return dx * dx + dy * dy
    }
}

/// Where two segments meet, decided exactly; a crossing between grid points is rounded to the nearest.
enum SegmentMeeting {
    /// None, one point, or the two ends of a common stretch.
    static func points(_ a: MapPoint, _ b: MapPoint, _ c: MapPoint, _ d: MapPoint) -> [MapPoint] {
        let c1 = MapPoint.cross(a, b, c)
        let c2 = MapPoint.cross(a, b, d)
        let c3 = MapPoint.cross(c, d, a)
        let c4 = MapPoint.cross(c, d, b)
        if crosses(c1, c2) && crosses(c3, c4) {
            let t = Double(c3) / (Double(c3) - Double(c4))
            let x = Double(a.x) + t * Double(Int64(b.x) - Int64(a.x))
            let y = Double(a.y) + t * Double(Int64(b.y) - Int64(a.y))
            return [MapPoint(x: Int32(x.rounded()), y: Int32(y.rounded()))]
        }
        var met: [MapPoint] = []
        func note(_ point: MapPoint, _ cross: Int64, _ from: MapPoint, _ to: MapPoint) {
            if cross == 0, isWithin(point, from, to), !met.contains(point) { met.append(point) }
        }
        note(c, c1, a, b)
        note(d, c2, a, b)
        note(a, c3, c, d)
        note(b, c4, c, d)
        return met
    }

    /// On either side of a line, neither on it.
    static func crosses(_ a: Int64, _ b: Int64) -> Bool { (a > 0 && b < 0) || (a < 0 && b > 0) }

    /// For a point on the line: within the box of the segment.
    private static func isWithin(_ p: MapPoint, _ a: MapPoint, _ b: MapPoint) -> Bool {
        p.x >= min(a.x, b.x) && p.x <= max(a.x, b.x) && p.y >= min(a.y, b.y) && p.y <= max(a.y, b.y)
    }
}
