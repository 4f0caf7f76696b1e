import EventLoop
import Foundation
import TestSupport
import Testing

@testable import WebSocketServer

/// A server on a loop of its own, that answers HTTP with what it was asked.
actor TestHost {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private var server: WebSocketServer?
    /// The same for all who ask.
    private let page = [UInt8](repeating: 126, count: 2_000_000)

    init(loop: EventLoop) { self.loop = loop }

    func start(limits: ServerLimits = ServerLimits(), tls: TLSFiles? = nil) throws -> Int {
        let server = try WebSocketServer(loop: loop, limits: limits, tls: tls)
        server.onHTTP = { request, answer in
            switch request.path {
            case "/page": answer(HTTPResponse(status: 200, body: self.page))
            case "/large": answer(HTTPResponse(status: 200, body: Array(repeating: 120, count: 3_000_000)))
            case "/none": answer(HTTPResponse(status: 204))
            case "/never": break
            case "/later":
                let timer = LoopTimer(self.loop)
                timer.start(afterMs: 50) {
                    timer.close()
                    answer(.text(200, "later"))
                    answer(.text(200, "twice"))
                }
            default:
                let body = String(decoding: request.body, as: UTF8.self)
                let line = "\(request.method) \(request.path) \(request.query ?? "-") \(body)"
                answer(
                    HTTPResponse(
                        status: 200, contentType: "text/plain", headers: [(name: "ETag", value: "\"1\"")],
                        body: Array(line.utf8)))
            }
        }
        self.server = server
        return try server.listen(host: "127.0.0.1", port: 0)
    }

    var counters: ServerCounters { server!.counters }
    var socketCount: Int { server!.socketCount }
    var bytesQueued: Int { server!.bytesQueued }
    var bytesHeld: Int { server!.bytesHeld }

    func stop() async {
        await withCheckedContinuation { continuation in
            guard let server else { return continuation.resume() }
            server.shutdown { continuation.resume() }
        }
        server = nil
    }
}

@Suite(.serialized) struct HTTPTests {
    /// `body` blocks, so that it must never be resumed on the server's loop.
    @concurrent private func with(
        _ limits: ServerLimits = ServerLimits(), _ body: @concurrent (Int, TestHost) async throws -> Void
    ) async throws {
        let thread = try LoopThread()
        let host = TestHost(loop: thread.loop)
        try await body(try await host.start(limits: limits), host)
        await host.stop()
        thread.stop()
    }

    @Test func `requests of one connection are answered one after the other`() async throws {
        try await with { port, host in
            let client = RawClient(port: port)
            client.send("GET /a?b=1 HTTP/1.1\r\nHost: x\r\n\r\n")
            let first = client.read(until: "GET /a b=1 ")
            #expect(first.hasPrefix("HTTP/1.1 200 OK\r\nDate: "))
            #expect(first.contains("\r\nContent-Length: 11\r\n"))
            #expect(first.contains("\r\nETag: \"1\"\r\n"))
            #expect(!first.contains("Connection: close"))
            client.send(
                "POST /p HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbodyGET /n HTTP/1.1\r\nHost: x\r\n\r\n")
            let both = client.read(until: "GET /n - ")
            #expect(both.contains("POST /p - bodyHTTP/1.1 200 OK"))
            #expect(await host.counters.httpRequests == 3)
        }
    }

