import EventLoop
import Logging
import RedisLink
import Settings
import Telemetry
import Tokens
import WebPush
import Wire

/// Sends what the functions have put into the stream `wakings` to the push services. It has a process of its own: nothing that a push
/// service does, or the library that talks to it, can hold up a worker. Used on its loop's thread. What is sent when is decided by
/// its ``PushBacklog``.
///
/// Of the senders of all hubs of a city one leads. An entry is taken out of the stream when each of its receivers has answered, or it is of
/// no use any more: so whatever dies, it is sent once at least. A browser shows what it gets twice once, by its `seq`.
final class PushSender: SideTask {
    static let label = "pushes"

    /// How often it looks, and says that it leads, ms; without a word for so long another one does.
    private static let everyMs: UInt64 = 250
    private static let leadEveryMs: UInt64 = 1_500
    private static let leadMs = 6_000
    /// Entries read at once.
    private static let atOnce = 100
    /// The same trouble is logged once in so long, ms.
    private static let quietMs: UInt64 = 60_000

    private var settings: Settings
    private let name: String
    private let loop: EventLoop
    private let keys: Keys
    private let connection: RedisConnection
    private let functions: RedisFunctions
    private let voucher: PushVoucher
    private var verifier: TokenVerifier
    /// By the services of the settings.
    private var clients: [String: PushClient] = [:]
    private let timer: LoopTimer
    private let meter: PushMeter
    private let log: Logger

    private var leadsUntil: UInt64 = 0
    private var leadAt: UInt64 = 0
    private var isReading = false
    /// Entries up to here were read.
    private var position = "-"
    private var backlog = PushBacklog()
    private var toldAt: [String: UInt64] = [:]

    init(name: String, settings: Settings, loop: EventLoop) throws {
        guard let voucher = try PushKeyFile.read(settings) else {
            throw HubFailure("push.subject is not set, and nothing is pushed without it")
        }
        self.name = name
        self.settings = settings
        self.loop = loop
        self.voucher = voucher
        verifier = try TokenVerifier(settings)
        keys = Keys(city: settings.city.id)
        log = HubLog.logger(Self.label, settings.log)
        connection = RedisConnection(
            loop: loop, endpoint: try RedisLocation(settings).endpoint, limits: RedisLimits(settings))
        functions = RedisFunctions(
            library: FunctionLibrary(RedisLibrary.code), connection: connection, keys: keys, log: log)
        timer = LoopTimer(loop)
        meter = PushMeter(name: name, data: settings.data.dir)
    }

    func start() {
        connection.start()
        timer.start(afterMs: 0, repeatMs: Self.everyMs) { [unowned self] in look() }
    }

    func reload(_ fresh: Settings) throws {
        let taken = settings.reloaded(from: fresh)
        verifier = try TokenVerifier(taken)
        settings = taken
    }

    func stop() {
        timer.close()
        for client in clients.values { client.close() }
        connection.close()
    }

    private var isLeading: Bool { loop.now < leadsUntil }

    private func look() {
        meter.publish()
        guard connection.isUp else { return }
        functions.retryPendingCalls()
        lead()
        guard isLeading else { return }
        for id in backlog.takeDue(at: loop.now) { attempt(id) }
        read()
    }

    private func lead() {
        guard loop.now >= leadAt else { return }
        leadAt = loop.now + Self.leadEveryMs
        let asked = loop.now
        functions.call("push_lead", ["sender": RedisArgument(name), "life_ms": RedisArgument(Self.leadMs)]) { result in
            let wasLeading = self.isLeading
            switch result {
            case .success(let reply): self.leadsUntil = reply.int == 1 ? asked + UInt64(Self.leadMs) : 0
            case .failure(.server(let text)): self.tell("push_lead failed: \(text)")
            case .failure: break
            }
            self.meter.leads(self.isLeading)
            guard self.isLeading, !wasLeading else { return }
            self.log.info("sends the city's pushes")
            // What another one had begun.
            self.backlog.beginAnew()
            self.isReading = false
            self.position = "-"
        }
    }

    // MARK: the stream

    private func read() {
        guard !isReading else { return }
        isReading = true
        let term = backlog.term
        let from = position == "-" ? "-" : "(" + position
        var length: Int64 = 0
        connection.send(["XLEN", RedisArgument(keys.wakings)]) { result in
            if case .success(let reply) = result { length = reply.int ?? 0 }
        }
        connection.send([
            "XRANGE", RedisArgument(keys.wakings), RedisArgument(from), "+", "COUNT", RedisArgument(Self.atOnce),
        ]) { result in
            guard term == self.backlog.term else { return }
            self.isReading = false
            guard case .success(let reply) = result, let entries = reply.array, self.isLeading else { return }
            self.meter.waiting.set(Int(length))
            for entry in entries { self.take(entry) }
            if entries.count == Self.atOnce { self.read() }
        }
    }

    private func take(_ entry: RedisReply) {
        guard let id = entry[0].text else { return }
        position = id
        guard backlog[id] == nil else { return }
        guard let job = PushJob(entry) else {
            tell("an entry of \(keys.wakings) is no push, and is taken out")
            return takeOut(id)
        }
        let replaced = backlog.add(job)
        if let id = replaced.ofPerson { takeOut(id) }
        for id in replaced.ofAll { takeOut(id, isLate: true) }
        attempt(id)
    }

    private func leaveOut(_ id: String) {
        if backlog.remove(id) { takeOut(id, isLate: true) }
    }

    /// Out of the stream: it is not in the backlog any more.
    private func takeOut(_ id: String, isLate: Bool = false) {
        if isLate { meter.late.increment() }
        functions.retryUntilDone("push_done", ["id": RedisArgument(id)])
    }

