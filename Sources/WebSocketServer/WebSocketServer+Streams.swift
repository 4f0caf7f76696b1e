internal import CLibwebsockets
internal import EventLoop
internal import Glibc

/// Server-sent events in place of a WebSocket, where a network lets none through (WHATWG HTML, 9.2). To its owner such a connection is as any
/// other: it opens, says messages, is sent frames, and closes. What its client says comes with the request that opens it, and by others
/// (`hear`); frames go out as events of an answer that ends with the connection.
extension WebSocketServer {
    /// Whether the connection is such a stream.
    public func isStream(_ id: ConnectionID) -> Bool { connections[id]?.isStream ?? false }

    /// A message of a stream's client that came by another request. False: there is no such stream.
    public func hear(_ id: ConnectionID, _ message: [UInt8]) -> Bool {
        guard let connection = connections[id], connection.phase == .open, connection.isStream else { return false }
        tell(connection, message)
        return true
    }

    /// In place of an answer with a length.
    func openStream(_ connection: Connection, _ request: HTTPRequest, _ response: HTTPResponse, _ messages: [[UInt8]]) {
        connection.isStream = true
        connection.lastPing = now
        let id = connection.id
        begin(connection, request, response.head(keepsAlive: false, unixTime: unixTime), nil)
        // It says nothing more over it, but may end it. Of a stranger that is awaited in the crowd, as it was while the request waited.
        if !connection.isStranger { stopWaiting(connection) }
        awaitMore(connection)
        for message in messages {
            if let connection = connections[id], connection.phase == .open { tell(connection, message) }
        }
    }

    private func tell(_ connection: Connection, _ message: [UInt8]) {
        guard message.count <= (connection.isStranger ? rules.maxStrangerMessageBytes : rules.maxMessageBytes) else {
            return close(connection.id, code: FrameFailure.tooLong.closeCode, reason: FrameFailure.tooLong.reason)
        }
        counts.messagesIn += 1
        if connection.isGuest { connection.lastPiece = now }
        message.withUnsafeBytes { onMessage(connection.id, $0, true) }
    }

    /// A frame as an event: a text message's payload as its data, a close frame as `close` with code and reason, a ping as a comment; a
    /// pong is nothing. JSON has line ends between its parts only, where a space says the same.
    func event(of frame: [UInt8]) -> [UInt8] {
        if let last = lastEvent, last.frame == frame { return last.event }
        let event = Self.event(frame)
        lastEvent = (frame, event)
        return event
    }

    static func event(_ frame: [UInt8]) -> [UInt8] {
        guard let first = frame.first, frame.count > 1, let opcode = Opcode(rawValue: first & 0x0F) else {
            return frame
        }
        let payload = frame.dropFirst(frame[1] < 126 ? 2 : frame[1] == 126 ? 4 : 10)
        switch opcode {
        case .ping: return Array(":\n\n".utf8)
        case .pong, .continuation, .binary: return []
        case .close:
            let code =
                payload.count >= 2 ? Int(payload[payload.startIndex]) << 8 | Int(payload[payload.startIndex + 1]) : 1005
            return Array("event: close\ndata: \(code) ".utf8) + payload.dropFirst(2) + Array("\n\n".utf8)
        case .text:
            var event = Array("data: ".utf8)
            event.reserveCapacity(payload.count + 8)
            for byte in payload { event.append(byte == 10 || byte == 13 ? 32 : byte) }
            return event + [10, 10]
        }
    }

    // MARK: Liveness

    /// A stream's client never answers, but its system says what it has taken: it was there when that came last.
    func listen(to connection: Connection) {
        guard connection.isStream, let socket = connection.socket else { return }
        var info = tcp_info()
        var size = socklen_t(MemoryLayout<tcp_info>.size)
        guard getsockopt(lws_get_socket_fd(socket), Int32(IPPROTO_TCP), TCP_INFO, &info, &size) == 0 else { return }
        connection.lastHeard = max(connection.lastHeard, now - min(now, UInt64(info.tcpi_last_ack_recv)))
    }
}
