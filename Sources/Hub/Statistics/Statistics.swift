import Dispatch
import Domain
import EventLoop
import RedisLink
import Settings
import Telemetry
import WebSocketServer

/// The administrators' statistics over HTTP: `/v1/stats` of lines, `/v1/stats/taxis` of taxis, `/v1/stats/seats` of seats in minibuses, for
/// operators and services with their token in the header.
final class Statistics: Capability {
    let services: WorkerServices
    /// A year of a big city's figures takes some ten MB: one reading at a time, and of each reader one more that waits.
    private let readings = SubjectTurns(most: 1, mostOfSubject: 1)
    /// Of taxis there is a row for each hour and zone: a year of a city's is a hundred megabytes, which nobody reads at once. Of seats there is one
    /// for each hour and route.
    private static let mostRows = 20_000
    /// Of lines there is one for each day and line: so many are 20 MB.
    private static let mostOfLines = 50_000
    /// What was read is taken apart and put together here: a year of a big city's is a second and more, in which a worker would tell nobody anything.
    private let thread = DispatchQueue(label: "kerbside.figures")
    /// Who asked for so much waits until it is paid, up to half a minute.
    private static let mostFillings = 30.0

    /// What figures are asked for.
    private enum Subject {
        case lines, taxis, seats

        private static let paths: [String: Subject] = [
            "/v1/stats": .lines, "/v1/stats/taxis": .taxis, "/v1/stats/seats": .seats,
        ]

        /// Nil: the path is none of theirs.
        init?(_ path: String) {
            guard let subject = Self.paths[path.hasSuffix(".csv") ? String(path.dropLast(4)) : path] else { return nil }
            self = subject
        }

        /// The parameter that asks for one of many.
        var one: String {
            switch self {
            case .lines: "line"
            case .taxis: "zone"
            case .seats: "route"
            }
        }
    }

    /// What one reader asks for.
    private struct Question {
        let query: StatisticsQuery
        let isCSV: Bool
        /// Who pays.
        let reader: String
        /// Once: it ends the reading.
        let answer: (HTTPResponse) -> Void
    }

    /// The hash of a day.
    private struct Day<Row: Sendable> {
        let key: (_ date: String) -> String
        /// Those that are read; nil: all.
        let fields: [String]?
        /// There is a row for each of these: an hour and a zone. The second is the parameter that asks for one of many.
        let each: (String, one: String)
        /// Rows of all days.
        let most: Int
        let rows: @Sendable (ServiceDate, [(String, String)]) -> [Row]
    }

    /// What has been read, day by day.
    private final class Rows<Row> {
        var all: [Row] = []
    }

    /// What was made of a reply, and what it costs to have read that.
    private struct Reading<Found: Sendable>: Sendable {
        let found: Found
        let price: Double
    }

    init(_ services: WorkerServices) { self.services = services }

    func answer(_ request: HTTPRequest, _ answer: @escaping (HTTPResponse) -> Void) -> Bool {
        guard let subject = Subject(request.path) else { return false }
        tell(subject, request, answer)
        return true
    }

    private func tell(_ subject: Subject, _ request: HTTPRequest, _ answer: @escaping (HTTPResponse) -> Void) {
        let reader: String
        switch self.reader(of: request, for: "the figures") {
        case .refused(let refusal): return answer(refusal)
        case .allowed(let subject): reader = subject
        }
        guard catalog.isKnown, services.clock.isSet else {
            return answer(.linesNotRead)
        }
        let query: StatisticsQuery
        do throws(StatisticsQuery.Problem) {
            query = try StatisticsQuery(
                request.query, today: catalog.time.date(at: now() / 1000), oneOf: subject.one)
        } catch {
            return answer(.problem(400, "Bad request", error.detail))
        }
        // Of seats there is more to read of a day than its hours: see `readWays`.
        let days = query.dates.count * (subject == .seats && query.line == nil ? 2 : 1)
        let price = CommandPrice.figures(days: days)
        if let debt = services.budgets.debt(forReadingsOf: reader, givingBack: 0) { return answer(.refusal(debt)) }
        if let refusal = services.budgets.take(price, ofReader: reader) { return answer(.refusal(refusal)) }
        let isCSV = Self.wantsCSV(request)
        let isTaken = readings.add(services.budgets.budget(ofReader: reader)) { ended in
            // The reader's last reading has been paid by now.
            if let refusal = self.services.budgets.debt(forReadingsOf: reader, givingBack: price) {
                answer(.refusal(refusal))
                return false
            }
            let question = Question(query: query, isCSV: isCSV, reader: reader) { response in
                self.charge(CommandPrice.figures(bytes: response.body.count), reader)
                answer(response)
                ended()
            }
            switch subject {
            case .lines: self.tellLines(question)
            case .taxis: self.tellTaxis(question)
            case .seats: self.tellSeats(question)
            }
            return true
        }
        guard !isTaken else { return }
        answer(.problem(503, "Busy", "Other figures are being read now; ask again in a moment."))
    }

