import EventLoop
import Testing

@testable import WebSocketServer

/// One bound for the memory of all that is kept for clients, whatever of it each of them has.
@Suite(.serialized) struct KeptMemoryTests {
    private static func part(of announced: Int, _ count: Int) -> [UInt8] {
        RawClient.frame(.binary, [UInt8](repeating: 7, count: count), announced: announced)
    }

    @Test
    func `when too much is kept in all strangers leave, though no sum is beyond its bound, and known clients stay`()
        throws
    {
        var limits = ServerLimits()
        limits.maxStrangersBytes = 400_000
        limits.maxUnfinishedBytes = 400_000
        limits.maxKeptBytes = 400_000
        try onLoop { loop in
            let pair = try Pair(loop, limits: limits)
            let server = pair.server
            server.hasStrangers = true
            var heard: [Int] = []
            var closed: [ConnectionID] = []
            server.onMessage = { _, bytes, _ in heard.append(bytes.count) }
            server.onClose = { id, _, _ in closed.append(id) }
            let known = (0..<3).map { _ in RawClient(port: pair.port) }
            for client in known { client.send(RawClient.upgrade) }
            when(loop, { pair.opened.count == 3 }) {
                let ids = pair.opened
                for id in ids { server.welcome(id, sharing: InboundRate(perSecond: 500)) }
                for client in known { client.send(Self.part(of: 60_000, 40_000)) }
                func holds(_ id: ConnectionID) -> Bool { server.connections[id]?.unfinishedBytes ?? 0 >= 40_000 }
                when(loop, { ids.allSatisfy(holds) }) {
                    let few = RawClient(port: pair.port)
                    few.send(Array(RawClient.upgrade.utf8) + RawClient.frame(.binary, [7, 7, 7], announced: 10))
                    let strangers = (0..<20).map { _ in RawClient(port: pair.port) }
                    for client in strangers {
                        client.send(Array(RawClient.upgrade.utf8) + Self.part(of: 16_000, 15_000))
                    }
                    var most = 0
                    loop.atEndOfTurn { most = max(most, server.strangersBytes, server.unfinishedBytes) }
                    when(loop, { server.counters.refusedFull >= 5 && server.bytesKept <= limits.maxKeptBytes }) {
                        let stayed = ids.filter { holds($0) && !closed.contains($0) }
                        #expect(stayed == ids && most > 0 && most <= limits.maxStrangersBytes)
                        few.send([7, 7, 7, 7, 7, 7, 7])
                        for client in known { client.send([UInt8](repeating: 7, count: 20_000)) }
                        when(loop, { heard.count == 4 }) {
                            #expect(heard.sorted() == [10, 60_000, 60_000, 60_000])
                            withExtendedLifetime((known, strangers, few)) { pair.finish(loop) }
                        }
                    }
                }
            }
        }
    }

    @Test func `when too much is kept in all the slowest reader leaves before what waits has reached its own bound`()
        throws
    {
        var limits = ServerLimits()
        limits.maxHeldBytes = 400_000
        limits.maxKeptBytes = 200_000
        try onLoop { loop in
            let pair = try Pair(loop, limits: limits)
            let ids = try (0..<2).map { _ in try pair.client.connect(url: pair.url) }
            // A client that is paused before it has read the server's answer can't send.
            when(loop, { pair.opened.count == 2 && pair.clientOpens == 2 }) {
                for id in ids { pair.client.setPaused(id, true) }
                var most = 0
                loop.atEndOfTurn { most = max(most, pair.server.bytesKept) }
                when(
                    loop,
                    {
                        // Each has its own.
                        for id in pair.opened {
                            pair.server.send(id, .binary([UInt8](repeating: 7, count: 10_000)))
                        }
                        return !pair.serverCloses.isEmpty
                    }
                ) {
                    #expect(pair.serverCloses[0] == limits.slowConsumerCode)
                    #expect(most > 0 && most <= limits.maxKeptBytes)
                    pair.finish(loop)
                }
            }
        }
    }

    @Test func `a request counts until it is answered`() throws {
        try onLoop { loop in
            let server = try WebSocketServer(loop: loop)
            let port = try server.listen(host: "127.0.0.1", port: 0)
            var answers: [(HTTPResponse) -> Void] = []
            server.onHTTP = { _, answer in answers.append(answer) }
            let clients = (0..<10).map { _ in RawClient(port: port) }
            let field = String(repeating: "x", count: 10_000)
            for client in clients { client.send("GET / HTTP/1.1\r\nHost: x\r\nX: \(field)\r\n\r\n") }
            when(loop, { answers.count == clients.count }) {
                #expect(server.strangersBytes > clients.count * 20_000 && server.bytesKept == server.strangersBytes)
                for answer in answers { answer(.text(200, "x")) }
                #expect(server.strangersBytes == 0)
                withExtendedLifetime(clients) {
                    server.shutdown { withExtendedLifetime(server) { loop.stop() } }
                }
            }
        }
    }

    @Test func `who is sent away while its request is under way is told that it may have been carried out`() throws {
        var limits = ServerLimits()
        limits.maxStrangersBytes = 18_000
        try onLoop { loop in
            let server = try WebSocketServer(loop: loop, limits: limits)
            let port = try server.listen(host: "127.0.0.1", port: 0)
            var answers: [(HTTPResponse) -> Void] = []
            server.onHTTP = { _, answer in answers.append(answer) }
            let client = RawClient(port: port)
            client.send("GET / HTTP/1.1\r\nHost: x\r\nX: \(String(repeating: "x", count: 10_000))\r\n\r\n")
            when(loop, { server.counters.bytesOut > 0 }) {
                let said = client.read()
                #expect(answers.count == 1 && said.hasPrefix("HTTP/1.1 503 "))
                #expect(said.contains("with the same Idempotency-Key"))
                for answer in answers { answer(.text(200, "x")) }
                server.shutdown { withExtendedLifetime((server, client)) { loop.stop() } }
            }
        }
    }

    @Test func `where memory runs short fewer handshakes are under way`() throws {
        guard let certificate = try TestCertificate() else { return try #require(Bool(true), "no openssl command") }
        var limits = ServerLimits()
        limits.maxHandshakes = 20
        limits.maxKeptBytes = 10 * SocketContext.handshakeMemory
        limits.headerTimeoutMs = 60_000
        try onLoop { loop in
            let server = try WebSocketServer(loop: loop, limits: limits, tls: certificate.files)
            let port = try server.listen(host: "127.0.0.1", port: 0)
            let silent = (0..<12).map { _ in RawClient(port: port) }
            for client in silent { client.send(TLSTests.hello) }
            var most = 0
            loop.atEndOfTurn { most = max(most, server.handshakesUnderWay) }
            // Beyond three quarters each newcomer takes the place of the oldest.
            when(loop, { server.counters.refusedFull == 4 && server.handshakesUnderWay == 8 }) {
                #expect(most == 8)
                withExtendedLifetime(silent) {
                    server.shutdown { withExtendedLifetime(server) { loop.stop() } }
                }
            }
        }
    }
}
