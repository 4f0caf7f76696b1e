import Wire

/// What became of the seats in minibuses that were asked for on a route in an hour of the city's clock. seat_figures.lua counts them.
public struct SeatFigures: Equatable, Sendable {
    public let date: ServiceDate
    /// 0…23.
    public let hour: Int
    /// Empty: the minibus had announced none, or any was asked for and none was there.
    public let route: String
    /// `unmet`: no seat was free, or nobody goes there.
    public let requested, accepted, declined, unanswered, unmet, cancelled, aboard, ended: Int
    /// What passengers think of the route: how many, and their stars in all.
    public let ratings, stars: Int

    /// 1…5; nil without any.
    public var meanStars: Double? { Self.mean(stars, ratings) }

    /// A field of a day's hash and its value; see ``HourField``. Nil: it is none.
    public init?(_ date: ServiceDate, _ field: String, _ value: String) {
        guard let field = HourField(field, value) else { return nil }
        let n = field.numbers
        self.date = date
        hour = field.hour
        route = field.name
        (requested, accepted, declined, unanswered, unmet) = (n[0], n[1], n[2], n[3], n[4])
        (cancelled, aboard, ended, stars, ratings) = (n[5], n[6], n[7], n[8], n[9])
    }

    private static let columns = [
        "date", "hour", "route", "requested", "accepted", "declined", "unanswered", "unmet", "cancelled", "aboard",
        "ended", "ratings", "mean_stars",
    ]

    private var counts: [Int] {
        [requested, accepted, declined, unanswered, unmet, cancelled, aboard, ended, ratings]
    }

    private static func mean(_ stars: Int, _ ratings: Int) -> Double? {
        ratings > 0 ? (Double(stars) / Double(ratings) * 100).rounded() / 100 : nil
    }

    /// - Parameters:
    ///   - rows: by date, hour and route.
    ///   - unserved: nil: it is not told.
    public static func json(
        _ rows: [SeatFigures], unserved: UnservedWays?, from: ServiceDate, to: ServiceDate, timeZone: String
    ) -> [UInt8] {
        var json = JSONWriter(capacity: 256 + rows.count * 224)
        json.beginFigures(from: from, to: to, timeZone: timeZone)
        json.key("hours")
        json.beginArray()
        for row in rows { row.write(to: &json) }
        json.endArray()
        write(routes: rows, to: &json)
        unserved?.write(to: &json)
        json.endObject()
        return json.bytes
    }

    private func write(to json: inout JSONWriter) {
        json.beginObject()
        json.member("date", "\(date)")
        json.member("hour", hour)
        if !route.isEmpty { json.member("route", route) }
        for (name, count) in zip(Self.columns[3...], counts) {
            json.key(escaping: name)
            json.integer(Int64(count))
        }
        if let meanStars {
            json.key("mean_stars")
            json.double(meanStars)
        }
        json.endObject()
    }

    /// Of each route that was rated in these hours, how often, and what is thought of it.
    private static func write(routes rows: [SeatFigures], to json: inout JSONWriter) {
        var sums: [String: (ratings: Int, stars: Int)] = [:]
        for row in rows where row.ratings > 0 && !row.route.isEmpty {
            sums[row.route, default: (0, 0)].ratings += row.ratings
            sums[row.route, default: (0, 0)].stars += row.stars
        }
        json.key("routes")
        json.beginArray()
        for (route, sum) in sums.sorted(by: { $0.key < $1.key }) {
            json.beginObject()
            json.member("route", route)
            json.member("ratings", sum.ratings)
            if let mean = mean(sum.stars, sum.ratings) {
                json.key("mean_stars")
                json.double(mean)
            }
            json.endObject()
        }
        json.endArray()
    }

    /// RFC 4180, with a header, UTF-8.
    public static func csv(_ rows: [SeatFigures]) -> [UInt8] {
        var text = columns.joined(separator: ",") + "\r\n"
        for row in rows {
            let values =
                ["\(row.date)", "\(row.hour)", SpreadsheetCell.text(row.route)] + row.counts.map { "\($0)" }
                + [row.meanStars.map { "\($0)" } ?? ""]
            text += values.joined(separator: ",") + "\r\n"
        }
        return Array(text.utf8)
    }
}

/// From where to where people asked for seats in vain, by cells of some 500 m, added up over days that are past. seat_figures.lua notes who, by a
/// mark that is another one for each pair of cells and on each day, as a day has a secret of its own: no mark of one day can be one of another.
public struct UnservedWays: Equatable, Sendable {
    /// Fewer people of a day must not be told of: it would be known who wanted to go where. Nor may they be in a sum with other days, as the
    /// difference of two sums tells of them. Of two days nobody knows whether they were the same people.
    public static let fewest = 3
    /// So many are told, those of the most people.
    public static let most = 500

    /// A booking that was asked for shortly before midnight may be declined after it, and counts on the day before: seconds.
    private static let mostLate: Int64 = 3600

    /// How many asked, on those days that may be told of, by `<from> <to>`, each `<lat>,<lon>`. 0: on none of them.
    private var people: [String: Int] = [:]

    public init() {}

    /// A field of a day's hash: the two cells, and the marks of those who asked, each once and with spaces between. They are counted, and not
    /// kept: 5,000 pairs with a hundred people each are 5 MB a day.
    public mutating func add(_ field: String, _ marks: [UInt8]) {
        var (count, isInMark) = (0, false)
        for byte in marks {
            let isMark = byte != UInt8(ascii: " ")
            if isMark && !isInMark { count += 1 }
            isInMark = isMark
        }
        people[field, default: 0] += count >= Self.fewest ? count : 0
    }

    /// Those of the days whose counts grow no more: who reads a count that grows sees each person as it asks.
    /// - Parameter now: Unix seconds.
    public static func settled(_ dates: [ServiceDate], _ time: CityTime, now: Int64) -> [ServiceDate] {
        let running = time.date(at: now - mostLate)
        return dates.filter { $0 < running }
    }

    /// How many pairs have been read.
    public var count: Int { people.count }

    func write(to json: inout JSONWriter) {
        let told = people.filter { $0.value > 0 }.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        json.key("unserved")
        json.beginArray()
        for (way, people) in told.prefix(Self.most) {
            let ends = way.split(separator: " ").map { $0.split(separator: ",").compactMap { Double($0) } }
            guard ends.count == 2, ends.allSatisfy({ $0.count == 2 }) else { continue }
            json.beginObject()
            for (name, end) in zip(["from", "to"], ends) {
                json.key(escaping: name)
                json.beginObject()
                json.member("lat", end[0])
                json.member("lon", end[1])
                json.endObject()
            }
            json.member("people", people)
            json.endObject()
        }
        json.endArray()
    }
}
