import Domain
import EventLoop
import RedisLink
import Settings
import WebSocketServer
import Wire

/// When buses leave a stop, as a page without scripts, for text browsers and screens that can show no more: `/text/` finds a stop, `/text/<stop>`
/// has what leaves there next, as of some seconds ago, in the reader's language.
///
/// Nobody has to say who asks, so what it costs is bounded: a stop is read once in seconds for all, and so many stops a second and no more.
final class StopTexts: Capability {
    let services: WorkerServices
    private let times: LineTimes
    private let readings: SharedLookUps<StopReading>
    /// A line with ten buses takes Redis a third of a millisecond, and an interchange has two dozen: so many are read at once, one of each stop.
    private let turns = SubjectTurns(most: 2, mostOfSubject: StopTexts.mostLines)
    private final class Turn {}
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

    init(_ services: WorkerServices, _ times: LineTimes) {
        self.services = services
        self.times = times
        readings = SharedLookUps(services.loop, keptMs: 10_000, most: 500, .lookUps(capacity: 50, perSecond: 20))
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
            price: max(1, Double(lines.count) / Self.linesOfALookUp),
            read: { done in
                read(stop, lines) { departures in done(departures.map { StopReading(departures: $0, at: self.now()) }) }
            }, then: then)
    }

    /// Of all its lines; nil when one of them can't be read.
    private func read(_ stop: Stop, _ lines: [LineIndex], _ then: @escaping ([StopDeparture]?) -> Void) {
        var (left, found, isWhole) = (lines.count, [StopDeparture](), true)
        guard left > 0 else { return then([]) }
        let turn = Turn()
        for line in lines {
            _ = turns.add(turn) { ended in
                self.times.arrivals(at: stop, of: line) { arrivals, board in
                    if let arrivals {
                        found += arrivals.compactMap { self.departure($0, of: line.line, from: stop, board) }
                    } else {
                        isWhole = false
                    }
                    left -= 1
                    if left == 0 { then(isWhole ? found.sorted { ($0.at, $0.line) < ($1.at, $1.line) } : nil) }
                    ended()
                }
                return true
            }
        }
    }

    /// Nil where the way ends, so that nobody gets on.
    private func departure(
        _ arrival: LineArrivals.Arrival, of line: Line, from stop: Stop, _ board: LineBoard?
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
        let state = board?.buses[tour.id].flatMap { try? JSONValue(parsing: $0.data) }
        return StopDeparture(at: arrival.at, line: name, to: to, bus: state ?? .null)
    }
}
