import ClientSupport

/// Readers and publishers of channels. Used on the loop's thread.
final class FanoutLoad {
    private let context: LoadContext
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

    init(_ context: LoadContext, _ configuration: FanoutBench.Configuration) throws(RunError) {
        self.context = context
        self.configuration = configuration
        links = try LoadLinks(loop: context.loop, trust: configuration.trust)
        meter = try LoadMeter(configuration.servers, links)
        pace = LoadPace(context.loop)
        channels = (0..<max(1, configuration.channels)).map { "c\($0)" }
        readersOfChannel = channels.map { _ in 0 }
        publishers = ChannelPublishers(
            links, dialect: configuration.dialect, url: configuration.url, token: configuration.token)
        links.onLive = { [unowned self] client in greet(client) }
        // Held until `shutdown`, see there.
        links.onMessage = { client, payload in self.received(client, payload) }
    }

    func shutdown() {
        pace.close()
        links.shutdown()
    }

    func perform() async throws(RunError) -> LoadResults {
        for reader in 0..<configuration.readers {
            links.add(
                publishers.client(
                    of: reader, role: "passenger", subject: "F\(reader)", channel: channel(of: reader), publishes: false
                ))
            readersOfChannel[reader % channels.count] += 1
        }
        if configuration.rate > 0 { publishers.add(max(1, configuration.publishers), channels: channels) }
        try await context.connect(links, 0..<links.count)
        if configuration.dialect == .kerbside {
            guard await context.wait(seconds: 20, until: { subscribed == configuration.readers }) else {
                throw RunError(
                    "only \(subscribed) of \(configuration.readers) readers could subscribe (\(publishers.failure))")
            }
        }
        // Others don't say when a subscription stands.
        await context.seconds(1)
        if configuration.rate > 0 {
            pace.start(perSecond: configuration.rate, flush: links.flush) { [unowned self] in publish() }
        }
        context.gatherTurns()
        await context.seconds(configuration.warmUpSeconds)
        let asked = configuration.hasFloor && configuration.readers > 0
        let before = asked ? HubSends.read(configuration.url, configuration.dialect) : nil
        var results = await meter.count(context, seconds: configuration.seconds, pace)
        let after = asked ? HubSends.read(configuration.url, configuration.dialect) : nil
        pace.stop()
        if results.deliveries == 0, configuration.readers > 0 {
            throw RunError("nothing was delivered (\(publishers.failure))")
        }
        results.refused = publishers.refused
        if let before, let rate = after?.rate(since: before) {
            links.shutdown()
            results.floor = try await FloorLoad.measure(
                context, rate, sockets: configuration.readers, burst: configuration.readers,
                server: configuration.servers.worker)
        }
        return results
    }

    private func channel(of reader: Int) -> String { channels[reader % channels.count] }

    private func greet(_ client: Int) {
        if client < configuration.readers {
            publishers.send(client, configuration.dialect.subscription(to: channel(of: client)))
        } else {
            publishers.send(client, configuration.dialect.publisherGreeting)
        }
    }

    private func publish() {
        let channel = turn % channels.count
        let envelope = configuration.dialect.envelopeBytes(channel: channels[channel])
        Stamp.message(Monotonic.microseconds, bytes: configuration.bytes - envelope, into: &message)
        publishers.publish(message, channel: channel, turn: turn)
        turn += 1
        guard meter.isCounting else { return }
        meter.results.sent += 1
        meter.results.expected = (meter.results.expected ?? 0) + readersOfChannel[channel]
    }

    private func received(_ client: Int, _ payload: UnsafeRawBufferPointer) {
        if meter.isCounting, client < configuration.readers {
            let arrivedUs = meter.heard(payload)
            Stamp.scan(payload) { sentUs in
                meter.results.deliveries += 1
                meter.results.latency.record(arrivedUs - sentUs)
            }
        }
        if publishers.isReply(payload, client) { subscribed += 1 }
    }
}
