/// Masking keys. Masks protect proxies from browsers' scripts; clients of ours run no foreign scripts, so that a fast
/// generator with a seed from the system is enough (xorshift64*).
struct MaskingRandom {
    private var state = UInt64.random(in: 1...UInt64.max)

    mutating func next() -> UInt32 {
        state ^= state >> 12
        state ^= state << 25
        state ^= state >> 27
        return UInt32(truncatingIfNeeded: (state &* 0x2545_F491_4F6C_DD1D) >> 32)
    }
}
