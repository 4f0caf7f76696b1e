public import ClientSupport
public import RedisLink
public import WebSocketServer
import Wire

/// The city's log and those who follow it: how fast a long past is read back, and how soon what happens is at its followers.
///
/// Events are appended to the log as the hub's own functions do it (XADD), so that what is measured is what following costs and
/// not what happens. A delivery is one event at one follower, its time from XADD to the follower's socket.
public struct EventsBench: Sendable {
    public struct Configuration: Sendable {
        /// A hub's WebSocket address.
        public var url: String
        public var trust = ClientTrust.system
        public var token: @Sendable (_ role: String, _ subject: String) -> String
        /// Where the log is, and its key.
        public var redis: RedisEndpoint
        public var log: String
        /// Of the past, to be read back by one follower. 0: none is read.
        public var past = 1_000_000
        /// Of what happens. 0: nothing happens.
        public var followers = 100
        public var rate = 1000.0
        public var warmUpSeconds = 2.0
        public var seconds = 10.0
        public var servers: [ServerProcess] = []
        public var isJSON = false

        public init(
            url: String, redis: RedisEndpoint, log: String,
            token: @escaping @Sendable (_ role: String, _ subject: String) -> String
        ) {
            (self.url, self.redis, self.log, self.token) = (url, redis, log, token)
        }
    }

    private let configuration: Configuration

    public init(_ configuration: Configuration) { self.configuration = configuration }

    /// Measures and prints. 0: measured. 2: it could not be; standard error says why.
    public func run() -> Int32 {
        LoadReport.print(isJSON: configuration.isJSON) { () throws(RunError) in
            let (past, live) = try measure()
            return report(past, live)
        }
    }

    /// The same without a word, for those who judge the results themselves.
    public func measure() throws(RunError) -> (past: PastResults?, live: LoadResults?) {
        let configuration = configuration
        return try LoadContext.run { context throws(RunError) in
            let load = try EventsLoad(context, configuration)
            defer { load.shutdown() }
            return try await load.perform()
        }
    }

    /// What reading the past took.
    public struct PastResults: Sendable {
        public var events = 0
        public var seconds = 0.0
        /// Those that did not come in the order of the log, or came twice.
        public var outOfOrder = 0
        public var bytes = 0
        public var ownCPU = 0.0
        /// By server: its name, CPU seconds, resident bytes before and at most, as they were looked at each 50 ms.
        public var servers: [(name: String, cpu: Double, before: Int, most: Int)] = []

        public var perSecond: Double { Double(events) / max(seconds, 1e-9) }
    }

    private func report(_ past: PastResults?, _ live: LoadResults?) -> LoadReport {
        var table = TextTable()
        var more = JSONObject()
        if let past {
            table.add("past", "\(LoadResults.count(Double(past.events))) events read back by one follower")
            table.add("read", "\(LoadResults.count(past.perSecond)) a second, \(past.outOfOrder) out of order or twice")
            for server in past.servers {
                table.add("CPU of \(server.name)", LoadResults.percent(server.cpu / past.seconds))
                table.add(
                    "memory of \(server.name)", "\(server.before >> 10) KiB before, \(server.most >> 10) KiB at most")
            }
            table.add("CPU of the follower", LoadResults.percent(past.ownCPU / past.seconds))
            table.gap()
            more["past"] = past.json
        }
        if let live {
            table.add("live", "\(configuration.followers) followers of all events")
            live.add(to: &table, sent: "events", delivered: "deliveries")
        }
        return LoadReport(name: "events", table: table, results: live, more: more)
    }
}

extension EventsBench.PastResults {
    fileprivate var json: JSONValue {
        [
            "events": .number(Double(events)), "seconds": .number(seconds), "events_per_second": .number(perSecond),
            "out_of_order": .number(Double(outOfOrder)), "bytes": .number(Double(bytes)),
            "client_cpu": .number(ownCPU / max(seconds, 1e-9)),
            "servers": .array(
                servers.map { server -> JSONValue in
                    [
                        "name": .string(server.name), "cpu": .number(server.cpu / max(seconds, 1e-9)),
                        "memory_before": .number(Double(server.before)), "memory_most": .number(Double(server.most)),
                    ]
                }),
        ]
    }
}
