import EventLoop
import Testing

@testable import WebSocketServer

@Suite(.serialized) struct FrameRunsTests {
    @Test func `who is sent the same frames in the same order shares a run, whoever comes between`() {
        let runs = FrameRuns()
        let kinds = (0..<4).map { kind in (0..<12).map { [UInt8]("\(kind):\($0) ".utf8) } }
        let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 1_000, alignment: 1)
        defer { scratch.deallocate() }
        for _ in 0..<2 {
            var readers = (0..<100).map { _ in FrameRuns.empty }
            for step in 0..<12 {
                for reader in readers.indices {
                    readers[reader] = runs.extend(readers[reader], by: kinds[reader % 4][step])
                }
            }
            #expect(Set(readers).count == 4)
            for (reader, run) in readers.enumerated() {
                #expect(runs.frames(of: run) == kinds[reader % 4])
                let count = runs.gather(run, into: scratch)
                #expect(count == runs.byteCount(of: run))
                #expect(Array(scratch.prefix(count)) == kinds[reader % 4].flatMap { $0 })
            }
            // Equal bytes in other memory are another frame.
            let copy = Array("0:0 ".utf8)
            #expect(runs.extend(FrameRuns.empty, by: copy) != runs.extend(FrameRuns.empty, by: kinds[0][0]))
            runs.removeAll()
        }
    }

    @Test func `what is gathered is known until the scratch is used otherwise or all is forgotten`() {
        let runs = FrameRuns()
        let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 10, alignment: 1)
        defer { scratch.deallocate() }
        func gathered(_ run: Int32) -> String {
            String(decoding: scratch.prefix(runs.gather(run, into: scratch)), as: UTF8.self)
        }
        let one = runs.extend(FrameRuns.empty, by: Array("one".utf8))
        #expect(gathered(one) == "one")
        scratch[0] = UInt8(ascii: "0")
        #expect(gathered(one) == "0ne")
        runs.forgetGathered()
        #expect(gathered(one) == "one")
        runs.removeAll()
        #expect(gathered(runs.extend(FrameRuns.empty, by: Array("two".utf8))) == "two")
    }

    @Test func `many frames make it large until they are forgotten`() {
        let runs = FrameRuns()
        for number in 0..<10_000 { _ = runs.extend(FrameRuns.empty, by: [UInt8(truncatingIfNeeded: number)]) }
        #expect(runs.isLarge && runs.users == 10_000)
        runs.leave()
        #expect(runs.users == 9_999)
        runs.removeAll()
        #expect(!runs.isLarge && runs.users == 0)
        let run = runs.extend(FrameRuns.empty, by: [UInt8](repeating: 0, count: 9 << 20))
        let longer = runs.extend(run, by: [1])
        #expect(runs.isLarge && runs.byteCount(of: longer) == 9 << 20 + 1 && runs.users == 1)
        runs.removeAll()
        #expect(!runs.isLarge)
    }

    @Test(arguments: [1, 2, 3]) func `everybody gets what it was sent, in order, however it reads`(seed: UInt64) throws
    {
        var random = SplitMix(state: seed)
        var limits = ServerLimits()
        limits.coalesceMs = 5
        limits.coalesceLoad = 0...0
        limits.maxOutboundBytes = 64 << 20
        try onLoop { loop in
            let pair = try Pair(loop, limits: limits)
            // Not all in one turn: so their runs are of several.
            pair.server.mostWrites = 4
            let clients = try (0..<12).map { _ in try pair.client.connect(url: pair.url) }
            var expected: [ConnectionID: [String]] = [:]
            var heard: [ConnectionID: [String]] = [:]
            var serverSide: [ConnectionID: ConnectionID] = [:]
            // Each tells the server which of its client's connections it is.
            pair.client.onOpen = { [unowned pair] id in pair.client.send(id, "\(id.rawValue)") }
            pair.server.onMessage = { id, bytes, _ in
                serverSide[ConnectionID(rawValue: UInt64(String(decoding: bytes, as: UTF8.self))!)] = id
            }
            pair.client.onMessage = { id, bytes, _ in
                heard[id, default: []].append(String(decoding: bytes, as: UTF8.self))
            }
            var turns = 0
            var number = 0
            when(
                loop,
                {
                    guard serverSide.count == clients.count else { return false }
                    for _ in 0..<random.below(30) {
                        number += 1
                        // Now and then longer than the scratch.
                        let size = random.below(40) == 0 ? random.below(200_000) : random.below(3_000)
                        let text = "\(number) " + String(repeating: "x", count: size)
                        let frame = Frame.text(text)
                        let part = random.below(3) == 0 ? 1 : 12
                        for client in clients where part == 12 || random.below(12) == 0 {
                            let id = serverSide[client]!
                            let result =
                                switch random.below(3) {
                                case 0: pair.server.sendSoon(id, frame)
                                case 1: pair.server.send(id, frame)
                                default: pair.server.send(id, frame, toMany: true)
                                }
                            #expect(result == .queued)
                            expected[client, default: []].append(text)
                        }
                    }
                    let one = clients[random.below(clients.count)]
                    pair.client.setPaused(one, random.below(3) > 0)
                    turns += 1
                    return turns == 100
                }
            ) {
                for client in clients { pair.client.setPaused(client, false) }
                when(loop, { heard.values.reduce(0) { $0 + $1.count } >= expected.values.reduce(0) { $0 + $1.count } })
                {
                    #expect(heard == expected)
                    #expect(pair.server.bytesQueued == 0)
                    when(loop, { pair.opened.allSatisfy { pair.server.isCaughtUp($0) } }) { pair.finish(loop) }
                }
            }
        }
    }

    @Test func `under TLS, too, everybody gets the bytes that all share`() throws {
        guard let certificate = try TestCertificate() else { return }
        try onLoop { loop in
            let pair = try Pair(loop, tls: certificate.files, trust: .file(certificate.files.certificate))
            var heard: [ConnectionID: [String]] = [:]
            pair.client.onMessage = { id, bytes, _ in
                heard[id, default: []].append(String(decoding: bytes, as: UTF8.self))
            }
            for _ in 0..<5 { try pair.client.connect(url: pair.url) }
            when(loop, { pair.opened.count == 5 }) {
                let texts = (0..<20).map { "\($0) " + String(repeating: "x", count: 100 * $0) }
                for text in texts {
                    let frame = Frame.text(text)
                    for id in pair.opened { pair.server.sendSoon(id, frame) }
                }
                when(loop, { heard.values.reduce(0) { $0 + $1.count } == 100 }) {
                    #expect(heard.count == 5 && heard.values.allSatisfy { $0 == texts })
                    pair.finish(loop)
                }
            }
        }
    }

    @Test func `a hello that comes meanwhile gets not into what others are sent`() throws {
        guard let certificate = try TestCertificate() else { return try #require(Bool(true), "no openssl command") }
        var limits = ServerLimits()
        limits.coalesceMs = 60_000
        limits.coalesceLoad = 0...0
        try onLoop { loop in
            let pair = try Pair(
                loop, limits: limits, tls: certificate.files, trust: .file(certificate.files.certificate))
            for _ in 0..<2 { try pair.client.connect(url: pair.url) }
            when(loop, { pair.opened.count == 2 && pair.clientOpens == 2 && pair.server.bytesQueued == 0 }) {
                let text = String(repeating: "x", count: 100)
                let frame = Frame.text(text)
                pair.server.sendSoon(pair.opened[1], frame)
                pair.server.send(pair.opened[0], frame)
                when(loop, { pair.clientMessages.count == 1 }) {
                    let newcomer = RawClient(port: pair.port)
                    newcomer.send(TLSTests.hello)
                    when(loop, { pair.server.handshakesUnderWay == 1 }) {
                        pair.server.flushWaiting()
                        when(loop, { pair.clientMessages.count == 2 || !pair.clientCloses.isEmpty }) {
                            #expect(pair.clientMessages == ["text " + text, "text " + text])
                            withExtendedLifetime(newcomer) { pair.finish(loop) }
                        }
                    }
                }
            }
        }
    }

    @Test func `a burst that is too large to wait goes out at once`() throws {
        var limits = ServerLimits()
        limits.coalesceMs = 20_000
        limits.coalesceLoad = 0...0
        limits.maxOutboundBytes = 64 << 20
        try onLoop { loop in
            let pair = try Pair(loop, limits: limits)
            try pair.client.connect(url: pair.url)
            when(loop, { pair.opened.count == 1 && pair.server.bytesQueued == 0 }) {
                for number in 0..<10_000 { pair.server.sendSoon(pair.opened[0], .text("\(number)")) }
                when(loop, { pair.clientMessages.count == 10_000 }) {
                    #expect(pair.clientMessages == (0..<10_000).map { "text \($0)" })
                    // The time to wait begins anew.
                    pair.server.limits.coalesceMs = 1
                    pair.server.sendSoon(pair.opened[0], .text("last"))
                    when(loop, { pair.clientMessages.last == "text last" }) { pair.finish(loop) }
                }
            }
        }
    }
}

/// Small, and the same everywhere.
private struct SplitMix {
    var state: UInt64

    mutating func below(_ bound: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((mixed ^ (mixed >> 31)) % UInt64(bound))
    }
}
