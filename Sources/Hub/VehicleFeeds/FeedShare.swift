/// What feeds take of one turn of the loop: offers and acceptances wait for no more than that, and one feed beyond it.
struct FeedShare {
    /// Each may be a write, some 6 µs, for which its reader stands in the line of those who are many: a turn writes to 64 of them.
    static let feeds = 128
    /// They are put together and written when their readers' turns come: in plain text 0.4 ms for a megabyte.
    static let bytes = 1 << 19
    /// A snapshot of 3,000 vehicles takes 1.2 ms to encode, and each other filter has its own.
    static let ns: UInt64 = 500_000

    private let end: UInt64
    private var feeds = FeedShare.feeds
    private var bytes = FeedShare.bytes

    /// Of a turn: `now` in nanoseconds.
    init(at now: UInt64) { end = now + Self.ns }

    func isLeft(at now: UInt64) -> Bool { feeds > 0 && bytes > 0 && now < end }

    /// A feed was looked at, and was told so much.
    mutating func take(bytes count: Int) {
        feeds -= 1
        bytes -= count
    }
}
