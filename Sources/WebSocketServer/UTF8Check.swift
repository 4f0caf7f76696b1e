/// Checks UTF-8 that arrives in pieces, and fails at the first byte that can't belong to any valid text
/// (Unicode, table 3-7): overlong forms, surrogates and values above U+10FFFF are refused at their second byte.
struct UTF8Check {
    /// Continuation bytes that the present character still needs, and the range that the next one must lie in.
    private var needed: UInt8 = 0
    private var lower: UInt8 = 0x80
    private var upper: UInt8 = 0xBF

    /// Whether the text may end here: not within a character.
    var isComplete: Bool { needed == 0 }

    /// False as soon as the text is invalid; the check is of no use after that.
    mutating func accept(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        let count = bytes.count
        while index < count {
            if needed == 0 {
                index = Self.skipASCII(bytes, from: index)
                guard index < count else { return true }
                guard begin(bytes[index]) else { return false }
            } else {
                let byte = bytes[index]
                guard byte >= lower, byte <= upper else { return false }
                lower = 0x80
                upper = 0xBF
                needed -= 1
            }
            index += 1
        }
        return true
    }

    private mutating func begin(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x00...0x7F: return true
        case 0xC2...0xDF: needed = 1
        case 0xE0:
            needed = 2
            lower = 0xA0
        case 0xED:
            needed = 2
            upper = 0x9F
        case 0xE1...0xEF: needed = 2
        case 0xF0:
            needed = 3
            lower = 0x90
        case 0xF4:
            needed = 3
            upper = 0x8F
        case 0xF1...0xF3: needed = 3
        default: return false
        }
        return true
    }

    /// The index of the first byte from `start` that isn't ASCII, or the end: eight bytes at a time.
    private static func skipASCII(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var index = start
        while index + 8 <= bytes.count {
            guard bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0 else {
                break
            }
            index += 8
        }
        while index < bytes.count, bytes[index] < 0x80 { index += 1 }
        return index
    }
}
