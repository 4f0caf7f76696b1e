import ArgumentParser
import Domain
import EventLoop
import Foundation
import Hub
import RedisLink
import Wire

struct Tail: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints the city's events as they happen.",
        discussion: """
            PATTERN is a name of config/contract/events.yaml with * for one word and > for all that follow: 'ride.*', \
            'queue.joined', '>' (all). After ? it may have filters, as on events:<pattern>: 'stop.>?line=52'. Each of the options \
            below leaves only events that name one of those that it says.
            """)

    @OptionGroup var options: ConfigOptions

    @Argument(help: "Which events.")
    var pattern = ">"

    @Option(name: .shortAndLong, help: "Begin with so many events of the past.")
    var number = 10

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

    func run() throws {
        let settings = try options.settings()
        let selection: EventSelection
        do throws(EventSelection.Problem) {
            selection = try EventSelection(pattern)
        } catch {
            throw ValidationError("\(pattern): \(error.detail)")
        }
        let wishes = [
            (["driver", "bus", "vehicle"], driver), (["passenger", "citizen", "subject"], passenger),
            (["ride", "booking", "request"], ride), (["zone"], zone), (["line"], line),
        ].filter { !$0.1.isEmpty }
        let loop = try EventLoop()
        let tail = EventTail(settings: settings, loop: loop)
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
        try tail.run(past: number, of: isWanted) { printer.show($0) }
    }
}

/// One event, one line; the kinds are told apart by colour on a terminal.
struct EventPrinter {
    func show(_ event: CityEvent) {
        let seconds = Double(event.time) / 1000
        let time = Date(timeIntervalSince1970: seconds).formatted(
            .iso8601.time(includingFractionalSeconds: true).timeSeparator(.colon))
        let type = event.type.padding(toLength: 18, withPad: " ", startingAt: 0)
        Terminal.line("\(Terminal.coloured(time, 2)) \(Terminal.coloured(type, colour(event.type))) \(event.data)")
    }

    private func colour(_ type: String) -> Int {
        if type.hasSuffix("failed") || type.hasSuffix("refused") || type == "driver.away" { return 31 }
        if type.hasPrefix("offer.") { return 33 }
        if type.hasPrefix("ride.") { return 32 }
        return 36
    }
}
