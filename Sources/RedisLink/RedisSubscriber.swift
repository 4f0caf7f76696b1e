internal import CHiredis
internal import DequeModule
public import EventLoop

/// Messages of Redis channels, in the order in which Redis sends them. It connects again by itself, and subscribes
/// everything again before it says so; what was published in between is lost, and has to be read from where it is kept.
///
/// A connection that has subscribed can do nothing else, and a dead one is silent like an idle one: a heartbeat is
/// published through another connection, and has to come back. Used on the loop's thread only.
public final class RedisSubscriber {
    /// More per command would make one command hold up the server noticeably.
    static let channelsPerCommand = 512

    /// Channels that were asked for together; done when Redis has confirmed each.
    private final class Request {
        var left: Int
        let done: () -> Void

        init(left: Int, done: @escaping () -> Void) {
            self.left = left
            self.done = done
        }
    }

    /// One command on its way: Redis confirms each of its channels by itself, or refuses all of them at once.
    private struct Expectation {
        var left: Int
        let request: Request?
    }

    private let loop: EventLoop
    private let limits: RedisLimits
    private let session: RedisSession
    private let publisher: RedisConnection
    private let beat: [UInt8]

    private var channels: Set<String> = []
    private var expectations: Deque<Expectation> = []
    /// Asked for by callers and not confirmed yet, oldest first.
    private var open: [Request] = []
    /// Done without asking Redis: to be called at the end of the turn.
    private var due: [() -> Void] = []
    /// When the oldest heartbeat was sent of those after which nothing has come.
    private var unheardSince: UInt64?
    private var beats: UInt64 = 0
    private var isSuspect = false

    /// A message; both are valid during the call only, and nothing was copied for it.
    public var onMessage: (_ channel: UnsafeRawBufferPointer, _ payload: UnsafeRawBufferPointer) -> Void = { _, _ in }
    /// All channels are subscribed (again); after a loss this is the moment to read what was missed.
    public var onUp: (() -> Void)?
    /// It was up and is no more.
    public var onDown: ((_ reason: String) -> Void)?

    /// Connected, and all channels that were asked for when it connected are confirmed.
    public private(set) var isUp = false

    /// - Parameter heartbeat: a connection to the same Redis. While it is down, a silent link is not judged.
    public init(
        loop: EventLoop, endpoint: RedisEndpoint, heartbeat: RedisConnection, limits: RedisLimits = RedisLimits()
    ) {
        self.loop = loop
        self.limits = limits
        publisher = heartbeat
        session = RedisSession(loop: loop, endpoint: endpoint, limits: limits)
        beat = Array("kerbside:heartbeat:\(String(UInt64.random(in: .min ... .max), radix: 36))".utf8)
        session.owner = self
    }

    /// Why it is not up; nil while it is, or before the first attempt has failed.
    public var lastFailure: String? { session.lastFailure }

    /// Begins to connect.
    public func start() {
        loop.preconditionOnLoop()
        session.start()
    }

    /// Ends it for good; no callback comes any more.
    public func close() {
        loop.preconditionOnLoop()
        session.close()
        isUp = false
        (onUp, onDown, onMessage) = (nil, nil, { _, _ in })
        expectations = []
        open = []
        due = []
    }

    /// Subscribes to channels, now and after every reconnect, whether or not they are subscribed already.
    ///
    /// - Parameter acknowledged: called once, never before this returns, when Redis has confirmed all of them: what is
    ///   published from then on is heard. When the link is down or is lost meanwhile, that is after it has come back.
    public func subscribe(_ names: [String], _ acknowledged: (() -> Void)? = nil) {
        channels.formUnion(names)
        let request = acknowledged.map { Request(left: names.count, done: $0) }
        guard !names.isEmpty else {
            if let request { due.append(request.done) }
            return session.wantTurn()
        }
        if let request { open.append(request) }
        if session.isUp { send("SUBSCRIBE", names, request) }
    }

