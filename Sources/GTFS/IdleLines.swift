public import Domain

/// The lines of a feed on which nobody can ride for some days: they are lost in silence when their calendar ends, or when no
/// trip of theirs can be used.
public struct IdleLines: Equatable, Sendable {
    public struct Line: Equatable, Sendable {
        public let id: String
        public let name: String
        /// Why, as a sentence goes on after the name.
        public let reason: String
    }

    /// Sorted by id.
    public internal(set) var all: [Line] = []
    /// Of so many lines.
    public internal(set) var known = 0
    /// The days that were looked at; nil: none were.
    public internal(set) var days: ClosedRange<ServiceDate>?

    /// `2 of 6 lines have no ride on any day from 2026-11-23 to 2026-12-22`; nil when there are none.
    public var summary: String? {
        guard let days, !all.isEmpty else { return nil }
        let lines =
            known == 1 ? "the only line has" : "\(all.count) of \(known) lines \(all.count == 1 ? "has" : "have")"
        return "\(lines) no ride on any day from \(days.lowerBound) to \(days.upperBound)"
    }

    /// For people: what it is, and those with the same reason on one line.
    var lines: [String] {
        guard let summary else { return [] }
        let groups = Dictionary(grouping: all, by: \.reason).sorted { $0.value[0].id < $1.value[0].id }
        return ["WARNING: \(summary)"]
            + groups.map { reason, lines in
                let names = lines.map { line in
                    FeedReport.shortened(line.name == line.id ? line.id : "\(line.id) (\(line.name))")
                }
                return "WARNING: \(lines.count == 1 ? "line" : "lines") \(names.joined(separator: ", ")): \(reason)"
            }
    }
}

extension GTFSReader {
    /// Said in the report, loudly: a feed may well be in order and yet leave a line without a bus.
    func noteIdleLines(of catalog: Catalog) {
        guard let today = options.today, options.limits.daysWithRides > 0 else { return }
        let first = catalog.services.values.compactMap(\.firstDay).min() ?? today
        let from = max(today, first)
        let days = from...(from + (options.limits.daysWithRides - 1))
        report.idle.days = days
        report.idle.known = routes.count
        for (index, route) in routes.enumerated() {
            guard let reason = reasonWithoutRide(index, catalog, days) else { continue }
            report.idle.all.append(.init(id: route.line, name: route.name, reason: reason))
        }
        report.idle.all.sort { $0.id < $1.id }
    }

    /// Why nobody can ride with a route on any of the days; nil when somebody can.
    private func reasonWithoutRide(_ index: Int, _ catalog: Catalog, _ days: ClosedRange<ServiceDate>) -> String? {
        let lost = lost[index].map { trips, reason in
            "\(trips == 1 ? "a trip is" : "\(trips) trips are") left out, \(trips == 1 ? "" : "the first ")for \(reason)"
        }
        guard let line = catalog.lines[routes[index].line] else {
            return FeedReport.shortened(lost ?? "trips.txt has no trip of it")
        }
        let services = Set(line.trips.lazy.map(\.service)).union(line.onDemand.lazy.map(\.service))
            .compactMap { catalog.services[$0] }
        let next = services.compactMap { $0.firstDay(from: days.lowerBound) }.min()
        if let next, next <= days.upperBound { return nil }
        let last = services.compactMap(\.lastDay).max()
        let when =
            next.map { "the next day on which something runs is \($0)" }
            ?? last.map { "the last day on which something runs was \($0)" } ?? "its calendar has no day"
        return FeedReport.shortened(([when] + [lost].compactMap { $0 }).joined(separator: "; "))
    }
}
