import ArgumentParser
import EventLoop
import Glibc
import Hub
import Settings
import WebSocketServer

struct Serve: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Runs the hub: its Redis unless one is configured, and its workers.",
        discussion: "SIGTERM or Ctrl-C drains and stops; SIGHUP reloads zones, limits, keys and certificates.")

    @OptionGroup var options: ConfigOptions

    @Flag(help: .hidden)
    var endWithParent = false

    func run() throws {
        // It would end a hub that is about to start.
        LoopSignal.hold(SIGHUP)
        if endWithParent { ChildProcess.endWithParent() }
        let settings = try options.settings()
        let options = self.options
        let loop = try EventLoop()
        let supervisor = Supervisor(settings: settings, loop: loop) { try options.settings() }
        try supervisor.run()
    }
}

struct WorkerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "worker", abstract: "One worker of a hub; started by `serve`.", shouldDisplay: false)

    @Option var name: String
    @Option var number: Int
    @Option var data: String
    @Option var port: Int

    func run() throws { try WorkerRun.run(name: name, number: number, data: data, port: port) }
}

struct RecorderCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recorder", abstract: "Records what happens at a hub; started by `serve`.", shouldDisplay: false)

    @Option var name: String
    @Option var data: String

    func run() throws { try RecorderRun.run(name: name, data: data) }
}

struct PushSenderCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push-sender", abstract: "Sends a hub's pushes; started by `serve`.", shouldDisplay: false)

    @Option var name: String
    @Option var data: String

    func run() throws { try PushSenderRun.run(name: name, data: data) }
}

struct Echo: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serves the hub's transport as an echo server, for conformance suites.",
        discussion: "Any path and subprotocol; messages up to 16 MiB; Ctrl-C stops it.")

    @Option(help: "The TCP port on 127.0.0.1; 0 lets the system choose.")
    var port = 9001

    @Option(help: "PEM file of a certificate chain: serve TLS.")
    var certificate: String?

    @Option(help: "PEM file of its key.")
    var key: String?

    func run() throws {
        guard (certificate == nil) == (key == nil) else {
            throw ValidationError("--certificate and --key go together")
        }
        let tls = certificate.flatMap { certificate in key.map { TLSFiles(certificate: certificate, key: $0) } }
        let server = try EchoServer(loop: try EventLoop(), port: port, tls: tls)
        Terminal.line("echo on \(tls == nil ? "ws" : "wss")://127.0.0.1:\(server.port)/")
        server.run()
    }
}
