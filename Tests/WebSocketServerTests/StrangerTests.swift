import EventLoop
import Glibc
import Testing

@testable import WebSocketServer

/// What strangers may have: bytes and frames of a turn, memory, and endings.
@Suite(.serialized) struct StrangerTests {
    /// A server whose strangers are heard, and never welcome.
    private final class Host {
        let loop: EventLoop
        let server: WebSocketServer
        let port: Int
        var opened: [ConnectionID] = []
        var heard: [Int] = []
        var closes: [UInt16] = []

        init(_ loop: EventLoop, _ limits: ServerLimits = ServerLimits()) throws {
            self.loop = loop
            server = try WebSocketServer(loop: loop, limits: limits)
            server.hasStrangers = true
            port = try server.listen(host: "127.0.0.1", port: 0)
            server.onOpen = { [unowned self] id, _ in opened.append(id) }
            server.onMessage = { [unowned self] _, bytes, _ in heard.append(bytes.count) }
            server.onClose = { [unowned self] _, code, _ in closes.append(code) }
        }

        func clients(_ count: Int, sending first: [UInt8] = []) -> [RawClient] {
            (0..<count).map { _ in
                let client = RawClient(port: port)
                client.send(Array(RawClient.upgrade.utf8) + first)
                return client
            }
        }

        func finish() { server.shutdown { withExtendedLifetime(self) { self.loop.stop() } } }
    }

    private static func message(_ count: Int) -> [UInt8] {
        RawClient.frame(.binary, [UInt8](repeating: 7, count: count))
    }

    @Test func `a stranger is read once, and again after its share; others who send as much are not held up`() throws {
        try onLoop { loop in
            let host = try Host(loop)
            let count = 20
            let clients = host.clients(count)
            when(loop, { host.opened.count == count }) {
                let begin = host.server.counters.bytesIn
                // One message takes the share of a turn.
                host.server.onMessage = { _, bytes, _ in
                    host.heard.append(bytes.count)
                    usleep(3_000)
                }
                for client in clients {
                    client.send(Self.message(16_000) + Self.message(16_000) + Self.message(16_000))
                }
                var isWithin = true
                loop.atEndOfTurn {
                    let reads =
                        (host.server.counters.bytesIn - begin + SocketContext.readBytes - 1) / SocketContext.readBytes
                    // Each once, and once more for each share that was had; before, all of it came at once.
                    isWithin = isWithin && reads <= count + host.heard.count + 1
                }
                when(loop, { host.heard.count == 3 * count }) {
                    #expect(isWithin)
                    withExtendedLifetime(clients) { host.finish() }
                }
            }
        }
    }

    @Test func `who sends many fragments has turns as well`() throws {
        try onLoop { loop in
            let host = try Host(loop)
            var message = RawClient.frame(.text, isFinal: false, Array("a".utf8))
            for _ in 0..<2_000 { message += RawClient.frame(.continuation, isFinal: false, Array("b".utf8)) }
            message += RawClient.frame(.continuation, Array("b".utf8))
            let clients = host.clients(2)
            when(loop, { host.opened.count == 2 }) {
                clients[0].send(message)
                clients[1].send(Self.message(1))
                when(loop, { host.heard.count == 2 }) {
                    // Before, the first was read to its end first.
                    #expect(host.heard == [1, 2_002])
                    withExtendedLifetime(clients) { host.finish() }
                }
            }
        }
    }

    @Test func `messages of a stranger are as short as a hello, and those of a guest are not`() throws {
        try onLoop { loop in
            let host = try Host(loop)
            host.server.onMessage = { id, bytes, _ in
                host.heard.append(bytes.count)
                host.server.welcome(id, sharing: InboundRate(perSecond: 500))
            }
            let long = host.clients(1, sending: RawClient.frame(.binary, [], announced: 16_385))
            let parts =
                RawClient.frame(.binary, isFinal: false, [UInt8](repeating: 7, count: 16_000))
                + RawClient.frame(.continuation, [], announced: 385)
            let pieces = host.clients(1, sending: parts)
            let guest = host.clients(1, sending: Self.message(16_384) + Self.message(40_000))
            when(loop, { host.closes.count == 2 && host.heard.count == 2 }) {
                #expect(host.closes == [1009, 1009])
                #expect(host.heard == [16_384, 40_000])
                withExtendedLifetime((long, pieces, guest)) { host.finish() }
            }
        }
    }

