import EventLoop
import RedisLink
import Settings
import Telemetry
import WebSocketServer

/// How the hub is: `/healthz`, `/readyz`, `/metrics`, and what it says of itself at `/`.
final class StatusPages: Capability {
    let services: WorkerServices
    private let expositions: WorkerExpositions
    /// The metrics that were made last, and when, ms of the loop.
    private var page: (text: [UInt8], madeAt: UInt64)?
    private static let metricsEveryMs: UInt64 = 1_000

    init(_ services: WorkerServices) {
        self.services = services
        expositions = WorkerExpositions(directory: WorkerFiles.metrics(services.settings.data.dir))
    }

    /// What a hub says of itself at `/`.
    static func greeting(_ city: String) -> String { "Kerbside serves \(city). Connect a WebSocket to /v1/connect." }

    func answer(_ request: HTTPRequest, _ answer: @escaping (HTTPResponse) -> Void) -> Bool {
        switch request.path {
        case "/healthz": answer(.text(200, "alive"))
        case "/readyz": answer(ready())
        case "/metrics": answer(metricsPage(request))
        case "/": answer(.text(200, Self.greeting(settings.city.id)))
        default: return false
        }
        return true
    }

    /// 503 with what is missing, until a client that connects now is served at once.
    private func ready() -> HTTPResponse {
        let missing = services.missing
        guard missing.isEmpty else { return .problem(503, "Not ready", missing.joined(separator: "; ") + ".") }
        let share = services.store.memory?.share ?? 0
        return .text(200, share < 0.75 ? "ready" : "ready; Redis uses \(Int(share * 100)) % of its memory")
    }

    // MARK: metrics

    /// A failure costs one sample of another worker's answer, nothing else.
    func second() { try? expositions.publish(metrics.registry.exposition(), worker: services.name) }

    /// The counts of all workers for a collector.
    ///
    /// Programs of this machine may read them as they are; who comes from elsewhere, or by a proxy, sends the token of an operator or
    /// a service. Reading and merging the workers' texts takes milliseconds, so it is done once a second at most, for all who ask.
    private func metricsPage(_ request: HTTPRequest) -> HTTPResponse {
        if !request.isFromThisMachine, case .refused(let refusal) = reader(of: request, for: "the metrics") {
            return refusal
        }
        return HTTPResponse(
            status: 200, contentType: Metrics.contentType, headers: [("Cache-Control", "no-store")], body: metricsText()
        )
    }

    private func metricsText() -> [UInt8] {
        if let page, loop.now - page.madeAt < Self.metricsEveryMs { return page.text }
        let text = Array(
            expositions.merged(own: (services.name, metrics.registry.exposition()), maxAgeS: 10).utf8)
        page = (text, loop.now)
        return text
    }
}

extension WorkerServices {
    /// What is missing until a client that connects now is served at once.
    var missing: [String] {
        var missing: [String] = []
        if isDraining { missing.append("the hub is shutting down") }
        if !commands.isUp { missing.append("Redis does not answer") }
        if let trouble = store.trouble { missing.append("Redis takes no writes (\(trouble))") }
        if !subscriber.isUp { missing.append("the subscription to Redis is down") }
        if !store.hasRoom { missing.append("Redis has no memory left (redis.max_memory_mb)") }
        if zones.set == nil { missing.append("the zones are not loaded") }
        if !catalog.isKnown { missing.append("the lines are not read yet") }
        if !clock.isSet { missing.append("Redis' time is not known yet") }
        if !knowsRevoked { missing.append("what the office has revoked is not read yet") }
        return missing
    }
}
