internal import EventLoop

extension WebSocketClient {
    /// The descriptor of a connection is ready for something.
    func ready(_ id: ConnectionID, _ events: LoopPoll.Events) {
        guard let connection = connections[id] else { return }
        switch connection.phase {
        case .connecting:
            if let error = connection.socket.connectError() { return end(connection, 1006, error) }
            if connection.url.isSecure {
                connection.socket.startTLS(tls, host: connection.url.host, resuming: connection.session)
                connection.session = nil
                connection.phase = .securing
                secure(connection)
            } else {
                connection.phase = .upgrading
                write(connection)
            }
        case .securing: secure(connection)
        case .upgrading, .open, .closing:
            if events.contains(.writable) { write(connection) }
            if events.contains(.readable) { read(connection) }
        case .ended: break
        }
    }

    /// Writes what waits for the end of the turn now.
    public func flush() {
        let writing = dirty
        dirty.removeAll(keepingCapacity: true)
        for id in writing {
            guard let connection = connections[id] else { continue }
            connection.isDirty = false
            write(connection)
        }
    }

    func endTurn() {
        flush()
        while !untoldCloses.isEmpty {
            let closes = untoldCloses
            untoldCloses = []
            for (id, code, reason) in closes { onClose(id, code, reason) }
        }
    }

    func send(_ id: ConnectionID, _ opcode: Opcode, _ payload: UnsafeRawBufferPointer) -> Bool {
        guard let connection = connections[id], connection.phase == .open else { return false }
        append(connection, opcode, payload)
        return true
    }

    /// Adds a masked frame to what goes out at the end of the turn.
    func append(_ connection: ClientConnection, _ opcode: Opcode, _ payload: UnsafeRawBufferPointer) {
        let start = connection.outbound.count
        let room = 14 + payload.count
        connection.outbound.reserveCapacity(start + room)
        withUnsafeTemporaryAllocation(byteCount: 14, alignment: 8) { header in
            let size = FrameHeader.write(
                opcode, payloadCount: payload.count, isMasked: true, to: header.baseAddress!)
            let key = random.next()
            header.storeBytes(of: key, toByteOffset: size, as: UInt32.self)
            connection.outbound.append(contentsOf: header.prefix(size + 4))
            connection.outbound.append(contentsOf: payload)
            connection.outbound.withUnsafeMutableBytes { bytes in
                var masking = MaskingKey(key)
                masking.apply(UnsafeMutableRawBufferPointer(rebasing: bytes[(start + size + 4)...]))
            }
        }
        guard !connection.isDirty else { return }
        connection.isDirty = true
        if dirty.isEmpty { loop.wantAnotherTurn() }
        dirty.append(connection.id)
    }

    /// Sets the poll to what the connection waits for.
    func watch(_ connection: ClientConnection) {
        guard connection.phase != .ended else { return }
        var events: LoopPoll.Events = .readable
        if connection.phase == .connecting || connection.tlsWantsRoom { events.insert(.writable) }
        if connection.phase != .securing, !connection.outbound.isEmpty { events.insert(.writable) }
        guard events != connection.watched else { return }
        connection.watched = events
        connection.poll.change(to: events)
    }

    // MARK: Phases

    private func secure(_ connection: ClientConnection) {
        switch connection.socket.handshake() {
        case .bytes:
            connection.tlsWantsRoom = false
            connection.phase = .upgrading
            write(connection)
        case .wait(let forWriting):
            connection.tlsWantsRoom = forWriting
            watch(connection)
        case .ended(let reason): end(connection, 1006, reason ?? "the server hung up during the TLS handshake")
        }
    }

    private func write(_ connection: ClientConnection) {
        guard connection.phase != .connecting, connection.phase != .securing else { return }
        while connection.written < connection.outbound.count {
            let outcome = connection.outbound.withUnsafeBytes {
                connection.socket.write(UnsafeRawBufferPointer(rebasing: $0[connection.written...]))
            }
            switch outcome {
            case .bytes(let count): connection.written += count
            case .wait: return watch(connection)
            case .ended(let reason): return end(connection, 1006, reason ?? "the server hung up")
            }
        }
        connection.outbound = []
        connection.written = 0
        watch(connection)
    }

    private func read(_ connection: ClientConnection) {
        repeat {
            switch stampsArrivals
                ? connection.socket.read(scratch, arrival: &arrivedAt) : connection.socket.read(scratch)
            {
            case .bytes(let count):
                let bytes = UnsafeMutableRawBufferPointer(rebasing: scratch.prefix(count))
                if connection.phase == .upgrading {
                    upgrade(connection, bytes)
                } else {
                    readFrames(connection, bytes)
                }
            case .wait: return
            case .ended(let reason):
                return end(connection, 1006, reason ?? "the server ended the stream without a close frame")
            }
        } while connection.phase != .ended && connection.socket.hasPending
    }

    /// Collects the answer's head, and what came with it.
    private func upgrade(_ connection: ClientConnection, _ bytes: UnsafeMutableRawBufferPointer) {
        connection.head.append(contentsOf: bytes)
        let text = String(decoding: connection.head, as: UTF8.self)
        guard let end = connection.head.firstEnd(of: [13, 10, 13, 10]) else {
            if connection.head.count > 65_536 { self.end(connection, 1006, "the answer has no end") }
            return
        }
        guard text.hasPrefix("HTTP/1.1 101 "), text.contains(": \(connection.accept)\r\n") else {
            let status = text.dropFirst(9).prefix(3)
            let body = String(decoding: connection.head[end...].prefix(200), as: UTF8.self)
            return self.end(connection, 1006, "HTTP \(status): \(body)")
        }
        var rest = Array(connection.head[end...])
        connection.head = []
        connection.phase = .open
        opened(connection)
        if !rest.isEmpty { rest.withUnsafeMutableBytes { readFrames(connection, $0) } }
    }

    private func readFrames(_ connection: ClientConnection, _ bytes: UnsafeMutableRawBufferPointer) {
        var input = bytes
        // Read once: each message would retain and release it.
        let onMessage = onMessage
        let id = connection.id
        while connection.phase != .ended, let event = connection.frames.next(&input) {
            switch event {
            case .message(let message, let isText): onMessage(id, message, isText)
            case .ping(let payload):
                if answersPings, connection.phase == .open { append(connection, .pong, payload) }
                onPing(connection.id)
            case .pong: onPong(connection.id)
            case .close(let code, let reason):
                if connection.phase == .open {
                    // The answer: the code alone. Written at once, as nothing else is awaited.
                    let echo = code.map { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] } ?? []
                    echo.withUnsafeBytes { append(connection, .close, $0) }
                    write(connection)
                }
                end(connection, code ?? 1005, String(decoding: reason, as: UTF8.self))
            case .failure(let failure): end(connection, 1006, "the server's frames are wrong: \(failure.reason)")
            }
        }
    }
}

extension [UInt8] {
    /// The index after the first occurrence of `pattern`.
    fileprivate func firstEnd(of pattern: [UInt8]) -> Int? {
        guard count >= pattern.count else { return nil }
        for start in 0...(count - pattern.count) where self[start..<start + pattern.count].elementsEqual(pattern) {
            return start + pattern.count
        }
        return nil
    }
}
