internal import CHiredis
public import EventLoop

/// For whom commands are sent: told of each that was sent for it (``RedisConnection/sending(for:_:)``), and once of its
/// end. Called on the loop's thread.
public protocol RedisAsker: AnyObject {
    func commandSent()
    /// It was answered or has failed, and its completion was called.
    func commandAnswered()
}

/// Commands to one Redis, pipelined: what is sent in one turn of the loop goes out in one write at its end, and answers
/// come in the order of sending, for up to a millisecond of a turn (`RedisTransport.shareNs`). It connects again by
/// itself.
///
/// Used on the loop's thread only. A completion is called exactly once, never before `send` has returned (after
/// `close`, at once), and may itself send commands or close the connection.
public final class RedisConnection {
    public typealias Completion = (Result<RedisReply, RedisFailure>) -> Void

    /// How long the loop is given to read answers that may be there already, once one is overdue: a loop (or a whole
    /// process) that was held up finds its timers before its sockets.
    private static let graceMs: UInt64 = 250

    private let loop: EventLoop
    private let limits: RedisLimits
    private let session: RedisSession
    private var pending = PendingCommands()
    private var refused: [(completion: Completion, failure: RedisFailure)] = []
    private var isTimerSet = false
    private var answers: UInt64 = 0
    private var suspicion: (since: UInt64, answers: UInt64)?
    private var asker: (any RedisAsker)?

    /// The link is up: connected, logged in, database selected, data loaded.
    public var onUp: (() -> Void)?
    /// The link was up and is lost; what was in flight completes right after this call.
    public var onDown: ((_ reason: String) -> Void)?
    /// An attempt to connect has failed; the next follows after a wait.
    public var onRetry: ((_ reason: String) -> Void)?

    /// A command was refused because Redis can do nothing now; its completion follows.
    public var onNotServing: ((_ answer: String) -> Void)?

    public let endpoint: RedisEndpoint

    public convenience init(loop: EventLoop, endpoint: RedisEndpoint, limits: RedisLimits = RedisLimits()) {
        self.init(loop: loop, endpoint: endpoint, limits: limits, acceptsLoading: false)
    }

    /// For a control link that is to be up while the server is still loading.
    init(loop: EventLoop, endpoint: RedisEndpoint, limits: RedisLimits, acceptsLoading: Bool) {
        self.loop = loop
        self.endpoint = endpoint
        self.limits = limits
        session = RedisSession(loop: loop, endpoint: endpoint, limits: limits, acceptsLoading: acceptsLoading)
        session.owner = self
    }

    deinit {
        // Off the loop nothing may be called; the parts release themselves.
        if loop.isOnLoop { close() }
    }

    public var isUp: Bool { session.isUp }

    /// Commands that wait for their answers.
    public var pendingCount: Int { pending.count }

    /// Why it is not up; nil while it is, or before the first attempt has failed.
    public var lastFailure: String? { session.lastFailure }

    /// Begins to connect.
    public func start() {
        loop.preconditionOnLoop()
        session.start()
    }

    /// Sends a command at the end of this turn. Not for commands that block, subscribe, or change the connection
    /// (BLPOP, XREAD BLOCK, SUBSCRIBE, MONITOR, CLIENT REPLY): every command gets one answer, in time.
    ///
    /// Fails with `.disconnected` when the link is down, `.overloaded` at the limits, `.server` when Redis says so.
    public func send(_ arguments: [RedisArgument], _ completion: @escaping Completion) {
        guard session.isUp, !arguments.isEmpty else { return refuse(completion, .disconnected) }
        guard pending.count < limits.maxPending, session.unsentBytes < limits.maxUnsentBytes else {
            return refuse(completion, .overloaded)
        }
        session.append(arguments)
        // Not `loop.now`: Redis has its time from here on, not from where a long turn began.
        let deadline = EventLoop.currentTime() + limits.commandTimeoutMs
        pending.append(.init(deadline: deadline, completion: completion, asker: asker))
        asker?.commandSent()
        if !isTimerSet { setTimer(limits.commandTimeoutMs) }
    }

