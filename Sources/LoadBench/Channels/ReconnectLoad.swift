import ClientSupport
import EventLoop
import Wire

/// Readers of topics, and one who publishes. Used on the loop's thread.
final class ReconnectLoad {
    private let context: LoadContext
    private let configuration: ReconnectBench.Configuration
    private let links: LoadLinks
    private let meter: LoadMeter
    private let hub: HubClients
    private let prefix = "r" + String(EventLoop.wallClock(), radix: 36)
    /// By topic: where in its history the first event stands, which everybody has seen before the cut.
    private var firstSeq: [String?]
    /// By client: the number of the next event, counted from 0.
    private var next: [Int]
    private var subscribed = 0
    private var published = 0
    private var complete = 0
    private var wrong = 0
    private var gaps = 0
    private var refusal = ""

    init(_ context: LoadContext, _ configuration: ReconnectBench.Configuration) throws(RunError) {
        self.context = context
        self.configuration = configuration
        links = try LoadLinks(loop: context.loop, trust: configuration.trust)
        meter = try LoadMeter(configuration.servers, links)
        hub = HubClients(urls: [configuration.url], token: configuration.token)
        firstSeq = (0..<max(1, configuration.topics)).map { _ in nil }
        next = (0..<configuration.clients).map { _ in 0 }
        links.onLive = { [unowned self] client in greet(client) }
        links.onMessage = { [unowned self] client, payload in received(client, payload) }
    }

    func shutdown() { links.shutdown() }

    func perform() async throws(RunError) -> ReconnectResults {
        let clients = configuration.clients
        for client in 0..<clients { links.add(hub.client(client, role: "passenger", subject: "R\(client)")) }
        links.add(hub.client(clients, role: "operator", subject: "RP"))
        try await context.connect(links, 0..<clients + 1)
        guard await context.wait(seconds: 30, until: { subscribed == clients }) else {
            throw RunError("only \(subscribed) of \(clients) clients could subscribe (\(refusal))")
        }
        try await publish(0, seenBy: { self.next.allSatisfy { $0 == 1 } })

        for client in 0..<clients { links.cut(client) }
        // The hub learns of it.
        await context.seconds(2)
        for number in 1...max(1, configuration.missed) { try await publish(number, seenBy: { true }) }
        return try await comeBack()
    }

    /// One event on every topic.
    private func publish(_ number: Int, seenBy isDone: () -> Bool) async throws(RunError) {
        var message: [UInt8] = []
        for topic in firstSeq.indices {
            Stamp.message(Int64(number), bytes: 0, into: &message)
            links.send(
                configuration.clients,
                text: Array(#"{"id":\#(10 + number),"cmd":"publish","channel":"topic:\#(name(topic))","data":"#.utf8)
                    + message + [UInt8(ascii: "}")])
        }
        let target = (number + 1) * firstSeq.count
        guard await context.wait(seconds: 20, until: { published == target && isDone() }) else {
            throw RunError("only \(published) of \(target) events were published and seen (\(refusal))")
        }
    }

    private func comeBack() async throws(RunError) -> ReconnectResults {
        let clients = configuration.clients
        let begin = meter.read()
        let startUs = Monotonic.microseconds
        var opened = 0
        var greeted: Double?
        var resumed: Double?
        while resumed == nil, Monotonic.microseconds - startUs < 60_000_000 {
            while opened < clients, links.pendingCount < configuration.atOnce {
                try links.reopen(opened, hello: hello(opened))
                opened += 1
            }
            await context.pause.milliseconds(1)
            let seconds = Double(Monotonic.microseconds - startUs) / 1e6
            if greeted == nil, links.liveCount == clients + 1 { greeted = seconds }
            if complete == clients { resumed = seconds }
        }
        var load = meter.results(since: begin)
        // What comes too often comes later.
        await context.seconds(1)
        let due = clients * configuration.missed
        let got = next.reduce(0) { $0 + $1 - 1 }
        load.deliveries = got
        load.sent = firstSeq.count * configuration.missed
        return ReconnectResults(
            greetedSeconds: greeted, resumedSeconds: resumed, due: due, missing: due - got, wrong: wrong, gaps: gaps,
            resumedTLS: links.resumedCount, load: load)
    }

    private func name(_ topic: Int) -> String { "\(prefix)-\(topic)" }

    private func hello(_ client: Int) -> [UInt8] {
        let topic = client % firstSeq.count
        let point = ResumePoint(channel: "topic:" + name(topic), seq: firstSeq[topic] ?? "")
        return ClientMessage(id: 1, command: .session(.hello(token: nil, resume: [point]))).encoded()
    }

    private func greet(_ client: Int) {
        guard client < configuration.clients, next[client] == 0 else { return }
        links.send(
            client, text: Array(#"{"id":2,"cmd":"subscribe","channel":"topic:\#(name(client % firstSeq.count))"}"#.utf8)
        )
    }

    private func received(_ client: Int, _ payload: UnsafeRawBufferPointer) {
        let isReply = ChannelPublishers.isReply(payload) { refusal = $0 }
        guard client < configuration.clients else {
            if isReply { published += 1 }
            return
        }
        guard !isReply else {
            subscribed += 1
            return
        }
        var isEvent = false
        Stamp.scan(payload) { number in
            isEvent = true
            guard number == Int64(next[client]) else {
                wrong += 1
                return
            }
            next[client] += 1
            if next[client] == configuration.missed + 1 { complete += 1 }
        }
        if isEvent {
            let topic = client % firstSeq.count
            guard firstSeq[topic] == nil, case .event(_, let seq, _, _, _)? = try? decodeServer(payload) else { return }
            firstSeq[topic] = seq
        } else if case .gap? = try? decodeServer(payload) {
            gaps += 1
        }
    }
}
