import Wire

/// What became of the rides that were asked for in a zone in an hour of the city's clock. taxi_figures.lua counts them.
public struct TaxiFigures: Equatable, Sendable {
    public let date: ServiceDate
    /// 0…23.
    public let hour: Int
    public let zone: String
    public let requested, accepted, ended, noShows, cancelled, failed: Int
    /// Seconds from request to acceptance, and from there to the taxi's arrival, in the mean; nil without any.
    public let meanAcceptSeconds, meanArriveSeconds: Double?

    /// Rides that a taxi took, and those for which none was found. What was taken back before that shows nobody where taxis are wanted: it costs
    /// who asks nothing, as often as it likes.
    public var demand: Int { accepted + failed }

    /// A field of a day's hash and its value; see ``HourField``. Nil: it is none.
    public init?(_ date: ServiceDate, _ field: String, _ value: String) {
        guard let field = HourField(field, value) else { return nil }
        let n = field.numbers
        self.date = date
        hour = field.hour
        zone = field.name
        (requested, accepted, ended, noShows, cancelled, failed) = (n[0], n[1], n[2], n[3], n[4], n[5])
        meanAcceptSeconds = n[7] > 0 ? Double(n[6]) / 1000 / Double(n[7]) : nil
        meanArriveSeconds = n[9] > 0 ? Double(n[8]) / 1000 / Double(n[9]) : nil
    }

    private static let columns = [
        "date", "hour", "zone", "requested", "accepted", "ended", "no_shows", "cancelled", "failed", "mean_accept_s",
        "mean_arrive_s",
    ]

    private var counts: [Int] { [requested, accepted, ended, noShows, cancelled, failed] }

    private var means: [Double?] { [meanAcceptSeconds, meanArriveSeconds].map { $0.map { ($0 * 10).rounded() / 10 } } }

    /// rows: by date, hour and zone.
    public static func json(_ rows: [TaxiFigures], from: ServiceDate, to: ServiceDate, timeZone: String) -> [UInt8] {
        var json = JSONWriter(capacity: 256 + rows.count * 192)
        json.beginFigures(from: from, to: to, timeZone: timeZone)
        json.key("hours")
        json.beginArray()
        for row in rows {
            json.beginObject()
            json.member("date", "\(row.date)")
            json.member("hour", row.hour)
            json.member("zone", row.zone)
            for (name, count) in zip(columns[3...], row.counts) {
                json.key(escaping: name)
                json.integer(Int64(count))
            }
            for (name, mean) in zip(columns[9...], row.means) {
                guard let mean else { continue }
                json.key(escaping: name)
                json.double(mean)
            }
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return json.bytes
    }

    /// RFC 4180, with a header, UTF-8.
    public static func csv(_ rows: [TaxiFigures]) -> [UInt8] {
        var text = columns.joined(separator: ",") + "\r\n"
        for row in rows {
            let values =
                ["\(row.date)", "\(row.hour)", SpreadsheetCell.text(row.zone)] + row.counts.map { "\($0)" }
                + row.means.map { $0.map { "\($0)" } ?? "" }
            text += values.joined(separator: ",") + "\r\n"
        }
        return Array(text.utf8)
    }
}
