import ArgumentParser
import Foundation
import Hub
import Replay
import Settings

struct Bench: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measures a hub: throughput, latency, CPU and memory, and the load client's own share.",
        discussion: """
            Each starts a hub of its own unless --url is given; then --pid names the processes to account for. To give the \
            load a core of its own, start the hub with `serve` and the benchmark with taskset and --url.
            """,
        subcommands: [Dispatch.self, Connections.self])

    struct Dispatch: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Requests a second through request, offer, accept and end, with their latencies.")

        @OptionGroup var target: BenchTarget

        @Option(help: "Ride requests a second.")
        var rate = 500.0

        @Option(help: "Drivers connected.")
        var drivers = 500

        @Option(help: "Passengers connected.")
        var passengers = 1000

        @Option(name: .customLong("for"), help: "Seconds measured, after 3 s of warm-up.")
        var seconds = 15.0

        func run() throws {
            try target.measure(limits: ["server.commands_per_second=100000", "server.commands_burst=100000"]) {
                settings, url, token, pids in
                var configuration = DispatchBench.Configuration(
                    urls: [url], zones: try CityZones.load(settings),
                    zonesGeoJSON: try InputFile.read(settings.zones.file), token: token)
                configuration.requestsPerSecond = rate
                configuration.drivers = drivers
                configuration.passengers = passengers
                configuration.seconds = seconds
                configuration.pids = pids
                configuration.isJSON = target.json
                return DispatchBench(configuration).run()
            }
        }
    }

    struct Connections: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Identified connections that do nothing: memory of a worker per connection.")

        @OptionGroup var target: BenchTarget

        @Option(help: "Connections.")
        var count = 10_000

        func run() throws {
            try target.measure(limits: []) { settings, url, token, pids in
                var configuration = ConnectionsBench.Configuration(urls: [url], pids: pids, token: token)
                configuration.connections = count
                configuration.isJSON = target.json
                return ConnectionsBench(configuration).run()
            }
        }
    }
}

/// Which hub a benchmark measures.
struct BenchTarget: ParsableArguments {
    @OptionGroup var options: ConfigOptions

    @Option(help: ArgumentHelp("A running hub's WebSocket address.", valueName: "ws://…"))
    var url: String?

    @Option(help: "A process to account for, with --url; may be repeated.")
    var pid: [Int32] = []

    @Flag(help: "Print the result as JSON.")
    var json = false

    /// `limits` are set for an own hub, where the load of many comes from few connections.
    func measure(
        limits: [String],
        _ body: (Settings, String, @escaping @Sendable (String, String) -> String, [(name: String, pid: Int32)]) throws
            -> Int32
    ) throws {
        var options = self.options
        if options.workers == nil { options.workers = 1 }
        let own = url == nil ? try OwnHub(options, with: limits) : nil
        let settings = try own?.settings ?? options.settings()
        defer { own?.stop() }
        let issuer = try TokenSource(settings)
        let pids = own?.children ?? pid.map { (name: "pid \($0)", pid: $0) }
        let code = try body(
            settings, url ?? HubAddress.url(settings), { issuer.token(role: $0, subject: $1) }, pids)
        own?.stop()
        if code != 0 { throw ExitCode(code) }
    }
}
