import EventLoop
import Foundation
import Testing

@testable import WebSocketServer

/// Sessions of TLS that are resumed, and the keys that this takes.
@Suite(.serialized) struct TicketTests {
    private static let start: Int64 = 1_795_210_200
    private static let hour: Int64 = 3_600

    /// Twelve hours: an hour for each key.
    private let fresh = TicketKeys(lifeS: 43_200, at: start)

    /// The keys as a supervisor has them that looks each quarter of an hour, at these hours after the start.
    private func kept(until hours: Int64) -> TicketKeys {
        (0...hours * 4).reduce(fresh) { $0.renewed(at: Self.start + $1 * 900) }
    }

    @Test func `each hour another key seals, and all have it before`() {
        var keys = fresh
        #expect(keys.periodS == 3_600 && keys.lookEveryS == 900)
        var sealed: [[UInt8]] = []
        for quarter in 0..<4 * 24 {
            let now = Self.start + Int64(quarter) * 900
            // Who has looked a quarter of an hour ago seals with the same key as who looks now.
            let before = keys
            keys = keys.renewed(at: now)
            let key = keys.sealing(at: now)
            #expect(before.sealing(at: now) == key)
            #expect(key.begins <= now && now < key.begins + Self.hour)
            if sealed.last != key.name { sealed.append(key.name) }
        }
        #expect(sealed.count == 24 && Set(sealed).count == 24)
        #expect(keys.renewed(at: Self.start + 24 * Self.hour - 900) == keys, "nothing is due")
    }

    @Test func `a key opens as long as its last ticket lives, and is forgotten then`() {
        func knows(_ keys: TicketKeys) -> Bool {
            fresh.sealing(at: Self.start).name.withUnsafeBufferPointer { keys.opening($0) != nil }
        }
        // It seals for the first hour, and what it has sealed at its end lives for twelve.
        #expect(knows(kept(until: 1)) && knows(kept(until: 12)))
        #expect(knows(kept(until: 12).renewed(at: Self.start + 13 * Self.hour - 1)))
        #expect(!knows(kept(until: 13)))
        // Those of thirteen hours, and the next one.
        #expect(kept(until: 100).keys.count == 14)
    }

    @Test func `keys that were kept while nobody was there go on or are forgotten`() {
        let old = fresh.sealing(at: Self.start)
        let later = fresh.renewed(at: Self.start + 5 * Self.hour)
        #expect(later.keys.contains(old))
        #expect(later.sealing(at: Self.start + 5 * Self.hour).begins == Self.start + 5 * Self.hour)
        let muchLater = fresh.renewed(at: Self.start + 50 * Self.hour)
        #expect(muchLater.keys.count == 2 && !muchLater.keys.contains(old))
        // A clock that was set back by a day, or a file that says anything.
        let before = fresh.renewed(at: Self.start - 24 * Self.hour)
        #expect(before.keys.count == 2 && !before.keys.contains(old))
        for life in [1, 2, 12, 604_800] {
            let keys = TicketKeys(lifeS: life, at: Self.start)
            #expect(keys.keys.count == 2 && keys.lookEveryS * 2 <= keys.periodS)
        }
    }

    @Test func `keys are read as they were written, and nothing else`() {
        let keys = kept(until: 3)
        #expect(TicketKeys(lifeS: 43_200, decoding: keys.encoded) == keys)
        #expect(TicketKeys(lifeS: 43_200, decoding: []) == nil)
        #expect(TicketKeys(lifeS: 43_200, decoding: keys.encoded.dropLast()) == nil)
        #expect(TicketKeys(lifeS: 43_200, decoding: Array(keys.encoded.reversed())) == nil)
        let ends = [Int64.min, Int64.max].flatMap {
            withUnsafeBytes(of: $0.bigEndian) { Array($0) } + fresh.encoded[8..<88]
        }
        #expect(TicketKeys(lifeS: 43_200, decoding: ends)?.renewed(at: Self.start).keys.count == 2)
    }

    /// A server as a hub's worker has it, and how many WebSockets were opened on a resumed session.
    private func server(_ loop: EventLoop, _ certificate: TestCertificate, _ tickets: TicketKeys?) throws -> (
        WebSocketServer, url: String
    ) {
        let server = try WebSocketServer(loop: loop, tls: certificate.files, tickets: tickets)
        return (server, "wss://localhost:\(try server.listen(host: "127.0.0.1", port: 0))/v1/connect")
    }

