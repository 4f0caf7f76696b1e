public import ClientSupport
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
        /// Whether a bare sender makes the same sends afterwards, which takes it some eight seconds.
        public var hasFloor = true
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
        LoadReport.print(isJSON: configuration.isJSON) { () throws(RunError) in report(try measure()) }
    }

    /// The same without a word, for those who judge the results themselves.
    public func measure() throws(RunError) -> LoadResults {
        let configuration = configuration
        return try LoadContext.run { context throws(RunError) in
            let load = try FanoutLoad(context, configuration)
            defer { load.shutdown() }
            return try await load.perform()
        }
    }

    private func report(_ results: LoadResults) -> LoadReport {
        var table = TextTable()
        table.add(
            "fanout",
            "\(configuration.readers) readers, \(configuration.channels) channels, \(configuration.publishers) publishers, \(configuration.dialect.rawValue)"
        )
        results.add(to: &table, sent: "messages published", delivered: "deliveries")
        return LoadReport(
            name: "fanout", table: table, results: results, more: ["dialect": .string(configuration.dialect.rawValue)])
    }
}
