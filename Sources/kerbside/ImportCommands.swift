import ArgumentParser
import Domain
import Foundation
import GTFS
import Hub
import Settings

struct Import: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Takes over the lines of a city: whole, or not at all.", subcommands: [Feed.self, Form.self])

    struct Feed: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "gtfs",
            abstract: "Imports lines, stops and schedules from a GTFS feed: a .zip or a folder.",
            discussion: """
                Replaces all lines; buses stay, as a feed knows none. What can't be right is left out and said with its \
                file, line and reason. A feed that is broken, or would lose too many of its trips, is refused, and the old \
                lines stay. A line on which nothing runs for a month is a WARNING, and --check fails. The hub must be \
                running; its clients are told at once (catalog.changed).
                """)

        @OptionGroup var options: ConfigOptions

        @Argument(help: "The feed: a .zip file or a folder.")
        var feed: String

        @Flag(help: "Only say what would come of it; needs no hub. Fails also when a line would have no ride.")
        var check = false

        @Option(help: "What runs here by schedule: bus or minibus. A feed does not tell.")
        var kind = BusKind.bus

        @Option(help: ArgumentHelp("How many of the trips may be left out, percent.", valueName: "percent"))
        var maxSkipped = 10

        @Option(
            help: ArgumentHelp("Days ahead in which each line must have a ride; 0: don't ask.", valueName: "days"))
        var days = FeedLimits().daysWithRides

        func validate() throws {
            guard (0...3660).contains(days) else { throw ValidationError("--days \(days): expected 0 to 3660") }
            guard (0...100).contains(maxSkipped) else {
                throw ValidationError("--max-skipped \(maxSkipped): expected 0 to 100")
            }
            guard kind != .flex else { throw ValidationError("--kind flex: a feed says itself what runs on request") }
        }

        func run() throws {
            let began = ContinuousClock.now
            var feedOptions = FeedOptions()
            feedOptions.kind = kind
            feedOptions.today = ServiceDate(days: Int(Date.now.timeIntervalSince1970 / 86_400))
            feedOptions.limits.maxSkippedShare = Double(maxSkipped) / 100
            feedOptions.limits.daysWithRides = days
            let catalog: Catalog
            let idle: String?
            do throws(FeedRefusal) {
                let (read, report) = try GTFSReader.read(try FeedFiles(path: feed), options: feedOptions)
                for line in report.lines {
                    Terminal.line((line, line.hasPrefix("WARNING") ? 31 : nil))
                }
                (catalog, idle) = (read, report.idle.summary)
            } catch {
                throw CommandFailure("\(feed) is refused, and the old lines stay: \(error)")
            }
            guard check else {
                return try CatalogImport.use(catalog, keepsBuses: true, try options.settings(), from: feed, began, idle)
            }
            if let idle { throw CommandFailure("\(feed): \(idle); \(CatalogDescription(catalog))") }
            Terminal.line("\(feed): good; \(CatalogDescription(catalog))")
        }
    }

    struct Form: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "yaml",
            abstract: "Imports the lines of a small community from a file written by hand.",
            discussion: """
                config/lines-example.yaml shows the form. Replaces all lines, and the buses if the file names any. The hub \
                must be running; its clients are told at once (catalog.changed).
                """)

        @OptionGroup var options: ConfigOptions

        @Argument(help: "The YAML file; - reads standard input.")
        var file: String

        @Flag(help: "Only say what would come of it; needs no hub.")
        var check = false

        func run() throws {
            let began = ContinuousClock.now
            let community: CatalogYAML
            do {
                let text = String(decoding: try InputFile.read(file), as: UTF8.self)
                community = try CatalogYAML(yaml: text, name: file)
            } catch let error as CatalogYAML.Problems {
                for problem in error.problems { Terminal.warn(problem) }
                throw CommandFailure("\(file) is refused, and the old lines stay")
            }
            if check {
                Terminal.line("\(file): good; \(CatalogDescription(community.catalog))")
            } else {
                try CatalogImport.use(
                    community.catalog, keepsBuses: !community.namesBuses, try options.settings(), from: file, began)
            }
        }
    }
}

/// Hands a catalog to the hub and says what came of it.
enum CatalogImport {
    static func use(
        _ catalog: Catalog, keepsBuses: Bool, _ settings: Settings, from source: String,
        _ began: ContinuousClock.Instant, _ warning: String? = nil
    ) throws {
        let (imported, lost, changed) = try CatalogStore.run(settings) { store in
            let old = try await store.loadBuses()
            var new = catalog
            let lost = keepsBuses ? new.keepBuses(of: old) : []
            return (new, lost, try await store.use(new, replacing: old.version))
        }
        for bus in lost { Terminal.line("noted: bus \(bus) has no line now, as its line is not in \(source)") }
        let took = (ContinuousClock.now - began).formatted(
            .units(allowed: [.seconds], width: .narrow, fractionalPart: .show(length: 1)))
        let what = changed.isEmpty ? "nothing has changed" : "changed: \(changed.joined(separator: ", "))"
        let loud = warning.map { "; WARNING: \($0)" } ?? ""
        Terminal.line("\(source): imported in \(took); \(CatalogDescription(imported)); \(what)\(loud)")
    }
}

/// A catalog in a line: `118 lines, 236 trips …`.
struct CatalogDescription: CustomStringConvertible {
    let description: String

    init(_ catalog: Catalog) {
        let trips = catalog.lines.values.lazy.map(\.trips.count).reduce(0, +)
        let onRequest = catalog.lines.values.lazy.map(\.onDemand.count).reduce(0, +)
        var parts = [
            Self.count(catalog.lines.count, "line"), Self.count(catalog.stops.count, "stop"), Self.count(trips, "trip"),
        ]
        if onRequest > 0 { parts.append(Self.count(onRequest, "ride") + " on request") }
        if !catalog.buses.isEmpty {
            parts.append(catalog.buses.count == 1 ? "1 bus" : "\(catalog.buses.count) buses")
        }
        description = parts.joined(separator: ", ")
    }

    private static func count(_ number: Int, _ what: String) -> String { "\(number) \(what)\(number == 1 ? "" : "s")" }
}
