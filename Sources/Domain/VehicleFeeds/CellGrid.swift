import Glibc

/// The earth in squares of about 400 m: 50,000 rows of the same height, each cut into as many columns as make its cells
/// about as wide as they are high. Constants and arithmetic only, so that all processes agree on it without a word.
public enum CellGrid {
    /// Rows from pole to pole.
    public static let rows = 50_000
    /// Degrees of latitude, 400.3 m.
    static let rowHeight = 0.0036

    /// Cells in a row.
    public static func columns(_ row: Int) -> Int {
        let middle = (Double(row) + 0.5) * rowHeight - 90
        return max(1, Int((360 / rowHeight * cos(middle * .pi / 180)).rounded()))
    }

    /// The cell that a point is in. Every point is in one; degrees beyond the range are held to it.
    public static func cell(of point: GeoPoint) -> CellID {
        let row = row(of: point.lat)
        return CellID(row: row, column: column(of: point.lon, columns: columns(row)))
    }

    /// The south-west corner.
    public static func corner(of cell: CellID) -> GeoPoint {
        let box = box(of: cell)
        return GeoPoint(lat: box.south, lon: box.west)
    }

    /// The four sides in degrees.
    public static func box(of cell: CellID) -> GeoBounds {
        let width = 360 / Double(columns(Int(cell.row)))
        return GeoBounds(
            south: Double(cell.row) * rowHeight - 90, west: Double(cell.column) * width - 180,
            north: Double(cell.row + 1) * rowHeight - 90, east: Double(cell.column + 1) * width - 180)
    }

    /// All cells that a circle reaches, its radius in metres: some 25 for 1 km, 530 for 5 km.
    public static func cells(touching center: GeoPoint, radius: Double) -> [CellID] {
        // A hair is added, so that no rounding loses a cell that the circle just touches.
        let reach = max(radius, 0) / GeoPoint.metresPerDegree + 1e-9
        let (south, north) = (max(center.lat - reach, -90), min(center.lat + reach, 90))
        var cells: [CellID] = []
        for row in row(of: south)...row(of: north) {
            let bottom = max(Double(row) * rowHeight - 90, south)
            let top = min(Double(row + 1) * rowHeight - 90, north)
            let half = halfWidth(of: center.lat, reach: reach, from: bottom, to: max(bottom, top))
            append(row: row, west: center.lon - half, width: 2 * half, to: &cells)
        }
        return cells
    }

    /// All cells that a box of degrees reaches. A box of a whole country has millions.
    public static func cells(in box: GeoBounds) -> [CellID] {
        guard box.south <= box.north else { return [] }
        let width = box.east - box.west
        var cells: [CellID] = []
        for row in row(of: box.south)...row(of: box.north) {
            append(row: row, west: box.west, width: width < 0 ? width + 360 : width, to: &cells)
        }
        return cells
    }

    /// The corner in units of 1e-5 degree, rounded down, by whole numbers: no point of the cell has fewer of them.
    static func corner5(of cell: CellID) -> (lat: Int32, lon: Int32) {
        let lat = Int(cell.row) * 360 - 9_000_000
        let lon = Int(cell.column) * 36_000_000 / columns(Int(cell.row)) - 18_000_000
        return (Int32(truncatingIfNeeded: lat), Int32(truncatingIfNeeded: lon))
    }

    private static func row(of lat: Double) -> Int {
        let row = (lat + 90) / rowHeight
        return row > 0 ? min(Int(min(row, Double(rows))), rows - 1) : 0
    }

    private static func column(of lon: Double, columns: Int) -> Int {
        let column = (lon + 180) / 360 * Double(columns)
        return column > 0 ? min(Int(min(column, Double(columns))), columns - 1) : 0
    }

    /// The columns of a row from a meridian over so many degrees to the east, each once.
    private static func append(row: Int, west: Double, width: Double, to cells: inout [CellID]) {
        let columns = columns(row)
        let west = GeoPoint.wrappedDegrees(west)
        let east = GeoPoint.wrappedDegrees(west + min(width, 360))
        let first = column(of: west, columns: columns)
        let last = column(of: east, columns: columns)
        if width >= 360 - 360 / Double(columns) {
            for column in 0..<columns { cells.append(CellID(row: row, column: column)) }
        } else if east >= west {
            for column in first...last { cells.append(CellID(row: row, column: column)) }
        } else {
            for column in first..<columns { cells.append(CellID(row: row, column: column)) }
            for column in 0..<min(last + 1, first) { cells.append(CellID(row: row, column: column)) }
        }
    }

    /// Half the width in degrees of longitude of a circle on the sphere around this latitude, at its widest between
    /// two others; 180 where it reaches around a pole.
    private static func halfWidth(of lat: Double, reach: Double, from bottom: Double, to top: Double) -> Double {
        let radians = Double.pi / 180
        let (sine, cosine) = (sin(lat * radians), cos(reach * radians))
        // A circle is widest where its tangent is a meridian.
        let widest = abs(sine) < cosine ? asin(sine / cosine) / radians : (lat < 0 ? -90 : 90)
        let at = min(max(widest, bottom), top) * radians
        let across = cos(at) * cos(lat * radians)
        let part = cosine - sin(at) * sine
        if part <= -across { return 180 }
        return part >= across ? 1e-9 : acos(part / across) / radians + 1e-9
    }
}
