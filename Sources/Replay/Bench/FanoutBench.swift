public import WebSocketServer
import Wire

/// Many read what few publish: what one delivery costs a hub, or a peer.
///
/// A delivery is one message at one reader. Each message carries the time at which it was sent.
public struct FanoutBench: Sendable {
    public struct Configuration: Sendable {
        /// A hub's WebSocket address; a peer's without a path.
        public var url: String
        public var dialect = LoadDialect.kerbside
        /// Whose certificates are believed, for wss:// URLs.
        public var trust = ClientTrust.system
        public var token: @Sendable (_ role: String, _ subject: String) -> String
        /// None: this one only publishes, for another that reads.
        public var readers = 1000
        public var channels = 1
        public var publishers = 1
        /// Messages a second, all channels together. 0: this one only reads what another publishes.
        public var rate = 500.0
        /// Bytes of a message. At a hub they are the whole message with its envelope, as far as that leaves room; the
        /// least is some 112.
        public var bytes = 100
        public var warmUpSeconds = 2.0
        public var seconds = 10.0
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
    public func measure() throws(ReplayError) -> LoadFigures {
        let configuration = configuration
        return try LoadStage.run { stage throws(ReplayError) in
            let load = try FanoutLoad(stage, configuration)
            defer { load.shutdown() }
            return try await load.perform()
        }
    }

    private func report(_ figures: LoadFigures) -> LoadReport {
        var table = TextTable()
        table.add(
            "fanout",
            "\(configuration.readers) readers, \(configuration.channels) channels, \(configuration.publishers) publishers, \(configuration.dialect.rawValue)"
        )
        figures.add(to: &table, sent: "messages published", delivered: "deliveries")
        return LoadReport(
            name: "fanout", table: table, figures: figures, more: ["dialect": .string(configuration.dialect.rawValue)])
    }
}

/// Readers and publishers of channels. Used on the loop's thread.
final class FanoutLoad {
    private let stage: LoadStage
    private let configuration: FanoutBench.Configuration
    private let links: LoadLinks
    private let meter: LoadMeter
    private let pace: LoadPace
    private let channels: [String]
    private let publishers: ChannelPublishers
    private var readersOfChannel: [Int]
    private var subscribed = 0
    private var turn = 0
    private var message: [UInt8] = []

    init(_ stage: LoadStage, _ configuration: FanoutBench.Configuration) throws(ReplayError) {
        self.stage = stage
        self.configuration = configuration
        links = try LoadLinks(loop: stage.loop, trust: configuration.trust)
        meter = try LoadMeter(configuration.servers, links)
        pace = LoadPace(stage.loop)
        channels = (0..<max(1, configuration.channels)).map { "c\($0)" }
        readersOfChannel = channels.map { _ in 0 }
        publishers = ChannelPublishers(
            links, dialect: configuration.dialect, url: configuration.url, token: configuration.token)
        links.onLive = { [unowned self] seat in greet(seat) }
        // Held until `shutdown`, see there.
        links.onMessage = { seat, payload in self.received(seat, payload) }
    }

    func shutdown() {
        pace.close()
        links.shutdown()
    }

    func perform() async throws(ReplayError) -> LoadFigures {
        for reader in 0..<configuration.readers {
            links.add(
                publishers.seat(
                    of: reader, role: "passenger", subject: "F\(reader)", channel: channel(of: reader), publishes: false
                ))
            readersOfChannel[reader % channels.count] += 1
        }
        if configuration.rate > 0 { publishers.add(max(1, configuration.publishers), channels: channels) }
        try await stage.connect(links, 0..<links.count)
        if configuration.dialect == .kerbside {
            guard await stage.wait(seconds: 20, until: { subscribed == configuration.readers }) else {
                throw ReplayError(
                    "only \(subscribed) of \(configuration.readers) readers could subscribe (\(publishers.failure))")
            }
        }
        // Others don't say when a subscription stands.
        await stage.seconds(1)
        if configuration.rate > 0 {
            pace.start(perSecond: configuration.rate, flush: links.flush) { [unowned self] in publish() }
        }
        stage.gatherTurns()
        await stage.seconds(configuration.warmUpSeconds)
        var figures = await meter.count(stage, seconds: configuration.seconds, pace)
        pace.stop()
        if figures.deliveries == 0, configuration.readers > 0 {
            throw ReplayError("nothing was delivered (\(publishers.failure))")
        }
        figures.refused = publishers.refused
        return figures
    }

