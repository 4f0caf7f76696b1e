import EventLoop
public import WebSocketServer
import Wire

/// What a connection costs that does nothing: many are opened and greeted, and the growth of the hub's processes is read
/// from the kernel.
public struct ConnectionsBench: Sendable {
    public struct Configuration: Sendable {
        public var urls: [String]
        /// Whose certificates are believed, for wss:// URLs.
        public var trust = ClientTrust.system
        public var token: @Sendable (_ role: String, _ subject: String) -> String
        public var connections = 10_000
        public var perSecond = 2_000
        /// The processes that hold the connections.
        public var pids: [(name: String, pid: Int32)]
        public var isJSON = false

        public init(
            urls: [String], pids: [(name: String, pid: Int32)],
            token: @escaping @Sendable (_ role: String, _ subject: String) -> String
        ) {
            self.urls = urls
            self.pids = pids
            self.token = token
        }
    }

    private let configuration: Configuration

    public init(_ configuration: Configuration) { self.configuration = configuration }

    /// Measures and prints. 0: measured. 2: it could not be; standard error says why.
    public func run() -> Int32 {
        do throws(ReplayError) {
            let report = try measure()
            Console.write(configuration.isJSON ? report.json + "\n" : report.text, to: Console.result)
            return 0
        } catch {
            Console.write("\(error)\n", to: Console.people)
            return 2
        }
    }

    /// The same without a word, for those who judge the figures themselves.
    public func measure() throws(ReplayError) -> ConnectionsReport {
        let configuration = configuration
        let files = ProcessUsage.raiseFileLimit()
        // Loop, timers, files of the process itself.
        guard files > configuration.connections + 50 else {
            throw ReplayError(
                "\(configuration.connections) connections need as many open files, but \(files) are allowed (ulimit -Hn)"
            )
        }
        return try OwnLoop.run { loop throws(ReplayError) in
            try await ConnectionsConductor(loop: loop, configuration: configuration).perform()
        }
    }
}

/// The figures of the connections benchmark.
public struct ConnectionsReport: Sendable {
    let connections: Int
    /// Per process: resident bytes before and after.
    let growth: [(name: String, before: Int, after: Int)]
    /// Real time from the first to the last greeting.
    let seconds: Double

    /// Growth of the processes of that name; 0 when there is none.
    public func bytesPerConnection(of name: String) -> Double {
        let grown = growth.filter { $0.name == name }.reduce(0) { $0 + $1.after - $1.before }
        return Double(grown) / Double(max(1, connections))
    }

    private var names: [String] { Set(growth.map(\.name)).sorted() }

    public var text: String {
        var table = TextTable()
        table.add("connections", "\(connections), greeted in \((seconds * 10).rounded() / 10) s")
        for (name, before, after) in growth {
            table.add("memory of \(name)", "\(before >> 10) KiB before, \(after >> 10) KiB after")
        }
        for name in names {
            let bytes = bytesPerConnection(of: name)
            table.add(
                "per connection, \(name)",
                "\(Int(bytes.rounded())) bytes (\((bytes / 102.4).rounded() / 10) KiB), not counting the kernel's")
        }
        return "\n" + table.text
    }

    public var json: String {
        var perConnection = JSONObject()
        for name in names { perConnection[name] = .number(bytesPerConnection(of: name)) }
        let processes = growth.map { entry -> JSONValue in
            [
                "name": .string(entry.name), "before": .number(Double(entry.before)),
                "after": .number(Double(entry.after)),
            ]
        }
        let value: JSONValue = [
            "connections": .number(Double(connections)), "seconds": .number(seconds),
            "bytes_per_connection": .object(perConnection), "processes": .array(processes),
        ]
        return value.description
    }
}

/// Leads the connections benchmark.
actor ConnectionsConductor {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let configuration: ConnectionsBench.Configuration
    private let pause: Pause

    init(loop: EventLoop, configuration: ConnectionsBench.Configuration) {
        self.loop = loop
        self.configuration = configuration
        pause = Pause(loop)
    }

    func perform() async throws(ReplayError) -> ConnectionsReport {
        let clients = try BenchClients(
            loop: loop, urls: configuration.urls, trust: configuration.trust, token: configuration.token)
        defer { clients.shutdown() }
        let before = try resident()
        let startedUs = Monotonic.microseconds
        try await connect(clients)
        let seconds = Double(Monotonic.microseconds - startedUs) / 1e6
        // Buffers that were needed for greeting only are given back meanwhile.
        await pause.milliseconds(3_000)
        let after = try resident()
        guard clients.liveCount == configuration.connections else {
            throw ReplayError("\(clients.lostCount) connections were lost (\(clients.failure))")
        }
        return ConnectionsReport(
            connections: configuration.connections,
            growth: zip(configuration.pids, zip(before, after)).map { ($0.name, $1.0, $1.1) }, seconds: seconds)
    }

    private func connect(_ clients: BenchClients) async throws(ReplayError) {
        let total = configuration.connections
        while clients.clients.count < total {
            for _ in 0..<min(max(1, configuration.perSecond / 100), total - clients.clients.count) {
                let index = clients.clients.count
                do {
                    try clients.connect(role: "passenger", subject: "C\(index)")
                } catch {
                    throw ReplayError("connection \(index) cannot be opened: \(error)")
                }
            }
            await pause.milliseconds(10)
        }
        let deadline = Monotonic.milliseconds + 30_000
        while clients.liveCount < total, Monotonic.milliseconds < deadline, clients.lostCount == 0 {
            await pause.milliseconds(20)
        }
        guard clients.liveCount == total else {
            throw ReplayError("only \(clients.liveCount) of \(total) were greeted (\(clients.failure))")
        }
    }

    private func resident() throws(ReplayError) -> [Int] {
        var result: [Int] = []
        for (name, pid) in configuration.pids {
            guard let bytes = ProcessUsage.residentBytes(of: pid) else {
                throw ReplayError("there is no process \(pid) (\(name))")
            }
            result.append(bytes)
        }
        return result
    }
}
