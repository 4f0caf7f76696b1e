import EventLoop
import Foundation
import TestSupport
import Testing
import WebSocketServer

@Suite(.serialized) struct TLSTests {
    @Test func `wss is spoken with who trusts the certificate, and with nobody else`() throws {
        guard let certificate = try TestCertificate() else { return try #require(Bool(true), "no openssl command") }
        try onLoop { loop in
            let pair = try Pair(loop, tls: certificate.files, trust: .file(certificate.files.certificate))
            let stranger = try WebSocketClient(loop: loop)
            var refusals: [String] = []
            stranger.onClose = { _, code, reason in refusals.append("\(code) \(reason)") }
            try stranger.connect(url: pair.url)
            pair.client.onOpen = { [unowned pair] id in
                for n in 0..<300 { pair.client.send(id, "\(n) " + String(repeating: "x", count: 1_000)) }
            }
            try pair.client.connect(url: pair.url)
            when(loop, { pair.clientMessages.count == 300 && refusals.count == 1 }) {
                #expect(pair.clientMessages[299].hasPrefix("text 299 x"))
                #expect(refusals[0].contains("self-signed"))
                pair.server.close(pair.opened[0], code: 4410, reason: "expired")
                when(loop, { !pair.clientCloses.isEmpty && pair.server.socketCount == 0 }) {
                    #expect(pair.clientCloses == ["4410 expired"])
                    stranger.shutdown()
                    pair.finish(loop)
                }
            }
        }
    }

    @Test func `C61: a reader under TLS that stands still gets all in the end, or a close frame`() throws {
        guard let certificate = try TestCertificate() else { return try #require(Bool(true), "no openssl command") }
        var limits = ServerLimits()
        limits.maxOutboundBytes = 1_000_000
        try onLoop { loop in
            let pair = try Pair(loop, limits: limits, tls: certificate.files, trust: .anything)
            let id = try pair.client.connect(url: pair.url)
            when(loop, { pair.opened.count == 1 }) {
                pair.client.setPaused(id, true)
                let text = String(repeating: "x", count: 700)
                var sent = 0
                func flood(until isEnough: @escaping () -> Bool, then: @escaping () -> Void) {
                    when(
                        loop,
                        {
                            for _ in 0..<20 where !isEnough() {
                                pair.server.send(pair.opened[0], .text("\(sent) \(text)"))
                                sent += 1
                            }
                            return isEnough()
                        }, then)
                }
                flood(until: { pair.server.bytesQueued > 500_000 }) {
                    // All of it waits here, none of it twice.
                    #expect(pair.server.bytesHeld >= pair.server.bytesQueued)
                    pair.client.setPaused(id, false)
                    when(loop, { pair.clientMessages.count == sent }) {
                        #expect(pair.clientMessages == (0..<sent).map { "text \($0) \(text)" })
                        #expect(pair.server.bytesHeld == 0)
                        pair.client.setPaused(id, true)
                        flood(until: { !pair.serverCloses.isEmpty || pair.server.counters.closedSlow > 0 }) {
                            pair.client.setPaused(id, false)
                            when(loop, { !pair.clientCloses.isEmpty }) {
                                #expect(pair.clientCloses[0].hasPrefix("4420 "))
                                #expect(pair.clientMessages.count < sent)
                                pair.finish(loop)
                            }
                        }
                    }
                }
            }
        }
    }

    @Test func `a new certificate is for new connections, a bad one is refused`() throws {
        guard let first = try TestCertificate(), let second = try TestCertificate() else {
            return try #require(Bool(true), "no openssl command")
        }
        let files = first.files
        let old = try String(contentsOfFile: files.certificate, encoding: .utf8)
        try onLoop { loop in
            let pair = try Pair(loop, tls: files, trust: .anything)
            let secondOnly = try WebSocketClient(loop: loop, trust: .file(second.files.certificate))
            var results: [String] = []
            secondOnly.onOpen = { _ in results.append("open") }
            secondOnly.onClose = { _, _, reason in results.append(reason) }
            let id = try pair.client.connect(url: pair.url)
            when(loop, { pair.opened.count == 1 }) {
                // A certificate that does not belong to the key.
                try? Data(contentsOf: URL(fileURLWithPath: second.files.certificate))
                    .write(to: URL(fileURLWithPath: files.certificate))
                #expect(throws: ServerError.self) { try pair.server.reloadCertificate() }
                #expect(throws: Never.self) { try secondOnly.connect(url: pair.url) }
                when(loop, { results.count == 1 }) {
                    #expect(results[0] != "open")
                    try? Data(contentsOf: URL(fileURLWithPath: second.files.key))
                        .write(to: URL(fileURLWithPath: files.key))
                    #expect(throws: Never.self) { try pair.server.reloadCertificate() }
                    #expect(throws: Never.self) { try secondOnly.connect(url: pair.url) }
                    pair.client.send(id, "still here")
                    when(loop, { results.count == 2 && pair.clientMessages.count == 1 }) {
                        #expect(results[1] == "open")
                        secondOnly.shutdown()
                        pair.finish(loop)
                    }
                }
            }
        }
        try old.write(toFile: files.certificate, atomically: true, encoding: .utf8)
    }

    @Test func `files that are missing, wrong, swapped or expired are named`() throws {
        guard let good = try TestCertificate(), let other = try TestCertificate(),
            let expired = try TestCertificate(days: 0)
        else { return try #require(Bool(true), "no openssl command") }
        let cases = [
            (TLSFiles(certificate: "/no/such.pem", key: good.files.key), "/no/such.pem"),
            (TLSFiles(certificate: good.files.key, key: good.files.key), "not a PEM certificate"),
            (TLSFiles(certificate: good.files.certificate, key: other.files.key), "private key"),
            (expired.files, "expired"),
        ]
        for (files, words) in cases {
            let error = #expect(throws: ServerError.self) { try files.check() }
            #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
        }
        #expect(throws: Never.self) { try good.files.check() }
    }

    @Test func `a certificate that has expired is served, and taken again`() throws {
        guard let expired = try TestCertificate(days: 0) else { return try #require(Bool(true), "no openssl command") }
        let validity = try expired.files.validity()
        #expect(validity.fault(at: validity.until) == "has expired")
        try onLoop { loop in
            let pair = try Pair(loop, tls: expired.files, trust: .anything)
            #expect(pair.server.certificateValidity == validity)
            #expect(throws: Never.self) { try pair.server.reloadCertificate() }
            try pair.client.connect(url: pair.url)
            when(loop, { pair.opened.count == 1 }) { pair.finish(loop) }
        }
    }

    @Test @concurrent func `who does not begin the TLS handshake in time is cut`() async throws {
        guard let certificate = try TestCertificate() else { return try #require(Bool(true), "no openssl command") }
        var limits = ServerLimits()
        limits.headerTimeoutMs = 500
        let thread = try LoopThread()
        defer { thread.stop() }
        let host = TestHost(loop: thread.loop)
        let port = try await host.start(limits: limits, tls: certificate.files)
        let silent = RawClient(port: port)
        let plain = RawClient(port: port)
        plain.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(!plain.read().contains("HTTP/1.1 200"))
        #expect(silent.read().isEmpty)
        #expect(await host.socketCount == 0)
        await host.stop()
    }

    @Test func `handshakes of an address beyond half of its limit wait for their turn`() throws {
        guard let certificate = try TestCertificate() else { return try #require(Bool(true), "no openssl command") }
        var limits = ServerLimits()
        limits.maxConnectionsPerAddress = 20
        try onLoop { loop in
            let pair = try Pair(loop, limits: limits, tls: certificate.files, trust: .anything)
            for _ in 0..<14 { try pair.client.connect(url: pair.url) }
            when(loop, { pair.opened.count >= 11 }) {
                #expect(pair.opened.count == 11)
                #expect(pair.server.socketCount == 14)
                when(loop, { pair.opened.count == 14 }) {
                    #expect(pair.clientCloses.isEmpty && pair.server.counters.refusedAddressLimit == 0)
                    pair.finish(loop)
                }
            }
        }
    }

    @Test func `who waits for its handshake and goes leaves its place at once`() throws {
        guard let certificate = try TestCertificate() else { return try #require(Bool(true), "no openssl command") }
        var limits = ServerLimits()
        limits.maxConnectionsPerAddress = 20
        try onLoop { loop in
            let pair = try Pair(loop, limits: limits, tls: certificate.files, trust: .anything)
            let ids = try (0..<18).map { _ in try pair.client.connect(url: pair.url) }
            when(loop, { pair.opened.count >= 11 && pair.server.socketCount == 18 }) {
                // The next one's turn comes first, and the others' by then would have been over for nothing.
                for id in ids.suffix(6) { pair.client.abort(id) }
                when(loop, { pair.opened.count >= 12 }) {
                    #expect(pair.opened.count == 12)
                    #expect(pair.server.socketCount == 12)
                    pair.finish(loop)
                }
            }
        }
    }

    /// A hello of TLS 1.2 without any wish, and nothing after it.
    static let hello: [UInt8] = {
        let extensions: [UInt8] =
            [0, 10, 0, 4, 0, 2, 0, 23]  // supported_groups: secp256r1
            + [0, 11, 0, 2, 1, 0]  // ec_point_formats: uncompressed
            + [0, 13, 0, 6, 0, 4, 4, 3, 8, 4]  // signature_algorithms: ECDSA and RSA-PSS with SHA-256
        let body: [UInt8] =
            [3, 3] + [UInt8](repeating: 7, count: 32) + [0]
            + [0, 4, 0xC0, 0x2B, 0xC0, 0x2F]  // ECDHE with ECDSA or RSA, AES-128-GCM
            + [1, 0] + [0, UInt8(extensions.count)] + extensions
        return [22, 3, 1, 0, UInt8(body.count + 4), 1, 0, 0, UInt8(body.count)] + body
    }()

    @Test func `of too many handshakes under way the oldest leave, and who goes on with its own is let in`() throws {
        guard let certificate = try TestCertificate() else { return try #require(Bool(true), "no openssl command") }
        var limits = ServerLimits()
        limits.maxHandshakes = 5
        limits.headerTimeoutMs = 60_000
        try onLoop { loop in
            let pair = try Pair(loop, limits: limits, tls: certificate.files, trust: .anything)
            let silent = (0..<12).map { _ in RawClient(port: pair.port) }
            for client in silent { client.send(Self.hello) }
            when(loop, { pair.server.counters.refusedFull == 7 }) {
                #expect(pair.server.socketCount == 5)
                #expect(throws: Never.self) { try pair.client.connect(url: pair.url) }
                when(loop, { pair.opened.count == 1 }) {
                    #expect(pair.server.counters.refusedFull == 8 && pair.server.socketCount == 5)
                    withExtendedLifetime(silent) { pair.finish(loop) }
                }
            }
        }
    }

    @Test @concurrent func `TLS 1_1 is refused, and HTTP 1_1 is agreed on instead of 2`() async throws {
        guard let certificate = try TestCertificate() else { return try #require(Bool(true), "no openssl command") }
        let thread = try LoopThread()
        defer { thread.stop() }
        let host = TestHost(loop: thread.loop)
        let port = try await host.start(tls: certificate.files)
        let arguments = ["s_client", "-connect", "127.0.0.1:\(port)"]
        let modern = try TestCertificate.openssl(arguments + ["-alpn", "h2,http/1.1", "-tls1_2"], input: "Q\n")
        #expect(modern?.output.contains("ALPN protocol: http/1.1") == true)
        let old = try TestCertificate.openssl(
            arguments + ["-tls1_1", "-cipher", "ALL:@SECLEVEL=0"], input: "Q\n")
        #expect(old?.output.contains("Cipher is (NONE)") == true)
        await host.stop()
    }
}
