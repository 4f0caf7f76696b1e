/// Measures how much two polygons overlap: the common area between horizontal lines through every corner and crossing,
/// between which no edges cross, so that the common width at half height is exact.
struct OverlapSweep {
    /// Square metres.
    private(set) var area = 0.0
    /// A place in the largest piece between two lines, to show.
    private(set) var place: MapPoint?

    private struct Segment {
        var low: MapPoint
        var high: MapPoint

        func x(at y: Double) -> Double {
            let t = (y - Double(low.y)) / Double(Int64(high.y) - Int64(low.y))
            return Double(low.x) + t * Double(Int64(high.x) - Int64(low.x))
        }
    }

    init(_ a: MapPolygon, _ b: MapPolygon) {
        guard let boundsA = a.bounds, let boundsB = b.bounds, boundsA.meets(boundsB) else { return }
        let low = max(boundsA.minY, boundsB.minY)
        let high = min(boundsA.maxY, boundsB.maxY)
        let edgesA = OverlapSweep.segments(a, low, high)
        let edgesB = OverlapSweep.segments(b, low, high)
        let lines = OverlapSweep.lines(edgesA, edgesB, low, high)

        var activeA = ActiveEdges(edgesA)
        var activeB = ActiveEdges(edgesB)
        var largest = 0.0
        for index in 1..<max(1, lines.count) {
            let height = lines[index] - lines[index - 1]
            let middle = (lines[index] + lines[index - 1]) / 2
            let xsA = activeA.crossings(at: middle)
            let xsB = activeB.crossings(at: middle)
            let scale = MapScale(at: MapPoint(x: 0, y: Int32(middle)))
            OverlapSweep.forEachCommon(xsA, xsB) { from, to in
                let piece = (to - from) * scale.east * height * scale.north
                area += piece
                if piece > largest {
                    largest = piece
                    place = MapPoint(x: Int32((from + to) / 2), y: Int32(middle))
                }
            }
        }
    }

    /// The edges that pass the strip where both polygons are; horizontal ones bound no width.
    private static func segments(_ polygon: MapPolygon, _ low: Int32, _ high: Int32) -> [Segment] {
        polygon.edges.filter { $0.low.y < high && $0.high.y > low && $0.low.y != $0.high.y }
            .map { Segment(low: $0.low, high: $0.high) }
            .sorted { $0.low.y < $1.low.y }
    }

    private static func lines(_ a: [Segment], _ b: [Segment], _ low: Int32, _ high: Int32) -> [Double] {
        var ys: [Double] = [Double(low), Double(high)]
        for edge in a + b {
            for y in [edge.low.y, edge.high.y] where y > low && y < high { ys.append(Double(y)) }
        }
        for edge in a {
            let west = min(edge.low.x, edge.high.x)
            let east = max(edge.low.x, edge.high.x)
            for other in b {
                if other.low.y >= edge.high.y { break }
                if other.high.y <= edge.low.y || max(other.low.x, other.high.x) < west { continue }
                if min(other.low.x, other.high.x) > east { continue }
                if let y = crossing(edge, other), y > Double(low), y < Double(high) { ys.append(y) }
            }
        }
        ys.sort()
        var distinct: [Double] = []
        for y in ys where distinct.last != y { distinct.append(y) }
        return distinct
    }

    private static func crossing(_ a: Segment, _ b: Segment) -> Double? {
        let c1 = MapPoint.cross(a.low, a.high, b.low)
        let c2 = MapPoint.cross(a.low, a.high, b.high)
        guard SegmentMeeting.crosses(c1, c2) else { return nil }
        let c3 = MapPoint.cross(b.low, b.high, a.low)
        let c4 = MapPoint.cross(b.low, b.high, a.high)
        guard SegmentMeeting.crosses(c3, c4) else { return nil }
        let t = Double(c3) / (Double(c3) - Double(c4))
        return Double(a.low.y) + t * Double(Int64(a.high.y) - Int64(a.low.y))
    }

    /// The stretches that lie between an odd and an even crossing in both lists.
    private static func forEachCommon(_ a: [Double], _ b: [Double], _ body: (Double, Double) -> Void) {
        var i = 0
        var j = 0
        while i + 1 < a.count && j + 1 < b.count {
            let from = max(a[i], b[j])
            let to = min(a[i + 1], b[j + 1])
            if to > from { body(from, to) }
            if a[i + 1] < b[j + 1] { i += 2 } else { j += 2 }
        }
    }

    /// The edges that cross a line that only ever moves up.
    private struct ActiveEdges {
        private let edges: [Segment]
        private var next = 0
        private var active: [Segment] = []

        init(_ edges: [Segment]) { self.edges = edges }

        mutating func crossings(at y: Double) -> [Double] {
            while next < edges.count, Double(edges[next].low.y) < y {
                active.append(edges[next])
                next += 1
            }
            active.removeAll { Double($0.high.y) <= y }
            return active.map { $0.x(at: y) }.sorted()
        }
    }
}
