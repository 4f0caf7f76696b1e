import Testing

@testable import RedisLink

@Suite struct EndpointTests {
    @Test("N2: URLs are taken apart")
    func urls() throws {
        typealias Endpoint = RedisEndpoint
        let expected: [(String, RedisEndpoint)] = [
            ("redis://localhost", .tcp(host: "localhost")),
            ("redis://localhost/", .tcp(host: "localhost")),
            ("redis://10.0.0.1:7000/3", Endpoint(.tcp(host: "10.0.0.1", port: 7000), database: 3)),
            ("redis://[::1]:7000", .tcp(host: "::1", port: 7000)),
            ("redis://[fe80::1]", .tcp(host: "fe80::1")),
            ("redis://:pw@h", Endpoint(.tcp(host: "h", port: 6379), password: "pw")),
            ("redis://u:p@w@h:1", Endpoint(.tcp(host: "h", port: 1), user: "u", password: "p@w")),
            ("redis://a%3Ab:%2F%40%25%C3%A9@h", Endpoint(.tcp(host: "h", port: 6379), user: "a:b", password: "/@%é")),
            ("unix:///run/redis.sock", .unix(path: "/run/redis.sock")),
            ("unix:///run/a@b%20c.sock?db=2", .unix(path: "/run/a@b c.sock", database: 2)),
            ("unix://u:p@/run/s", Endpoint(.unix(path: "/run/s"), user: "u", password: "p")),
        ]
        for (url, endpoint) in expected { #expect(try RedisEndpoint(url: url) == endpoint, "\(url)") }
    }

    @Test(
        "N7: a malformed URL is refused with what is expected, and without the password",
        arguments: [
            "", "localhost:6379", "http://h", "redis://", "redis://:secret@", "redis://h:0", "redis://h:65536",
            "redis://h:x", "redis://h/x", "redis://h/-1", "redis://[::1", "redis://[::1]x", "redis://user@h",
            "unix://run/redis.sock", "unix:///s?database=1", "unix:///s?db=", "redis://u:secret%zz@h",
            "redis://u:secret%4@h",
            "rediss://u:secret@h",
        ])
    func malformed(_ url: String) {
        let error = #expect(throws: RedisURLError.self) { try RedisEndpoint(url: url) }
        #expect(error?.description.contains("secret") == false)
        #expect(error?.description.contains(url.hasPrefix("rediss") ? "TLS" : "expected redis://") == true)
    }

    @Test("An endpoint is shown without its password")
    func description() {
        let endpoint = RedisEndpoint(.tcp(host: "::1", port: 7000), user: "u", password: "secret", database: 2)
        #expect(endpoint.description == "redis://u@[::1]:7000/2")
        #expect(RedisEndpoint.unix(path: "/s", database: 1).description == "unix:///s?db=1")
    }

    @Test("Waits double up to the maximum, and are never shortened by more than a half")
    func backoff() {
        for _ in 0..<100 {
            var backoff = Backoff(minMs: 50, maxMs: 2000)
            for full: UInt64 in [50, 100, 200, 400, 800, 1600, 2000, 2000] {
                let wait = backoff.next()
                #expect(wait >= full / 2 && wait <= full)
            }
            backoff.reset()
            #expect(backoff.next() <= 50)
            for _ in 0..<100 { #expect(backoff.next() <= 2000) }
        }
    }

    @Test("Pending commands come out in the order in which they went in, over all sizes of the ring")
    func pendingOrder() {
        var pending = PendingCommands()
        var next = 0
        var expected = 0
        var seen: [Int] = []
        for round in 0..<200 {
            for _ in 0..<(round % 17) * 10 {
                let number = next
                pending.append(.init(deadline: UInt64(number), completion: { _ in seen.append(number) }))
                next += 1
            }
            for _ in 0..<(round % 13) * 12 {
                guard let entry = pending.popFirst() else { break }
                #expect(entry.deadline == UInt64(expected))
                expected += 1
            }
            #expect(pending.count == next - expected)
            #expect(pending.firstDeadline == (pending.isEmpty ? nil : UInt64(expected)))
        }
        for entry in pending.takeAll() { entry.completion(.failure(.disconnected)) }
        #expect(seen == Array(expected..<next))
        #expect(pending.isEmpty && pending.popFirst() == nil)
    }
}
