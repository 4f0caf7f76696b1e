public import ClientSupport
public import Domain
import EventLoop
public import WebSocketServer
import Wire

/// How fast the hub dispatches: requests at a steady rate, each offered, accepted, driven and ended at once by drivers that
/// do nothing else. Times are taken by the clients, all on one loop, so they hold the way over the loopback and the
/// clients' own work too.
public struct DispatchBench: Sendable {
    public struct Configuration: Sendable {
        public var urls: [String]
        /// Whose certificates are believed, for wss:// URLs.
        public var trust = ClientTrust.system
        public var token: @Sendable (_ role: String, _ subject: String) -> String
        /// The hub's zones; drivers and passengers are spread over them.
        public var zones: ZoneSet
        public var zonesGeoJSON: [UInt8]
        public var drivers = 500
        public var passengers = 1000
        public var requestsPerSecond = 500.0
        /// Not counted.
        public var warmUpSeconds = 3.0
        public var seconds = 15.0
        /// Between two fixes of a driver, real time.
        public var fixSeconds = 5.0
        /// Zones in use: fewer mean longer queues.
        public var zoneCount = 20
        /// Processes whose CPU is told as well: workers, Redis.
        public var pids: [(name: String, pid: Int32)] = []
        public var isJSON = false

        public init(
            urls: [String], zones: ZoneSet, zonesGeoJSON: [UInt8],
            token: @escaping @Sendable (_ role: String, _ subject: String) -> String
        ) {
            self.urls = urls
            self.zones = zones
            self.zonesGeoJSON = zonesGeoJSON
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
    public func measure() throws(RunError) -> DispatchReport {
        let configuration = configuration
        return try OwnLoop.run { loop throws(RunError) in
            try await DispatchRunner(loop: loop, configuration: configuration).perform()
        }
    }
}
