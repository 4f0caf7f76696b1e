import EventLoop
import Glibc
import Testing

@testable import WebSocketServer

/// What one turn of the loop has for those who are many, and whose turn it is.
@Suite(.serialized) struct ShareTests {
    private static let request = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n"

    @Test func `addresses take turns, and of each its connections in their order`() {
        var table = SlotTable<Connection>()
        var queue = FairQueue()
        func join(_ address: UInt32, _ count: Int) -> [ConnectionID] {
            (0..<count).map { _ in
                let connection = table.insert {
                    Connection(id: $0, address: AddressCountsTests.address(address), limits: ServerLimits(), now: 0)
                }
                queue.append(connection)
                return connection.id
            }
        }
        let many = join(0xC000_0201, 190)
        let first = queue.next()
        let (two, one) = (join(0xC000_0202, 2), join(0xC000_0203, 1))
        var order: [ConnectionID?] = [first]
        while !queue.isEmpty { order.append(queue.next()) }
        #expect(order.prefix(6) == [many[0], many[1], two[0], one[0], many[2], two[1]])
        #expect(order.dropFirst(6).compactMap(\.self) == Array(many[3...]))
        #expect(queue.next() == nil)
        // Who comes back has a line again.
        let back = join(0xC000_0201, 1)
        #expect(queue.next() == back[0] && queue.isEmpty)
    }

    /// Listens, and answers each request with what takes the share of a turn. Returns the port; `heard` is told who asks.
    private func answerSlowly(_ server: WebSocketServer, _ heard: @escaping (String) -> Void) throws -> Int {
        server.onHTTP = { request, answer in
            usleep(3_000)
            heard(request.remoteAddress)
            answer(.text(200, "alive"))
        }
        return try server.listen(host: "127.0.0.1", port: 0)
    }

    @Test func `a crowd of one address does not hold up the request of another`() throws {
        try onLoop { loop in
            let server = try WebSocketServer(loop: loop)
            var order: [String] = []
            let port = try answerSlowly(server) { order.append($0) }
            let crowd = (0..<30).map { _ in RawClient(port: port) }
            let other = RawClient(port: port, source: "127.0.0.2")
            for client in crowd + [other] { client.send(Self.request) }
            when(loop, { order.count == 31 }) {
                // Before, it came as the last one. A few may have been accepted before it.
                #expect((order.firstIndex(of: "127.0.0.2") ?? 31) < 10)
                withExtendedLifetime((crowd, other)) { server.shutdown { loop.stop() } }
            }
        }
    }

    @Test func `a proxy's clients take turns, as whom it names`() throws {
        try onLoop { loop in
            var limits = ServerLimits()
            limits.realIPHeader = "x-real-ip"
            let server = try WebSocketServer(loop: loop, limits: limits)
            var order: [String] = []
            let port = try answerSlowly(server) { order.append($0) }
            func ask(_ client: RawClient, for address: String) {
                client.send("GET /a HTTP/1.1\r\nHost: x\r\nX-Real-IP: \(address)\r\n\r\n")
            }
            let crowd = (0..<30).map { _ in RawClient(port: port) }
            let other = RawClient(port: port)
            // Before its first request nobody knows for whom a connection is.
            for client in crowd { ask(client, for: "192.0.2.1") }
            ask(other, for: "192.0.2.2")
            when(loop, { order.count == 31 }) {
                order = []
                for client in crowd { ask(client, for: "192.0.2.1") }
                ask(other, for: "192.0.2.2")
                when(loop, { order.count == 31 }) {
                    #expect((order.firstIndex(of: "192.0.2.2") ?? 31) < 10)
                    withExtendedLifetime((crowd, other)) { server.shutdown { loop.stop() } }
                }
            }
        }
    }

