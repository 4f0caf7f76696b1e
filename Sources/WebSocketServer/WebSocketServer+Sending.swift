internal import CLibwebsockets
internal import COpenSSL
internal import EventLoop
internal import Glibc

extension WebSocketServer {
    /// Queues a frame. All that is queued for a connection in one turn goes out in one write.
    @discardableResult
    public func send(_ id: ConnectionID, _ frame: Frame) -> SendResult {
        guard let connection = connections[id], connection.phase == .open else { return .gone }
        return queueFrame(connection, frame)
    }

    /// How long a frame that is not urgent waits for others at present.
    private var coalesceMs: UInt64 { UInt64(Double(rules.coalesceMs) * pace.share) }

    /// Queues a frame that is not urgent: it goes out with the next write to this connection, `coalesceMs` later at the
    /// latest and sooner at less than full load, or at the end of the turn in which `coalesceBytes` wait. The order of frames is kept: one that is sent takes along what waits.
    @discardableResult
    public func sendSoon(_ id: ConnectionID, _ frame: Frame) -> SendResult {
        guard let connection = connections[id], connection.phase == .open else { return .gone }
        guard coalesceMs > 0 else { return queueFrame(connection, frame) }
        guard fits(connection, frame) else { return .overflow }
        enqueue(connection, bytes(of: frame, to: connection))
        if connection.queuedBytes >= rules.coalesceBytes, !connection.isBehind {
            markDirty(connection)
        } else {
            wait(connection)
        }
        return .queued
    }

