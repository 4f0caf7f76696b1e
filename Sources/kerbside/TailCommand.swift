import ArgumentParser
import Domain
import EventLoop
import Foundation
import Hub
import RedisLink

struct Tail: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints the city's events as they happen.",
        discussion: "PATTERN is a type of event like 'ride.*', 'queue.joined' or '*' (all).")

    @OptionGroup var options: ConfigOptions

    @Argument(help: "Which events.")
    var pattern = "*"

    @Option(name: .shortAndLong, help: "Begin with so many events of the past.")
    var number = 10

    func run() throws {
        let settings = try options.settings()
        guard let topic = TopicPattern(pattern) else {
            throw ValidationError(
                "\(pattern): expected names with dots, and * for one or more of them, such as 'ride.*'")
        }
        let loop = try EventLoop()
        let tail = EventTail(settings: settings, loop: loop)
        let printer = EventPrinter()
        try tail.run(past: number, of: topic.matches) { printer.show($0) }
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
