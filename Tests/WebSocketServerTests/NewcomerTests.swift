import EventLoop
import Testing

@testable import WebSocketServer

/// Who makes room when an address has all the connections that it may have.
@Suite struct NewcomerTests {
    private func address(_ last: UInt32) -> PeerAddress { AddressCountsTests.address(0xC000_0200 + last) }

    private func id(_ slot: Int) -> ConnectionID { ConnectionID(slot: slot, generation: 1) }

    @Test func `who came first leaves first, of its own address only`() {
        var lines = NewcomerLines()
        for slot in 0..<4 { lines.append(id(slot), of: address(UInt32(slot % 2)), isNewcomer: { _ in true }) }
        func next(mayLeave: (ConnectionID) -> Bool) -> ConnectionID? {
            lines.next(of: address(0), isNewcomer: { _ in true }, mayLeave: mayLeave)
        }
        var left = next { $0 != id(0) }
        #expect(left == id(2))
        left = next { _ in true }
        #expect(left == id(0))
        left = next { _ in true }
        #expect(left == nil)
        left = lines.next(of: address(1), isNewcomer: { $0 == id(3) }, mayLeave: { _ in true })
        #expect(left == id(3))
        // They stand in the line of all, too.
        lines.trim(address(0), isNewcomer: { _ in false })
        #expect(lines.kept == 0)
    }

    @Test func `who weighs most leaves if nobody may, and nobody who weighs nothing`() {
        var lines = NewcomerLines()
        for slot in 0..<4 { lines.append(id(slot), of: address(0), isNewcomer: { _ in true }) }
        func next(mayLeave: Int? = nil, _ weights: [Int]) -> ConnectionID? {
            lines.next(
                of: address(0), isNewcomer: { _ in true }, mayLeave: { $0.slot == mayLeave },
                weight: { weights[$0.slot] })
        }
        var left = next([0, 0, 0, 0])
        #expect(left == nil && lines.kept == 8)
        left = next(mayLeave: 2, [0, 1, 0, 0])
        #expect(left == id(2))
        left = next([1, 2, 0, 3])
        #expect(left == id(3))
        left = next([1, 2, 0, 3])
        #expect(left == id(1) && lines.kept == 5)
    }

    @Test func `a line keeps little of those who are gone, though its first one stays`() {
        var lines = NewcomerLines()
        for slot in 0..<10_000 { lines.append(id(slot), of: address(0), isNewcomer: { $0 == id(0) }) }
        #expect(lines.kept <= 2 * 33)
        lines.trim(address(0), isNewcomer: { _ in false })
        #expect(lines.kept == 0)
    }

    @Test func `silent connections of an address keep nobody out, and those who are known stay`() throws {
        var limits = ServerLimits()
        limits.maxConnectionsPerAddress = 4
        try onLoop { loop in
            let pair = try Pair(loop, limits: limits)
            try pair.client.connect(url: pair.url)
            let silent = (0..<3).map { _ in RawClient(port: pair.port) }
            when(loop, { pair.server.socketCount == 4 && pair.opened.count == 1 }) {
                // One has begun a request, as a slow phone does, and goes on with it.
                silent[0].send("GET /healthz HT")
                func hasRead(_ count: Int) -> Bool {
                    pair.server.connections.elements.contains { $0.http?.waitingBytes == count }
                }
                let timer = LoopTimer(loop)
                timer.start(afterMs: 1_200) {
                    timer.close()
                    #expect(hasRead(15))
                    silent[0].send("TP/1.1\r\n")
                    when(loop, { hasRead(23) }) {
                        #expect(throws: Never.self) { try pair.client.connect(url: pair.url) }
                        when(loop, { pair.opened.count == 2 }) {
                            #expect(pair.server.socketCount == 4)
                            #expect(pair.serverCloses.isEmpty && pair.clientCloses.isEmpty)
                            #expect(silent[1].read().isEmpty)
                            silent[0].send("Host: x\r\nConnection: close\r\n\r\n")
                            pair.finish(loop)
                        }
                    }
                }
            }
        }
    }