    @Test func `C61: what strangers hold is counted, who holds the most leaves, and who says hello is heard`() throws {
        var limits = ServerLimits()
        limits.maxStrangersBytes = 200_000
        try onLoop { loop in
            let host = try Host(loop, limits)
            let part = RawClient.frame(.binary, [UInt8](repeating: 7, count: 15_000), announced: 16_000)
            let (talkers, few) = (host.clients(20), host.clients(20))
            let askers = (0..<20).map { _ in RawClient(port: host.port) }
            when(loop, { host.opened.count == 40 && host.server.socketCount == 60 }) {
                for client in few { client.send(RawClient.frame(.binary, [7, 7, 7], announced: 10)) }
                for client in talkers { client.send(part) }
                for client in askers {
                    client.send("GET / HTTP/1.1\r\nHost: x\r\nX: " + String(repeating: "x", count: 15_000))
                }
                when(loop, { host.server.counters.refusedFull >= 27 }) {
                    #expect(host.server.strangersBytes <= limits.maxStrangersBytes)
                    #expect(host.closes.allSatisfy { $0 == 1013 } && host.closes.count >= 7)
                    #expect(host.server.counters.refusedFull > host.closes.count)
                    for client in few { client.send([7, 7, 7, 7, 7, 7, 7]) }
                    when(loop, { host.heard.count == few.count }) {
                        withExtendedLifetime((talkers, askers, few)) { host.finish() }
                    }
                }
            }
        }
    }

    @Test func `what known clients have not finished is counted, who holds the most leaves, and others are heard`()
        throws
    {
        var limits = ServerLimits()
        limits.maxUnfinishedBytes = 400_000
        try onLoop { loop in
            let host = try Host(loop, limits)
            let part = RawClient.frame(.binary, [UInt8](repeating: 7, count: 40_000), announced: 60_000)
            let (few, honest) = (host.clients(20), host.clients(1)[0])
            var holders = host.clients(20)
            var most = 0
            loop.atEndOfTurn { most = max(most, host.server.unfinishedBytes) }
            when(loop, { host.opened.count == 41 }) {
                for id in host.opened { host.server.welcome(id, sharing: InboundRate(perSecond: 500)) }
                for client in few { client.send(RawClient.frame(.binary, [7, 7, 7], announced: 10)) }
                for client in holders { client.send(part) }
                var sent = 0
                when(
                    loop,
                    {
                        // Whole messages, while the others leave.
                        if sent < 20 { honest.send(Self.message(1_000)) }
                        sent += 1
                        // Ten are as much as may be held.
                        return sent >= 20 && host.closes.count >= 10
                    }
                ) {
                    #expect(most > 0 && most <= limits.maxUnfinishedBytes)
                    #expect(host.server.unfinishedBytes > 0 && host.server.strangersBytes == 0)
                    for client in few { client.send([7, 7, 7, 7, 7, 7, 7]) }
                    when(loop, { host.heard.count == 40 }) {
                        #expect(host.heard.filter { $0 == 1_000 }.count == 20)
                        #expect(host.closes.allSatisfy { $0 == 1013 })
                        #expect(host.server.counters.refusedFull == host.closes.count)
                        holders = []
                        when(loop, { host.server.socketCount == 21 }) {
                            #expect(host.server.unfinishedBytes == 0 && host.server.connectionCount == 21)
                            withExtendedLifetime((holders, few, honest)) { host.finish() }
                        }
                    }
                }
            }
        }
    }

