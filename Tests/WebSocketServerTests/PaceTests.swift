import EventLoop
import Glibc
import Testing

@testable import WebSocketServer

/// What a reader that stands still may have waiting, and frames that wait for others.
@Suite(.serialized) struct PaceTests {
    @Test func `a reader that stands still is known to, and has little waiting until it reads again`() throws {
        try onLoop { loop in
            let pair = try Pair(loop)
            let port = try #require(UInt16(pair.url.split(separator: "/")[1].split(separator: ":")[1]))
            let id = try pair.client.connect(url: pair.url)
            let frame = Frame.binary([UInt8](repeating: 7, count: 10_000))
            var sent = 0
            var unsent = 0
            var turnsBehind = 0
            when(loop, { pair.opened.count == 1 && pair.clientOpens == 1 && pair.server.isCaughtUp(pair.opened[0]) }) {
                pair.client.setPaused(id, true)
                when(
                    loop,
                    {
                        // Not for a moment only, as after a burst that the kernel has not moved on yet.
                        guard pair.server.isCaughtUp(pair.opened[0]) else {
                            turnsBehind += 1
                            return turnsBehind > 50
                        }
                        turnsBehind = 0
                        sent += 1
                        pair.server.sendSoon(pair.opened[0], frame)
                        // What waits for the timer is not held back by the reader.
                        #expect(pair.server.isCaughtUp(pair.opened[0]))
                        unsent = max(unsent, unsentBytes(serverPort: port))
                        return false
                    }
                ) {
                    #expect(sent > 1)
                    unsent = max(unsent, unsentBytes(serverPort: port))
                    #expect(unsent > 0)
                    // The limit of the kernel, and one buffer of it; ours: what came in 20 ms, and what libwebsockets holds.
                    #expect(unsent <= 32_768 + 65_536)
                    #expect(pair.server.bytesQueued <= 400_000)
                    pair.client.setPaused(id, false)
                    when(loop, { pair.clientMessages.count == sent && pair.server.isCaughtUp(pair.opened[0]) }) {
                        #expect(pair.server.bytesQueued == 0)
                        pair.server.close(pair.opened[0], code: 1000)
                        #expect(!pair.server.isCaughtUp(pair.opened[0]))
                        pair.finish(loop)
                    }
                }
            }
        }
    }

    @Test func `for whom much waits is not caught up, also when only its turn has not come`() throws {
        try onLoop { loop in
            let pair = try Pair(loop)
            try pair.client.connect(url: pair.url)
            when(loop, { pair.opened.count == 1 && pair.clientOpens == 1 && pair.server.isCaughtUp(pair.opened[0]) }) {
                let id = pair.opened[0]
                let frame = Frame.binary([UInt8](repeating: 7, count: 20_000))
                for isEnough in [false, false, false, true] {
                    pair.server.send(id, frame, toMany: true)
                    #expect(pair.server.isCaughtUp(id) == !isEnough)
                }
                let waiting = pair.server.waitingBytes(id)
                let refused = pair.server.send(id, frame, toMany: true, belowBytes: waiting)
                let taken = pair.server.sendSoon(id, frame, belowBytes: waiting + 1)
                if case (.waits, .queued) = (refused, taken) {} else { Issue.record("\(refused), \(taken)") }
                when(loop, { pair.clientMessages.count == 5 && pair.server.isCaughtUp(id) }) { pair.finish(loop) }
            }
        }
    }

    @Test func `C61: of the pings of who reads nothing only the latest is answered`() throws {
        var limits = ServerLimits()
        limits.controlFramesPerSecond = .max
        try onLoop { loop in
            let pair = try Pair(loop, limits: limits)
            let id = try pair.client.connect(url: pair.url)
            let frame = Frame.binary([UInt8](repeating: 7, count: 10_000))
            when(loop, { pair.opened.count == 1 && pair.clientOpens == 1 && pair.server.isCaughtUp(pair.opened[0]) }) {
                pair.client.setPaused(id, true)
                var turnsBehind = 0
                when(
                    loop,
                    {
                        turnsBehind = pair.server.isCaughtUp(pair.opened[0]) ? 0 : turnsBehind + 1
                        if turnsBehind == 0 { pair.server.send(pair.opened[0], frame) }
                        return turnsBehind > 50
                    }
                ) {
                    let queued = pair.server.bytesQueued
                    let before = pair.server.counters
                    let size = 2_000 * (100 + 6)
                    for n in 0..<2_000 { pair.client.ping(id, [UInt8](repeating: UInt8(n % 256), count: 100)) }
                    when(loop, { pair.server.counters.bytesIn >= before.bytesIn + size }) {
                        #expect(pair.server.bytesQueued <= queued)
                        pair.client.setPaused(id, false)
                        let after = before.framesOut + 1
                        when(loop, { pair.server.counters.framesOut >= after && pair.server.bytesQueued == 0 }) {
                            #expect(pair.server.counters.framesOut == after)
                            pair.finish(loop)
                        }
                    }
                }
            }
        }
    }

