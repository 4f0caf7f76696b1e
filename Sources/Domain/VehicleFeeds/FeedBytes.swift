import Wire

/// Numbers and texts appended in the forms of both encodings.
extension [UInt8] {
    mutating func append(_ text: StaticString) {
        append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    @inline(__always)
    mutating func append(ascii character: Unicode.Scalar) { append(UInt8(ascii: character)) }

    /// Decimal digits.
    mutating func appendDecimal(_ value: Int64) {
        if value < 0 { append(ascii: "-") }
        appendDigits(value.magnitude)
    }

    /// Units of 1e-5 as a decimal number without trailing zeros.
    mutating func appendDegrees(_ value: Int32) {
        if value < 0 { append(ascii: "-") }
        let (whole, fraction) = value.magnitude.quotientAndRemainder(dividingBy: 100_000)
        appendDigits(UInt64(whole))
        if fraction == 0 { return }
        append(ascii: ".")
        var (rest, unit) = (fraction, UInt32(10_000))
        while rest > 0 {
            append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest / unit))
            rest %= unit
            unit /= 10
        }
    }

    private mutating func appendDigits(_ value: UInt64) {
        if value >= 10 { appendDigits(value / 10) }
        append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value % 10))
    }

    /// A JSON string.
    mutating func appendQuoted(_ text: String) {
        var writer = JSONWriter(capacity: text.utf8.count + 2)
        writer.string(text)
        append(contentsOf: writer.bytes)
    }

    @inline(__always)
    mutating func appendVarint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }

    /// A field of varint type; nothing for 0, which is what an absent one means.
    @inline(__always)
    mutating func appendField(_ field: UInt8, _ value: UInt64) {
        if value == 0 { return }
        append(field << 3)
        appendVarint(value)
    }

    /// The head of a field of so many bytes.
    @inline(__always)
    mutating func appendHead(_ field: UInt8, length: Int) {
        append(field << 3 | 2)
        appendVarint(UInt64(length))
    }

    /// How long a number is as a varint.
    static func varintLength(_ value: UInt64) -> Int { (70 - (value | 1).leadingZeroBitCount) / 7 }
}
