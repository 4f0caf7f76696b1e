internal import CLibwebsockets
internal import COpenSSL
internal import DequeModule
internal import EventLoop
internal import Glibc

/// What is written, and in which turn.
///
/// A write takes some 5 µs, under TLS 9 to 15, and an event of a line may be for thousands of readers. So the end of a turn writes to a share of
/// them, those first that came first, and what the others are sent in the meantime goes out with the same write. Who is sent something of
/// its own, such as a reply, stands in another line, which is shorter as a rule.
extension WebSocketServer {
    /// Writes in one turn, and nanoseconds, for each of the two lines.
    static let writesPerTurn = 64
    private static let writesNs: UInt64 = 500_000

    /// The end of a turn: the requests that came, messages that have waited, one write for each connection whose turn it is, and the closes that were held back.
    func endTurn() {
        readOn()
        readOnSubjects()
        turn &+= 1
        endSome()
        if runs.isLarge {
            flushWaiting()
            coalesceTimer.stop()
        }
        flushDirty()
        writeAnswers()
        endingsLeft = Self.otherEndings
        if runs.users == 0 { runs.removeAll() }
        relieve()
        tellCloses()
        letIn()
        putOffPartly()
        giveSomeBack()
    }

    /// What is left of a line's share of a turn. The clock costs a twentieth of a write, so it is looked at each 16 of them.
    private struct WriteShare {
        private static let writesPerLook = 16
        private let end: Int
        private let until = EventLoop.currentTimeNs() + writesNs
        private var next: Int

        init(_ writes: Int, most: Int) {
            end = writes + most
            next = writes + Self.writesPerLook
        }

        mutating func hasRoom(_ writes: Int) -> Bool {
            guard writes < end else { return false }
            guard writes >= next else { return true }
            next = writes + Self.writesPerLook
            return EventLoop.currentTimeNs() < until
        }
    }

    private func flushDirty() {
        var share = WriteShare(counts.writes, most: mostWrites)
        while share.hasRoom(counts.writes), let id = dirty.popFirst() {
            guard let connection = connections[id] else { continue }
            connection.isDirty = false
            guard connection.answer == nil else {
                awaitShare(connection)
                continue
            }
            if !flush(connection) { cut(connection) }
        }
        share = WriteShare(counts.writes, most: mostWrites)
        while share.hasRoom(counts.writes), let id = dirtyOfMany.popFirst() {
            guard let connection = connections[id] else { continue }
            connection.isDirtyOfMany = false
            // It is in the other line as well, or that has taken this along.
            guard !connection.isDirty, connection.queuedBytes > 0 else { continue }
            if !flush(connection) { cut(connection) }
        }
        if !dirty.isEmpty || !dirtyOfMany.isEmpty { loop.wantAnotherTurn() }
    }

    /// Before all are cut: one write for each connection whose turn has not come.
    func flushAll() {
        while let id = dirty.popFirst() ?? dirtyOfMany.popFirst() {
            guard let connection = connections[id], connection.phase != .http, connection.answer == nil else {
                continue
            }
            _ = flush(connection)
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
        // Those whose peers are gone. What the others have left is taken, too.
        var endings = endingsLeft + Self.answerEndings * Self.endingCost
        while counts.bytesOut < end, endings > 0, EventLoop.currentTimeNs() < until, let id = answering.next() {
            guard let connection = connections[id] else { continue }
            connection.isAnswering = false
            guard !flush(connection) else { continue }
            endings -= Self.endingCost
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
    func flush(_ connection: Connection) -> Bool {
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
    /// fill the hub with pongs that nobody reads. So it is, of pings that come in one read, for who has said hello: thousands who send
    /// two dozen at once would fill the tree of runs. Who tests the protocol counts pongs, and says no hello.
    func queuePong(_ connection: Connection, _ payload: UnsafeRawBufferPointer) {
        if connection.isBehind || connection.inbound != nil {
            connection.latestPong = .pong(payload)
        } else {
            queueFrame(connection, .pong(payload))
        }
    }

    /// At the end of a read, before a message in it is handled, and when all that waited has gone out.
    func sendLatestPong(_ connection: Connection) {
        guard !connection.isBehind, let pong = connection.latestPong else { return }
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
            endRun(connection)
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
        connection.lastHeard = now
        if let ssl = lws_get_ssl(socket) { SSL_shutdown(ssl) }
        Glibc.shutdown(lws_get_socket_fd(socket), Int32(SHUT_WR))
        schedule(connection, afterMs: rules.closeTimeoutMs)
    }
}
