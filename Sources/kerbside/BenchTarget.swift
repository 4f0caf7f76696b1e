import ArgumentParser
import Foundation
import Hub
import LoadBench
import Settings
import WebSocketServer

/// Which hub a benchmark measures.
struct BenchTarget: ParsableArguments {
    @OptionGroup var options: ConfigOptions

    @Option(help: ArgumentHelp("A running hub's WebSocket address.", valueName: "ws://…"))
    var url: String?

    @Option(help: "A process to account for, with --url; may be repeated.")
    var pid: [Int32] = []

    @Flag(help: "Print the result as JSON.")
    var json = false

    /// For an own hub, where the load of many comes from few connections.
    static let manyCommands = [
        "server.commands_per_second=1000000", "server.commands_burst=1000000",
        "server.service_commands_per_second=1000000", "server.max_connections_per_service=0",
        // Its rides end at once, and so do its bookings.
        "dispatch.free_cancels=100000",
    ]

    /// A hub that is measured.
    struct Hub {
        var settings: Settings
        var url: String
        var trust: ClientTrust
        var token: @Sendable (_ role: String, _ subject: String) -> String
        var servers: [ServerProcess]
    }

    /// Calls with the hub that is asked for, and ends the one that it has started itself. `limits` are set for that one, which
    /// speaks TLS with such a key if there is one. Another server than a hub needs no tokens.
    func with<Result>(
        limits: [String], tls: OwnCertificate.Key? = nil, needsTokens: Bool = true, _ body: (Hub) throws -> Result
    ) throws -> Result {
        var options = self.options
        if options.workers == nil { options.workers = 1 }
        let own = url == nil ? try OwnHub(options, with: limits, tls: tls) : nil
        let settings = try own?.settings ?? options.settings()
        defer { own?.stop() }
        let issuer = needsTokens ? try TokenSource(settings) : nil
        let servers =
            own?.children.map { ServerProcess(name: $0.name, pid: $0.pid) }
            ?? pid.map { ServerProcess(name: Self.name(of: $0), pid: $0) }
        return try body(
            Hub(
                settings: settings, url: url ?? HubAddress.url(settings), trust: HubAddress.trust(settings),
                token: { issuer?.token(role: $0, subject: $1) ?? "" }, servers: servers))
    }

    /// The same for a benchmark that prints its result, and fails with its code.
    func measure(
        limits: [String], tls: OwnCertificate.Key? = nil, needsTokens: Bool = true, _ body: (Hub) throws -> Int32
    ) throws {
        let code = try with(limits: limits, tls: tls, needsTokens: needsTokens, body)
        if code != 0 { throw ExitCode(code) }
    }

    /// What a process is called in the tables.
    private static func name(of pid: Int32) -> String {
        let command = (try? String(contentsOfFile: "/proc/\(pid)/comm", encoding: .utf8)) ?? "pid \(pid)"
        let name = command.trimmingCharacters(in: .whitespacesAndNewlines)
        return name == "kerbside" || name == "exe" ? "worker" : name.hasPrefix("redis") ? "redis" : name
    }
}

/// The zones of a city that is watched, where they are not those of the settings.
struct BenchZones: ParsableArguments {
    @Option(help: ArgumentHelp("Zones (GeoJSON) in place of the configured ones.", valueName: "file"))
    var zones: String?

    /// For an own hub: the same zones.
    var limits: [String] { zones.map { ["zones.file=\($0)"] } ?? [] }

    /// The settings with these zones.
    func applied(to settings: Settings) -> Settings {
        var settings = settings
        if let zones { settings.zones.file = zones }
        return settings
    }
}

/// Whether the hub of a benchmark speaks TLS.
struct BenchTLS: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "TLS, with a certificate that is made for the run, of a key of this kind (its own hub; another's --url says it).",
            valueName: "ec|rsa"))
    var tls: OwnCertificate.Key?
}
