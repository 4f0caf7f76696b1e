import ClientSupport

/// Drivers that send more than drivers do. Used on the loop's thread.
final class IngestLoad {
    private let context: LoadContext
    private let configuration: IngestBench.Configuration
    private let links: LoadLinks
    private let meter: LoadMeter
    private let pace: LoadPace
    private let fleet: DriverClients
    private let drivers: [CirclingVehicle]
    private var lastAtMs: [Int64]
    private var turn = 0
    private var heldBack = 0
    /// More than this is not queued for a hub that does not read.
    private static let queueBytes = 65_536

    init(_ context: LoadContext, _ configuration: IngestBench.Configuration) throws(RunError) {
        self.context = context
        self.configuration = configuration
        links = try LoadLinks(loop: context.loop, trust: configuration.trust)
        meter = try LoadMeter(configuration.servers, links)
        pace = LoadPace(context.loop)
        drivers = try BenchCity(configuration.zones, geoJSON: configuration.zonesGeoJSON).vehicles(
            configuration.drivers)
        lastAtMs = drivers.map { _ in 0 }
        fleet = DriverClients(links, HubClients(urls: [configuration.url], token: configuration.token))
        links.onMessage = { [unowned self] _, payload in fleet.heard(payload) }
    }

    func shutdown() {
        pace.close()
        links.shutdown()
    }

    func perform() async throws(RunError) -> IngestResults {
        fleet.add(drivers)
        try await context.connect(links, fleet.clients)
        try await fleet.goAvailable(context)
        await context.seconds(1)
        let writes = configuration.rate / Double(max(1, configuration.perWrite))
        pace.start(perSecond: writes, flush: links.flush) { [unowned self] in write() }
        await context.seconds(configuration.warmUpSeconds)
        let before = try counters()
        var results = await meter.count(context, seconds: configuration.seconds, pace)
        let after = try counters()
        pace.stop()
        results.refused = fleet.refused
        let seconds = Double(after.us - before.us) / 1e6
        return IngestResults(
            acceptedPerSecond: (after.accepted - before.accepted) / seconds,
            ignoredPerSecond: (after.ignored - before.ignored) / seconds, heldBack: heldBack, load: results)
    }

    private func counters() throws(RunError) -> (us: Int64, accepted: Double, ignored: Double) {
        let counters = try HubCounters(url: configuration.url)
        let ignored = counters["kerbside_positions_ignored_total"]
        return (Monotonic.microseconds, counters["kerbside_positions_received_total"] - ignored, ignored)
    }

    /// One driver's next positions, measured since it sent the last ones.
    private func write() {
        let driver = turn % drivers.count
        turn += 1
        let count = Int64(configuration.perWrite)
        let nowMs = links.hubMs(Monotonic.microseconds)
        let step = min(1000, (nowMs - lastAtMs[driver]) / count)
        guard step > 0, links.bytesQueued(fleet.clients.lowerBound + driver) < Self.queueBytes else {
            if meter.isCounting { heldBack += configuration.perWrite }
            return
        }
        for index in 0..<count {
            fleet.send(driver, drivers[driver].fix(atMs: nowMs - (count - 1 - index) * step))
        }
        lastAtMs[driver] = nowMs
        if meter.isCounting { meter.results.sent += configuration.perWrite }
    }
}
