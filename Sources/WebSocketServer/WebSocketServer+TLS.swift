internal import CLibwebsockets
internal import EventLoop
internal import Glibc

/// From accept to the first read, which waits for its turn; under TLS to the handshake, which waits for the hello and for its address'
/// pace, too.
extension WebSocketServer {
    /// What newcomers may take of a turn, so that the open connections go on meanwhile; a handshake takes a millisecond. One is let in, and
    /// one that has repeated its hello goes on, in any case.
    private static let plainNs: UInt64 = 250_000
    private static let handshakesNs: UInt64 = 1_000_000

    func awaitHello(_ connection: Connection, _ descriptor: Int32, isRepeated: Bool = false) {
        let id = connection.id
        connection.arrival = Arrival(crowd, descriptor, isPlain: !hasTLS, isRepeated: isRepeated) { [unowned self] in
            self.heard(id, isEnded: $0)
        }
    }

    /// A reset is told once, and what came before it can still be read: so its end counts, whatever is there.
    private func heard(_ id: ConnectionID, isEnded: Bool) {
        guard let connection = connections[id], let arrival = connection.arrival else { return }
        // What has come is looked at in the scratch.
        runs.forgetGathered()
        switch !isEnded && arrival.phase == .silent ? arrival.look(scratch) : .ended {
        case .partly: break
        case .ended:
            // One whose handshake has not begun gives its place back.
            if connection.socket == nil, arrival.phase != .silent {
                handshakes.giveBack(connection.address, limit: rules.maxConnectionsPerAddress)
            }
            arrival.end()
            if mayEnd(connection) { cut(connection) }
        case .there:
            arrival.rest()
            if connection.socket == nil { greet(connection, arrival) } else { begin(connection, arrival) }
        }
    }

    private func greet(_ connection: Connection, _ arrival: Arrival) {
        let limit = rules.maxConnectionsPerAddress
        let wait = limit == .max || !hasTLS ? 0 : handshakes.next(connection.address, limit: limit, at: now)
        switch wait {
        case nil:
            counts.refusedAddressLimit += 1
            closed(connection.id)
        case 0?: begin(connection, arrival)
        case let wait?:
            arrival.phase = .waiting
            schedule(connection, afterMs: wait)
        }
    }

    private func begin(_ connection: Connection, _ arrival: Arrival) {
        arrival.phase = .due
        if connection.socket == nil { arrived.append(connection) } else { repeating.append(connection) }
    }

    /// The time of a socket is over whose handshake has not begun. True: that is not its fault, and it has more.
    func checkArrival(_ connection: Connection) -> Bool {
        guard let arrival = connection.arrival, arrival.phase != .silent else { return false }
        if arrival.phase == .ended {
            if mayEnd(connection) { cut(connection) }
            return true
        }
        if arrival.phase == .waiting { begin(connection, arrival) }
        connection.lastHeard = now
        schedule(connection, afterMs: rules.headerTimeoutMs)
        return true
    }

    /// At the end of a turn: as many newcomers as have time in it, and of those who have repeated their hello, by turns of the addresses.
    /// Newcomers for whom there is no room come in when others have been read, or at the next tick.
    func letIn() {
        guard !arrived.isEmpty || !repeating.isEmpty else { return }
        let end = EventLoop.currentTimeNs() + (hasTLS ? Self.handshakesNs : Self.plainNs)
        repeat {
            let (goesOn, comesIn) = (goOnWithNext(), letNextIn())
            guard goesOn || comesIn else { return }
        } while EventLoop.currentTimeNs() < end
        loop.wantAnotherTurn()
    }

    /// False: nobody has repeated its hello.
    private func goOnWithNext() -> Bool {
        guard let id = repeating.next() else { return false }
        guard let connection = connections[id], let arrival = connection.arrival, arrival.phase == .due,
            let socket = connection.socket
        else { return true }
        connection.arrival = nil
        arrival.close()
        if sockets?.resumeHandshake(socket) != true { cut(connection) }
        return true
    }

