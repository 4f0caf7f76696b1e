/// How soon an address may have its next TLS handshake: each costs a millisecond of the loop, and nothing to who sends a recorded one.
///
/// In each window an address may have as many as it may have connections, half of them at once and the others evenly: who
/// has lost all its connections has them back after half a window. Who leaves before its handshake begins gives its place back.
/// The moment up to which an address has used its share stands at one place in each of four lines, drawn like those of
/// `AddressCounts`: nothing to clean up. What others use adds to one of these, hardly ever to all: the lowest counts.
struct HandshakePace {
    static let windowMs: UInt64 = 10_000
    /// For addresses that may have few connections: a client that has to try again isn't held up.
    private static let least = 20
    private static let lines = 4
    private static let width = 4_096

    private let seed: UInt64
    /// Microseconds of the clock.
    private var used = [UInt64](repeating: 0, count: lines * width)

    init(seed: UInt64 = .random(in: .min ... .max)) { self.seed = seed }

    /// Milliseconds until a handshake of this address may begin, which is taken for made; nil: as many wait as may. `limit` is
    /// that of its connections.
    mutating func next(_ address: PeerAddress, limit: Int, at nowMs: UInt64) -> UInt64? {
        let (now, window) = (nowMs * 1000, Self.windowMs * 1000)
        let counted = counters(of: address, limit: limit)
        let ahead = counted.map { counter in max(now, counter.places.map { used[$0] }.min() ?? 0) - now }.max() ?? 0
        guard ahead < window else { return nil }
        for (places, cost) in counted {
            for place in places { used[place] = max(used[place], now) + cost }
        }
        return ahead > window / 2 ? (ahead - window / 2) / 1000 : 0
    }

    /// One that was taken for made does not begin.
    mutating func giveBack(_ address: PeerAddress, limit: Int) {
        for (places, cost) in counters(of: address, limit: limit) {
            for place in places { used[place] -= min(used[place], cost) }
        }
    }

    /// Of an address, and of the networks around it: where it stands, and what a handshake uses of it, µs.
    private func counters(of address: PeerAddress, limit: Int) -> [(places: [Int], cost: UInt64)] {
        let limit = min(max(limit, Self.least), 1_000_000)
        return address.limitKeys.map { key, share in
            let places = (0..<Self.lines).map { $0 * Self.width + key.place($0, of: Self.width, seed: seed) }
            return (places, Self.windowMs * 1000 / UInt64(limit * share))
        }
    }
}
