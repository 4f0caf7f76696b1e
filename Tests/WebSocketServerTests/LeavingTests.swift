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
}
