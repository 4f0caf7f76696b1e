/// Waits between attempts: doubling from a minimum to a maximum, each shortened at random by up to a half.
struct Backoff {
    let minMs: UInt64
    let maxMs: UInt64
    private(set) var failures = 0

    init(minMs: UInt64, maxMs: UInt64) {
        self.minMs = minMs
        self.maxMs = max(minMs, maxMs)
    }

    /// The wait before the next attempt, in milliseconds.
    mutating func next() -> UInt64 {
        let doublings = min(failures, 20)
        failures += 1
        let full = min(minMs << UInt64(doublings), maxMs)
        return full - UInt64.random(in: 0...(full / 2))
    }

    mutating func reset() { failures = 0 }
}