    /// What `body` sends before it returns is sent for `asker`. What is sent on an answer is not, as others may have a
    /// part in it.
    public func sending(for asker: any RedisAsker, _ body: () -> Void) {
        let before = self.asker
        self.asker = asker
        body()
        self.asker = before
    }

    /// `send` for callers that may wait: start-up, tools, tests.
    public func send(_ arguments: [RedisArgument]) async throws(RedisFailure) -> RedisReply {
        let result = await withCheckedContinuation { continuation in
            send(arguments) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    /// Ends it for good. What is in flight completes with `.disconnected` before this returns; `onDown` is not called.
    public func close() {
        loop.preconditionOnLoop()
        guard !session.isClosed else { return }
        session.close()
        // They may well hold this connection.
        (onUp, onDown, onRetry) = (nil, nil, nil)
        failPending()
        finishRefused()
    }

    // MARK: Completing

    private func refuse(_ completion: @escaping Completion, _ failure: RedisFailure) {
        guard !session.isClosed else { return completion(.failure(failure)) }
        refused.append((completion, failure))
        session.wantTurn()
    }

    private func finishRefused() {
        guard !refused.isEmpty else { return }
        let finished = refused
        refused = []
        for (completion, failure) in finished { completion(.failure(failure)) }
    }

    private func failPending(overdueBy now: UInt64? = nil) {
        isTimerSet = false
        suspicion = nil
        for entry in pending.takeAll() {
            let isOverdue = now.map { entry.deadline <= $0 } ?? false
            entry.complete(.failure(isOverdue ? .timeout : .disconnected))
        }
    }

    // MARK: Deadlines

    private func setTimer(_ afterMs: UInt64) {
        isTimerSet = true
        session.setTimer(afterMs: afterMs)
    }

    /// The timer is not moved with every command: when it fires it looks at the oldest one.
    private func checkDeadlines() {
        isTimerSet = false
        guard let deadline = pending.firstDeadline else {
            suspicion = nil
            return
        }
        guard deadline <= loop.now else {
            suspicion = nil
            return setTimer(deadline - loop.now)
        }
        // Redis has answered, and it is this loop that has not come to it.
        guard !session.hasRepliesWaiting else {
            suspicion = nil
            return setTimer(1)
        }
        let isProgress = suspicion.map { $0.answers != answers && loop.now - $0.since < Self.graceMs } ?? true
        guard isProgress else {
            return session.drop("\(endpoint) did not answer within \(limits.commandTimeoutMs) ms")
        }
        suspicion = (suspicion?.since ?? loop.now, answers)
        setTimer(1)
    }
}

extension RedisConnection: RedisSessionOwner {
    func sessionUp() { onUp?() }

    func sessionDown(_ reason: String, wasUp: Bool) {
        guard wasUp else {
            onRetry?(reason)
            return
        }
        onDown?(reason)
        failPending(overdueBy: loop.now)
    }

    func sessionReceived(_ reply: UnsafeMutablePointer<redisReply>) {
        answers &+= 1
        guard let entry = pending.popFirst() else {
            return session.drop("\(endpoint) sent something unasked: \(reply.pointee.text)")
        }
        guard reply.pointee.type == REDIS_REPLY_ERROR else {
            return entry.complete(.success(RedisReply(copying: reply)))
        }
        let text = reply.pointee.text
        let failure = RedisFailure(answer: text)
        if case .notServing = failure { onNotServing?(text) }
        entry.complete(.failure(failure))
        // It has begun to load its data anew (a replica that was given another master).
        if text.hasPrefix("LOADING") { session.drop("\(endpoint) is loading its data") }
    }

    func sessionTimer() { checkDeadlines() }

    func sessionTurnEnds() { finishRefused() }
}
