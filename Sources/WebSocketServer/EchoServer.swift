public import EventLoop

/// A server that sends every message back as it came: for conformance tests and for measuring a machine.
public struct EchoServer {
    private let loop: EventLoop
    private let server: WebSocketServer
    /// The port it listens on.
    public let port: Int

    /// - Parameter port: 0 for any that is free.
    /// - Throws: `ServerError` when it can't listen or the certificate is not good.
    public init(
        loop: EventLoop, host: String = "127.0.0.1", port: Int, limits: ServerLimits = .echo, tls: TLSFiles? = nil
    ) throws {
        let server = try WebSocketServer(loop: loop, limits: limits, tls: tls, path: nil)
        server.onMessage = { [unowned server] id, message, isText in
            server.send(id, isText ? .text(message) : .binary(message))
        }
        server.onHTTP = { _, answer in answer(.text(200, "This is an echo server: connect with a WebSocket.")) }
        self.port = try server.listen(host: host, port: port)
        self.loop = loop
        self.server = server
    }

    /// What it has done so far.
    public var counters: ServerCounters { server.counters }

    /// WebSockets that are open.
    public var connectionCount: Int { server.connectionCount }

    /// Serves on the calling thread until the loop is stopped.
    public func run() { loop.run() }

    /// Cuts all connections; `completion` is called on the loop when everything is freed.
    public func shutdown(_ completion: @escaping () -> Void) { server.shutdown(completion) }
}
