import Domain
import EventLoop
import GTFSRealtime
import Logging
import RedisLink
import Settings
import Telemetry
import WebSocketServer
import Wire

/// GTFS-Realtime over HTTP. The feeds are in Redis, made by whichever worker finds them due: who asks now one worker, now
/// another, sees time go forward, and one content for one time.
final class Realtime: Capability {
    let services: WorkerServices
    /// Nil until Redis had them first.
    private var cache: RealtimeCache?
    private var isBeingRead = false
    /// Tours that Redis reads at once: it takes a millisecond or two. A city has hundreds.
    private static let toursOfPage = 25

    init(_ services: WorkerServices) { self.services = services }

    private static let path = "/gtfs-rt/"
    /// Older feeds are not given out: hub ms, but three refreshes at least.
    private static let oldMs = 30_000.0

    /// Real ms between two refreshes: 10 s of hub time, but never more often than once a second; good practice allows 30 s.
    private var everyMs: Int { Int(max(1_000, 10_000 / settings.clock.scale)) }

    /// What is older, hub ms, is not published: by the next refresh, which each worker has two real seconds later at the
    /// latest, it would be older than good practice allows (90 s). In a replay at many times real speed that leaves little,
    /// but buses tell their position every 30 s.
    private var oldestMs: Int64 {
        min(75_000, max(45_000, 90_000 - Int64(Double(everyMs + 2_000) * settings.clock.scale)))
    }

    func second() { refresh() }

    private func refresh() {
        guard commands.isUp, services.clock.isSet, !isBeingRead, catalog.isKnown else { return }
        isBeingRead = true
        let known = cache.map { RedisArgument($0.at) } ?? ""
        functions.call("realtime_read", ["known": known, "due_ms": RedisArgument(everyMs)]) { result in
            switch result {
            case .success(let reply):
                if reply[0].text == "tours" {
                    return self.readTours((reply.array ?? []).dropFirst().compactMap(\.text), [])
                }
                if reply[0].text == "feeds" { self.take(reply) }
            case .failure(.server(let text)): self.log.error("realtime failed: \(text)")
            case .failure: break
            }
            self.isBeingRead = false
        }
    }

    /// Reads the tours page by page. The ids are of one moment: whatever happens meanwhile, a tour comes once, and so does a
    /// bus, which has one tour at a time. When a page can't be read nothing is made; some seconds later this worker or
    /// another one tries again.
    private func readTours(_ ids: [String], _ read: [RunningTour]) {
        guard !ids.isEmpty else {
            isBeingRead = false
            return make(read)
        }
        let page = ids.prefix(Self.toursOfPage)
        functions.call("realtime_tours", ["tours": RedisArgument(Self.json(page))]) { result in
            switch result {
            case .success(let reply):
                self.readTours(Array(ids.dropFirst(page.count)), read + Self.tours(reply.array ?? []))
            case .failure(let failure):
                self.isBeingRead = false
                if case .server(let text) = failure { self.log.error("realtime_tours failed: \(text)") }
            }
        }
    }

    private static func json(_ ids: ArraySlice<String>) -> [UInt8] {
        var json = JSONWriter()
        json.beginArray()
        for id in ids { json.string(id) }
        json.endArray()
        return json.bytes
    }

    /// Of what the function `realtime_tours` answers.
    private static func tours(_ fields: [RedisReply]) -> [RunningTour] {
        stride(from: 0, to: fields.count - 2, by: 3).compactMap { place -> RunningTour? in
            guard let bytes = fields[place].bytes, let state = try? JSONValue(parsing: bytes) else { return nil }
            return RunningTour(state: state, base: fields[place + 1].int ?? 0, isCounted: fields[place + 2].text == "1")
        }
    }

    private func take(_ reply: RedisReply) {
        guard let at = reply[1].int, let age = reply[2].int, let vehicles = reply[3].bytes, let trips = reply[4].bytes,
            let alerts = reply[5].bytes
        else { return }
        cache = RealtimeCache(
            feeds: RealtimeFeeds(vehiclePositions: vehicles, tripUpdates: trips, alerts: alerts), at: at,
            madeAt: loop.now - min(loop.now, UInt64(max(0, age))))
    }

    private func make(_ tours: [RunningTour]) {
        let time = now()
        let feeds = RealtimeFeeds(
            tours, catalog: catalog.current, time: catalog.time, now: time, oldestMs: oldestMs)
        let arguments: FunctionArguments = [
            "at": RedisArgument(time), "vehicles": RedisArgument(feeds.vehiclePositions),
            "trips": RedisArgument(feeds.tripUpdates), "alerts": RedisArgument(feeds.alerts),
        ]
        functions.call("realtime_put", arguments) { result in
            switch result {
            case .success(let reply): if reply.int == 1 { self.refresh() }
            // Then they are made a second later, by this worker or another one.
            case .failure(.server(let text)): self.log.error("realtime_put failed: \(text)")
            case .failure: break
            }
        }
    }

    func answer(_ request: HTTPRequest, _ answer: @escaping (HTTPResponse) -> Void) -> Bool {
        guard request.path.hasPrefix(Self.path), let response = response(to: request) else { return false }
        answer(response)
        return true
    }

    /// Nil for a path that is none of the three.
    private func response(to request: HTTPRequest) -> HTTPResponse? {
        let name = request.path.dropFirst(Self.path.count)
        let feed: KeyPath<RealtimeFeeds, [UInt8]>
        switch name {
        case "vehicle-positions.pb": feed = \.vehiclePositions
        case "trip-updates.pb": feed = \.tripUpdates
        case "alerts.pb": feed = \.alerts
        default: return nil
        }
        guard let cache, loop.now - cache.madeAt <= UInt64(max(3_000, Self.oldMs / settings.clock.scale))
        else {
            return .problem(
                503, "Not ready", "The feeds are not read yet, or Redis is away; ask again in some seconds.")
        }
        let seconds = Int(cache.at / 1000)
        let headers = [("Last-Modified", HTTPResponse.date(seconds)), ("Cache-Control", "no-cache")]
        guard !HTTPConditions(request).has(etag: "", changed: seconds) else {
            return HTTPResponse(status: 304, headers: headers)
        }
        return HTTPResponse(
            status: 200, contentType: "application/x-protobuf", headers: headers, body: cache.feeds[keyPath: feed])
    }
}

/// The feeds that the worker has.
struct RealtimeCache {
    let feeds: RealtimeFeeds
    /// Hub time, Unix ms.
    let at: Int64
    /// Loop ms.
    let madeAt: UInt64
}
