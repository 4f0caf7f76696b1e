internal import Glibc

/// The answer to an `HTTPRequest`.
public struct HTTPResponse: Sendable {
    public var status: Int
    /// The media type of the body; nil sends none.
    public var contentType: String?
    /// Further headers. `Content-Length`, `Content-Type`, `Date` and `Connection` are set by the server.
    public var headers: [(name: String, value: String)]
    /// Not sent to `HEAD`, but counted. All connections that are sent the same array share its memory: a page that many ask
    /// for is to be kept, and given here each time.
    public var body: [UInt8]
    /// The connection becomes a stream of events, which the answer's body is; its client's first messages (JSON). Nil: the body is all there is.
    public var stream: [[UInt8]]?

    public init(
        status: Int, contentType: String? = nil, headers: [(name: String, value: String)] = [], body: [UInt8] = []
    ) {
        self.status = status
        self.contentType = contentType
        self.headers = headers
        self.body = body
    }

    /// One line of plain text for people.
    public static func text(_ status: Int, _ line: String) -> HTTPResponse {
        HTTPResponse(status: status, contentType: "text/plain; charset=utf-8", body: Array((line + "\n").utf8))
    }

    /// 1xx, 204 and 304 have no body, and say no length.
    var mayHaveBody: Bool { status >= 200 && status != 204 && status != 304 }

    /// What goes over the wire before the body.
    func head(keepsAlive: Bool, unixTime: Int) -> [UInt8] {
        var head = "HTTP/1.1 \(status) \(Self.reason(status))\r\n"
        head += "Date: \(Self.date(unixTime))\r\n"
        if let contentType { head += "Content-Type: \(contentType)\r\n" }
        if mayHaveBody, stream == nil { head += "Content-Length: \(body.count)\r\n" }
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        head += keepsAlive ? "\r\n" : "Connection: close\r\n\r\n"
        return Array(head.utf8)
    }

    /// RFC 9110 5.6.7: `Sun, 06 Nov 1994 08:49:37 GMT`.
    public static func date(_ unixTime: Int) -> String {
        var time = time_t(unixTime)
        var parts = tm()
        gmtime_r(&time, &parts)
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(days[Int(parts.tm_wday)]), \(two(parts.tm_mday)) \(months[Int(parts.tm_mon)]) "
            + "\(parts.tm_year + 1900) \(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) GMT"
    }

    private static func reason(_ status: Int) -> String { reasons[status] ?? "Status" }

    private static let reasons: [Int: String] = [
        100: "Continue", 101: "Switching Protocols", 200: "OK", 201: "Created", 202: "Accepted", 204: "No Content",
        301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified", 307: "Temporary Redirect",
        308: "Permanent Redirect", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found",
        405: "Method Not Allowed", 408: "Request Timeout", 409: "Conflict", 410: "Gone", 411: "Length Required",
        412: "Precondition Failed", 413: "Content Too Large", 414: "URI Too Long", 415: "Unsupported Media Type",
        417: "Expectation Failed", 422: "Unprocessable Content", 426: "Upgrade Required", 429: "Too Many Requests",
        431: "Request Header Fields Too Large", 500: "Internal Server Error", 501: "Not Implemented",
        503: "Service Unavailable", 505: "HTTP Version Not Supported",
    ]
}
