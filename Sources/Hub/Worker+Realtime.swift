import Domain
import EventLoop
import GTFSRealtime
import Logging
import RedisLink
import Telemetry
import WebSocketServer
import Wire

/// GTFS-Realtime over HTTP: every worker keeps the three feeds of all tours, not only of those whose drivers it has.
extension Worker {
    static let realtimePath = "/gtfs-rt/"
    /// Real ms between two refreshes; good practice allows 30 s.
    private static let realtimeEveryMs: UInt64 = 10_000
    /// Older feeds are not given out: real ms.
    private static let realtimeOldMs: UInt64 = 30_000

    /// Once a second.
    func refreshRealtimeIfDue() {
        guard commands.isUp, clock.isSet, !isRealtimeBeingRead, catalog.isKnown,
            realtime.map({ loop.now - $0.readAt >= Self.realtimeEveryMs }) ?? true
        else { return }
        isRealtimeBeingRead = true
        let readAt = loop.now
        dispatch.call("tours_running", []) { result in
            self.isRealtimeBeingRead = false
            switch result {
            case .success(let reply): self.publishRealtime(reply.array ?? [], readAt: readAt)
            case .failure(.server(let text)): self.log.error("tours_running failed: \(text)")
            case .failure: break
            }
        }
    }

    private func publishRealtime(_ fields: [RedisReply], readAt: UInt64) {
        let tours = stride(from: 0, to: fields.count - 2, by: 3).compactMap { place -> RunningTour? in
            guard let bytes = fields[place].bytes, let state = try? JSONValue(parsing: bytes) else { return nil }
            return RunningTour(state: state, base: fields[place + 1].int ?? 0, isCounted: fields[place + 2].text == "1")
        }
        let time = now()
        realtime = RealtimeShelf(
            feeds: RealtimeFeeds(tours, catalog: catalog.catalog, time: cityTime, now: time), at: time,
            readAt: readAt)
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
        guard let realtime, loop.now - realtime.readAt <= Self.realtimeOldMs else {
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

/// The feeds as they were made last.
struct RealtimeShelf {
    let feeds: RealtimeFeeds
    /// Hub time, Unix ms.
    let at: Int64
    /// Loop ms.
    let readAt: UInt64
}
