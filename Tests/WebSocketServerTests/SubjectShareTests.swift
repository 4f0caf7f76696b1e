import EventLoop
import Testing

@testable import WebSocketServer

/// What one subject may have of a turn with its messages, and under way.
@Suite(.serialized) struct SubjectShareTests {
    /// Clients whose connections are open, and their ids in the same order.
    private func withClients(
        _ loop: EventLoop, _ count: Int, _ body: @escaping (Pair, [RawClient], [ConnectionID]) -> Void
    ) throws {
        let pair = try Pair(loop)
        let clients = (0..<count).map { _ in RawClient(port: pair.port) }
        for client in clients { client.send(RawClient.upgrade) }
        var ids: [UInt8: ConnectionID] = [:]
        pair.server.onMessage = { id, bytes, _ in ids[bytes[0]] = id }
        func areOpen() -> Bool { pair.opened.count == count }
        func areKnown() -> Bool { ids.count == count }
        when(loop, areOpen) {
            for (number, client) in clients.enumerated() { client.send(RawClient.frame(.binary, [UInt8(number)])) }
            when(loop, areKnown) {
                body(pair, clients, (0..<count).compactMap { ids[UInt8($0)] })
            }
        }
    }

    private func spend(_ ns: UInt64) {
        let end = EventLoop.currentTimeNs() + ns
        while EventLoop.currentTimeNs() < end {}
    }

    @Test func `a burst is handled in shares of a turn, in order, and others are heard meanwhile`() throws {
        try onLoop { loop in
            try withClients(loop, 2) { pair, clients, ids in
                for id in ids { pair.server.welcome(id, sharing: InboundRate(perSecond: 1_000)) }
                var heard: [UInt8] = []
                var (inTurn, most) = (0, 0)
                pair.server.onMessage = { id, bytes, _ in
                    heard.append(bytes[0])
                    guard id == ids[0] else { return }
                    inTurn += 1
                    spend(InboundRate.turnNs / 5)
                }
                loop.atEndOfTurn {
                    most = max(most, inTurn)
                    inTurn = 0
                }
                clients[0].send((0..<100).flatMap { RawClient.frame(.binary, [$0]) })
                clients[1].send(RawClient.frame(.binary, [200]))
                when(loop, { heard.count == 101 }) {
                    #expect(heard.filter { $0 != 200 } == Array(0..<100))
                    // Before, all of them came in one turn, and the other client's after them.
                    #expect(most <= 2 * SubjectShare.messagesPerLook)
                    #expect(heard.last != 200)
                    #expect(pair.server.connections[ids[0]]?.isPaused == false)
                    withExtendedLifetime(clients) { pair.finish(loop) }
                }
            }
        }
    }

    @Test func `what comes in one read with a hello waits for answers as what comes later does`() throws {
        try onLoop { loop in
            let pair = try Pair(loop)
            pair.server.hasStrangers = true
            let own = InboundRate(perSecond: 1_000)
            for _ in 0..<InboundRate.mostUnanswered { own.asked() }
            var heard: [UInt8] = []
            pair.server.onMessage = { id, bytes, _ in
                if heard.isEmpty { pair.server.welcome(id, sharing: own) }
                heard.append(bytes[0])
            }
            let client = RawClient(port: pair.port)
            client.send(RawClient.upgrade)
            when(loop, { pair.opened.count == 1 }) {
                client.send((0..<UInt8(20)).flatMap { RawClient.frame(.binary, [$0]) })
                func isWaiting() -> Bool {
                    guard let connection = pair.server.connections[pair.opened[0]] else { return false }
                    return heard.count > 1 || !heard.isEmpty && !connection.unread.isEmpty && own.line.isEmpty
                }
                when(loop, isWaiting) {
                    #expect(heard == [0])
                    for _ in 0..<InboundRate.mostUnanswered { own.answered() }
                    when(loop, { heard.count == 20 }) {
                        #expect(heard == Array(0..<20))
                        #expect(pair.server.connections[pair.opened[0]]?.isPaused == false)
                        withExtendedLifetime(client) { pair.finish(loop) }
                    }
                }
            }
        }
    }

