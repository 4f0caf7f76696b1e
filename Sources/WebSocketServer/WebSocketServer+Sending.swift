internal import CLibwebsockets
internal import EventLoop
internal import Glibc

extension WebSocketServer {
    /// Queues a frame. All that is queued for a connection in one turn goes out in one write.
    ///
    /// `toMany`: the connection is one of many that are sent such frames at once. It stands in their line, and who is sent something of its
    /// own does not wait for them. `belowBytes`: so much may wait for its turn already; a reader that takes nothing is closed as too slow instead.
    @discardableResult
    public func send(_ id: ConnectionID, _ frame: Frame, toMany: Bool = false, belowBytes: Int = .max) -> SendResult {
        guard let connection = connections[id], connection.phase == .open else { return .gone }
        guard connection.queuedBytes < belowBytes || connection.isBehind else { return .waits }
        return queueFrame(connection, frame, toMany: toMany)
    }

    /// How long a frame that is not urgent waits for others at present.
    private var coalesceMs: UInt64 { UInt64(Double(rules.coalesceMs) * pace.share) }

    /// Queues a frame that is not urgent, as one of many: it goes out with the next write to this connection. The latter stands in line after
    /// `coalesceMs` at the latest, sooner at less than full load, and at once when `coalesceBytes` wait. The order of frames is kept: one that
    /// is sent takes along what waits. `belowBytes` as for `send`.
    @discardableResult
    public func sendSoon(_ id: ConnectionID, _ frame: Frame, belowBytes: Int = .max) -> SendResult {
        guard let connection = connections[id], connection.phase == .open else { return .gone }
        guard connection.queuedBytes < belowBytes || connection.isBehind else { return .waits }
        guard coalesceMs > 0 else { return queueFrame(connection, frame, toMany: true) }
        guard fits(connection, frame) else { return .overflow }
        enqueue(connection, bytes(of: frame, to: connection))
        if connection.queuedBytes >= rules.coalesceBytes, !connection.isBehind {
            markDirtyOfMany(connection)
        } else {
            wait(connection)
        }
        return .queued
    }

    /// Whether the system has taken all that was flushed to this connection so far, and no more than `muchQueued` waits for its turn or for
    /// `coalesceMs`: where those who are sent something are many, its turn may take a while to come. False for one that is not open.
    ///
    /// Who sends states only while this holds, and the newest state of each thing afterwards, never has more than one
    /// flush and some 100 KiB waiting for a reader that stands still.
    public func isCaughtUp(_ id: ConnectionID) -> Bool {
        guard let connection = connections[id], connection.phase == .open else { return false }
        return !connection.isBehind && connection.queuedBytes < Self.muchQueued
    }

    /// Bytes: as much as one write takes.
    static let muchQueued = SocketContext.scratchBytes

    /// What waits for this connection in the hub, bytes: up to `maxOutboundBytes`.
    public func waitingBytes(_ id: ConnectionID) -> Int { connections[id]?.queuedBytes ?? 0 }

    /// Sends a close frame after what is queued, and waits a moment for the peer's. `reason` is cut to 123 bytes.
    /// `onClose` comes at the end of the turn, with this code.
    public func close(_ id: ConnectionID, code: UInt16, reason: String = "") {
        guard let connection = connections[id], connection.phase == .open else { return }
        finish(connection, telling: code, sending: .close(code, reason), then: .peer)
    }

    /// Sets the silence after which the peer is pinged, and after which it counts as gone. Milliseconds; both are
    /// kept to a quarter of a second. One that has been silent is pinged at once, and has `deadAfterMs` from now on.
    public func setPing(_ id: ConnectionID, everyMs: UInt64, deadAfterMs: UInt64) {
        guard let connection = connections[id], connection.phase == .open else { return }
        change(connection, pingEveryMs: everyMs, deadAfterMs: deadAfterMs)
    }

    /// As it goes to this peer.
    private func bytes(of frame: Frame, to connection: Connection) -> [UInt8] {
        connection.isStream ? event(of: frame.bytes) : frame.bytes
    }

    @discardableResult
    func queueFrame(_ connection: Connection, _ frame: Frame, toMany: Bool = false) -> SendResult {
        guard fits(connection, frame) else { return .overflow }
        enqueue(connection, bytes(of: frame, to: connection))
        if toMany { markDirtyOfMany(connection) } else { markDirty(connection) }
        return .queued
    }

    /// Counts a frame that may be queued; closes a connection that has too much waiting. A frame that is larger than all that
    /// may wait goes alone: a reader that keeps up would otherwise be sent away for what it asked for, again and again.
    private func fits(_ connection: Connection, _ frame: Frame) -> Bool {
        guard connection.queuedBytes == 0 || connection.queuedBytes + frame.count <= rules.maxOutboundBytes else {
            overflow(connection)
            return false
        }
        counts.framesOut += 1
        return true
    }

