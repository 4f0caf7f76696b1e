public import ClientSupport
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
        do throws(RunError) {
            let report = try measure()
            if configuration.isJSON {
                Console.write(json: report.json)
            } else {
                Console.write(report.text, to: Console.result)
            }
            return 0
        } catch {
            Console.write("\(error)\n", to: Console.people)
            return 2
        }
    }

    /// The same without a word, for those who judge the results themselves.
    public func measure() throws(RunError) -> ConnectionsReport {
        let configuration = configuration
        let files = ProcessUsage.raiseFileLimit()
        // Loop, timers, files of the process itself.
        guard files > configuration.connections + 50 else {
            throw RunError(
                "\(configuration.connections) connections need as many open files, but \(files) are allowed (ulimit -Hn)"
            )
        }
        return try OwnLoop.run { loop throws(RunError) in
            try await ConnectionsRunner(loop: loop, configuration: configuration).perform()
        }
    }
}
