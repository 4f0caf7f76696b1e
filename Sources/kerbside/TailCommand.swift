import ArgumentParser
import Domain
import EventLoop
import Foundation
import Hub
import RedisLink
import Settings
import Tokens
import WebSocketServer
import Wire

struct Tail: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints the city's events as they happen.",
        discussion: """
            PATTERN is a name of config/contract/events.yaml with * for one word and > for all that follow: 'ride.*', \
            'queue.joined', '>' (all). After ? it may have filters, as on events:<pattern>: 'stop.>?line=52'. Each of the options \
            below leaves only events that name one of those that it says.

            It reads the store of the hub on this machine, or with --url any hub, as an operator or a service: from there \
            come passengers and what people wrote only if the token has the scope events:personal.
            """)

    @OptionGroup var options: ConfigOptions

    @Argument(help: "Which events.")
    var pattern = ">"

    @Option(name: .shortAndLong, help: "Begin with so many events of the past (without --url).")
    var number = 10

    @Option(help: ArgumentHelp("Of this hub, over the network.", valueName: "wss://…/v1/connect"))
    var url: String?

    @Option(
        help: "With --url: a file with the token, for its owner alone (mode 0600); it is read again at each connection."
    )
    var tokenFile: String?

    @Option(help: "With --url: begin here: a seq, a time in Unix ms, or 0 for the oldest event that is kept.")
    var since: String?

    @Option(help: "With --url: a PEM file with the certificates to trust, instead of those of the system.")
    var trust: String?

    @Option(help: "Events of this driver or vehicle.")
    var driver: [String] = []

    @Option(help: "Events of this passenger or citizen.")
    var passenger: [String] = []

    @Option(help: "Events of this ride, booking or request for a stop.")
    var ride: [String] = []

    @Option(help: "Events of this zone.")
    var zone: [String] = []

    @Option(help: "Events of this line.")
    var line: [String] = []

    func validate() throws {
        _ = try selection()
        guard url == nil else {
            guard tokenFile != nil else {
                throw ValidationError(
                    "--url needs --token-file: a token would be read by everybody in the list of processes")
            }
            guard url?.hasPrefix("ws://") != true || isHere else {
                throw ValidationError("--url: the token would cross the network in clear text: expected wss://")
            }
            return
        }
        for (name, value) in [("--token-file", tokenFile), ("--since", since), ("--trust", trust)] where value != nil {
            throw ValidationError("\(name) is for a hub over the network: give its --url, too")
        }
    }

    func run() throws {
        let selection = try selection()
        let wishes = [
            (["driver", "bus", "vehicle"], driver), (["passenger", "citizen", "subject"], passenger),
            (["ride", "booking", "request"], ride), (["zone"], zone), (["line"], line),
        ].filter { !$0.1.isEmpty }
        let loop = try EventLoop()
        let printer = EventPrinter()
        let isWanted = { (event: CityEvent) in
            guard selection.pattern.matches(event.type) else { return false }
            return Array(event.data.utf8).withUnsafeBytes { data in
                selection.passes(data)
                    && wishes.allSatisfy { fields, ids in
                        JSONMembers.texts(of: fields, in: data).contains { ids.contains($0) }
                    }
            }
        }
        if let url, let tokenFile {
            let token = try Self.token(in: tokenFile)
            if !passenger.isEmpty, TokenPeek.namesNobody(token) {
                Terminal.warn(
                    "--passenger: nothing will come, as this token has no scope events:personal; kerbside token … --scope events:personal makes one"
                )
            }
            let tail = try NetworkTail(
                loop: loop, url: url, trust: trust.map { .file($0) } ?? .system, channel: "events:" + pattern,
                zones: zone, since: since, token: { try Self.token(in: tokenFile) },
                show: { if isWanted($0) { printer.show($0) } })
            return try tail.run()
        }
        let settings = try options.settings()
        if !zone.isEmpty, let city = try? CityZones.load(settings) {
            let known = Set(city.zones.map(\.id))
            for id in zone where !known.contains(id) { Terminal.warn(Self.noZone(id)) }
        }
        let tail = EventTail(settings: settings, loop: loop)
        try tail.run(past: number, of: isWanted) { printer.show($0) }
    }

    private func selection() throws -> EventSelection {
        do throws(EventSelection.Problem) { return try EventSelection(pattern) } catch {
            throw ValidationError("\(pattern): \(error.detail)")
        }
    }

    static func noZone(_ id: String) -> String {
        "--zone \(id): the city has no such zone now, so nothing will come of it; GET /v1/zones has them all"
    }

    /// Whether the hub is on this machine.
    private var isHere: Bool {
        guard let host = url.flatMap({ URL(string: $0) })?.host(percentEncoded: false) else { return false }
        return Settings.isLoopback(host)
    }

    private static func token(in file: String) throws -> String {
        let bytes = try SecretFile.read(
            file, maxBytes: 65_536, harm: "whoever reads it can act with its token", remedy: "have a new token made")
        return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}

/// What a token says of itself. Only the hub can tell whether that is true.
enum TokenPeek {
    /// Whether it has no scope for the fields that name persons; false also for what can't be read.
    static func namesNobody(_ token: String) -> Bool {
        let parts = token.split(separator: ".")
        guard parts.count == 3 else { return false }
        var text = String(parts[1]).replacing("-", with: "+").replacing("_", with: "/")
        while text.utf8.count % 4 != 0 { text += "=" }
        guard let bytes = Data(base64Encoded: text), let claims = try? JSONValue(parsing: [UInt8](bytes)) else {
            return false
        }
        let scopes = claims["scope"]?.text?.split(separator: " ") ?? []
        return !scopes.contains { $0 == TokenScope.personalEvents.rawValue }
    }
}

/// One event, one line; the kinds are told apart by colour on a terminal.
struct EventPrinter {
    func show(_ event: CityEvent) {
        let seconds = Double(event.time) / 1000
        let time = Date(timeIntervalSince1970: seconds).formatted(
            .iso8601.time(includingFractionalSeconds: true).timeSeparator(.colon))
        let type = event.type.printable.padding(toLength: 18, withPad: " ", startingAt: 0)
        Terminal.line((time, 2), (type, colour(event.type)), (event.data, nil))
    }

    private func colour(_ type: String) -> Int {
        if type.hasSuffix("failed") || type.hasSuffix("refused") || type == "driver.away" { return 31 }
        if type.hasPrefix("offer.") { return 33 }
        if type.hasPrefix("ride.") { return 32 }
        return 36
    }
}