    /// Messages that are on their way may still come. Channels that aren't subscribed are left out.
    public func unsubscribe(_ names: [String]) {
        let known = names.filter { channels.remove($0) != nil }
        // Without arguments it would mean all of them, the heartbeat's too.
        if session.isUp, !known.isEmpty { send("UNSUBSCRIBE", known, nil) }
    }

    private func send(_ command: RedisArgument, _ names: [String], _ request: Request?) {
        for start in stride(from: 0, to: names.count, by: Self.channelsPerCommand) {
            let batch = names[start..<min(start + Self.channelsPerCommand, names.count)]
            session.append([command] + batch.map { RedisArgument($0) })
            expectations.append(Expectation(left: batch.count, request: request))
        }
    }

    private func confirmed() {
        guard !expectations.isEmpty else { return session.drop("Redis confirmed a channel that was not asked for") }
        let request = expectations[0].request
        expectations[0].left -= 1
        if expectations[0].left == 0 { expectations.removeFirst() }
        guard let request else { return }
        request.left -= 1
        guard request.left == 0 else { return }
        open.removeAll { $0 === request }
        request.done()
    }

    // MARK: Heartbeat

    private func heard() {
        unheardSince = nil
        isSuspect = false
    }

    private func sendBeat() {
        guard publisher.isUp else { return }
        beats &+= 1
        let number = beats
        let isOldest = unheardSince == nil
        if isOldest { unheardSince = loop.now }
        publisher.send(["PUBLISH", RedisArgument(beat), RedisArgument(Int64(truncatingIfNeeded: number))]) {
            [weak self] result in
            guard let self, isOldest, case .failure(let failure) = result, failure != .timeout else { return }
            // It was the publisher's link that failed, which says nothing about this one.
            unheardSince = nil
        }
    }

    private func checkBeat() {
        if let unheardSince, loop.now - unheardSince >= limits.heartbeatDeadAfterMs {
            guard isSuspect else {
                // A loop that was held up finds its timers before its sockets: what came is looked at first.
                isSuspect = true
                return session.setTimer(afterMs: 1)
            }
            return session.drop("the heartbeat did not come back within \(limits.heartbeatDeadAfterMs) ms")
        }
        isSuspect = false
        sendBeat()
        session.setTimer(afterMs: limits.heartbeatEveryMs)
    }
}

extension RedisSubscriber: RedisSessionOwner {
    func sessionUp() {
        expectations = []
        let carried = open
        let everything = [String(decoding: beat, as: UTF8.self)] + channels
        let resubscription = Request(left: everything.count) { [weak self] in
            guard let self else { return }
            isUp = true
            open.removeAll { request in carried.contains { $0 === request } }
            for request in carried { request.done() }
            // One of them may have closed this.
            if isUp { onUp?() }
        }
        send("SUBSCRIBE", everything, resubscription)
        heard()
        session.setTimer(afterMs: limits.heartbeatEveryMs)
    }

    func sessionDown(_ reason: String, wasUp: Bool) {
        expectations = []
        guard isUp else { return }
        isUp = false
        onDown?(reason)
    }

    func sessionReceived(_ reply: UnsafeMutablePointer<redisReply>) {
        if reply.pointee.type == REDIS_REPLY_ERROR {
            return session.drop("Redis refused a subscription: \(reply.pointee.text)")
        }
        guard reply.pointee.type == REDIS_REPLY_ARRAY, reply.pointee.elements == 3,
            let kind = reply.pointee.element[0], let channel = reply.pointee.element[1],
            let payload = reply.pointee.element[2]
        else { return session.drop("Redis sent something else than a message") }
        // The three kinds differ in length: message, subscribe, unsubscribe.
        guard kind.pointee.len == 7 else { return confirmed() }
        heard()
        guard !channel.pointee.bytes.elementsEqual(beat) else { return }
        onMessage(channel.pointee.bytes, payload.pointee.bytes)
    }

    func sessionTimer() { checkBeat() }

    func sessionTurnEnds() {
        guard !due.isEmpty else { return }
        let now = due
        due = []
        for body in now { body() }
    }
}
