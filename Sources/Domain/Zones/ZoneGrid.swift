/// Makes zones of about equal area for the outline of a city: squares cut to the outline, small remainders joined to a
/// neighbour. Neighbours share their border points exactly. The same outline gives the same zones.
public struct ZoneGrid: Sendable {
    /// Smaller pieces, as a part of the wanted area, join a neighbour.
    private static let smallest = 0.45
    /// … one with which they don't grow beyond this, if there is one.
    private static let largest = 1.5

    /// Zones "1" … "n", row by row from the north-west.
    public let zones: [ZoneShape]
    /// The zones as a GeoJSON FeatureCollection (RFC 7946), to be loaded by `ZoneSet`.
    public let geoJSON: [UInt8]

    private struct Piece {
        var polygons: [MapPolygon]
        var area: Double
        var row: Int
        var column: Int
    }

    /// `outline` is GeoJSON: a Polygon or MultiPolygon, alone, in a Feature or in a FeatureCollection. `zoneArea` is in
    /// square metres. Throws what is wrong with the outline.
    public init(outline: [UInt8], zoneArea: Double = 2_000_000) throws(ZoneSetError) {
        let shape = ZoneShape(id: "outline", polygons: try ZoneGeoJSON.polygons(outline))
        let survey = ZoneSurvey([shape], options: ZoneOptions())
        guard survey.problems.isEmpty, let area = survey.zones.first else { throw ZoneSetError(survey.problems) }
        var pieces: [Piece]
        do throws(OutlineSplit.TooIntricate) {
            pieces = try ZoneGrid.pieces(of: area.polygons, side: max(zoneArea, 1).squareRoot())
        } catch {
            let place = survey.origin.geo(error.at)
            throw ZoneSetError([
                ZoneProblem(
                    kind: .selfIntersection, zone: nil,
                    text: "the outline is too intricate at \(place.lat), \(place.lon): two of its sides nearly touch",
                    isRepairable: false)
            ])
        }
        ZoneGrid.joinSmall(&pieces, zoneArea: zoneArea)
        pieces.sort { ($1.row, $0.column) < ($0.row, $1.column) }
        let written = pieces.enumerated().map { index, piece in
            ZoneGeoJSON.Written(
                id: "\(index + 1)", name: "Zone \(index + 1)", polygons: piece.polygons, area: piece.area)
        }
        zones = written.map { $0.shape(survey.origin) }
        geoJSON = ZoneGeoJSON.collection(written, origin: survey.origin)
    }

    /// The outline cut into squares of about that side, metres. Squares that lie outside leave nothing; one that the
    /// outline cuts into several parts leaves several pieces.
    private static func pieces(
        of polygons: [MapPolygon], side: Double
    ) throws(OutlineSplit.TooIntricate) -> [Piece] {
        guard var bounds = polygons.first?.bounds else { return [] }
        for polygon in polygons { polygon.bounds.map { bounds.add($0) } }
        let middle = Int32((Int64(bounds.minY) + Int64(bounds.maxY)) / 2)
        let scale = MapScale(at: MapPoint(x: 0, y: middle))
        let count = ZoneGrid.counts(
            width: Double(Int64(bounds.maxX) - Int64(bounds.minX)) * scale.east / side,
            height: Double(Int64(bounds.maxY) - Int64(bounds.minY)) * scale.north / side)

        var columns: [[[MapPoint]]] = []
        var rest = polygons.flatMap(\.rings)
        for line in lines(bounds.minX, bounds.maxX, count.columns, avoiding: rest.map { $0.map(\.x) }) {
            let parts = try OutlineSplit.split(rest, .vertical, at: line)
            columns.append(parts.low)
            rest = parts.high
        }
        columns.append(rest)

        let taken = columns.flatMap { $0.map { $0.map(\.y) } }
        let rows = lines(bounds.minY, bounds.maxY, count.rows, avoiding: taken)
        var pieces: [Piece] = []
        for (column, rings) in columns.enumerated() {
            var rest = rings
            for row in 0...rows.count {
                var cell = rest
                if row < rows.count {
                    let parts = try OutlineSplit.split(rest, .horizontal, at: rows[row])
                    cell = parts.low
                    rest = parts.high
                }
                for polygon in LoopNesting.polygons(cell.flatMap(RingNoding.loops)) {
                    pieces.append(Piece(polygons: [polygon], area: polygon.area, row: row, column: column))
                }
            }
        }
        return pieces
    }

