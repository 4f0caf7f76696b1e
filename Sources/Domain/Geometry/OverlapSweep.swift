/// Measures how much two polygons overlap: the common area between lines through every corner and crossing near both, between which
/// no edges cross, so that the common width half way between two lines is exact.
///
/// Only what lies in the box that both have in common is looked at, from its one end to the other along its longer side: of zones
/// that lie side by side this is the border that they share, and few of its edges pass a line. Where that is east and west, x and y
/// are exchanged ("turned").
struct OverlapSweep {
    /// Square metres.
    private(set) var area = 0.0
    /// A place in the largest piece between two lines, to show.
    private(set) var place: MapPoint?

    init(_ a: MapPolygon, _ b: MapPolygon, work: inout SurveyWork) throws(SurveyWork.Spent) {
        guard let boundsA = a.bounds, let boundsB = b.bounds, boundsA.meets(boundsB) else { return }
        try work.take(a.size + b.size)
        let common = boundsA.common(boundsB)
        let isTurned = Int64(common.maxX) - Int64(common.minX) > Int64(common.maxY) - Int64(common.minY)
        let box = isTurned ? common.turned : common
        let sideA = Side(a, box, isTurned: isTurned)
        let sideB = Side(b, box, isTurned: isTurned)
        let lines = try OverlapSweep.lines(sideA, sideB, box, &work)

        var activeA = ActiveEdges(sideA, box)
        var activeB = ActiveEdges(sideB, box)
        var largest = 0.0
        for index in 1..<max(1, lines.count) {
            let height = lines[index] - lines[index - 1]
            let middle = (lines[index] + lines[index - 1]) / 2
            let xsA = try activeA.crossings(at: middle, &work)
            let xsB = try activeB.crossings(at: middle, &work)
            OverlapSweep.forEachCommon(xsA, xsB) { from, to in
                let found = MapPoint(x: Int32((from + to) / 2), y: Int32(middle))
                let at = isTurned ? found.turned : found
                let scale = MapScale(at: at)
                let piece = (to - from) * height * scale.east * scale.north
                area += piece
                if piece > largest {
                    largest = piece
                    place = at
                }
            }
        }
    }

    /// What counts of a polygon in the box.
    private struct Side {
        /// Those that may pass the box, in the order of the border.
        var edges: [BorderEdge] = []
        /// The y of horizontal ones, which bound no width: one may lead from the west of the box to the east.
        var flats: [Int32] = []
        /// Of those wholly west of it only their number counts: the y of their lower ends and of their upper ends, rising.
        var begins: [Int32] = []
        var ends: [Int32] = []

        init(_ polygon: MapPolygon, _ box: MapBounds, isTurned: Bool) {
            for ring in polygon.rings {
                var previous = ring[ring.count - 1]
                for point in ring {
                    let edge = isTurned ? BorderEdge(previous.turned, point.turned) : BorderEdge(previous, point)
                    previous = point
                    guard edge.low.y < box.maxY, edge.high.y > box.minY, edge.minX <= box.maxX else { continue }
                    if edge.low.y == edge.high.y {
                        flats.append(edge.low.y)
                    } else if edge.maxX < box.minX {
                        begins.append(edge.low.y)
                        ends.append(edge.high.y)
                    } else {
                        edges.append(edge)
                    }
                }
            }
            begins.sort()
            ends.sort()
        }
    }

    private static func lines(
        _ sideA: Side, _ sideB: Side, _ box: MapBounds, _ work: inout SurveyWork
    ) throws(SurveyWork.Spent) -> [Double] {
        let (a, b) = (sideA.edges, sideB.edges)
        var ys: [Double] = [Double(box.minY), Double(box.maxY)]
        for edge in a + b {
            for y in [edge.low.y, edge.high.y] where y > box.minY && y < box.maxY { ys.append(Double(y)) }
        }
        for y in sideA.flats + sideB.flats { ys.append(Double(y)) }
        try EdgeTree(a).forEachPair(with: EdgeTree(b), work: &work) { i, j in
            if let y = crossing(a[i], b[j]), y > Double(box.minY), y < Double(box.maxY) { ys.append(y) }
            return true
        }
        ys.sort()
        var distinct: [Double] = []
        for y in ys where distinct.last != y { distinct.append(y) }
        return distinct
    }

    private static func crossing(_ a: BorderEdge, _ b: BorderEdge) -> Double? {
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
        /// To find where an edge crosses the line, and to sort, is worth so many steps.
        private static let steps = 8

        private let side: Side
        private let edges: [BorderEdge]
        private let box: MapBounds
        private var next = 0
        private var active: [BorderEdge] = []
        private var begun = 0
        private var ended = 0

        init(_ side: Side, _ box: MapBounds) {
            self.side = side
            self.box = box
            edges = side.edges.sorted { $0.low.y < $1.low.y }
        }

        mutating func crossings(at y: Double, _ work: inout SurveyWork) throws(SurveyWork.Spent) -> [Double] {
            while next < edges.count, Double(edges[next].low.y) < y {
                active.append(edges[next])
                next += 1
            }
            try work.take(Self.steps * (active.count + 1))
            active.removeAll { Double($0.high.y) <= y }
            while begun < side.begins.count, Double(side.begins[begun]) < y { begun += 1 }
            // At a corner of theirs, which is no line, the one that ends there counts and the one that begins there does not.
            while ended < side.ends.count, Double(side.ends[ended]) < y { ended += 1 }
            var found = active.map { $0.x(at: y) }.sorted()
            // What is inside already west of the box, or still east of it, is cut off there.
            if (begun - ended) % 2 == 1 { found.insert(Double(box.minX), at: 0) }
            if found.count % 2 == 1 { found.append(Double(box.maxX)) }
            return found
        }
    }
}

extension BorderEdge {
    /// Where it passes a height between its ends.
    fileprivate func x(at y: Double) -> Double {
        let t = (y - Double(low.y)) / Double(Int64(high.y) - Int64(low.y))
        return Double(low.x) + t * Double(Int64(high.x) - Int64(low.x))
    }
}

extension MapPoint {
    fileprivate var turned: MapPoint { MapPoint(x: y, y: x) }
}

extension MapBounds {
    fileprivate var turned: MapBounds {
        var box = MapBounds(MapPoint(x: minY, y: minX))
        box.add(MapPoint(x: maxY, y: maxX))
        return box
    }
}
