import Glibc

/// The decimal digits of a number as they are read, and the nearest double to them.
///
/// Coordinates and times have at most 19 significant digits and a small negative exponent: these are converted here,
/// exactly and without a call. Everything else goes to `strtod`.
struct Decimal {
    /// The first 19 significant digits.
    private(set) var mantissa: UInt64 = 0
    /// Power of ten by which the digits are multiplied.
    var exponent = 0
    /// Significant digits so far; beyond 19 they are counted but not kept.
    private var digits = 0

    @inline(__always)
    mutating func append(_ digit: UInt8) {
        if digits < 19 {
            mantissa = mantissa &* 10 &+ UInt64(digit)
            if mantissa != 0 { digits += 1 }
        } else {
            digits += 1
        }
    }

    /// The digits as a whole number, the exponent left out of account; nil if they don't fit.
    func integer(isNegative: Bool) -> Int64? {
        guard digits <= 19 else { return nil }
        guard isNegative else { return Int64(exactly: mantissa) }
        return mantissa <= Int64.min.magnitude ? Int64(truncatingIfNeeded: 0 &- mantissa) : nil
    }

    /// Whether no double is near; nil: it takes all digits to know.
    var isTooLarge: Bool? {
        let magnitude = digits + exponent
        guard mantissa != 0, magnitude >= 309 else { return false }
        guard magnitude == 309 else { return true }
        var leading = mantissa
        for _ in min(digits, 19)..<19 { leading *= 10 }
        return leading == Self.firstTooLarge ? nil : leading > Self.firstTooLarge
    }

    /// The first digits of what lies half a unit above the largest double.
    private static let firstTooLarge: UInt64 = 1_797_693_134_862_315_807

    /// The nearest double if it can be had by arithmetic, else nil.
    var double: Double? {
        guard digits <= 19 else { return nil }
        if mantissa == 0 { return 0 }
        if exponent == 0 { return Double(mantissa) }
        if mantissa <= 1 << 53, exponent >= -22, exponent <= 22 {
            // Both operands are exact, so the one rounding of the operation is the right one.
            return exponent < 0
                ? Double(mantissa) / Self.powers[-exponent] : Double(mantissa) * Self.powers[exponent]
        }
        return exponent < 0 && exponent >= -19 ? quotient : nil
    }

    /// `mantissa / 10^-exponent`, rounded once: an integer division to 63 or 64 bits, whose last bit also stands for
    /// any remainder. It lies at least 9 bits below the last bit of a double, so it decides ties and nothing else.
    private var quotient: Double {
        let divisor = Self.wholePowers[-exponent]
        let divisorShift = divisor.leadingZeroBitCount
        let mantissaShift = mantissa.leadingZeroBitCount
        let normalised = mantissa << UInt64(mantissaShift)
        let (quotient, remainder) = (divisor << UInt64(divisorShift)).dividingFullWidth(
            (normalised >> 1, normalised << 63))
        let sticky = quotient | (remainder == 0 ? 0 : 1)
        return Double(sign: .plus, exponent: divisorShift - mantissaShift - 63, significand: Double(sticky))
    }

    /// The general case. `digits` is the number without its exponent part, sign and point included; `exponent` is the
    /// power of ten for the digits taken as a whole number. The text given to `strtod` has no point, so that no
    /// locale can change its meaning.
    static func nearestDouble(digits: UnsafeRawBufferPointer, exponent: Int) -> Double {
        let suffix = 32
        return withUnsafeTemporaryAllocation(byteCount: digits.count + suffix, alignment: 1) { buffer in
            var sink = ByteSink(buffer)
            for byte in digits where byte != UInt8(ascii: ".") { sink.put(byte) }
            sink.put(UInt8(ascii: "e"))
            if exponent < 0 { sink.put(UInt8(ascii: "-")) }
            var unit: UInt = 1
            while exponent.magnitude / unit >= 10 { unit *= 10 }
            while unit > 0 {
                sink.put(UInt8(ascii: "0") + UInt8(exponent.magnitude / unit % 10))
                unit /= 10
            }
            sink.put(0)
            return buffer.withMemoryRebound(to: CChar.self) { strtod($0.baseAddress!, nil) }
        }
    }

    private static let powers: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]

    private static let wholePowers: [UInt64] = [
        1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000, 10_000_000_000,
        100_000_000_000, 1_000_000_000_000, 10_000_000_000_000, 100_000_000_000_000, 1_000_000_000_000_000,
        10_000_000_000_000_000, 100_000_000_000_000_000, 1_000_000_000_000_000_000, 10_000_000_000_000_000_000,
    ]
}
