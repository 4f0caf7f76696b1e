import ArgumentParser
import Domain
import Hub
import Settings

struct Stats: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Shows the administrators' figures: per line and day, passengers, requests, punctuality; of taxis and minibuses by the hour.",
        discussion: """
            The hub must be running here; programs elsewhere ask it for /v1/stats, with the token of an operator. Days are \
            those of the city's clock, and everything counts on the day on which it happens. Figures of taxis and of seats in \
            minibuses are a table for a spreadsheet (CSV), or JSON.
            """)

    @OptionGroup var options: ConfigOptions

    @Option(help: "The first day, as 2026-11-21; without it the last week is shown.")
    var from: String?

    @Option(help: "The last day; today without it.")
    var to: String?

    @Option(help: "This line only.")
    var line: String?

    @Flag(help: "What became of rides, by zone and hour, in the place of lines.")
    var taxis = false

    @Option(help: "With --taxis: this zone only.")
    var zone: String?

    @Flag(help: "What became of seats in minibuses, by route and hour, in the place of lines.")
    var seats = false

    @Option(help: "With --seats: this route only.")
    var route: String?

    @Flag(help: "All figures as a table for a spreadsheet (CSV).")
    var csv = false

    @Flag(help: "All figures as JSON.")
    var json = false

    func validate() throws {
        guard !csv || !json else { throw ValidationError("--csv or --json, not both") }
        guard !taxis || !seats else { throw ValidationError("--taxis or --seats, not both") }
        guard zone == nil || taxis else { throw ValidationError("--zone goes with --taxis") }
        guard route == nil || seats else { throw ValidationError("--route goes with --seats") }
        guard line == nil || !taxis && !seats else { throw ValidationError("--line goes without --taxis and --seats") }
    }

    func run() throws {
        let (from, to, line) = (from, to, line)
        if taxis || seats {
            let (isOfTaxis, zone, route) = (taxis, zone, route)
            let pages = try CatalogStore.run(try options.settings()) {
                isOfTaxis
                    ? try await $0.taxiStatistics(from: from, to: to, zone: zone)
                    : try await $0.seatStatistics(from: from, to: to, route: route)
            }
            Terminal.result(json ? pages.json + [UInt8(ascii: "\n")] : pages.csv)
            return
        }
        let pages = try CatalogStore.run(try options.settings()) {
            try await $0.statistics(from: from, to: to, line: line)
        }
        if csv || json {
            Terminal.result(json ? pages.json + [UInt8(ascii: "\n")] : pages.csv)
        } else {
            show(pages)
        }
    }

    private func show(_ pages: StatisticsPages) {
        guard !pages.rows.isEmpty else {
            return Terminal.line("nothing was counted from \(pages.from) to \(pages.to) (\(pages.timeZone))")
        }
        let head = [
            "date", "line", "passengers", "tours", "requests", "completed", "no-shows", "refused", "stops", "early",
            "on time", "late", "mean delay",
        ]
        let lines = pages.rows.map { row in
            [
                "\(row.date)", row.line, "\(row[.passengers])", "\(row[.toursStarted])", "\(row[.requested])",
                "\(row[.completed])", "\(row[.noShow])", "\(row.refused.values.reduce(0, +))", "\(row[.stopsPassed])",
                "\(row[.stopsEarly])", "\(row[.stopsOnTime])", "\(row[.stopsLate])",
                row.meanDelay.map { "\(Int($0.rounded())) s" } ?? "–",
            ]
        }
        let widths = head.indices.map { column in ([head] + lines).map { $0[column].count }.max() ?? 0 }
        for line in [head] + lines {
            let cells = line.enumerated().map { column, text in
                let space = String(repeating: " ", count: widths[column] - text.count)
                return column < 2 ? text + space : space + text
            }
            Terminal.line(cells.joined(separator: "  "))
        }
    }
}
