import ArgumentParser
import Domain
import Hub
import LoadBench

extension Bench {
    struct Seats: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "A driver counts seats, many watch the line: how long a change takes to reach them.",
            discussion: """
                Measured is from the driver's seats.set to each watcher's receipt of the bus. With --url the hub's catalog \
                needs the line and a bus with 99 seats that nobody drives (kerbside lines set-bus B --seats 99).
                """)

        @OptionGroup var target: BenchTarget

        @Option(help: "Watchers of the line.")
        var watchers = 1000

        @Option(help: "Changes of seats a second.")
        var rate = 10.0

        @Option(help: "With --url: the line.")
        var line: String?

        @Option(help: "With --url: the bus.")
        var bus: String?

        @Option(help: "Fail when the p99 is above so many milliseconds.")
        var maxP99: Double?

        @Option(name: .customLong("for"), help: "Seconds measured, after 2 s of warm-up.")
        var seconds = 10.0

        func validate() throws {
            guard watchers > 0, rate > 0, rate <= 50, seconds > 0 else {
                throw ValidationError("--watchers, --rate and --for must be above 0, --rate at most 50")
            }
            guard target.url == nil || line != nil && bus != nil else {
                throw ValidationError("--url needs --line and --bus")
            }
        }

        func run() throws {
            try target.measure(limits: BenchTarget.manyCommands) { hub in
                if target.url == nil {
                    _ = try CatalogStore.run(hub.settings) { store in
                        let old = try await store.load()
                        return try await store.use(Self.catalog, replacing: old.version)
                    }
                }
                var configuration = SeatsBench.Configuration(
                    url: hub.url, line: line ?? Self.line, bus: bus ?? Self.bus, token: hub.token)
                configuration.watchers = watchers
                configuration.rate = rate
                configuration.seconds = seconds
                configuration.maxP99Ms = maxP99
                configuration.servers = hub.servers
                configuration.isJSON = target.json
                return SeatsBench(configuration).run()
            }
        }

        private static let line = "bench"
        private static let bus = "bench-bus"

        /// One line with four stops, outside any schedule, and its bus.
        private static var catalog: Catalog {
            let way = (0..<4).map { GeoPoint(lat: 45.46, lon: 9.1 + Double($0) * 0.01) }
            var catalog = Catalog()
            var distance = 0.0
            var stops: [PatternStop] = []
            for (index, point) in way.enumerated() {
                if index > 0 { distance += way[index - 1].distance(to: point) }
                catalog.stops["s\(index)"] = Stop(id: "s\(index)", name: "Stop \(index)", point: point)
                stops.append(PatternStop(stop: "s\(index)", distance: distance))
            }
            catalog.lines[line] = Line(
                id: line, name: "Bench", patterns: [LinePattern(id: "bench:0", shape: way, stops: stops)])
            catalog.buses[bus] = Bus(id: bus, seats: SeatsBench.seats, line: line)
            return catalog
        }
    }
}
