import EventLoop
import Glibc
import Testing

@testable import WebSocketServer

/// Sockets under TLS of whom nobody knows: libwebsockets watches none of them, and what OpenSSL holds for them is counted.
@Suite(.serialized) struct TLSStrangerTests {
    /// A client that does what it is told, and nothing by itself.
    private final class Client {
        private var socket: ClientSocket
        private var isReady = false

        init(_ tls: ClientTLS, port: Int) throws {
            socket = try ClientSocket(to: SocketAddress(host: "127.0.0.1", port: port), from: nil)
            socket.startTLS(tls, host: "127.0.0.1", resuming: nil)
        }

        /// Goes on with the handshake. True: it is done.
        func shakeHands() -> Bool {
            if !isReady, case .bytes = socket.handshake() { isReady = true }
            return isReady
        }

        func send(_ text: String) { send(Array(text.utf8)) }

        func send(_ bytes: [UInt8]) {
            let written = bytes.withUnsafeBytes { socket.write($0) }
            if case .bytes(bytes.count) = written { return }
            Issue.record("\(written)")
        }

        /// The head of a record, and nothing of it.
        func sendPartOfRecord() {
            let head: [UInt8] = [23, 3, 3, 0x40, 0]
            #expect(Glibc.send(socket.descriptor, head, head.count, Int32(MSG_NOSIGNAL)) == head.count)
        }

        /// What has come.
        func read() -> String {
            var bytes = [UInt8](repeating: 0, count: 16_384)
            guard case .bytes(let count) = bytes.withUnsafeMutableBytes({ socket.read($0) }) else { return "" }
            return String(decoding: bytes[..<count], as: UTF8.self)
        }
    }

    private static func isAwaited(_ connection: Connection) -> Bool {
        connection.isPaused && connection.awaited == .more
    }

