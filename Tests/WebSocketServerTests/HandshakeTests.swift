import Testing

@testable import WebSocketServer

@Suite struct HandshakeTests {
    private static let head = """
        Host: hub.example
        Upgrade: websocket
        Connection: keep-alive, Upgrade
        Sec-WebSocket-Version: 13
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==
        """

    /// The status, and the subprotocol when it is 101; "http" when it is none of the handshake's business.
    private func decide(
        _ more: String, path: String = "/v1/connect", subprotocols: [String] = [], origins: [String] = [],
        host: String = "hub.example", isLocal: Bool = false
    ) -> String {
        let head = Self.head.replacing("hub.example", with: host)
        let lines = ["GET \(path) HTTP/1.1"] + (head + "\n" + more).split(separator: "\n").map(String.init)
        let text = lines.joined(separator: "\r\n") + "\r\n\r\n"
        guard var request = try? RequestHead.parse(Array(text.utf8)[...]).get() else { return "unreadable" }
        request.isFromLoopback = isLocal
        let handshake = Handshake(path: "/v1/connect", subprotocols: subprotocols, allowedOrigins: origins)
        switch handshake.decide(request) {
        case .notUpgrade: return "http"
        case .refused(let response, _): return "\(response.status)"
        case .accepted(_, let subprotocol): return "101 \(subprotocol ?? "-")"
        }
    }

    @Test func `the proof is the one of RFC 6455 1_3`() {
        #expect(Handshake.accept("dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    }

    @Test(arguments: [
        ("", "101 -"), ("Origin: http://hub.example", "101 -"), ("Origin: https://HUB.example", "101 -"),
        ("Origin: https://app.example", "101 -"), ("Origin: https://evil.example", "403"), ("Origin: null", "403"),
        ("Origin: https://hub.example.evil.example", "403"), ("Origin: https://hub.example:444", "403"),
    ]) func `an origin is our own or an allowed one`(header: String, result: String) {
        #expect(decide(header, origins: ["https://app.example"]) == result)
    }

    @Test(arguments: [
        "localhost", "LOCALHOST:8080", "127.0.0.1", "127.0.0.1:8080", "127.255.1.2:1", "[::1]", "[::1]:8080",
    ]) func `a page of this machine is our own`(host: String) {
        #expect(decide("Origin: http://\(host)", host: host, isLocal: true) == "101 -")
    }

    /// Whoever owns such a name can give it the address 127.0.0.1, and a browser here then takes the hub for its page's own.
    @Test(arguments: [
        "127.0.0.1.evil.example", "127.0.0.1.evil.example:8080", "localhost.evil.example", "127.evil.example", "127.1",
        "127.0.0.1:80@evil.example", "127.0.0.1:", "127.0.0.1:80:80", "127.0.0.1:99999", "[::1].evil.example",
        "[::1]evil.example", "[::1", "::1.evil.example", "hub.example", "127.0.0.256", "0127.0.0.1", "[::2]",
    ]) func `a name that only looks like this machine is not ours`(host: String) {
        #expect(!LoopbackName.matches(host))
        #expect(decide("Origin: http://\(host)", host: host, isLocal: true) == "403")
    }

    @Test(arguments: [
        ("", true), ("X-Forwarded-For: 192.0.2.1", false), ("Forwarded: for=192.0.2.1", false),
        ("Via: 1.1 proxy", false), ("X-Real-IP: 192.0.2.1", false), ("X-Forwarded-Proto: https", false),
        ("x-forwarded-host:", false), ("CF-Connecting-IP: 192.0.2.1", false), ("True-Client-IP: 192.0.2.1", false),
        ("X-Envoy-External-Address: 192.0.2.1", false), ("Fly-Client-IP: 192.0.2.1", false),
        ("X-Client-IP: 192.0.2.1", false), ("X-Amzn-Trace-Id: Root=1", false), ("X-Request-Id: 7", false),
        ("Origin: https://evil.example", false), ("Origin: null", false), ("Referer: http://evil.example/", false),
        ("Sec-Fetch-Site: cross-site", false), ("Sec-Fetch-Site: same-site", false), ("Sec-Fetch-Site: none", true),
        ("Sec-Fetch-Site: none\r\nSec-Fetch-Site: cross-site", false),
        // As Prometheus, curl and Firefox ask.
        (
            "User-Agent: Prometheus/3\r\nAccept: text/plain\r\nAccept-Encoding: gzip\r\n"
                + "X-Prometheus-Scrape-Timeout-Seconds: 10", true
        ),
        ("User-Agent: curl/7.88.1\r\nAccept: */*", true),
        (
            "User-Agent: Mozilla/5.0\r\nAccept: text/html\r\nAccept-Language: en\r\nAccept-Encoding: gzip\r\nDNT: 1\r\n"
                + "Connection: keep-alive\r\nUpgrade-Insecure-Requests: 1\r\nSec-Fetch-Dest: document\r\nSec-Fetch-Mode: "
                + "navigate\r\nSec-Fetch-Site: none\r\nSec-Fetch-User: ?1\r\nPriority: u=0, i", true
        ),
    ]) func `who asks by a proxy or a browser of this machine is not of this machine`(header: String, isLocal: Bool)
        throws
    {
        let text = "GET / HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\(header.isEmpty ? "" : header + "\r\n")\r\n"
        var request = try RequestHead.parse(Array(text.utf8)[...]).get()
        #expect(!request.isFromThisMachine)
        request.isFromLoopback = true
        #expect(request.isFromThisMachine == isLocal)
    }

    @Test(arguments: [
        ("/", "127.0.0.1", true), ("http://evil.example/", "127.0.0.1", false),
        ("HTTP://evil.example", "127.0.0.1", false),
        ("https://evil.example:80?a", "127.0.0.1", false), ("http://127.0.0.1/", "evil.example", true),
        ("http://127.0.0.1@evil.example/", "127.0.0.1", false),
    ]) func `the host in the target counts more than the one in the header`(
        target: String, host: String, isLocal: Bool
    ) throws {
        var request = try RequestHead.parse(Array("GET \(target) HTTP/1.1\r\nHost: \(host)\r\n\r\n".utf8)[...]).get()
        request.isFromLoopback = true
        #expect(request.isFromThisMachine == isLocal)
        #expect(request.path == "/")
    }

    @Test func `every origin may be allowed`() {
        #expect(decide("Origin: https://evil.example", origins: ["*"]) == "101 -")
    }

    @Test(arguments: [
        ("", "400"), ("Sec-WebSocket-Protocol: other", "400"), ("Sec-WebSocket-Protocol: other, b", "101 b"),
        ("Sec-WebSocket-Protocol: b\nSec-WebSocket-Protocol: a", "101 a"),
    ]) func `one of the subprotocols has to be offered, ours being preferred in our order`(
        header: String, result: String
    ) {
        #expect(decide(header, subprotocols: ["a", "b"]) == result)
    }

    @Test func `another path is plain HTTP`() {
        #expect(decide("", path: "/v1/other") == "http")
    }
}
