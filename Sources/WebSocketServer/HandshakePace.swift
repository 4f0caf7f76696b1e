/// How soon an address may have its next TLS handshake: each costs a millisecond of the loop, and nothing to who sends a recorded one.
///
/// In each window an address may have as many as it may have connections, half of them at once and the others evenly: who
/// has lost all its connections has them back after half a window. The moment up to which an address has used its share stands
/// at one place in each of four lines, drawn like those of `AddressCounts`: nothing to clean up.
struct HandshakePace {
    static let windowMs: UInt64 = 10_000
    /// For addresses that may have few connections: a client that has to try again isn't held up.
    private static let least = 20
    private static let lines = 4
    private static let width = 4_096

    private let seed = UInt64.random(in: .min ... .max)
    /// Microseconds of the clock.
    private var used = [UInt64](repeating: 0, count: lines * width)

    /// Milliseconds until a handshake of this address may begin, which is taken for made; nil: as many wait as may. `limit` is
    /// that of its connections.
    mutating func next(_ address: PeerAddress, limit: Int, at nowMs: UInt64) -> UInt64? {
        let (now, window) = (nowMs * 1000, Self.windowMs * 1000)
        let limit = min(max(limit, Self.least), 1_000_000)
        var begins: [(places: [Int], begin: UInt64, cost: UInt64)] = []
        for (key, share) in address.limitKeys {
            let places = (0..<Self.lines).map { $0 * Self.width + key.place($0, of: Self.width, seed: seed) }
            let begin = max(now, places.map { used[$0] }.min() ?? 0)
            begins.append((places, begin, window / UInt64(limit * share)))
        }
        let ahead = begins.map { $0.begin - now }.max() ?? 0
        guard ahead < window else { return nil }
        for (places, begin, cost) in begins {
            for place in places { used[place] = max(used[place], begin + cost) }
        }
        return ahead > window / 2 ? (ahead - window / 2) / 1000 : 0
    }
}
