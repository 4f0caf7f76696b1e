import EventLoop
import Testing

@testable import WebSocketServer

/// Many leave over some turns, and nobody else waits for them.
@Suite(.serialized) struct LeavingTests {
    private static let request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

    @Test func `answers are written also in turns in which others take all endings`() throws {
        try onLoop { loop in
            let pair = try Pair(loop)
            let server = pair.server
            loop.atEndOfTurn { server.endingsLeft = 0 }
            let client = RawClient(port: pair.port)
            client.send(Self.request)
            when(loop, { server.counters.httpRequests == 1 && server.bytesQueued == 0 }) {
                #expect(server.counters.bytesOut > 0)
                withExtendedLifetime(client) { pair.finish(loop) }
            }
        }
    }

    @Test func `what those who leave have sent is freed at once, and others are read and answered meanwhile`() throws {
        var limits = ServerLimits()
        limits.headerTimeoutMs = 60_000
        try onLoop { loop in
            let pair = try Pair(loop, limits: limits)
            let server = pair.server
            server.hasStrangers = true
            var heard: [Int] = []
            server.onMessage = { _, bytes, _ in heard.append(bytes.count) }
            let (count, most) = (250, 100_000)
            let holders = (0..<count).map { _ in RawClient(port: pair.port) }
            let asker = RawClient(port: pair.port, source: "127.0.0.2")
            let part = RawClient.frame(.binary, [UInt8](repeating: 7, count: 15_000), announced: 16_000)
            for client in holders { client.send(Array(RawClient.upgrade.utf8) + part) }
            asker.send(Self.request)
            func isHolding(_ connection: Connection) -> Bool {
                connection.phase == .open && connection.frames.heldBytes >= 15_000
            }
            func hasAnswers(_ count: Int) -> Bool {
                server.connections.elements.contains { connection in
                    connection.phase == .http && connection.requests == count && !connection.isAsking
                        && connection.answer == nil
                }
            }
            when(loop, { server.connections.elements.count(where: isHolding) == count && hasAnswers(1) }) {
                server.limits.maxStrangersBytes = most
                var (hasAsked, isBounded) = (false, true)
                // How many were still to leave as the request was handled, and as its answer had gone out.
                var (left, leftAtAnswer): (Int?, Int?) = (nil, nil)
                server.onHTTP = { _, answer in
                    left = server.leaving.count
                    answer(.text(200, "x"))
                }
                loop.atEndOfTurn {
                    if !hasAsked, !server.leaving.isEmpty {
                        hasAsked = true
                        asker.send(Self.request)
                        // The rest of each message, also of those who leave.
                        for client in holders { _ = client.push([UInt8](repeating: 7, count: 1_000)) }
                    }
                    isBounded = isBounded && (!hasAsked || server.strangersBytes <= most)
                    if leftAtAnswer == nil, hasAnswers(2) { leftAtAnswer = server.leaving.count }
                }
                when(loop, { leftAtAnswer != nil && heard.count + pair.serverCloses.count == count }) {
                    #expect(isBounded && left ?? 0 > 0 && leftAtAnswer ?? 0 > 0)
                    // Nothing was read of those who were to leave.
                    #expect(!heard.isEmpty && heard.count * 16_000 <= most && heard.allSatisfy { $0 == 16_000 })
                    #expect(pair.serverCloses.allSatisfy { $0 == 1013 })
                    #expect(server.counters.refusedFull == pair.serverCloses.count && server.leaving.isEmpty)
                    withExtendedLifetime((holders, asker)) { pair.finish(loop) }
                }
            }
        }
    }
}
