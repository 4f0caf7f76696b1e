import Domain
import EventLoop
import RedisLink
import Settings
import WebSocketServer
import Wire

/// When buses leave a stop, as a page without scripts, for text browsers and screens that can show no more: `/text/` finds a stop, `/text/<stop>`
/// has what leaves there next, as of some seconds ago, in the reader's language.
///
/// Nobody has to say who asks, so what it costs is bounded: a line is read once in seconds for all its stops
/// (``LineForecasts``), a stop as often, and so many stops a second and no more.
final class StopTexts: Capability {
    let services: WorkerServices
    private let times: LineTimes
    private let readings: SharedLookUps<StopReading>
    private let forecasts: LineForecasts
    /// Names are looked through, some 0.3 ms of 10,000.
    private var finds = NetworkLimits.lookUps(capacity: 100, perSecond: 50)
    private var names = StopNames()
    /// The first hundred stops as pages, by form, of one catalog.
    private var lists: (version: String, pages: [String: HTTPResponse]) = ("", [:])

    private static let path = "/text"
    /// Of a stop: an interchange has some dozen.
    private static let mostLines = 24
    /// What has more counts as several.
    private static let linesOfALookUp = 4.0
    /// So many buses that have to be read for it count as one more: each is some KB of JSON.
    private static let busesOfALookUp = 20.0
    /// The dearest stop costs as much as a network may have at once: more could never be paid.
    private static let mostLookUps = 10.0
    static var limits: NetworkLimits { .lookUps(capacity: 5 * mostLookUps, perSecond: 20) }

    init(_ services: WorkerServices, _ times: LineTimes, _ lines: LineBoards) {
        self.services = services
        self.times = times
        forecasts = LineForecasts(services, lines)
        readings = SharedLookUps(services.loop, keptMs: LineForecasts.keptMs, most: 500, Self.limits)
    }

    func answer(_ request: HTTPRequest, _ answer: @escaping (HTTPResponse) -> Void) -> Bool {
        let parts = request.path.utf8.split(separator: 47, maxSplits: 2, omittingEmptySubsequences: false).dropFirst()
            .map { String(Substring($0)) }
        guard settings.pages.enabled, parts.first.map({ "/" + $0 }) == Self.path else { return false }
        let page = StopTextPage(request, city: settings.city.id)
        guard catalog.isKnown else {
            answer(page.loading)
            return true
        }
        guard parts.count > 1, !parts[1].isEmpty else {
            answer(list(request, page))
            return true
        }
        guard let stop = PercentText.decoded(parts[1]).flatMap({ catalog.current.stops[$0] }) else {
            answer(catalog.isBehind ? page.loading : page.refusal(404, "error.not_found"))
            return true
        }
        look(stop, request.clientNetwork) { reading in
            guard let reading else { return answer(page.busy) }
            answer(page.board(stop.name, reading, time: self.catalog.time, now: self.now()))
        }
        return true
    }

    private func list(_ request: HTTPRequest, _ page: StopTextPage) -> HTTPResponse {
        names.take(catalog.current)
        let wanted = request.value(of: "q") ?? ""
        if wanted.isEmpty {
            if lists.version != catalog.version { lists = (catalog.version, [:]) }
            if let made = lists.pages[page.form] { return made }
            let made = page.list(names.find(""), of: "")
            lists.pages[page.form] = made
            return made
        }
        guard finds.take(request.clientNetwork, at: Int64(loop.now)) == nil else { return page.busy }
        return page.list(names.find(wanted), of: wanted)
    }

    /// Nil: too many ask at once, or the store can't be reached.
    private func look(_ stop: Stop, _ network: String?, _ then: @escaping (StopReading?) -> Void) {
        let lines = catalog.cache.lines(at: stop.id).prefix(Self.mostLines).compactMap { catalog.cache.index(of: $0) }
        readings.look(
            stop.id, for: network, canRead: services.clock.isSet && commands.isUp,
            price: price(of: lines), read: { read(stop, lines, $0) }, then: then)
    }

    private func price(of lines: [LineIndex]) -> Double {
        Self.price(lines: lines.count, busesToRead: lines.reduce(0) { $0 + forecasts.busesToRead(of: $1.line.id) })
    }

    /// In look-ups.
    static func price(lines: Int, busesToRead: Int) -> Double {
        min(mostLookUps, max(1, Double(lines) / linesOfALookUp + Double(busesToRead) / busesOfALookUp))
    }

    /// Of all its lines; nil when one of them can't be read.
    private func read(_ stop: Stop, _ lines: [LineIndex], _ then: @escaping (StopReading?) -> Void) {
        var (left, found, at, isWhole) = (lines.count, [StopDeparture](), now(), true)
        guard left > 0 else { return then(StopReading(departures: [], at: at)) }
        for line in lines {
            forecasts.look(line.line.id) { forecast in
                if let forecast {
                    at = min(at, forecast.at)
                    found += self.times.arrivals(at: stop, of: line, forecast)
                        .compactMap { self.departure($0, of: line.line, from: stop, forecast) }
                } else {
                    isWhole = false
                }
                left -= 1
                guard left == 0 else { return }
                let departures = found.sorted { ($0.at, $0.line) < ($1.at, $1.line) }
                then(isWhole ? StopReading(departures: departures, at: at) : nil)
            }
        }
    }

    /// Nil where the way ends, so that nobody gets on.
    private func departure(
        _ arrival: LineArrivals.Arrival, of line: Line, from stop: Stop, _ forecast: LineForecast
    ) -> StopDeparture? {
        let pattern = line.patterns[arrival.pattern]
        guard let last = pattern.stops.last, pattern.stops.first(where: { $0.stop == stop.id }) != last else {
            return nil
        }
        let to = pattern.headsign.isEmpty ? catalog.current.stops[last.stop]?.name ?? last.stop : pattern.headsign
        let name = line.name.isEmpty ? line.id : line.name
        guard arrival.pass != nil, let tour = arrival.tour else {
            return StopDeparture(at: arrival.at, line: name, to: to)
        }
        return StopDeparture(at: arrival.at, line: name, to: to, bus: forecast.buses[tour.id]?.state ?? .null)
    }
}