    /// What is to be answered with a close frame: a reserved bit, or more pings than one may send.
    @Test(arguments: [false, true])
    func `who goes on sending after the close frame is cut, and not listened to for the time of closing`(
        isFlood: Bool
    ) throws {
        var limits = ServerLimits()
        limits.closeTimeoutMs = 60_000
        try onLoop { loop in
            let host = try Host(loop, limits)
            let client = RawClient(port: host.port)
            client.send(RawClient.upgrade)
            let pings = Array(repeating: RawClient.frame(.ping), count: 3_000).flatMap { $0 }
            client.send(isFlood ? pings : [0xF2, 0x80, 0, 0, 0, 0])
            var sent = 0
            let piece = isFlood ? pings : [UInt8](repeating: 7, count: 16_384)
            when(loop, { host.closes == [isFlood ? limits.floodCode : 1002] }) {
                when(
                    loop,
                    {
                        sent += client.push(piece)
                        return host.server.socketCount == 0
                    }
                ) {
                    #expect(sent > 1 << 20)
                    host.finish()
                }
            }
        }
    }

    @Test(arguments: [false, true], [false, true])
    func `a crowd that ends at once ends over some turns`(isLeaving: Bool, hasSpoken: Bool) throws {
        var limits = ServerLimits()
        limits.headerTimeoutMs = isLeaving ? 60_000 : 250
        try onLoop { loop in
            let host = try Host(loop, limits)
            let count = 300
            var crowd = (0..<count).map { _ in RawClient(port: host.port) }
            var begun = false
            if hasSpoken { for client in crowd { client.send("GET / HTTP/1.1\r\n") } }
            // Whom libwebsockets does not have yet costs less.
            let bound = WebSocketServer.endingsPerTurn * (hasSpoken ? 1 : WebSocketServer.endingCost)
            let ended = EndedPerTurn(loop, host.server)
            when(
                loop,
                {
                    // A client of another test, whose server had this port before, may come as well.
                    let heard = host.server.connections.elements.filter { $0.heldBytes > 0 }.count
                    let (sockets, accepted) = (host.server.socketCount, host.server.counters.accepted)
                    if isLeaving, sockets >= count, !hasSpoken || heard >= count { crowd = [] }
                    begun = begun || sockets > 0
                    return begun && accepted >= count && sockets <= accepted - count
                }
            ) {
                #expect(ended.most > 0 && ended.most <= bound)
                #expect(host.server.strangersBytes == 0)
                withExtendedLifetime(crowd) { host.finish() }
            }
        }
    }

