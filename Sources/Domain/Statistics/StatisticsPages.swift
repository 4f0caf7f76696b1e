import Wire

/// The administrators' statistics as they are told: JSON, or CSV for a spreadsheet.
public struct StatisticsPages: Sendable {
    /// By date, then by line. A line that had nothing to count on a day has no row.
    public var rows: [LineStatistics]
    /// Both included.
    public var from: ServiceDate
    public var to: ServiceDate
    /// Of the dates.
    public var timeZone: String
    /// A stop left more than this before its time counts as early, and more than that after it as late: seconds.
    public var earlySeconds: Int
    public var lateSeconds: Int

    public init(
        _ rows: [LineStatistics], from: ServiceDate, to: ServiceDate, timeZone: String, earlySeconds: Int,
        lateSeconds: Int
    ) {
        self.rows = rows
        self.from = from
        self.to = to
        self.timeZone = timeZone
        self.earlySeconds = earlySeconds
        self.lateSeconds = lateSeconds
    }

    // MARK: JSON

    public var json: [UInt8] {
        var json = JSONWriter(capacity: 256 + rows.count * 512)
        json.beginFigures(from: from, to: to, timeZone: timeZone)
        json.key("on_time")
        json.beginObject()
        json.member("early_s", earlySeconds)
        json.member("late_s", lateSeconds)
        json.endObject()
        json.key("days")
        json.beginArray()
        for row in rows { Self.write(row, to: &json) }
        json.endArray()
        json.endObject()
        return json.bytes
    }

    private static func write(_ row: LineStatistics, to json: inout JSONWriter) {
        json.beginObject()
        json.member("date", "\(row.date)")
        json.member("line", row.line)
        for statistic in [Statistic.passengers, .boarded, .fetched] {
            member(statistic.rawValue, statistic, row, &json)
        }
        json.key("tours")
        json.beginObject()
        for statistic in [Statistic.toursStarted, .toursEnded, .toursCutShort, .toursLost] {
            member(String(statistic.rawValue.dropFirst("tours_".count)), statistic, row, &json)
        }
        json.endObject()
        json.key("requests")
        json.beginObject()
        for statistic in [Statistic.requested, .accepted, .declined, .expired, .completed, .noShow, .cancelled] {
            member(statistic.rawValue, statistic, row, &json)
        }
        json.key("refused")
        json.beginObject()
        for (code, count) in row.refused.sorted(by: { $0.key < $1.key }) {
            json.key(escaping: code)
            json.integer(Int64(count))
        }
        json.endObject()
        json.endObject()
        json.key("punctuality")
        json.beginObject()
        for statistic in [Statistic.stopsPassed, .stopsEarly, .stopsOnTime, .stopsLate, .stopsSkipped] {
            member(String(statistic.rawValue.dropFirst("stops_".count)), statistic, row, &json)
        }
        if let mean = row.meanDelay { json.member("mean_delay_s", (mean * 10).rounded() / 10) }
        json.endObject()
        json.endObject()
    }

    private static func member(_ name: String, _ statistic: Statistic, _ row: LineStatistics, _ json: inout JSONWriter)
    {
        json.key(escaping: name)
        json.integer(Int64(row[statistic]))
    }

    // MARK: CSV

    /// Why requests are refused, each with a column of its own; others share the last.
    public static let refusals = [
        "no_driver", "outside_hours", "stop_passed", "off_route", "seats_full", "already_requested", "not_found",
        "not_available", "too_many_passengers", "bad_message",
    ]

    /// The first line.
    public static let columns: [String] =
        ["date", "line"] + Statistic.allCases.map(\.rawValue) + ["mean_delay_s"] + refusals.map { "refused_" + $0 }
        + ["refused_other"]

    /// RFC 4180, with a header, UTF-8.
    public var csv: [UInt8] {
        var text = Self.columns.joined(separator: ",") + "\r\n"
        for row in rows {
            text += Self.values(of: row).joined(separator: ",") + "\r\n"
        }
        return Array(text.utf8)
    }

    /// In the order of ``columns``. Only texts are marked: a negative mean is a number.
    private static func values(of row: LineStatistics) -> [String] {
        let named = refusals.map { row.refused[$0] ?? 0 }
        let other = row.refused.values.reduce(0, +) - named.reduce(0, +)
        let mean = row.meanDelay.map { "\(($0 * 10).rounded() / 10)" } ?? ""
        return ["\(row.date)", SpreadsheetCell.text(row.line)] + Statistic.allCases.map { "\(row[$0])" } + [mean]
            + (named + [other]).map { "\($0)" }
    }
}
