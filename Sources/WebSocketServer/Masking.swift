/// The masking of RFC 6455 5.3: every byte xor one of the key's four, in turn.
struct MaskingKey {
    /// The four bytes as they stand in memory, twice, so that eight bytes are done at a time.
    private var doubled: UInt64

    /// `key` as loaded from the frame's header, in memory order.
    init(_ key: UInt32) { doubled = UInt64(key) << 32 | UInt64(key) }

    /// Masks or unmasks in place, and turns the key so that the next piece goes on where this one ended.
    mutating func apply(_ bytes: UnsafeMutableRawBufferPointer) {
        var index = 0
        while index + 8 <= bytes.count {
            let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            bytes.storeBytes(of: word ^ doubled, toByteOffset: index, as: UInt64.self)
            index += 8
        }
        // Little-endian: the lowest byte of the key is the first.
        var key = doubled
        while index < bytes.count {
            bytes[index] ^= UInt8(truncatingIfNeeded: key)
            key = key >> 8 | key << 56
            index += 1
        }
        doubled = key
    }
}