    @Test func `answers have a share of a turn, and frames do not wait for it`() throws {
        try onLoop { loop in
            let pair = try Pair(loop)
            let page = [UInt8](repeating: 126, count: 2_000_000)
            var answers: [(HTTPResponse) -> Void] = []
            pair.server.onHTTP = { _, answer in answers.append(answer) }
            try pair.client.connect(url: pair.url)
            let port = try #require(Int(pair.url.split(separator: "/")[1].split(separator: ":")[1]))
            let clients = (0..<60).map { _ in RawClient(port: port) }
            for client in clients { client.send(Self.request) }
            when(loop, { answers.count == clients.count && pair.opened.count == 1 && pair.clientOpens == 1 }) {
                let began = pair.server.counters.bytesOut
                var (last, most, late) = (began, 0, 0)
                loop.atEndOfTurn {
                    let out = pair.server.counters.bytesOut
                    most = max(most, out - last)
                    last = out
                    if pair.server.waitingBytes(pair.opened[0]) > 0 { late += 1 }
                }
                for answer in answers { answer(HTTPResponse(status: 200, body: page)) }
                when(
                    loop,
                    {
                        pair.server.send(pair.opened[0], .text("a frame"))
                        // Each has been written to.
                        return last - began > clients.count * 50_000
                    }
                ) {
                    #expect(most > 0 && most <= WebSocketServer.answerBytes + SocketContext.scratchBytes + 100)
                    #expect(late == 0)
                    withExtendedLifetime(clients) { pair.finish(loop) }
                }
            }
        }
    }

