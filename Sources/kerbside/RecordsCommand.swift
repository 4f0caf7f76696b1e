import ArgumentParser
import Hub
import Records
import Settings
import Wire

struct RecordsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "records",
        abstract: "Prints what is recorded, the latest first, as a table for a spreadsheet (CSV).",
        discussion: """
            Of rides, bookings (seats in minibuses), stops (on request), reservations, tours (of buses), alarms or reports (of \
            incidents). Read from the database (store.url): the hub need not run. Operators elsewhere send records.list. Times are Unix milliseconds of the hub's clock.
            """)

    @OptionGroup var options: ConfigOptions
    @OptionGroup var past: PastOptions

    @Argument(help: "rides, bookings, stops, reservations, tours, alarms or reports.")
    var kind: String

    @Option(help: "Only those of this zone.")
    var zone: String?

    @Option(help: "Only those of this line.")
    var line: String?

    @Flag(help: "Each as a JSON object on a line.")
    var json = false

    func validate() throws { _ = try query() }

    func run() throws {
        let query = try query()
        let store = try RecordsLook.open(try options.settings())
        defer { store.close() }
        query.print(try store.rows(query), isJSON: json)
    }

    private func query() throws -> RecordQuery {
        guard let kind = RecordQuery.Kind(rawValue: kind) else {
            throw ValidationError("\(kind): expected rides, bookings, stops, reservations, tours, alarms or reports")
        }
        return try past.query(kind, zone: zone, line: line)
    }
}