    /// Queues bytes without a limit.
    func queue(_ connection: Connection, _ bytes: [UInt8]) {
        enqueue(connection, bytes)
        markDirty(connection)
    }

    private func enqueue(_ connection: Connection, _ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        connection.queuedBytes += bytes.count
        queuedBytes += bytes.count
        if connection.isBehind || runs.isLarge {
            leaveRun(connection)
            connection.outbound.append(bytes, &held)
        } else {
            connection.run = runs.extend(connection.run, by: bytes)
        }
    }

    /// Queues what is not to be put together with others, but goes out of its own memory: an answer and its body.
    func queue(_ connection: Connection, answer pieces: [UInt8]...) {
        leaveRun(connection)
        for bytes in pieces {
            connection.outbound.append(bytes, &held)
            connection.queuedBytes += bytes.count
            queuedBytes += bytes.count
        }
        connection.isBehind = true
        connection.lastTaken = now
        markDirty(connection)
    }

    /// Moves the frames of a connection's run to its own queue.
    func leaveRun(_ connection: Connection) {
        guard connection.run != FrameRuns.empty else { return }
        for bytes in runs.frames(of: connection.run) { connection.outbound.append(bytes, &held) }
        endRun(connection)
    }

    /// Its frames have gone out, or wait elsewhere, or the connection is gone.
    func endRun(_ connection: Connection) {
        guard connection.run != FrameRuns.empty else { return }
        connection.run = FrameRuns.empty
        runs.leave()
    }

    /// Has the connection flushed when the coalescing timer, one for all, next runs out.
    private func wait(_ connection: Connection) {
        guard !connection.isDirty, !connection.isDirtyOfMany, !connection.isWaiting else { return }
        connection.isWaiting = true
        if waiting.isEmpty, !isShutDown {
            coalesceTimer.start(afterMs: coalesceMs) { [unowned self] in self.flushWaiting() }
        }
        waiting.append(connection.id)
    }

    func flushWaiting() {
        for id in waiting {
            guard let connection = connections[id] else { continue }
            connection.isWaiting = false
            if connection.queuedBytes > 0 { markDirtyOfMany(connection) }
        }
        waiting.removeAll(keepingCapacity: true)
    }

    func markDirty(_ connection: Connection) {
        guard !connection.isDirty else { return }
        connection.isDirty = true
        if dirty.isEmpty { loop.wantAnotherTurn() }
        dirty.append(connection.id)
    }

    private func markDirtyOfMany(_ connection: Connection) {
        guard !connection.isDirty, !connection.isDirtyOfMany else { return }
        connection.isDirtyOfMany = true
        if dirtyOfMany.isEmpty { loop.wantAnotherTurn() }
        dirtyOfMany.append(connection.id)
    }

    /// A reader that is too slow: what waits is dropped, as it will ask for it again when it comes back. One that was not
    /// behind, but missed more than may wait at once, gets that much first: so each return brings it on.
    func overflow(_ connection: Connection) {
        counts.closedSlow += 1
        if connection.isBehind {
            let dropped = connection.outbound.dropWaiting(committed: connection.committed, &held)
            connection.queuedBytes -= dropped
            queuedBytes -= dropped
        }
        let code = rules.slowConsumerCode
        finish(
            connection, telling: code, sending: .close(code, "you read too slowly; reconnect and resume"), then: .end)
    }

    // MARK: Parting

    /// Ends an open connection: the owner is told at the end of the turn, the peer by a close frame.
    func finish(
        _ connection: Connection, telling code: UInt16, sending frame: Frame, then farewell: Connection.Farewell
    ) {
        connectionCount -= 1
        untoldCloses.append((connection.id, code, silence(of: connection)))
        counts.framesOut += 1
        queue(connection, bytes(of: frame, to: connection))
        part(connection, connection.isStream ? .end : farewell)
    }

    /// Lets the queue go out, and then the socket.
    func part(_ connection: Connection, _ farewell: Connection.Farewell) {
        connection.phase = .closing
        connection.farewell = farewell
        connection.http = nil
        if farewell == .end { connection.frames.end() }
        schedule(connection, afterMs: connection.answer == nil ? rules.closeTimeoutMs : rules.answerWindowMs)
        markDirty(connection)
        // Its end is awaited.
        if connection.isPaused { resume(connection) }
    }

    /// Cuts the socket. Not from one of its callbacks.
    func cut(_ connection: Connection) {
        stopWaiting(connection)
        guard let socket = connection.socket else { return closed(connection.id) }
        isCutting = true
        kb_kill(socket)
        isCutting = false
    }

    /// Cuts the socket of a peer that takes nothing, and with it what the kernel has not sent yet: it would keep that for minutes.
    func abandon(_ connection: Connection) {
        if let socket = connection.socket {
            var now = linger(l_onoff: 1, l_linger: 0)
            setsockopt(
                lws_get_socket_fd(socket), SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
        }
        cut(connection)
    }
}
