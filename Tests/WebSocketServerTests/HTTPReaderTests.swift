import Glibc
import Testing

@testable import WebSocketServer

@Suite struct HTTPReaderTests {
    /// What is read of `text`: requests as "METHOD path?query body", refusals as their status.
    private func read(_ text: String, pieces: Int = .max, maxHead: Int = 1_000, maxBody: Int = 100) -> [String] {
        var reader = HTTPReader(maxHeadBytes: maxHead, maxBodyBytes: maxBody)
        var told: [String] = []
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(pieces))
            rest = rest.dropFirst(pieces)
            piece.withUnsafeBytes { reader.append($0) }
            steps: while true {
                switch reader.next() {
                case .needsMore: break steps
                case .wantsContinue: told.append("100")
                case .refused(let response):
                    told.append("\(response.status)")
                    return told
                case .request(let request):
                    let query = request.query.map { "?" + $0 } ?? ""
                    let body = String(decoding: request.body, as: UTF8.self)
                    told.append("\(request.method) \(request.path)\(query) \(body)".trimmed)
                }
            }
        }
        return told
    }

    @Test(arguments: [1, 7, Int.max]) func `requests follow one another, with and without a body`(pieces: Int) {
        let text =
            "GET /a?b=c HTTP/1.1\r\nHost: x\r\n\r\n\r\nPOST /d HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"
            + "HEAD http://x/e HTTP/1.1\r\nHost: x\r\n\r\n"
        #expect(read(text, pieces: pieces) == ["GET /a?b=c", "POST /d abc", "HEAD /e"])
    }

    @Test(arguments: [
        ("GET / HTTP/1.1\r\n\r\n", "400"), ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "400"),
        ("GET /\r\nHost: x\r\n\r\n", "400"), ("GET  / HTTP/1.1\r\nHost: x\r\n\r\n", "400"),
        ("GET / HTTP/2.0\r\nHost: x\r\n\r\n", "505"), ("GET / HTTP/1.1\r\nHost : x\r\n\r\n", "400"),
        ("GET / HTTP/1.1\r\nHost: x\r\n folded\r\n\r\n", "400"), ("GET / HTTP/1.1\nHost: x\r\n\r\n\r\n", "400"),
        ("GET http:///a HTTP/1.1\r\nHost: x\r\n\r\n", "400"), ("GET a?b://c/d HTTP/1.1\r\nHost: x\r\n\r\n", "400"),
        ("GET / HTTP/1.1\r\nHost: x\u{0}\r\n\r\n", "400"), ("GET /é HTTP/1.1\r\nHost: x\r\n\r\n", "400"),
        ("GET / HTTP/1.1\r\nHost: x\r\nA: é\r\n\r\n", "400"), ("GET / HTTP/1.1\r\nHost: x\r\né: a\r\n\r\n", "400"),
        ("É / HTTP/1.1\r\nHost: x\r\n\r\n", "400"), ("GET / HTTP/1.1\r\nHost: \u{345}\u{334}\r\n\r\n", "400"),
        ("GET x HTTP/1.1\r\nHost: x\r\n\r\n", "400"),
        ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n", "411"),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", "400"),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", "400"),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: +1\r\n\r\n", "400"),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 101\r\n\r\n", "413"),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n", "413"),
    ]) func `what could be read in two ways is refused`(text: String, status: String) {
        #expect(read(text) == [status])
    }

    @Test func `a head that never ends is refused when it is too long`() {
        #expect(read("GET / HTTP/1.1\r\nHost: x\r\nA: " + String(repeating: "a", count: 1_000)) == ["431"])
        #expect(read("GET / HTTP/1.1\r\nHost: x\r\nA: \(String(repeating: "a", count: 1_000))\r\n\r\n") == ["431"])
    }

    @Test func `a sender that waits to be told to go on is told`() {
        let head = "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"
        #expect(read(head + "ok", pieces: head.utf8.count) == ["100", "POST / ok"])
        #expect(read(head + "ok") == ["POST / ok"])
    }

    @Test func `C70: empty lines before a request are passed over, but not without end`() {
        let request = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n"
        #expect(read(String(repeating: "\r\n", count: 8) + request, pieces: 1) == ["GET /a"])
        #expect(read(request + "\r\n" + request) == ["GET /a", "GET /a"])
        #expect(read(String(repeating: "\r\n", count: 10_000), pieces: 2) == ["400"])
        #expect(read("GET / HTTP/1.1\r\nHost: x\r\n" + String(repeating: "a: b\r\n", count: 100) + "\r\n") == ["431"])
    }

    /// What a stranger may send to have it looked at again and again: a unit that is repeated, and what comes before it.
    private static let hostile: [(before: String, unit: String)] = [
        ("", "\r\n"), ("", "\r"), ("", "\n"), ("GET /", "a"), ("GET / HTTP/1.1\r\nHost: x\r\n", "a: b\r\n"),
        ("", "GET / HTTP/1.1\r\nHost: x\r\n\r\n"), ("GET / HTTP/1.1\r\nHost: x\r\nA: ", "\r"),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 50000\r\n\r\n", "ab"),
        ("", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n\r"),
    ]

    @Test(arguments: [1, 2, 50, Int.max]) func `C70: each byte is looked at a few times, whatever it belongs to`(
        piece: Int
    ) {
        for (before, unit) in Self.hostile {
            for count in [1_000, 4_000] {
                var reader = HTTPReader(maxHeadBytes: 60_000, maxBodyBytes: 60_000)
                var rest = Array((before + String(repeating: unit, count: count)).utf8)[...]
                let whole = rest.count
                feeding: while !rest.isEmpty {
                    Array(rest.prefix(piece)).withUnsafeBytes { reader.append($0) }
                    rest = rest.dropFirst(piece)
                    while true {
                        let step = reader.next()
                        if case .refused = step { break feeding }
                        if case .needsMore = step { break }
                    }
                }
                #expect(reader.work <= 4 * whole, "\(unit.debugDescription) in pieces of \(piece)")
            }
        }
    }

    @Test func `a bearer token is read from its header only`() {
        let request = parse("GET /?token=no HTTP/1.1\r\nHost: x\r\naUTHORIZATION:  bearer  abc.def \r\n\r\n")
        #expect(request?.bearerToken == "abc.def")
        #expect(parse("GET / HTTP/1.1\r\nHost: x\r\nAuthorization: Basic abc\r\n\r\n")?.bearerToken == nil)
        #expect(parse("GET /?token=x HTTP/1.1\r\nHost: x\r\n\r\n")?.bearerToken == nil)
    }

    @Test(arguments: ["\u{345}\u{334}", "A,", "/", "\t", ",", " ", "a=", "%41", "\u{1F1E6}", "a: b\r\nC"])
    func `a head costs no more than some plain ones of its length, whatever it says`(unit: String) throws {
        let (plain, hostile) = (try cost(of: "a"), try cost(of: unit))
        #expect(hostile < 30 * plain, "\(unit.debugDescription): \(hostile) s, plain \(plain) s")
    }

    /// CPU seconds of reading a head of 16 KB that repeats `unit` wherever something may stand, the best of some tries.
    private func cost(of unit: String) throws -> Double {
        let text = String(repeating: unit, count: 15_000 / unit.utf8.count)
        let heads = [
            "GET /\(text) HTTP/1.1\r\nHost: x\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: x\r\nConnection: upgrade,\(text)\r\nUpgrade: websocket\r\n\r\n",
        ]
        var best = Double.infinity
        for _ in 0..<5 {
            let begin = Self.now()
            for head in heads {
                guard let request = parse(head) else { continue }
                _ = Handshake(path: nil, subprotocols: ["a"], allowedOrigins: ["b"]).decide(request)
                _ = (request.keepsAlive, request.bearerToken, request.isFromThisMachine)
            }
            best = min(best, Self.now() - begin)
        }
        return best
    }

    private static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
    }

    private func parse(_ head: String) -> HTTPRequest? { try? RequestHead.parse(Array(head.utf8)[...]).get() }
}

extension String {
    fileprivate var trimmed: String { String(self[...].trimmingSpaces()) }
}
