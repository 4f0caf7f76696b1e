import EventLoop
import Testing

@testable import WebSocketServer

@Suite(.serialized) struct ServerTests {
    @Test func `messages come back, and what is known of the client is told`() throws {
        try onLoop { loop in
            let pair = try Pair(loop, subprotocols: ["kerbside.v1.json"])
            pair.client.onOpen = { [unowned pair] id in
                pair.client.send(id, "hello")
                pair.client.send(id, binary: [0x41])
                pair.client.send(id, String(repeating: "é", count: 30_000))
            }
            try pair.client.connect(url: pair.url, subprotocol: "kerbside.v1.json", bearer: "abc")
            when(loop, { pair.clientMessages.count == 3 }) {
                #expect(pair.clientMessages[0] == "text hello")
                #expect(pair.clientMessages[1] == "binary A")
                #expect(pair.clientMessages[2] == "text " + String(repeating: "é", count: 30_000))
                #expect(pair.infos[0].bearerToken == "abc")
                #expect(pair.infos[0].subprotocol == "kerbside.v1.json")
                #expect(pair.infos[0].remoteAddress == "127.0.0.1")
                #expect(pair.infos[0].origin == nil)
                #expect(pair.server.connectionCount == 1)
                #expect(pair.server.bytesQueued == 0)
                pair.finish(loop)
            }
        }
    }

    @Test func `each end is told once, with its code`() throws {
        try onLoop { loop in
            let pair = try Pair(loop)
            let ids = try (0..<4).map { _ in try pair.client.connect(url: pair.url) }
            when(loop, { pair.clientOpens == 4 }) {
                pair.client.close(ids[0], code: 4001, reason: "bye")
                pair.client.abort(ids[1])
                pair.server.close(pair.opened[2], code: 4401, reason: "get a token")
                #expect(pair.serverCloses.isEmpty)
                pair.server.close(pair.opened[2], code: 4402)
                #expect(pair.server.send(pair.opened[2], .text("late")) == .gone)
                when(loop, { pair.serverCloses.count == 3 && pair.clientCloses.count == 3 }) {
                    #expect(pair.serverCloses.sorted() == [1006, 4001, 4401])
                    #expect(pair.clientCloses.sorted() == ["1006 aborted", "4001 ", "4401 get a token"])
                    #expect(pair.server.connectionCount == 1)
                    pair.server.shutdown {
                        #expect(pair.serverCloses.sorted() == [1006, 1006, 4001, 4401])
                        #expect(pair.server.socketCount == 0)
                        loop.stop()
                    }
                }
            }
        }
    }