    /// The sockets that will be accepted at a port have the smallest send buffers there are: by itself a kernel may take megabytes, and
    /// all of what is written at once, so that nothing of a record stays behind.
    private static func keepSendBuffersSmall(port: Int) {
        let limited = (3..<Int32(4_096)).filter { descriptor in
            guard option(SO_ACCEPTCONN, of: descriptor) == 1 else { return false }
            var (address, size) = (sockaddr_in(), socklen_t(MemoryLayout<sockaddr_in>.size))
            let isNamed = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) == 0 }
            }
            guard isNamed, UInt16(bigEndian: address.sin_port) == UInt16(port) else { return false }
            var value: Int32 = 1
            return setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &value, socklen_t(MemoryLayout<Int32>.size)) == 0
        }
        #expect(!limited.isEmpty)
    }

    private static func option(_ name: Int32, of descriptor: Int32) -> Int32? {
        var (value, size) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
        return getsockopt(descriptor, SOL_SOCKET, name, &value, &size) == 0 ? value : nil
    }

    enum Phase: CaseIterable { case inHandshake, afterHandshake, inRecord }

    @Test(arguments: Phase.allCases)
    func `a crowd under TLS that leaves at once ends over some turns`(phase: Phase) throws {
        var limits = ServerLimits()
        limits.headerTimeoutMs = 60_000
        try onServer(limits) { loop, server, port in
            let (tls, count) = (try ClientTLS(.anything), 60)
            var greeting = (0..<(phase == .inHandshake ? count : 0)).map { _ in RawClient(port: port) }
            for client in greeting { client.send(TLSTests.hello) }
            var crowd = try (0..<(phase == .inHandshake ? 0 : count)).map { _ in try Client(tls, port: port) }
            let ended = EndedPerTurn(loop, server)
            when(loop, { crowd.filter { !$0.shakeHands() }.isEmpty }) {
                if phase == .inRecord { for client in crowd { client.sendPartOfRecord() } }
                when(
                    loop,
                    {
                        let watched = server.connections.elements.filter(Self.isAwaited)
                        return watched.count == count && (phase != .inRecord || watched.allSatisfy { $0.heldBytes > 0 })
                    }
                ) {
                    (greeting, crowd) = ([], [])
                    when(loop, { server.socketCount == 0 }) {
                        #expect(ended.most > 0 && ended.most <= WebSocketServer.endingsPerTurn)
                        #expect(server.strangersBytes == 0)
                        server.shutdown { withExtendedLifetime(server) { loop.stop() } }
                    }
                }
            }
        }
    }

    /// A server under TLS; nothing where there is no openssl to make its certificate.
    private func onServer(
        _ limits: ServerLimits, _ body: (EventLoop, WebSocketServer, _ port: Int) throws -> Void
    ) throws {
        guard let certificate = try TestCertificate() else { return try #require(Bool(true), "no openssl command") }
        try onLoop { loop in
            let server = try WebSocketServer(loop: loop, limits: limits, tls: certificate.files)
            try body(loop, server, try server.listen(host: "127.0.0.1", port: 0))
        }
    }

    @Test func `a crowd that comes at once is let in, however few may shake hands at a time`() throws {
        var limits = ServerLimits()
        limits.maxHandshakes = 4
        limits.headerTimeoutMs = 60_000
        try onServer(limits) { loop, server, port in
            let tls = try ClientTLS(.anything)
            var shaking = try (0..<60).map { _ in try Client(tls, port: port) }
            var asking: [Client] = []
            // Each goes on as soon as it can, so all that are under way wait for the server.
            loop.atEndOfTurn {
                shaking.removeAll { client in
                    guard client.shakeHands() else { return false }
                    client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                    asking.append(client)
                    return true
                }
            }
            when(
                loop,
                {
                    asking.removeAll { $0.read().contains(" 404 ") }
                    return shaking.isEmpty && asking.isEmpty || server.counters.refusedFull > 0
                }
            ) {
                #expect(server.counters.refusedFull == 0)
                server.shutdown { withExtendedLifetime(server) { loop.stop() } }
            }
        }
    }

    /// A hello of TLS 1.3 that offers no key but P-256: without `key` it has to be repeated with one.
    private static func hello(key: [UInt8] = []) -> [UInt8] {
        let share = key.isEmpty ? [] : [0, 23, 0, UInt8(key.count)] + key
        let extensions: [UInt8] =
            [0, 43, 0, 3, 2, 3, 4]  // supported_versions: 1.3
            + [0, 10, 0, 4, 0, 2, 0, 23]  // supported_groups: secp256r1
            + [0, 13, 0, 4, 0, 2, 8, 4]  // signature_algorithms: RSA-PSS with SHA-256
            + [0, 51, 0, UInt8(share.count + 2), 0, UInt8(share.count)] + share
        let body: [UInt8] =
            [3, 3] + [UInt8](repeating: 7, count: 32) + [0]
            + [0, 2, 0x13, 0x01]  // AES-128-GCM
            + [1, 0] + [0, UInt8(extensions.count)] + extensions
        return [22, 3, 1, 0, UInt8(body.count + 4), 1, 0, 0, UInt8(body.count)] + body
    }

    /// The generator of P-256 (SEC 2, 2.4.2), which is a key as good as any.
    private static let key: [UInt8] = {
        let words: [UInt64] = [
            0x6B17_D1F2_E12C_4247, 0xF8BC_E6E5_63A4_40F2, 0x7703_7D81_2DEB_33A0, 0xF4A1_3945_D898_C296,
            0x4FE3_42E2_FE1A_7F9B, 0x8EE7_EB4A_7C0F_9E16, 0x2BCE_3357_6B31_5ECE, 0xCBB6_4068_37BF_51F5,
        ]
        return [4] + words.flatMap { word in withUnsafeBytes(of: word.bigEndian) { Array($0) } }
    }()

    private static func repeats(_ connection: Connection) -> Bool {
        connection.socket != nil && connection.arrival != nil
    }

    @Test func `a part of a hello that is repeated keeps no place for its handshake`() throws {
        guard let certificate = try TestCertificate() else { return try #require(Bool(true), "no openssl command") }
        var limits = ServerLimits()
        limits.maxHandshakes = 4
        limits.headerTimeoutMs = 60_000
        try onLoop { loop in
            let pair = try Pair(loop, limits: limits, tls: certificate.files, trust: .anything)
            let clients = (0..<4).map { _ in RawClient(port: pair.port) }
            for client in clients { client.send(Self.hello()) }
            when(loop, { pair.server.connections.elements.count(where: Self.repeats) == 4 }) {
                for client in clients { client.send([22]) }
                #expect(throws: Never.self) { try pair.client.connect(url: pair.url) }
                when(loop, { pair.opened.count == 1 }) {
                    #expect(pair.server.counters.refusedFull == 1 && pair.server.socketCount == 4)
                    withExtendedLifetime(clients) { pair.finish(loop) }
                }
            }
        }
    }

    @Test func `newcomers without room keep their order, and hold up nobody who repeats its hello`() throws {
        var limits = ServerLimits()
        limits.maxHandshakes = 4
        limits.headerTimeoutMs = 60_000
        try onServer(limits) { loop, server, port in
            let clients = (0..<25).map { _ in RawClient(port: port) }
            for client in clients[..<4] { client.send(Self.hello()) }
            func isDue(_ connection: Connection) -> Bool { connection.arrival?.phase == .due }
            when(loop, { server.connections.elements.count(where: Self.repeats) == 4 }) {
                // They may stay, however slow this machine is.
                for connection in server.connections.elements { connection.lastHeard += 60_000 }
                var sent = 4
                when(
                    loop,
                    {
                        let due = server.connections.elements.count(where: isDue)
                        if 4 + due == sent, sent < 25 {
                            clients[sent].send(TLSTests.hello)
                            sent += 1
                        }
                        return due == 21
                    }
                ) {
                    var late = 0
                    loop.atEndOfTurn {
                        late += server.connections.elements.count { Self.repeats($0) && isDue($0) }
                    }
                    var left = 4
                    when(
                        loop,
                        {
                            if server.connections.elements.count(where: Self.repeats) == left, left > 0 {
                                left -= 1
                                clients[left].send(Self.hello(key: Self.key))
                            }
                            return left == 0 && !server.connections.elements.contains(where: Self.repeats)
                        }
                    ) {
                        #expect(late == 0 && server.handshakesUnderWay == 4)
                        func underWay() -> [Connection] { server.connections.elements.filter(\.isShakingHands) }
                        var order = underWay().map(\.id.slot)
                        loop.atEndOfTurn {
                            order += underWay().map(\.id.slot).filter { !order.contains($0) }
                            // All who have begun by now have been silent for long.
                            for connection in underWay() { connection.lastHeard = 0 }
                        }
                        when(loop, { order.count == 25 }) {
                            #expect(order.suffix(21).elementsEqual(4..<25))
                            #expect(server.counters.refusedFull == 21)
                            withExtendedLifetime(clients) {
                                server.shutdown { withExtendedLifetime(server) { loop.stop() } }
                            }
                        }
                    }
                }
            }
        }
    }

    @Test func `parts of records are counted, who holds them leaves, and who has none is answered`() throws {
        var limits = ServerLimits()
        limits.headerTimeoutMs = 60_000
        limits.maxStrangersBytes = 10 * SocketContext.recordMemory
        try onServer(limits) { loop, server, port in
            let tls = try ClientTLS(.anything)
            let (holders, asker) = (try (0..<20).map { _ in try Client(tls, port: port) }, try Client(tls, port: port))
            when(loop, { (holders + [asker]).filter { !$0.shakeHands() }.isEmpty }) {
                for client in holders { client.sendPartOfRecord() }
                when(loop, { server.counters.refusedFull >= 10 && server.strangersBytes > 0 }) {
                    #expect(server.strangersBytes <= limits.maxStrangersBytes)
                    #expect(server.strangersBytes % SocketContext.recordMemory == 0)
                    asker.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                    when(loop, { asker.read().contains(" 404 ") }) {
                        withExtendedLifetime(holders) {}
                        server.shutdown { withExtendedLifetime(server) { loop.stop() } }
                    }
                }
            }
        }
    }

    @Test func `parts of records of those who leave count until their sockets end, and nobody leaves twice`() throws {
        var limits = ServerLimits()
        limits.headerTimeoutMs = 60_000
        try onServer(limits) { loop, server, port in
            let (tls, count, most) = (try ClientTLS(.anything), 60, 20 * SocketContext.recordMemory)
            let (holders, asker) = (
                try (0..<count).map { _ in try Client(tls, port: port) }, try Client(tls, port: port)
            )
            func holding() -> Int {
                server.connections.elements.filter { SocketContext.hasPartOfRecord($0.socket) }.count
            }
            when(loop, { (holders + [asker]).filter { !$0.shakeHands() }.isEmpty }) {
                for client in holders { client.sendPartOfRecord() }
                when(loop, { server.strangersBytes == count * SocketContext.recordMemory && holding() == count }) {
                    server.limits.maxStrangersBytes = most
                    asker.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                    var (isCounted, heldAtRequest) = (true, 0)
                    server.onHTTP = { _, answer in
                        heldAtRequest = server.strangersBytes
                        answer(.text(200, "x"))
                    }
                    loop.atEndOfTurn {
                        // The request takes less than a record.
                        isCounted = isCounted && server.strangersBytes / SocketContext.recordMemory == holding()
                    }
                    when(loop, { heldAtRequest > 0 && server.leaving.isEmpty && server.leavingBytes == 0 }) {
                        // Of twenty that may be held a quarter is free. Nobody is read before no more are held.
                        #expect(isCounted && heldAtRequest <= most && holding() == 15)
                        #expect(server.counters.refusedFull == count - 15)
                        withExtendedLifetime((holders, asker)) {
                            server.shutdown { withExtendedLifetime(server) { loop.stop() } }
                        }
                    }
                }
            }
        }
    }

    @Test func `parts of records of known clients are counted, who holds them leaves, and others are heard`() throws {
        guard let certificate = try TestCertificate() else { return try #require(Bool(true), "no openssl command") }
        var limits = ServerLimits()
        limits.maxUnfinishedBytes = 10 * SocketContext.recordMemory
        try onLoop { loop in
            let server = try WebSocketServer(loop: loop, limits: limits, tls: certificate.files)
            server.hasStrangers = true
            let port = try server.listen(host: "127.0.0.1", port: 0)
            var opened: [ConnectionID] = []
            var heard: [Int] = []
            server.onOpen = { id, _ in opened.append(id) }
            server.onMessage = { _, bytes, _ in heard.append(bytes.count) }
            let tls = try ClientTLS(.anything)
            let honest = try Client(tls, port: port)
            var holders = try (0..<20).map { _ in try Client(tls, port: port) }
            when(loop, { (holders + [honest]).filter { !$0.shakeHands() }.isEmpty }) {
                for client in holders + [honest] { client.send(RawClient.upgrade) }
                when(loop, { opened.count == 21 }) {
                    for id in opened { server.welcome(id, sharing: InboundRate(perSecond: 500)) }
                    for client in holders { client.sendPartOfRecord() }
                    when(loop, { server.counters.refusedFull >= 10 && server.socketCount <= 11 }) {
                        #expect(server.unfinishedBytes > 0 && server.unfinishedBytes <= limits.maxUnfinishedBytes)
                        #expect(server.unfinishedBytes % SocketContext.recordMemory == 0)
                        honest.send(RawClient.frame(.binary, [7]))
                        when(loop, { heard == [1] }) {
                            holders = []
                            when(loop, { server.socketCount == 1 }) {
                                #expect(server.unfinishedBytes == 0 && server.strangersBytes == 0)
                                withExtendedLifetime((holders, honest)) {
                                    server.shutdown { withExtendedLifetime(server) { loop.stop() } }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    @Test func `records that the kernel has not taken are counted, and who leaves them leaves in turns`() throws {
        // The page is held once, and is less than three quarters of what may be. Not every reader leaves a part of a record: half are enough.
        let (count, pageBytes) = (60, 1_000_000)
        var limits = ServerLimits()
        limits.maxHeldBytes = pageBytes + count / 2 * SocketContext.recordMemory
        try onServer(limits) { loop, server, port in
            Self.keepSendBuffersSmall(port: port)
            let page = HTTPResponse.text(200, String(repeating: "x", count: pageBytes))
            server.onHTTP = { _, answer in answer(page) }
            let tls = try ClientTLS(.anything)
            var readers = try (0..<count).map { _ in try Client(tls, port: port) }
            let ended = EndedPerTurn(loop, server)
            when(loop, { readers.filter { !$0.shakeHands() }.isEmpty }) {
                for reader in readers { reader.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n") }
                // The heads of the answers are held beside the page and the records.
                when(loop, { server.counters.closedSlow > 0 && server.bytesHeld <= limits.maxHeldBytes / 4 * 3 }) {
                    let behind = server.connections.elements.filter { $0.committed > 0 }.count
                    #expect(behind > 0 && server.bytesHeld > pageBytes + behind * SocketContext.recordMemory)
                    #expect(ended.most > 0 && ended.most <= WebSocketServer.endingsPerTurn)
                    readers = []
                    when(loop, { server.socketCount == 0 }) {
                        #expect(server.bytesHeld == 0)
                        server.shutdown { withExtendedLifetime(server) { loop.stop() } }
                    }
                }
            }
        }
    }
}
