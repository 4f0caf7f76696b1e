import ClientSupport
import Wire

/// One client's side of the protocol, whatever its role: connecting, hello, resuming, commands that are sent until they
/// are answered, and a record of every event. Pure: time comes in, actions come out.
struct ClientSession {
    enum Phase: Equatable {
        /// Not connected; tries again at this real time.
        case resting(untilMs: Int64)
        case connecting(sinceMs: Int64)
        case greeting(sinceMs: Int64)
        case live
        /// Never again.
        case over
    }

    /// What a message meant.
    enum Delivery {
        case live(isFirst: Bool)
        case ok(Command, JSONValue)
        /// A definite refusal: sending it again would change nothing.
        case refused(Command, ErrorCode)
        case event(type: String, hubMs: Int64, data: JSONValue)
        case state(type: String, hubMs: Int64, data: JSONValue)
        /// Rows of a feed that it watches; a snapshot's replace all that was known.
        case vehicles(channel: String, isSnapshot: Bool, gone: [String], rows: JSONValue)
        case snapshot(JSONValue)
        /// An event, a state or a snapshot (then that is its type) of a shared channel that it reads.
        case shared(type: String, hubMs: Int64, data: JSONValue)
        case nothing
    }

    private enum Answer {
        case granted(JSONValue)
        case refused(ErrorCode)
    }

    private struct Pending {
        var key: String
        var command: Command
        /// One for each sending on this link that has no answer yet. That of an early one ends it as well if it grants; a refusal
        /// only if it is the last, as what was refused first may be granted when it is sent again.
        var ids: [Int64] = []
        var tries = 0
        /// Real ms: when it is sent again if nothing was heard.
        var dueMs: Int64
    }

    /// Real ms. A link that takes longer to open or to greet is given up: on a bad one, what is lost is sent again after 1, 3
    /// and 7 s.
    static let greetingLimitMs: Int64 = 10_000
    /// Real ms. A link on which nothing has come for so long is asked for a sign of life, which has as long again. The hub's end
    /// may have gone without the news getting through.
    static let silenceLimitMs: Int64 = 10_000
    /// Real ms. A command not answered in this time is sent again with its key.
    static let answerLimitMs: Int64 = 4_000

    let subject: String
    /// `driver:<subject>` or `passenger:<subject>`.
    let ownChannel: String
    /// Set apart from those of earlier runs: the hub keeps keys for a day.
    private let keyPrefix: String
    private(set) var phase: Phase
    private(set) var receipts: ChannelReceipts
    /// Of the shared channel that it reads, if any.
    private(set) var shared: ChannelReceipts?
    /// The hub told of a gap of the shared channel; where it goes on, its next event tells.
    private var isSharedLost = false
    private var pending: [Pending] = []
    private var helloID: Int64 = 0
    private var nextID: Int64 = 1
    private var keys = 0
    private var failures = 0
    /// Real ms: when something came last on this link, and when it was asked since then.
    private var heardMs: Int64 = 0
    private var askedMs: Int64?
    private var hasBeenLive = false
    private var position: String?
    /// The next hello asks for no history, but for the state as it is.
    private var isAnew = false
    private var random: SeededRandom

    /// `startMs`: the real time of its first connecting.
    init(role: String, subject: String, keyPrefix: String, startMs: Int64 = 0, random: SeededRandom) {
        self.subject = subject
        self.keyPrefix = keyPrefix
        self.random = random
        phase = .resting(untilMs: startMs)
        ownChannel = "\(role):\(subject)"
        receipts = ChannelReceipts(channel: ownChannel)
    }

    /// With random numbers of its own, of the run's seed.
    init(role: String, subject: String, keyPrefix: String, startMs: Int64 = 0, seed: UInt64) {
        self.init(
            role: role, subject: subject, keyPrefix: keyPrefix, startMs: startMs,
            random: SeededRandom(seed: seed, part: "link of \(subject)"))
    }

    var isLive: Bool { phase == .live }
    var hasPending: Bool { !pending.isEmpty }

    func isPending(_ matches: (Command) -> Bool) -> Bool { pending.contains { matches($0.command) } }

    // MARK: Links

    /// `token` goes into the hello unless it was given at the door.
    mutating func opened(token: String?, _ now: Moment, _ out: inout [ClientAction]) {
        guard case .connecting = phase else { return }
        phase = .greeting(sinceMs: now.realMs)
        helloID = takeID()
        var resume = isAnew ? [] : receipts.last.map { [ResumePoint(channel: ownChannel, seq: $0)] } ?? []
        if let shared, let last = shared.last { resume.append(ResumePoint(channel: shared.channel, seq: last)) }
        let hello = ClientMessage(id: helloID, command: .session(.hello(token: token, resume: resume)))
        out.append(.send(hello.encoded()))
    }

