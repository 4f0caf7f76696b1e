internal import DequeModule

/// What all connections of one subject may have a server read in a second, in pieces: a read of a socket, under TLS each record of data and
/// each part of one that is read alone, each pong, and 64 frames; a ping, which is answered, is four. Beyond it they are read no more before the
/// second is over: the kernel holds what comes, and its sender waits.
///
/// A piece costs 8 µs under TLS with one byte in it, of which no price of a message knows.
///
/// And what they may have of a turn, and have under way, of what they ask. A plain object of the server's thread.
public final class InboundRate {
    /// An application sends a message in one piece; 64 KiB on a mobile network come in some 50.
    public var perSecond: Int
    /// What it has together with others. When that is spent, who has taken a quarter of its own waits, and the others are read in their share
    /// of turns.
    private let group: InboundRate?
    private var pieces = 0
    /// Milliseconds of the loop.
    private var until: UInt64 = 0

    public init(perSecond: Int, group: InboundRate? = nil) {
        self.perSecond = perSecond
        self.group = group
    }

    /// Counts what has been read, whatever is left.
    func count(_ read: Int, at now: UInt64) {
        if until <= now { (pieces, until) = (0, now + 1_000) }
        pieces += read
        group?.count(read, at: now)
    }

    /// Whether nothing more is to be read now.
    func isSpent(at now: UInt64) -> Bool {
        guard until > now else { return false }
        return pieces >= perSecond || pieces >= perSecond / 4 && isShort(at: now)
    }

    /// Whether what it has with others is spent.
    func isShort(at now: UInt64) -> Bool { group?.isSpent(at: now) == true }

    // MARK: A turn

    /// Nanoseconds of one turn of the loop in which its messages are handled, and a few messages' more.
    static let turnNs: UInt64 = 500_000

    /// Its connections with messages that have come and wait for its next share, in their order.
    var line = Deque<ConnectionID>()
    /// In the line of subjects.
    var isInLine = false
    private var turn: UInt64 = 0
    private var leftNs = turnNs

    /// Nanoseconds that it still has in a turn, by the turn's number.
    func timeLeft(in turn: UInt64) -> UInt64 {
        if self.turn != turn { (self.turn, leftNs) = (turn, Self.turnNs) }
        return leftNs
    }

    /// Of the last turn that was asked for.
    func took(_ ns: UInt64) { leftNs -= min(ns, leftNs) }

    // MARK: What is under way

    /// So much of what it has asked for is under way at once. Beyond it no message is handled before half of that is
    /// answered.
    public static let mostUnanswered = 32
    private var unanswered = 0
    private var waiting: [() -> Void] = []

    /// Whether what it asks now has to wait for answers. What comes over its WebSockets waits by itself, and is not read
    /// meanwhile.
    public var mustWait: Bool { unanswered >= Self.mostUnanswered || !waiting.isEmpty }

    /// Whether nothing of it is under way, and nothing waits for that.
    public var isAtRest: Bool { unanswered == 0 && waiting.isEmpty }

    /// Something was asked for it, and is under way until `answered`.
    public func asked() { unanswered += 1 }

    /// What was asked is answered, or has failed. Half of all being so, what waits goes on before this returns.
    public func answered() {
        unanswered -= 1
        guard unanswered <= Self.mostUnanswered / 2, !waiting.isEmpty else { return }
        let bodies = waiting
        waiting = []
        for body in bodies { body() }
    }

    /// Calls `body` when half is answered, in the order of these calls. To be called while it has to wait; `body` looks
    /// whether it has to wait again, as those before it may have asked for much.
    public func whenAnswered(_ body: @escaping () -> Void) { waiting.append(body) }
}
