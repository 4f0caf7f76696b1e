public import ClientSupport
public import Domain
public import WebSocketServer
import Wire

/// A city that is watched: vehicles that move, and watchers of its zones, or of what is near them.
///
/// A delivery is one vehicle's position at one watcher. At a peer, vehicles' positions are messages published on their zone's
/// channel.
public struct CityBench: Sendable {
    /// What each watcher watches.
    public enum Watching: Sendable, Equatable {
        case zone
        /// What is within so many metres of a place in the city.
        case near(radius: Double)
    }

    public struct Configuration: Sendable {
        /// A hub's WebSocket address; a peer's without a path.
        public var url: String
        public var dialect = LoadDialect.kerbside
        /// Whose certificates are believed, for wss:// URLs.
        public var trust = ClientTrust.system
        public var token: @Sendable (_ role: String, _ subject: String) -> String
        /// The hub's zones.
        public var zones: ZoneSet
        public var zonesGeoJSON: [UInt8]
        public var vehicles = 2000
        public var watchers = 4000
        public var watching = Watching.zone
        /// Positions a second of each vehicle.
        public var positionsPerSecond = 1.0
        /// At a peer: bytes of a position's message, and the connections that publish them.
        public var bytes = 100
        public var publishers = 20
        public var warmUpSeconds = 3.0
        public var seconds = 10.0
        public var servers: [ServerProcess] = []
        /// Whether a bare sender makes the same sends afterwards, which takes it some eight seconds.
        public var hasFloor = true
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
    public func measure() throws(RunError) -> LoadResults {
        let configuration = configuration
        return try LoadContext.run { context throws(RunError) in
            let load = try CityLoad(context, configuration)
            defer { load.shutdown() }
            return try await load.perform()
        }
    }

    private func report(_ results: LoadResults) -> LoadReport {
        var table = TextTable()
        let what =
            switch configuration.watching {
            case .zone: "each one of \(configuration.zones.zones.count) zones"
            case .near(let radius): "each what is within \(Int(radius)) m"
            }
        table.add(
            "city",
            "\(configuration.vehicles) vehicles, \(configuration.watchers) watchers, \(what), \(configuration.dialect.rawValue)"
        )
        results.add(to: &table, sent: "positions sent", delivered: "rows")
        return LoadReport(
            name: "city", table: table, results: results,
            more: [
                "dialect": .string(configuration.dialect.rawValue), "vehicles": .number(Double(configuration.vehicles)),
                "watchers": .number(Double(configuration.watchers)),
                "zones": .number(Double(configuration.zones.zones.count)),
            ])
    }
}
