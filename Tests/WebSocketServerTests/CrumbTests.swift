import EventLoop
import Testing

@testable import WebSocketServer

/// Whoever sends in many small pieces is read in a share of a turn, and loses nothing by it.
@Suite struct CrumbTests {
    @Test func `who sends in many pieces is held back while it does, and all of it is heard in order`() throws {
        var limits = ServerLimits()
        limits.piecesPerSecond = 20
        try onLoop { loop in
            let pair = try Pair(loop, limits: limits)
            var heard: [UInt8] = []
            pair.server.onMessage = { _, bytes, _ in heard.append(bytes[0]) }
            let client = RawClient(port: pair.port)
            client.send(RawClient.upgrade)
            func send(_ first: UInt8, until last: UInt8, then: @escaping () -> Void) {
                client.send(RawClient.frame(.binary, [first]))
                when(loop, { heard.last == first }) {
                    first == last ? then() : send(first + 1, until: last, then: then)
                }
            }
            func isCrumbling() -> Bool? { pair.server.connections[pair.opened[0]]?.isCrumbling }
            when(loop, { pair.opened.count == 1 }) {
                send(0, until: 29) {
                    #expect(isCrumbling() == true && pair.server.counters.crumbling >= 1)
                    client.send((30..<230).flatMap { RawClient.frame(.binary, [$0]) })
                    when(loop, { heard.count == 230 }) {
                        #expect(heard == Array(0..<230))
                        let timer = LoopTimer(loop)
                        timer.start(afterMs: 1_100) {
                            timer.close()
                            client.send((230...255).flatMap { RawClient.frame(.binary, [$0]) })
                            when(loop, { heard.count == 256 }) {
                                #expect(heard == Array(0...255))
                                #expect(isCrumbling() == false && pair.serverCloses.isEmpty)
                                withExtendedLifetime(client) { pair.finish(loop) }
                            }
                        }
                    }
                }
            }
        }
    }
}