    @Test func `C61: who takes nothing is closed, however much it sends, and so is who is slowest when too much waits`()
        throws
    {
        var limits = ServerLimits()
        limits.deadAfterMs = 500
        limits.pingEveryMs = 100
        limits.maxHeldBytes = 600_000
        try onLoop { loop in
            let pair = try Pair(loop, limits: limits)
            let ids = try (0..<2).map { _ in try pair.client.connect(url: pair.url) }
            pair.server.onMessage = { _, _, _ in }
            // A client that is paused before it has read the server's answer can't send.
            when(loop, { pair.opened.count == 2 && pair.clientOpens == 2 }) {
                for id in ids { pair.client.setPaused(id, true) }
                let frame = Frame.binary([UInt8](repeating: 7, count: 10_000))
                when(
                    loop,
                    {
                        for id in ids { pair.client.send(id, "here") }
                        for id in pair.opened where pair.server.isCaughtUp(id) { pair.server.send(id, frame) }
                        return pair.serverCloses.count == 2
                    }
                ) {
                    #expect(pair.serverCloses == [4420, 4420])
                    let crowd = try? (0..<4).map { _ in try pair.client.connect(url: pair.url) }
                    when(loop, { pair.opened.count == 6 && pair.clientOpens == 6 }) {
                        for id in crowd ?? [] { pair.client.setPaused(id, true) }
                        when(
                            loop,
                            {
                                for id in crowd ?? [] { pair.client.send(id, "here") }
                                let shared = Frame.binary([UInt8](repeating: 7, count: 10_000))
                                for id in pair.opened.suffix(4) { pair.server.send(id, shared) }
                                for n in 0..<4 {
                                    pair.server.send(pair.opened[2 + n], .binary([UInt8](repeating: 8, count: 10_000)))
                                }
                                return pair.serverCloses.count > 2
                            }
                        ) {
                            #expect(pair.serverCloses[2] == 4420)
                            #expect(pair.server.bytesHeld <= 600_000)
                            pair.finish(loop)
                        }
                    }
                }
            }
        }
    }

    @Test func `frames that may wait go out together after the given time`() throws {
        var limits = ServerLimits()
        // Longer than a slow machine needs for the turns below.
        limits.coalesceMs = 2_000
        limits.coalesceLoad = 0...0
        try onLoop { loop in
            let pair = try Pair(loop, limits: limits)
            for _ in 0..<2 { try pair.client.connect(url: pair.url) }
            // A client that is paused before it has read the server's answer can't send.
            when(loop, { pair.opened.count == 2 && pair.server.bytesQueued == 0 }) {
                let writes = pair.server.counters.writes
                let begin = EventLoop.wallClock()
                // One in each turn of a millisecond or so.
                var left = 20
                when(
                    loop,
                    {
                        for id in pair.opened { pair.server.sendSoon(id, .text("\(left)")) }
                        left -= 1
                        return left == 0
                    }
                ) {
                    #expect(pair.server.counters.writes == writes)
                    #expect(pair.server.bytesQueued > 0)
                    when(loop, { pair.clientMessages.count == 40 }) {
                        let took = EventLoop.wallClock() - begin
                        #expect(took >= 1_995)
                        #expect(pair.server.counters.writes == writes + 2)
                        pair.finish(loop)
                    }
                }
            }
        }
    }

    @Test func `frames that may wait go out with the turn when enough of them wait`() throws {
        var limits = ServerLimits()
        limits.coalesceMs = 60_000
        limits.coalesceLoad = 0...0
        limits.coalesceBytes = 1_000
        try onLoop { loop in
            let pair = try Pair(loop, limits: limits)
            for _ in 0..<2 { try pair.client.connect(url: pair.url) }
            // A client that is paused before it has read the server's answer can't send.
            when(loop, { pair.opened.count == 2 && pair.server.bytesQueued == 0 }) {
                let writes = pair.server.counters.writes
                let part = Frame.text(String(repeating: "x", count: 298))
                for _ in 0..<4 { for id in pair.opened { pair.server.sendSoon(id, part) } }
                pair.server.sendSoon(pair.opened[0], .text("takes part"))
                when(loop, { pair.clientMessages.count == 9 }) {
                    #expect(pair.server.counters.writes == writes + 2)
                    pair.server.sendSoon(pair.opened[0], .text("waits"))
                    let begin = loop.now
                    when(loop, { loop.now > begin + 50 }) {
                        #expect(pair.clientMessages.count == 9)
                        pair.finish(loop)
                    }
                }
            }
        }
    }