    @Test(arguments: ["G", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nx"])
    func `connections that have begun a request and do not go on keep nobody of their address out`(begun: String) throws
    {
        var limits = ServerLimits()
        limits.maxConnectionsPerAddress = 4
        try onLoop { loop in
            let pair = try Pair(loop, limits: limits)
            let crowd = (0..<4).map { _ in RawClient(port: pair.port) }
            for client in crowd { client.send(begun) }
            func haveBegun() -> [Connection] {
                pair.server.connections.elements.filter { $0.http?.heldBytes ?? 0 > 0 && !$0.isResuming }
            }
            when(loop, { haveBegun().count == 4 }) {
                // A second has gone by.
                for connection in haveBegun() {
                    connection.lastHeard -= 1_000
                    connection.lastPiece -= 1_000
                }
                #expect(throws: Never.self) { try pair.client.connect(url: pair.url) }
                when(loop, { pair.opened.count == 1 || !pair.clientCloses.isEmpty }) {
                    #expect(pair.opened.count == 1 && pair.server.socketCount == 4 && haveBegun().count == 3)
                    #expect(pair.server.counters.refusedAddressLimit == 0)
                    withExtendedLifetime(crowd) { pair.finish(loop) }
                }
            }
        }
    }

    @Test func `who came first of all leaves first for a full server`() {
        var lines = NewcomerLines()
        for slot in 0..<4 { lines.append(id(slot), of: address(UInt32(slot)), isNewcomer: { _ in true }) }
        var left = lines.next(of: nil, isNewcomer: { $0 != id(0) }, mayLeave: { $0 != id(1) })
        #expect(left == id(2))
        left = lines.next(of: nil, isNewcomer: { $0 != id(0) }, mayLeave: { _ in true })
        #expect(left == id(3))
    }

    @Test func `a full server has room for who comes: of who is silent, or of the network that has the most`() throws {
        var limits = ServerLimits()
        limits.maxConnections = 4
        try onLoop { loop in
            let server = try WebSocketServer(loop: loop, limits: limits)
            /// The status with which one of this address is refused.
            func come(_ last: UInt32) -> Int? {
                if let status = server.admit(address(last)) { return status }
                let connection = server.connections.insert {
                    Connection(id: $0, address: address(last), limits: limits, now: server.now)
                }
                server.newcomers.append(connection.id, of: address(last), isNewcomer: server.isNewcomer)
                return nil
            }
            func first(_ last: UInt32) -> Connection? {
                server.connections.elements.first { $0.address == address(last) }
            }
            func counts() -> [Int] { (1...6).map { server.addresses.count(of: address($0)) } }
            let came = [1, 1, 2, 3].map(come)
            #expect(came.allSatisfy { $0 == nil })
            // Nobody is silent yet: no network has more than 2 would have; 1 has more than 4.
            let (second, light, even) = (come(2), come(4), come(5))
            #expect(second == 503 && light == nil && even == 503)
            #expect(counts() == [1, 1, 1, 1, 0, 0] && server.counters.refusedTotalLimit == 2)
            first(3)?.lastHeard -= 1_000
            let silent = come(5)
            #expect(silent == nil && counts() == [1, 1, 0, 1, 1, 0])
            // Whom somebody knows stays, however silent it is; who is closing gives its place back.
            first(1)?.phase = .open
            first(1)?.lastHeard -= 2_000
            server.connectionCount += 1
            let known = come(6)
            first(2)?.phase = .closing
            first(2)?.lastHeard -= 1_000
            let closing = come(6)
            #expect(known == 503 && closing == nil && counts() == [1, 0, 0, 1, 1, 1])
            for connection in server.connections.elements { server.cut(connection) }
            #expect(server.newcomers.kept == 0)
            server.shutdown { withExtendedLifetime(server) { loop.stop() } }
        }
    }

    @Test func `sockets of other addresses keep nobody out of a full server`() throws {
        var limits = ServerLimits()
        limits.maxConnections = 4
        try onLoop { loop in
            let pair = try Pair(loop, limits: limits)
            try pair.client.connect(url: pair.url)
            let crowd = (0..<3).map { _ in RawClient(port: pair.port, source: "127.0.0.2") }
            when(loop, { pair.server.socketCount == 4 && pair.opened.count == 1 }) {
                #expect(throws: Never.self) { try pair.client.connect(url: pair.url) }
                when(loop, { pair.opened.count == 2 || !pair.clientCloses.isEmpty }) {
                    #expect(pair.server.socketCount == 4 && pair.serverCloses.isEmpty && pair.clientCloses.isEmpty)
                    #expect(pair.server.counters.refusedTotalLimit == 0)
                    withExtendedLifetime(crowd) { pair.finish(loop) }
                }
            }
        }
    }

    /// Somebody of this network of 64 bits, who may not leave yet; whether it gets in.
    private func comes(_ network: UInt32, _ server: WebSocketServer, _ limits: ServerLimits) -> Bool {
        let address = AddressCountsTests.address(network: network)
        guard server.enter(address) else { return false }
        let connection = server.connections.insert {
            Connection(id: $0, address: address, limits: limits, now: server.now)
        }
        server.newcomers.append(connection.id, of: address, isNewcomer: server.isNewcomer)
        return true
    }

    private func count(_ network: UInt32, _ server: WebSocketServer) -> Int {
        server.addresses.count(of: AddressCountsTests.address(network: network).limitKeys[0].key)
    }

    @Test func `silent connections of some networks of IPv6 keep nobody out of the network around them`() throws {
        var limits = ServerLimits()
        // Two of a /56, four of a /48.
        limits.maxConnectionsPerAddress = 1
        try onLoop { loop in
            let server = try WebSocketServer(loop: loop, limits: limits)
            /// Whose place one of this network takes; nil: it is refused, or nobody has left for it.
            func come(_ network: UInt32) -> PeerAddress? {
                let before = server.connections.elements.map(\.address)
                let address = AddressCountsTests.address(network: network)
                guard server.enter(address) else { return nil }
                let connection = server.connections.insert {
                    Connection(id: $0, address: address, limits: limits, now: 0)
                }
                server.newcomers.append(connection.id, of: address, isNewcomer: server.isNewcomer)
                let after = server.connections.elements.map(\.address)
                return before.first { !after.contains($0) }
            }
            let left = [0x1_0100, 0x1_0000, 0x1_0001, 0x2_0000, 0x1_0002, 0x1_0200, 0x1_0300, 0x1_0400].map(come)
            let networks = left.map { $0?.limitKeys[0].key }
            func network(_ number: UInt32) -> PeerAddress {
                AddressCountsTests.address(network: number).limitKeys[0].key
            }
            #expect(networks[..<4].allSatisfy { $0 == nil })
            // Of the /56; then of the /48.
            #expect(networks[4...] == [network(0x1_0000), nil, network(0x1_0100), network(0x1_0001)])
            #expect(server.socketCount == 5)
            for connection in server.connections.elements { server.cut(connection) }
            #expect(server.newcomers.kept == 0)
            server.shutdown { withExtendedLifetime(server) { loop.stop() } }
        }
    }

    @Test func `those who have just come of some networks of IPv6 keep nobody out of the network around them`() throws {
        var limits = ServerLimits()
        // Eight of a /56, sixteen of a /48.
        limits.maxConnectionsPerAddress = 4
        try onLoop { loop in
            let server = try WebSocketServer(loop: loop, limits: limits)
            func come(_ network: UInt32) -> Bool { comes(network, server, limits) }
            func count(_ network: UInt32) -> Int { self.count(network, server) }
            // One has two; three others have all that they may, in networks of 56 bits of their own, and one has the rest.
            let quiet = [come(0x1_0000), come(0x1_0000)]
            var crowd: [Bool] = []
            for network: UInt32 in [0x1_0100, 0x1_0200, 0x1_0300] {
                for _ in 0..<4 { crowd.append(come(network)) }
            }
            crowd += [come(0x1_0400), come(0x1_0400)]
            #expect((quiet + crowd).allSatisfy { $0 } && server.socketCount == 16)
            // Not for one of their own; not of those who are few.
            let own = come(0x1_0100)
            let others = [come(0x1_0500), come(0x1_0501), come(0x1_0600)]
            #expect(!own && others == [true, true, true] && server.socketCount == 16)
            #expect(count(0x1_0000) == 2 && count(0x1_0400) == 2)
            for connection in server.connections.elements { server.cut(connection) }
            server.shutdown { withExtendedLifetime(server) { loop.stop() } }
        }
    }

    @Test func `some networks of IPv6 with half of what they may have keep nobody out of the network around them`()
        throws
    {
        var limits = ServerLimits()
        // Eight of a /56, sixteen of a /48.
        limits.maxConnectionsPerAddress = 4
        try onLoop { loop in
            let server = try WebSocketServer(loop: loop, limits: limits)
            func come(_ network: UInt32) -> Bool { comes(network, server, limits) }
            func counts(_ networks: [UInt32]) -> [Int] { networks.map { count($0, server) } }
            // Two networks of 56 bits are full with two of each of four networks of 64.
            let crowd: [UInt32] = [0, 1, 2, 3, 0x100, 0x101, 0x102, 0x103].map { 0x1_0000 + $0 }
            let came = (crowd + crowd).map(come)
            #expect(came.allSatisfy { $0 } && counts(crowd) == Array(repeating: 2, count: 8))
            // Of the same /56, and then of others: as many as leave the others no less.
            let (neighbor, again) = (come(0x1_0004), come(0x1_0004))
            #expect(neighbor && !again)
            let others = (0..<3).map { _ in come(0x1_0200) } + [come(0x1_0300)]
            #expect(others.allSatisfy { $0 } && server.socketCount == 16)
            #expect(counts([0x1_0004, 0x1_0200, 0x1_0300]) == [1, 3, 1])
            // Not for one of their own.
            let own = [come(0x1_0000), come(0x1_0101)]
            #expect(own == [false, false] && counts(crowd).reduce(0, +) == 11)
            for connection in server.connections.elements { server.cut(connection) }
            server.shutdown { withExtendedLifetime(server) { loop.stop() } }
        }
    }

    @Test func `those who have just come are left alone`() throws {
        var limits = ServerLimits()
        limits.maxConnectionsPerAddress = 3
        try onLoop { loop in
            let pair = try Pair(loop, limits: limits)
            let silent = (0..<3).map { _ in RawClient(port: pair.port) }
            when(loop, { pair.server.socketCount == 3 }) {
                #expect(throws: Never.self) { try pair.client.connect(url: pair.url) }
                when(loop, { pair.clientCloses.count == 1 }) {
                    #expect(pair.clientCloses[0].hasPrefix("1006 HTTP 429"))
                    #expect(pair.server.socketCount == silent.count)
                    pair.finish(loop)
                }
            }
        }
    }

    @Test func `those who leave while they wait for their handshake keep out nobody of their address`() throws {
        guard let certificate = try TestCertificate() else { return try #require(Bool(true), "no openssl command") }
        var limits = ServerLimits()
        // Handshakes in ten seconds: eleven at once.
        limits.maxConnectionsPerAddress = 20
        try onLoop { loop in
            let pair = try Pair(loop, limits: limits, tls: certificate.files, trust: .anything)
            func isWaiting(_ connection: Connection) -> Bool { connection.arrival?.phase == .waiting }
            func hasEach(_ count: Int) -> Bool {
                pair.opened.count + pair.server.connections.elements.count(where: isWaiting) == count
            }
            let ids = try (0..<18).map { _ in try pair.client.connect(url: pair.url) }
            when(loop, { hasEach(18) }) {
                for id in ids.suffix(6) { pair.client.abort(id) }
                when(loop, { pair.server.socketCount == 12 }) {
                    for _ in 0..<6 { #expect(throws: Never.self) { try pair.client.connect(url: pair.url) } }
                    when(loop, { hasEach(18) || pair.server.counters.refusedAddressLimit > 0 }) {
                        #expect(pair.server.counters.refusedAddressLimit == 0)
                        pair.finish(loop)
                    }
                }
            }
        }
    }
}
