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
    /// What is known of a stop, and until when that is told, ms of the loop.
    private var known: [String: (reading: StopReading, until: UInt64)] = [:]
    /// Those who wait for what is being read.
    private var waiting: [String: [(StopReading?) -> Void]] = [:]
    private var limits = LookUpLimits(capacity: 50, perSecond: 20)
    /// Names are looked through, some 0.3 ms of 10,000.
    private var finds = LookUpLimits(capacity: 100, perSecond: 50)
    private var names = StopNames()

    private static let path = "/text"
    private static let keptMs: UInt64 = 10_000
    private static let mostKept = 500
    /// Of a stop: an interchange has some dozen.
    private static let mostLines = 24
    private static let retryAfter = "5"

    init(_ services: WorkerServices, _ times: LineTimes) {
        self.services = services
        self.times = times
    }

    func answer(_ request: HTTPRequest, _ answer: @escaping (HTTPResponse) -> Void) -> Bool {
        let parts = request.path.utf8.split(separator: 47, maxSplits: 2, omittingEmptySubsequences: false).dropFirst()
            .map { String(Substring($0)) }
        guard settings.pages.enabled, parts.first.map({ "/" + $0 }) == Self.path else { return false }
        let page = StopTextPage(request, city: settings.city.id)
        guard catalog.isKnown else {
            answer(page.refusal(503, "error.unavailable", retryAfter: "1"))
            return true
        }
        guard parts.count > 1, !parts[1].isEmpty else {
            names.take(catalog.current)
            let wanted = request.value(of: "q") ?? ""
            guard wanted.isEmpty || finds.take(request.clientNetwork, at: Int64(loop.now)) else {
                answer(page.refusal(503, "error.unavailable", retryAfter: Self.retryAfter))
                return true
            }
            answer(page.list(names.find(wanted), of: wanted))
            return true
        }
        guard let stop = PercentText.decoded(parts[1]).flatMap({ catalog.current.stops[$0] }) else {
            answer(page.refusal(404, "error.not_found"))
            return true
        }
        look(stop, request.clientNetwork) { reading in
            guard let reading else {
                return answer(page.refusal(503, "error.unavailable", retryAfter: Self.retryAfter))
            }
            answer(page.board(stop.name, reading, time: self.catalog.time, now: self.now()))
        }
        return true
    }

    /// Nil: too many ask at once, or the store can't be reached.
    private func look(_ stop: Stop, _ network: String?, _ then: @escaping (StopReading?) -> Void) {
        if let seen = known[stop.id], loop.now < seen.until { return then(seen.reading) }
        if waiting[stop.id] != nil {
            waiting[stop.id]?.append(then)
            return
        }
        guard services.clock.isSet, commands.isUp, limits.take(network, at: Int64(loop.now)) else { return then(nil) }
        waiting[stop.id] = [then]
        read(stop) { departures in
            let reading = departures.map { StopReading(departures: $0, at: self.now()) }
            if let reading {
                if self.known.count >= Self.mostKept { self.known.removeAll(keepingCapacity: true) }
                self.known[stop.id] = (reading, self.loop.now + Self.keptMs)
            }
            for then in self.waiting.removeValue(forKey: stop.id) ?? [] { then(reading) }
        }
    }

    /// Of all its lines; nil when one of them can't be read.
    private func read(_ stop: Stop, _ then: @escaping ([StopDeparture]?) -> Void) {
        let lines = catalog.cache.lines(at: stop.id).prefix(Self.mostLines).compactMap { catalog.current.lines[$0] }
        var (left, found, isWhole) = (lines.count, [StopDeparture](), true)
        guard left > 0 else { return then([]) }
        for line in lines {
            times.arrivals(at: stop, of: line) { arrivals, board in
                if let arrivals {
                    found += arrivals.compactMap { self.departure($0, of: line, from: stop, board) }
                } else {
                    isWhole = false
                }
                left -= 1
                guard left == 0 else { return }
                then(isWhole ? found.sorted { ($0.at, $0.line) < ($1.at, $1.line) } : nil)
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

/// The stops by what is in their names. Made anew for another catalog.
struct StopNames {
    private var version = ""
    private var stops: [(name: String, id: String)] = []
    /// The names in small letters, each before a line break; and where each begins.
    private var text: [UInt8] = []
    private var begins: [Int] = []

    private static let most = 100

    mutating func take(_ catalog: Catalog) {
        guard version != catalog.version else { return }
        version = catalog.version
        stops = catalog.stops.values.map { ($0.name, $0.id) }.sorted { $0 < $1 }
        (text, begins) = ([], [])
        for stop in stops {
            begins.append(text.count)
            text += stop.name.lowercased().utf8
            text.append(10)
        }
    }

    /// The first hundred by name that have `wanted` in it, in capitals or not.
    func find(_ wanted: String) -> [(name: String, id: String)] {
        let wanted = Array(wanted.lowercased().utf8)
        guard !wanted.isEmpty else { return Array(stops.prefix(Self.most)) }
        // No name has a line break.
        guard !wanted.contains(10) else { return [] }
        var found: [(name: String, id: String)] = []
        text.withUnsafeBytes { text in
            var (next, from) = (0, 0)
            while found.count < Self.most, let place = Self.place(of: wanted, in: text, from: from) {
                // The last that begins there or before.
                while next + 1 < stops.count, begins[next + 1] <= place { next += 1 }
                found.append(stops[next])
                next += 1
                guard next < stops.count else { return }
                from = begins[next]
            }
        }
        return found
    }

    private static func place(of wanted: [UInt8], in text: UnsafeRawBufferPointer, from: Int) -> Int? {
        guard from + wanted.count <= text.count else { return nil }
        return (from...text.count - wanted.count).first { start in
            text[start] == wanted[0] && text[start..<start + wanted.count].elementsEqual(wanted)
        }
    }
}
