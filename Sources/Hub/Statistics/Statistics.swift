import Domain
import EventLoop
import RedisLink
import Settings
import Telemetry
import WebSocketServer

/// The administrators' statistics over HTTP: `/v1/stats` of lines, `/v1/stats/taxis` of taxis, for operators and services with their token in the header.
final class Statistics: Capability {
    let services: WorkerServices
    /// A year of a big city's figures takes some ten MB: one at a time.
    private var isReading = false
    /// Who waits for that, one reading of each, in the order in which they came.
    private var waiting: [(reader: String, read: () -> Void)] = []
    private static let mostWaiting = 16
    /// Of taxis there is a row for each hour and zone: a year of a city's is a hundred megabytes, which nobody reads at once.
    private static let mostRows = 20_000
    private static let paths: Set = ["/v1/stats", "/v1/stats.csv", "/v1/stats/taxis", "/v1/stats/taxis.csv"]

    init(_ services: WorkerServices) { self.services = services }

    func answer(_ request: HTTPRequest, _ answer: @escaping (HTTPResponse) -> Void) -> Bool {
        guard Self.paths.contains(request.path) else { return false }
        tell(request, answer)
        return true
    }

    private func tell(_ request: HTTPRequest, _ answer: @escaping (HTTPResponse) -> Void) {
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
                request.query, today: catalog.time.date(at: now() / 1000),
                oneOf: Self.isOfTaxis(request) ? "zone" : "line")
        } catch {
            return answer(.problem(400, "Bad request", error.detail))
        }
        if let refusal = services.budgets.take(CommandPrice.figures(days: query.dates.count), ofReader: reader) {
            return answer(.refusal(refusal))
        }
        let charged = { (response: HTTPResponse) in
            self.services.budgets.charge(CommandPrice.figures(bytes: response.body.count), ofReader: reader)
            answer(response)
        }
        guard isReading else { return tell(query, request, charged) }
        guard waiting.count < Self.mostWaiting, !waiting.contains(where: { $0.reader == reader }) else {
            return answer(.problem(503, "Busy", "Other figures are being read now; ask again in a moment."))
        }
        waiting.append((reader, { self.tell(query, request, charged) }))
    }

    private func tell(_ query: StatisticsQuery, _ request: HTTPRequest, _ answer: @escaping (HTTPResponse) -> Void) {
        isReading = true
        if Self.isOfTaxis(request) { return tellTaxis(query, request, answer) }
        let isCSV = Self.wantsCSV(request)
        read(query, of: query.dates[...], Rows()) { rows in
            self.isReading = false
            defer { if !self.waiting.isEmpty { self.waiting.removeFirst().read() } }
            guard let rows else { return answer(Self.away) }
            if let line = query.line, rows.isEmpty, self.catalog.current.lines[line] == nil {
                return answer(.problem(404, "Not found", "\(self.settings.city.id) has no line \(line)."))
            }
            let pages = StatisticsPages(
                rows, from: query.from, to: query.to, timeZone: self.catalog.current.timeZone,
                earlySeconds: self.settings.statistics.earlyS, lateSeconds: self.settings.statistics.lateS)
            answer(Self.table(isCSV, isCSV ? pages.csv : pages.json))
        }
    }

    private static func isOfTaxis(_ request: HTTPRequest) -> Bool { request.path.hasPrefix("/v1/stats/taxis") }

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
            self.isReading = false
            defer { if !self.waiting.isEmpty { self.waiting.removeFirst().read() } }
            guard let rows else { return answer(Self.away) }
            if let zone = query.line, rows.isEmpty, self.zones.set?.zones.contains(where: { $0.id == zone }) != true {
                return answer(.problem(404, "Not found", "\(self.settings.city.id) has no zone \(zone)."))
            }
            guard rows.count <= Self.mostRows else {
                return answer(
                    .problem(
                        400, "Bad request",
                        "parameters `from` and `to`: there are more than \(Self.mostRows) rows, one for each hour and zone. Ask for fewer days, or for one `zone`, at a time."
                    ))
            }
            let isCSV = Self.wantsCSV(request)
            answer(
                Self.table(
                    isCSV,
                    isCSV
                        ? TaxiFigures.csv(rows)
                        : TaxiFigures.json(
                            rows, from: query.from, to: query.to, timeZone: self.catalog.current.timeZone)))
        }
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
        // Of one zone the hours of the day, without all others.
        let hours = query.line.map { zone in (0..<24).map { "\($0)|\(zone)" } }
        let command = hours.map { ["HMGET", key] + $0.map { RedisArgument($0) } } ?? ["HGETALL", key]
        commands.send(command) { result in
            guard case .success(let reply) = result else { return then(nil) }
            let found =
                hours.map { names in
                    zip(names, reply.array ?? []).compactMap { TaxiFigures(date, $0, $1.text ?? "") }
                } ?? reply.taxiFigures(of: date)
            rows.all += found.sorted { ($0.hour, $0.zone) < ($1.hour, $1.zone) }
            self.readTaxis(query, of: dates.dropFirst(), rows, then)
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
            rows.all += LineStatistics.day(date, reply.statistics).filter {
                query.line == nil || $0.line == query.line
            }
            self.read(query, of: dates.dropFirst(), rows, then)
        }
    }
}

extension RedisReply {
    /// Of `taxis:<date>`, in no order.
    func taxiFigures(of date: ServiceDate) -> [TaxiFigures] {
        let fields = array ?? []
        return stride(from: 0, to: fields.count - 1, by: 2).compactMap { place in
            TaxiFigures(date, fields[place].text ?? "", fields[place + 1].text ?? "")
        }
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
