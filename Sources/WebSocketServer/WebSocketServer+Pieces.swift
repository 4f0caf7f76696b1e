internal import CLibwebsockets
internal import EventLoop

/// What is read in small pieces, each of which costs more than what is in it: of whom nobody knows there are so many, and of a subject so many
/// a second (``InboundRate``).
extension WebSocketServer {
    /// Reads of who asks over HTTP or is nobody's WebSocket yet, and while it closes; an empty record counts as one, and a part of a record or
    /// of a handshake. A request or a hello comes in some 50 on a bad link.
    private static let mostReads = 1_024
    /// A frame without a byte costs 0.1 µs.
    static let framesOfPiece = 64
    /// A ping has an answer, whose write costs as much as some reads.
    static let piecesOfPing = 4
    /// Of frames in one read, some 0.1 ms, or four pings: whoever sends as many is read on in its share of a turn, which few sockets have at
    /// once.
    static let piecesAtOnce = 16

    /// Counts a read, in any phase. False: the connection is of no more use.
    func isWithinLimits(_ connection: Connection) -> Bool {
        let records = SocketContext.takeRecords(of: connection.socket)
        // Of whom somebody knows each record is a piece.
        guard connection.inbound != nil || connection.emptyRecords.take(records: records),
            isWithinReads(connection, records)
        else { return false }
        countPieces(connection, records)
        return true
    }

    private func isWithinReads(_ connection: Connection, _ records: Int) -> Bool {
        guard isUnknown(connection) else { return true }
        connection.reads += records
        return connection.reads <= Self.mostReads
    }

    func isUnknown(_ connection: Connection) -> Bool {
        let isClosingUnknown = connection.phase == .closing && connection.inbound == nil
        return connection.phase == .http || connection.isStranger || isClosingUnknown
    }

    /// A part of a TLS record is a piece as well, or one record could take 16,000 reads that nobody counts. OpenSSL's memory of it is counted
    /// at the end of the turn. Who is unknown waits for its share of a turn before the next part is read.
    func readInVain(_ id: ConnectionID) {
        guard let connection = connections[id] else { return }
        // It goes on, slowly.
        connection.lastPiece = now
        countPieces(connection, 1)
        // Not paused here: within a handshake libwebsockets watches the socket again after this.
        partly.append(id)
    }

    /// At the end of a turn, after those whose handshake began in it.
    func putOffPartly() {
        guard !partly.isEmpty else { return }
        for id in partly {
            // One that repeats its hello is not read before all of it is there.
            guard let connection = connections[id], connection.arrival == nil else { continue }
            guard isUnknown(connection) else {
                countHeld(connection)
                continue
            }
            guard isWithinReads(connection, 1) else {
                counts.closedProtocol += 1
                endingsLeft = max(0, endingsLeft - Self.endingCost)
                cut(connection)
                continue
            }
            // It may have been paused, and yet be watched by libwebsockets: for room, in a handshake.
            connection.isPaused = false
            pause(connection)
            // At the end of a handshake libwebsockets starts a timer, which would close all at once whose time is over.
            if let socket = connection.socket { kb_no_timeout(socket) }
            countHeld(connection)
            if !connection.isResuming { awaitMore(connection) }
        }
        partly.removeAll(keepingCapacity: true)
    }

    /// `left`: frames before those that were read. More are left after them where who said hello was welcome. `controlPieces`: of the pings and
    /// pongs among them, besides.
    func countFrames(_ connection: Connection, _ left: Int, controlPieces: Int = 0) {
        guard let inbound = connection.inbound else { return }
        let pieces = max(0, left - connection.frames.framesLeft) / Self.framesOfPiece + controlPieces
        inbound.count(pieces, at: loop.now)
        if pieces >= Self.piecesAtOnce, !connection.isHeldBack { waitForShare(connection) }
    }

    /// Counts what is read of a connection that somebody answers for.
    private func countPieces(_ connection: Connection, _ pieces: Int) {
        guard let inbound = connection.inbound else { return }
        inbound.count(pieces, at: loop.now)
        if inbound.isSpent(at: loop.now) {
            holdBack(connection)
        } else if inbound.isShort(at: loop.now) {
            waitForShare(connection)
        }
    }

    /// `isUnread`: its turn had come, and others of its subject were faster.
    func holdBack(_ connection: Connection, isUnread: Bool = false) {
        pause(connection)
        guard !connection.isHeldBack else { return }
        connection.isHeldBack = true
        counts.heldBack += 1
        if isUnread { heldBackUnread.append(connection) } else { heldBack.append(connection) }
    }

    /// Who may be read again is so in its share of a turn: a thousand at once would all be read before the first one counts. Those whose turn
    /// passed without it come first.
    func goOnWithHeldBack() {
        guard !heldBack.isEmpty || !heldBackUnread.isEmpty else { return }
        let waiting = (heldBackUnread, heldBack)
        (heldBackUnread, heldBack) = ([], [])
        for connection in waiting.0 where !goOn(connection) { heldBackUnread.append(connection) }
        for connection in waiting.1 where !goOn(connection) { heldBack.append(connection) }
    }

    private func goOn(_ connection: Connection) -> Bool {
        guard connections[connection.id] != nil else { return true }
        guard connection.inbound?.isSpent(at: loop.now) != true else { return false }
        connection.isHeldBack = false
        resume(connection)
        return true
    }
}

/// TLS records without a byte of who is nobody's yet, beyond one before each record with bytes: so much some libraries send where CBC
/// encrypts, that nobody can guess what comes next.
struct EmptyRecords {
    /// In a connection's life. 32 come in one read.
    static let most = 64

    private var count = 0

    /// Counts what one read has worked off: a record with bytes, and before it those without. False: it is too much.
    mutating func take(records: Int) -> Bool {
        count += max(0, records - 2)
        return count <= Self.most
    }
}
