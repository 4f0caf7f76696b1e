import ClientSupport
import Glibc
import WebSocketServer

/// Readers like those of a load, and a bare sender that sends to them what the hub sent. Used on the loop's thread.
final class FloorLoad {
    private let context: LoadContext
    private let links: LoadLinks
    private var isCounting = false
    private var latency = Latency()
    private static let warmUpSeconds = 0.5

    private init(_ context: LoadContext) throws(RunError) {
        self.context = context
        links = try LoadLinks(loop: context.loop, trust: .system)
        // Held until `shutdown`, as in other loads.
        links.onMessage = { _, payload in self.received(payload) }
    }

    /// The floor under what a hub has sent to so many sockets.
    ///
    /// - Parameters:
    ///   - burst: sends that the hub makes at once.
    ///   - server: the process whose cores the sender runs on; nil: it runs anywhere.
    static func measure(
        _ context: LoadContext, _ rate: SendRate, sockets: Int, burst: Int, seconds: Double = 5, server: ServerProcess?
    ) async throws(RunError) -> SendFloor {
        let load = try FloorLoad(context)
        defer { load.links.shutdown() }
        return try await load.perform(rate, sockets: sockets, burst: max(1, burst), seconds: seconds, server: server)
    }

    private func perform(
        _ rate: SendRate, sockets count: Int, burst: Int, seconds: Double, server: ServerProcess?
    ) async throws(RunError) -> SendFloor {
        // What the hub does about those who have left is not to be in it.
        await context.seconds(1)
        let sender = try BareSender()
        defer { sender.close() }
        for reader in 0..<count {
            let url = "ws://127.0.0.1:\(sender.port)/"
            links.add(LoadLinks.Client(url: url, source: LoopbackSource.address(of: reader, urls: [url])))
        }
        do {
            async let accepted = onOwnThread { try sender.accept(count) }
            try await context.connect(links, 0..<count)
            let sockets = try await accepted
            defer { for socket in sockets { close(socket) } }
            let send = { @Sendable (seconds: Double) in
                try await onOwnThread {
                    try sender.send(to: sockets, rate, burst: burst, seconds: seconds, likeProcess: server?.pid)
                }
            }
            _ = try await send(Self.warmUpSeconds)
            isCounting = true
            let used = try await send(seconds)
            isCounting = false
            return SendFloor(
                sockets: count, burst: burst, wanted: rate, sends: used.sends, seconds: used.seconds, cpu: used.cpu,
                latency: latency)
        } catch {
            throw error as? RunError ?? RunError("the floor can't be measured: \(error)")
        }
    }

    private func received(_ payload: UnsafeRawBufferPointer) {
        guard isCounting else { return }
        let arrivedUs = links.arrivedUs
        Stamp.scan(payload) { latency.record(arrivedUs - $0) }
    }
}