    mutating func closed(code: UInt16, reason: String = "", _ now: Moment, _ out: inout [ClientAction]) {
        switch phase {
        case .over, .resting: return
        case .connecting, .greeting, .live: break
        }
        failures += 1
        switch Backoff.rule(code: code, reason: reason, failures: failures, random: &random) {
        case .after(let ms): phase = .resting(untilMs: now.realMs + ms)
        case .never: phase = .over
        }
        out.append(.note(.linkLost(code: code)))
    }

    /// Cuts the link, to come back at a hub time.
    mutating func cut(untilHubMs: Int64, _ now: Moment, _ out: inout [ClientAction]) {
        guard isLive else { return }
        phase = .resting(untilMs: now.real(atHub: untilHubMs))
        out.append(.abort)
        out.append(.note(.linkCut))
    }

    /// Comes back as if it knew nothing, to be told how things are.
    mutating func renew(_ now: Moment, _ out: inout [ClientAction]) {
        guard isLive else { return }
        isAnew = true
        phase = .resting(untilMs: now.realMs)
        out.append(.abort)
    }

    /// Goes for good.
    mutating func leave(_ out: inout [ClientAction]) {
        if phase == .over { return }
        if case .resting = phase {} else { out.append(.close(code: 1000)) }
        phase = .over
        receipts.hasLeft = true
        shared?.hasLeft = true
    }

    /// A shared channel was subscribed, and is read from a position on; after a loss of the link, too.
    mutating func read(_ channel: String, after seq: String) {
        guard shared == nil else { return }
        shared = ChannelReceipts(channel: channel)
        shared?.begin(after: seq)
    }

    // MARK: Commands

    /// `times`: sent so often at once, with the same key.
    mutating func ask(_ command: Command, times: Int = 1, _ now: Moment, _ out: inout [ClientAction]) {
        keys += 1
        pending.append(Pending(key: "\(keyPrefix)-\(keys)", command: command, dueMs: now.realMs))
        guard isLive else { return }
        for _ in 0..<times { send(pending.count - 1, now, &out) }
    }

    /// No longer of interest; an answer that still comes is dropped.
    mutating func forget(_ matches: (Command) -> Bool) { pending.removeAll { matches($0.command) } }

    /// False when there is no link: the fix is lost, as newer ones will come.
    mutating func sendPosition(_ fix: PlannedFix, atMs: Int64, _ out: inout [ClientAction]) -> Bool {
        guard isLive else { return false }
        out.append(.send(ClientMessage(command: .position(PositionFix(fix, atMs: atMs))).encoded()))
        out.append(.note(.fix(isInterpolated: fix.isInterpolated)))
        return true
    }

    private mutating func takeID() -> Int64 {
        defer { nextID += 1 }
        return nextID
    }

    private mutating func send(_ index: Int, _ now: Moment, _ out: inout [ClientAction]) {
        let id = takeID()
        pending[index].ids.append(id)
        pending[index].tries += 1
        pending[index].dueMs = now.realMs + Self.answerLimitMs
        let message = ClientMessage(id: id, key: pending[index].key, command: pending[index].command)
        out.append(.send(message.encoded()))
    }

    // MARK: Time

    mutating func wake(_ now: Moment, _ out: inout [ClientAction]) {
        switch phase {
        case .resting(let until) where now.realMs >= until:
            phase = .connecting(sinceMs: now.realMs)
            out.append(.connect)
        case .connecting(let since) where now.realMs >= since + Self.greetingLimitMs,
            .greeting(let since) where now.realMs >= since + Self.greetingLimitMs:
            out.append(.abort)
            closed(code: 1006, now, &out)
        case .live:
            guard now.realMs < silenceDueMs || askedMs == nil else {
                out.append(.abort)
                return closed(code: 1006, now, &out)
            }
            if now.realMs >= silenceDueMs {
                askedMs = now.realMs
                out.append(.ping)
            }
            for index in pending.indices where pending[index].dueMs <= now.realMs { send(index, now, &out) }
        default: break
        }
    }

    private var silenceDueMs: Int64 { (askedMs ?? heardMs) + Self.silenceLimitMs }

    /// Real ms of the next thing to do; `.max` for none.
    var dueMs: Int64 {
        switch phase {
        case .resting(let until): until
        case .connecting(let since), .greeting(let since): since + Self.greetingLimitMs
        case .live: min(silenceDueMs, pending.map(\.dueMs).min() ?? .max)
        case .over: .max
        }
    }

