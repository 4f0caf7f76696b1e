import Wire

/// What is counted for the administrators, per line and day of the city's time zone. Everything counts on the day on which
/// it happens. The names are those of the fields in Redis (figures.lua) and of the columns.
public enum Statistic: String, CaseIterable, Sendable {
    case toursStarted = "tours_started"
    case toursEnded = "tours_ended"
    /// Of those that ended: before the last stop of their way had become the next one.
    case toursCutShort = "tours_cut_short"
    /// Of those that ended: by themselves, because nothing was heard of them.
    case toursLost = "tours_lost"
    /// Who got on: of each tour the more of `boarded` and `fetched`, as a driver who counts seats counts those that are
    /// fetched, too. In a minibus: both.
    case passengers
    /// By the driver's count: every increase of the seats that are taken.
    case boarded
    /// Passengers of requests that were completed; in a minibus, of bookings that came aboard.
    case fetched
    /// Requests for a stop that were taken; a way back is one of its own. In a minibus, bookings.
    case requested
    case accepted
    // How requests ended. Some time after a day, all that were taken on it have.
    case declined
    case expired
    case completed
    case noShow = "no_show"
    case cancelled
    /// Stops that a tour came by, each once. The first counts when it is left, the last when it is stepped over or the
    /// driver ends the tour there.
    case stopsPassed = "stops_passed"
    case stopsSkipped = "stops_skipped"
    // Of those passed, where the delay was known.
    case stopsEarly = "stops_early"
    case stopsOnTime = "stops_on_time"
    case stopsLate = "stops_late"
}

/// The statistics of one line on one day.
public struct LineStatistics: Equatable, Sendable {
    public let date: ServiceDate
    public let line: String
    /// By the names in Redis; what is missing is 0.
    private var counts: [String: Int] = [:]
    /// Requests that were not taken, by the code of the refusal.
    public private(set) var refused: [String: Int] = [:]

    public init(date: ServiceDate, line: String) {
        self.date = date
        self.line = line
    }

    public subscript(statistic: Statistic) -> Int { counts[statistic.rawValue] ?? 0 }

    /// Stops passed for which the delay was known.
    public var judgedStops: Int { self[.stopsEarly] + self[.stopsOnTime] + self[.stopsLate] }

    /// Seconds, of all judged stops; negative when they are early. Nil without any.
    public var meanDelay: Double? {
        judgedStops > 0 ? Double(counts["delay_s"] ?? 0) / Double(judgedStops) : nil
    }

    /// Of a day's hash in Redis, `<line>|<name>` and number; sorted by line. What has no such form is left out.
    public static func day(_ date: ServiceDate, _ fields: [(name: String, value: Int)]) -> [LineStatistics] {
        var lines: [String: LineStatistics] = [:]
        for (field, value) in fields {
            guard let bar = field.lastIndex(of: "|") else { continue }
            let line = String(field[..<bar])
            let name = field[field.index(after: bar)...]
            if name.hasPrefix(refusal) {
                lines[line, default: LineStatistics(date: date, line: line)]
                    .refused[String(name.dropFirst(refusal.count))] = value
            } else {
                lines[line, default: LineStatistics(date: date, line: line)].counts[String(name)] = value
            }
        }
        return lines.values.sorted { $0.line < $1.line }
    }

    private static let refusal = "refused:"

    /// The fields that a line may have in a day's hash: by them it is read without all others.
    public static func fields(of line: String) -> [String] { names.map { "\(line)|\($0)" } }

    private static let names =
        Statistic.allCases.map(\.rawValue) + ["delay_s"] + ErrorCode.allCases.map { refusal + $0.rawValue }
}