    /// Opens one connection after the other, each with the session of the one before, and answers which were resumed.
    private func visit(
        _ loop: EventLoop, _ client: WebSocketClient, _ urls: [String], with session: TLSSession? = nil,
        then: @escaping ([Bool], TLSSession?) -> Void
    ) {
        guard let url = urls.first else { return then([], session) }
        client.onOpen = { [unowned client] id in
            let isResumed = client.isResumed(id)
            // The ticket comes with the answer, or before it.
            let session = client.session(id)
            client.abort(id)
            self.visit(loop, client, Array(urls.dropFirst()), with: session) { then([isResumed] + $0, $1) }
        }
        #expect(throws: Never.self) { try client.connect(url: url, resuming: session) }
    }

    @Test func `a session is resumed at whoever has the keys, and begins anew elsewhere`() throws {
        guard let certificate = try TestCertificate() else { return try #require(Bool(true), "no openssl command") }
        let now = Int64(time(nil))
        let keys = TicketKeys(lifeS: 3_600, at: now)
        let read = try #require(TicketKeys(lifeS: 3_600, decoding: keys.encoded))
        try onLoop { loop in
            let (first, a) = try server(loop, certificate, keys)
            let (second, b) = try server(loop, certificate, read)
            let (stranger, other) = try server(loop, certificate, TicketKeys(lifeS: 3_600, at: now))
            let (none, never) = try server(loop, certificate, nil)
            let client = try WebSocketClient(loop: loop, trust: .file(certificate.files.certificate))
            // The ticket of the stranger is none to the first; a server without keys gives none.
            visit(loop, client, [a, b, a, other, a, never, a]) { resumed, _ in
                #expect(resumed == [false, true, true, false, false, false, false])
                #expect(first.counters.opened == 4 && first.counters.resumedTLS == 1)
                #expect(second.counters.resumedTLS == 1 && stranger.counters.resumedTLS == 0)
                client.shutdown()
                first.shutdown { second.shutdown { stranger.shutdown { none.shutdown { loop.stop() } } } }
            }
        }
    }

    @Test func `a ticket of the last key is good, one of a key that was forgotten begins anew`() throws {
        guard let certificate = try TestCertificate() else { return try #require(Bool(true), "no openssl command") }
        let now = Int64(time(nil))
        // One sealed until a moment ago, the other seals now.
        let both = TicketKeys(lifeS: 43_200, at: now - 3_700)
        let old = try #require(TicketKeys(lifeS: 43_200, decoding: Array(both.encoded.prefix(88))))
        let new = try #require(TicketKeys(lifeS: 43_200, decoding: Array(both.encoded.suffix(88))))
        try onLoop { loop in
            let (server, url) = try server(loop, certificate, old)
            let client = try WebSocketClient(loop: loop, trust: .file(certificate.files.certificate))
            visit(loop, client, [url]) { _, session in
                server.renewTickets(both)
                self.visit(loop, client, [url, url], with: session) { resumed, _ in
                    #expect(resumed == [true, true])
                    server.renewTickets(new)
                    self.visit(loop, client, [url, url], with: session) { resumed, _ in
                        #expect(resumed == [false, true])
                        client.shutdown()
                        server.shutdown { loop.stop() }
                    }
                }
            }
        }
    }

    @Test func `sessions outlive a new certificate`() throws {
        guard let first = try TestCertificate(), let second = try TestCertificate() else {
            return try #require(Bool(true), "no openssl command")
        }
        try onLoop { loop in
            let (server, url) = try server(loop, first, TicketKeys(lifeS: 3_600, at: Int64(time(nil))))
            let client = try WebSocketClient(loop: loop, trust: .anything)
            visit(loop, client, [url]) { _, session in
                for (new, old) in [
                    (second.files.certificate, first.files.certificate), (second.files.key, first.files.key),
                ] {
                    try? Data(contentsOf: URL(fileURLWithPath: new)).write(to: URL(fileURLWithPath: old))
                }
                #expect(throws: Never.self) { try server.reloadCertificate() }
                self.visit(loop, client, [url, url], with: session) { resumed, _ in
                    #expect(resumed == [true, true])
                    // One that begins with the new certificate, which is another SSL_CTX.
                    self.visit(loop, client, [url, url]) { resumed, _ in
                        #expect(resumed == [false, true])
                        client.shutdown()
                        server.shutdown { loop.stop() }
                    }
                }
            }
        }
    }
}
