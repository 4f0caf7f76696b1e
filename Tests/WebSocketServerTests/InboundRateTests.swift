import EventLoop
import Testing

@testable import WebSocketServer

/// Whoever sends in many small pieces is held back, over however many connections, and loses nothing by it.
@Suite struct InboundRateTests {
    private final class Heard {
        /// The first byte of each message.
        var bytes: [UInt8] = []
    }

    /// A client whose connection is open, and nobody's yet.
    private func withClient(_ loop: EventLoop, _ body: @escaping (Pair, RawClient, Heard) -> Void) throws {
        let (pair, heard) = (try Pair(loop), Heard())
        pair.server.onMessage = { _, bytes, _ in heard.bytes.append(bytes[0]) }
        let client = RawClient(port: pair.port)
        client.send(RawClient.upgrade)
        func isOpen() -> Bool { pair.opened.count == 1 }
        when(loop, isOpen) { body(pair, client, heard) }
    }

    @Test func `a second has so many pieces, and what was read beyond them counts in it alone`() {
        let rate = InboundRate(perSecond: 10)
        #expect(!rate.isSpent(at: 5_000))
        rate.count(9, at: 5_000)
        #expect(!rate.isSpent(at: 5_999))
        rate.count(33, at: 5_999)
        #expect(rate.isSpent(at: 5_999) && !rate.isSpent(at: 6_000))
        rate.count(10, at: 6_500)
        #expect(rate.isSpent(at: 7_499) && !rate.isSpent(at: 7_500))
    }

    @Test func `when all of a group is spent, who has taken little of its own is read all the same`() {
        let group = InboundRate(perSecond: 100)
        let loud = (0..<2).map { _ in InboundRate(perSecond: 80, group: group) }
        let quiet = InboundRate(perSecond: 80, group: group)
        loud[0].count(80, at: 0)
        #expect(loud[0].isSpent(at: 0) && !loud[1].isSpent(at: 0))
        loud[1].count(19, at: 0)
        quiet.count(19, at: 0)
        #expect(group.isSpent(at: 0) && !loud[1].isSpent(at: 0) && !quiet.isSpent(at: 0))
        #expect(loud[1].isShort(at: 0) && quiet.isShort(at: 0) && !quiet.isShort(at: 1_000))
        loud[1].count(1, at: 0)
        #expect(loud[1].isSpent(at: 0) && !quiet.isSpent(at: 0))
        #expect(!loud[0].isSpent(at: 1_000) && !loud[1].isSpent(at: 1_000))
    }

    @Test func `an empty record before each with bytes may come for ever, and of others 64 in a connection's life`() {
        var empties = EmptyRecords()
        for _ in 0..<100_000 {
            let isTaken = empties.take(records: 1) && empties.take(records: 2)
            #expect(isTaken)
        }
        // 32 before one with a byte, then all but one of what is left.
        for records in [33, 34, 3] {
            let isTaken = empties.take(records: records)
            #expect(isTaken)
        }
        let isTaken = empties.take(records: 3)
        #expect(!isTaken)
    }

    @Test func `whoever sends a thousand frames in one read waits for a share of a turn, and is read on then`() throws {
        try onLoop { loop in
            try withClient(loop) { pair, client, heard in
                guard let connection = pair.server.connections[pair.opened[0]] else { return loop.stop() }
                pair.server.welcome(connection.id, sharing: InboundRate(perSecond: 1_000))
                let frames = WebSocketServer.framesOfPiece * WebSocketServer.piecesAtOnce
                connection.frames.framesLeft = .max - frames + 1
                pair.server.countFrames(connection, .max)
                #expect(!connection.isPaused)
                connection.frames.framesLeft = .max - frames
                pair.server.countFrames(connection, .max)
                #expect(connection.isPaused && !connection.isHeldBack)
                client.send(RawClient.frame(.binary, [7]))
                when(loop, { heard.bytes == [7] }) {
                    #expect(!connection.isPaused)
                    withExtendedLifetime(client) { pair.finish(loop) }
                }
            }
        }
    }

    @Test func `who sends in many pieces is held back while it does, and all of it is heard in order`() throws {
        try onLoop { loop in
            try withClient(loop) { pair, client, heard in
                func send(_ first: UInt8, until last: UInt8, then: @escaping () -> Void) {
                    client.send(RawClient.frame(.binary, [first]))
                    when(loop, { heard.bytes.last == first }) {
                        first == last ? then() : send(first + 1, until: last, then: then)
                    }
                }
                pair.server.welcome(pair.opened[0], sharing: InboundRate(perSecond: 20))
                send(0, until: 29) {
                    #expect(pair.server.counters.heldBack >= 1)
                    client.send((30...255).flatMap { RawClient.frame(.binary, [$0]) })
                    when(loop, { heard.bytes.count == 256 }) {
                        #expect(heard.bytes == Array(0...255) && pair.serverCloses.isEmpty)
                        withExtendedLifetime(client) { pair.finish(loop) }
                    }
                }
            }
        }
    }

