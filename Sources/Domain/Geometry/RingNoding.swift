/// Finds where a ring meets itself, and takes it apart there into loops that don't.
enum RingNoding {
    /// A place where the ring crosses or touches itself; nil when it never does. Points of `ring` don't repeat one after the other.
    static func meeting(_ ring: [MapPoint], work: inout SurveyWork) throws(SurveyWork.Spent) -> MapPoint? {
        try meetings(ring, most: 0, withCorners: true, &work).place
    }

    /// The ring with a point added wherever it crosses or touches itself; nil when it does more than `most` times.
    static func noded(
        _ ring: [MapPoint], most: Int, work: inout SurveyWork
    ) throws(SurveyWork.Spent) -> [MapPoint]? {
        var current = ring
        var left = most
        // A crossing is rounded to the grid, which may bend an edge by half a unit across another: look again.
        for pass in 0..<8 {
            let added = try meetings(current, most: left, withCorners: pass == 0, &work)
            left -= added.count
            guard left >= 0 else { return nil }
            guard !added.points.isEmpty else { break }
            current = insert(added.points, into: current)
        }
        return current
    }

    /// The loops of a noded ring. What has no area (spikes) is left out.
    static func loops(_ ring: [MapPoint]) -> [[MapPoint]] {
        BorderLoops.loops(ring.indices.map { BorderEdge(ring[$0], ring[($0 + 1) % ring.count]) })
    }

    private struct Added {
        /// Points to insert, per edge by its number (edge n runs from point n to the next).
        var points: [Int: [MapPoint]] = [:]
        var place: MapPoint?
        /// Corners that repeat, and pairs of edges that meet elsewhere than at corners of both.
        var count = 0
    }

    /// Ends with the first one beyond `most`.
    private static func meetings(
        _ ring: [MapPoint], most: Int, withCorners: Bool, _ work: inout SurveyWork
    ) throws(SurveyWork.Spent) -> Added {
        let count = ring.count
        var added = Added()
        var seen: Set<MapPoint> = []
        // Where it was noded its corners repeat.
        for point in ring where withCorners && !seen.insert(point).inserted {
            added.count += 1
            added.place = added.place ?? point
        }
        guard added.count <= most else { return added }
        try EdgeTree(ring.indices.map { span(ring, $0) }).forEachPair(work: &work) { i, j in
            var meets = false
            for point in SegmentMeeting.points(ring[i], ring[(i + 1) % count], ring[j], ring[(j + 1) % count]) {
                for k in [i, j] where point != ring[k] && point != ring[(k + 1) % count] {
                    added.points[k, default: []].append(point)
                    added.place = added.place ?? point
                    meets = true
                }
            }
            if meets { added.count += 1 }
            return added.count <= most
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

    /// Whether a point lies on a segment.
    static func isOn(_ point: MapPoint, _ a: MapPoint, _ b: MapPoint) -> Bool {
        isWithin(point, a, b) && MapPoint.cross(a, b, point) == 0
    }

    /// On either side of a line, neither on it.
    static func crosses(_ a: Int64, _ b: Int64) -> Bool { (a > 0 && b < 0) || (a < 0 && b > 0) }

    /// For a point on the line: within the box of the segment.
    private static func isWithin(_ p: MapPoint, _ a: MapPoint, _ b: MapPoint) -> Bool {
        p.x >= min(a.x, b.x) && p.x <= max(a.x, b.x) && p.y >= min(a.y, b.y) && p.y <= max(a.y, b.y)
    }
}