    // MARK: Messages

    /// Something came on the link, be it a ping or its answer.
    mutating func heard(_ now: Moment) { (heardMs, askedMs) = (now.realMs, nil) }

    mutating func received(_ message: ServerMessage, _ now: Moment, _ out: inout [ClientAction]) -> Delivery {
        heard(now)
        switch message {
        case .reply(let id, let data):
            return id == helloID ? greeted(data, now, &out) : answered(id, .granted(data), now, &out)
        case .error(let id, let code, let detail, _):
            out.append(.note(.refused(code)))
            if let id, id == helloID {
                out.append(.note(.greetingRefused(code, detail: detail)))
                return refusedGreeting(now, &out)
            }
            guard let id else { return .nothing }
            return answered(id, .refused(code), now, &out)
        case .event(let channel, let seq, let type, let hubMs, let data):
            let receipt = Receipt(seq: seq, type: type, data: data)
            if channel == shared?.channel {
                out.append(.note(.event))
                return takeShared(receipt) ? .shared(type: type, hubMs: hubMs, data: data) : .nothing
            }
            guard channel == ownChannel else { return .nothing }
            out.append(.note(.event))
            return receipts.take(receipt) ? .event(type: type, hubMs: hubMs, data: data) : .nothing
        case .state(let channel, let type, let hubMs, let data):
            out.append(.note(.state(hubMs: hubMs)))
            return channel == shared?.channel
                ? .shared(type: type, hubMs: hubMs, data: data) : .state(type: type, hubMs: hubMs, data: data)
        case .gap(let channel):
            out.append(.note(.gap(channel: channel)))
            if channel == ownChannel {
                receipts.gaps += 1
                receipts.begin(after: position ?? "")
            } else if channel == shared?.channel {
                shared?.gaps += 1
                isSharedLost = true
            }
            return .nothing
        case .snapshot(let channel, let hubMs, let data):
            if channel == shared?.channel { return .shared(type: "snapshot", hubMs: hubMs, data: data) }
            return channel == ownChannel
                ? .snapshot(data) : .vehicles(channel: channel, isSnapshot: true, gone: [], rows: data)
        case .positions(let channel, let hubMs, let gone, let rows):
            out.append(.note(.state(hubMs: hubMs)))
            return .vehicles(channel: channel, isSnapshot: false, gone: gone, rows: rows)
        }
    }

    /// False for an event that was here before.
    private mutating func takeShared(_ receipt: Receipt) -> Bool {
        if isSharedLost {
            isSharedLost = false
            shared?.begin(after: receipt.seq)
            return true
        }
        return shared?.take(receipt) ?? false
    }

    private mutating func greeted(_ data: JSONValue, _ now: Moment, _ out: inout [ClientAction]) -> Delivery {
        guard case .greeting = phase else { return .nothing }
        phase = .live
        failures = 0
        if let time = data.integer("time") { out.append(.note(.hubTime(ms: time))) }
        position = data["seq"]?.text(ownChannel)
        if receipts.stretches.isEmpty || isAnew { receipts.begin(after: position ?? "") }
        isAnew = false
        let isFirst = !hasBeenLive
        hasBeenLive = true
        out.append(.note(.live(isFirst: isFirst)))
        for index in pending.indices {
            // The answers of an earlier link come no more.
            pending[index].ids = []
            send(index, now, &out)
        }
        return .live(isFirst: isFirst)
    }

    /// The hub can't greet now, or doesn't know the token: the link is worth nothing, a new one may be.
    private mutating func refusedGreeting(_ now: Moment, _ out: inout [ClientAction]) -> Delivery {
        out.append(.abort)
        closed(code: 1006, now, &out)
        return .nothing
    }

    private mutating func answered(
        _ id: Int64, _ answer: Answer, _ now: Moment, _ out: inout [ClientAction]
    ) -> Delivery {
        guard let index = pending.firstIndex(where: { $0.ids.contains(id) }) else { return .nothing }
        if case .refused(let code) = answer, code.isForNow {
            pending[index].ids.removeAll { $0 == id }
            pending[index].dueMs = now.realMs + Backoff.retry(tries: pending[index].tries, random: &random)
            return .nothing
        }
        if case .refused = answer, pending[index].ids.count > 1 {
            pending[index].ids.removeAll { $0 == id }
            return .nothing
        }
        let command = pending.remove(at: index).command
        switch answer {
        case .granted(let data): return .ok(command, data)
        case .refused(let code): return .refused(command, code)
        }
    }
}
