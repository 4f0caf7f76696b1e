import ArgumentParser
import Foundation
import Hub
import LoadBench
import Settings

struct Bench: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measures a hub: throughput, latency, CPU and memory, and the load client's own share.",
        discussion: """
            Each starts a hub of its own unless --url is given; then --pid names the processes to account for. To give the \
            load a core of its own, start the hub with `serve` and the benchmark with taskset and --url.
            """,
        subcommands: [
            Fanout.self, City.self, Ingest.self, Dispatch.self, Connections.self, Reconnect.self, Growth.self,
            Seats.self, Events.self,
        ])

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
            try target.measure(limits: BenchTarget.manyCommands) { hub in
                var configuration = DispatchBench.Configuration(
                    urls: [hub.url], zones: try CityZones.load(hub.settings),
                    zonesGeoJSON: try InputFile.read(hub.settings.zones.file), token: hub.token)
                configuration.requestsPerSecond = rate
                configuration.drivers = drivers
                configuration.passengers = passengers
                configuration.seconds = seconds
                configuration.pids = hub.servers.map { ($0.name, $0.pid) }
                configuration.isJSON = target.json
                return DispatchBench(configuration).run()
            }
        }
    }

    struct Connections: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Identified connections that do nothing: memory of a worker per connection.")

        @OptionGroup var target: BenchTarget
        @OptionGroup var security: BenchTLS

        @Option(help: "Connections.")
        var count = 10_000

        func run() throws {
            try target.measure(limits: [], tls: security.tls) { hub in
                var configuration = ConnectionsBench.Configuration(
                    urls: [hub.url], pids: hub.servers.map { ($0.name, $0.pid) }, token: hub.token)
                configuration.connections = count
                configuration.trust = hub.trust
                configuration.isJSON = target.json
                return ConnectionsBench(configuration).run()
            }
        }
    }
}
