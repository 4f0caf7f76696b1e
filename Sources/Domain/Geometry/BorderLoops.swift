/// Puts edges that meet only at their ends together to loops that nowhere cross and pass no point twice: the border of
/// what an odd number of the given borders encloses.
enum BorderLoops {
    /// An edge given twice is no border and is left out. At every point an even number of edges meets, as it does when
    /// they come from closed rings.
    static func loops(_ given: [BorderEdge]) -> [[MapPoint]] {
        var count: [BorderEdge: Int] = [:]
        for edge in given { count[edge, default: 0] += 1 }
        var edges: [BorderEdge] = []
        for edge in given where count[edge, default: 0] % 2 == 1 {
            edges.append(edge)
            count[edge] = 0
        }
        let next = neighbours(edges)
        var used = [Bool](repeating: false, count: edges.count)
        var loops: [[MapPoint]] = []
        for first in edges.indices where !used[first] {
            var ring: [MapPoint] = []
            var edge = first
            var from = edges[first].low
            while !used[edge] {
                used[edge] = true
                ring.append(from)
                let isUp = from == edges[edge].low
                from = isUp ? edges[edge].high : edges[edge].low
                edge = isUp ? next[edge].atHigh : next[edge].atLow
            }
            loops += splitAtRepetitions(ring)
        }
        return loops
    }

    /// The edge on which the way goes on, at either end of an edge.
    private struct Next {
        var atLow = 0
        var atHigh = 0
    }

    /// Around a point inside and outside alternate, so edges that follow one another in angle are paired: the ways
    /// through the point touch there, and don't cross.
    private static func neighbours(_ edges: [BorderEdge]) -> [Next] {
        var next = [Next](repeating: Next(), count: edges.count)
        var meeting: [MapPoint: [Int]] = [:]
        for (index, edge) in edges.enumerated() {
            meeting[edge.low, default: []].append(index)
            meeting[edge.high, default: []].append(index)
        }
        for (point, found) in meeting {
            let around = found.sorted {
                isBefore(edges[$0].end(from: point), edges[$1].end(from: point), around: point)
            }
            for pair in stride(from: 0, to: around.count - 1, by: 2) {
                for (edge, other) in [(around[pair], around[pair + 1]), (around[pair + 1], around[pair])] {
                    if edges[edge].low == point { next[edge].atLow = other } else { next[edge].atHigh = other }
                }
            }
        }
        return next
    }

    /// Counter-clockwise from the east.
    private static func isBefore(_ a: MapPoint, _ b: MapPoint, around center: MapPoint) -> Bool {
        func isUpper(_ p: MapPoint) -> Bool { p.y > center.y || (p.y == center.y && p.x > center.x) }
        if isUpper(a) != isUpper(b) { return isUpper(a) }
        return MapPoint.cross(center, a, b) > 0
    }

    private static func splitAtRepetitions(_ ring: [MapPoint]) -> [[MapPoint]] {
        var loops: [[MapPoint]] = []
        var stack: [MapPoint] = []
        var height: [MapPoint: Int] = [:]
        func close(from index: Int) {
            let loop = Array(stack[index...])
            if loop.count >= 3, MapRing.signedArea(loop) != 0 { loops.append(loop) }
        }
        for point in ring {
            if let index = height[point] {
                close(from: index)
                for dropped in stack[(index + 1)...] { height[dropped] = nil }
                stack.removeSubrange((index + 1)...)
            } else {
                height[point] = stack.count
                stack.append(point)
            }
        }
        close(from: 0)
        return loops
    }
}
