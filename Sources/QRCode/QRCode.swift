internal import CQRencode

/// A QR code (ISO/IEC 18004): dark and light squares that a phone's camera reads as a text.
public struct QRCode: Sendable {
    /// Squares on each side, without the margin.
    public let size: Int
    /// Rows from the top, each from the left.
    private let isDark: [Bool]

    /// Nil: the text has none of the lengths that fit, 1 to some 1,600 bytes, or there is no memory. A quarter of the squares may be
    /// dirty (level Q). Any thread.
    public init?(_ text: String) {
        guard !text.isEmpty, let code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_Q) else { return nil }
        defer { QRcode_free(code) }
        let width = Int(code.pointee.width)
        guard width > 0, let squares = code.pointee.data else { return nil }
        size = width
        // The lowest bit says whether it is dark, the others what it is for.
        isDark = (0..<width * width).map { squares[$0] & 1 == 1 }
    }

    /// A picture of any size on paper. `title` is read out to who can't see it. Each run of dark squares is a rectangle of one path.
    public func svg(title: String) -> String {
        let margin = 4
        let side = size + 2 * margin
        var path = ""
        for row in 0..<size {
            var column = 0
            while column < size {
                guard isDark[row * size + column] else {
                    column += 1
                    continue
                }
                let first = column
                while column < size, isDark[row * size + column] { column += 1 }
                path += "M\(first + margin) \(row + margin)h\(column - first)v1h-\(column - first)z"
            }
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(side) \(side)" role="img" shape-rendering="crispEdges">\
            <title>\(Self.escaped(title))</title><path fill="#fff" d="M0 0h\(side)v\(side)H0z"/><path d="\(path)"/></svg>

            """
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            default: result.append(character)
            }
        }
        return result
    }
}
