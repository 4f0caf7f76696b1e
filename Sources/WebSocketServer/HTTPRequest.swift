/// One HTTP/1.1 request that is not the WebSocket upgrade.
public struct HTTPRequest: Sendable {
    /// As sent, such as `GET`, `HEAD`, `POST`.
    public let method: String
    /// The path, not decoded, without the query: `/v1/lines`.
    public let path: String
    /// What stands after `?`, not decoded; nil without `?`.
    public let query: String?
    /// Names in lower case, values trimmed, in the order sent.
    public let headers: [(name: String, value: String)]
    public internal(set) var body: [UInt8]
    /// The peer's address, numeric, without port.
    public internal(set) var remoteAddress: String
    /// HTTP/1.0 closes unless asked otherwise; 1.1 does the reverse.
    let isHTTP10: Bool

    /// The path as an answer may quote it: 100 bytes at most, or who asks for little would be sent much.
    public var quotedPath: String {
        path.utf8.count <= 100 ? path : String(decoding: path.utf8.prefix(97), as: UTF8.self) + "..."
    }

    /// The value of a header given in lower case; several are joined by a comma. nil: not sent.
    public func header(_ name: String) -> String? {
        let values = headers.lazy.filter { $0.name == name }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    public var host: String? { header("host") }
    public var origin: String? { header("origin") }
    /// The largest network around `remoteAddress` that may be one client's: itself, or of IPv6 the /48.
    public internal(set) var remoteNetwork = ""
    /// By what clients are told apart that nobody knows: the network. nil: a program of this machine asks, which may be a proxy for everybody.
    public var clientNetwork: String? { isFromLoopback ? nil : remoteNetwork }
    /// Whether a program of this machine asked, as far as the socket tells: a proxy here does so for others.
    public internal(set) var isFromLoopback = false
    /// Whether a program of this machine asked for itself: it came over loopback, named this machine, and has no header by which
    /// a proxy says for whom it asks, or a browser for which page. Proxies have many such headers, so these are the ones that
    /// collectors, command lines and a typed address send. A page in a browser here that gave its own name the address
    /// 127.0.0.1 names itself.
    public var isFromThisMachine: Bool {
        guard isFromLoopback, headers.allSatisfy({ Self.ownHeaders.contains($0.name) }) else { return false }
        guard header("sec-fetch-site") ?? "none" == "none" else { return false }
        return host.map { LoopbackName.matches($0.lowercased()) } ?? true
    }

    private static let ownHeaders: Set = [
        "host", "user-agent", "accept", "accept-charset", "accept-encoding", "accept-language", "authorization",
        "cache-control", "connection", "keep-alive", "pragma", "te", "if-modified-since", "if-none-match",
        "x-prometheus-scrape-timeout-seconds",
        // Of a browser whose user typed the address.
        "cookie", "dnt", "priority", "sec-ch-ua", "sec-ch-ua-mobile", "sec-ch-ua-platform", "sec-fetch-dest",
        "sec-fetch-mode", "sec-fetch-site", "sec-fetch-user", "sec-gpc", "upgrade-insecure-requests",
    ]

    /// Whether its body is said to be JSON.
    public var isJSON: Bool {
        let type = header("content-type")?.utf8.prefix { $0 != UInt8(ascii: ";") }.filter { $0 != 32 && $0 != 9 } ?? []
        return type.count == 16 && String(decoding: type, as: UTF8.self).lowercased() == "application/json"
    }

    /// Whether no web page asks, or one of this server or of `allowed` origins (`https://example.org`; `*` for all). Of this server are those
    /// of the host that was asked; from this machine only under a name of this machine, because any page can give its own name the
    /// address 127.0.0.1.
    public func isOfPage(in allowed: [String]) -> Bool {
        guard let origin = origin?.lowercased() else { return true }
        if allowed.contains(where: { $0 == "*" || $0.lowercased() == origin }) { return true }
        guard let host = host?.lowercased() else { return false }
        if isFromLoopback, !LoopbackName.matches(host) { return false }
        return origin == "http://\(Self.without(port: ":80", host))"
            || origin == "https://\(Self.without(port: ":443", host))"
    }

    /// Browsers leave the default port out of Origin.
    private static func without(port: String, _ host: String) -> String {
        host.hasSuffix(port) ? String(host.dropLast(port.count)) : host
    }

    public var authorization: String? { header("authorization") }
    public var ifNoneMatch: String? { header("if-none-match") }

    /// The token of `Authorization: Bearer …`. Tokens are taken from nowhere else.
    public var bearerToken: String? {
        guard let value = authorization, let space = value.utf8.firstIndex(of: 32),
            value[..<space].lowercased() == "bearer"
        else { return nil }
        let token = value.utf8[space...].drop { $0 == 32 }
        return token.isEmpty ? nil : String(Substring(token))
    }

    var keepsAlive: Bool {
        hasToken("connection", "close") ? false : !isHTTP10 || hasToken("connection", "keep-alive")
    }

    /// Whether a comma-separated header has `token`, in any case.
    func hasToken(_ name: String, _ token: String) -> Bool {
        tokens(name).contains { $0.utf8.count == token.utf8.count && $0.lowercased() == token }
    }

    /// So many items of a list are looked at: browsers send four, and no two things can be had at once.
    private static let maxItems = 64

    /// The first 64 items of a comma-separated header, trimmed, without empty ones.
    public func tokens(_ name: String) -> [Substring] {
        guard let value = header(name) else { return [] }
        return value.utf8.split(separator: 44, maxSplits: Self.maxItems, omittingEmptySubsequences: false)
            .prefix(Self.maxItems).map { Substring($0).trimmingSpaces() }.filter { !$0.isEmpty }
    }
}

extension Substring {
    func trimmingSpaces() -> Substring {
        guard let first = utf8.firstIndex(where: { $0 != 32 && $0 != 9 }),
            let last = utf8.lastIndex(where: { $0 != 32 && $0 != 9 })
        else { return "" }
        return Substring(utf8[first...last])
    }
}
