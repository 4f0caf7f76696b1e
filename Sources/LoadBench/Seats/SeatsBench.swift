public import ClientSupport
public import WebSocketServer
import Wire

/// A bus driver counts seats while many watch the line: how long a change takes to reach them, and what it costs.
///
/// A delivery is one change at one watcher: its `seats.set` sent → the `bus` state received. A change that a newer one
/// overtook at a watcher which was behind is not delivered there, and is missing from what was due.
public struct SeatsBench: Sendable {
    public struct Configuration: Sendable {
        /// A hub's WebSocket address.
        public var url: String
        /// Whose certificates are believed, for wss:// URLs.
        public var trust = ClientTrust.system
        public var token: @Sendable (_ role: String, _ subject: String) -> String
        /// Of the hub's catalog: a line with something to drive, and a bus with 99 seats.
        public var line: String
        public var bus: String
        public var watchers = 1000
        /// Changes a second.
        public var rate = 10.0
        public var warmUpSeconds = 2.0
        public var seconds = 10.0
        /// A run with a p99 above it has failed, ms.
        public var maxP99Ms: Double?
        public var servers: [ServerProcess] = []
        public var isJSON = false

        public init(
            url: String, line: String, bus: String,
            token: @escaping @Sendable (_ role: String, _ subject: String) -> String
        ) {
            self.url = url
            self.line = line
            self.bus = bus
            self.token = token
        }
    }

    /// Seats that the bus must have, so that no two changes that are under way look alike.
    public static let seats = SeatScan.mostSeats

    private let configuration: Configuration

    public init(_ configuration: Configuration) { self.configuration = configuration }

    /// Measures and prints. 0: measured. 1: the p99 is above what was asked for. 2: it could not be measured; standard error
    /// says why.
    public func run() -> Int32 {
        var isTooSlow = false
        let code = LoadReport.print(isJSON: configuration.isJSON) { () throws(RunError) in
            let results = try measure()
            if let most = configuration.maxP99Ms {
                isTooSlow = (results.latency.milliseconds(percentile: 99) ?? .infinity) > most
            }
            return report(results)
        }
        return code == 0 && isTooSlow ? 1 : code
    }

    /// The same without a word, for those who judge the results themselves.
    public func measure() throws(RunError) -> LoadResults {
        let configuration = configuration
        return try LoadContext.run { context throws(RunError) in
            let load = try SeatsLoad(context, configuration)
            defer { load.shutdown() }
            return try await load.perform()
        }
    }

    private func report(_ results: LoadResults) -> LoadReport {
        let cost = results.serverCPU > 0 ? results.serverCPU / Double(max(1, results.deliveries)) * 1e6 : nil
        var table = TextTable()
        table.add("seats", "\(configuration.watchers) watchers of one line")
        results.add(to: &table, sent: "changes of seats", delivered: "deliveries")
        if let cost { table.add("server CPU for each delivery", "\(LoadResults.two(cost)) µs") }
        return LoadReport(
            name: "seats", table: table, results: results,
            more: ["server_us_per_delivery": cost.map { .number($0) } ?? .null])
    }
}
