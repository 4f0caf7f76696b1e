import ClientSupport
import Wire

/// How the cost of a delivery grows with those who watch, and with what moves: the city benchmark over and over.
public struct GrowthBench: Sendable {
    public struct Configuration: Sendable {
        /// Measures a city on a hub of its own.
        public var city: @Sendable (_ vehicles: Int, _ watchers: Int) throws -> LoadResults
        /// The watchers of the first series, which has so many vehicles.
        public var watchers = [100, 300, 1000, 4000, 8000, 16_000]
        public var vehiclesWatched = 2000
        /// The vehicles of the second series, which has so many watchers.
        public var vehicles = [100, 300, 1000, 3000, 10_000]
        public var watchersWatching = 4000
        public var isJSON = false
        /// Takes the drawing; nil: none is made.
        public var plot: (@Sendable (_ svg: String) throws -> Void)?
        /// What it was measured on, for the drawing.
        public var machine = ""

        public init(city: @escaping @Sendable (_ vehicles: Int, _ watchers: Int) throws -> LoadResults) {
            self.city = city
        }
    }

    /// One run of the city benchmark.
    struct Point: Sendable {
        var vehicles: Int
        var watchers: Int
        var results: LoadResults

        /// CPU of all server processes for each row delivered, µs.
        var microseconds: Double { results.serverCPU * 1e6 / Double(max(1, results.deliveries)) }
    }

    private let configuration: Configuration

    public init(_ configuration: Configuration) { self.configuration = configuration }

    /// Measures and prints. 0: measured. 2: it could not be; standard error says why.
    public func run() -> Int32 {
        LoadReport.print(isJSON: configuration.isJSON) { () throws(RunError) in
            let byWatchers = try configuration.watchers.map { watchers throws(RunError) in
                try point(vehicles: configuration.vehiclesWatched, watchers: watchers)
            }
            let byVehicles = try configuration.vehicles.map { vehicles throws(RunError) in
                try point(vehicles: vehicles, watchers: configuration.watchersWatching)
            }
            do {
                try configuration.plot?(drawing(byWatchers, byVehicles))
            } catch {
                throw RunError("the plot can't be written: \(error)")
            }
            return report(byWatchers, byVehicles)
        }
    }

    private func point(vehicles: Int, watchers: Int) throws(RunError) -> Point {
        do {
            let point = Point(
                vehicles: vehicles, watchers: watchers, results: try configuration.city(vehicles, watchers))
            Console.write("\(vehicles) vehicles, \(watchers) watchers: \(line(point))\n", to: Console.people)
            return point
        } catch {
            throw RunError("\(vehicles) vehicles and \(watchers) watchers could not be measured: \(error)")
        }
    }

    private func line(_ point: Point) -> String {
        let results = point.results
        return
            "\(LoadResults.two(point.microseconds)) µs a row, \(LoadResults.count(results.deliveriesPerSecond)) rows a second, server \(LoadResults.percent(results.serverShare)), \(results.latency.text(50, 99)), clients \(LoadResults.percent(results.ownCPU / results.seconds))"
    }

    private func report(_ byWatchers: [Point], _ byVehicles: [Point]) -> LoadReport {
        var table = TextTable()
        table.add("growth", "server CPU for each row delivered (all processes)")
        table.gap()
        for point in byWatchers { table.add("\(point.vehicles) vehicles, \(point.watchers) watchers", line(point)) }
        table.gap()
        for point in byVehicles { table.add("\(point.vehicles) vehicles, \(point.watchers) watchers", line(point)) }
        let data = { (points: [Point]) -> JSONValue in
            .array(
                points.map { point in
                    var object = point.results.json
                    object["vehicles"] = .number(Double(point.vehicles))
                    object["watchers"] = .number(Double(point.watchers))
                    object["microseconds_per_delivery"] = .number(point.microseconds)
                    return .object(object)
                })
        }
        return LoadReport(
            name: "growth", table: table, results: nil,
            more: ["by_watchers": data(byWatchers), "by_vehicles": data(byVehicles)])
    }

    private func drawing(_ byWatchers: [Point], _ byVehicles: [Point]) -> String {
        GrowthPlot(
            title: "Server CPU for each position delivered",
            subtitle: configuration.machine,
            panels: [
                GrowthPlot.Panel(
                    title: "\(LoadResults.count(Double(configuration.vehiclesWatched))) vehicles", x: "watchers",
                    points: byWatchers.map { (Double($0.watchers), $0.microseconds) }),
                GrowthPlot.Panel(
                    title: "\(LoadResults.count(Double(configuration.watchersWatching))) watchers", x: "vehicles",
                    points: byVehicles.map { (Double($0.vehicles), $0.microseconds) }),
            ], y: "µs of server CPU"
        ).svg
    }
}
