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
    @OptionGroup var past: PastOptions

    @Flag(help: "All columns as a table for a spreadsheet (CSV).")
    var csv = false

    @Flag(help: "Each trip as a JSON object on a line.")
    var json = false

    func validate() throws {
        guard !csv || !json else { throw ValidationError("--csv or --json, not both") }
        _ = try past.query(.rides)
    }

    func run() throws {
        let settings = try options.settings()
        let query = try past.query(.rides)
        let store = try RecordsLook.open(settings)
        defer { store.close() }
        let rows = try store.rows(query)
        if csv || json { query.print(rows, isJSON: json) } else { show(rows, of: RecordsLook.name(settings)) }
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
        guard !rows.isEmpty else { return Terminal.line("no trips are recorded that fit, in \(store)") }
        let head = [
            "requested", "trip", "passenger", "driver", "zone", "accepted", "arrived", "aboard", "ended", "fare",
            "payment",
            "outcome",
        ]
        let columns = RecordQuery.Kind.rides.columns
        let lines = rows.map { row in
            func value(_ column: String) -> SQLValue { row[columns.firstIndex(of: column) ?? 0] }
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
            Terminal.line(text)
        }
        Terminal.line("\(rows.count == 1 ? "1 trip" : "\(rows.count) trips") of \(store)")
    }
}
