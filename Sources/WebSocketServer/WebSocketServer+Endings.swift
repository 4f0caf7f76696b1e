internal import CLibwebsockets
internal import DequeModule
internal import EventLoop

/// The memory of what clients have sent and of what waits for readers, who leaves when there is too much of it, how many sockets are
/// ended in one turn, and when the system gets memory back.
extension WebSocketServer {
    // MARK: Memory

    /// Puts what the connection holds into the sum of strangers, or into that of the others.
    func countHeld(_ connection: Connection) {
        var bytes = 0
        if connection.socket != nil {
            bytes = connection.unread.capacity + (connection.http?.heldBytes ?? 0) + connection.frames.heldBytes
            if SocketContext.hasPartOfRecord(connection.socket) { bytes += SocketContext.recordMemory }
            if connection.isAsking { bytes += connection.http?.requestBytes ?? 0 }
        }
        let strangers = isUnknown(connection) ? bytes : 0
        strangersBytes += strangers - connection.heldBytes
        connection.heldBytes = strangers
        let leaving = connection.isLeaving ? strangers : 0
        leavingBytes += leaving - connection.leavingBytes
        connection.leavingBytes = leaving
        let unfinished = connection.isLeaving ? 0 : bytes - strangers
        unfinishedBytes += unfinished - connection.unfinishedBytes
        connection.unfinishedBytes = unfinished
    }

    /// Puts the record that OpenSSL holds for the connection, as the kernel has not taken all of it, into the sum of what waits.
    func countCommitted(_ connection: Connection) {
        guard connection.holdsRecord != (connection.committed > 0) else { return }
        connection.holdsRecord.toggle()
        if connection.holdsRecord { held.holdRecord() } else { held.releaseRecord() }
    }

    /// All that is kept for clients, bytes.
    var bytesKept: Int {
        held.count + strangersBytes + unfinishedBytes + handshakesUnderWay * SocketContext.handshakeMemory
    }

    /// What has to go for a quarter to be free, when more is kept in all than may be. What those who leave hold is as good as gone.
    private var excess: Int {
        let kept = bytesKept
        guard kept > rules.maxKeptBytes else { return 0 }
        return max(0, kept - rules.maxKeptBytes / 4 * 3 - leavingBytes)
    }

    /// To how much a sum is to come down: to three quarters of what it may be, when it is more than that; and by the excess of all, but not
    /// below a quarter. So who holds little stays, whoever fills the rest.
    private func goal(_ bytes: Int, most: Int) -> Int {
        min(bytes > most ? most / 4 * 3 : bytes, max(bytes - excess, min(bytes, most / 4)))
    }

    /// Too much is held of strangers, or of those whom somebody knows: those who hold the most are to leave, until a quarter
    /// is free. An honest stranger holds the little that has come of its hello, for a moment.
    private func chooseWhoLeaves() {
        let staying = strangersBytes - leavingBytes
        for connection in largest(staying - goal(staying, most: rules.maxStrangersBytes), \.heldBytes) {
            beginLeaving(connection)
        }
        let excess = unfinishedBytes - goal(unfinishedBytes, most: rules.maxUnfinishedBytes)
        for connection in largest(excess, \.unfinishedBytes) { beginLeaving(connection) }
    }

    /// What it has sent is freed at once, and nothing more is read of it, so that the others are read on. It is told, and its
    /// socket ended, in one of the next turns; until then OpenSSL may keep a part of a record.
    private func beginLeaving(_ connection: Connection) {
        connection.isLeaving = true
        pause(connection)
        connection.http = nil
        connection.unread = []
        connection.frames.discard()
        countHeld(connection)
        leaving.append(connection.id)
    }

    /// Those who hold the most, until they hold `excess` together; nobody twice.
    private func largest(_ excess: Int, _ bytes: (Connection) -> Int) -> [Connection] {
        guard excess > 0 else { return [] }
        let staying = connections.elements.filter { !$0.isLeaving }
        let holders = staying.map { ($0, bytes($0)) }.filter { $0.1 > 0 }.sorted { $0.1 > $1.1 }
        var left = excess
        var chosen: [Connection] = []
        for (connection, bytes) in holders {
            guard left > 0 else { break }
            left -= bytes
            chosen.append(connection)
        }
        return chosen
    }

    private func sendAway(_ connection: Connection) {
        // What it still sends is read and thrown away, and counts again.
        connection.isLeaving = false
        // OpenSSL gives a part of a record back with the socket only.
        if SocketContext.hasPartOfRecord(connection.socket) {
            counts.refusedFull += 1
            return cut(connection)
        }
        switch connection.phase {
        case .http:
            let isUnderWay = connection.isAsking
            connection.isAsking = false
            respond(connection, refusal(isUnderWay: isUnderWay), keepsAlive: false)
        case .open:
            counts.refusedFull += 1
            finish(
                connection, telling: Self.tryAgainLater,
                sending: .close(Self.tryAgainLater, "too much waits here of others; come back in some seconds"),
                then: .end)
        case .closing: part(connection, .end)
        }
        countHeld(connection)
    }