    private func charge(_ price: Double, _ reader: String) {
        services.budgets.charge(price, forReadingsOf: reader, most: Self.mostFillings)
    }

    /// Calls `then` on the loop with what `work` finds on the thread.
    private func aside<Found: Sendable>(_ work: @escaping @Sendable () -> Found, _ then: @escaping (Found) -> Void) {
        let answer = LoopAnswer(give: then)
        thread.async { [loop] in
            let found = work()
            loop.submit { answer.give(found) }
        }
    }

    private func give(_ question: Question, _ table: @escaping @Sendable () -> [UInt8]) {
        aside(table) { question.answer(Self.table(question.isCSV, $0)) }
    }

    /// A line that the catalog has no more has its figures all the same.
    private func tellLines(_ question: Question) {
        let query = question.query
        let day = Day(
            key: keys.statistics, fields: query.line.map(LineStatistics.fields), each: ("day", one: "line"),
            most: Self.mostOfLines
        ) { date, fields in
            LineStatistics.day(
                date, fields.compactMap { name, value in Int(value).map { (name: name, value: $0) } })
        }
        readDays(day, question) { rows in
            if let line = query.line, rows.isEmpty, self.catalog.current.lines[line] == nil {
                guard !self.catalog.isBehind else { return question.answer(.linesNotRead) }
                return question.answer(
                    .problem(404, "Not found", "\(self.settings.city.id) has no line \(line)."))
            }
            let pages = StatisticsPages(
                rows, from: query.from, to: query.to, timeZone: self.catalog.current.timeZone,
                earlySeconds: self.settings.statistics.earlyS, lateSeconds: self.settings.statistics.lateS)
            let isCSV = question.isCSV
            self.give(question) { isCSV ? pages.csv : pages.json }
        }
    }

    private static func wantsCSV(_ request: HTTPRequest) -> Bool {
        request.path.hasSuffix(".csv") || MediaPreference(request.header("accept")).prefersCSV
    }

    private static var away: HTTPResponse {
        .problem(503, "Not available", "The hub can't reach its store now; ask again in a moment.")
    }

    private static func table(_ isCSV: Bool, _ body: [UInt8]) -> HTTPResponse {
        HTTPResponse(
            status: 200, contentType: isCSV ? "text/csv; charset=utf-8; header=present" : "application/json",
            headers: [("Cache-Control", "no-store"), ("Vary", "Accept")], body: body)
    }

    private func tellTaxis(_ question: Question) {
        let query = question.query
        let day = Day(
            key: keys.taxis, fields: query.line.map(RedisReply.hours), each: ("hour", one: "zone"), most: Self.mostRows
        ) { date, fields in
            fields.compactMap { TaxiFigures(date, $0, $1) }.sorted { ($0.hour, $0.zone) < ($1.hour, $1.zone) }
        }
        readDays(day, question) { rows in
            if let zone = query.line, rows.isEmpty, self.zones.set?.zones.contains(where: { $0.id == zone }) != true {
                return question.answer(
                    .problem(404, "Not found", "\(self.settings.city.id) has no zone \(zone)."))
            }
            let (isCSV, zone) = (question.isCSV, self.catalog.current.timeZone)
            self.give(question) {
                isCSV
                    ? TaxiFigures.csv(rows)
                    : TaxiFigures.json(rows, from: query.from, to: query.to, timeZone: zone)
            }
        }
    }

