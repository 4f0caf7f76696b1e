import DequeModule
import EventLoop
import Logging
import RedisLink
import Settings
import Telemetry
import Tokens
import WebPush
import Wire

/// Sends what the functions have put into the stream `wakings` to the push services. It has a process of its own: nothing that a push
/// service does, or the library that talks to it, can hold up a worker. Used on its loop's thread.
///
/// Of the senders of all hubs of a city one leads. An entry is taken out of the stream when each of its receivers has answered, or it is of
/// no use any more: so whatever dies, it is sent once at least. A browser shows what it gets twice once, by its `seq`.
final class PushSender: SideTask {
    /// How often it looks, and says that it leads, ms; without a word for so long another one does.
    private static let everyMs: UInt64 = 250
    private static let leadEveryMs: UInt64 = 1_500
    private static let leadMs = 6_000
    /// Entries read at once, and held, with those that wait: a service that is away holds up no other, as there is room for all that the stream
    /// has (waking.lua), 30 MB. The oldest make room for new ones, and of one person's each for the latest.
    private static let atOnce = 100
    private static let mostHeld = 10_000
    private static let mostOfPerson = 20
    /// What is under way to one service: what waits for that has neither a connection nor a time-out yet.
    private static let mostSent = 32
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
    /// By the services of the settings: where it is sent, and whose turn it is there.
    private var lines: [String: (client: PushClient, turns: SubjectTurns)] = [:]
    private let timer: LoopTimer
    private let meter: PushMeter
    private let log: Logger

    /// How often it has begun to lead: what was asked before counts no more.
    private var term = 0
    private var leadsUntil: UInt64 = 0
    private var leadAt: UInt64 = 0
    private var isReading = false
    /// Entries up to here were read.
    private var position = "-"
    /// By the ids of their entries.
    private var jobs: [String: PushJob] = [:]
    /// The ids as they were read, of some that are done, too; and of each person.
    private var order: Deque<String> = []
    private var people: [String: Person] = [:]
    /// Those that wait for their next attempt: when, ms of the loop.
    private var waiting: [String: UInt64] = [:]
    private var toldAt: [String: UInt64] = [:]

