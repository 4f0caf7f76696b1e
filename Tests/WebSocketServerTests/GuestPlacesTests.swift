import EventLoop
import Testing

@testable import WebSocketServer

/// Guests, whom anybody can be as often as it likes, make room for others.
@Suite struct GuestPlacesTests {
    private func address(_ last: UInt32) -> PeerAddress { AddressCountsTests.address(0xC000_0200 + last) }

    /// One of this address, nobody's yet; nil: it is refused.
    private func comes(_ address: PeerAddress, to server: WebSocketServer) -> Connection? {
        guard server.admit(address) == nil else { return nil }
        let connection = server.connections.insert {
            Connection(id: $0, address: address, limits: server.limits, now: server.now)
        }
        server.newcomers.append(connection.id, of: address, isNewcomer: server.isNewcomer)
        return connection
    }

    /// The same, and it says hello.
    private func joins(_ address: PeerAddress, _ server: WebSocketServer, asGuest: Bool) -> Connection? {
        guard let connection = comes(address, to: server) else { return nil }
        connection.phase = .open
        server.connectionCount += 1
        server.welcome(connection.id, sharing: InboundRate(perSecond: 500), asGuest: asGuest)
        return connection
    }

    private func finish(_ loop: EventLoop, _ server: WebSocketServer) {
        for connection in server.connections.elements { server.cut(connection) }
        #expect(server.newcomers.kept == 0 && server.guests.kept == 0)
        server.shutdown { withExtendedLifetime(server) { loop.stop() } }
    }

    @Test
    func `in a full server a guest leaves of the network that has the most, or an idle one, and no known subject`()
        throws
    {
        var limits = ServerLimits()
        limits.maxConnections = 4
        try onLoop { loop in
            let server = try WebSocketServer(loop: loop, limits: limits)
            var closes: [UInt16] = []
            server.onClose = { _, code, _ in closes.append(code) }
            func counts() -> [Int] { (1...5).map { server.addresses.count(of: address($0)) } }
            let crowd = (0..<2).map { _ in joins(address(1), server, asGuest: true) }
            let known = joins(address(2), server, asGuest: false)
            let guest = joins(address(3), server, asGuest: true)
            #expect(crowd.allSatisfy { $0 != nil } && known != nil && guest != nil)
            // No network has more than 2 would have; 1 has more than 4.
            let second = comes(address(2), to: server)
            #expect(second == nil)
            let light = comes(address(4), to: server)
            #expect(light != nil && counts() == [1, 1, 1, 1, 0])
            // Nobody is silent, and all networks have as many.
            let even = comes(address(5), to: server)
            #expect(even == nil)
            known?.lastPiece -= 60_000
            let unknown = comes(address(5), to: server)
            #expect(unknown == nil)
            guest?.lastPiece -= 60_000
            let last = comes(address(5), to: server)
            #expect(last != nil && counts() == [1, 1, 0, 1, 1])
            server.tellCloses()
            #expect(closes == [1013, 1013])
            finish(loop, server)
        }
    }

    @Test func `of guests and of those who are nobody's yet one of the largest network leaves`() throws {
        var limits = ServerLimits()
        limits.maxConnections = 5
        try onLoop { loop in
            let server = try WebSocketServer(loop: loop, limits: limits)
            func counts() -> [Int] { (1...4).map { server.addresses.count(of: address($0)) } }
            let strangers = (0..<2).map { _ in comes(address(1), to: server) }
            let guests = (0..<3).map { _ in joins(address(2), server, asGuest: true) }
            #expect((strangers + guests).allSatisfy { $0 != nil })
            let first = comes(address(3), to: server)
            #expect(first != nil && counts() == [2, 2, 1, 0])
            // Both have as many: who has not said hello leaves.
            let second = comes(address(4), to: server)
            #expect(second != nil && counts() == [1, 2, 1, 1])
            finish(loop, server)
        }
    }

    @Test func `guests of some networks of IPv6 keep nobody out of the network around them`() throws {
        var limits = ServerLimits()
        // Two of a /56, four of a /48.
        limits.maxConnectionsPerAddress = 1
        try onLoop { loop in
            let server = try WebSocketServer(loop: loop, limits: limits)
            func come(_ number: UInt32) -> Bool {
                joins(AddressCountsTests.address(network: number), server, asGuest: true) != nil
            }
            let crowd = [0x1_0000, 0x1_0001, 0x1_0100, 0x1_0101].map(come)
            let others = [0x1_0200, 0x1_0300, 0x1_0400].map(come)
            // One of each /56 that has two; then all have as many.
            #expect(crowd.allSatisfy { $0 } && others == [true, true, false] && server.socketCount == 4)
            finish(loop, server)
        }
    }

    @Test func `a guest that makes room is told so`() throws {
        var limits = ServerLimits()
        limits.maxConnections = 1
        try onLoop { loop in
            let pair = try Pair(loop, limits: limits)
            try pair.client.connect(url: pair.url)
            when(loop, { pair.opened.count == 1 && pair.clientOpens == 1 }) {
                let guest = pair.opened[0]
                pair.server.welcome(guest, sharing: InboundRate(perSecond: 500), asGuest: true)
                pair.server.connections[guest]?.lastPiece -= 60_000
                #expect(throws: Never.self) { try pair.client.connect(url: pair.url) }
                when(loop, { pair.opened.count == 2 && !pair.clientCloses.isEmpty || pair.clientCloses.count > 1 }) {
                    #expect(pair.serverCloses == [1013] && pair.server.socketCount == 1)
                    #expect(
                        pair.clientCloses == ["1013 the hub is full, and guests make room; come back in some seconds"])
                    pair.finish(loop)
                }
            }
        }
    }
}
