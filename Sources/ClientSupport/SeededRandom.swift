import Glibc

/// Seeded chance (SplitMix64): the same seed throws the same in every run and on every machine.
package struct SeededRandom: RandomNumberGenerator, Equatable, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    /// Random numbers of their own for one part of a world, so that what one part throws doesn't shift the others.
    package init(seed: UInt64, part: String) {
        // FNV-1a of the name; `String.hashValue` differs from run to run.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in part.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        state = seed ^ hash
        _ = next()
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// 0 ≤ x < 1
    package mutating func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }

    package mutating func chance(_ probability: Double) -> Bool { fraction() < probability }

    package mutating func between(_ range: ClosedRange<Double>) -> Double {
        range.lowerBound + fraction() * (range.upperBound - range.lowerBound)
    }

    package mutating func milliseconds(_ range: ClosedRange<Int64>) -> Int64 { Int64.random(in: range, using: &self) }

    /// The time to the next of events that come at random, `mean` apart.
    package mutating func waiting(mean: Double) -> Double { -mean * log(1 - fraction()) }

    /// 1 mostly, sometimes 2 or 3: what a party of passengers numbers.
    package mutating func party() -> Int {
        let drawn = fraction()
        return drawn < 0.7 ? 1 : drawn < 0.9 ? 2 : 3
    }
}
