public import ClientSupport
public import WebSocketServer
import Wire

/// All links of a hub are cut at once, as when a network comes back: how soon everybody has resumed, and that nothing was
/// lost.
public struct ReconnectBench: Sendable {
    public struct Configuration: Sendable {
        public var url: String
        /// Whose certificates are believed, for wss:// URLs.
        public var trust = ClientTrust.system
        public var token: @Sendable (_ role: String, _ subject: String) -> String
        public var clients = 18_000
        /// Topics that they read, one each.
        public var topics = 100
        /// Events on each topic while everybody is away.
        public var missed = 5
        /// Connections that are opened at a time.
        public var atOnce = 400
        public var servers: [ServerProcess] = []
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
    public func measure() throws(RunError) -> ReconnectResults {
        let configuration = configuration
        return try LoadContext.run { context throws(RunError) in
            let load = try ReconnectLoad(context, configuration)
            defer { load.shutdown() }
            return try await load.perform()
        }
    }

    private func report(_ results: ReconnectResults) -> LoadReport {
        var table = TextTable()
        table.add(
            "reconnect",
            "\(configuration.clients) clients, \(configuration.missed) events missed by each, \(configuration.topics) topics"
        )
        table.add("cut → all greeted again", results.greetedSeconds.map { "\(LoadResults.two($0)) s" } ?? "never")
        table.add(
            "cut → all have what they missed", results.resumedSeconds.map { "\(LoadResults.two($0)) s" } ?? "never")
        table.add("events that were due", results.due)
        table.add("missing", results.missing)
        table.add("twice or out of order", results.wrong)
        table.add("gaps", results.gaps)
        if configuration.url.hasPrefix("wss:") { table.add("sessions of TLS resumed", results.resumedTLS) }
        table.gap()
        let load = results.load
        for use in load.servers {
            table.add("CPU seconds of \(use.name)", use.cpu.map { LoadResults.two($0) } ?? "gone")
        }
        for use in load.servers {
            table.add(
                "memory of \(use.name)", "\(use.memoryBefore >> 10) KiB before, \(use.memoryAfter >> 10) KiB at the end"
            )
        }
        table.add("links lost", load.lost)
        table.add("CPU of these clients", LoadResults.percent(load.ownCPU / load.seconds))
        func number(_ value: Int) -> JSONValue { .number(Double(value)) }
        return LoadReport(
            name: "reconnect", table: table, results: load,
            more: [
                "clients": number(configuration.clients),
                "greeted_seconds": results.greetedSeconds.map { .number($0) } ?? .null,
                "resumed_seconds": results.resumedSeconds.map { .number($0) } ?? .null, "due": number(results.due),
                "missing": number(results.missing), "wrong": number(results.wrong), "gaps": number(results.gaps),
                "resumed_tls": number(results.resumedTLS),
            ])
    }
}
