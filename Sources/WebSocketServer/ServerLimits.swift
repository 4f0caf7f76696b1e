/// Every limit of a server, each with its reason. Times are in milliseconds, sizes in bytes.
public struct ServerLimits: Sendable {
    /// A message of the contract has at most a few KiB; 64 KiB leaves room, and bounds what one client can occupy.
    public var maxMessageBytes = 65_536
    /// A message of a stranger's, if the server has any: a hello with a token takes 2 KiB.
    public var maxStrangerMessageBytes = 16_384
    /// Memory of what all strangers have sent and that is no whole request or message yet, nor a whole TLS record. A stranger has at most
    /// some 70 KiB: five hundred that fill it are sent away, those who hold the most first, and ten thousand that have sent a hello are not.
    public var maxStrangersBytes = 32 << 20
    /// The same of all others. One has at most some 80 KiB, of `maxMessageBytes` and of a record: eight hundred that fill it are sent
    /// away, those who hold the most first. A message that comes in one piece holds nothing, and a large one is whole within a moment.
    public var maxUnfinishedBytes = 64 << 20
    /// TLS handshakes under way, 44 KiB each: 88 MB. As many as begin in two seconds or more, one a millisecond. When there are as
    /// many, or a quarter of them and less than a quarter of `maxKeptBytes` is free, the oldest that is silent leaves; without one newcomers
    /// wait.
    public var maxHandshakes = 2_000
    /// Sockets at once, upgraded or not; never more than ``sockets(openFiles:)``, which is what nil stands for. With one too many the silent
    /// one leaves that came first of those that nobody knows, or one of the network that has the most of them; else it is refused.
    public var maxConnections: Int? = nil
    /// Sockets of one address (IPv6: of one /64, twice as many of a /56, four times of a /48) at once, and its TLS handshakes
    /// in 10 s. A mobile operator puts thousands of phones behind one address, so that only a flood from one machine is
    /// stopped by this.
    public var maxConnectionsPerAddress = 5_000
    /// The header, in lower case, by which a proxy on this machine says for whom it asks, as `x-forwarded-for`. nil: none is believed.
    public var realIPHeader: String?
    /// What may wait for one reader. At 40 B per position that is minutes of a feed: who is that far behind
    /// reconnects and resumes instead.
    public var maxOutboundBytes = 1 << 20
    /// The memory of all that waits for readers, of frames and of answers, and of TLS records that have not gone out whole; what many wait
    /// for counts once: a hundred readers that stand still, each with all that may wait for it. Beyond it large
    /// answers are refused with 503, and who has taken nothing for the longest is sent away.
    public var maxHeldBytes = 128 << 20
    /// The memory of all that is kept for clients: what the three sums have, and TLS handshakes under way. A worker that does nothing has 70 to
    /// 100 MB, and what does not count takes some 20 (frames that go out soon, connections, free places of the heap): so it stays below
    /// 300 MB. Beyond it strangers leave, then known clients with unfinished messages, each down to a quarter of their own sum, and then
    /// readers, as beyond those sums.
    public var maxKeptBytes = 160 << 20
    /// The least that a reader of an HTTP answer takes, over each window: a 2G link gives 5 KiB/s. A window is longer than the
    /// stalls of a mobile network, and than what the kernel takes at once (8 KiB and more) hides at that rate.
    public var minAnswerBytesPerSecond = 2_048
    public var answerWindowMs: UInt64 = 20_000
    /// Requests of one connection, which is then closed: nobody keeps its place for ever by asking now and then.
    public var maxRequests = 1_000
    /// From accept until the request is there, TLS included. Slow mobile handshakes take up to 5 s.
    public var headerTimeoutMs: UInt64 = 10_000
    /// The head of a request: cookies and a token of 4 KiB fit.
    public var maxHeadBytes = 16_384
    /// The body of a request. REST commands are as small as WebSocket commands.
    public var maxBodyBytes = 65_536
    /// From our close frame until the socket is shut, whether the peer answers or not. On a phone's link (300 ms each way) the
    /// answer takes 0.6 s, and 2 s more for each packet that is lost.
    public var closeTimeoutMs: UInt64 = 5_000
    /// Silence after which the peer is asked for a sign of life. Mobile NAT forgets after 30 s.
    public var pingEveryMs: UInt64 = 25_000
    /// Silence after which the peer counts as gone: three pings, so that a phone in a tunnel is not given up for one lost.
    public var deadAfterMs: UInt64 = 75_000
    /// The most that a frame of `sendSoon` waits for others of its connection: 20 ms are not seen, and a write, which
    /// costs 50 times as much as a frame, carries what came meanwhile. 0: none waits.
    public var coalesceMs: UInt64 = 20
    /// The load of the server's thread from which on frames wait at all, and from which on for the whole of `coalesceMs`: shares of a core.
    /// `0...0`: always.
    public var coalesceLoad: ClosedRange<Double> = 1 / 3...2 / 3
    /// With so many bytes waiting, a connection's frames wait no longer: by then the write costs each of them little.
    public var coalesceBytes = 4_096
    /// The close code of a reader that is too slow, and of one that comes when the server is full.
    public var slowConsumerCode: UInt16 = 4420
    /// Pings and pongs of one connection a second: keeping a link alive takes one in a while, and each ping costs an answer. What those of
    /// one subject cost together is in its ``InboundRate``.
    public var controlFramesPerSecond = 100
    /// The close code of one that sends more.
    public var floodCode: UInt16 = 4429

    public init() {}

    /// What a process with so many open files has for sockets: all but 128 for Redis, files and the loop. Without these it
    /// could read nothing more, a list of revoked tokens neither.
    public static func sockets(openFiles: UInt) -> Int { max(16, Int(clamping: openFiles) - 128) }

    /// For an echo server under a conformance test: messages of 16 MiB, many at once.
    public static var echo: ServerLimits {
        var limits = ServerLimits()
        limits.maxMessageBytes = 64 << 20
        limits.maxOutboundBytes = 256 << 20
        limits.maxHeldBytes = 4 << 30
        limits.maxUnfinishedBytes = 4 << 30
        limits.maxKeptBytes = 16 << 30
        limits.maxConnectionsPerAddress = 100_000
        limits.controlFramesPerSecond = .max
        return limits
    }
}