    @Test func `C61: a crowd that leaves with its answers unread ends over some turns`() throws {
        try onLoop { loop in
            let host = try Host(loop, ServerLimits())
            let page = HTTPResponse.text(200, String(repeating: "x", count: 1_000_000))
            host.server.onHTTP = { _, answer in answer(page) }
            let count = 150
            var crowd = (0..<count).map { _ in RawClient(port: host.port, window: 8_192) }
            for client in crowd { client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n") }
            let ended = EndedPerTurn(loop, host.server)
            when(loop, { host.server.bytesQueued > count * 500_000 }) {
                crowd = []
                when(loop, { host.server.socketCount == 0 }) {
                    #expect(ended.most > 0)
                    #expect(ended.most <= WebSocketServer.endingsPerTurn)
                    #expect(host.server.bytesHeld == 0)
                    host.finish()
                }
            }
        }
    }

    @Test(arguments: [false, true], [false, true])
    func `a crowd of strangers' streams that leaves at once ends over some turns`(isLate: Bool, hasMore: Bool) throws {
        try onLoop { loop in
            let host = try Host(loop)
            host.server.onHTTP = { _, answer in
                var response = HTTPResponse.text(200, "")
                response.stream = []
                if isLate { loop.inNextTurn { answer(response) } } else { answer(response) }
            }
            let count = 100
            var crowd = (0..<count).map { _ in RawClient(port: host.port) }
            let request = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"
            for client in crowd { client.send(request + (hasMore ? "x" : "")) }
            func awaited() -> Int {
                host.server.connections.elements.filter { $0.isStream && $0.isPaused && $0.awaited == .more }.count
            }
            let ended = EndedPerTurn(loop, host.server)
            when(loop, { host.opened.count == count }) {
                #expect(awaited() == count)
                for client in crowd { client.send("x") }
                when(loop, { host.server.connections.elements.allSatisfy { $0.thrownAway > 0 } && awaited() == count })
                {
                    let known = host.opened[0]
                    host.server.welcome(known, sharing: InboundRate(perSecond: 500))
                    let connection = host.server.connections[known]
                    #expect(connection?.isPaused == false && connection?.awaited == .nothing)
                    crowd = []
                    when(loop, { host.server.socketCount == 0 && host.closes.count == count }) {
                        #expect(ended.most > 0 && ended.most <= WebSocketServer.endingsPerTurn)
                        host.finish()
                    }
                }
            }
        }
    }

    @Test func `a crowd of strangers that leaves with its pongs unread ends over some turns`() throws {
        var limits = ServerLimits()
        limits.controlFramesPerSecond = .max
        try onLoop { loop in
            let host = try Host(loop, limits)
            let count = 60
            var crowd = (0..<count).map { _ in RawClient(port: host.port, window: 8_192) }
            for client in crowd { client.send(RawClient.upgrade) }
            let ping = RawClient.frame(.ping, [UInt8](repeating: 7, count: 125))
            let pings = Array(repeating: ping, count: 100).flatMap { $0 }
            var sent = Array(repeating: 0, count: count)
            let ended = EndedPerTurn(loop, host.server)
            when(
                loop,
                {
                    for (index, client) in crowd.enumerated() {
                        sent[index] = (sent[index] + client.push(Array(pings[sent[index]...]))) % pings.count
                    }
                    let blocked = host.server.connections.elements.filter { $0.isPaused && $0.awaited == .room }
                    return blocked.count == count
                }
            ) {
                let known = host.opened[0]
                host.server.welcome(known, sharing: InboundRate(perSecond: 500))
                let connection = host.server.connections[known]
                #expect(connection?.isPaused == false && connection?.awaited == .nothing)
                crowd = []
                when(loop, { host.server.socketCount == 0 }) {
                    #expect(ended.most > 0 && ended.most <= WebSocketServer.endingsPerTurn)
                    #expect(host.closes.count == count && host.server.bytesHeld == 0)
                    host.finish()
                }
            }
        }
    }

    @Test func `a crowd of known clients that leaves at once ends over some turns as well`() throws {
        EventLoop.limitTurns()
        try onLoop { loop in
            let host = try Host(loop)
            let count = 3 * EventLoop.eventsPerTurn
            var crowd = host.clients(count)
            var (last, most, mostTold) = (0, 0, 0)
            loop.atEndOfTurn {
                most = max(most, last - host.server.socketCount)
                last = host.server.socketCount
                mostTold = max(mostTold, host.closes.count)
                host.closes = []
            }
            when(loop, { host.opened.count == count }) {
                for id in host.opened { host.server.welcome(id, sharing: InboundRate(perSecond: 500)) }
                #expect(host.server.socketCount == crowd.count)
                crowd = []
                when(loop, { host.server.socketCount == 0 }) {
                    #expect(most > 0 && most <= EventLoop.departuresPerTurn)
                    #expect(mostTold > 0 && mostTold <= EventLoop.departuresPerTurn)
                    host.finish()
                }
            }
        }
    }

    @Test func `after a crowd has left memory is given back, and that comes to an end`() throws {
        try onLoop { loop in
            let host = try Host(loop)
            let count = WebSocketServer.manyClosings + 20
            var crowd = host.clients(count)
            var hasBegun = false
            loop.atEndOfTurn { hasBegun = hasBegun || host.server.freedMemory.isBusy }
            when(loop, { host.opened.count >= count }) {
                #expect(!hasBegun)
                crowd = []
                when(loop, { hasBegun && !host.server.freedMemory.isBusy }) {
                    #expect(host.server.closings < WebSocketServer.manyClosings)
                    withExtendedLifetime(crowd) { host.finish() }
                }
            }
        }
    }

    @Test func `an answer quotes the beginning of a path`() {
        let (short, long) = (String(repeating: "/a", count: 50), String(repeating: "/a", count: 8_000))
        for (path, quoted) in [(short, short), (long, String(long.prefix(97)) + "...")] {
            let request = HTTPRequest(
                method: "GET", path: path, query: nil, headers: [], body: [], remoteAddress: "", isHTTP10: false)
            #expect(request.quotedPath == quoted)
        }
    }
}
