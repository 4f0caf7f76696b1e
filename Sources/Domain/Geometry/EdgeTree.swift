/// Finds edges of a border that come near each other, or edges of another border, without comparing each with each.
///
/// Edges that follow one another lie together: there is a box around some of them, one around two such boxes, and so on. Where two
/// boxes don't meet, none of their edges do.
struct EdgeTree {
    /// Edges in the smallest boxes.
    private static let leafSize = 8

    private let edges: [BorderEdge]
    /// A box comes before those that it is made of: behind it the first half with all its boxes, then the second half.
    private var boxes: [MapBounds] = []

    /// A box, and the smallest boxes in it.
    private struct Node {
        var box: Int
        var leaves: Range<Int>

        /// Of n smallest boxes there are 2n - 1 boxes.
        var halves: (Node, Node) {
            let middle = (leaves.lowerBound + leaves.upperBound) / 2
            let first = leaves.lowerBound..<middle
            return (
                Node(box: box + 1, leaves: first),
                Node(box: box + 2 * first.count, leaves: middle..<leaves.upperBound)
            )
        }
    }

    /// `edges` in the order of the border.
    init(_ edges: [BorderEdge]) {
        self.edges = edges
        guard !edges.isEmpty else { return }
        boxes.reserveCapacity(2 * root.leaves.count)
        build(root)
    }

    private var root: Node { Node(box: 0, leaves: 0..<(edges.count + Self.leafSize - 1) / Self.leafSize) }

    private func numbers(ofLeaf leaf: Int) -> Range<Int> {
        leaf * Self.leafSize..<min(edges.count, (leaf + 1) * Self.leafSize)
    }

    private mutating func build(_ node: Node) {
        boxes.append(MapBounds(edges[node.leaves.lowerBound * Self.leafSize].low))
        if node.leaves.count == 1 {
            for number in numbers(ofLeaf: node.leaves.lowerBound) {
                boxes[node.box].add(edges[number].low)
                boxes[node.box].add(edges[number].high)
            }
        } else {
            let (first, second) = node.halves
            build(first)
            build(second)
            boxes[node.box].add(boxes[first.box])
            boxes[node.box].add(boxes[second.box])
        }
    }

    /// Calls `body` with the numbers of each two edges whose boxes meet, until it answers false.
    func forEachPair(work: inout SurveyWork, _ body: (Int, Int) -> Bool) throws(SurveyWork.Spent) {
        try forEachPair(self, isOne: true, &work, body)
    }

    /// The same with an edge of this border and one of another.
    func forEachPair(
        with other: EdgeTree, work: inout SurveyWork, _ body: (Int, Int) -> Bool
    ) throws(SurveyWork.Spent) {
        try forEachPair(other, isOne: false, &work, body)
    }

    private func forEachPair(
        _ other: EdgeTree, isOne: Bool, _ work: inout SurveyWork, _ body: (Int, Int) -> Bool
    ) throws(SurveyWork.Spent) {
        guard !edges.isEmpty, !other.edges.isEmpty else { return }
        var waiting = [(root, other.root)]
        while let (a, b) = waiting.popLast() {
            try work.take(1)
            guard boxes[a.box].meets(other.boxes[b.box]) else { continue }
            let isSame = isOne && a.box == b.box
            if a.leaves.count == 1, b.leaves.count == 1 {
                let (first, second) = (numbers(ofLeaf: a.leaves.lowerBound), other.numbers(ofLeaf: b.leaves.lowerBound))
                try work.take(first.count * second.count)
                for i in first {
                    for j in second where (!isSame || i < j) && edges[i].isNear(other.edges[j]) {
                        guard body(i, j) else { return }
                    }
                }
            } else if isSame {
                let (first, second) = a.halves
                waiting += [(second, second), (first, second), (first, first)]
            } else if a.leaves.count >= b.leaves.count {
                let (first, second) = a.halves
                waiting += [(second, b), (first, b)]
            } else {
                let (first, second) = b.halves
                waiting += [(a, second), (a, first)]
            }
        }
    }
}

extension BorderEdge {
    /// Whether the boxes of both meet.
    fileprivate func isNear(_ other: BorderEdge) -> Bool {
        low.y <= other.high.y && other.low.y <= high.y && minX <= other.maxX && other.minX <= maxX
    }
}
