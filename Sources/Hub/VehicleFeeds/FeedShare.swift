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

/// What one kind of work takes of a turn of the loop, wherever in the turn it is done. A piece of it may end beyond the share: a circle of 5 km in
/// a new place takes about a millisecond.
struct TurnShare {
    static let ns: UInt64 = 500_000

    /// The turn that it is of: ms of the loop as of its start. Short turns of the same millisecond count as one.
    private var turn: UInt64 = 0
    private var spent: UInt64 = 0

    /// now: ms of the loop as of the start of the present turn.
    mutating func isLeft(at now: UInt64) -> Bool {
        if now != turn { (turn, spent) = (now, 0) }
        return spent < Self.ns
    }

    /// A piece of work took so many nanoseconds.
    mutating func spend(_ ns: UInt64) { spent += ns }
}
