import ClientSupport
import EventLoop
import RedisLink
import Wire

/// One that reads the past, then those that follow what happens; and the log's writer. Used on the loop's thread.
final class EventsLoad {
    private let context: LoadContext
    private let configuration: EventsBench.Configuration
    private let links: LoadLinks
    private let meter: LoadMeter
    private let pace: LoadPace
    private let hub: HubClients
    private let redis: RedisConnection
    private var refused = 0
    private var failure = ""
    private var subscribed = 0

    /// The client that reads the past; the others follow.
    private static let reader = 0
    private var past = EventsBench.PastResults()
    /// The number of the event that was read last: those of the past are numbered from 1, and those that happen have their time.
    private var lastRead: Int64 = 0
    /// Appended and not answered yet.
    private var appending = 0
    private var lost = 0

    init(_ context: LoadContext, _ configuration: EventsBench.Configuration) throws(RunError) {
        self.context = context
        self.configuration = configuration
        links = try LoadLinks(loop: context.loop, trust: configuration.trust)
        meter = try LoadMeter(configuration.servers, links)
        pace = LoadPace(context.loop)
        hub = HubClients(urls: [configuration.url], token: configuration.token)
        redis = RedisConnection(loop: context.loop, endpoint: configuration.redis, limits: RedisLimits())
        links.onLive = { [unowned self] client in subscribe(client) }
        // Held until `shutdown`, see there.
        links.onMessage = { client, payload in self.received(client, payload) }
    }

    func shutdown() {
        pace.close()
        links.shutdown()
        redis.close()
    }

    func perform() async throws(RunError) -> (past: EventsBench.PastResults?, live: LoadResults?) {
        redis.start()
        guard await context.wait(seconds: 10, until: { redis.isUp }) else {
            throw RunError("Redis can't be reached: \(redis.lastFailure ?? "no answer")")
        }
        let past = configuration.past > 0 ? try await readPast() : nil
        let live = configuration.rate > 0 && configuration.followers > 0 ? try await follow() : nil
        return (past, live)
    }

    // MARK: the past

    private func readPast() async throws(RunError) -> EventsBench.PastResults {
        try await fill()
        let before = configuration.servers.map { ProcessUsage.residentBytes(of: $0.pid) ?? 0 }
        let cpu = configuration.servers.map { ProcessUsage.cpu(of: $0.pid) ?? 0 }
        past.servers = configuration.servers.indices.map { (configuration.servers[$0].name, 0, before[$0], before[$0]) }
        let (began, own) = (Monotonic.microseconds, ProcessUsage.own)
        links.add(hub.client(Self.reader, role: "service", subject: "bench-past"))
        try await context.connect(links, 0..<1)
        var seen = 0
        var idleSince = Monotonic.milliseconds
        while past.events < configuration.past {
            await context.pause.milliseconds(50)
            for (index, server) in configuration.servers.enumerated() {
                let bytes = ProcessUsage.residentBytes(of: server.pid) ?? 0
                past.servers[index].most = max(past.servers[index].most, bytes)
            }
            if past.events > seen { (seen, idleSince) = (past.events, Monotonic.milliseconds) }
            guard links.lostCount == 0, Monotonic.milliseconds - idleSince < 20_000 else {
                throw RunError("only \(past.events) of \(configuration.past) events came (\(failure)\(links.failure))")
            }
        }
        past.seconds = Double(Monotonic.microseconds - began) / 1e6
        past.ownCPU = ProcessUsage.own - own
        for (index, server) in configuration.servers.enumerated() {
            past.servers[index].cpu = (ProcessUsage.cpu(of: server.pid) ?? 0) - cpu[index]
        }
        links.cut(Self.reader)
        return past
    }

    /// The log of a long day.
    private func fill() async throws(RunError) {
        for number in 1...Int64(configuration.past) {
            append(number)
            // Redis is given as much as it takes in some 10 ms.
            if appending >= 2_000 {
                guard await context.wait(seconds: 20, until: { appending < 500 }) else {
                    throw RunError("Redis takes no more events")
                }
            }
        }
        guard await context.wait(seconds: 20, until: { appending == 0 }), lost == 0 else {
            throw RunError("\(lost + appending) events could not be appended to the log")
        }
    }

    /// An offer, with a number.
    private func append(_ number: Int64) {
        let digits = String(number)
        let stamp = String(repeating: "0", count: Stamp.digits - digits.utf8.count) + digits
        let data =
            #"{"ride":"r_8Qz4kT1vB2nM","zone":"14","driver":"T345","round":1,"attempt":1,"reason":"@\#(stamp)"}"#
        appending += 1
        redis.send([
            "XADD", RedisArgument(configuration.log), "*", "type", "offer.made", "time",
            RedisArgument(links.hubMs(Monotonic.microseconds)), "data", RedisArgument(data),
        ]) { [weak self] result in
            guard let self else { return }
            appending -= 1
            if case .failure(let reason) = result {
                lost += 1
                failure = "\(reason) "
            }
        }
    }

    // MARK: what happens

    private func follow() async throws(RunError) -> LoadResults {
        let first = links.count
        for number in 0..<configuration.followers {
            links.add(hub.client(first + number, role: "service", subject: "bench-\(number)"))
        }
        subscribed = 0
        try await context.connect(links, first..<links.count)
        guard await context.wait(seconds: 20, until: { subscribed == configuration.followers }) else {
            let why = failure.isEmpty ? links.failure : failure
            throw RunError("only \(subscribed) of \(configuration.followers) could subscribe (\(why))")
        }
        let nothing = {}
        pace.start(perSecond: configuration.rate, flush: nothing) { [unowned self] in happen() }
        context.gatherTurns()
        await context.seconds(configuration.warmUpSeconds)
        var results = await meter.count(context, seconds: configuration.seconds, pace)
        pace.stop()
        guard results.deliveries > 0 else { throw RunError("nothing was delivered (\(failure)\(links.failure))") }
        results.refused = refused
        return results
    }

    private func happen() {
        append(Monotonic.microseconds)
        guard meter.isCounting else { return }
        meter.results.sent += 1
        meter.results.expected = (meter.results.expected ?? 0) + configuration.followers
    }

    // MARK: clients

    private func subscribe(_ client: Int) {
        let isReader = configuration.past > 0 && client == Self.reader
        let command = Command.channels(
            .subscribe(channel: "events:>", options: FeedOptions(), since: isReader ? "0" : nil))
        links.send(client, text: ClientMessage(id: 2, command: command).encoded())
    }

    private func received(_ client: Int, _ payload: UnsafeRawBufferPointer) {
        if configuration.past > 0, client == Self.reader {
            past.bytes += payload.count
            Stamp.scan(payload) { number in
                past.events += 1
                if number != lastRead + 1 { past.outOfOrder += 1 }
                lastRead = number
            }
            return isReply(payload)
        }
        guard meter.isCounting else { return isReply(payload) }
        let arrivedUs = meter.heard(payload)
        Stamp.scan(payload) { sentUs in
            meter.results.deliveries += 1
            meter.results.latency.record(arrivedUs - sentUs)
        }
    }

    private func isReply(_ payload: UnsafeRawBufferPointer) {
        let isReply = ChannelPublishers.isReply(payload) { detail in
            refused += 1
            failure = detail + " "
        }
        if isReply { subscribed += 1 }
    }
}
