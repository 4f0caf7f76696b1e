import Glibc

/// Builds a `ZoneIndex`, once per loading.
struct ZoneIndexBuilder {
    /// As many cells as stay in a core's cache, 4 bytes each.
    static let cellLimit = 131_072

    private let frame: CellFrame
    private let reach: Double
    /// `reach` in units, rounded up: what a cell or row must look at beyond its edges.
    private let reachUnits: Int64
    private var edges: [BorderEdge] = []
    private var rowSlices: [[ZoneIndex.Slice]]
    /// Per cell, the positions in `rowSlices[row]` of the polygons whose border comes near.
    private var touching: [[Int32]]

    /// `polygons` come in the order in which zones are asked; there is at least one, none is empty.
    static func build(_ polygons: [(zone: Int, polygon: MapPolygon)], reach: Double) -> ZoneIndex? {
        guard var bounds = polygons.first?.polygon.bounds else { return nil }
        for entry in polygons { entry.polygon.bounds.map { bounds.add($0) } }
        let latitude = Double(max(abs(Int64(bounds.minY)), abs(Int64(bounds.maxY)))) / MapPoint.scale
        let narrowest = GeoPoint.metresPerDegree / MapPoint.scale * max(0.01, cos(latitude * .pi / 180))
        let reachUnits = Int64((reach / narrowest).rounded(.up)) + 1
        // A margin, so that whatever lies beyond the bounds is outside every zone.
        bounds.minX -= Int32(reachUnits)
        bounds.minY -= Int32(reachUnits)
        bounds.maxX += Int32(reachUnits)
        bounds.maxY += Int32(reachUnits)

        var builder = ZoneIndexBuilder(bounds: bounds, reach: reach, reachUnits: reachUnits)
        for entry in polygons { builder.add(entry.polygon, zone: Int32(entry.zone)) }
        return builder.finish()
    }

    private init(bounds: MapBounds, reach: Double, reachUnits: Int64) {
        frame = CellFrame(bounds: bounds, limit: ZoneIndexBuilder.cellLimit)
        self.reach = reach
        self.reachUnits = reachUnits
        rowSlices = Array(repeating: [], count: frame.rows)
        touching = Array(repeating: [], count: frame.rows * frame.columns)
    }

    private mutating func add(_ polygon: MapPolygon, zone: Int32) {
        var byRow: [[BorderEdge]] = Array(repeating: [], count: frame.rows)
        for edge in polygon.edges {
            for row in frame.rows(Int64(edge.low.y) - reachUnits, Int64(edge.high.y) + reachUnits) {
                byRow[row].append(edge)
                mark(edge, row: row)
            }
        }
        for (row, found) in byRow.enumerated() where !found.isEmpty {
            let start = Int32(edges.count)
            edges.append(contentsOf: found.sorted { $0.maxX > $1.maxX })
            rowSlices[row].append(ZoneIndex.Slice(zone: zone, start: start, end: Int32(edges.count)))
        }
    }

    /// Notes the cells of a row that an edge comes near, for the polygon whose slice is about to be added there.
    private mutating func mark(_ edge: BorderEdge, row: Int) {
        var minX = Double(edge.minX)
        var maxX = Double(edge.maxX)
        let height = Double(Int64(edge.high.y) - Int64(edge.low.y))
        if height > 0 {
            // The part of the edge within the row and its margin.
            let low = Double(frame.lowY(ofRow: row) - reachUnits)
            let high = Double(frame.lowY(ofRow: row + 1) + reachUnits)
            let slope = Double(Int64(edge.high.x) - Int64(edge.low.x)) / height
            let atLow = Double(edge.low.x) + slope * (max(low, Double(edge.low.y)) - Double(edge.low.y))
            let atHigh = Double(edge.low.x) + slope * (min(high, Double(edge.high.y)) - Double(edge.low.y))
            minX = max(minX, min(atLow, atHigh))
            maxX = min(maxX, max(atLow, atHigh))
        }
        // One unit more for the rounding of the division.
        let margin = reachUnits + 1
        let slice = Int32(rowSlices[row].count)
        for column in frame.columns(Int64(minX) - margin, Int64(maxX) + margin) {
            let cell = row * frame.columns + column
            if touching[cell].last != slice { touching[cell].append(slice) }
        }
    }

    private func finish() -> ZoneIndex {
        var cells = [Int32](repeating: ZoneIndex.outside, count: frame.rows * frame.columns)
        var lists: [Int32] = [0]
        var listed: [ZoneIndex.Slice] = []
        for row in 0..<frame.rows {
            var isKnown = false
            for column in 0..<frame.columns {
                let cell = row * frame.columns + column
                let middle = frame.middle(row: row, column: column)
                if touching[cell].isEmpty {
                    // No border between this cell and the one before: the same zone.
                    cells[cell] = isKnown ? cells[cell - 1] : claimant(of: middle, row: row)
                    isKnown = true
                } else {
                    listed.append(contentsOf: candidates(cell: cell, row: row, column: column, middle: middle))
                    lists.append(Int32(listed.count))
                    cells[cell] = -2 - Int32(lists.count - 2)
                    isKnown = false
                }
            }
        }
        var rowStarts: [Int32] = [0]
        for slices in rowSlices { rowStarts.append(rowStarts[rowStarts.count - 1] + Int32(slices.count)) }
        return ZoneIndex(
            reach: reach, frame: frame, cells: cells, lists: lists, listed: listed, rowStarts: rowStarts,
            slices: rowSlices.flatMap { $0 }, edges: edges)
    }

    /// The polygons to test in a cell, by order: those whose border is near, and those that contain all of it. Of their
    /// edges, only those that don't end west of the cell.
    private func candidates(cell: Int, row: Int, column: Int, middle: MapPoint) -> [ZoneIndex.Slice] {
        let west = frame.lowX(ofColumn: column) - reachUnits
        var found: [ZoneIndex.Slice] = []
        for (index, slice) in rowSlices[row].enumerated() {
            guard touching[cell].contains(Int32(index)) || isInside(middle, slice) else { continue }
            var end = slice.start
            while end < slice.end, Int64(edges[Int(end)].maxX) >= west { end += 1 }
            found.append(ZoneIndex.Slice(zone: slice.zone, start: slice.start, end: end))
        }
        return found
    }

    private func claimant(of p: MapPoint, row: Int) -> Int32 {
        for slice in rowSlices[row] where isInside(p, slice) { return slice.zone }
        return ZoneIndex.outside
    }

    private func isInside(_ p: MapPoint, _ slice: ZoneIndex.Slice) -> Bool {
        var isInside = false
        for edge in edges[Int(slice.start)..<Int(slice.end)] where edge.isCrossedByRay(from: p) { isInside.toggle() }
        return isInside
    }
}
