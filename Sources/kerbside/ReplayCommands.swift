import ArgumentParser
import Domain
import Foundation
import Hub
import Replay
import Settings
import WebSocketServer

/// What `replay` and `simulate` have in common: which hub, how fast, how people behave, how it is shown.
struct PlayOptions: ParsableArguments {
    @OptionGroup var options: ConfigOptions

    @Option(
        help: ArgumentHelp(
            "The hub's WebSocket address; may be repeated. Otherwise the configured host and port.", valueName: "ws://…"
        ))
    var url: [String] = []

    @Flag(help: "Start a hub for this run, with its clock at the run's speed, and stop it in the end.")
    var ownHub = false

    @Option(help: "Hub seconds per second. A running hub must have been started with clock.scale at the same.")
    var speed = 1.0

    @Option(help: "The odds that a driver accepts an offer.")
    var accept = BehaviourModel().accept

    @Option(help: "The odds that a driver declines; what is left stays silent.")
    var decline = BehaviourModel().decline

    @Option(help: "The odds that a passenger cancels.")
    var cancel = BehaviourModel().cancel

    @Option(help: "The odds that a passenger has reserved the taxi ahead.")
    var reserve = BehaviourModel().reserve

    @Option(help: "How long before the time that was: from the least to the most, each a number with s, m or h.")
    var reserveAhead = "125m-12h"

    @Option(help: "Drivers whom the office blocks for a while, in an hour of hub time.")
    var blocks = BehaviourModel().blocksPerHour

    @Option(help: "Cuts of a client's link per minute.")
    var drops = BehaviourModel().dropsPerMinute

    @Option(help: "The same seed plays the same run.")
    var seed: UInt64 = 1

    @Option(help: "Seconds for what is still open at the end to come to its own end.")
    var patience = 90.0

    @Flag(help: "Print the result as JSON.")
    var json = false

    @Flag(help: "Take gaps that the hub tells of for no violation: after its Redis has lost data.")
    var gapsAllowed = false

    func validate() throws {
        guard speed >= 1, speed <= 1000 else { throw ValidationError("--speed \(speed): expected 1 to 1000") }
        guard patience >= 0 else { throw ValidationError("--patience \(patience): expected seconds") }
        guard Self.times(reserveAhead) != nil else {
            throw ValidationError("--reserve-ahead \(reserveAhead): expected two times, the shorter first: 2h-12h")
        }
        if let problem = behaviour.problem { throw ValidationError(problem) }
    }

    var behaviour: BehaviourModel {
        var behaviour = BehaviourModel()
        behaviour.accept = accept
        behaviour.decline = decline
        behaviour.cancel = cancel
        behaviour.blocksPerHour = blocks
        behaviour.dropsPerMinute = drops
        behaviour.reserve = reserve
        if let ahead = Self.times(reserveAhead) { behaviour.reserveAheadMs = ahead }
        return behaviour
    }

    private static func times(_ text: String) -> ClosedRange<Int64>? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map {
            Duration.milliseconds(String($0))
        }
        guard parts.count == 2, let least = parts[0], let most = parts[1], least <= most else { return nil }
        return Int64(least)...Int64(most)
    }

    /// Plays the source against the hub that is meant; ends the process' command with its exit code. `extra`: further
    /// settings of the run's own hub.
    func play(extra: [String] = [], _ source: (Settings) throws -> ScenarioSource) throws {
        let own = ownHub ? try OwnHub(options, with: ["clock.scale=\(speed)"] + extra) : nil
        let settings = try own?.settings ?? options.settings()
        defer { own?.stop() }
        let urls = url.isEmpty ? [HubAddress.url(settings)] : url
        let issuer = try TokenSource(settings)
        var configuration = ReplayConfiguration(
            source: try source(settings), urls: urls, city: settings.city.id,
            redis: try RedisLocation(settings).endpoint
        ) { issuer.token(role: $0, subject: $1) }
        configuration.minibusToken = { issuer.token(minibus: $0, seats: $1) }
        configuration.trust = HubAddress.trust(settings)
        if reserve > 0 { configuration.neighbours = try CityZones.load(settings).neighbours }
        configuration.speed = speed
        configuration.behaviour = behaviour
        configuration.seed = seed
        configuration.gapsAllowed = gapsAllowed
        configuration.settleSeconds = patience
        // A bus comes in minutes: who still waits for one gives up.
        if case .buses = configuration.source { configuration.graceSeconds = 2 }
        configuration.isJSON = json
        configuration.output = json ? .silent : Terminal.isInteractive ? .terminal : .lines
        let code = ReplayRun(configuration).run()
        own?.stop()
        if code != 0 { throw ExitCode(code) }
    }
}

