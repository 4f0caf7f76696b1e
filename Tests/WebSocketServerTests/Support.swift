import EventLoop
import Foundation
import TestSupport
import Testing
import WebSocketServer

/// Runs a loop on this thread until `body`'s parts have called `loop.stop()`; fails when they do not.
func onLoop(_ body: (EventLoop) throws -> Void) throws {
    let loop = try EventLoop()
    let guardian = LoopTimer(loop)
    guardian.start(afterMs: 30_000) {
        Issue.record("nothing stopped the loop")
        loop.stop()
    }
    try body(loop)
    loop.run()
    guardian.close()
}

/// A server and a client on one loop, and what was heard of both.
final class Pair {
    let server: WebSocketServer
    let client: WebSocketClient
    let port: Int
    let url: String
    var opened: [ConnectionID] = []
    var infos: [WebSocketServer.OpenInfo] = []
    var serverCloses: [UInt16] = []
    var clientOpens = 0
    var clientMessages: [String] = []
    var clientCloses: [String] = []

    init(
        _ loop: EventLoop, limits: ServerLimits = ServerLimits(), subprotocols: [String] = [],
        origins: [String] = [], tls: TLSFiles? = nil, trust: ClientTrust = .system
    ) throws {
        server = try WebSocketServer(
            loop: loop, limits: limits, subprotocols: subprotocols, allowedOrigins: origins, tls: tls)
        port = try server.listen(host: "127.0.0.1", port: 0)
        url = tls == nil ? "ws://127.0.0.1:\(port)/v1/connect" : "wss://localhost:\(port)/v1/connect"
        client = try WebSocketClient(loop: loop, trust: trust)
        server.onOpen = { [unowned self] id, info in
            opened.append(id)
            infos.append(info)
        }
        server.onMessage = { [unowned server] id, bytes, isText in
            server.send(id, isText ? .text(bytes) : .binary(bytes))
        }
        server.onClose = { [unowned self] _, code, _ in serverCloses.append(code) }
        client.onOpen = { [unowned self] _ in clientOpens += 1 }
        client.onMessage = { [unowned self] _, bytes, isText in
            clientMessages.append((isText ? "text " : "binary ") + String(decoding: bytes, as: UTF8.self))
        }
        client.onClose = { [unowned self] _, code, reason in clientCloses.append("\(code) \(reason)") }
    }

    /// Ends the test: frees the server, then stops the loop.
    func finish(_ loop: EventLoop) {
        client.shutdown()
        server.shutdown { withExtendedLifetime(self) { loop.stop() } }
    }
}

/// The most sockets of a server that ended in one turn.
final class EndedPerTurn {
    private(set) var most = 0
    private var last = 0

    init(_ loop: EventLoop, _ server: WebSocketServer) {
        loop.atEndOfTurn {
            self.most = max(self.most, self.last - server.socketCount)
            self.last = server.socketCount
        }
    }
}

/// Calls `body` in every turn until it is true, then `done`.
func when(_ loop: EventLoop, _ condition: @escaping () -> Bool, _ done: @escaping () -> Void) {
    let timer = LoopTimer(loop)
    timer.start(afterMs: 1, repeatMs: 1) {
        guard condition() else { return }
        timer.close()
        done()
    }
}

/// A self-signed certificate for localhost, made by the openssl command into a new folder.
struct TestCertificate {
    let files: TLSFiles

    /// nil when there is no openssl command.
    init?(days: Int = 30, name: String = "localhost") throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("certificate-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        files = TLSFiles(
            certificate: folder.appendingPathComponent("certificate.pem").path,
            key: folder.appendingPathComponent("key.pem").path)
        let arguments = [
            "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "\(days)", "-subj", "/CN=\(name)", "-addext",
            "subjectAltName=DNS:\(name)", "-out", files.certificate, "-keyout", files.key,
        ]
        guard try Self.openssl(arguments)?.status == 0 else { return nil }
    }

    /// Runs the openssl command; nil when there is none.
    static func openssl(_ arguments: [String], input: String = "") throws -> (status: Int32, output: String)? {
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl") else { return nil }
        return try runToEnd("/usr/bin/openssl", arguments, input: input)
    }
}
