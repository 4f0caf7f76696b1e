import ClientSupport
import Wire

/// The driver and the watchers. Used on the loop's thread.
final class SeatsLoad {
    /// After the last change it is waited so long for those who have not got it, s.
    private static let restSeconds = 1.0
    private static let driverReply: Int64 = 3

    private let context: LoadContext
    private let configuration: SeatsBench.Configuration
    private let links: LoadLinks
    private let meter: LoadMeter
    private let pace: LoadPace
    private let hub: HubClients
    private let channel: String
    private var subscribed = 0
    private var isOnTour = false
    private var lastRefusal = ""
    private var refused = 0
    /// Changes so far, and which of them each watcher got last.
    private var changes = 0
    private var seen: [Int]
    /// Of each number of seats, the last change to it: its number, when it was sent, whether it counts.
    private var sent = [Change?](repeating: nil, count: SeatScan.mostSeats + 1)

    private struct Change {
        var number: Int
        var atUs: Int64
        var counts: Bool
    }

    init(_ context: LoadContext, _ configuration: SeatsBench.Configuration) throws(RunError) {
        self.context = context
        self.configuration = configuration
        links = try LoadLinks(loop: context.loop, trust: configuration.trust)
        meter = try LoadMeter(configuration.servers, links)
        pace = LoadPace(context.loop)
        hub = HubClients(urls: [configuration.url], token: configuration.token)
        channel = "line:" + configuration.line
        seen = Array(repeating: 0, count: configuration.watchers)
        links.onLive = { [unowned self] client in greet(client) }
        links.onMessage = { [unowned self] client, payload in received(client, payload) }
    }

    func shutdown() {
        pace.close()
        links.shutdown()
    }

    private var driver: Int { configuration.watchers }
    private var failure: String { lastRefusal.isEmpty ? links.failure : lastRefusal }

    func perform() async throws(RunError) -> LoadResults {
        for watcher in 0..<configuration.watchers {
            links.add(hub.client(watcher, role: "passenger", subject: "W\(watcher)"))
        }
        links.add(hub.client(driver, role: "bus_driver", subject: "seats-bench"))
        try await context.connect(links, 0..<links.count)
        guard await context.wait(seconds: 20, until: { isOnTour && subscribed == configuration.watchers }) else {
            throw RunError(
                isOnTour
                    ? "only \(subscribed) of \(configuration.watchers) watchers could subscribe to \(channel) (\(failure))"
                    : "the tour with bus \(configuration.bus) on line \(configuration.line) could not begin (\(failure))"
            )
        }
        await context.seconds(1)
        pace.start(perSecond: configuration.rate, flush: links.flush) { [unowned self] in change() }
        await context.seconds(configuration.warmUpSeconds)
        let wanted = Int((configuration.rate * configuration.seconds).rounded())
        last = changes + wanted
        var results = await meter.count(context, seconds: configuration.seconds + Self.restSeconds, pace)
        pace.stop()
        links.send(driver, text: ClientMessage(command: .tours(.tourEnd(tour: nil))).encoded())
        if results.deliveries == 0 { throw RunError("no change reached anybody (\(failure))") }
        results.refused = refused
        // Nothing was changed while it was waited.
        results.seconds -= Self.restSeconds
        return results
    }

    /// Behind this change none is made any more.
    private var last = Int.max

    private func greet(_ client: Int) {
        let command: Command =
            client == driver
            ? .tours(.tourStart(bus: configuration.bus, line: configuration.line, pattern: nil, trip: nil))
            : .channels(.subscribe(channel: channel, options: FeedOptions(), since: nil))
        links.send(client, text: ClientMessage(id: Self.driverReply, command: command).encoded())
    }

    private func change() {
        guard changes < last else { return }
        changes += 1
        let taken = changes % (SeatScan.mostSeats + 1)
        sent[taken] = Change(number: changes, atUs: Monotonic.microseconds, counts: meter.isCounting)
        links.send(driver, text: ClientMessage(command: .seats(.seatsSet(taken: taken, reason: nil))).encoded())
        guard meter.isCounting else { return }
        meter.results.sent += 1
        meter.results.expected = (meter.results.expected ?? 0) + configuration.watchers
    }

    private func received(_ client: Int, _ payload: UnsafeRawBufferPointer) {
        if client < configuration.watchers, let taken = SeatScan.taken(in: payload) {
            guard let change = sent[taken], change.number > seen[client] else { return }
            seen[client] = change.number
            guard meter.isCounting, change.counts else { return }
            let arrivedUs = meter.heard(payload)
            meter.results.deliveries += 1
            meter.results.latency.record(arrivedUs - change.atUs)
            return
        }
        let isReply = ChannelPublishers.isReply(payload) { detail in
            refused += 1
            lastRefusal = detail
        }
        guard isReply else { return }
        if client == driver { isOnTour = true } else { subscribed += 1 }
    }
}
