/// Numbers as tables have nearly all of them, read in place: no text is made of them first, which takes ten times as long.
enum CSVNumber {
    /// Up to 18 digits and nothing else; nil is left to the slower way.
    static func digits(_ bytes: [UInt8], _ range: Range<Int>) -> Int? {
        guard (1...18).contains(range.count) else { return nil }
        var value = 0
        for index in range {
            guard (48...57).contains(bytes[index]) else { return nil }
            value = value &* 10 &+ Int(bytes[index] &- 48)
        }
        return value
    }

    /// `-12.345` with up to 15 digits: both the digits and the power of ten are exact, so that their quotient is the nearest
    /// number there is, as `Double` reads it. Nil is left to the slower way.
    static func decimal(_ bytes: [UInt8], _ range: Range<Int>) -> Double? {
        var (digits, count, decimals) = (0, 0, -1)
        let isNegative = bytes[range.lowerBound] == UInt8(ascii: "-")
        for index in range.dropFirst(isNegative ? 1 : 0) {
            let byte = bytes[index]
            if byte == UInt8(ascii: "."), decimals < 0, count > 0 {
                decimals = 0
                continue
            }
            guard (48...57).contains(byte), count < 15 else { return nil }
            digits = digits &* 10 &+ Int(byte &- 48)
            count += 1
            if decimals >= 0 { decimals += 1 }
        }
        guard count > 0, decimals != 0 else { return nil }
        let value = Double(digits) / powers[max(0, decimals)]
        return isNegative ? -value : value
    }

    private static let powers: [Double] = (0..<15).reduce(into: [1]) { powers, decimals in
        powers.append(powers[decimals] * 10)
    }
}
