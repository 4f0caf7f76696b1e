/// Cuts an area, given by rings with its inside on their left, along straight lines of the grid, so that both sides get
/// exactly the same points on the line.
enum OutlineSplit {
    enum Axis {
        /// The line runs north: points are told apart by their x.
        case vertical
        /// The line runs east: points are told apart by their y.
        case horizontal
    }

    /// Two borders cross the line too near to each other to be told apart.
    struct TooIntricate: Error {
        var at: MapPoint
    }

    /// What lies below the line (west or south of it) and above it. No corner may lie on the line.
    static func split(
        _ rings: [[MapPoint]], _ axis: Axis, at line: Int32
    ) throws(TooIntricate) -> (low: [[MapPoint]], high: [[MapPoint]]) {
        var low = Side()
        var high = Side()
        var crossings: [Crossing] = []
        for ring in rings {
            cut(ring, axis, line, &low, &high, &crossings)
        }
        let partners = try pairs(crossings)
        return (low.rings(partners), high.rings(partners))
    }

    private struct Crossing {
        var point: MapPoint
        /// Where on the line, before rounding.
        var position: Double
        /// The border crosses from the low side to the high one.
        var rises: Bool
    }

    /// A stretch of border on one side of the line, from the crossing where it comes in to the one where it goes out.
    private struct Chain {
        var from: Int
        var to: Int
        var points: [MapPoint]
    }

    private struct Side {
        var whole: [[MapPoint]] = []
        var chains: [Chain] = []

        /// Closes the chains along the line: from where one goes out, on to the crossing at the other end of the stretch
        /// of line that lies inside, where another comes in.
        func rings(_ partners: [Int]) -> [[MapPoint]] {
            var starting = [Int](repeating: -1, count: partners.count)
            for (index, chain) in chains.enumerated() { starting[chain.from] = index }
            var used = [Bool](repeating: false, count: chains.count)
            var rings = whole
            for first in chains.indices where !used[first] {
                var ring: [MapPoint] = []
                var index = first
                while !used[index] {
                    used[index] = true
                    for point in chains[index].points where ring.last != point { ring.append(point) }
                    index = starting[partners[chains[index].to]]
                }
                if ring.first == ring.last { ring.removeLast() }
                if ring.count >= 3, MapRing.signedArea(ring) != 0 { rings.append(ring) }
            }
            return rings
        }
    }

    private static func cut(
        _ ring: [MapPoint], _ axis: Axis, _ line: Int32, _ low: inout Side, _ high: inout Side,
        _ crossings: inout [Crossing]
    ) {
        func isHigh(_ point: MapPoint) -> Bool { (axis == .vertical ? point.x : point.y) > line }
        guard let start = ring.indices.first(where: { isHigh(ring[$0]) != isHigh(ring[($0 + 1) % ring.count]) }) else {
            if isHigh(ring[0]) { high.whole.append(ring) } else { low.whole.append(ring) }
            return
        }
        // Begin behind a crossing, so that every chain is met whole.
        let first = crossings.count
        var points: [MapPoint] = []
        var from = first
        for step in 0...ring.count {
            let a = ring[(start + step) % ring.count]
            let b = ring[(start + step + 1) % ring.count]
            if step > 0 { points.append(a) }
            guard isHigh(a) != isHigh(b) else { continue }
            let isLast = step == ring.count
            let crossing = isLast ? crossings[first] : crossing(a, b, axis, line, rises: isHigh(b))
            if !isLast { crossings.append(crossing) }
            let to = isLast ? first : crossings.count - 1
            if step > 0 {
                let chain = Chain(from: from, to: to, points: [crossings[from].point] + points + [crossing.point])
                if isHigh(a) { high.chains.append(chain) } else { low.chains.append(chain) }
            }
            points = []
            from = to
        }
    }

    private static func crossing(_ a: MapPoint, _ b: MapPoint, _ axis: Axis, _ line: Int32, rises: Bool) -> Crossing {
        // From the lower end up, so that both directions round alike.
        let edge = BorderEdge(a, b)
        func along(_ from: Int32, _ to: Int32, _ start: Int32, _ end: Int32) -> Double {
            let t = Double(Int64(line) - Int64(from)) / Double(Int64(to) - Int64(from))
            return Double(start) + t * Double(Int64(end) - Int64(start))
        }
        switch axis {
        case .vertical:
            let y = along(edge.low.x, edge.high.x, edge.low.y, edge.high.y)
            return Crossing(point: MapPoint(x: line, y: Int32(y.rounded())), position: y, rises: rises)
        case .horizontal:
            let x = along(edge.low.y, edge.high.y, edge.low.x, edge.high.x)
            return Crossing(point: MapPoint(x: Int32(x.rounded()), y: line), position: x, rises: rises)
        }
    }

    /// Per crossing, the one at the other end of the stretch of line that lies inside the area.
    private static func pairs(_ crossings: [Crossing]) throws(TooIntricate) -> [Int] {
        let sorted = crossings.indices.sorted { crossings[$0].position < crossings[$1].position }
        var partners = [Int](repeating: 0, count: crossings.count)
        for index in stride(from: 0, to: sorted.count, by: 2) {
            let a = sorted[index]
            let b = sorted[index + 1]
            guard crossings[a].rises != crossings[b].rises else { throw TooIntricate(at: crossings[a].point) }
            partners[a] = b
            partners[b] = a
        }
        return partners
    }
}