    @Test func `an urgent frame takes along what waits, in order, and the timer has nothing more to do`() throws {
        var limits = ServerLimits()
        limits.coalesceMs = 50
        limits.coalesceLoad = 0...0
        try onLoop { loop in
            let pair = try Pair(loop, limits: limits)
            try pair.client.connect(url: pair.url)
            when(loop, { pair.opened.count == 1 && pair.server.bytesQueued == 0 }) {
                let writes = pair.server.counters.writes
                let begin = loop.now
                pair.server.sendSoon(pair.opened[0], .text("1"))
                pair.server.sendSoon(pair.opened[0], .text("2"))
                pair.server.send(pair.opened[0], .text("3"))
                pair.server.sendSoon(pair.opened[0], .text("4"))
                when(loop, { pair.clientMessages.count == 4 }) {
                    #expect(pair.clientMessages == ["text 1", "text 2", "text 3", "text 4"])
                    when(loop, { loop.now > begin + 100 }) {
                        #expect(pair.server.counters.writes == writes + 1)
                        // It is started again when something waits again.
                        pair.server.sendSoon(pair.opened[0], .text("5"))
                        when(loop, { pair.clientMessages.count == 5 }) { pair.finish(loop) }
                    }
                }
            }
        }
    }

    @Test func `a thread that has time lets nothing wait`() throws {
        var limits = ServerLimits()
        limits.coalesceMs = 60_000
        try onLoop { loop in
            let pair = try Pair(loop, limits: limits)
            try pair.client.connect(url: pair.url)
            when(loop, { pair.opened.count == 1 && pair.server.bytesQueued == 0 }) {
                pair.server.sendSoon(pair.opened[0], .text("at once"))
                when(loop, { pair.clientMessages.count == 1 }) { pair.finish(loop) }
            }
        }
    }

    @Test func `how long frames wait follows the load of the thread`() {
        var pace = CoalescePace(used: 0)
        var used: UInt64 = 0
        /// Ten ticks of 250 ms with so many of them on the CPU; the share after that.
        func after(_ busyMs: UInt64) -> Double {
            for _ in 0..<10 {
                used += busyMs * 1_000_000
                pace.measure(used: used, tickMs: 250, 0.4...0.8)
            }
            return pace.share
        }
        #expect(after(0) == 0)
        #expect(after(90) == 0)
        #expect(abs(after(150) - 0.5) < 0.01)
        #expect(after(240) == 1)
        #expect(after(1_000) == 1, "the ticks came late")
        #expect(after(25) == 0)
        pace.set(0...0)
        #expect(pace.share == 1, "always")
    }

    @Test func `no time to wait means the end of the turn; one that waits may be closed, or its server ended`() throws {
        var limits = ServerLimits()
        limits.coalesceMs = 0
        limits.maxOutboundBytes = 1_000
        try onLoop { loop in
            let pair = try Pair(loop, limits: limits)
            for _ in 0..<3 { try pair.client.connect(url: pair.url) }
            when(loop, { pair.opened.count == 3 && pair.server.bytesQueued == 0 }) {
                pair.server.sendSoon(pair.opened[0], .text("at once"))
                when(loop, { pair.clientMessages.count == 1 }) {
                    pair.server.limits.coalesceMs = 10_000
                    pair.server.limits.coalesceLoad = 0...0
                    let part = Frame.text(String(repeating: "x", count: 600))
                    #expect(pair.server.sendSoon(pair.opened[0], part) == .queued)
                    #expect(pair.server.sendSoon(pair.opened[0], part) == .overflow)
                    #expect(pair.server.sendSoon(pair.opened[0], part) == .gone)
                    #expect(pair.server.sendSoon(pair.opened[1], .text("last")) == .queued)
                    pair.server.close(pair.opened[1], code: 4000)
                    pair.server.sendSoon(pair.opened[2], .text("at the end"))
                    when(loop, { pair.clientCloses.count == 2 }) {
                        #expect(pair.clientMessages.last == "text last")
                        #expect(pair.clientCloses.map { $0.prefix(4) }.sorted() == ["4000", "4420"])
                        pair.finish(loop)
                    }
                }
            }
        }
    }

    @Test func `finished bytes are a frame as they are`() {
        let frame = Frame.text("hello")
        #expect(Frame(encoded: frame.bytes).bytes == frame.bytes)
        #expect(Frame(encoded: frame.bytes).count == 7)
    }
}

/// What the kernel holds and has not sent, over all sockets of this process that were accepted at a port.
private func unsentBytes(serverPort: UInt16) -> Int {
    var sum = 0
    for descriptor in Int32(3)..<8_192 {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isAtPort = withUnsafeMutableBytes(of: &address) { bytes in
            getsockname(descriptor, bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self), &length) == 0
        }
        guard isAtPort, address.sin_port == serverPort.bigEndian else { continue }
        var count: Int32 = 0
        // SIOCOUTQNSD; the listening socket has none.
        if ioctl(descriptor, 0x894B, &count) == 0 { sum += Int(count) }
    }
    return sum
}
