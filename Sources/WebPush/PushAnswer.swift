/// What a push service has answered, or that it has not. Pure.
public struct PushAnswer: Sendable, Equatable {
    /// Of HTTP; 0: there was no answer.
    public var status: Int
    /// Seconds that it says to wait; 0: it says nothing.
    public var retryAfterS: Int
    /// Why there was no answer.
    public var failure: String?

    public init(status: Int, retryAfterS: Int = 0, failure: String? = nil) {
        self.status = status
        self.retryAfterS = retryAfterS
        self.failure = failure
    }

    public enum Verdict: Equatable, Sendable {
        case sent
        /// The subscription is no more (RFC 8030, 7.3).
        case gone
        /// It may be taken after so many ms.
        case later(Int64)
        /// It will not be taken.
        case refused
    }

    /// The longest that a hub waits of its own accord, ms.
    private static let longestMs: Int64 = 60_000

    /// attempt: how often it was sent, from 1.
    public func verdict(attempt: Int) -> Verdict {
        switch status {
        case 200...299: return .sent
        case 404, 410: return .gone
        case 0, 408, 425, 429, 500...599:
            let own = min(Self.longestMs, 1000 << Int64(min(max(0, attempt - 1), 6)))
            return .later(max(own, Int64(min(max(0, retryAfterS), 86_400)) * 1000))
        default: return .refused
        }
    }
}
