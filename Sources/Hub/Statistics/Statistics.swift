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
    /// A year of a big city's figures takes some ten MB: one at a time.
    private var isReading = false
    /// Who waits for that, one reading of each, in the order in which they came.
    private var waiting: [(reader: String, read: () -> Void)] = []
    private static let mostWaiting = 16
    /// Of taxis there is a row for each hour and zone: a year of a city's is a hundred megabytes, which nobody reads at once. Of seats there is one
    /// for each hour and route.
    private static let mostRows = 20_000
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
            return answer(.problem(503, "Not ready", "The lines are not read yet; ask again in a second."))
        }
        let query: StatisticsQuery
        do throws(StatisticsQuery.Problem) {
            query = try StatisticsQuery(
                request.query, today: catalog.time.date(at: now() / 1000), oneOf: subject.one)
        } catch {
            return answer(.problem(400, "Bad request", error.detail))
        }
        // Of seats there is more to read of a day than its hours: see `unserved`.
        let days = query.dates.count * (subject == .seats && query.line == nil ? 2 : 1)
        if let refusal = services.budgets.take(CommandPrice.figures(days: days), ofReader: reader) {
            return answer(.refusal(refusal))
        }
        let charged = { (response: HTTPResponse) in
            self.services.budgets.charge(
                CommandPrice.figures(bytes: response.body.count), ofReader: reader,
                most: Self.mostFillings)
            answer(response)
        }
        guard isReading else { return tell(subject, query, request, charged) }
        guard waiting.count < Self.mostWaiting, !waiting.contains(where: { $0.reader == reader }) else {
            return answer(.problem(503, "Busy", "Other figures are being read now; ask again in a moment."))
        }
        waiting.append((reader, { self.tell(subject, query, request, charged) }))
    }

    /// Calls `then` on the loop with what `work` finds on the thread.
    private func aside<Found: Sendable>(_ work: @escaping @Sendable () -> Found, _ then: @escaping (Found) -> Void) {
        let answer = LoopAnswer(give: then)
        thread.async { [loop] in
            let found = work()
            loop.submit { answer.give(found) }
        }
    }

    /// Tells the table, and lets the next one read.
    private func give(
        _ isCSV: Bool, _ answer: @escaping (HTTPResponse) -> Void, _ table: @escaping @Sendable () -> [UInt8]
    ) {
        aside(table) { body in
            self.end(answer, Self.table(isCSV, body))
        }
    }

    private func end(_ answer: (HTTPResponse) -> Void, _ response: HTTPResponse) {
        isReading = false
        answer(response)
        if !waiting.isEmpty { waiting.removeFirst().read() }
    }

    private func tell(
        _ subject: Subject, _ query: StatisticsQuery, _ request: HTTPRequest, _ answer: @escaping (HTTPResponse) -> Void
    ) {
        isReading = true
        switch subject {
        case .lines: tellLines(query, request, answer)
        case .taxis: tellTaxis(query, request, answer)
        case .seats: tellSeats(query, request, answer)
        }
    }

    private func tellLines(
        _ query: StatisticsQuery, _ request: HTTPRequest, _ answer: @escaping (HTTPResponse) -> Void
    ) {
        let isCSV = Self.wantsCSV(request)
        read(query, of: query.dates[...], Rows()) { rows in
            guard let rows else { return self.end(answer, Self.away) }
            if let line = query.line, rows.isEmpty, self.catalog.current.lines[line] == nil {
                return self.end(answer, .problem(404, "Not found", "\(self.settings.city.id) has no line \(line)."))
            }
            let pages = StatisticsPages(
                rows, from: query.from, to: query.to, timeZone: self.catalog.current.timeZone,
                earlySeconds: self.settings.statistics.earlyS, lateSeconds: self.settings.statistics.lateS)
            self.give(isCSV, answer) { isCSV ? pages.csv : pages.json }
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

    private func tellTaxis(
        _ query: StatisticsQuery, _ request: HTTPRequest, _ answer: @escaping (HTTPResponse) -> Void
    ) {
        readTaxis(query, of: query.dates[...], Rows()) { rows in
            guard let rows else { return self.end(answer, Self.away) }
            if let zone = query.line, rows.isEmpty, self.zones.set?.zones.contains(where: { $0.id == zone }) != true {
                return self.end(answer, .problem(404, "Not found", "\(self.settings.city.id) has no zone \(zone)."))
            }
            guard rows.count <= Self.mostRows else { return self.end(answer, Self.tooMany("zone")) }
            let (isCSV, zone) = (Self.wantsCSV(request), self.catalog.current.timeZone)
            self.give(isCSV, answer) {
                isCSV
                    ? TaxiFigures.csv(rows)
                    : TaxiFigures.json(rows, from: query.from, to: query.to, timeZone: zone)
            }
        }
    }

    /// one: the parameter that asks for one of many.
    private static func tooMany(_ one: String) -> HTTPResponse {
        .problem(
            400, "Bad request",
            "parameters `from` and `to`: there are more than \(mostRows) rows, one for each hour and \(one). Ask for fewer days, or for one `\(one)`, at a time."
        )
    }

    /// A route is by the name that drivers announce, so there is none that is not known. From where to where people asked in vain is of all
    /// routes, and of none.
    private func tellSeats(
        _ query: StatisticsQuery, _ request: HTTPRequest, _ answer: @escaping (HTTPResponse) -> Void
    ) {
        let isCSV = Self.wantsCSV(request)
        let hasWays = query.line == nil && !isCSV
        readSeats(query, of: query.dates[...], Rows(), hasWays ? UnservedWays() : nil) { read in
            guard let (rows, unserved) = read else { return self.end(answer, Self.away) }
            guard rows.count <= Self.mostRows else { return self.end(answer, Self.tooMany("route")) }
            let zone = self.catalog.current.timeZone
            self.give(isCSV, answer) {
                isCSV
                    ? SeatFigures.csv(rows)
                    : SeatFigures.json(
                        rows, unserved: unserved, from: query.from, to: query.to, timeZone: zone)
            }
        }
    }

    private func readSeats(
        _ query: StatisticsQuery, of dates: ArraySlice<ServiceDate>, _ rows: Rows<SeatFigures>,
        _ unserved: UnservedWays?, _ then: @escaping (([SeatFigures], UnservedWays?)?) -> Void
    ) {
        guard let date = dates.first, rows.all.count <= Self.mostRows else { return then((rows.all, unserved)) }
        let key = RedisArgument(keys.seats("\(date)"))
        commands.send(Self.fields(key, query)) { result in
            guard case .success(let reply) = result else { return then(nil) }
            self.aside({
                reply.fields(of: query.line).compactMap { SeatFigures(date, $0, $1) }
                    .sorted { ($0.hour, $0.route) < ($1.hour, $1.route) }
            }) { found in
                rows.all += found
                guard let known = unserved, known.count <= Self.mostRows else {
                    return self.readSeats(query, of: dates.dropFirst(), rows, unserved, then)
                }
                self.commands.send(["HGETALL", RedisArgument(self.keys.vain("\(date)"))]) { result in
                    guard case .success(let reply) = result else { return then(nil) }
                    self.aside({
                        var ways = known
                        for (field, marks) in reply.fields(of: nil) { ways.add(field, marks) }
                        return ways
                    }) { self.readSeats(query, of: dates.dropFirst(), rows, $0, then) }
                }
            }
        }
    }

    /// The hours of a day; of one zone or route without all others.
    private static func fields(_ key: RedisArgument, _ query: StatisticsQuery) -> [RedisArgument] {
        guard let one = query.line else { return ["HGETALL", key] }
        return ["HMGET", key] + RedisReply.hours(of: one).map { RedisArgument($0) }
    }

    /// What has been read, day by day.
    private final class Rows<Row> {
        var all: [Row] = []
    }

    /// The same of taxis. It ends with the day that makes it too many.
    private func readTaxis(
        _ query: StatisticsQuery, of dates: ArraySlice<ServiceDate>, _ rows: Rows<TaxiFigures>,
        _ then: @escaping ([TaxiFigures]?) -> Void
    ) {
        guard let date = dates.first, rows.all.count <= Self.mostRows else { return then(rows.all) }
        let key = RedisArgument(keys.taxis("\(date)"))
        commands.send(Self.fields(key, query)) { result in
            guard case .success(let reply) = result else { return then(nil) }
            self.aside({
                reply.fields(of: query.line).compactMap { TaxiFigures(date, $0, $1) }
                    .sorted { ($0.hour, $0.zone) < ($1.hour, $1.zone) }
            }) { found in
                rows.all += found
                self.readTaxis(query, of: dates.dropFirst(), rows, then)
            }
        }
    }

    /// One day after the other, so that Redis serves others in between. nil: Redis is away.
    private func read(
        _ query: StatisticsQuery, of dates: ArraySlice<ServiceDate>, _ rows: Rows<LineStatistics>,
        _ then: @escaping ([LineStatistics]?) -> Void
    ) {
        guard let date = dates.first else { return then(rows.all) }
        commands.send(["HGETALL", RedisArgument(keys.statistics("\(date)"))]) { result in
            guard case .success(let reply) = result else { return then(nil) }
            self.aside({
                LineStatistics.day(date, reply.statistics).filter { query.line == nil || $0.line == query.line }
            }) { found in
                rows.all += found
                self.read(query, of: dates.dropFirst(), rows, then)
            }
        }
    }
}

extension RedisReply {
    /// Of `taxis:<date>`, in no order.
    func taxiFigures(of date: ServiceDate) -> [TaxiFigures] {
        fields(of: nil).compactMap { TaxiFigures(date, $0, $1) }
    }

    /// The fields of the hours of a zone or route, as figures by the hour have them.
    static func hours(of one: String) -> [String] { (0..<24).map { "\($0)|\(one)" } }

    /// Names and values of a hash that was read whole, or of the hours of `one`.
    func fields(of one: String?) -> [(String, String)] {
        let parts = array ?? []
        if let one { return zip(Self.hours(of: one), parts).map { ($0, $1.text ?? "") } }
        return stride(from: 0, to: parts.count - 1, by: 2).map { (parts[$0].text ?? "", parts[$0 + 1].text ?? "") }
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
