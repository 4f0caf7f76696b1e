import ArgumentParser
import Foundation
import Hub
import LoadBench
import Settings

extension Bench {
    struct Fanout: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Many read what few publish: deliveries per server CPU second, and their latency.",
            discussion: """
                Counted is each message at each reader, by the time stamp in it, however many share a frame. --bytes is the \
                whole message: a hub's envelope counts, so that no less than 112 bytes can be had there; what was really \
                received is in the table. Latency is until the bytes arrive at the reader's socket, by the kernel's clock; \
                how much later these clients read them is a figure of its own. Readers that are busy make their \
                publisher late: at high rates each should have a run of its own.
                """)

        @OptionGroup var target: BenchTarget
        @OptionGroup var security: BenchTLS

        @Option(help: "How the server is spoken to; all but kerbside need --url.")
        var dialect = LoadDialect.kerbside

        @Option(help: "Readers, spread over the channels; with 0 it only publishes, for another run.")
        var readers = 1000

        @Option(help: "Channels.")
        var channels = 1

        @Option(help: "Connections that publish, in turn.")
        var publishers = 1

        @Option(help: "Messages a second, over all channels; with 0 it only reads what another run publishes.")
        var rate = 500.0

        @Option(help: "Bytes of a message.")
        var bytes = 100

        @Option(name: .customLong("for"), help: "Seconds measured, after 2 s of warm-up.")
        var seconds = 10.0

        @Flag(
            inversion: .prefixedNo,
            help: "Then measure what the same sends cost with nothing around them; of a hub on 127.0.0.1 without TLS.")
        var floor = true

        func validate() throws {
            guard dialect == .kerbside || target.url != nil else { throw ValidationError("--dialect needs --url") }
            guard readers >= 0, channels > 0, publishers > 0, rate >= 0, readers > 0 || rate > 0 else {
                throw ValidationError(
                    "--channels and --publishers must be above 0; --readers and --rate not below, and not both 0")
            }
        }

        func run() throws {
            try target.measure(limits: BenchTarget.manyCommands, tls: security.tls, needsTokens: dialect == .kerbside) {
                hub in
                var configuration = FanoutBench.Configuration(url: hub.url, token: hub.token)
                configuration.dialect = dialect
                configuration.readers = readers
                configuration.channels = channels
                configuration.publishers = publishers
                configuration.rate = rate
                configuration.bytes = bytes
                configuration.seconds = seconds
                configuration.servers = hub.servers
                configuration.hasFloor = floor
                configuration.trust = hub.trust
                configuration.isJSON = target.json
                return FanoutBench(configuration).run()
            }
        }
    }

    struct City: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Vehicles that move and watchers of zones: what each position costs at each watcher.",
            discussion: """
                Every vehicle and every watcher is a connection of its own. Counted is each row (a vehicle's position at \
                a watcher); its latency is from the vehicle's time of the fix, which is when it was sent, to its arrival \
                at the socket, and so holds the hub's tick. At other servers (--dialect) the positions are messages on a channel per zone.
                """)

        @OptionGroup var target: BenchTarget
        @OptionGroup var zones: BenchZones

        @Option(help: "How the server is spoken to; all but kerbside need --url.")
        var dialect = LoadDialect.kerbside

        @Option(help: "Vehicles; with 0 those of another run at the same city are counted.")
        var vehicles = 2000

        @Option(help: "Watchers, spread over the zones.")
        var watchers = 4000

        @Option(help: "Positions a second of each vehicle.")
        var rate = 1.0

        @Option(help: "What each watcher watches: zone or near.")
        var watch = "zone"

        @Option(help: "With --watch near: metres.")
        var radius = 1000.0

        @Option(help: "At other servers: bytes of a position's message.")
        var bytes = 100

        @Option(help: "At other servers: connections that publish.")
        var publishers = 20

        @Option(name: .customLong("for"), help: "Seconds measured, after 3 s of warm-up.")
        var seconds = 10.0

        @Flag(
            inversion: .prefixedNo,
            help: "Then measure what the same sends cost with nothing around them; of a hub on 127.0.0.1 without TLS.")
        var floor = true

        func validate() throws {
            guard dialect == .kerbside || target.url != nil else { throw ValidationError("--dialect needs --url") }
            guard watch == "zone" || watch == "near" && dialect == .kerbside else {
                throw ValidationError("--watch \(watch): expected zone, or near at a hub")
            }
            guard vehicles >= 0, watchers >= 0, vehicles + watchers > 0, rate > 0 else {
                throw ValidationError("--vehicles and --watchers must not be below 0, --rate must be above it")
            }
        }

        func run() throws {
            try target.measure(limits: BenchTarget.manyCommands + zones.limits, needsTokens: dialect == .kerbside) {
                hub in
                var configuration = try zones.city(hub)
                configuration.dialect = dialect
                configuration.vehicles = vehicles
                configuration.watchers = watchers
                configuration.positionsPerSecond = rate
                configuration.watching = watch == "near" ? .near(radius: radius) : .zone
                configuration.bytes = bytes
                configuration.publishers = publishers
                configuration.seconds = seconds
                configuration.hasFloor = floor
                configuration.isJSON = target.json
                return CityBench(configuration).run()
            }
        }
    }

    struct Ingest: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Positions a second through filter, fences, zones and the batch to Redis.",
            discussion: """
                Drivers go round in circles, so that the filter believes them; what a hub has accepted is read from its \
                counters. With --url the hub needs server.commands_per_second and server.commands_burst far above --rate \
                divided by --drivers.
                """)

        @OptionGroup var target: BenchTarget
        @OptionGroup var zones: BenchZones

        @Option(help: "Drivers connected.")
        var drivers = 500

        @Option(help: "Positions a second, all drivers together.")
        var rate = 100_000.0

        @Option(help: "Positions that a driver sends at once.")
        var batch = 10

        @Option(name: .customLong("for"), help: "Seconds measured, after 2 s of warm-up.")
        var seconds = 10.0

        func validate() throws {
            guard drivers > 0, rate > 0, batch > 0 else {
                throw ValidationError("--drivers, --rate and --batch must be above 0")
            }
        }

        func run() throws {
            try target.measure(limits: BenchTarget.manyCommands + zones.limits) { hub in
                let settings = zones.applied(to: hub.settings)
                var configuration = IngestBench.Configuration(
                    url: hub.url, zones: try CityZones.load(settings),
                    zonesGeoJSON: try InputFile.read(settings.zones.file), token: hub.token)
                configuration.drivers = drivers
                configuration.rate = rate
                configuration.perWrite = batch
                configuration.seconds = seconds
                configuration.servers = hub.servers
                configuration.isJSON = target.json
                return IngestBench(configuration).run()
            }
        }
    }

    struct Reconnect: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "All clients are cut at once, miss some events, and resume: how long it takes, and what was lost.",
            discussion:
                "Each client needs an open file here and one at the worker; `ulimit -Hn` says how many there are.")

        @OptionGroup var target: BenchTarget
        @OptionGroup var security: BenchTLS

        @Option(help: "Clients.")
        var clients = 18_000

        @Option(help: "Topics; each client reads one.")
        var topics = 100

        @Option(help: "Events on each topic while everybody is away.")
        var missed = 5

        func validate() throws {
            guard clients > 0, topics > 0, missed > 0 else {
                throw ValidationError("--clients, --topics and --missed must be above 0")
            }
        }

        func run() throws {
            try target.measure(limits: BenchTarget.manyCommands, tls: security.tls) { hub in
                var configuration = ReconnectBench.Configuration(url: hub.url, token: hub.token)
                configuration.clients = clients
                configuration.topics = topics
                configuration.missed = missed
                configuration.servers = hub.servers
                configuration.trust = hub.trust
                configuration.isJSON = target.json
                return ReconnectBench(configuration).run()
            }
        }
    }

    struct Growth: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "The cost of a delivery from 100 to 16,000 watchers and from 100 to 10,000 vehicles, as a plot.",
            discussion: "Each point is a run of `city` on a hub of its own; all take some four minutes.")

        @OptionGroup var target: BenchTarget
        @OptionGroup var zones: BenchZones

        @Option(help: ArgumentHelp("Draw the costs into this file (SVG).", valueName: "file"))
        var plot: String?

        @Option(name: .customLong("for"), help: "Seconds measured at each point, after 3 s of warm-up.")
        var seconds = 6.0

        func validate() throws {
            guard target.url == nil else { throw ValidationError("growth starts its own hubs; leave --url out") }
        }

        func run() throws {
            var configuration = GrowthBench.Configuration { vehicles, watchers in
                try target.with(limits: BenchTarget.manyCommands + zones.limits) { hub in
                    var configuration = try zones.city(hub)
                    configuration.vehicles = vehicles
                    configuration.watchers = watchers
                    configuration.seconds = seconds
                    configuration.hasFloor = false
                    return try CityBench(configuration).measure()
                }
            }
            configuration.isJSON = target.json
            configuration.machine = Machine.description
            if let plot {
                configuration.plot = { try OutputFile.write(Array($0.utf8), to: plot) }
            }
            let code = GrowthBench(configuration).run()
            if code != 0 { throw ExitCode(code) }
        }
    }
}

extension BenchZones {
    /// A city with the hub's zones, or these.
    fileprivate func city(_ hub: BenchTarget.Hub) throws -> CityBench.Configuration {
        let settings = applied(to: hub.settings)
        var configuration = CityBench.Configuration(
            url: hub.url, zones: try CityZones.load(settings),
            zonesGeoJSON: try InputFile.read(settings.zones.file), token: hub.token)
        configuration.servers = hub.servers
        return configuration
    }
}

/// What this runs on, in a line.
enum Machine {
    static var description: String {
        let info = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        let model =
            info.split(separator: "\n").first { $0.hasPrefix("model name") }?.split(separator: ":").last?
            .trimmingCharacters(in: .whitespaces) ?? "unknown processor"
        let kernel = (try? String(contentsOfFile: "/proc/sys/kernel/osrelease", encoding: .utf8)) ?? ""
        let cores = ProcessInfo.processInfo.activeProcessorCount
        return "\(model), \(cores) cores, Linux \(kernel.trimmingCharacters(in: .whitespacesAndNewlines))"
    }
}
