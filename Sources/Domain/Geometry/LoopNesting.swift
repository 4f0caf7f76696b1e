/// Puts loops that don't cross each other together to polygons: a loop inside one other is its hole, a loop inside a
/// hole is a polygon again.
enum LoopNesting {
    /// What ``polygons(_:)`` costs at most where few corners of a loop lie on another one: each loop is compared with each.
    static func steps(_ loops: [[MapPoint]]) -> Int { 4 * loops.count * loops.reduce(0) { $0 + $1.count } }

    static func polygons(_ loops: [[MapPoint]]) -> [MapPolygon] {
        let measured = loops.map { (loop: $0, area: abs(MapRing.signedArea($0))) }
        let sorted = measured.sorted { $0.area > $1.area }.map { $0.loop }
        let boxes = sorted.map { MapPolygon(rings: [$0]).bounds }
        var depth: [Int] = []
        var polygons: [MapPolygon] = []
        /// Per loop, the polygon of which it is the outer ring.
        var polygonOf: [Int?] = []
        for (index, loop) in sorted.enumerated() {
            let around = (0..<index).filter { other in
                guard let box = boxes[index], let its = boxes[other], its.contains(box) else { return false }
                return isInside(loop, sorted[other])
            }
            depth.append(around.count)
            // The innermost loop around this one is the smallest, so the last.
            if around.count % 2 == 1, let owner = around.last(where: { depth[$0] % 2 == 0 }),
                let polygon = polygonOf[owner]
            {
                polygons[polygon].rings.append(turned(loop, counterClockwise: false))
                polygonOf.append(nil)
            } else {
                polygonOf.append(polygons.count)
                polygons.append(MapPolygon(rings: [turned(loop, counterClockwise: true)]))
            }
        }
        return polygons
    }

    /// As RFC 7946 wants it: the outer ring counter-clockwise, holes clockwise.
    static func oriented(_ rings: [[MapPoint]]) -> [[MapPoint]] {
        rings.enumerated().map { turned($1, counterClockwise: $0 == 0) }
    }

    static func isOnBorder(_ point: MapPoint, of rings: [[MapPoint]]) -> Bool {
        for ring in rings {
            var previous = ring[ring.count - 1]
            for next in ring {
                if SegmentMeeting.isOn(point, previous, next) { return true }
                previous = next
            }
        }
        return false
    }

    private static func turned(_ ring: [MapPoint], counterClockwise: Bool) -> [MapPoint] {
        (MapRing.signedArea(ring) > 0) == counterClockwise ? ring : ring.reversed()
    }

    /// By the first corner of the loop that isn't on the other's border; by the middle of an edge if all are.
    private static func isInside(_ loop: [MapPoint], _ other: [MapPoint]) -> Bool {
        if let corner = loop.first(where: { !isOnBorder($0, of: [other]) }) { return MapRing.contains(other, corner) }
        var previous = loop[loop.count - 1]
        for point in loop {
            let middle = MapPoint(
                x: Int32((Int64(previous.x) + Int64(point.x)) / 2), y: Int32((Int64(previous.y) + Int64(point.y)) / 2))
            if !isOnBorder(middle, of: [other]) { return MapRing.contains(other, middle) }
            previous = point
        }
        return false
    }
}
