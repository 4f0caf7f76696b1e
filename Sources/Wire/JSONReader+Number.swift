/// A number as it was read.
public struct JSONNumber: Equatable, Sendable {
    /// The nearest double to what was written, ties to even; always finite.
    public let double: Double
    /// The exact value if it was written without fraction and exponent and fits.
    public let integer: Int64?
}

extension JSONReader {
    /// Reads a number. One too large for a double is refused; one too small is 0.
    public mutating func number() throws(WireError) -> JSONNumber {
        let text = try digits()
        let integer = text.isWhole ? text.decimal.integer(isNegative: text.isNegative) : nil
        if let double = text.decimal.double {
            return JSONNumber(double: text.isNegative ? -double : double, integer: integer)
        }
        return JSONNumber(double: try nearestDouble(text), integer: integer)
    }

    /// Reads over a number: it is checked just as strictly, and converted only where it takes all its digits to know whether a double has it.
    /// `strtod` takes 40 ns for each byte of some.
    mutating func skipNumber() throws(WireError) {
        let text = try digits()
        guard let isTooLarge = text.decimal.isTooLarge else {
            _ = try nearestDouble(text)
            return
        }
        if isTooLarge { throw WireError(.numberTooLarge, at: text.start) }
    }

    private func nearestDouble(_ text: Digits) throws(WireError) -> Double {
        let digits = UnsafeRawBufferPointer(rebasing: bytes[text.start..<text.end])
        let double = Decimal.nearestDouble(digits: digits, exponent: text.decimal.exponent)
        guard double.isFinite else { throw WireError(.numberTooLarge, at: text.start) }
        return double
    }

    /// A number's text: where its digits stand, with sign and point and without exponent.
    private struct Digits {
        var decimal: Decimal
        let isNegative, isWhole: Bool
        let start, end: Int
    }

    /// Goes over the number that comes next.
    private mutating func digits() throws(WireError) -> Digits {
        guard try kind() == .number else { throw WireError(.wrongKind, at: offset) }
        let start = offset
        var index = offset
        var decimal = Decimal()

        let isNegative = bytes[index] == UInt8(ascii: "-")
        if isNegative { index += 1 }

        guard let first = digit(at: index) else { throw WireError(.badNumber, at: start) }
        if first == 0 {
            index += 1
            guard digit(at: index) == nil else { throw WireError(.badNumber, at: start) }
        } else {
            while let digit = digit(at: index) {
                decimal.append(digit)
                index += 1
            }
        }
        var isWhole = true
        if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
            isWhole = false
            index += 1
            let fraction = index
            while let digit = digit(at: index) {
                decimal.append(digit)
                index += 1
            }
            guard index > fraction else { throw WireError(.badNumber, at: start) }
            decimal.exponent -= index - fraction
        }
        let endOfDigits = index
        if index < bytes.count, bytes[index] | 0x20 == UInt8(ascii: "e") {
            isWhole = false
            index += 1
            decimal.exponent += try exponent(at: &index, of: start)
        }
        offset = index
        return Digits(decimal: decimal, isNegative: isNegative, isWhole: isWhole, start: start, end: endOfDigits)
    }

    @inline(__always)
    private func digit(at index: Int) -> UInt8? {
        guard index < bytes.count else { return nil }
        let digit = bytes[index] &- UInt8(ascii: "0")
        return digit < 10 ? digit : nil
    }

    private func exponent(at index: inout Int, of start: Int) throws(WireError) -> Int {
        var isNegative = false
        if index < bytes.count, bytes[index] == UInt8(ascii: "+") || bytes[index] == UInt8(ascii: "-") {
            isNegative = bytes[index] == UInt8(ascii: "-")
            index += 1
        }
        guard digit(at: index) != nil else { throw WireError(.badNumber, at: start) }
        var magnitude = 0
        while let digit = digit(at: index) {
            // Saturates: the digits in front would have to fill gigabytes to bring such a number back into range.
            if magnitude < 100_000_000_000 { magnitude = magnitude * 10 + Int(digit) }
            index += 1
        }
        return isNegative ? -magnitude : magnitude
    }
}