    /// Whose channel it is, as long as there is something for it.
    private final class Person {
        var ids: Deque<String> = []
    }

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
        log = HubLog.logger("pushes", settings.log)
        connection = RedisConnection(
            loop: loop, endpoint: try RedisLocation(settings).endpoint, limits: RedisLimits(settings))
        functions = RedisFunctions(
            library: FunctionLibrary(modules: RedisLibrary.modules), connection: connection, keys: keys, log: log)
        timer = LoopTimer(loop)
        meter = PushMeter(name: name, data: settings.data.dir)
    }

    func start() {
        connection.start()
        timer.start(afterMs: 0, repeatMs: Self.everyMs) { [unowned self] in look() }
    }

    func reload(_ fresh: Settings) {
        settings = settings.reloaded(from: fresh)
        do {
            verifier = try TokenVerifier(settings)
        } catch {
            log.error("keys of tokens stay as they were: \(error)")
        }
    }

    func stop() {
        timer.close()
        for line in lines.values { line.client.close() }
        connection.close()
    }

    private var isLeading: Bool { loop.now < leadsUntil }

    private func look() {
        meter.publish()
        guard connection.isUp else { return }
        functions.retryPendingCalls()
        lead()
        guard isLeading else { return }
        let due = waiting.filter { $0.value <= loop.now }
        for id in due.keys.sorted() {
            waiting[id] = nil
            attempt(id)
        }
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
            self.term += 1
            self.isReading = false
            self.position = "-"
            self.jobs = [:]
            self.order = []
            self.people = [:]
            self.waiting = [:]
        }
    }

    // MARK: the stream

    private func read() {
        guard !isReading else { return }
        isReading = true
        let term = term
        let from = position == "-" ? "-" : "(" + position
        var length: Int64 = 0
        connection.send(["XLEN", RedisArgument(keys.wakings)]) { result in
            if case .success(let reply) = result { length = reply.int ?? 0 }
        }
        connection.send([
            "XRANGE", RedisArgument(keys.wakings), RedisArgument(from), "+", "COUNT", RedisArgument(Self.atOnce),
        ]) { result in
            guard term == self.term else { return }
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
        guard jobs[id] == nil else { return }
        guard let job = PushJob(entry) else {
            tell("an entry of \(keys.wakings) is no push, and is taken out")
            return remove(id)
        }
        jobs[id] = job
        order.append(id)
        let person = people[job.channel] ?? Person()
        people[job.channel] = person
        person.ids.append(id)
        if person.ids.count > Self.mostOfPerson { remove(person.ids[0]) }
        while jobs.count > Self.mostHeld { leaveOut(order.removeFirst()) }
        if order.count > 2 * Self.mostHeld { order.removeAll { jobs[$0] == nil } }
        attempt(id)
    }

    private func leaveOut(_ id: String) {
        guard jobs[id] != nil else { return }
        meter.late.increment()
        remove(id)
    }

    private func remove(_ id: String) {
        if let channel = jobs.removeValue(forKey: id)?.channel, let person = people[channel] {
            person.ids.removeAll { $0 == id }
            if person.ids.isEmpty { people[channel] = nil }
        }
        waiting[id] = nil
        functions.retryUntilDone("push_done", ["id": RedisArgument(id)])
    }

    // MARK: sending

    private func attempt(_ id: String) {
        guard let job = jobs[id] else { return }
        guard job.until > EventLoop.wallClock() else { return leaveOut(id) }
        functions.call("push_targets", ["channel": RedisArgument(job.channel)]) { result in
            guard self.jobs[id] != nil, self.isLeading else { return }
            switch result {
            case .success(let reply): self.send(id, reply)
            case .failure(let failure):
                if case .server(let text) = failure { self.tell("push_targets failed: \(text)") }
                self.waiting[id] = self.loop.now + 1_000
            }
        }
    }

    private func send(_ id: String, _ reply: RedisReply) {
        guard var job = jobs[id], let person = people[job.channel] else { return }
        let found = PushTarget.read(reply, services: settings.push.services) { counts($0, job) }
        // The setting was changed since, or the token has ended, or was revoked; or it was said to a hub that kept nothing of tokens.
        for endpoint in found.bad { drop(endpoint, of: job.channel) }
        if !found.bad.isEmpty { tell("subscriptions are taken out that were said with tokens that count no more") }
        let now = EventLoop.wallClock()
        let open = found.good.filter { !job.done.contains($0.endpoint.url) }
        guard !open.isEmpty else { return remove(id) }
        let targets = open.filter { job.due[$0.endpoint.url] ?? 0 <= now }
        guard !targets.isEmpty else { return finish(id) }
        job.attempts += 1
        jobs[id] = job
        var left = targets.count
        let term = term
        for target in targets {
            let line = line(to: target.endpoint.service)
            let isTaken = line.turns.add(person) { ended in
                guard term == self.term, self.jobs[id] != nil else { return false }
                guard job.until > EventLoop.wallClock() else {
                    self.leaveOut(id)
                    return false
                }
                self.post(job, target, line.client) { answer in
                    defer { ended() }
                    guard term == self.term else { return }
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

    private func line(to service: String) -> (client: PushClient, turns: SubjectTurns) {
        if let known = lines[service] { return known }
        let client = PushClient(loop: loop, service: service, authorities: settings.push.ca)
        let made = (client, SubjectTurns(most: Self.mostSent, mostOfSubject: .max))
        lines[service] = made
        return made
    }

    private func answered(_ answer: PushAnswer, _ target: PushTarget, _ id: String) {
        guard let job = jobs[id] else { return }
        jobs[id]?.due[target.endpoint.url] = nil
        let host = target.endpoint.origin
        switch answer.verdict(attempt: job.attempts) {
        case .sent: meter.sent.increment()
        case .gone:
            meter.gone.increment()
            drop(target.endpoint.url, of: job.channel)
        case .later(let ms):
            meter.retried.increment()
            tell("\(host) takes a push later: \(answer.failure ?? "status \(answer.status)")")
            let due = EventLoop.wallClock() + ms
            guard due >= job.until else {
                jobs[id]?.due[target.endpoint.url] = due
                return
            }
            meter.late.increment()
        case .refused:
            meter.failed.increment()
            tell("\(host) refuses a push: status \(answer.status)")
        }
        jobs[id]?.done.insert(target.endpoint.url)
    }

    /// All who were to be asked have answered: it waits for the first that has put it off.
    private func finish(_ id: String) {
        guard let job = jobs[id] else { return }
        guard let due = job.due.values.min() else { return remove(id) }
        waiting[id] = loop.now + UInt64(max(1, due - EventLoop.wallClock()))
    }

    private func drop(_ endpoint: String, of channel: String) {
        functions.retryUntilDone(
            "push_gone", ["channel": RedisArgument(channel), "endpoint": RedisArgument(endpoint)])
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