    @Test func `when all of a group is spent, those who have taken little wait for a share of a turn after each read`()
        throws
    {
        try onLoop { loop in
            let pair = try Pair(loop)
            var (heard, waiting) = (0, 0)
            pair.server.onMessage = { id, _, _ in
                heard += 1
                if pair.server.connections[id]?.isPaused == true { waiting += 1 }
            }
            let clients = (0..<20).map { _ in RawClient(port: pair.port) }
            for client in clients { client.send(RawClient.upgrade) }
            when(loop, { pair.opened.count == 20 }) {
                let group = InboundRate(perSecond: 1_000)
                for id in pair.opened {
                    pair.server.welcome(id, sharing: InboundRate(perSecond: 400, group: group))
                }
                for client in clients { client.send(RawClient.frame(.binary, [1])) }
                when(loop, { heard == 20 }) {
                    #expect(waiting == 0)
                    group.perSecond = 0
                    for client in clients { client.send(RawClient.frame(.binary, [2])) }
                    when(loop, { heard == 40 }) {
                        #expect(waiting == 20)
                        for client in clients { client.send(RawClient.frame(.binary, [3])) }
                        when(loop, { heard == 60 }) {
                            #expect(waiting == 40 && pair.serverCloses.isEmpty)
                            withExtendedLifetime(clients) { pair.finish(loop) }
                        }
                    }
                }
            }
        }
    }

    @Test func `a ping counts as four pieces, some wait for a share of a turn, and the latest in a read is answered`()
        throws
    {
        try onLoop { loop in
            try withClient(loop) { pair, client, heard in
                guard let connection = pair.server.connections[pair.opened[0]] else { return loop.stop() }
                // The read is a piece, too.
                let rate = InboundRate(perSecond: 1 + 4 * 24)
                pair.server.welcome(connection.id, sharing: rate)
                let framesOut = pair.server.counters.framesOut
                func read(_ frames: [[UInt8]]) -> Bool {
                    var bytes = frames.flatMap(\.self)
                    return bytes.withUnsafeMutableBytes { pair.server.read(connection.id, $0) }
                }
                let few = read((0..<3).map { RawClient.frame(.ping, [UInt8($0)]) })
                #expect(few && !connection.isPaused && pair.server.waitingBytes(connection.id) == 3)
                let many = read((3..<23).map { RawClient.frame(.ping, [UInt8($0)]) })
                // Twice a read and 23 pings.
                #expect(many && connection.isPaused && !rate.isSpent(at: loop.now))
                let last = read([RawClient.frame(.ping, [23]), RawClient.frame(.binary, [7])])
                #expect(last && rate.isSpent(at: loop.now) && heard.bytes == [7])
                // As many as were read at once.
                #expect(pair.server.counters.framesOut == framesOut + 3)
                let pongs: [[UInt8]] = [[0x8A, 1, 2], [0x8A, 1, 22], [0x8A, 1, 23]]
                #expect(pair.server.runs.frames(of: connection.run) == pongs)
                withExtendedLifetime(client) { pair.finish(loop) }
            }
        }
    }

    @Test func `connections of one subject share its pieces, pings count, and others are heard meanwhile`() throws {
        try onLoop { loop in
            let pair = try Pair(loop)
            var heard: [ConnectionID] = []
            pair.server.onMessage = { id, _, _ in heard.append(id) }
            let clients = (0..<4).map { _ in RawClient(port: pair.port) }
            for client in clients { client.send(RawClient.upgrade) }
            func isHeldBack(_ id: ConnectionID) -> Bool { pair.server.connections[id]?.isHeldBack == true }
            when(loop, { pair.opened.count == 4 }) {
                let (shared, other) = (InboundRate(perSecond: 50), InboundRate(perSecond: 1_000))
                let (own, others) = (pair.opened.dropLast(), pair.opened.last!)
                for id in own { pair.server.welcome(id, sharing: shared) }
                pair.server.welcome(others, sharing: other)
                // One read each; the second one's has no place any more.
                for client in clients { client.send((0..<60).flatMap { _ in RawClient.frame(.ping, []) }) }
                when(loop, { own.filter(isHeldBack).count >= 2 }) {
                    for client in clients { client.send(RawClient.frame(.binary, [1])) }
                    when(loop, { heard.contains(others) }) {
                        #expect(own.contains(where: isHeldBack))
                        when(loop, { Set(heard) == Set(pair.opened) }) {
                            #expect(pair.serverCloses.isEmpty)
                            withExtendedLifetime(clients) { pair.finish(loop) }
                        }
                    }
                }
            }
        }
    }
}
