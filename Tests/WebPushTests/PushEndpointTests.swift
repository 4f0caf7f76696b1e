import Testing

@testable import WebPush

private let services = [
    "fcm.googleapis.com", "*.push.apple.com", "localhost:8443", "updates.push.services.mozilla.com",
]

@Suite struct PushEndpointTests {
    @Test(arguments: [
        ("https://fcm.googleapis.com/fcm/send/abc", "https://fcm.googleapis.com"),
        ("https://fcm.googleapis.com/fcm/send/abc:APA91b-_x", "https://fcm.googleapis.com"),
        ("https://fcm.googleapis.com/w/?token=Bx%2b%2f%3D%3d", "https://fcm.googleapis.com"),
        ("https://fcm.googleapis.com/.well-known/a..b/...", "https://fcm.googleapis.com"),
        ("https://web.push.apple.com/QGuQyavXutnMH", "https://web.push.apple.com"),
        ("https://a.b.push.apple.com/?q=%20", "https://a.b.push.apple.com"),
        ("https://localhost:8443/x", "https://localhost:8443"),
    ])
    func `an endpoint of a known service is taken as it is`(url: String, origin: String) throws {
        let endpoint = try PushEndpoint(url, services: services)
        #expect(endpoint.url == url)
        #expect(endpoint.origin == origin)
    }

    @Test func `a service with many hosts is one, whichever host a subscriber names`() throws {
        for host in ["web.push.apple.com", "a.b.push.apple.com"] {
            #expect(try PushEndpoint("https://\(host)/x", services: services).service == "*.push.apple.com")
        }
    }

    @Test(arguments: [
        "", "https://", "https:///x", "http://fcm.googleapis.com/x", "HTTPS://fcm.googleapis.com/x",
        "fcm.googleapis.com/x",
        "ftp://fcm.googleapis.com/x", "file:///etc/passwd", "gopher://fcm.googleapis.com/x",
        // Other hosts, however they are written.
        "https://example.org/x", "https://fcm.googleapis.com.example.org/x", "https://xfcm.googleapis.com/x",
        "https://push.apple.com/x", "https://.push.apple.com/x", "https://evilpush.apple.com/x",
        "https://fcm.googleapis.com@example.org/x", "https://example.org/@fcm.googleapis.com",
        "https://user:word@fcm.googleapis.com/x", "https://fcm.googleapis.com%2eexample.org/x",
        "https://FCM.googleapis.com/x", "https://fcm.googleapis.com./x",
        // Of this machine, and of networks behind it.
        "https://127.0.0.1/x", "https://localhost/x", "https://[::1]/x", "https://10.0.0.1/x", "https://192.168.1.1/x",
        "https://169.254.169.254/latest", "https://2130706433/x", "https://0x7f000001/x",
        // Ports, paths, and what a parser may read in two ways.
        "https://fcm.googleapis.com:8443/x", "https://fcm.googleapis.com:0443443/x", "https://fcm.googleapis.com:/x",
        "https://fcm.googleapis.com:44a/x", "https://localhost:443/x", "https://fcm.googleapis.com",
        "https://fcm.googleapis.com?x", "https://fcm.googleapis.com#/x", "https://fcm.googleapis.com/x#y",
        "https://fcm.googleapis.com\\@example.org/x", "https://fcm.googleapis.com/x y",
        "https://fcm.googleapis.com/\r\nHost: x",
        "https://fcm.googleapis.com/\u{e4}",
        // Other spellings of what is good.
        "https://fcm.googleapis.com:443/x", "https://localhost:08443/x", "https://fcm.googleapis.com/./x",
        "https://fcm.googleapis.com/a/../x", "https://fcm.googleapis.com/x/..", "https://fcm.googleapis.com/%2E/x",
        "https://fcm.googleapis.com/a/.%2e/x", "https://fcm.googleapis.com/%78", "https://fcm.googleapis.com/?%7E",
        "https://fcm.googleapis.com/%", "https://fcm.googleapis.com/%4", "https://fcm.googleapis.com/%+f",
        "https://fcm.googleapis.com/\"x", "https://fcm.googleapis.com/{x}", "https://fcm.googleapis.com/?'x",
    ])
    func `anything else is refused`(url: String) {
        #expect(throws: PushEndpoint.Mismatch.self) { try PushEndpoint(url, services: services) }
    }

    @Test func `what an answer means`() {
        for status in [200, 201, 202, 204] { #expect(PushAnswer(status: status).verdict(attempt: 1) == .sent) }
        for status in [404, 410] { #expect(PushAnswer(status: status).verdict(attempt: 1) == .gone) }
        for status in [301, 307, 400, 401, 403, 413] {
            #expect(PushAnswer(status: status).verdict(attempt: 1) == .refused)
        }
        for status in [0, 408, 429, 500, 502, 503] {
            #expect(PushAnswer(status: status).verdict(attempt: 1) == .later(1_000))
            #expect(PushAnswer(status: status).verdict(attempt: 4) == .later(8_000))
            #expect(PushAnswer(status: status).verdict(attempt: 1_000) == .later(60_000))
        }
        #expect(PushAnswer(status: 429, retryAfterS: 30).verdict(attempt: 1) == .later(30_000))
        #expect(PushAnswer(status: 503, retryAfterS: 3).verdict(attempt: 5) == .later(16_000))
        #expect(PushAnswer(status: 503, retryAfterS: .max).verdict(attempt: 1) == .later(86_400_000))
        #expect(PushAnswer(status: 503, retryAfterS: -5).verdict(attempt: 1) == .later(1_000))
    }
}