    private func channel(of reader: Int) -> String { channels[reader % channels.count] }

    private func greet(_ seat: Int) {
        if seat < configuration.readers {
            publishers.send(seat, configuration.dialect.subscription(to: channel(of: seat)))
        } else {
            publishers.send(seat, configuration.dialect.publisherGreeting)
        }
    }

    private func publish() {
        let channel = turn % channels.count
        let envelope = configuration.dialect.envelopeBytes(channel: channels[channel])
        Stamp.message(Monotonic.microseconds, bytes: configuration.bytes - envelope, into: &message)
        publishers.publish(message, channel: channel, turn: turn)
        turn += 1
        guard meter.isCounting else { return }
        meter.figures.sent += 1
        meter.figures.expected = (meter.figures.expected ?? 0) + readersOfChannel[channel]
    }

    private func received(_ seat: Int, _ payload: UnsafeRawBufferPointer) {
        if meter.isCounting, seat < configuration.readers {
            let arrivedUs = meter.heard(payload)
            Stamp.scan(payload) { sentUs in
                meter.figures.deliveries += 1
                meter.figures.latency.record(arrivedUs - sentUs)
            }
        }
        if publishers.isReply(payload, seat) { subscribed += 1 }
    }
}

/// The connections that publish on channels, in any dialect.
final class ChannelPublishers {
    private let links: LoadLinks
    private let dialect: LoadDialect
    private let url: String
    private let hub: HubSeats
    private var first = 0
    private var count = 0
    private var channels: [String] = []
    private var frame: [UInt8] = []
    /// Commands that a hub refused.
    private(set) var refused = 0
    private var lastRefusal = ""

    init(
        _ links: LoadLinks, dialect: LoadDialect, url: String,
        token: @escaping @Sendable (_ role: String, _ subject: String) -> String
    ) {
        self.links = links
        self.dialect = dialect
        self.url = url
        hub = HubSeats(urls: [url], token: token)
    }

    var failure: String { lastRefusal.isEmpty ? links.failure : lastRefusal }

    func seat(of number: Int, role: String, subject: String, channel: String, publishes: Bool) -> LoadLinks.Seat {
        if dialect == .kerbside { return hub.seat(number, role: role, subject: subject) }
        return LoadLinks.Seat(
            url: dialect.url(url, channel: channel, publishes: publishes),
            source: LoopbackSource.address(of: number, urls: [url]))
    }

    /// Adds their seats; where the connection binds to a channel, one for each.
    func add(_ wanted: Int, channels: [String]) {
        self.channels = channels
        first = links.count
        count = dialect.bindsPublishers ? channels.count : wanted
        for index in 0..<count {
            links.add(
                seat(
                    of: first + index, role: "operator", subject: "P\(index)",
                    channel: channels[index % channels.count], publishes: true))
        }
    }

    func publish(_ message: [UInt8], channel: Int, turn: Int) {
        dialect.write(message, to: channels[channel], into: &frame)
        send(first + (dialect.bindsPublishers ? channel : turn % count), frame)
    }

    func send(_ seat: Int, _ payload: [UInt8]?) {
        guard let payload else { return }
        if dialect.isBinary { links.send(seat, binary: payload) } else { links.send(seat, text: payload) }
    }

    /// Whether it is the reply to a command with an id; refusals are counted, and what a server asks is answered.
    func isReply(_ payload: UnsafeRawBufferPointer, _ seat: Int) -> Bool {
        if let answer = dialect.answer(to: payload) { send(seat, answer) }
        guard dialect == .kerbside else { return false }
        return Self.isReply(payload) { detail in
            refused += 1
            lastRefusal = detail
        }
    }

    /// Whether a hub's message is a reply; refusals go to the closure.
    static func isReply(_ payload: UnsafeRawBufferPointer, refused: (String) -> Void) -> Bool {
        // {"id":… and {"error":…; events and states begin with {"ch":
        guard payload.count > 4, payload[2] == UInt8(ascii: "i") || payload[2] == UInt8(ascii: "e") else {
            return false
        }
        switch try? decodeServer(payload) {
        case .reply?: return true
        case .error(_, let code, let detail, _)?: refused("\(code.rawValue): \(detail)")
        default: break
        }
        return false
    }
}
