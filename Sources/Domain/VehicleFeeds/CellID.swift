/// One square of `CellGrid`. Its text is `<row>.<column>`.
public struct CellID: Hashable, Comparable, Sendable {
    /// From the south pole, 0 ..< `CellGrid.rows`.
    public let row: UInt32
    /// From the antimeridian to the east, 0 ..< `CellGrid.columns(row)`.
    public let column: UInt32

    init(row: Int, column: Int) {
        self.row = UInt32(truncatingIfNeeded: row)
        self.column = UInt32(truncatingIfNeeded: column)
    }

    /// `<row>.<column>`
    public var text: String { "\(row).\(column)" }

    /// Reads the text; nil if it is none, or names no cell.
    public init?(text: some Collection<UInt8>) {
        var numbers = (0, 0)
        var digits = 0
        var inColumn = false
        for byte in text {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9") where digits < 6:
                let digit = Int(byte - UInt8(ascii: "0"))
                if inColumn { numbers.1 = numbers.1 * 10 + digit } else { numbers.0 = numbers.0 * 10 + digit }
                digits += 1
            case UInt8(ascii: ".") where digits > 0 && !inColumn:
                inColumn = true
                digits = 0
            default: return nil
            }
        }
        guard inColumn, digits > 0, numbers.0 < CellGrid.rows, numbers.1 < CellGrid.columns(numbers.0) else {
            return nil
        }
        self.init(row: numbers.0, column: numbers.1)
    }

    public static func < (a: CellID, b: CellID) -> Bool { a.row == b.row ? a.column < b.column : a.row < b.row }
}
