/// Reads fields between single spaces, line by line. Numbers in decimal digits, with a fraction and an exponent if
/// need be: Lua writes large and small ones so.
struct FieldScanner {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var isAtEnd: Bool { position >= bytes.count }
    var isAtLineEnd: Bool { isAtEnd || bytes[position] == UInt8(ascii: "\n") }

    static func isDash(_ field: UnsafeRawBufferPointer) -> Bool { field.count == 1 && field[0] == UInt8(ascii: "-") }

    /// Goes to the first byte after the next line break.
    mutating func nextLine() {
        while !isAtLineEnd { position += 1 }
        position += 1
    }

    /// The next field of this line; nil if there is none, or an empty one.
    @inline(__always)
    mutating func field() -> UnsafeRawBufferPointer? {
        let start = position
        var end = start
        while end < bytes.count, bytes[end] != UInt8(ascii: " "), bytes[end] != UInt8(ascii: "\n") { end += 1 }
        guard end > start else { return nil }
        position = end < bytes.count && bytes[end] == UInt8(ascii: " ") ? end + 1 : end
        return UnsafeRawBufferPointer(rebasing: bytes[start..<end])
    }

    @inline(__always)
    mutating func number() -> Double? { field().flatMap(Self.number) }

    /// Nil inside when the field is a dash.
    @inline(__always)
    mutating func optionalNumber() -> Double?? {
        guard let field = field() else { return nil }
        if Self.isDash(field) { return .some(nil) }
        guard let number = Self.number(field) else { return nil }
        return .some(number)
    }

    /// Milliseconds.
    @inline(__always)
    mutating func time() -> Int64? {
        guard let number = number(), abs(number) < 0x1p53 else { return nil }
        return Int64(number)
    }

    private static func number(_ text: UnsafeRawBufferPointer) -> Double? {
        var (mantissa, digits, exponent): (Int64, Int, Int) = (0, 0, 0)
        var index = 0
        var inFraction = false
        let isNegative = text[0] == UInt8(ascii: "-")
        if isNegative { index = 1 }
        scan: while index < text.count {
            let byte = text[index]
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                digits += 1
                // Eighteen digits are more than a double has; further ones of a fraction say nothing.
                if mantissa < 100_000_000_000_000_000 {
                    mantissa = mantissa * 10 + Int64(byte - UInt8(ascii: "0"))
                    if inFraction { exponent -= 1 }
                } else if !inFraction {
                    return nil
                }
            case UInt8(ascii: ".") where !inFraction: inFraction = true
            case UInt8(ascii: "e") where digits > 0:
                guard let power = power(UnsafeRawBufferPointer(rebasing: text[(index + 1)...])) else { return nil }
                exponent += power
                break scan
            default: return nil
            }
            index += 1
        }
        guard digits > 0 else { return nil }
        while exponent < -22 {
            mantissa /= 10
            exponent += 1
        }
        guard exponent <= 22 else { return nil }
        let value = exponent < 0 ? Double(mantissa) / powers[-exponent] : Double(mantissa) * powers[exponent]
        return isNegative ? -value : value
    }

    private static func power(_ text: UnsafeRawBufferPointer) -> Int? {
        var digits = text[...]
        let isNegative = digits.first == UInt8(ascii: "-")
        if isNegative || digits.first == UInt8(ascii: "+") { digits = digits.dropFirst() }
        guard (1...3).contains(digits.count) else { return nil }
        var power = 0
        for byte in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            power = power * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return isNegative ? -power : power
    }

    private static let powers: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]
}
