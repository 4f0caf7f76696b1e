import WebSocketServer

/// Web pages of the origins that may connect may read the HTTP answers, too (CORS, fetch.spec.whatwg.org).
struct CrossOrigin {
    /// Scheme and host of the page, as the browser sends it; nil: no browser, or no origin that may.
    private let origin: String?
    /// Whether the answer depends on the origin.
    private let varies: Bool

    /// - Parameter allowed: the setting `server.allowed_origins`; `*` allows all.
    init(_ request: HTTPRequest, allowed: [String]) {
        let isOpen = allowed.contains("*")
        varies = !allowed.isEmpty && !isOpen
        origin = request.origin.flatMap { origin in
            let name = origin.lowercased()
            return isOpen ? "*" : allowed.contains { $0.lowercased() == name } ? origin : nil
        }
    }

    /// What a page asks before it sends a header of its own. Nil: this is no such question, or the origin may not.
    func preflight(_ request: HTTPRequest) -> HTTPResponse? {
        guard request.method == "OPTIONS", request.header("access-control-request-method") != nil, origin != nil else {
            return nil
        }
        return share(
            HTTPResponse(
                status: 204,
                headers: [
                    ("Access-Control-Allow-Methods", "GET, HEAD, POST"),
                    (
                        "Access-Control-Allow-Headers",
                        "Authorization, Content-Type, Idempotency-Key, If-None-Match, If-Modified-Since"
                    ),
                    ("Access-Control-Max-Age", "86400"),
                ]))
    }

    /// The answer, for the page to read.
    func share(_ response: HTTPResponse) -> HTTPResponse {
        var response = response
        if let origin {
            response.headers.append(("Access-Control-Allow-Origin", origin))
            response.headers.append(("Access-Control-Expose-Headers", "ETag, Link, Retry-After"))
        }
        if varies { response.headers.append(("Vary", "Origin")) }
        return response
    }
}