    @Test func `what is sent in one turn goes out in one write`() throws {
        try onLoop { loop in
            let pair = try Pair(loop)
            try pair.client.connect(url: pair.url)
            when(loop, { pair.opened.count == 1 && pair.server.bytesQueued == 0 }) {
                let writes = pair.server.counters.writes
                let frame = Frame.text("tick")
                for _ in 0..<1_000 { #expect(pair.server.send(pair.opened[0], frame) == .queued) }
                #expect(pair.server.bytesQueued == 6_000)
                when(loop, { pair.clientMessages.count == 1_000 }) {
                    #expect(pair.server.counters.writes == writes + 1)
                    pair.finish(loop)
                }
            }
        }
    }

    @Test func `a reader that is too slow is closed, and not from within send`() throws {
        var limits = ServerLimits()
        limits.maxOutboundBytes = 300_000
        try onLoop { loop in
            let pair = try Pair(loop, limits: limits)
            let id = try pair.client.connect(url: pair.url)
            when(loop, { pair.opened.count == 1 }) {
                pair.client.setPaused(id, true)
                let frame = Frame.binary([UInt8](repeating: 7, count: 50_000))
                var result = WebSocketServer.SendResult.queued
                // The kernel takes megabytes before anything waits here.
                when(
                    loop,
                    {
                        while result == .queued && pair.server.bytesQueued < 250_000 {
                            result = pair.server.send(pair.opened[0], frame)
                        }
                        if result == .queued { result = pair.server.send(pair.opened[0], frame) }
                        if result == .overflow { #expect(pair.serverCloses.isEmpty) }
                        return result == .overflow
                    }
                ) {
                    #expect(pair.server.send(pair.opened[0], frame) == .gone)
                    pair.client.setPaused(id, false)
                    when(loop, { !pair.clientCloses.isEmpty }) {
                        #expect(pair.clientCloses[0].hasPrefix("4420 "))
                        #expect(pair.serverCloses == [4420])
                        #expect(pair.server.counters.closedSlow == 1)
                        pair.finish(loop)
                    }
                }
            }
        }
    }

    @Test func `one frame may be larger than all that may wait, but not a second one with it`() throws {
        var limits = ServerLimits()
        limits.maxOutboundBytes = 100_000
        try onLoop { loop in
            let pair = try Pair(loop, limits: limits)
            try pair.client.connect(url: pair.url)
            when(loop, { pair.opened.count == 1 && pair.server.bytesQueued == 0 }) {
                let frame = Frame.text(String(repeating: "x", count: 300_000))
                #expect(pair.server.send(pair.opened[0], frame) == .queued)
                when(loop, { pair.clientMessages.count == 1 && pair.server.bytesQueued == 0 }) {
                    #expect(pair.clientMessages[0].count > 300_000)
                    #expect(pair.server.send(pair.opened[0], frame) == .queued)
                    #expect(pair.server.send(pair.opened[0], .text("more")) == .overflow)
                    when(loop, { !pair.clientCloses.isEmpty }) {
                        #expect(pair.clientCloses[0].hasPrefix("4420 "))
                        pair.finish(loop)
                    }
                }
            }
        }
    }

    @Test func `a message over the limit is answered with 1009`() throws {
        try onLoop { loop in
            let pair = try Pair(loop)
            pair.client.onOpen = { [unowned pair] in pair.client.send($0, binary: [UInt8](repeating: 1, count: 65_537))
            }
            try pair.client.connect(url: pair.url)
            when(loop, { !pair.clientCloses.isEmpty && !pair.serverCloses.isEmpty }) {
                #expect(pair.clientCloses[0].hasPrefix("1009"))
                #expect(pair.serverCloses == [1009])
                #expect(pair.clientMessages.isEmpty)
                pair.finish(loop)
            }
        }
    }

    @Test func `a silent client is pinged, and closed when it stays silent`() throws {
        var limits = ServerLimits()
        limits.pingEveryMs = 250
        limits.deadAfterMs = 1_000
        try onLoop { loop in
            let pair = try Pair(loop, limits: limits)
            var pongs = 0
            pair.server.onPong = { [unowned pair] _ in
                pongs += 1
                if pongs == 5 { pair.client.answersPings = false }
            }
            try pair.client.connect(url: pair.url)
            when(loop, { !pair.serverCloses.isEmpty }) {
                #expect(pongs >= 5)
                #expect(pair.serverCloses == [1006])
                #expect(pair.server.counters.closedDead == 1)
                #expect(pair.server.counters.pings > pongs)
                pair.finish(loop)
            }
        }
    }

    @Test func `one connection may be watched more closely than the others`() throws {
        try onLoop { loop in
            let pair = try Pair(loop)
            pair.client.answersPings = false
            try pair.client.connect(url: pair.url)
            try pair.client.connect(url: pair.url)
            when(loop, { pair.opened.count == 2 }) {
                pair.server.setPing(pair.opened[0], everyMs: 250, deadAfterMs: 750)
                when(loop, { !pair.serverCloses.isEmpty }) {
                    #expect(pair.serverCloses == [1006])
                    #expect(pair.server.connectionCount == 1)
                    pair.finish(loop)
                }
            }
        }
    }

    @Test func `limits of all and of one address refuse with a reason`() throws {
        for (total, each, status) in [(2, 10, "503"), (10, 2, "429")] {
            var limits = ServerLimits()
            limits.maxConnections = total
            limits.maxConnectionsPerAddress = each
            try onLoop { loop in
                let pair = try Pair(loop, limits: limits)
                for _ in 0..<3 { try pair.client.connect(url: pair.url) }
                when(loop, { pair.opened.count == 2 && pair.clientCloses.count == 1 }) {
                    #expect(pair.clientCloses[0].hasPrefix("1006 HTTP \(status)"))
                    let counters = pair.server.counters
                    #expect(counters.refusedTotalLimit + counters.refusedAddressLimit == 1)
                    // A place that is given back is free again.
                    pair.server.close(pair.opened[0], code: 1000)
                    when(loop, { pair.server.socketCount == 1 }) {
                        #expect(throws: Never.self) { try pair.client.connect(url: pair.url) }
                        when(loop, { pair.opened.count == 3 }) { pair.finish(loop) }
                    }
                }
            }
        }
    }

    @Test func `origins and subprotocols that do not fit are refused`() throws {
        try onLoop { loop in
            let pair = try Pair(loop, subprotocols: ["a"], origins: ["https://app.example"])
            try pair.client.connect(url: pair.url)
            try pair.client.connect(
                url: pair.url, subprotocol: "a", headers: [(name: "Origin", value: "https://evil.example")])
            try pair.client.connect(
                url: pair.url, subprotocol: "a", headers: [(name: "Origin", value: "https://app.example")])
            when(loop, { pair.opened.count == 1 && pair.clientCloses.count == 2 }) {
                #expect(pair.clientCloses.contains { $0.hasPrefix("1006 HTTP 400: Sec-WebSocket-Protocol") })
                #expect(pair.clientCloses.contains { $0.hasPrefix("1006 HTTP 403") })
                #expect(pair.infos[0].origin == "https://app.example")
                #expect(pair.server.counters.refusedOrigin == 1)
                #expect(pair.server.counters.refusedSubprotocol == 1)
                pair.finish(loop)
            }
        }
    }

    @Test func `nobody there, no such host, no URL`() throws {
        try onLoop { loop in
            let pair = try Pair(loop)
            pair.server.stopAccepting()
            try pair.client.connect(url: pair.url)
            #expect(throws: ServerError.self) { try pair.client.connect(url: "http://localhost/") }
            #expect(throws: ServerError.self) { try pair.client.connect(url: "ws://:80/") }
            #expect(throws: ServerError.self) { try pair.server.listen(host: "127.0.0.1", port: 70_000) }
            #expect(throws: ServerError.self) { try pair.server.listen(host: "192.0.2.1", port: 0) }
            when(loop, { !pair.clientCloses.isEmpty }) {
                // Reset, if the kernel still had it in the queue of the listener that closed.
                let expected = ["1006 Connection refused", "1006 Connection reset by peer"]
                #expect(pair.clientCloses.count == 1 && pair.clientCloses.allSatisfy(expected.contains))
                pair.finish(loop)
            }
        }
    }

    @Test func `shutting down from within a message frees everything`() throws {
        try onLoop { loop in
            let pair = try Pair(loop)
            pair.server.onMessage = { [unowned pair] _, _, _ in
                pair.server.shutdown { [pair] in
                    #expect(pair.server.socketCount == 0)
                    pair.client.shutdown()
                    loop.stop()
                }
            }
            pair.client.onOpen = { [unowned pair] in pair.client.send($0, "last") }
            try pair.client.connect(url: pair.url)
            when(loop, { pair.serverCloses.count == 1 }) {}
        }
    }

    @Test func `two thousand clients of one loop talk at once, and all is freed`() throws {
        weak var gone: WebSocketServer?
        try onLoop { loop in
            let pair = try Pair(loop)
            gone = pair.server
            pair.client.onOpen = { [unowned pair] in pair.client.send($0, "x") }
            for _ in 0..<2_000 { try pair.client.connect(url: pair.url) }
            when(loop, { pair.clientMessages.count == 2_000 }) {
                #expect(pair.server.connectionCount == 2_000)
                for id in pair.opened { pair.server.close(id, code: 1012, reason: "restart") }
                when(loop, { pair.server.socketCount == 0 && pair.clientCloses.count == 2_000 }) {
                    #expect(pair.clientCloses.allSatisfy { $0 == "1012 restart" })
                    #expect(pair.serverCloses == Array(repeating: 1012, count: 2_000))
                    pair.finish(loop)
                }
            }
        }
        #expect(gone == nil)
    }
}
