import EventLoop
import WebSocketServer
import Wire

/// The links of a benchmark: connects in a steady flow, greets the hub on each, and passes on what comes.
///
/// No reconnecting and no resuming: a link that is lost in a benchmark spoils it, and is counted.
///
/// Used on the loop's thread.
final class BenchClients {
    struct Client {
        var role: String
        var subject: String
        var link: ConnectionID?
        var isLive = false
        var nextID: Int64 = 2
    }

    private let links: WebSocketClient
    private let urls: [String]
    private let token: @Sendable (_ role: String, _ subject: String) -> String
    private var clientOfLink: [ConnectionID: Int] = [:]
    private(set) var clients: [Client] = []
    private(set) var liveCount = 0
    private(set) var lostCount = 0
    private(set) var failure = "no answer"
    /// The hub's time less this machine's monotonic time, ms, by the last hello.
    private(set) var hubOffsetMs: Int64 = 0
    /// A message to a client that has been greeted.
    var onMessage: (_ client: Int, ServerMessage) -> Void = { _, _ in }

    init(
        loop: EventLoop, urls: [String], trust: ClientTrust, token: @escaping @Sendable (String, String) -> String
    ) throws {
        links = try WebSocketClient(loop: loop, trust: trust)
        self.urls = urls
        self.token = token
        links.onOpen = { [unowned self] link in opened(link) }
        links.onMessage = { [unowned self] link, bytes, _ in received(link, bytes) }
        links.onClose = { [unowned self] link, code, reason in closed(link, code, reason) }
    }

    func connect(role: String, subject: String) throws {
        let index = clients.count
        let link = try links.connect(
            url: urls[index % urls.count], subprotocol: "kerbside.v1.json", bearer: token(role, subject),
            source: LoopbackSource.address(of: index, urls: urls)
        )
        clients.append(Client(role: role, subject: subject, link: link))
        clientOfLink[link] = index
    }

    /// Sends a command with an id that no other of this client has; returns the id.
    @discardableResult
    func send(_ client: Int, _ command: Command, key: String? = nil) -> Int64 {
        let id = clients[client].nextID
        clients[client].nextID += 1
        if let link = clients[client].link {
            links.send(link, text: ClientMessage(id: id, key: key, command: command).encoded())
        }
        return id
    }

    /// A position without an id: no answer comes.
    func sendPosition(_ client: Int, _ fix: PositionFix) {
        guard let link = clients[client].link else { return }
        links.send(link, text: ClientMessage(command: .position(fix)).encoded())
    }

    func closeAll() {
        for client in clients { if let link = client.link { links.close(link) } }
    }

    func shutdown() { links.shutdown() }

    private func opened(_ link: ConnectionID) {
        links.send(link, text: ClientMessage(id: 1, command: .hello(token: nil, resume: [])).encoded())
    }

    private func received(_ link: ConnectionID, _ bytes: UnsafeRawBufferPointer) {
        guard let index = clientOfLink[link], let message = try? decodeServer(bytes) else { return }
        switch message {
        case .reply(1, let ok):
            clients[index].isLive = true
            liveCount += 1
            if let time = ok.integer("time") { hubOffsetMs = time - Monotonic.milliseconds }
        case .error(1, let code, let detail, _): failure = "\(code.rawValue): \(detail)"
        default: onMessage(index, message)
        }
    }

    private func closed(_ link: ConnectionID, _ code: UInt16, _ reason: String) {
        guard let index = clientOfLink.removeValue(forKey: link) else { return }
        if clients[index].isLive { liveCount -= 1 }
        clients[index].isLive = false
        clients[index].link = nil
        lostCount += 1
        failure = "closed with \(code) \(reason)"
    }
}
