import EventLoop
import Telemetry
import WebSocketServer

/// The counts of all workers for a collector: `/metrics`.
///
/// Programs of this machine may read them as they are; who comes from elsewhere, or by a proxy, sends the token of an operator or a
/// service. Reading and merging the workers' texts takes milliseconds, so it is done once a second at most, for all who ask.
extension Worker {
    private static let metricsEveryMs: UInt64 = 1_000

    func answerMetrics(_ request: HTTPRequest) -> HTTPResponse {
        if !request.isFromThisMachine, let refusal = refusal(of: request, for: "the metrics") { return refusal }
        return HTTPResponse(
            status: 200, contentType: Metrics.contentType, headers: [("Cache-Control", "no-store")], body: metricsText()
        )
    }

    private func metricsText() -> [UInt8] {
        if let page = metricsPage, loop.now - page.madeAt < Self.metricsEveryMs { return page.text }
        let text = Array(expositions.merged(own: (name, metrics.registry.exposition()), maxAgeS: 10).utf8)
        metricsPage = MetricsPage(text: text, madeAt: loop.now)
        return text
    }
}

/// The text that was made last.
struct MetricsPage {
    let text: [UInt8]
    /// Loop ms.
    let madeAt: UInt64
}
