/// What all connections of one subject may have a server read in a second, in pieces: a read of a socket, under TLS each record of data and
/// each part of one that is read alone, each pong, and 64 frames; a ping, which is answered, is four. Beyond it they are read no more before the
/// second is over: the kernel holds what comes, and its sender waits.
///
/// A piece costs 8 µs under TLS with one byte in it, of which no price of a message knows. A plain object of the server's thread.
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
}