    // MARK: sending

    private func attempt(_ id: String) {
        guard let job = backlog[id] else { return }
        guard job.until > EventLoop.wallClock() else { return leaveOut(id) }
        functions.call("push_targets", ["channel": RedisArgument(job.channel)]) { result in
            guard self.backlog[id] != nil, self.isLeading else { return }
            switch result {
            case .success(let reply): self.send(id, reply)
            case .failure(let failure):
                if case .server(let text) = failure { self.tell("push_targets failed: \(text)") }
                self.backlog.wait(for: id, until: self.loop.now + 1_000)
            }
        }
    }

    private func send(_ id: String, _ reply: RedisReply) {
        guard let job = backlog[id] else { return }
        let found = PushTarget.read(reply, services: settings.push.services) { counts($0, job) }
        // The setting was changed since, or the token has ended, or was revoked; or it was said to a hub that kept nothing
        // of tokens, or so long ago that the device may be another's.
        for gone in found.bad { drop(gone, of: job.channel) }
        if !found.bad.isEmpty { tell("subscriptions are taken out that count no more") }
        switch backlog.begin(id, to: found.good.map(\.endpoint.url), now: loop.now) {
        case .isOver: takeOut(id)
        case .waits: finish(id)
        case .goes(let endpoints): send(id, job, to: found.good.filter { endpoints.contains($0.endpoint.url) })
        }
    }

    private func send(_ id: String, _ job: PushJob, to targets: [PushTarget]) {
        var left = targets.count
        let term = backlog.term
        for target in targets {
            let client = client(of: target.endpoint.service)
            guard let (turns, subject) = backlog.turn(of: id, at: target.endpoint.service) else { return }
            let isTaken = turns.add(subject) { ended in
                guard term == self.backlog.term, self.backlog[id] != nil else { return false }
                guard job.until > EventLoop.wallClock() else {
                    self.leaveOut(id)
                    return false
                }
                self.post(job, target, client) { answer in
                    defer { ended() }
                    guard term == self.backlog.term else { return }
                    self.answered(answer, target, id)
                    left -= 1
                    if left == 0 { self.finish(id) }
                }
                return true
            }
            precondition(isTaken, "each of a person's pushes goes to each of its browsers once at a time")
        }
    }

    private func post(
        _ job: PushJob, _ target: PushTarget, _ client: PushClient, _ completion: @escaping (PushAnswer) -> Void
    ) {
        // It is not too long, and the keys were checked.
        guard let body = target.receiver.encrypt(job.message) else {
            preconditionFailure("a push can't be encrypted")
        }
        let now = EventLoop.wallClock()
        let headers = [
            "TTL: \(max(1, (job.until - now) / 1000))", "Urgency: \(job.urgency)",
            "Content-Encoding: aes128gcm", "Content-Type: application/octet-stream", "Expect:",
            "Authorization: \(voucher.authorization(to: target.endpoint.origin, now: now / 1000))",
        ]
        client.post(target.endpoint.url, headers, body, completion)
    }

    /// Whether the token still counts; of one that has ended, whether it did when the event was told: the phone may have slept.
    private func counts(_ standing: TokenStanding, _ job: PushJob) -> Bool {
        let parts = job.channel.split(separator: ":", maxSplits: 1).map(String.init)
        guard parts.count == 2, let role = Role(rawValue: parts[0]) else { return false }
        return verifier.counts(standing, role, parts[1], now: job.toldAt / 1000)
    }

    private func client(of service: String) -> PushClient {
        if let known = clients[service] { return known }
        let client = PushClient(loop: loop, service: service, authorities: settings.push.ca)
        clients[service] = client
        return client
    }

    private func answered(_ answer: PushAnswer, _ target: PushTarget, _ id: String) {
        guard let job = backlog[id] else { return }
        var again: UInt64?
        let host = target.endpoint.origin
        switch answer.verdict(attempt: job.attempts) {
        case .sent: meter.sent.increment()
        case .gone:
            meter.gone.increment()
            drop(.init(endpoint: target.endpoint.url, kept: target.kept), of: job.channel)
        case .later(let ms):
            meter.retried.increment()
            tell("\(host) takes a push later: \(answer.failure ?? "status \(answer.status)")")
            if EventLoop.wallClock() + ms < job.until {
                again = loop.now + UInt64(ms)
            } else {
                meter.late.increment()
            }
        case .refused:
            meter.failed.increment()
            tell("\(host) refuses a push: status \(answer.status)")
        }
        backlog.answered(id, target.endpoint.url, again: again)
    }

    /// All who were to be asked have answered.
    private func finish(_ id: String) {
        if backlog.finish(id) { takeOut(id) }
    }

    /// A page may have said it anew since it was read: then it stays.
    private func drop(_ gone: PushTarget.Gone, of channel: String) {
        functions.retryUntilDone(
            "push_gone",
            [
                "channel": RedisArgument(channel), "endpoint": RedisArgument(gone.endpoint),
                "kept": RedisArgument(gone.kept),
            ])
    }

    private func tell(_ text: String) {
        if toldAt.count > 100 { toldAt = [:] }
        if let at = toldAt[text], loop.now - at < Self.quietMs { return }
        toldAt[text] = loop.now
        log.warning("\(text)")
    }
}

/// The process that sends pushes: what `kerbside push-sender` does.
public enum PushSenderRun {
    /// Until SIGTERM. Throws when it can't start; the supervisor starts it again.
    public static func run(name: String, data: String) throws {
        try SideProcess.run(PushSender.self, name: name, data: data)
    }
}
