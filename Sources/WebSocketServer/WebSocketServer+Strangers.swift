internal import CLibwebsockets
internal import EventLoop

/// What those whom nobody knows may have of a turn: who asks over HTTP, and WebSockets until `welcome`.
///
/// libwebsockets does not watch their sockets, but the crowd does, of which few are looked at in a turn. In its share of a turn a
/// socket is read once, at most `SocketContext.readBytes`, and what came is worked off in the next one: the kernel holds the rest,
/// and its sender waits.
extension WebSocketServer {
    /// Nanoseconds of one turn for requests and strangers. A usual request takes some 30 µs.
    private static let shareNs: UInt64 = 200_000
    /// Shares of one turn. So many sockets at most are read after it: 96 KiB, or as many ends, which takes the kernel and
    /// libwebsockets some 0.2 ms.
    private static let sharesPerTurn = 6
    /// Frames of a stranger in one share. A fragment without payload has six bytes, so that one read may hold 2,730.
    private static let framesPerShare = 64

    /// What this client sends is read as it comes from now on, as far as `inbound` goes, which it shares with others of its subject;
    /// and its messages may be as long as any. A guest makes room for others when the server is full, and is closed with 1013 then.
    public func welcome(_ id: ConnectionID, sharing inbound: InboundRate, asGuest: Bool = false) {
        guard let connection = connections[id] else { return }
        connection.isStranger = false
        countGuest(connection, asGuest)
        connection.inbound = inbound
        connection.frames.framesLeft = .max
        connection.frames.allow(messageBytes: rules.maxMessageBytes)
        countHeld(connection)
        let awaited = connection.awaited
        guard awaited == .more || awaited == .room, let socket = connection.socket else { return }
        stopWaiting(connection)
        goOnReading(connection)
        if awaited == .room { lws_callback_on_writable(socket) }
    }

    // MARK: Reading

    func pause(_ connection: Connection) {
        guard !connection.isPaused, let socket = connection.socket else { return }
        connection.isPaused = true
        lws_rx_flow_control(socket, 0)
    }

    func goOnReading(_ connection: Connection) {
        guard connection.isPaused, !connection.isLeaving, connection.awaited != .room, let socket = connection.socket
        else { return }
        connection.isPaused = false
        lws_rx_flow_control(socket, 1)
    }

    /// What strangers send next is read in their share, when there is something; the others' as it comes.
    func awaitMore(_ connection: Connection) {
        guard connection.isStranger || connection.phase != .open else { return goOnReading(connection) }
        guard connection.isPaused, connection.awaited == .nothing, let socket = connection.socket else { return }
        wait(for: .more, connection, socket)
    }

    /// Only while libwebsockets does not watch it.
    func wait(for awaited: Connection.Awaited, _ connection: Connection, _ socket: OpaquePointer) {
        let id = connection.id
        connection.awaited = awaited
        let watch = connection.watch ?? crowd.watch(lws_get_socket_fd(socket))
        connection.watch = watch
        watch.start(for: awaited == .room ? .writable : .readable) { [unowned self] _ in self.isReady(id) }
    }

    private func isReady(_ id: ConnectionID) {
        guard let connection = connections[id] else { return }
        connection.watch?.stop()
        guard connection.awaited == .more else {
            _ = writable(id)
            return
        }
        connection.awaited = .come
        resume(connection)
    }

    func stopWaiting(_ connection: Connection) {
        connection.watch?.close()
        connection.watch = nil
        connection.awaited = .nothing
    }

    /// In the line of those who have their share at the end of a turn.
    func resume(_ connection: Connection) {
        loop.wantAnotherTurn()
        guard !connection.isResuming else { return }
        connection.isResuming = true
        resuming.append(connection)
    }

    func waitForShare(_ connection: Connection) {
        pause(connection)
        resume(connection)
    }

    /// At the end of a turn: the next requests of those who have sent something and wait for no answer, and what strangers say.
    /// Nobody is while strangers have more than they may: with what OpenSSL keeps for those who leave.
    func readOn() {
        guard !resuming.isEmpty else { return }
        defer { if !resuming.isEmpty { loop.wantAnotherTurn() } }
        guard strangersBytes <= rules.maxStrangersBytes else { return }
        let end = EventLoop.currentTimeNs() + Self.shareNs
        for _ in 0..<Self.sharesPerTurn {
            guard let id = resuming.next() else { break }
            if let connection = connections[id] { takeShare(connection) }
            guard EventLoop.currentTimeNs() < end else { break }
        }
    }

    func takeShare(_ connection: Connection) {
        connection.isResuming = false
        guard !connection.isLeaving else { return }
        if let inbound = connection.inbound, inbound.isSpent(at: loop.now) {
            return holdBack(connection, isUnread: true)
        }
        guard connection.awaited != .come else {
            connection.awaited = .nothing
            return goOnReading(connection)
        }
        var needsMore = false
        if connection.phase != .http {
            readUnread(connection)
        } else if !connection.isAsking, connection.queuedBytes == 0 {
            needsMore = !readNext(connection)
        }
        countHeld(connection)
        // Requests that are there wait for the answer to the one before.
        guard connection.unread.isEmpty, needsMore || connection.http?.waitingBytes ?? 0 == 0 else { return }
        awaitMore(connection)
    }

    /// Messages as they come, as far as its subject's share of the turn goes; those of a stranger at the end of the turn.
    /// Always true: the socket is of use.
    func readMessages(_ connection: Connection, _ bytes: UnsafeMutableRawBufferPointer) -> Bool {
        var input = bytes
        if !connection.isStranger, connection.unread.isEmpty, mayHear(connection) {
            readFrames(connection, &input)
            guard !input.isEmpty else {
                countUnfinished(connection)
                return true
            }
        }
        connection.unread += input
        countHeld(connection)
        awaitTurn(connection)
        return true
    }

    /// After a read that waited for no share. A whole message leaves nothing: where nothing was held before, nothing is counted.
    func countUnfinished(_ connection: Connection) {
        if connection.frames.heldBytes != connection.unfinishedBytes { countHeld(connection) }
    }

    private func readUnread(_ connection: Connection) {
        guard connection.unread.isEmpty || mayHear(connection, isInLine: true) else { return awaitTurn(connection) }
        var bytes = connection.unread
        connection.unread = []
        guard !bytes.isEmpty, connection.phase == .open || connection.farewell == .peer else { return }
        connection.frames.framesLeft = connection.isStranger ? Self.framesPerShare : .max
        let left = bytes.withUnsafeMutableBytes { bytes in
            var input = bytes
            readFrames(connection, &input)
            return input.count
        }
        guard left > 0, connection.socket != nil else { return }
        bytes.removeFirst(bytes.count - left)
        connection.unread = bytes
        awaitTurn(connection)
    }
}
