internal import CHiredis
internal import EventLoop
internal import Glibc

/// What a session reports, always from within the loop.
protocol RedisSessionOwner: AnyObject {
    func sessionUp()
    /// Was up, or was trying to be: `wasUp` tells. It connects again by itself.
    func sessionDown(_ reason: String, wasUp: Bool)
    /// A reply that isn't part of the handshake; valid during the call.
    func sessionReceived(_ reply: UnsafeMutablePointer<redisReply>)
    /// The timer that was set by `setTimer` while up.
    func sessionTimer()
    /// The end of every turn, before what was appended is sent.
    func sessionTurnEnds()
}

/// A link that comes back: connect, password, database, PING, up, lost, wait, connect …
///
/// PING is asked because a server that is still loading its data accepts connections: it counts as not yet up.
/// One timer serves all of it: the deadline of connecting, the wait before connecting again, and while it is up
/// whatever its owner needs.
final class RedisSession {
    private enum State { case idle, lookingUp, connecting, handshake, up, waiting, closed }

    private enum Step: String {
        case auth = "AUTH"
        case select = "SELECT"
        case ping = "PING"
    }

    private let loop: EventLoop
    private let endpoint: RedisEndpoint
    private let limits: RedisLimits
    private let acceptsLoading: Bool
    weak var owner: (any RedisSessionOwner)?

    private var state = State.idle
    private var transport: RedisTransport?
    private var lookup: HostLookup?
    private var steps: [Step] = []
    private var backoff: Backoff
    private var attempts = 0
    private var upSince: UInt64 = 0
    private let timer: LoopTimer
    /// Due at once: keeps the loop from blocking until the end of the next turn has come by.
    private let nudge: LoopTimer
    private var isNudged = false

    private(set) var lastFailure: String?

    /// - Parameter acceptsLoading: a server that is still loading its data counts as up.
    init(loop: EventLoop, endpoint: RedisEndpoint, limits: RedisLimits, acceptsLoading: Bool = false) {
        self.loop = loop
        self.endpoint = endpoint
        self.limits = limits
        self.acceptsLoading = acceptsLoading
        backoff = Backoff(minMs: limits.backoffMinMs, maxMs: limits.backoffMaxMs)
        timer = LoopTimer(loop)
        nudge = LoopTimer(loop)
        loop.atEndOfTurn { [weak self] in self?.turnEnds() }
    }

    var isUp: Bool { state == .up }

    var isClosed: Bool { state == .closed }

    var unsentBytes: Int { transport?.unsentBytes ?? 0 }

    /// Replies have come, and wait for their share of a turn.
    var hasRepliesWaiting: Bool { transport?.hasRepliesWaiting ?? false }

    func start() {
        guard state == .idle else { return }
        connect()
    }

    /// Ends it for good, without a report.
    func close() {
        state = .closed
        release()
        timer.stop()
        nudge.stop()
        isNudged = false
    }

    /// Sends at the end of the turn. Only while up.
    func append(_ arguments: [RedisArgument]) {
        transport?.append(arguments)
        wantTurn()
    }

    /// Makes the loop come to the end of a turn once more before it blocks, so that whoever appends last is sent too.
    func wantTurn() {
        guard state != .closed, !isNudged else { return }
        isNudged = true
        nudge.start(afterMs: 0) {}
    }

    /// Calls the owner's `sessionTimer` once, unless the link is lost before.
    func setTimer(afterMs: UInt64) {
        guard state == .up else { return }
        timer.start(afterMs: afterMs) { [weak self] in self?.owner?.sessionTimer() }
    }

    /// Gives the link up for `reason`, and connects again after a wait.
    func drop(_ reason: String) {
        guard state != .closed, state != .idle, state != .waiting else { return }
        let wasUp = state == .up
        lastFailure = reason
        release()
        // A server that takes us in and throws us out at once is no reason to start over with the shortest wait.
        if wasUp, loop.now - upSince >= limits.backoffMaxMs { backoff.reset() }
        state = .waiting
        timer.start(afterMs: backoff.next()) { [weak self] in self?.connect() }
        owner?.sessionDown(reason, wasUp: wasUp)
    }

    private func release() {
        lookup?.cancel()
        lookup = nil
        transport?.close()
        transport = nil
    }

    private func turnEnds() {
        guard isNudged else { return }
        isNudged = false
        nudge.stop()
        owner?.sessionTurnEnds()
        transport?.flush()
    }

    // MARK: Connecting

    private func connect() {
        timer.start(afterMs: limits.connectTimeoutMs) { [weak self] in self?.connectingTookTooLong() }
        guard case .tcp(let host, let port) = endpoint.address, !HostLookup.isNumeric(host) else {
            open(endpoint.address)
            return
        }
        state = .lookingUp
        lookup = HostLookup(loop: loop, host: host) { [weak self] addresses, failure in
            guard let self, state == .lookingUp else { return }
            lookup = nil
            guard !addresses.isEmpty else { return drop("cannot look up \(host): \(failure)") }
            // Each attempt takes the next address of a name that has several.
            open(.tcp(host: addresses[attempts % addresses.count], port: port))
        }
        if lookup == nil { drop("cannot look up \(host)") }
    }

    private func open(_ address: RedisEndpoint.Address) {
        state = .connecting
        attempts &+= 1
        do {
            transport = try RedisTransport(loop: loop, address: address, owner: self)
        } catch {
            drop("cannot connect to \(endpoint): \(error.reason)")
        }
    }

    private func connectingTookTooLong() {
        drop(
            state == .handshake
                ? "\(endpoint) accepted the connection but does not answer" : "connecting to \(endpoint) timed out")
    }

    private func handshakeAnswered(_ reply: UnsafeMutablePointer<redisReply>) {
        let step = steps.removeFirst()
        if reply.pointee.type == REDIS_REPLY_ERROR {
            let text = reply.pointee.text
            let isLoading = text.hasPrefix("LOADING")
            guard isLoading, acceptsLoading else {
                return drop(
                    isLoading ? "\(endpoint) is loading its data" : "\(endpoint) refused \(step.rawValue): \(text)")
            }
        }
        guard steps.isEmpty else { return }
        state = .up
        upSince = loop.now
        lastFailure = nil
        timer.stop()
        owner?.sessionUp()
    }
}

extension RedisSession: RedisTransportOwner {
    func transportConnected() {
        state = .handshake
        steps = []
        if let password = endpoint.password {
            let account = endpoint.user.map { [RedisArgument($0)] } ?? []
            steps.append(.auth)
            append(["AUTH"] + account + [RedisArgument(password)])
        }
        if endpoint.database != 0 {
            steps.append(.select)
            append(["SELECT", RedisArgument(endpoint.database)])
        }
        steps.append(.ping)
        append(["PING"])
    }

    func transportReceived(_ reply: UnsafeMutablePointer<redisReply>) {
        if state == .handshake {
            handshakeAnswered(reply)
        } else {
            owner?.sessionReceived(reply)
        }
    }

    func transportLost(_ reason: String) {
        drop(
            state == .up
                ? "the link to \(endpoint) was lost: \(reason)" : "cannot connect to \(endpoint): \(reason)")
    }
}
