import EventLoop
public import WebSocketServer
import Wire

/// All links of a hub are cut at once, as when a network comes back: how soon everybody has resumed, and that nothing was
/// lost.
public struct ReconnectBench: Sendable {
    public struct Configuration: Sendable {
        public var url: String
        /// Whose certificates are believed, for wss:// URLs.
        public var trust = ClientTrust.system
        public var token: @Sendable (_ role: String, _ subject: String) -> String
        public var clients = 18_000
        /// Topics that they read, one each.
        public var topics = 100
        /// Events on each topic while everybody is away.
        public var missed = 5
        /// Connections that are opened at a time.
        public var atOnce = 400
        public var servers: [ServerProcess] = []
        public var isJSON = false

        public init(url: String, token: @escaping @Sendable (_ role: String, _ subject: String) -> String) {
            self.url = url
            self.token = token
        }
    }

    private let configuration: Configuration

    public init(_ configuration: Configuration) { self.configuration = configuration }

    /// Measures and prints. 0: measured. 2: it could not be; standard error says why.
    public func run() -> Int32 {
        LoadReport.print(isJSON: configuration.isJSON) { () throws(ReplayError) in report(try measure()) }
    }

    /// The same without a word, for those who judge the figures themselves.
    public func measure() throws(ReplayError) -> ReconnectFigures {
        let configuration = configuration
        return try LoadStage.run { stage throws(ReplayError) in
            let load = try ReconnectLoad(stage, configuration)
            defer { load.shutdown() }
            return try await load.perform()
        }
    }

    private func report(_ figures: ReconnectFigures) -> LoadReport {
        var table = TextTable()
        table.add(
            "reconnect",
            "\(configuration.clients) clients, \(configuration.missed) events missed by each, \(configuration.topics) topics"
        )
        table.add("cut → all greeted again", figures.greetedSeconds.map { "\(LoadFigures.two($0)) s" } ?? "never")
        table.add(
            "cut → all have what they missed", figures.resumedSeconds.map { "\(LoadFigures.two($0)) s" } ?? "never")
        table.add("events that were due", figures.due)
        table.add("missing", figures.missing)
        table.add("twice or out of order", figures.wrong)
        table.add("gaps", figures.gaps)
        table.gap()
        let load = figures.load
        for use in load.servers {
            table.add("CPU seconds of \(use.name)", use.cpu.map { LoadFigures.two($0) } ?? "gone")
        }
        for use in load.servers {
            table.add(
                "memory of \(use.name)", "\(use.memoryBefore >> 10) KiB before, \(use.memoryAfter >> 10) KiB at the end"
            )
        }
        table.add("links lost", load.lost)
        table.add("CPU of these clients", LoadFigures.percent(load.ownCPU / load.seconds))
        func number(_ value: Int) -> JSONValue { .number(Double(value)) }
        return LoadReport(
            name: "reconnect", table: table, figures: load,
            more: [
                "clients": number(configuration.clients),
                "greeted_seconds": figures.greetedSeconds.map { .number($0) } ?? .null,
                "resumed_seconds": figures.resumedSeconds.map { .number($0) } ?? .null, "due": number(figures.due),
                "missing": number(figures.missing), "wrong": number(figures.wrong), "gaps": number(figures.gaps),
            ])
    }
}

/// The figures of the reconnect benchmark.
public struct ReconnectFigures: Sendable {
    /// From the cut until every client was greeted, and until every client had every event; nil: that did not happen.
    public var greetedSeconds: Double?
    public var resumedSeconds: Double?
    /// Events that were published while everybody was away, once for each who had to get it.
    public var due: Int
    public var missing: Int
    public var wrong: Int
    public var gaps: Int
    public var load: LoadFigures
}

/// Readers of topics, and one who publishes. Used on the loop's thread.
final class ReconnectLoad {
    private let stage: LoadStage
    private let configuration: ReconnectBench.Configuration
    private let links: LoadLinks
    private let meter: LoadMeter
    private let hub: HubSeats
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

