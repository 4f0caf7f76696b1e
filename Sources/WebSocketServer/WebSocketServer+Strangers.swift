internal import CLibwebsockets
internal import EventLoop

/// What those whom nobody knows may have of a turn: who asks over HTTP, and WebSockets until `welcome`.
///
/// A socket of theirs is read once, at most `SocketContext.readBytes`, and not again before what came has had its share of a turn:
/// the kernel holds the rest, and its sender waits.
extension WebSocketServer {
    /// Nanoseconds of one turn for requests and strangers. A usual request takes some 30 µs.
    private static let shareNs: UInt64 = 2_000_000
    /// Shares of one turn. So many sockets at most are read again after it: 1 MiB, which takes the kernel and libwebsockets
    /// some 0.5 ms.
    private static let sharesPerTurn = 64
    /// Frames of a stranger in one share. A fragment without payload has six bytes, so that one read may hold 2,730.
    private static let framesPerShare = 64

    /// What this client sends is read as it comes from now on, and its messages may be as long as any.
    public func welcome(_ id: ConnectionID) {
        guard let connection = connections[id] else { return }
        connection.isStranger = false
        connection.frames.framesLeft = .max
        connection.frames.allow(messageBytes: rules.maxMessageBytes)
        countHeld(connection)
    }

    // MARK: Reading

    func pause(_ connection: Connection) {
        guard !connection.isPaused, let socket = connection.socket else { return }
        connection.isPaused = true
        lws_rx_flow_control(socket, 0)
    }

    private func goOnReading(_ connection: Connection) {
        guard connection.isPaused, connection.outlet == nil, let socket = connection.socket else { return }
        connection.isPaused = false
        lws_rx_flow_control(socket, 1)
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
    /// While some have to leave nobody else is read.
    func readOn() {
        guard !resuming.isEmpty else { return }
        defer { if !resuming.isEmpty { loop.wantAnotherTurn() } }
        guard leaving.isEmpty else { return }
        let end = EventLoop.currentTimeNs() + Self.shareNs
        for _ in 0..<Self.sharesPerTurn {
            guard let id = resuming.next() else { break }
            if let connection = connections[id] { takeShare(connection) }
            guard EventLoop.currentTimeNs() < end else { break }
        }
    }

    private func takeShare(_ connection: Connection) {
        connection.isResuming = false
        var needsMore = false
        if connection.phase != .http {
            readUnread(connection)
        } else if !connection.isAsking, connection.queuedBytes == 0 {
            needsMore = !readNext(connection)
        }
        countHeld(connection)
        // Requests that are there wait for the answer to the one before.
        guard connection.unread.isEmpty, needsMore || connection.http?.waitingBytes ?? 0 == 0 else { return }
        goOnReading(connection)
    }

    /// Messages as they come; those of a stranger at the end of the turn. Always true: the socket is of use.
    func readMessages(_ connection: Connection, _ bytes: UnsafeMutableRawBufferPointer) -> Bool {
        guard connection.isStranger || !connection.unread.isEmpty else {
            var input = bytes
            readFrames(connection, &input)
            return true
        }
        connection.unread += bytes
        countHeld(connection)
        waitForShare(connection)
        return true
    }

    private func readUnread(_ connection: Connection) {
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
        resume(connection)
    }
}
