import WebSocketServer
import Wire

extension HTTPResponse {
    /// RFC 9457.
    static func problem(_ status: Int, _ title: String, _ detail: String) -> HTTPResponse {
        problem(status, title, detail) { _ in }
    }

    /// Another version of the catalog, or the first, is being read.
    static var linesNotRead: HTTPResponse {
        problem(503, "Not ready", "The lines are not read yet; ask again in a second.")
    }

    private static func problem(
        _ status: Int, _ title: String, _ detail: String, more: (inout JSONWriter) -> Void
    ) -> HTTPResponse {
        var json = JSONWriter()
        json.beginObject()
        json.member("type", "about:blank")
        json.member("title", title)
        json.member("status", Int64(status))
        json.member("detail", detail)
        more(&json)
        json.endObject()
        return HTTPResponse(status: status, contentType: "application/problem+json", body: json.bytes)
    }

    /// A command's error, with all that the WebSocket says of it.
    static func refusal(_ error: ErrorReply) -> HTTPResponse {
        var response = problem(error.code.status, error.code.title, error.detail) { json in
            json.member("code", error.code.rawValue)
            json.member("retry", error.retry)
            if let field = error.field { json.member("field", field) }
            if let wait = error.retryAfterMs { json.member("retry_after_ms", wait) }
        }
        let wait = error.retryAfterMs ?? (error.code.status == 503 ? 1_000 : nil)
        if let wait { response.headers.append(("Retry-After", "\((wait + 999) / 1000)")) }
        return response
    }

    /// RFC 6750.
    static func unidentified(_ code: ErrorCode, _ detail: String, error: String? = nil) -> HTTPResponse {
        var response = refusal(ErrorReply(code: code, detail: detail))
        response.headers.append(challenge(error))
        return response
    }

    static func challenge(_ error: String?) -> (name: String, value: String) {
        ("WWW-Authenticate", "Bearer realm=\"kerbside\"" + (error.map { ", error=\"\($0)\"" } ?? ""))
    }

    static func wrongMethod(allowed: String, _ detail: String) -> HTTPResponse {
        var response = problem(405, "Method not allowed", detail)
        response.headers.append(("Allow", allowed))
        return response
    }

    /// A reply, which is of this moment.
    static func json(_ bytes: [UInt8]) -> HTTPResponse {
        HTTPResponse(
            status: 200, contentType: "application/json", headers: [("Cache-Control", "no-store")], body: bytes)
    }
}
