import ArgumentParser
import Domain
import Records
import Settings
import Wire

/// Which rows of the records are asked for, and how they are printed, but for tables for people.
struct PastOptions: ParsableArguments {
    @Option(help: "Only those of this driver.")
    var driver: String?

    @Option(help: "Only those of this passenger.")
    var passenger: String?

    @Option(help: "Only the one with this id.")
    var record: String?

    @Option(help: "At or after this time, as 2026-11-21 or 2026-11-21T08:00:00Z.")
    var from: String?

    @Option(help: "Before this time.")
    var to: String?

    @Option(name: .shortAndLong, help: "So many at most.")
    var number = 50

    /// Throws what is wrong with the options.
    func query(_ kind: RecordQuery.Kind, zone: String? = nil, line: String? = nil) throws -> RecordQuery {
        guard (1...10_000_000).contains(number) else { throw ValidationError("--number: expected 1 to 10000000") }
        var query = RecordQuery(kind)
        if let missing = query.choose(driver: driver, passenger: passenger, zone: zone, line: line, record: record) {
            throw ValidationError("--\(missing): \(kind) have none")
        }
        query.from = try Self.time("--from", from)
        query.to = try Self.time("--to", to)
        query.limit = Int64(number)
        return query
    }

    private static func time(_ option: String, _ text: String?) throws -> Int64? {
        guard let text else { return nil }
        guard let instant = Instant(text.utf8.count == 10 ? text + "T00:00:00Z" : text) else {
            throw ValidationError(
                "\(option) \(text): expected a day like 2026-11-21, or a time like 2026-11-21T08:00:00Z")
        }
        return instant.unixMs
    }
}

extension RecordQuery {
    /// Each row as a JSON object on a line; else all as a table for a spreadsheet (CSV) with its header.
    func print(_ rows: [[SQLValue]], isJSON: Bool) {
        if !isJSON { Terminal.result(kind.columns.joined(separator: ",") + "\n") }
        for row in rows {
            if isJSON {
                var json = JSONWriter()
                write(row, into: &json)
                Terminal.result(json.bytes + [UInt8(ascii: "\n")])
            } else {
                Terminal.result(row.map(Self.cell).joined(separator: ",") + "\n")
            }
        }
    }

    private static func cell(_ value: SQLValue) -> String {
        switch value {
        case .null: ""
        case .integer(let number): String(number)
        case .real(let number): number.description
        case .text(let text): SpreadsheetCell.text(text)
        }
    }
}