    /// Whether the system has taken all that was flushed to this connection so far. What waits for the end of this
    /// turn or for `coalesceMs` does not count. False for one that is not open.
    ///
    /// Who sends states only while this holds, and the newest state of each thing afterwards, never has more than one
    /// flush and some 100 KiB waiting for a reader that stands still.
    public func isCaughtUp(_ id: ConnectionID) -> Bool {
        guard let connection = connections[id], connection.phase == .open else { return false }
        return !connection.isBehind
    }

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
    func queueFrame(_ connection: Connection, _ frame: Frame) -> SendResult {
        guard fits(connection, frame) else { return .overflow }
        queue(connection, bytes(of: frame, to: connection))
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
        if connection.isBehind {
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
    private func leaveRun(_ connection: Connection) {
        guard connection.run != FrameRuns.empty else { return }
        for bytes in runs.frames(of: connection.run) { connection.outbound.append(bytes, &held) }
        connection.run = FrameRuns.empty
    }

    /// Has the connection flushed when the coalescing timer, one for all, next runs out.
    private func wait(_ connection: Connection) {
        guard !connection.isDirty, !connection.isWaiting else { return }
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
            if connection.queuedBytes > 0 { markDirty(connection) }
        }
        waiting.removeAll(keepingCapacity: true)
    }

    func markDirty(_ connection: Connection) {
        guard !connection.isDirty else { return }
        connection.isDirty = true
        if dirty.isEmpty { loop.wantAnotherTurn() }
        dirty.append(connection.id)
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

    // MARK: Flushing

    /// The end of a turn: the requests that came, one write for each connection that has something, and the closes that were
    /// held back.
    func endTurn() {
        readOn()
        endSome()
        swap(&dirty, &flushing)
        flush(flushing)
        flushing.removeAll(keepingCapacity: true)
        writeAnswers()
        endingsLeft = Self.endingsPerTurn * Self.endingCost
        if runs.isLarge {
            flush(waiting)
            for id in waiting { connections[id]?.isWaiting = false }
            waiting.removeAll(keepingCapacity: true)
            coalesceTimer.stop()
        }
        if waiting.isEmpty { runs.removeAll() }
        if held.count > rules.maxHeldBytes || !slowest.isEmpty { relieve() }
        tellCloses()
        letIn()
        putOffPartly()
        giveSomeBack()
    }

    private func flush(_ ids: [ConnectionID]) {
        for id in ids {
            guard let connection = connections[id] else { continue }
            connection.isDirty = false
            guard connection.answer == nil else {
                awaitShare(connection)
                continue
            }
            if !flush(connection) { cut(connection) }
        }
    }

    /// Answers, and what waited for room in the crowd, are written at the end of the turn, for so many bytes in all.
    private func awaitShare(_ connection: Connection) {
        guard !connection.isAnswering else { return }
        connection.isAnswering = true
        answering.append(connection)
    }

    private func writeAnswers() {
        guard !answering.isEmpty else { return }
        let end = counts.bytesOut + Self.answerBytes
        let until = EventLoop.currentTimeNs() + Self.answersNs
        while counts.bytesOut < end, endingsLeft > 0, EventLoop.currentTimeNs() < until, let id = answering.next() {
            guard let connection = connections[id] else { continue }
            connection.isAnswering = false
            guard !flush(connection) else { continue }
            endingsLeft -= Self.endingCost
            cut(connection)
        }
        if !answering.isEmpty { loop.wantAnotherTurn() }
    }

    func writable(_ id: ConnectionID) -> Bool {
        guard let connection = connections[id] else { return false }
        connection.isBlocked = false
        guard connection.answer == nil, connection.awaited != .room else {
            awaitShare(connection)
            return true
        }
        return flush(connection)
    }

    /// Writes once, as much as the scratch holds. False: the socket is of no more use.
    private func flush(_ connection: Connection) -> Bool {
        guard let socket = connection.socket, !connection.isBlocked else {
            leaveRun(connection)
            connection.isBehind = true
            return true
        }
        if connection.queuedBytes > 0 {
            counts.writes += 1
            guard let sent = writeWaiting(connection, socket) else { return false }
            countCommitted(connection)
            connection.queuedBytes -= sent
            queuedBytes -= sent
            counts.bytesOut += sent
            if sent > 0 || !connection.isBehind { connection.lastTaken = now }
            if sent > 0 { took(connection, sent) }
        }
        connection.isBehind = connection.queuedBytes > 0
        if !connection.isBehind {
            sendLatestPong(connection)
            stopAwaitingRoom(connection)
        }
        if connection.isBehind {
            awaitRoom(connection, socket)
        } else if connection.phase == .closing, connection.farewell == .end {
            shut(connection, socket)
        } else if connection.phase == .http {
            answerIsOut(connection)
        }
        return true
    }

    /// To a ping. To who has not taken what was sent before only the latest is answered (RFC 6455, 5.5.3): others' pings would
    /// fill the hub with pongs that nobody reads.
    func queuePong(_ connection: Connection, _ payload: UnsafeRawBufferPointer) {
        if connection.isBehind {
            connection.latestPong = .pong(payload)
        } else {
            queueFrame(connection, .pong(payload))
        }
    }

    private func sendLatestPong(_ connection: Connection) {
        guard let pong = connection.latestPong else { return }
        connection.latestPong = nil
        if connection.phase == .open { queueFrame(connection, pong) }
    }

    private func took(_ connection: Connection, _ count: Int) {
        if connection.answer != nil {
            connection.answer?.took(count)
        } else if connection.phase == .closing {
            // As long as a reader takes what is still to go out it is waited for.
            schedule(connection, afterMs: rules.closeTimeoutMs)
        }
    }

    /// Writes what waits, once, from the scratch, where it is put together; for many readers of the same frames it is there
    /// already. What the kernel does not take stays in the queue. Returns how much it took; nil: the socket is of no more use.
    private func writeWaiting(_ connection: Connection, _ socket: OpaquePointer) -> Int? {
        guard connection.outbound.isEmpty, connection.queuedBytes <= scratch.count else {
            leaveRun(connection)
            runs.forgetGathered()
            return connection.outbound.send(by: scratch, straight: Self.recordBytes, &held) {
                write(connection, socket, $0)
            }
        }
        let count = runs.gather(connection.run, into: scratch)
        guard let sent = write(connection, socket, UnsafeRawBufferPointer(rebasing: scratch[..<count])) else {
            return nil
        }
        if sent == count {
            connection.run = FrameRuns.empty
        } else {
            leaveRun(connection)
            connection.outbound.drop(first: sent, &held)
        }
        return sent
    }

    /// The payload of a TLS record.
    private static let recordBytes = 16_384

    /// Gives bytes to the kernel, under TLS record by record. Returns how many it took; nil: the socket is of no more use.
    private func write(_ connection: Connection, _ socket: OpaquePointer, _ bytes: UnsafeRawBufferPointer) -> Int? {
        guard connection.descriptor < 0, let ssl = lws_get_ssl(socket) else {
            let sent = Glibc.send(
                connection.descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            guard sent >= 0 || errno == EAGAIN || errno == EINTR else { return nil }
            connection.isBlocked = sent < bytes.count
            return max(sent, 0)
        }
        var sent = 0
        connection.committed = 0
        while sent < bytes.count {
            let count = min(bytes.count - sent, Self.recordBytes)
            ERR_clear_error()
            let written = SSL_write(ssl, bytes.baseAddress! + sent, Int32(count))
            guard written > 0 else {
                let reason = SSL_get_error(ssl, written)
                // Half a KeyUpdate, or one whose answer has no room, holds up reads and writes; nothing else leads there.
                // The kernel would call the socket ready at once, again and again.
                guard reason == SSL_ERROR_WANT_WRITE, SSL_is_init_finished(ssl) == 1 else { return nil }
                connection.isBlocked = true
                connection.committed = count
                break
            }
            sent += Int(written)
        }
        return sent
    }

    /// Ends our side of the stream. The socket lives until the peer has ended its own, so that unread bytes do not
    /// turn into a reset that swallows the close frame.
    private func shut(_ connection: Connection, _ socket: OpaquePointer) {
        connection.farewell = .shut
        connection.answer = nil
        if let ssl = lws_get_ssl(socket) { SSL_shutdown(ssl) }
        Glibc.shutdown(lws_get_socket_fd(socket), Int32(SHUT_WR))
        schedule(connection, afterMs: rules.closeTimeoutMs)
    }
}