    init(_ stage: LoadStage, _ configuration: ReconnectBench.Configuration) throws(ReplayError) {
        self.stage = stage
        self.configuration = configuration
        links = try LoadLinks(loop: stage.loop, trust: configuration.trust)
        meter = try LoadMeter(configuration.servers, links)
        hub = HubSeats(urls: [configuration.url], token: configuration.token)
        firstSeq = (0..<max(1, configuration.topics)).map { _ in nil }
        next = (0..<configuration.clients).map { _ in 0 }
        links.onLive = { [unowned self] seat in greet(seat) }
        links.onMessage = { [unowned self] seat, payload in received(seat, payload) }
    }

    func shutdown() { links.shutdown() }

    func perform() async throws(ReplayError) -> ReconnectFigures {
        let clients = configuration.clients
        for client in 0..<clients { links.add(hub.seat(client, role: "passenger", subject: "R\(client)")) }
        links.add(hub.seat(clients, role: "operator", subject: "RP"))
        try await stage.connect(links, 0..<clients + 1)
        guard await stage.wait(seconds: 30, until: { subscribed == clients }) else {
            throw ReplayError("only \(subscribed) of \(clients) clients could subscribe (\(refusal))")
        }
        try await publish(0, seenBy: { self.next.allSatisfy { $0 == 1 } })

        for client in 0..<clients { links.cut(client) }
        // The hub learns of it.
        await stage.seconds(2)
        for number in 1...max(1, configuration.missed) { try await publish(number, seenBy: { true }) }
        return try await comeBack()
    }

    /// One event on every topic.
    private func publish(_ number: Int, seenBy isDone: () -> Bool) async throws(ReplayError) {
        var message: [UInt8] = []
        for topic in firstSeq.indices {
            Stamp.message(Int64(number), bytes: 0, into: &message)
            links.send(
                configuration.clients,
                text: Array(#"{"id":\#(10 + number),"cmd":"publish","channel":"topic:\#(name(topic))","data":"#.utf8)
                    + message + [UInt8(ascii: "}")])
        }
        let target = (number + 1) * firstSeq.count
        guard await stage.wait(seconds: 20, until: { published == target && isDone() }) else {
            throw ReplayError("only \(published) of \(target) events were published and seen (\(refusal))")
        }
    }

    private func comeBack() async throws(ReplayError) -> ReconnectFigures {
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
            await stage.pause.milliseconds(1)
            let seconds = Double(Monotonic.microseconds - startUs) / 1e6
            if greeted == nil, links.liveCount == clients + 1 { greeted = seconds }
            if complete == clients { resumed = seconds }
        }
        var load = meter.figures(since: begin)
        // What comes too often comes later.
        await stage.seconds(1)
        let due = clients * configuration.missed
        let got = next.reduce(0) { $0 + $1 - 1 }
        load.deliveries = got
        load.sent = firstSeq.count * configuration.missed
        return ReconnectFigures(
            greetedSeconds: greeted, resumedSeconds: resumed, due: due, missing: due - got, wrong: wrong, gaps: gaps,
            load: load)
    }

    private func name(_ topic: Int) -> String { "\(prefix)-\(topic)" }

    private func hello(_ client: Int) -> [UInt8] {
        let topic = client % firstSeq.count
        let point = (channel: "topic:" + name(topic), seq: firstSeq[topic] ?? "")
        return ClientMessage(id: 1, command: .hello(token: nil, resume: [point])).encoded()
    }

    private func greet(_ seat: Int) {
        guard seat < configuration.clients, next[seat] == 0 else { return }
        links.send(
            seat, text: Array(#"{"id":2,"cmd":"subscribe","channel":"topic:\#(name(seat % firstSeq.count))"}"#.utf8))
    }

    private func received(_ seat: Int, _ payload: UnsafeRawBufferPointer) {
        let isReply = ChannelPublishers.isReply(payload) { refusal = $0 }
        guard seat < configuration.clients else {
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
            guard number == Int64(next[seat]) else {
                wrong += 1
                return
            }
            next[seat] += 1
            if next[seat] == configuration.missed + 1 { complete += 1 }
        }
        if isEvent {
            let topic = seat % firstSeq.count
            guard firstSeq[topic] == nil, case .event(_, let seq, _, _, _)? = try? decodeServer(payload) else { return }
            firstSeq[topic] = seq
        } else if case .gap? = try? decodeServer(payload) {
            gaps += 1
        }
    }
}
