import ClientSupport
import EventLoop
import WebSocketServer
import Wire

/// The connections of a load: opens them, greets a hub on each if it is one, and passes on whole messages as bytes, unread.
///
/// No reconnecting by itself: a link that is lost in a benchmark spoils it, and is counted. Clients are numbered from 0 in the
/// order in which they were added. Used on the loop's thread.
final class LoadLinks {
    /// How one connection is opened.
    struct Client {
        var url: String
        var subprotocol: String?
        var bearer: String?
        /// The hub's greeting is awaited before the client is live.
        var hello: [UInt8]?
        /// Where it comes from; nil: the system chooses.
        var source: String?
    }

    private let sockets: WebSocketClient
    private var clients: [Client] = []
    private var links: [ConnectionID?] = []
    private var isLive: [Bool] = []
    /// By client: the session of TLS of a link that was cut, which the next one resumes, as a phone does.
    private var sessions: [TLSSession?] = []
    /// By the connection's slot.
    private var clientOfSlot: [Int32] = []
    /// The last one that a message came from: what is read in one go needs one look-up.
    private var hotLink: ConnectionID?
    private var hotClient = 0

    /// Greeted, or open where nobody greets.
    private(set) var liveCount = 0
    /// Connecting or greeting.
    private(set) var pendingCount = 0
    /// Ended by the server, or never opened.
    private(set) var lostCount = 0
    private(set) var failure = "no answer"
    /// Links that resumed a session of TLS.
    private(set) var resumedCount = 0
    /// Unix time less monotonic time.
    private let unixOffsetUs = Monotonic.unixOffset
    /// The hub's time less this machine's monotonic time, ms: of all greetings the one that took least time.
    private(set) var hubOffsetMs: Int64 = 0

    var onLive: (Int) -> Void = { _ in }
    /// A link was lost.
    var onEnd: (Int) -> Void = { _ in }
    /// Everything but the answer to the greeting. The bytes are valid during the call only.
    var onMessage: (Int, UnsafeRawBufferPointer) -> Void = { _, _ in }

    init(loop: EventLoop, trust: ClientTrust) throws(RunError) {
        do {
            sockets = try WebSocketClient(loop: loop, trust: trust)
        } catch {
            throw RunError("the clients cannot be set up: \(error)")
        }
        sockets.stampsArrivals = true
        sockets.onOpen = { [unowned self] link in opened(link) }
        // Not unowned, which would retain and release for each message; `shutdown` ends the cycle.
        sockets.onMessage = { link, payload, _ in self.received(link, payload) }
        sockets.onClose = { [unowned self] link, code, reason in closed(link, code, reason) }
    }

    var count: Int { clients.count }

    func live(_ client: Int) -> Bool { isLive[client] }

    /// When what `onMessage` is called with arrived in the kernel, monotonic microseconds: how long these clients took to read
    /// it is not in it. Now, under TLS.
    @inline(__always)
    var arrivedUs: Int64 {
        let arrivedAt = sockets.arrivedAt
        return arrivedAt == 0 ? Monotonic.microseconds : arrivedAt / 1000 - unixOffsetUs
    }

    /// Unix ms by the hub's clock, of microseconds by this machine's.
    func hubMs(_ monotonicUs: Int64) -> Int64 { monotonicUs / 1000 + hubOffsetMs }

    /// A new client; nothing is opened yet.
    @discardableResult
    func add(_ client: Client) -> Int {
        clients.append(client)
        links.append(nil)
        isLive.append(false)
        sessions.append(nil)
        return clients.count - 1
    }

    func open(_ client: Int) throws(RunError) {
        let how = clients[client]
        do {
            let link = try sockets.connect(
                url: how.url, subprotocol: how.subprotocol, bearer: how.bearer, source: how.source,
                resuming: sessions[client])
            links[client] = link
            let slot = Self.slot(link)
            while clientOfSlot.count <= slot { clientOfSlot.append(-1) }
            clientOfSlot[slot] = Int32(client)
            pendingCount += 1
        } catch {
            throw RunError("connection \(client) cannot be opened: \(error)")
        }
    }

    /// Opens it again, with another greeting.
    func reopen(_ client: Int, hello: [UInt8]) throws(RunError) {
        clients[client].hello = hello
        try open(client)
    }

    func send(_ client: Int, text: [UInt8]) {
        if let link = links[client] { sockets.send(link, text: text) }
    }

    /// Writes what was sent. Else that waits until all that can be read has been read, and a load would be late by that.
    func flush() { sockets.flush() }

    /// Bytes that wait to be written there.
    func bytesQueued(_ client: Int) -> Int { links[client].map { sockets.bytesQueued($0) } ?? 0 }

    func send(_ client: Int, binary: [UInt8]) {
        if let link = links[client] { sockets.send(link, binary: binary) }
    }

    /// Cuts the link as a lost one is; not counted as lost.
    func cut(_ client: Int) {
        guard let link = links[client] else { return }
        sessions[client] = sockets.session(link)
        forget(client, link)
        sockets.abort(link)
    }

    func closeAll() {
        for link in links { if let link { sockets.close(link) } }
    }

    /// Must be called: it also lets go of those who are called back.
    func shutdown() {
        sockets.shutdown()
        sockets.onMessage = { _, _, _ in }
        onMessage = { _, _ in }
    }

    // MARK: What comes

    private func opened(_ link: ConnectionID) {
        guard let client = client(of: link) else { return }
        if sockets.isResumed(link) { resumedCount += 1 }
        if let hello = clients[client].hello {
            sockets.send(link, text: hello)
        } else {
            becomeLive(client)
        }
    }

    private func received(_ link: ConnectionID, _ payload: UnsafeRawBufferPointer) {
        if link != hotLink {
            guard let client = client(of: link) else { return }
            if !isLive[client], greeted(client, payload) { return }
            (hotLink, hotClient) = (link, client)
        }
        onMessage(hotClient, payload)
    }

    /// Whether it was the answer to the greeting.
    private func greeted(_ client: Int, _ payload: UnsafeRawBufferPointer) -> Bool {
        guard payload.starts(with: Self.helloReply), let message = try? decodeServer(payload) else { return false }
        switch message {
        case .reply(1, let ok):
            if let time = ok.integer("time") { hubOffsetMs = max(hubOffsetMs, time - Monotonic.milliseconds) }
            becomeLive(client)
            return true
        case .error(1, let code, let detail, _):
            failure = "\(code.rawValue): \(detail)"
            return true
        default: return false
        }
    }

    private func becomeLive(_ client: Int) {
        isLive[client] = true
        liveCount += 1
        pendingCount -= 1
        onLive(client)
    }

    private func closed(_ link: ConnectionID, _ code: UInt16, _ reason: String) {
        guard let client = client(of: link) else { return }
        forget(client, link)
        lostCount += 1
        failure = "closed with \(code) \(reason)"
        onEnd(client)
    }

    private func forget(_ client: Int, _ link: ConnectionID) {
        if isLive[client] { liveCount -= 1 } else { pendingCount -= 1 }
        isLive[client] = false
        links[client] = nil
        hotLink = nil
    }

    private func client(of link: ConnectionID) -> Int? {
        let slot = Self.slot(link)
        guard slot < clientOfSlot.count, clientOfSlot[slot] >= 0 else { return nil }
        let client = Int(clientOfSlot[slot])
        return links[client] == link ? client : nil
    }

    private static func slot(_ link: ConnectionID) -> Int { Int(truncatingIfNeeded: link.rawValue & 0xFFFF_FFFF) }

    private static let helloReply = Array(#"{"id":1,"#.utf8)
}
