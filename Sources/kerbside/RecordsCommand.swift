import ArgumentParser
import Foundation
import Hub
import Records
import Settings
import Wire

struct RecordsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "records",
        abstract: "Prints what is recorded, the latest first, as a table for a spreadsheet (CSV).",
        discussion: """
            Of rides, bookings (seats in minibuses), stops (on request), reservations or tours (of buses). Read from the database \
            (store.url): the hub need not run. Operators elsewhere send records.list. Times are Unix milliseconds of the hub's clock.
            """)

    @OptionGroup var options: ConfigOptions

    @Argument(help: "rides, bookings, stops, reservations or tours.")
    var kind: String

    @Option(help: "Only those of this driver.")
    var driver: String?

    @Option(help: "Only those of this passenger.")
    var passenger: String?

    @Option(help: "Only those of this zone.")
    var zone: String?

    @Option(help: "Only those of this line.")
    var line: String?

    @Option(help: "At or after this time, as 2026-11-21 or 2026-11-21T08:00:00Z.")
    var from: String?

    @Option(help: "Before this time.")
    var to: String?

    @Option(name: .shortAndLong, help: "So many at most.")
    var number = 50

    @Flag(help: "Each as a JSON object on a line.")
    var json = false

    func validate() throws {
        guard (1...10_000_000).contains(number) else { throw ValidationError("--number: expected 1 to 10000000") }
        _ = try query()
    }

    func run() throws {
        let query = try query()
        let store = try RecordsLook.open(try options.settings())
        defer { store.close() }
        let columns = query.kind.columns
        if !json { Terminal.line(columns.joined(separator: ",")) }
        for row in try store.rows(query) {
            Terminal.line(
                json ? RecordText.object(row, columns) : row.map(RecordText.cell).joined(separator: ","))
        }
    }

    private func query() throws -> RecordQuery {
        guard let kind = RecordQuery.Kind(rawValue: kind) else {
            throw ValidationError("\(kind): expected rides, bookings, stops, reservations or tours")
        }
        var query = RecordQuery(kind)
        for (filter, value) in [
            (RecordQuery.Filter.driver, driver), (.passenger, passenger), (.zone, zone), (.line, line),
        ] {
            guard let value, !query.only(filter, value) else { continue }
            throw ValidationError("--\(filter): \(kind) have none")
        }
        query.from = try RecordText.time("--from", from)
        query.to = try RecordText.time("--to", to)
        query.limit = Int64(number)
        return query
    }
}

/// How rows of the records are printed, and times asked for.
enum RecordText {
    static func time(_ option: String, _ text: String?) throws -> Int64? {
        guard let text else { return nil }
        guard let instant = Instant(text.utf8.count == 10 ? text + "T00:00:00Z" : text) else {
            throw ValidationError(
                "\(option) \(text): expected a day like 2026-11-21, or a time like 2026-11-21T08:00:00Z")
        }
        return instant.unixMs
    }

    /// A row as a JSON object. Columns without a value are left out.
    static func object(_ row: [SQLValue], _ columns: [String]) -> String {
        var members = JSONObject()
        for (column, value) in zip(columns, row) {
            switch value {
            case .null: continue
            case .integer(let number): members[column] = .number(Double(number))
            case .real(let number): members[column] = .number(number)
            case .text(let text): members[column] = .string(text)
            }
        }
        return JSONValue.object(members).description
    }

    static func cell(_ value: SQLValue) -> String {
        switch value {
        case .null: ""
        case .integer(let number): String(number)
        case .real(let number): number.description
        case .text(let text): SpreadsheetCell.text(text)
        }
    }
}
