import ClientSupport
import EventLoop
import WebSocketServer
import Wire

/// Clients of a benchmark that read every message: a load's links with commands that have ids, and messages as values.
///
/// Used on the loop's thread.
final class BenchClients {
    struct Client {
        var role: String
        var subject: String
        var isLive = false
        var nextID: Int64 = 2
    }

    private let links: LoadLinks
    private let hub: HubClients
    private(set) var clients: [Client] = []
    /// A message to a client that has been greeted.
    var onMessage: (_ client: Int, ServerMessage) -> Void = { _, _ in }

    init(
        loop: EventLoop, urls: [String], trust: ClientTrust, token: @escaping @Sendable (String, String) -> String
    ) throws(RunError) {
        links = try LoadLinks(loop: loop, trust: trust)
        hub = HubClients(urls: urls, token: token)
        links.onLive = { [unowned self] client in clients[client].isLive = true }
        links.onEnd = { [unowned self] client in clients[client].isLive = false }
        links.onMessage = { [unowned self] client, payload in
            if let message = try? decodeServer(payload) { onMessage(client, message) }
        }
    }

    var liveCount: Int { links.liveCount }
    var lostCount: Int { links.lostCount }
    var failure: String { links.failure }
    /// The hub's time less this machine's monotonic time, ms.
    var hubOffsetMs: Int64 { links.hubOffsetMs }

    func connect(role: String, subject: String) throws(RunError) {
        clients.append(Client(role: role, subject: subject))
        try links.open(links.add(hub.client(links.count, role: role, subject: subject)))
    }

    /// Sends a command with an id that no other of this client has; returns the id.
    @discardableResult
    func send(_ client: Int, _ command: Command, key: String? = nil) -> Int64 {
        let id = clients[client].nextID
        clients[client].nextID += 1
        links.send(client, text: ClientMessage(id: id, key: key, command: command).encoded())
        return id
    }

    /// A position without an id: no answer comes.
    func sendPosition(_ client: Int, _ fix: PositionFix) {
        links.send(client, text: ClientMessage(command: .position(fix)).encoded())
    }

    func closeAll() { links.closeAll() }

    func shutdown() { links.shutdown() }
}