    /// A route is by the name that drivers announce, so there is none that is not known. From where to where people asked in vain is of all
    /// routes, and of none.
    private func tellSeats(_ question: Question) {
        let query = question.query
        let day = Day(
            key: keys.seats, fields: query.line.map(RedisReply.hours), each: ("hour", one: "route"), most: Self.mostRows
        ) { date, fields in
            fields.compactMap { SeatFigures(date, $0, $1) }.sorted { ($0.hour, $0.route) < ($1.hour, $1.route) }
        }
        readDays(day, question) { rows in
            guard query.line == nil, !question.isCSV else { return self.tellSeats(question, rows, nil) }
            let settled = UnservedWays.settled(query.dates, self.catalog.time, now: self.now() / 1000)
            self.findDays(settled, self.keys.vain) { dates in
                guard let dates else { return question.answer(Self.away) }
                self.readWays(question, dates[...], UnservedWays()) { ways in
                    guard let ways else { return question.answer(Self.away) }
                    self.tellSeats(question, rows, ways)
                }
            }
        }
    }

    private func tellSeats(_ question: Question, _ rows: [SeatFigures], _ unserved: UnservedWays?) {
        let (query, isCSV, zone) = (question.query, question.isCSV, catalog.current.timeZone)
        give(question) {
            isCSV
                ? SeatFigures.csv(rows)
                : SeatFigures.json(rows, unserved: unserved, from: query.from, to: query.to, timeZone: zone)
        }
    }

    /// Of so many pairs of cells as there may be rows.
    private func readWays(
        _ question: Question, _ dates: ArraySlice<ServiceDate>, _ known: UnservedWays,
        _ then: @escaping (UnservedWays?) -> Void
    ) {
        guard let date = dates.first, known.count <= Self.mostRows else { return then(known) }
        let makeWays: @Sendable (RedisReply) -> UnservedWays = { reply in
            var ways = known
            let parts = reply.array ?? []
            for place in stride(from: 0, to: parts.count - 1, by: 2) {
                ways.add(parts[place].text ?? "", parts[place + 1].bytes ?? [])
            }
            return ways
        }
        read(keys.vain("\(date)"), nil, for: question.reader, makeWays) { ways in
            guard let ways else { return then(nil) }
            self.readWays(question, dates.dropFirst(), ways, then)
        }
    }

    /// The rows of all days, for `then`. Where there are too many, or Redis is away, that is the answer.
    private func readDays<Row: Sendable>(_ day: Day<Row>, _ question: Question, _ then: @escaping ([Row]) -> Void) {
        findDays(question.query.dates, day.key) { dates in
            guard let dates else { return question.answer(Self.away) }
            self.read(day, question, dates[...], Rows()) { rows in
                guard let rows else { return question.answer(Self.away) }
                guard rows.count <= day.most else {
                    return question.answer(
                        .problem(
                            400, "Bad request",
                            "parameters `from` and `to`: there are more than \(day.most) rows, one for each \(day.each.0) and \(day.each.one). Ask for fewer days, or for one `\(day.each.one)`, at a time."
                        ))
                }
                then(rows)
            }
        }
    }

    /// Those of the days that have figures, asked for in one go: to read one that has none by itself takes many times as long. nil: Redis is away.
    private func findDays(
        _ dates: [ServiceDate], _ key: (_ date: String) -> String, _ then: @escaping ([ServiceDate]?) -> Void
    ) {
        guard !dates.isEmpty else { return then([]) }
        var (found, left, isAway): ([ServiceDate], Int, Bool) = ([], dates.count, false)
        for date in dates {
            commands.send(["EXISTS", RedisArgument(key("\(date)"))]) { result in
                if case .success(let reply) = result {
                    if reply.int == 1 { found.append(date) }
                } else {
                    isAway = true
                }
                left -= 1
                if left == 0 { then(isAway ? nil : found) }
            }
        }
    }

