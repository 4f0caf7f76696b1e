import ClientSupport
import Wire

/// How long a client waits before it connects again, by the code that closed it and by how often it has failed. Shorter
/// than what the contract allows apps at most, as a run is short too.
enum Backoff {
    enum Rule: Equatable {
        /// Real milliseconds.
        case after(ms: Int64)
        case never
    }

    /// Half of each wait is chance, so that a fleet does not come back in one instant.
    static func rule(code: UInt16, reason: String = "", failures: Int, random: inout SeededRandom) -> Rule {
        let ceiling: Int64 = min(3_000, 100 << Int64(min(failures, 5)))
        // 1006 and other codes outside the list: the link was lost.
        guard let code = CloseCode(rawValue: code) else {
            return .after(ms: random.milliseconds((ceiling / 2)...ceiling))
        }
        switch code.reconnect {
        case .never: return .never
        case .resume, .withNewToken: return .after(ms: random.milliseconds((ceiling / 2)...ceiling))
        case .withJitter(let upTo):
            let spread = CloseCode.retryMs(inReason: reason) ?? min(upTo, 3_000)
            return .after(ms: random.milliseconds(50...max(100, Int64(spread))))
        case .after(let ms): return .after(ms: Int64(ms) + random.milliseconds(0...2_000))
        }
    }

    /// Before a command that was refused for now is sent again.
    static func retry(tries: Int, random: inout SeededRandom) -> Int64 {
        let ceiling: Int64 = min(2_000, 50 << Int64(min(tries, 6)))
        return random.milliseconds((ceiling / 2)...ceiling)
    }
}
