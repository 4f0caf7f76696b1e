import ArgumentParser
import Domain
import Hub
import Settings

struct Lines: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows lines and buses, and changes small things by hand.",
        discussion: "The hub must be running; its clients are told of a change at once (catalog.changed).",
        subcommands: [
            List.self, Show.self, SetBus.self, RemoveBus.self, SetLine.self, RemoveLine.self, SetStop.self,
            SetDay.self,
        ])

    /// Loads the catalog, changes it, and takes it into use; refused when somebody else changed it meanwhile.
    static func edit(
        _ options: ConfigOptions, _ change: @escaping @Sendable (inout Catalog) throws -> Void
    ) throws {
        let changed = try CatalogStore.run(try options.settings()) { store in
            let old = try await store.load()
            var new = old
            do { try change(&new) } catch let error as CatalogEditError { throw CommandFailure("\(error)") }
            guard new != old else { return [String]() }
            return try await store.use(new, replacing: old.version)
        }
        Terminal.line(changed.isEmpty ? "nothing has changed" : "changed: \(changed.joined(separator: ", "))")
    }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists the lines and the buses.")
        @OptionGroup var options: ConfigOptions

        func run() throws {
            let catalog = try CatalogStore.run(try options.settings()) { try await $0.load() }
            guard !catalog.version.isEmpty else {
                return Terminal.line("no lines yet: kerbside import gtfs FEED, or kerbside import yaml FILE")
            }
            for line in catalog.lines.values.sorted(by: { $0.id < $1.id }) {
                let name =
                    line.longName.isEmpty || line.longName == line.name ? line.name : "\(line.name), \(line.longName)"
                Terminal.line(
                    "line \(line.id): \(name); \(line.kind.rawValue), \(line.trips.count + line.onDemand.count) trips")
            }
            for bus in catalog.buses.values.sorted(by: { $0.id < $1.id }) {
                let line = bus.line.map { "line \($0)" } ?? "no line"
                Terminal.line("bus \(bus.id): \(bus.plate ?? "no plate"), \(bus.seats) seats, \(line)")
            }
            Terminal.line("\(CatalogDescription(catalog)); times are of \(catalog.timeZone)")
        }
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows a line: its ways with their stops, and the days on which it runs.")
        @OptionGroup var options: ConfigOptions
        @Argument(help: "The line's id.") var line: String

        func run() throws {
            let catalog = try CatalogStore.run(try options.settings()) { try await $0.load() }
            guard let line = catalog.lines[line] else {
                throw CommandFailure("there is no line \(line); kerbside lines list has them")
            }
            Terminal.line("\(line.name) \(line.longName)")
            for (index, pattern) in line.patterns.enumerated() {
                let trips = line.trips.filter { $0.pattern == index }
                let runs = trips.map { $0.frequencies.isEmpty ? 1 : $0.starts.count }.reduce(0, +)
                Terminal.line(
                    "\n→ \(pattern.headsign) (direction \(pattern.direction)): \(runs) runs in \(trips.count) trips")
                for (place, stop) in pattern.stops.enumerated() {
                    let name = catalog.stops[stop.stop]?.name ?? ""
                    let first = trips.first.map { Self.time(($0.starts.first ?? 0) + $0.times[place].departure) } ?? ""
                    Terminal.line("  \(Int(stop.distance)) m  \(first)  \(name) (\(stop.stop))")
                }
            }
            for run in line.onDemand {
                Terminal.line("\non request, \(run.id):")
                for place in run.places {
                    let places = place.area.map { line.areas[$0].name } ?? place.stops.joined(separator: ", ")
                    let notice = place.rule.flatMap { line.rules[$0].noticeMinutes }.map { ", booked \($0) min ahead" }
                    Terminal.line("  \(Self.time(place.opens))–\(Self.time(place.closes))  \(places)\(notice ?? "")")
                }
            }
            let services = Set(line.trips.map(\.service) + line.onDemand.map(\.service)).sorted()
            for id in services {
                guard let service = catalog.services[id] else { continue }
                let days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"].enumerated()
                    .filter { service.weekdays & 1 << $0.offset != 0 }.map(\.element)
                Terminal.line(
                    "\ndays \(id): \(days.joined(separator: " ")) from \(service.start) until \(service.end), "
                        + "\(service.added.count) added, \(service.removed.count) removed")
            }
        }

        private static func time(_ seconds: Int) -> String {
            let minutes = seconds / 60 % 60
            return "\(seconds / 3600):\(minutes < 10 ? "0" : "")\(minutes)"
        }
    }

    struct SetBus: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Adds a bus, or changes what is given of one.",
            discussion: "An empty value takes a detail away: --photo ''.")
        @OptionGroup var options: ConfigOptions
        @Argument(help: "The bus' id: 1 to 64 of A-Z a-z 0-9 _ . : -") var bus: String
        @Option(help: "Number plate.") var plate: String?
        @Option(help: "Colour, as '#00a070'.") var color: String?
        @Option(help: "Address (URL) of a picture.") var photo: String?
        @Option(help: "Seats for passengers, 1 to 99; needed for a new bus.") var seats: Int?
        @Option(help: "The line that it usually runs.") var line: String?

        func run() throws {
            let (id, plate, color, photo, seats, line) = (bus, plate, color, photo, seats, line)
            try Lines.edit(options) { catalog in
                let old = catalog.buses[id]
                guard let count = seats ?? old?.seats else {
                    throw CommandFailure("bus \(id) is new: say how many seats it has, --seats 8")
                }
                func detail(_ new: String?, _ old: String?) -> String? { new.map { $0.isEmpty ? nil : $0 } ?? old }
                let made = detail(color, old?.color)
                try catalog.set(
                    Bus(
                        id: id, plate: detail(plate, old?.plate), photo: detail(photo, old?.photo),
                        color: made.map { Catalog.color($0) ?? $0 }, seats: count, line: detail(line, old?.line)))
            }
        }
    }

    struct RemoveBus: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Removes a bus.")
        @OptionGroup var options: ConfigOptions
        @Argument(help: "The bus' id.") var bus: String

        func run() throws {
            let id = bus
            try Lines.edit(options) { try $0.removeBus(id) }
        }
    }

    struct SetLine: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Changes what is given of a line.")
        @OptionGroup var options: ConfigOptions
        @Argument(help: "The line's id.") var line: String
        @Option(help: "Short name, as on the bus.") var name: String?
        @Option(help: "Long name.") var longName: String?
        @Option(help: "Colour, as '#00a070'.") var color: String?
        @Option(help: "bus, minibus or flex.") var kind: BusKind?

        func run() throws {
            let (id, name, longName, color, kind) = (line, name, longName, color, kind)
            try Lines.edit(options) {
                try $0.setLine(id, name: name, longName: longName, color: color, kind: kind)
            }
        }
    }

    struct RemoveLine: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Removes a line, and the stops and days that only this line has.",
            discussion: "This can't be taken back but by an import, so it asks for --yes.")
        @OptionGroup var options: ConfigOptions
        @Argument(help: "The line's id.") var line: String
        @Flag(help: "Really remove it.") var yes = false

        func run() throws {
            guard yes else { throw CommandFailure("line \(line) would be gone until the next import; say --yes") }
            let id = line
            try Lines.edit(options) { try $0.removeLine(id) }
        }
    }

    struct SetStop: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Renames a stop, or moves it by up to 100 m.")
        @OptionGroup var options: ConfigOptions
        @Argument(help: "The stop's id.") var stop: String
        @Option(help: "Name.") var name: String?
        @Option(parsing: .unconditional, help: "Degrees north, with --lon.") var lat: Double?
        @Option(parsing: .unconditional, help: "Degrees east, with --lat.") var lon: Double?

        func validate() throws {
            guard (lat == nil) == (lon == nil) else { throw ValidationError("--lat and --lon belong together") }
        }

        func run() throws {
            let (id, name) = (stop, name)
            let point = lat.flatMap { lat in lon.map { GeoPoint(lat: lat, lon: $0) } }
            try Lines.edit(options) { try $0.setStop(id, name: name, point: point) }
        }
    }

    struct SetDay: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Says that trips run, or don't, on a day, whatever their weekdays are.",
            discussion: "Trips that run on the same days share a service; kerbside lines show LINE names it.")
        @OptionGroup var options: ConfigOptions
        @Argument(help: "The service's id.") var service: String
        @Argument(help: "The day, as 2026-12-24.") var day: String
        @Flag(inversion: .prefixedNo, help: "Whether the trips run on that day.") var runs: Bool

        func run() throws {
            guard let date = ServiceDate(day) else {
                throw ValidationError("\(day): expected a day such as 2026-12-24")
            }
            let (id, runs) = (service, runs)
            try Lines.edit(options) { try $0.setDay(id, date, runs: runs) }
        }
    }
}
