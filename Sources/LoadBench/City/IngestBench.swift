public import ClientSupport
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
        LoadReport.print(isJSON: configuration.isJSON) { () throws(RunError) in report(try measure()) }
    }

    /// The same without a word, for those who judge the results themselves.
    public func measure() throws(RunError) -> IngestResults {
        let configuration = configuration
        return try LoadContext.run { context throws(RunError) in
            let load = try IngestLoad(context, configuration)
            defer { load.shutdown() }
            return try await load.perform()
        }
    }

    private func report(_ ingest: IngestResults) -> LoadReport {
        var table = TextTable()
        table.add(
            "ingest", "\(configuration.drivers) drivers, \(configuration.perWrite) positions at a time")
        table.add("positions accepted", "\(LoadResults.count(ingest.acceptedPerSecond)) a second")
        table.add(
            "positions ignored", "\(LoadResults.count(ingest.ignoredPerSecond)) a second (late, doubled, doubtful)")
        if let rate = ingest.perWorkerSecond { table.add("positions per worker CPU second", LoadResults.count(rate)) }
        if ingest.heldBack > 0 { table.add("not sent, as the hub was behind", ingest.heldBack) }
        table.gap()
        ingest.load.add(to: &table, sent: "positions sent", delivered: "")
        return LoadReport(
            name: "ingest", table: table, results: ingest.load,
            more: [
                "accepted_per_second": .number(ingest.acceptedPerSecond),
                "ignored_per_second": .number(ingest.ignoredPerSecond),
                "positions_per_worker_second": ingest.perWorkerSecond.map { .number($0) } ?? .null,
                "held_back": .number(Double(ingest.heldBack)),
            ])
    }
}
