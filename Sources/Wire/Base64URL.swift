/// Base64 for URLs without padding (RFC 4648, section 5), as JWT uses it.
public enum Base64URL {
    private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// Value of each letter, 255 for what is none.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        for (value, letter) in letters.enumerated() { values[Int(letter)] = UInt8(value) }
        return values
    }()

    public static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var out: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 6 {
                count -= 6
                out.append(letters[Int(bits >> count & 63)])
            }
        }
        if count > 0 { out.append(letters[Int(bits << (6 - count) & 63)]) }
        return String(decoding: out, as: UTF8.self)
    }

    /// The bytes, or nil for anything but the one text that ``encode(_:)`` makes of them: no padding, no blanks, no
    /// bits left over. So a token has one spelling.
    public static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        guard text.count % 4 != 1 else { return nil }
        var out: [UInt8] = []
        out.reserveCapacity(text.count * 3 / 4)
        var bits: UInt32 = 0
        var count = 0
        for letter in text {
            let value = values[Int(letter)]
            guard value < 64 else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            if count >= 8 {
                count -= 8
                out.append(UInt8(truncatingIfNeeded: bits >> count))
            }
        }
        return bits & (1 << count - 1) == 0 ? out : nil
    }
}