struct Replay: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Plays recorded vehicles as live clients of a hub, and checks what came of it.",
        discussion: """
            Each vehicle connects as a driver and sends its recorded positions; where its meter turned on, a passenger \
            requests a ride. With --buses each bus is driven on its recorded trips instead, while citizens watch the lines \
            and ask for stops. Ends with a table, and with a failure if anything was lost, doubled or unfair.

            """ + TraceFormat.description + "\n\n" + BusReplay.description)

    @OptionGroup var common: PlayOptions

    @Argument(help: "The recording; - reads standard input.")
    var file: String?

    @OptionGroup(title: "Buses") var buses: BusReplay

    @Option(help: "The form of the recording: \(TraceFormat.allCases.map(\.rawValue).joined(separator: ", ")).")
    var format: String?

    @Option(
        name: [.long, .customLong("vehicles")],
        help: "The most vehicles: those with the most positions in that time.")
    var cabs = 200

    @Option(help: "Begin at this local time of the recording, HH:MM; otherwise at its busiest.")
    var from: String?

    @Option(name: .customLong("for"), help: "How much of the recording: a number with s, m or h.")
    var length = "1h"

    @Option(
        parsing: .unconditional,
        help: "Minutes that the recording's local time is ahead of UTC, for --from; negative in the west: -420.")
    var utcOffset: Int?

    @Option(help: "Positions further apart than this many seconds get others between them; 0 adds none.")
    var interpolate = 30.0

    func validate() throws {
        guard (file == nil) != (buses.path == nil) else {
            throw ValidationError("Give the recording of cabs, or --buses with that of buses.")
        }
    }

    func run() throws {
        guard let file else { return try playBuses() }
        var recording = ScenarioSource.Recording(bytes: try InputFile.recording(file))
        if let format {
            guard let known = TraceFormat(rawValue: format) else {
                throw ValidationError(
                    "--format \(format): expected one of \(TraceFormat.allCases.map(\.rawValue).joined(separator: ", "))"
                )
            }
            recording.format = known
        }
        recording.from = from
        recording.length = length
        recording.vehicles = cabs
        recording.utcOffsetMinutes = utcOffset
        recording.interpolateEverySeconds = interpolate
        let source = recording
        try common.play { _ in .recording(source) }
    }

    private func playBuses() throws {
        let (catalog, source) = try buses.source { source in
            source.from = from
            source.length = length
            source.vehicles = cabs
            if let utcOffset { source.utcOffsetMinutes = utcOffset }
        }
        // The clock of the run's own hub comes to the beginning when all are connected.
        let begin = try source.times().lowerBound - Int64(BusReplay.leadSeconds * 1000 * common.speed)
        try common.play(extra: ["clock.start=\(Instant(unixMs: begin))"]) { settings in
            try BusReplay.use(catalog, settings)
            return .buses(source)
        }
    }
}

struct Simulate: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Plays a city of its own making as live clients of a hub, and checks what came of it.",
        discussion: """
            Drivers move along a street grid over the hub's zones and wait at stands; passengers come by the hour. Ends \
            with a table, and with a failure if anything was lost, doubled or unfair.
            """)

    @OptionGroup var common: PlayOptions

    @Option(help: "Drivers.")
    var drivers = 60

    @Option(help: "Ride requests a second in the busiest hour, hub time.")
    var requests = 1.0

    @Option(
        name: .customLong("for"), help: "How long passengers come: seconds of hub time, or a number with s, m or h.")
    var length = "60s"

    @Option(help: "The hour of the day at which the city wakes up.")
    var hour = 18.0

    func run() throws {
        guard let milliseconds = Duration.milliseconds(length.last?.isNumber == true ? length + "s" : length) else {
            throw ValidationError("--for \(length): expected seconds, or a number with s, m or h")
        }
        try common.play { settings in
            var city = ScenarioSource.City(
                zones: try CityZones.load(settings), zonesGeoJSON: try InputFile.read(settings.zones.file))
            city.drivers = drivers
            city.requestsPerSecond = requests
            city.seconds = Double(milliseconds) / 1000
            city.startHour = hour
            return .city(city)
        }
    }
}
