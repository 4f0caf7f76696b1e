extension JSONWriter {
    /// A whole number.
    public mutating func integer(_ value: Int64) {
        beginValue()
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        append(digits: value.magnitude)
    }

    /// A whole number.
    public mutating func integer(_ value: Int) { integer(Int64(value)) }

    /// A number rounded to at most this many decimals (0…6), without trailing zeros: 45.4600001 with 5 is `45.46`.
    /// Half a unit of the last place is rounded away from zero. NaN and infinities are `null`.
    public mutating func decimal(_ value: Double, places: Int) {
        let places = min(max(places, 0), 6)
        let scale = Self.scales[places]
        let scaled = (value * Double(scale)).rounded()
        guard scaled.magnitude < 0x1p53 else { return double(value) }
        beginValue()
        appendDecimal(Int64(scaled), places: places, scale: scale)
    }

    /// A number that reads back as the very same double, in few digits. NaN and infinities are `null`.
    public mutating func double(_ value: Double) {
        guard value.isFinite else { return null() }
        // Nearly all numbers here have at most 6 decimals. They are found by trying: a shorter way than the general
        // one, and correct because it is checked.
        let scaled = (value * 1e6).rounded()
        if scaled.magnitude < 0x1p53, scaled / 1e6 == value {
            beginValue()
            appendDecimal(Int64(scaled), places: 6, scale: 1_000_000)
        } else if value.magnitude < 0x1p53, value.rounded() == value {
            integer(Int64(value))
        } else {
            beginValue()
            var text = value.description
            text.withUTF8 { bytes.append(contentsOf: $0) }
        }
    }

    private mutating func appendDecimal(_ scaled: Int64, places: Int, scale: UInt64) {
        if scaled < 0 { bytes.append(UInt8(ascii: "-")) }
        let (whole, fraction) = scaled.magnitude.quotientAndRemainder(dividingBy: scale)
        append(digits: whole)
        guard fraction > 0 else { return }
        bytes.append(UInt8(ascii: "."))
        var rest = fraction
        var unit = scale / 10
        while rest > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest / unit))
            rest %= unit
            unit /= 10
        }
    }

    private mutating func append(digits value: UInt64) {
        guard value >= 10 else { return bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value)) }
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { buffer in
            var first = 20
            var rest = value
            while rest > 0 {
                first -= 1
                buffer[first] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: buffer[first...]))
        }
    }

    private static let scales: [UInt64] = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000]
}
