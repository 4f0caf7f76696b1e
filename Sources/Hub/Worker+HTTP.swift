import Domain
import EventLoop
import RedisLink
import Settings
import Telemetry
import Tokens
import WebSocketServer
import Wire

/// What is asked over HTTP on the same port.
extension Worker {
    /// What a hub says of itself at `/`.
    static func greeting(_ city: String) -> String { "Kerbside serves \(city). Connect a WebSocket to /v1/connect." }

    func answer(_ request: HTTPRequest, _ send: @escaping (HTTPResponse) -> Void) {
        let pages = CrossOrigin(request, allowed: settings.server.allowedOrigins)
        if let preflight = pages.preflight(request) { return send(preflight) }
        let answer = { (response: HTTPResponse) in send(pages.share(response)) }
        guard request.method == "GET" || request.method == "HEAD" else {
            return answer(
                problem(405, "Method not allowed", "Use GET; commands go over the WebSocket at /v1/connect."))
        }
        if Self.statisticsPaths.contains(request.path) {
            answerStatistics(request, answer)
        } else {
            answer(self.answer(request))
        }
    }

    /// What is known here without asking Redis.
    private func answer(_ request: HTTPRequest) -> HTTPResponse {
        switch request.path {
        case "/healthz": return .text(200, "alive")
        case "/readyz": return ready()
        case "/metrics": return answerMetrics(request)
        case "/": return .text(200, Self.greeting(settings.city.id))
        case let path where path.hasPrefix(Self.catalogPath):
            return answerCatalog(request) ?? problem(404, "Not found", "There is nothing at \(path).")
        case let path where path.hasPrefix(Self.realtimePath):
            return answerRealtime(request) ?? problem(404, "Not found", "There is nothing at \(path).")
        default: return problem(404, "Not found", "There is nothing at \(request.path).")
        }
    }

    /// 503 with what is missing, until a client that connects now is served at once.
    private func ready() -> HTTPResponse {
        if isReady {
            let share = memory?.share ?? 0
            return .text(200, share < 0.75 ? "ready" : "ready; Redis uses \(Int(share * 100)) % of its memory")
        }
        var missing: [String] = []
        if isDraining { missing.append("the hub is shutting down") }
        if !commands.isUp { missing.append("Redis does not answer") }
        if let storeTrouble { missing.append("Redis takes no writes (\(storeTrouble))") }
        if !subscriber.isUp { missing.append("the subscription to Redis is down") }
        if !hasRoom { missing.append("Redis has no memory left (redis.max_memory_mb)") }
        if zones == nil { missing.append("the zones are not loaded") }
        if !catalog.isKnown { missing.append("the lines are not read yet") }
        if !clock.isSet { missing.append("Redis' time is not known yet") }
        return problem(503, "Not ready", missing.joined(separator: "; ") + ".")
    }

    /// What only operators and services may read, others are refused; RFC 6750. The token is taken from the header only: an
    /// address is written to logs and kept in histories.
    func refusal(of request: HTTPRequest, for what: String) -> HTTPResponse? {
        guard let token = request.bearerToken else {
            return unauthorised(
                401, "Unauthorized",
                "Send the token of an operator or a service as `Authorization: Bearer …` (kerbside token --role operator)."
            )
        }
        do throws(TokenError) {
            let claims = try verifier.verify(token, nowMs: EventLoop.wallClock())
            guard claims.role == .operator || claims.role == .service else {
                return unauthorised(
                    403, "Forbidden",
                    "A \(claims.role.rawValue) may not read \(what); an operator or a service may.",
                    error: "insufficient_scope")
            }
            return nil
        } catch {
            metrics.tokensRefused.increment()
            return unauthorised(error == .wrongCity ? 403 : 401, "Unauthorized", "\(error)", error: "invalid_token")
        }
    }

    private func unauthorised(_ status: Int, _ title: String, _ detail: String, error: String? = nil) -> HTTPResponse {
        var response = problem(status, title, detail)
        let what = error.map { ", error=\"\($0)\"" } ?? ""
        response.headers.append(("WWW-Authenticate", "Bearer realm=\"kerbside\"\(what)"))
        return response
    }

    /// RFC 9457.
    func problem(_ status: Int, _ title: String, _ detail: String) -> HTTPResponse {
        var json = JSONWriter()
        json.beginObject()
        json.member("type", "about:blank")
        json.member("title", title)
        json.member("status", Int64(status))
        json.member("detail", detail)
        json.endObject()
        return HTTPResponse(status: status, contentType: "application/problem+json", body: json.bytes)
    }
}