    /// One day after the other, so that Redis serves others in between. It ends with the day that makes it too many rows. nil: Redis is away.
    private func read<Row: Sendable>(
        _ day: Day<Row>, _ question: Question, _ dates: ArraySlice<ServiceDate>, _ rows: Rows<Row>,
        _ then: @escaping ([Row]?) -> Void
    ) {
        guard let date = dates.first, rows.all.count <= day.most else { return then(rows.all) }
        let (fields, rowsOf) = (day.fields, day.rows)
        let makeRows: @Sendable (RedisReply) -> [Row] = { rowsOf(date, $0.fields(named: fields)) }
        read(day.key("\(date)"), fields, for: question.reader, makeRows) { found in
            guard let found else { return then(nil) }
            rows.all += found
            self.read(day, question, dates.dropFirst(), rows, then)
        }
    }

    /// Reads a hash, or these fields of it. Whatever the answer will be, it is paid at once. `then` gets what is made of it on the thread; nil: Redis
    /// is away.
    private func read<Found: Sendable>(
        _ key: String, _ fields: [String]?, for reader: String, _ make: @escaping @Sendable (RedisReply) -> Found,
        _ then: @escaping (Found?) -> Void
    ) {
        let names = fields.map { $0.map { RedisArgument($0) } }
        commands.send([names == nil ? "HGETALL" : "HMGET", RedisArgument(key)] + (names ?? [])) { result in
            guard case .success(let reply) = result else { return then(nil) }
            self.aside({ Reading(found: make(reply), price: reply.figuresPrice) }) { reading in
                self.charge(reading.price, reader)
                then(reading.found)
            }
        }
    }
}

extension RedisReply {
    /// Of `taxis:<date>`, in no order.
    func taxiFigures(of date: ServiceDate) -> [TaxiFigures] {
        fields().compactMap { TaxiFigures(date, $0, $1) }
    }

    /// The fields of the hours of a zone or route, as figures by the hour have them.
    static func hours(of one: String) -> [String] { (0..<24).map { "\($0)|\(one)" } }

    /// Names and values of a hash that was read whole, or of those of some fields that it has.
    func fields(named names: [String]? = nil) -> [(String, String)] {
        let parts = array ?? []
        if let names { return zip(names, parts).compactMap { name, value in value.text.map { (name, $0) } } }
        return stride(from: 0, to: parts.count - 1, by: 2).map { (parts[$0].text ?? "", parts[$0 + 1].text ?? "") }
    }

    /// What it costs to have read it as figures.
    var figuresPrice: Double {
        let parts = (array ?? []).compactMap(\.bytes)
        return CommandPrice.figures(read: parts.count, bytes: parts.reduce(0) { $0 + $1.count })
    }

    /// Of a hash with whole numbers.
    var statistics: [(name: String, value: Int)] {
        let fields = array ?? []
        return stride(from: 0, to: fields.count - 1, by: 2).compactMap { place in
            guard let name = fields[place].text, let value = fields[place + 1].int else { return nil }
            return (name, Int(value))
        }
    }
}

/// Which of two forms a client wants, by its `Accept` (RFC 9110 12.5.1).
struct MediaPreference: Equatable {
    private var json = 0.0
    private var csv = 0.0

    init(_ accept: String?) {
        // How exactly each was named: the sharper one counts.
        var sharpness = (json: 0, csv: 0)
        for range in (accept ?? "").utf8.split(separator: 44, maxSplits: 64).prefix(64) {
            let parts = range.split(separator: 59).map { part in
                String(decoding: part.filter { $0 != 32 && $0 != 9 }, as: UTF8.self).lowercased()
            }
            guard let name = parts.first else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            let level = name == "*/*" ? 1 : name.hasSuffix("/*") ? 2 : 3
            if ["*/*", "application/*", "application/json"].contains(name), level > sharpness.json {
                (json, sharpness.json) = (weight, level)
            }
            if ["*/*", "text/*", "text/csv"].contains(name), level > sharpness.csv {
                (csv, sharpness.csv) = (weight, level)
            }
        }
    }

    var prefersCSV: Bool { csv > json }
}