    /// How many columns and rows of cells, for an extent in sides of the wanted square: those whose cells come nearest to
    /// the wanted area, and of these the squarest.
    private static func counts(width: Double, height: Double) -> (columns: Int, rows: Int) {
        var best = (columns: 1, rows: 1)
        var least = Double.infinity
        for columns in [width.rounded(.down), width.rounded(.up)] where columns >= 1 || width < 1 {
            for rows in [height.rounded(.down), height.rounded(.up)] where rows >= 1 || height < 1 {
                let wide = width / max(1, columns)
                let high = height / max(1, rows)
                let error = abs(wide * high - 1) + 0.1 * abs(wide - high)
                guard error < least else { continue }
                least = error
                best = (Int(max(1, columns)), Int(max(1, rows)))
            }
        }
        return best
    }

    /// Evenly spaced lines that miss every corner, one less than parts.
    private static func lines(_ low: Int32, _ high: Int32, _ parts: Int, avoiding corners: [[Int32]]) -> [Int32] {
        let span = Double(Int64(high) - Int64(low))
        let taken = Set(corners.joined())
        return (0..<parts - 1).map { index in
            var line = low + Int32(span * Double(index + 1) / Double(parts))
            while taken.contains(line) { line += 1 }
            return line
        }
    }

    /// Joins the smallest piece to a neighbour until none is too small.
    private static func joinSmall(_ pieces: inout [Piece], zoneArea: Double) {
        var lonely: Set<Int> = []
        while let small = pieces.indices.filter({ !lonely.contains($0) && !pieces[$0].polygons.isEmpty })
            .min(by: { pieces[$0].area < pieces[$1].area }), pieces[small].area < smallest * zoneArea
        {
            guard let neighbour = bestNeighbour(of: small, pieces, zoneArea) else {
                // An island keeps its own zone.
                lonely.insert(small)
                continue
            }
            pieces[neighbour].polygons = joined(pieces[neighbour].polygons + pieces[small].polygons)
            pieces[neighbour].area += pieces[small].area
            pieces[small].polygons = []
        }
        pieces.removeAll { $0.polygons.isEmpty }
    }

    /// The neighbour with the longest common border of those that don't grow too large; else the smallest.
    private static func bestNeighbour(of small: Int, _ pieces: [Piece], _ zoneArea: Double) -> Int? {
        let own = Set(pieces[small].polygons.flatMap(\.edges))
        var best: (index: Int, fits: Bool, rank: Double)?
        for (index, piece) in pieces.enumerated() where index != small {
            var border = 0.0
            for edge in piece.polygons.lazy.flatMap(\.edges) where own.contains(edge) {
                let scale = MapScale(at: edge.low)
                border += edge.length(east: scale.east, north: scale.north)
            }
            guard border > 0 else { continue }
            let area = piece.area + pieces[small].area
            let fits = area <= largest * zoneArea
            let rank = fits ? border : -area
            if let best, (best.fits && !fits) || (best.fits == fits && best.rank >= rank) { continue }
            best = (index, fits, rank)
        }
        return best?.index
    }

    /// One area of several that share edges: what only one of them has is its border.
    private static func joined(_ polygons: [MapPolygon]) -> [MapPolygon] {
        LoopNesting.polygons(BorderLoops.loops(polygons.flatMap(\.edges)))
    }
}
