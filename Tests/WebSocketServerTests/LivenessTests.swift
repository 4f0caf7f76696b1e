import EventLoop
import Glibc
import Testing

@testable import WebSocketServer

/// Who counts as gone: nobody who was not asked, and nobody for the time in which nobody listened.
@Suite(.serialized) struct LivenessTests {
    /// Waits until `ms` have gone by, then calls `done`.
    private func after(_ ms: UInt64, _ loop: EventLoop, _ done: @escaping () -> Void) {
        let end = loop.now + ms
        when(loop, { loop.now >= end }, done)
    }

    @Test func `C59: silent for longer than it now may be, it is asked first and lives`() throws {
        try onLoop { loop in
            let pair = try Pair(loop)
            try pair.client.connect(url: pair.url)
            var pongs = 0
            pair.server.onPong = { _ in pongs += 1 }
            when(loop, { pair.opened.count == 1 }) {
                after(1_200, loop) {
                    #expect(pair.server.counters.pings == 0)
                    pair.server.setPing(pair.opened[0], everyMs: 500, deadAfterMs: 1_000)
                    // With what is sent in this turn, not at the next tick.
                    #expect(pair.server.counters.pings == 1)
                    when(loop, { pongs >= 3 || !pair.serverCloses.isEmpty }) {
                        #expect(pair.serverCloses.isEmpty)
                        pair.finish(loop)
                    }
                }
            }
        }
    }

    @Test func `C59: a link that is dead has the whole new time from the change`() throws {
        try onLoop { loop in
            let pair = try Pair(loop)
            pair.client.answersPings = false
            try pair.client.connect(url: pair.url)
            when(loop, { pair.opened.count == 1 }) {
                after(1_200, loop) {
                    let begin = loop.now
                    pair.server.setPing(pair.opened[0], everyMs: 400, deadAfterMs: 1_000)
                    when(loop, { !pair.serverCloses.isEmpty }) {
                        // Not a bound on this machine: the hub may not give it up before.
                        #expect(loop.now - begin >= 1_000)
                        #expect(pair.server.counters.pings >= 2)
                        #expect(pair.server.counters.closedDead == 1)
                        pair.finish(loop)
                    }
                }
            }
        }
    }

    @Test func `a change gives nobody more time than it had, and setting it again gives none`() throws {
        var limits = ServerLimits()
        limits.pingEveryMs = 500
        limits.deadAfterMs = 1_500
        try onLoop { loop in
            let pair = try Pair(loop, limits: limits)
            pair.client.answersPings = false
            try pair.client.connect(url: pair.url)
            when(loop, { pair.opened.count == 1 }) {
                // Again and again: a driver that is offered one ride after the other.
                var changes = 0
                let timer = LoopTimer(loop)
                timer.start(afterMs: 60, repeatMs: 60) {
                    changes += 1
                    pair.server.setPing(pair.opened[0], everyMs: 400, deadAfterMs: 1_200)
                }
                when(loop, { !pair.serverCloses.isEmpty || changes > 200 }) {
                    timer.close()
                    #expect(pair.serverCloses == [1006])
                    pair.finish(loop)
                }
            }
        }
    }

    @Test func `given more time again, it is not given up by the old one`() throws {
        try onLoop { loop in
            let pair = try Pair(loop)
            pair.client.answersPings = false
            try pair.client.connect(url: pair.url)
            when(loop, { pair.opened.count == 1 }) {
                pair.server.setPing(pair.opened[0], everyMs: 400, deadAfterMs: 1_000)
                after(600, loop) {
                    pair.server.setPing(pair.opened[0], everyMs: 25_000, deadAfterMs: 75_000)
                    after(1_200, loop) {
                        #expect(pair.serverCloses.isEmpty)
                        pair.finish(loop)
                    }
                }
            }
        }
    }

    @Test func `a server that was held up blames nobody for it`() throws {
        var limits = ServerLimits()
        limits.pingEveryMs = 500
        limits.deadAfterMs = 1_500
        limits.headerTimeoutMs = 1_500
        try onLoop { loop in
            let pair = try Pair(loop, limits: limits)
            // One that is open, one that has not asked for anything yet: its request comes while nobody listens.
            try pair.client.connect(url: pair.url)
            let port = try #require(Int(pair.url.split(separator: "/")[1].split(separator: ":")[1]))
            let newcomer = RawClient(port: port)
            when(loop, { pair.opened.count == 1 && pair.server.socketCount == 2 }) {
                newcomer.send("GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n")
                usleep(4_000_000)
                let pings = pair.server.counters.pings
                when(loop, { pair.server.counters.pings >= pings + 2 || !pair.serverCloses.isEmpty }) {
                    #expect(pair.serverCloses.isEmpty)
                    #expect(pair.server.counters.closedDead == 0)
                    #expect(pair.server.counters.timedOutHeader == 0)
                    #expect(pair.server.counters.httpRequests == 1)
                    // From then on its silence counts as ever.
                    pair.client.answersPings = false
                    when(loop, { !pair.serverCloses.isEmpty }) {
                        #expect(pair.server.counters.closedDead == 1)
                        pair.finish(loop)
                    }
                }
            }
        }
    }
}
