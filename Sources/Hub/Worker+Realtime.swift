import Domain
import EventLoop
import GTFSRealtime
import Logging
import RedisLink
import Telemetry
import WebSocketServer
import Wire

/// GTFS-Realtime over HTTP. The feeds are in Redis, made by whichever worker finds them due: who asks now one worker, now
/// another, sees time go forward, and one content for one time.
extension Worker {
    static let realtimePath = "/gtfs-rt/"
    /// Real ms between two refreshes; good practice allows 30 s.
    private static let realtimeEveryMs = 10_000
    /// Older feeds are not given out: real ms.
    private static let realtimeOldMs: UInt64 = 30_000

    /// Once a second.
    func refreshRealtime() {
        guard commands.isUp, clock.isSet, !isRealtimeBeingRead, catalog.isKnown else { return }
        isRealtimeBeingRead = true
        let known = realtime.map { RedisArgument($0.at) } ?? ""
        dispatch.call("realtime", [known, RedisArgument(Self.realtimeEveryMs)]) { result in
            self.isRealtimeBeingRead = false
            switch result {
            case .success(let reply):
                switch reply[0].text {
                case "feeds": self.takeRealtime(reply)
                case "tours": self.makeRealtime(reply.array ?? [])
                default: break
                }
            case .failure(.server(let text)): self.log.error("realtime failed: \(text)")
            case .failure: break
            }
        }
    }

    private func takeRealtime(_ reply: RedisReply) {
        guard let at = reply[1].int, let age = reply[2].int, let vehicles = reply[3].bytes, let trips = reply[4].bytes,
            let alerts = reply[5].bytes
        else { return }
        realtime = RealtimeShelf(
            feeds: RealtimeFeeds(vehiclePositions: vehicles, tripUpdates: trips, alerts: alerts), at: at,
            madeAt: loop.now - min(loop.now, UInt64(max(0, age))))
    }

    private func makeRealtime(_ fields: [RedisReply]) {
        let tours = stride(from: 1, to: fields.count - 2, by: 3).compactMap { place -> RunningTour? in
            guard let bytes = fields[place].bytes, let state = try? JSONValue(parsing: bytes) else { return nil }
            return RunningTour(state: state, base: fields[place + 1].int ?? 0, isCounted: fields[place + 2].text == "1")
        }
        let time = now()
        let feeds = RealtimeFeeds(tours, catalog: catalog.catalog, time: cityTime, now: time)
        let arguments = [
            RedisArgument(time), RedisArgument(feeds.vehiclePositions), RedisArgument(feeds.tripUpdates),
            RedisArgument(feeds.alerts),
        ]
        dispatch.call("realtime_put", arguments) { result in
            // Then another worker makes them, a second later.
            if case .failure(.server(let text)) = result { self.log.error("realtime_put failed: \(text)") }
            self.refreshRealtime()
        }
    }

    /// Nil for a path that is none of the three.
    func answerRealtime(_ request: HTTPRequest) -> HTTPResponse? {
        let name = request.path.dropFirst(Self.realtimePath.count)
        let feed: KeyPath<RealtimeFeeds, [UInt8]>
        switch name {
        case "vehicle-positions.pb": feed = \.vehiclePositions
        case "trip-updates.pb": feed = \.tripUpdates
        case "alerts.pb": feed = \.alerts
        default: return nil
        }
        guard let realtime, loop.now - realtime.madeAt <= Self.realtimeOldMs else {
            return problem(503, "Not ready", "The feeds are not read yet, or Redis is away; ask again in some seconds.")
        }
        let seconds = Int(realtime.at / 1000)
        let headers = [("Last-Modified", HTTPResponse.date(seconds)), ("Cache-Control", "no-cache")]
        guard !HTTPConditions(request).has(etag: "", changed: seconds) else {
            return HTTPResponse(status: 304, headers: headers)
        }
        return HTTPResponse(
            status: 200, contentType: "application/x-protobuf", headers: headers, body: realtime.feeds[keyPath: feed])
    }
}

/// The feeds that the worker has.
struct RealtimeShelf {
    let feeds: RealtimeFeeds
    /// Hub time, Unix ms.
    let at: Int64
    /// Loop ms.
    let madeAt: UInt64
}
