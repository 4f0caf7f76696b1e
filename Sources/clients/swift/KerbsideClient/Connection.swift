/// The one connection: its four states, when it is opened, renewed, given up. It decides and returns actions; the client
/// carries them out. No socket, no clock, no storage here. Rules in brackets are those of ../../behaviour.md.
final class Connection {
    private(set) var state = ConnectionState.closed
    /// The link in use; 0: none.
    private(set) var link = 0
    private var last = 0
    /// Whether the link's hello was answered.
    private(set) var isGreeted = false
    private var greetedAt = 0
    private var heardAt = 0
    private var quiet = 30_000
    private(set) var token: String?
    private var isAsking = false
    private var isPinged = false
    /// The token that the link goes by, that which is to take its place, and the one that the hub has refused.
    private var said: String?
    private var offered: String?
    private var refused: String?
    /// The hub's clock less ours, ms.
    private(set) var offset = 0
    private var advice = Advice.now
    private var failures = 0
    private var hellos = 0
    private var tokenFailures = 0
    private var actions: [Action] = []
    private let random: Chance

    init(random: @escaping Chance) {
        self.random = random
    }

    /// What has been decided since this was asked last.
    func take() -> [Action] {
        defer { actions = [] }
        return actions
    }

    // What the app wants. `now`: the device's clock, Unix ms, here and below.

    func start(now: Int) {
        guard state == .closed else { return }
        failures = 0
        connect(now: now)
    }

    func stop() {
        guard state != .closed else { return }
        drop(code: 1000)
        stopTimers(.retry, .token)
        enter(.closed, reason: "stopped")
    }

    /// The network may be back: don't sit out a wait that nobody asked for [B4].
    func wake(now: Int) {
        if state == .waiting, advice == .now {
            connect(now: now)
        } else if isGreeted {
            ping()
        }
    }

    // What comes of the link

    /// A socket is open.
    func opened(_ link: Int, now: Int) {
        guard link == self.link else { return }
        hellos = 0
        heardAt = now
        hello()
    }

    /// Something came, if only a ping of the hub.
    func heard(_ link: Int, now: Int) {
        guard link == self.link else { return }
        heardAt = now
        if isPinged { stopTimers(.pong) }
        isPinged = false
    }

    func greeted(heartbeatS: Int, time: Int, now: Int) {
        isGreeted = true
        greetedAt = now
        tokenFailures = 0
        refused = nil
        offset = time - now
        quiet = heartbeatS * 1000 + Limits.quietMargin
        stopTimers(.opening, .hello)
        set(.quiet, ms: quiet)
        // A newer one may have come while this hello was under way.
        if token != said { set(.renew, ms: 0) } else { renewLater(now: now) }
        enter(.live, reason: "")
    }

    /// The link goes by the new token from now on [T3].
    func renewed(time: Int, now: Int) {
        said = offered
        offered = nil
        tokenFailures = 0
        offset = time - now
        renewLater(now: now)
    }

    /// The link goes on with the old token, as long as that counts [T3].
    func notRenewed(isFinal: Bool) {
        if isFinal {
            refused = offered
            token = said
        }
        offered = nil
        tokenFailures += 1
        set(.token, ms: longestWait(tokenFailures + 1))
    }

    /// Hello was refused. What the hub means to be final it says by closing [S4].
    func refused(_ error: HubError) {
        if error.code == "bad_message" {
            drop(code: 1000)
            enter(.closed, reason: "bad_message")
        } else if error.retry {
            if error.retryAfterMs == nil { hellos += 1 }
            let wait = error.retryAfterMs ?? waitOf(.now, failures: hellos, random: random)
            set(.opening, ms: wait + Limits.opening)
            set(.hello, ms: wait)
        }
    }

    /// A link has ended, by whomever.
    func lost(_ link: Int, code: Int, reason: String, now: Int) {
        guard link == self.link else { return }
        let advice = adviceOf(code: code, reason: reason)
        if isGreeted, now - greetedAt >= Limits.stable { failures = 0 }
        self.link = 0
        drop(code: 1000)
        let why = reason.isEmpty ? "\(code)" : "\(code) \(reason)"
        if advice == .stop { return enter(.closed, reason: why) }
        if advice == .token {
            refused = said
            if token == said { token = nil }
        }
        self.advice = advice
        let wait = waitOf(advice, failures: failures, random: random)
        failures += 1
        enter(.waiting, reason: why, wait: wait)
        set(.retry, ms: wait)
    }