    @Test func `connections of one subject share its time, and each has its turn`() throws {
        try onLoop { loop in
            try withClients(loop, 3) { pair, clients, ids in
                let own = InboundRate(perSecond: 1_000)
                for id in ids { pair.server.welcome(id, sharing: own) }
                var heard: [UInt8] = []
                var (inTurn, most) = (0, 0)
                pair.server.onMessage = { _, bytes, _ in
                    heard.append(bytes[0])
                    inTurn += 1
                    spend(InboundRate.turnNs / 5)
                }
                loop.atEndOfTurn {
                    most = max(most, inTurn)
                    inTurn = 0
                }
                for (number, client) in clients.enumerated() {
                    client.send((0..<40).flatMap { _ in RawClient.frame(.binary, [UInt8(number)]) })
                }
                when(loop, { heard.count == 120 }) {
                    #expect(most <= 3 * SubjectShare.messagesPerLook)
                    #expect(heard.prefix(60).count { $0 == heard[0] } < 40)
                    withExtendedLifetime(clients) { pair.finish(loop) }
                }
            }
        }
    }

    @Test func `who has much under way is read on when half is answered, and others are read meanwhile`() throws {
        try onLoop { loop in
            try withClients(loop, 3) { pair, clients, ids in
                let (own, other) = (InboundRate(perSecond: 1_000), InboundRate(perSecond: 1_000))
                for id in ids.prefix(2) { pair.server.welcome(id, sharing: own) }
                pair.server.welcome(ids[2], sharing: other)
                let most = InboundRate.mostUnanswered
                var heard: [UInt8] = []
                pair.server.onMessage = { id, bytes, _ in
                    heard.append(bytes[0])
                    if id != ids[2] { own.asked() }
                }
                let burst = (0..<UInt8(most + 8)).map { 10 + $0 }
                clients[0].send(burst.flatMap { RawClient.frame(.binary, [$0]) })
                when(loop, { heard.count == most }) {
                    clients[1].send(RawClient.frame(.binary, [1]))
                    clients[2].send(RawClient.frame(.binary, [2]))
                    when(loop, { heard.contains(2) }) {
                        for _ in 0..<most / 2 - 1 { own.answered() }
                        clients[2].send(RawClient.frame(.binary, [3]))
                        when(loop, { heard.contains(3) }) {
                            #expect(heard == Array(burst.prefix(most)) + [2, 3])
                            #expect(pair.server.connections[ids[0]]?.isPaused == true)
                            own.answered()
                            when(loop, { heard.count == most + 11 }) {
                                #expect(heard.filter { $0 >= 10 } == burst && heard.contains(1))
                                #expect(pair.server.connections[ids[0]]?.isPaused == false)
                                withExtendedLifetime(clients) { pair.finish(loop) }
                            }
                        }
                    }
                }
            }
        }
    }

    @Test func `who is closed while its messages wait is gone, and its subject's other connections are read on`() throws
    {
        try onLoop { loop in
            try withClients(loop, 2) { pair, clients, ids in
                let own = InboundRate(perSecond: 1_000)
                for id in ids { pair.server.welcome(id, sharing: own) }
                for _ in 0..<InboundRate.mostUnanswered { own.asked() }
                var heard: [UInt8] = []
                pair.server.onMessage = { _, bytes, _ in heard.append(bytes[0]) }
                for (number, client) in clients.enumerated() {
                    client.send(RawClient.frame(.binary, [UInt8(number)]))
                }
                func isWaiting(_ id: ConnectionID) -> Bool { pair.server.connections[id]?.unread.isEmpty == false }
                when(loop, { ids.allSatisfy(isWaiting) }) {
                    if let connection = pair.server.connections[ids[0]] { pair.server.cut(connection) }
                    for _ in 0..<InboundRate.mostUnanswered { own.answered() }
                    when(loop, { !heard.isEmpty }) {
                        #expect(heard == [1] && !own.mustWait)
                        withExtendedLifetime(clients) { pair.finish(loop) }
                    }
                }
            }
        }
    }

    @Test func `what waits for answers goes on in its order, and waits again when what came before has asked for much`()
    {
        let subject = InboundRate(perSecond: 1)
        var begun: [Int] = []
        func begin(_ number: Int) {
            guard !subject.mustWait else { return subject.whenAnswered { begin(number) } }
            begun.append(number)
            subject.asked()
        }
        let most = InboundRate.mostUnanswered
        for number in 0..<3 * most { begin(number) }
        #expect(begun == Array(0..<most))
        for _ in 0..<most / 2 - 1 { subject.answered() }
        #expect(begun.count == most && subject.mustWait)
        subject.answered()
        #expect(begun == Array(0..<most + most / 2) && subject.mustWait)
        for _ in 0..<4 * most where begun.count < 3 * most { subject.answered() }
        #expect(begun == Array(0..<3 * most))
        subject.answered()
        #expect(!subject.mustWait)
    }
}