    @Test func `what many are sent is written in shares of a turn, in order, and a reply does not wait for it`() throws
    {
        try onLoop { loop in
            let pair = try Pair(loop)
            let count = 3 * WebSocketServer.writesPerTurn - 10
            var heard: [ConnectionID: [String]] = [:]
            pair.client.onMessage = { id, bytes, _ in
                heard[id, default: []].append(String(decoding: bytes, as: UTF8.self))
            }
            for _ in 0..<count { try pair.client.connect(url: pair.url) }
            when(loop, { pair.opened.count == count && pair.clientOpens == count && pair.server.bytesQueued == 0 }) {
                let server = pair.server
                func tellAll(_ text: String) {
                    let frame = Frame.text(text)
                    for id in pair.opened { server.send(id, frame, toMany: true) }
                }
                var (last, most, turns) = (server.counters.writes, 0, 0)
                var leftWhenAnswered: Int?
                loop.atEndOfTurn {
                    most = max(most, server.counters.writes - last)
                    last = server.counters.writes
                    if leftWhenAnswered == nil, server.waitingBytes(pair.opened[count - 1]) == 0 {
                        leftWhenAnswered = pair.opened.count { server.waitingBytes($0) > 0 }
                    }
                    turns += 1
                    // To some it goes with what they wait for, to the others after it.
                    if turns == 1 { tellAll("3") }
                }
                tellAll("1")
                tellAll("2")
                server.send(pair.opened[count - 1], .text("reply"))
                when(loop, { heard.values.reduce(0) { $0 + $1.count } == 3 * count + 1 }) {
                    // The one with a reply is in its own line.
                    #expect(most > 0 && most <= WebSocketServer.writesPerTurn + 1)
                    #expect(leftWhenAnswered ?? 0 > 0)
                    #expect(heard.values.count { $0 == ["1", "2", "3"] } == count - 1)
                    #expect(
                        heard.values.count { $0.contains("reply") && $0.filter { $0 != "reply" } == ["1", "2", "3"] }
                            == 1)
                    #expect(server.bytesQueued == 0 && server.runs.users == 0)
                    pair.finish(loop)
                }
            }
        }
    }

    @Test func `the line of many goes on, however many are sent something of their own`() throws {
        try onLoop { loop in
            let pair = try Pair(loop)
            let count = WebSocketServer.writesPerTurn + 10
            for _ in 0..<count { try pair.client.connect(url: pair.url) }
            when(loop, { pair.opened.count == count && pair.clientOpens == count && pair.server.bytesQueued == 0 }) {
                let one = pair.opened[0]
                var isOut = false
                loop.atEndOfTurn {
                    isOut = isOut || pair.server.waitingBytes(one) == 0
                    guard !isOut else { return }
                    for id in pair.opened[1...] { pair.server.send(id, .text("own")) }
                }
                for id in pair.opened[1...] { pair.server.send(id, .text("own")) }
                pair.server.send(one, .text("as one of many"), toMany: true)
                when(loop, { pair.clientMessages.contains("text as one of many") }) { pair.finish(loop) }
            }
        }
    }

    @Test(arguments: [false, true])
    func `nothing is lost of what waits for its turn when all are closed, or the server ends`(isEnd: Bool) throws {
        var limits = ServerLimits()
        limits.coalesceMs = 60_000
        limits.coalesceLoad = 0...0
        try onLoop { loop in
            let pair = try Pair(loop, limits: limits)
            let count = 2 * WebSocketServer.writesPerTurn
            for _ in 0..<count { try pair.client.connect(url: pair.url) }
            when(loop, { pair.opened.count == count && pair.clientOpens == count && pair.server.bytesQueued == 0 }) {
                let frame = Frame.text("last")
                for (index, id) in pair.opened.enumerated() {
                    // Some wait for the timer of their frames.
                    if index % 2 == 0 {
                        pair.server.send(id, frame, toMany: true)
                    } else {
                        pair.server.sendSoon(id, frame)
                    }
                }
                guard isEnd else {
                    for id in pair.opened { pair.server.close(id, code: 4000) }
                    return when(loop, { pair.clientCloses.count == count }) {
                        #expect(pair.clientMessages.count == count)
                        #expect(pair.clientCloses.allSatisfy { $0.hasPrefix("4000") })
                        pair.finish(loop)
                    }
                }
                var isDown = false
                pair.server.shutdown { isDown = true }
                when(loop, { isDown && pair.clientCloses.count == count }) {
                    #expect(pair.clientMessages.count == count)
                    pair.client.shutdown()
                    withExtendedLifetime(pair) { loop.stop() }
                }
            }
        }
    }

    @Test func `what strangers say has the share of requests, and what guests say does not`() throws {
        try onLoop { loop in
            let pair = try Pair(loop)
            pair.server.hasStrangers = true
            let count = 20
            var (inTurn, most, heard) = (0, 0, 0)
            pair.server.onMessage = { id, _, _ in
                inTurn += 1
                heard += 1
                usleep(3_000)
                pair.server.welcome(id, sharing: InboundRate(perSecond: 500))
            }
            loop.atEndOfTurn {
                most = max(most, inTurn)
                inTurn = 0
            }
            let ids = try (0..<count).map { _ in try pair.client.connect(url: pair.url) }
            when(loop, { pair.opened.count == count && pair.clientOpens == count }) {
                for id in ids { pair.client.send(id, "hello") }
                when(loop, { heard == count }) {
                    #expect(most == 1)
                    most = 0
                    for id in ids { pair.client.send(id, "as they come") }
                    when(loop, { heard == 2 * count }) {
                        #expect(max(most, inTurn) > 1)
                        pair.finish(loop)
                    }
                }
            }
        }
    }

    @Test func `a stranger's frames may come in any pieces, and its close frame counts`() throws {
        try onLoop { loop in
            let pair = try Pair(loop)
            pair.server.hasStrangers = true
            let id = try pair.client.connect(url: pair.url)
            when(loop, { pair.clientOpens == 1 }) {
                let text = String(repeating: "x", count: 16_000)
                for n in 0..<5 { pair.client.send(id, "\(n) \(text)") }
                when(loop, { pair.clientMessages.count == 5 }) {
                    #expect(pair.clientMessages == (0..<5).map { "text \($0) \(text)" })
                    pair.client.close(id, code: 4001)
                    when(loop, { !pair.serverCloses.isEmpty && !pair.clientCloses.isEmpty }) {
                        #expect(pair.serverCloses == [4001])
                        pair.finish(loop)
                    }
                }
            }
        }
    }
}