    /// False: nobody is there, or there is no room for who is.
    private func letNextIn() -> Bool {
        guard let id = arrived.first else { return false }
        guard let connection = connections[id], let arrival = connection.arrival, arrival.phase == .due else {
            _ = arrived.next()
            return true
        }
        guard mayShakeHands() else { return false }
        _ = arrived.next()
        connection.arrival = nil
        adopt(connection, arrival.release())
        beginHandshake(connection)
        awaitRepeatedHello(connection)
        return true
    }

    /// A handshake that was silent for so long may leave, ms: on a phone's link (300 ms each way) its next message takes 0.6 s. Shorter than
    /// `handshakeMs`, which is for newcomers of one address alone: here those of all addresses wait.
    private static let idleHandshakeMs: UInt64 = 1_000
    /// How many are looked at for one that may leave; one that leaves takes as long as four.
    private static let looksForRoom = 64
    private static let looksOfEnding = 4

    /// How many may be under way: fewer where memory runs short.
    private var mostHandshakes: Int {
        bytesKept > rules.maxKeptBytes / 4 * 3 ? rules.maxHandshakes / 4 : rules.maxHandshakes
    }

    /// A handshake that has begun holds 44 KiB of OpenSSL's, until its peer goes on. When as many as may be are under way the oldest
    /// leaves, if it is silent (`idleHandshakeMs`). False: the oldest have gone on, and wait for us, or have only begun. After a link that
    /// thousands share was cut those were sent away, one after the other, as newcomers begin sooner than others are read: of 12,000 who
    /// came back at once 10,000 had not come in after 90 s.
    private func mayShakeHands() -> Bool {
        guard hasTLS else { return true }
        var looks = Self.looksForRoom
        var hasLeft = false
        while let oldest = shaking.first {
            guard let connection = connections[oldest], connection.isShakingHands else {
                shaking.removeFirst()
                continue
            }
            guard handshakesUnderWay >= mostHandshakes, looks > 0 else { break }
            looks -= 1
            let waits = waitsForUs(connection)
            guard waits || connection.lastHeard + Self.idleHandshakeMs <= now else { break }
            shaking.removeFirst()
            if waits {
                shaking.append(oldest)
            } else {
                counts.refusedFull += 1
                looks -= Self.looksOfEnding
                hasLeft = true
                cut(connection)
            }
        }
        guard handshakesUnderWay >= mostHandshakes else { return true }
        // More of them leave in the next turn.
        if hasLeft { loop.wantAnotherTurn() }
        return false
    }

    /// Whether something has come of it that has not been read. A part of a hello that is repeated stays unread until the rest is there:
    /// who sent that kept its place for as long as a request may take.
    private func waitsForUs(_ connection: Connection) -> Bool {
        if let arrival = connection.arrival { return arrival.phase == .due }
        if connection.isResuming { return true }
        guard let socket = connection.socket else { return false }
        var byte: UInt8 = 0
        return recv(lws_get_socket_fd(socket), &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) > 0
    }

    private func beginHandshake(_ connection: Connection) {
        guard hasTLS, connection.socket != nil else { return }
        connection.isShakingHands = true
        connection.lastHeard = now
        handshakesUnderWay += 1
        shaking.append(connection.id)
    }

    /// Its request is on the way: who has come so far is not silent.
    func shookHands(_ id: ConnectionID) {
        connections[id]?.lastHeard = now
        readInVain(id)
    }

    func endHandshake(_ connection: Connection) {
        guard connection.isShakingHands else { return }
        connection.isShakingHands = false
        handshakesUnderWay -= 1
    }

    /// A hello that has to be repeated for another group is awaited like the first. A descriptor of its own would be one that
    /// no limit counts: libuv allows several handles of one descriptor, as long as one of them is active.
    private func awaitRepeatedHello(_ connection: Connection) {
        guard let socket = connection.socket, let descriptor = sockets?.pauses(socket) else { return }
        awaitHello(connection, descriptor, isRepeated: true)
    }
}
