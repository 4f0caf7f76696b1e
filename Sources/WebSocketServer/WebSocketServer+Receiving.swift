internal import EventLoop

extension WebSocketServer {
    /// Bytes that are read of who is closing, so that our close frame is not lost in a reset. Who sends more does not listen.
    private static let mostThrownAway = 1 << 20

    func read(_ id: ConnectionID, _ bytes: UnsafeMutableRawBufferPointer) -> Bool {
        guard let connection = connections[id] else { return false }
        counts.bytesIn += bytes.count
        guard isWithinLimits(connection) else {
            counts.closedProtocol += 1
            return false
        }
        guard !connection.isLeaving else { return true }
        switch connection.phase {
        case .http:
            return readRequest(connection, UnsafeRawBufferPointer(bytes))
        case .open where connection.isStream:
            // Each piece costs a reading, however small it is.
            connection.thrownAway += max(bytes.count, SocketContext.readBytes)
            if connection.isStranger { waitForShare(connection) } else { countUnfinished(connection) }
            return connection.thrownAway <= Self.mostThrownAway
        case .open:
            connection.lastHeard = now
            return readMessages(connection, bytes)
        case .closing:
            connection.thrownAway += bytes.count
            guard connection.thrownAway <= Self.mostThrownAway else { return false }
            // Who is closing because the peer broke the protocol throws it away; else a close frame is awaited.
            guard connection.farewell != .peer else { return readMessages(connection, bytes) }
            waitForShare(connection)
            return true
        }
    }

    func closed(_ id: ConnectionID) {
        guard let connection = connections[id] else { return }
        if connection.phase == .open {
            connectionCount -= 1
            untoldCloses.append((id, 1006, silence(of: connection)))
        }
        queuedBytes -= connection.queuedBytes
        closings += connection.queuedBytes / Self.bytesAsClosing
        connection.outbound.removeAll(&held)
        endRun(connection)
        connection.committed = 0
        countCommitted(connection)
        let hadSocket = connection.socket != nil
        connection.socket = nil
        connection.descriptor = -1
        connection.unread = []
        countHeld(connection)
        connection.arrival?.close()
        connection.arrival = nil
        endHandshake(connection)
        stopWaiting(connection)
        wheel.cancel(id.rawValue)
        connections.remove(id)
        addresses.leave(connection.address)
        newcomers.trim(connection.address, isNewcomer: isNewcomer)
        if connection.isGuest { guests.trim(connection.address, isNewcomer: isGuest) }
        if hadSocket { countClosing() }
        loop.wantAnotherTurn()
    }

    // MARK: Frames

    /// Messages are limited by who reads them; control frames never get there. What they cost is counted with the frames of the read.
    private func isWithinControlRate(_ connection: Connection) -> Bool {
        let second = loop.now / 1000
        if connection.controlSecond != second {
            connection.controlSecond = second
            connection.controlFrames = 0
        }
        connection.controlFrames += 1
        guard connection.controlFrames > rules.controlFramesPerSecond else { return true }
        close(connection.id, code: rules.floodCode, reason: "too many pings")
        return false
    }

    /// Takes frames off the front of `input`: all, or of a stranger until a message was handled or its share has no more
    /// frames, and of others until their subject's share of the turn is over, or too much that it has asked for is under
    /// way. What comes after a hello that is welcome has its subject's share, too.
    func readFrames(_ connection: Connection, _ input: inout UnsafeMutableRawBufferPointer) {
        let left = connection.frames.framesLeft
        let wasStranger = connection.isStranger
        var controlPieces = 0
        var share = SubjectShare(connection.inbound, turn: turn)
        defer {
            share.finish()
            sendLatestPong(connection)
            countFrames(connection, left, controlPieces: controlPieces)
        }
        while let event = connection.frames.next(&input) {
            // While closing, only the peer's close frame and its mistakes count.
            let isOpen = connection.phase == .open
            switch event {
            case .message(let message, let isText):
                // What answers it comes after what answers the pings before it.
                sendLatestPong(connection)
                guard connection.phase == .open else { continue }
                counts.messagesIn += 1
                if connection.isGuest { connection.lastPiece = now }
                onMessage(connection.id, message, isText)
                if wasStranger || share.isOver() && connection.phase == .open { return }
            case .ping(let payload):
                guard isOpen else { continue }
                controlPieces += Self.piecesOfPing
                if isWithinControlRate(connection) { queuePong(connection, payload) }
            case .pong:
                guard isOpen else { continue }
                controlPieces += 1
                if isWithinControlRate(connection) { onPong(connection.id) }
            case .close(let code, _):
                guard isOpen else { return part(connection, .end) }
                finish(connection, telling: code ?? 1005, sending: .close(code), then: .end)
            case .failure(let failure):
                guard isOpen else { return part(connection, .end) }
                counts.closedProtocol += 1
                finish(
                    connection, telling: failure.closeCode, sending: .close(failure.closeCode, failure.reason),
                    then: .end)
            }
            if connection.phase == .closing && connection.farewell != .peer {
                input = UnsafeMutableRawBufferPointer(rebasing: input.suffix(0))
                return
            }
        }
    }
}