    /// The close code (IANA).
    static let tryAgainLater: UInt16 = 1013

    /// All connections are looked at for it, and what waits may be of those only whose turn has not come.
    private static let relieveEveryMs: UInt64 = 10

    /// When too much waits, or is kept in all, those who have taken nothing for the longest are sent away, until a quarter is free again, and as
    /// many in a turn as may be ended in it.
    func relieve() {
        if slowest.isEmpty {
            guard now >= nextRelief else { return }
            heldGoal = goal(held.count, most: rules.maxHeldBytes)
            guard held.count > heldGoal else { return }
            nextRelief = now + Self.relieveEveryMs
            let behind = connections.elements.filter { $0.isBehind }.sorted { $0.lastTaken < $1.lastTaken }
            slowest = Deque(behind.map(\.id))
        }
        while held.count > heldGoal, endingsLeft > 0, let id = slowest.popFirst() {
            guard let connection = connections[id], connection.isBehind else { continue }
            if connection.phase == .open {
                endingsLeft -= 1
                overflow(connection)
            } else {
                endingsLeft -= Self.endingCost
                counts.closedSlow += 1
                abandon(connection)
            }
        }
        if held.count <= heldGoal { slowest = [] }
        if !slowest.isEmpty { loop.wantAnotherTurn() }
    }

    /// Sockets closed after which memory is given back. One that leaves so many bytes unsent is as many more.
    static let manyClosings = 256
    static let bytesAsClosing = 64 << 10
    private static let giveBackEveryMs: UInt64 = 1_000

    /// After a crowd has gone: from now on each turn gives some of its memory back.
    func beginGivingBack() {
        guard closings >= Self.manyClosings, now >= lastGiveBack + Self.giveBackEveryMs else { return }
        closings = 0
        lastGiveBack = now
        freedMemory.begin()
    }

    /// At the end of a turn: a portion of it.
    func giveSomeBack() {
        guard freedMemory.isBusy else { return }
        freedMemory.giveBackSome()
        if freedMemory.isBusy { loop.wantAnotherTurn() }
    }

    // MARK: Endings

    func tellCloses() {
        while !untoldCloses.isEmpty {
            let closes = untoldCloses
            untoldCloses = []
            for (id, code, silentMs) in closes { onClose(id, code, silentMs) }
        }
    }

    /// Has `writable` called when the kernel has room for more. For an answer, and for who is unknown, in the crowd, and what the peer
    /// sends is not read meanwhile: libwebsockets closes whom the peer has left as soon as it is told, and 10,000 who left with
    /// their answers unread held up the others for half a second.
    func awaitRoom(_ connection: Connection, _ socket: OpaquePointer) {
        guard connection.answer != nil || isUnknown(connection) else {
            lws_callback_on_writable(socket)
            return
        }
        pause(connection)
        wait(for: .room, connection, socket)
    }

    /// All that waited for room has gone out: what the peer has sent is heard of again.
    func stopAwaitingRoom(_ connection: Connection) {
        guard connection.awaited == .room else { return }
        stopWaiting(connection)
        if connection.isPaused { resume(connection) }
    }

    /// Sockets that are ended in one turn: each takes some 30 µs, and a crowd that came at once is late at once. One that
    /// libwebsockets does not have yet takes an eighth of it.
    static let endingsPerTurn = 16
    static let endingCost = 8
    /// Of these, sockets whose answers are written (`writeAnswers`), or else nobody would have an answer while many others
    /// leave; and what the others may take, as in `endingsLeft`.
    static let answerEndings = 2
    static let otherEndings = (endingsPerTurn - answerEndings) * endingCost

    /// Whether a connection may be ended in this turn. If not, `check` comes to it in one of the next ones.
    func mayEnd(_ connection: Connection) -> Bool {
        guard endingsLeft > 0 else {
            late.append(connection.id)
            loop.wantAnotherTurn()
            return false
        }
        endingsLeft -= connection.socket == nil ? 1 : Self.endingCost
        return true
    }

    /// At the end of a turn: those whose ending was put off.
    func endSome() {
        chooseWhoLeaves()
        while endingsLeft > 0, let id = leaving.popFirst() {
            guard let connection = connections[id] else { continue }
            endingsLeft -= Self.endingCost
            sendAway(connection)
        }
        while endingsLeft > 0, let id = late.popFirst() { check(id) }
        if !late.isEmpty || !leaving.isEmpty { loop.wantAnotherTurn() }
    }

    /// A socket is gone. libwebsockets closes one that the peer has left as soon as it is told of it.
    func countClosing() {
        closings += 1
        if !isCutting { endingsLeft = max(0, endingsLeft - Self.endingCost) }
    }
}
