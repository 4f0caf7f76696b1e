public import Domain
public import WebSocketServer
import Wire

/// How many positions a hub takes in: read, filtered, held against zones, and left in Redis.
public struct IngestBench: Sendable {
    public struct Configuration: Sendable {
        /// A hub on this machine, whose counters are read.
        public var url: String
        /// Whose certificates are believed, for wss:// URLs.
        public var trust = ClientTrust.system
        public var token: @Sendable (_ role: String, _ subject: String) -> String
        /// The hub's zones.
        public var zones: ZoneSet
        public var zonesGeoJSON: [UInt8]
        public var drivers = 500
        /// Positions a second, all drivers together.
        public var rate = 100_000.0
        /// Positions that a driver sends at once.
        public var perWrite = 10
        public var warmUpSeconds = 2.0
        public var seconds = 10.0
        public var servers: [ServerProcess] = []
        public var isJSON = false

        public init(
            url: String, zones: ZoneSet, zonesGeoJSON: [UInt8],
            token: @escaping @Sendable (_ role: String, _ subject: String) -> String
        ) {
            self.url = url
            self.zones = zones
            self.zonesGeoJSON = zonesGeoJSON
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
    public func measure() throws(ReplayError) -> IngestFigures {
        let configuration = configuration
        return try LoadStage.run { stage throws(ReplayError) in
            let load = try IngestLoad(stage, configuration)
            defer { load.shutdown() }
            return try await load.perform()
        }
    }

    private func report(_ ingest: IngestFigures) -> LoadReport {
        var table = TextTable()
        table.add(
            "ingest", "\(configuration.drivers) drivers, \(configuration.perWrite) positions at a time")
        table.add("positions accepted", "\(LoadFigures.count(ingest.acceptedPerSecond)) a second")
        table.add(
            "positions ignored", "\(LoadFigures.count(ingest.ignoredPerSecond)) a second (late, doubled, doubtful)")
        if let rate = ingest.perWorkerSecond { table.add("positions per worker CPU second", LoadFigures.count(rate)) }
        if ingest.heldBack > 0 { table.add("not sent, as the hub was behind", ingest.heldBack) }
        table.gap()
        ingest.load.add(to: &table, sent: "positions sent", delivered: "")
        return LoadReport(
            name: "ingest", table: table, figures: ingest.load,
            more: [
                "accepted_per_second": .number(ingest.acceptedPerSecond),
                "ignored_per_second": .number(ingest.ignoredPerSecond),
                "positions_per_worker_second": ingest.perWorkerSecond.map { .number($0) } ?? .null,
                "held_back": .number(Double(ingest.heldBack)),
            ])
    }
}

/// The figures of the ingest benchmark.
public struct IngestFigures: Sendable {
    /// By the hub's own counters.
    public var acceptedPerSecond: Double
    public var ignoredPerSecond: Double
    /// Positions that were not sent because the hub had not yet read what came before.
    public var heldBack: Int
    public var load: LoadFigures

    /// Accepted positions per CPU second of the workers, Redis left out; nil when no worker was named.
    public var perWorkerSecond: Double? {
        let cpu = load.servers.filter { !$0.name.hasPrefix("redis") }.reduce(0) { $0 + ($1.cpu ?? 0) }
        return cpu > 0 ? acceptedPerSecond * load.seconds / cpu : nil
    }
}

/// Drivers that send more than drivers do. Used on the loop's thread.
final class IngestLoad {
    private let stage: LoadStage
    private let configuration: IngestBench.Configuration
    private let links: LoadLinks
    private let meter: LoadMeter
    private let pace: LoadPace
    private let fleet: DriverSeats
    private let drivers: [Roundabout]
    private var lastAtMs: [Int64]
    private var turn = 0
    private var heldBack = 0
    /// More than this is not queued for a hub that does not read.
    private static let queueBytes = 65_536

    init(_ stage: LoadStage, _ configuration: IngestBench.Configuration) throws(ReplayError) {
        self.stage = stage
        self.configuration = configuration
        links = try LoadLinks(loop: stage.loop, trust: configuration.trust)
        meter = try LoadMeter(configuration.servers, links)
        pace = LoadPace(stage.loop)
        drivers = try BenchCity(configuration.zones, geoJSON: configuration.zonesGeoJSON).vehicles(
            configuration.drivers)
        lastAtMs = drivers.map { _ in 0 }
        fleet = DriverSeats(links, HubSeats(urls: [configuration.url], token: configuration.token))
        links.onMessage = { [unowned self] _, payload in fleet.heard(payload) }
    }

    func shutdown() {
        pace.close()
        links.shutdown()
    }

    func perform() async throws(ReplayError) -> IngestFigures {
        fleet.add(drivers)
        try await stage.connect(links, fleet.seats)
        try await fleet.goAvailable(stage)
        await stage.seconds(1)
        let writes = configuration.rate / Double(max(1, configuration.perWrite))
        pace.start(perSecond: writes, flush: links.flush) { [unowned self] in write() }
        await stage.seconds(configuration.warmUpSeconds)
        let before = try counters()
        var figures = await meter.count(stage, seconds: configuration.seconds, pace)
        let after = try counters()
        pace.stop()
        figures.refused = fleet.refused
        let seconds = Double(after.us - before.us) / 1e6
        return IngestFigures(
            acceptedPerSecond: (after.accepted - before.accepted) / seconds,
            ignoredPerSecond: (after.ignored - before.ignored) / seconds, heldBack: heldBack, load: figures)
    }

    private func counters() throws(ReplayError) -> (us: Int64, accepted: Double, ignored: Double) {
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
        guard step > 0, links.bytesQueued(fleet.seats.lowerBound + driver) < Self.queueBytes else {
            if meter.isCounting { heldBack += configuration.perWrite }
            return
        }
        for index in 0..<count {
            fleet.send(driver, drivers[driver].fix(atMs: nowMs - (count - 1 - index) * step))
        }
        lastAtMs[driver] = nowMs
        if meter.isCounting { meter.figures.sent += configuration.perWrite }
    }
}
