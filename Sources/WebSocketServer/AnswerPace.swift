/// How fast a reader takes an HTTP answer, looked at window by window: one that takes a few bytes now and then is no reader.
struct AnswerPace {
    private let began: UInt64
    private(set) var windowEnd: UInt64
    private let windowMs: UInt64
    private let bytesPerWindow: Int
    private var taken = 0

    init(at now: UInt64, _ limits: ServerLimits) {
        began = now
        windowMs = limits.answerWindowMs
        bytesPerWindow = limits.minAnswerBytesPerSecond * Int(clamping: windowMs) / 1000
        windowEnd = now + windowMs
    }

    /// Whether it has been taking it for so long that it makes room for others of its address.
    func isLong(at now: UInt64) -> Bool { began + 3 * windowMs <= now }

    /// Whether it began less than so many ms ago.
    func isYounger(than ms: UInt64, at now: UInt64) -> Bool { now < began + ms }

    mutating func took(_ count: Int) { taken += count }

    /// Whether the reader was too slow in a window that is over. If not, the next one begins.
    mutating func isTooSlow(at now: UInt64) -> Bool {
        guard now >= windowEnd else { return false }
        guard taken >= bytesPerWindow else { return true }
        taken = 0
        windowEnd = now + windowMs
        return false
    }
}
