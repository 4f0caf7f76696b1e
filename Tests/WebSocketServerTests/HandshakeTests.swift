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
        _ more: String, path: String = "/v1/connect", subprotocols: [String] = [], origins: [String] = []
    ) -> String {
        let lines = ["GET \(path) HTTP/1.1"] + (Self.head + "\n" + more).split(separator: "\n").map(String.init)
        let text = lines.joined(separator: "\r\n") + "\r\n\r\n"
        guard let request = try? RequestHead.parse(Array(text.utf8)[...]).get() else { return "unreadable" }
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
