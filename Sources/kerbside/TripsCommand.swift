import ArgumentParser
import Foundation
import Hub
import Records
import Settings
import Wire

struct Trips: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows the taxi trips that are recorded, the latest first.",
        discussion: """
            Read from the database (store.url): the hub need not run. Times are those of the hub's clock, in UTC; a day like \
            2026-11-21 begins at its midnight.
            """)

    @OptionGroup var options: ConfigOptions

    @Option(help: "Only those of this driver.")
    var driver: String?

    @Option(help: "Only those of this passenger.")
    var passenger: String?

    @Option(help: "Requested at or after this time, as 2026-11-21 or 2026-11-21T08:00:00Z.")
    var from: String?

    @Option(help: "Requested before this time.")
    var to: String?

    @Option(name: .shortAndLong, help: "So many at most.")
    var number = 50

    @Flag(help: "All columns as a table for a spreadsheet (CSV).")
    var csv = false

    @Flag(help: "Each trip as a JSON object on a line.")
    var json = false

    func validate() throws {
        guard !csv || !json else { throw ValidationError("--csv or --json, not both") }
        guard (1...10_000_000).contains(number) else { throw ValidationError("--number: expected 1 to 10000000") }
        _ = try query()
    }

    func run() throws {
        let settings = try options.settings()
        let store = try RecordsLook.open(settings)
        defer { store.close() }
        let rows = try store.rows(try query())
        if csv { Terminal.line(Self.columns.joined(separator: ",")) }
        for row in rows {
            if json {
                Terminal.line(RecordText.object(row, Self.columns))
            } else if csv {
                Terminal.line(row.map(RecordText.cell).joined(separator: ","))
            }
        }
        if !json && !csv { show(rows, of: RecordsLook.name(settings)) }
    }

    private static let columns = RecordQuery.Kind.rides.columns

    private func query() throws -> RecordQuery {
        var query = RecordQuery(.rides)
        if let driver { query.only(.driver, driver) }
        if let passenger { query.only(.passenger, passenger) }
        query.from = try RecordText.time("--from", from)
        query.to = try RecordText.time("--to", to)
        query.limit = Int64(number)
        return query
    }

    /// Hundredths as `12.50 EUR`.
    private func fare(_ amount: SQLValue, _ currency: SQLValue) -> String {
        guard let amount = amount.integer else { return "–" }
        return "\(amount / 100)." + String(100 + amount % 100).dropFirst() + " " + (currency.text ?? "")
    }

    private func payment(_ method: SQLValue, _ state: SQLValue) -> String {
        [method.text, state.text].compactMap { $0 }.joined(separator: " ")
    }

    private func show(_ rows: [[SQLValue]], of store: String) {
        guard !rows.isEmpty else { return print("no trips are recorded that fit, in \(store)") }
        let head = [
            "requested", "trip", "passenger", "driver", "zone", "accepted", "arrived", "aboard", "ended", "fare",
            "payment",
            "outcome",
        ]
        let lines = rows.map { row in
            func value(_ column: String) -> SQLValue { row[Self.columns.firstIndex(of: column) ?? 0] }
            let requested = value("requested_at").integer
            /// Since the request, as m:ss.
            func after(_ column: String) -> String {
                guard let requested, let at = value(column).integer else { return "–" }
                let seconds = (at - requested) / 1000
                return "\(seconds / 60):" + String(100 + seconds % 60).dropFirst()
            }
            let time = requested.map { Instant(unixMs: $0).description } ?? "–"
            let how = [value("outcome").text ?? "open", value("ended_by").text, value("reason").text]
            return [time] + ["id", "passenger", "driver", "zone"].map { value($0).text ?? "–" }
                + ["accepted_at", "arrived_at", "aboard_at", "ended_at"].map(after)
                + [fare(value("fare"), value("currency")), payment(value("payment"), value("payment_state"))]
                + [how.compactMap { $0 }.joined(separator: " ")]
        }
        let widths = head.indices.map { column in ([head] + lines).map { $0[column].count }.max() ?? 0 }
        for line in [head] + lines {
            let cells = zip(line, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
            var text = cells.joined(separator: "  ")
            while text.last == " " { text.removeLast() }
            print(text)
        }
        print("\(rows.count == 1 ? "1 trip" : "\(rows.count) trips") of \(store)")
    }
}
