import RedisLink

/// How what Redis has lost is put back from a journal: how much at once, and what comes after a failure. A piece that Redis finds wrong is
/// divided until the one is known that is wrong, which is left out. After any other failure the same piece is tried again, later each time:
/// Redis is loading, is full or is a replica, does not know a function yet, or is away.
struct PutBackAttempts {
    enum Next: Equatable {
        /// At once, with a smaller piece.
        case divided
        /// Never: it is one, and it is wrong.
        case leftOut
        /// In so many ms.
        case later(UInt64)
    }

    static let shortestWaitMs: UInt64 = 1_000
    static let longestWaitMs: UInt64 = 30_000

    /// So many are put back at once while nothing fails.
    let most: Int
    /// So many are put back at once now.
    private(set) var size: Int
    private var waitMs = shortestWaitMs

    init(most: Int) {
        self.most = most
        size = most
    }

    /// Redis has taken a piece.
    mutating func taken() {
        size = min(most, 2 * size)
        waitMs = Self.shortestWaitMs
    }

    /// Redis has not taken a piece of so many, at least one.
    mutating func failed(_ failure: RedisFailure, of count: Int) -> Next {
        guard Self.isLasting(failure) else { return .later(nextWaitMs()) }
        guard count > 1 else { return .leftOut }
        size = max(1, min(size, count / 2))
        return .divided
    }

    /// What could not even be asked is asked again in so many ms.
    mutating func nextWaitMs() -> UInt64 {
        defer { waitMs = min(2 * waitMs, Self.longestWaitMs) }
        return waitMs
    }

    /// What Redis, or a function of the hub, answers to wrong arguments. All else is taken for something that passes: nothing is given up for it.
    private static let wrong = [
        "wrong arguments", "wrong number of arguments", "value is not ", "invalid expire time", "syntax error",
    ]

    /// Whether the same arguments fail each time.
    static func isLasting(_ failure: RedisFailure) -> Bool {
        guard case .server(let text) = failure else { return false }
        var said = text[...]
        guard said.hasPrefix("ERR ") else { return false }
        // An error that a function passes on has it twice (Redis 7.0).
        while said.hasPrefix("ERR ") { said = said.dropFirst(4) }
        return wrong.contains { said.hasPrefix($0) }
    }
}