    @Test func `a request that is answered later holds up those behind it, and is answered once`() async throws {
        try await with { port, host in
            let client = RawClient(port: port)
            client.send("GET /later HTTP/1.1\r\nHost: x\r\n\r\nGET /a HTTP/1.1\r\nHost: x\r\n\r\n")
            let text = client.read(until: "GET /a - ")
            #expect(text.contains("\r\n\r\nlater\nHTTP/1.1 200 OK"))
            #expect(!text.contains("twice"))
            // Gone before its answer: nothing comes of it.
            do { RawClient(port: port).send("GET /later HTTP/1.1\r\nHost: x\r\n\r\n") }
            client.send("GET /later HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(client.read(until: "later\n").contains("later"))
        }
    }

    @Test func `who waits for an answer can not send without end, nor is it cut for being silent`() async throws {
        var limits = ServerLimits()
        limits.maxBodyBytes = 1_000
        limits.maxHeadBytes = 1_000
        limits.headerTimeoutMs = 10
        try await with(limits) { port, host in
            let patient = RawClient(port: port)
            patient.send("GET /later HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            #expect(patient.read().hasSuffix("later\n"))
            let flood = RawClient(port: port)
            flood.send("GET /never HTTP/1.1\r\nHost: x\r\n\r\n")
            // What comes in one read with the request waits, and nothing more is read.
            while await host.counters.httpRequests < 2 { await Task.yield() }
            flood.flood(String(repeating: "GET ", count: 100_000))
            #expect(flood.read().isEmpty)
        }
    }

    @Test func `C61: those who wait for the same page share its memory`() async throws {
        try await with { port, host in
            let clients = (0..<50).map { _ in RawClient(port: port, window: 8_192) }
            for client in clients { client.send("GET /page HTTP/1.1\r\nHost: x\r\n\r\n") }
            while await host.counters.httpRequests < 50 { await Task.yield() }
            let (queued, held) = (await host.bytesQueued, await host.bytesHeld)
            #expect(queued > 50 * 1_000_000)
            #expect(held < 2_000_000 + 50 * 1_000)
        }
    }

    @Test func `C61: the next request is read when the last answer is out`() async throws {
        try await with { port, host in
            let client = RawClient(port: port, window: 8_192)
            client.send(String(repeating: "GET /page HTTP/1.1\r\nHost: x\r\n\r\n", count: 10))
            let other = RawClient(port: port)
            other.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n")
            _ = other.read(until: "GET /a - ")
            #expect(await host.counters.httpRequests == 2)
            client.send("GET /b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            #expect(client.read().utf8.count { $0 == 126 } == 20_000_000)
            #expect(await host.counters.httpRequests == 12)
        }
    }

    @Test func `C61: when too much waits, large answers are refused and small ones are not`() async throws {
        var limits = ServerLimits()
        limits.maxHeldBytes = 5_000_000
        try await with(limits) { port, host in
            let slow = RawClient(port: port, window: 8_192)
            slow.send("GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(slow.take(1) == 1)
            let client = RawClient(port: port)
            client.send("GET /large HTTP/1.1\r\nHost: x\r\n\r\nGET /a HTTP/1.1\r\nHost: x\r\n\r\n")
            let text = client.read(until: "GET /a - ")
            #expect(text.hasPrefix("HTTP/1.1 503 "))
            #expect(text.contains("\r\nRetry-After: 5\r\n"))
            #expect(text.contains("HTTP/1.1 200 OK"))
            #expect(await host.counters.refusedFull == 1)
        }
    }

    @Test func `C61: who takes a little now and then is cut, who takes it steadily has it whole`() async throws {
        var limits = ServerLimits()
        limits.answerWindowMs = 1_000
        limits.minAnswerBytesPerSecond = 1_000_000
        // What was looked at before: whether anything was taken within this time.
        limits.headerTimeoutMs = 1_000
        try await with(limits) { port, host in
            for request in ["GET /page HTTP/1.1\r\nHost: x\r\n\r\n", "GET /page HTTP/1.0\r\n\r\n"] {
                let slow = RawClient(port: port, window: 8_192)
                slow.send(request)
                let steady = RawClient(port: port)
                steady.send("GET /page HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                let (small, large) = (4_096, 1 << 20)
                var (taken, whole) = (0, 0)
                for _ in 0..<2_000 {
                    let count = slow.take(small)
                    guard count > 0 else { break }
                    taken += count
                    whole += steady.take(large)
                    usleep(20_000)
                }
                #expect(taken < 2_000_000)
                #expect(whole + steady.read().utf8.count > 2_000_000)
            }
            #expect(await host.counters.timedOutAnswer == 2)
        }
    }

    @Test(arguments: ["", "Connection: close\r\n"])
    func `C61: who has been taking an answer for long makes room, who began to does not`(header: String) async throws {
        var limits = ServerLimits()
        limits.maxConnectionsPerAddress = 3
        limits.answerWindowMs = 500
        limits.minAnswerBytesPerSecond = 1
        let request = "GET /page HTTP/1.1\r\nHost: x\r\n\(header)\r\n"
        try await with(limits) { port, host in
            let slow = (0..<3).map { _ in RawClient(port: port, window: 8_192) }
            for client in slow { client.send(request) }
            for client in slow { #expect(client.take(1) == 1) }
            let early = RawClient(port: port)
            early.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(!early.read().contains("GET /a"))
            for _ in 0..<20 {
                usleep(100_000)
                for client in slow { _ = client.take(1_000) }
            }
            let late = RawClient(port: port)
            late.send("GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            #expect(late.read().hasSuffix("GET /a - "))
            #expect(await host.counters.timedOutAnswer == 0)
        }
    }

    @Test func `who has been answered and does not go is cut after the time for closing, and is no slow reader`()
        async throws
    {
        var limits = ServerLimits()
        limits.closeTimeoutMs = 250
        limits.answerWindowMs = 60_000
        try await with(limits) { port, host in
            let client = RawClient(port: port)
            client.send("GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            #expect(client.read().hasSuffix("GET /a - "))
            // The client keeps its side open.
            while await host.socketCount > 0 { await Task.yield() }
            #expect(await host.counters.timedOutAnswer == 0)
        }
    }

    @Test func `a connection has so many requests, and is closed with the last`() async throws {
        var limits = ServerLimits()
        limits.maxRequests = 3
        try await with(limits) { port, _ in
            let client = RawClient(port: port)
            client.send(String(repeating: "GET /a HTTP/1.1\r\nHost: x\r\n\r\n", count: 5))
            let text = client.read()
            #expect(text.components(separatedBy: "HTTP/1.1 200 OK").count == 4)
            #expect(text.components(separatedBy: "Connection: close").count == 2)
        }
    }

    @Test func `HEAD has the length but not the body, 204 has neither`() async throws {
        try await with { port, _ in
            let client = RawClient(port: port)
            client.send("HEAD /a HTTP/1.1\r\nHost: x\r\n\r\nGET /none HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            let text = client.read()
            #expect(text.contains("Content-Length: 10\r\n"))
            #expect(!text.contains("HEAD /a -"))
            #expect(text.contains("HTTP/1.1 204 No Content\r\n"))
            #expect(text.components(separatedBy: "Content-Length").count == 2)
            #expect(text.hasSuffix("Connection: close\r\n\r\n"))
        }
    }

    @Test func `HTTP 1_0 is closed after the answer, unless it asks otherwise`() async throws {
        try await with { port, _ in
            let once = RawClient(port: port)
            once.send("GET /a HTTP/1.0\r\n\r\n")
            #expect(once.read().hasSuffix("GET /a - "))
            let kept = RawClient(port: port)
            kept.send("GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
            _ = kept.read(until: "GET /a - ")
            kept.send("GET /b HTTP/1.0\r\n\r\n")
            #expect(kept.read().hasSuffix("GET /b - "))
        }
    }

    @Test func `a large answer goes out whole, and the connection after it`() async throws {
        try await with { port, host in
            let client = RawClient(port: port)
            client.send("GET /large HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            let text = client.read()
            #expect(text.utf8.count > 3_000_000)
            #expect(text.hasSuffix("xxx"))
            while await host.socketCount > 0 { await Task.yield() }
        }
    }

    @Test func `who does not finish a request in time is cut, however busily it sends`() async throws {
        var limits = ServerLimits()
        limits.headerTimeoutMs = 500
        try await with(limits) { port, host in
            let silent = RawClient(port: port)
            let slow = RawClient(port: port)
            slow.send("GET / HTTP/1.1\r\nHost: x\r\nX: ")
            #expect(silent.read().isEmpty)
            #expect(slow.read().isEmpty)
            #expect(await host.counters.timedOutHeader == 2)
            #expect(await host.socketCount == 0)
        }
    }

    @Test func `requests take a small part of a turn, and the others wait for the next ones`() throws {
        try onLoop { loop in
            let server = try WebSocketServer(loop: loop)
            let port = try server.listen(host: "127.0.0.1", port: 0)
            var (inTurn, most, answered) = (0, 0, 0)
            server.onHTTP = { _, answer in
                inTurn += 1
                usleep(3_000)
                answer(.text(200, "alive"))
            }
            loop.atEndOfTurn {
                most = max(most, inTurn)
                answered += inTurn
                inTurn = 0
            }
            let clients = (0..<20).map { _ in RawClient(port: port) }
            for client in clients { client.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n") }
            when(loop, { answered == clients.count }) {
                #expect(most == 1)
                server.shutdown { loop.stop() }
            }
        }
    }

    @Test func `a malformed request is answered and the connection closed`() async throws {
        try await with { port, host in
            let client = RawClient(port: port)
            client.send("NONSENSE\r\n\r\n")
            #expect(client.read().hasPrefix("HTTP/1.1 400 "))
            #expect(await host.counters.refusedMalformed == 1)
        }
    }

    @Test func `the path of the WebSocket without an upgrade says what it is`() async throws {
        try await with { port, _ in
            let client = RawClient(port: port)
            client.send("GET /v1/connect HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            let text = client.read()
            #expect(text.hasPrefix("HTTP/1.1 426 "))
            #expect(text.contains("\r\nSec-WebSocket-Version: 13\r\n"))
        }
    }

    @Test(arguments: ["/v1/connect", "/a"]) func `nothing is read after an upgrade that was refused`(path: String)
        async throws
    {
        try await with { port, _ in
            let client = RawClient(port: port)
            client.send(
                "GET \(path) HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                    + "Sec-WebSocket-Version: 12\r\n\r\nGET /b HTTP/1.1\r\nHost: x\r\n\r\n")
            let text = client.read()
            #expect(text.components(separatedBy: "HTTP/1.1 ").count == 2)
            #expect(text.contains("\r\nConnection: close\r\n"))
        }
    }
}