    // What comes of the app's login

    /// The app's answer: a token, or nil if there is none to be had [T1].
    func gotToken(_ token: String?) {
        isAsking = false
        if state == .closed { return }
        guard let token, token != refused, !(isGreeted && token == said) else {
            if link != 0 || state == .waiting { return tokenFailed() }
            return enter(.closed, reason: "no token")
        }
        self.token = token
        tokenFailures = 0
        if isGreeted { renew() } else if state == .connecting, link == 0 { open() }
    }

    /// The app could not get a token: it is asked again [T4].
    func tokenFailed() {
        isAsking = false
        // Without a link nothing can go on; with one that is not greeted yet, or between two, there is time enough.
        if state == .closed || state == .waiting || (link != 0 && !isGreeted) { return }
        tokenFailures += 1
        let wait = waitOf(.now, failures: tokenFailures + 1, random: random)
        if !isGreeted { enter(.waiting, reason: "no token yet", wait: wait) }
        set(.token, ms: wait)
    }

    // What comes of the clock

    func fired(_ timer: Timer, now: Int) {
        switch timer {
        case .retry: connect(now: now)
        case .hello: hello()
        case .renew, .token: if isGreeted { renew() } else { connect(now: now) }
        case .quiet:
            let left = heardAt + quiet - now
            // More than the whole: the device's clock was put back.
            let isQuiet = left <= 0 || left > quiet
            set(.quiet, ms: isQuiet ? quiet : left)
            if isQuiet { ping() }
        case .opening, .pong:
            // Neither an answer to a ping nor to hello: the link is dead, whatever the system says [P2, S3].
            let link = link
            actions.append(.close(link: link, code: 1000))
            lost(link, code: 1006, reason: timer == .pong ? "no answer to a ping" : "no answer to hello", now: now)
        case .outbox: break
        }
    }

    private func connect(now: Int) {
        stopTimers(.retry, .token)
        enter(.connecting, reason: "")
        if token == nil || Claims(token).isOver(at: now + offset) { ask() } else { open() }
    }

    private func open() {
        enter(.connecting, reason: "")
        last += 1
        link = last
        actions.append(.open(link: link))
        set(.opening, ms: Limits.opening)
    }

    private func hello() {
        guard link != 0, let token else { return }
        set(.opening, ms: Limits.opening)
        said = token
        actions.append(.hello(token: token))
    }

    private func renewLater(now: Int) {
        guard let renewal = renewalOf(said ?? "", now: now + offset) else { return }
        // A random part, as tokens of one moment end at one moment.
        let left = max(0, renewal - now - offset)
        set(.renew, ms: Int(Double(left) * (1 - random() / 10)))
    }

    /// On the living connection [T3].
    private func renew() {
        guard let token, token != said else { return ask() }
        if offered != nil { return }
        offered = token
        actions.append(.renew(token: token))
    }

    private func ask() {
        if isAsking { return }
        isAsking = true
        actions.append(.token(refused: refused))
    }

    private func ping() {
        isPinged = true
        actions.append(.ping)
        set(.pong, ms: Limits.pong)
    }

    /// Leaves the link, if there is one.
    private func drop(code: Int) {
        if link != 0 { actions.append(.close(link: link, code: code)) }
        link = 0
        isGreeted = false
        isPinged = false
        offered = nil
        stopTimers(.opening, .hello, .quiet, .pong, .renew, .token)
        actions.append(.lost)
    }

    private func enter(_ state: ConnectionState, reason: String, wait: Int = 0) {
        if state == self.state, state != .waiting { return }
        self.state = state
        actions.append(.state(StateChange(state: state, reason: reason, wait: wait)))
    }

    private func set(_ timer: Timer, ms: Int) {
        actions.append(.timer(timer, ms: ms))
    }

    private func stopTimers(_ timers: Timer...) {
        for timer in timers { actions.append(.timer(timer, ms: nil)) }
    }
}
