/// A square grid over all zones that answers "which zone?" without allocation: most cells lie in one zone or in none;
/// a cell that a border crosses lists the polygons to test, and a test reads only the edges in the cell's row.
struct ZoneIndex: Sendable {
    /// The edges of one polygon that reach into one row, those that reach farthest east first.
    struct Slice: Sendable {
        var zone: Int32
        var start: Int32
        var end: Int32
    }

    /// A point so near to a border, metres, that no zone claims, belongs to the zone of that border. So points on the
    /// outer border are in the city, and where a neighbour has one more corner on a shared edge, whose rounding leaves
    /// a gap of a hair's breadth, there is no hole.
    let reach: Double
    let frame: CellFrame
    /// Per cell: a zone, −1 for none, or −2 − n for the n-th list.
    let cells: [Int32]
    /// The slices to test in a cell, by the zones' order: `listed[lists[n]..<lists[n + 1]]`.
    let lists: [Int32]
    let listed: [Slice]
    /// The slices of a row, by the zones' order: `slices[rowStarts[r]..<rowStarts[r + 1]]`.
    let rowStarts: [Int32]
    let slices: [Slice]
    let edges: [BorderEdge]

    static let outside: Int32 = -1

    /// The first zone, by order, that claims the point; −1 when it lies outside.
    func zone(at p: MapPoint) -> Int32 {
        guard frame.bounds.contains(p) else { return ZoneIndex.outside }
        let code = cells[frame.cell(of: p)]
        if code >= ZoneIndex.outside { return code }
        let list = Int(-2 - code)
        let candidates = Int(lists[list])..<Int(lists[list + 1])
        for index in candidates where isInside(p, listed[index]) { return listed[index].zone }
        return reach > 0 ? unclaimed(p, candidates) : ZoneIndex.outside
    }

    @inline(__always)
    private func isInside(_ p: MapPoint, _ slice: Slice) -> Bool {
        var isInside = false
        for index in Int(slice.start)..<Int(slice.end) where edges[index].isCrossedByRay(from: p) { isInside.toggle() }
        return isInside
    }

    /// The zone whose border is nearest, within `reach`.
    private func unclaimed(_ p: MapPoint, _ candidates: Range<Int>) -> Int32 {
        let scale = MapScale(at: p)
        var best = reach * reach
        var found = ZoneIndex.outside
        for slice in candidates {
            for index in Int(listed[slice].start)..<Int(listed[slice].end) {
                let squared = edges[index].squaredDistance(to: p, east: scale.east, north: scale.north)
                guard squared < best || (squared == best && found == ZoneIndex.outside) else { continue }
                best = squared
                found = listed[slice].zone
            }
        }
        return found
    }

    /// The nearest border within `limit` metres: of one zone, or of any when `zone` is nil. Nil when there is none.
    func nearestBorder(to p: MapPoint, of zone: Int32?, within limit: Double) -> (zone: Int32, metres: Double)? {
        let scale = MapScale(at: p)
        let north = Int64((limit / scale.north).rounded(.up))
        let east = Int64((limit / scale.east).rounded(.up))
        let first = frame.row(Int64(p.y) - north)
        let last = frame.row(Int64(p.y) + north)
        guard last >= 0, first < frame.rows else { return nil }
        var best = limit * limit
        var found: Int32?
        for row in max(0, first)...min(frame.rows - 1, last) {
            for slice in slices[Int(rowStarts[row])..<Int(rowStarts[row + 1])] where zone == nil || slice.zone == zone {
                for edge in edges[Int(slice.start)..<Int(slice.end)] {
                    if Int64(edge.maxX) < Int64(p.x) - east { break }
                    if Int64(edge.minX) > Int64(p.x) + east { continue }
                    let squared = edge.squaredDistance(to: p, east: scale.east, north: scale.north)
                    guard squared < best || (squared == best && found == nil) else { continue }
                    best = squared
                    found = slice.zone
                }
            }
        }
        return found.map { ($0, best.squareRoot()) }
    }
}

/// How a box of the map is cut into square cells, a power of two units wide.
struct CellFrame: Sendable {
    let bounds: MapBounds
    let shift: Int64
    let columns: Int
    let rows: Int

    /// Cells as small as possible, but not more than `limit`.
    init(bounds: MapBounds, limit: Int) {
        self.bounds = bounds
        var shift: Int64 = 4
        func count(_ low: Int32, _ high: Int32) -> Int { Int((Int64(high) - Int64(low)) >> shift) + 1 }
        while count(bounds.minX, bounds.maxX) * count(bounds.minY, bounds.maxY) > limit { shift += 1 }
        self.shift = shift
        columns = count(bounds.minX, bounds.maxX)
        rows = count(bounds.minY, bounds.maxY)
    }

    /// `p` lies within the bounds.
    @inline(__always)
    func cell(of p: MapPoint) -> Int { row(Int64(p.y)) * columns + column(Int64(p.x)) }

    /// Below 0 or past `rows` when outside.
    func row(_ y: Int64) -> Int { Int((y - Int64(bounds.minY)) >> shift) }
    func column(_ x: Int64) -> Int { Int((x - Int64(bounds.minX)) >> shift) }

    func rows(_ low: Int64, _ high: Int64) -> ClosedRange<Int> {
        let first = min(max(row(low), 0), rows - 1)
        return first...min(max(row(high), first), rows - 1)
    }

    func columns(_ low: Int64, _ high: Int64) -> ClosedRange<Int> {
        let first = min(max(column(low), 0), columns - 1)
        return first...min(max(column(high), first), columns - 1)
    }

    func lowY(ofRow row: Int) -> Int64 { Int64(bounds.minY) + Int64(row) << shift }
    func lowX(ofColumn column: Int) -> Int64 { Int64(bounds.minX) + Int64(column) << shift }

    /// A point near the middle of a cell, held within the bounds.
    func middle(row: Int, column: Int) -> MapPoint {
        let half = Int64(1) << (shift - 1)
        return MapPoint(
            x: Int32(min(Int64(bounds.maxX), lowX(ofColumn: column) + half)),
            y: Int32(min(Int64(bounds.maxY), lowY(ofRow: row) + half)))
    }
}
