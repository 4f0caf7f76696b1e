internal import CLibwebsockets
internal import EventLoop
internal import Glibc

/// From accept to the TLS handshake, which waits for the hello, for its address' pace, and for its turn.
extension WebSocketServer {
    /// What handshakes may take of a turn, so that the open connections go on meanwhile. One is begun in any case.
    private static let handshakesNs: UInt64 = 5_000_000

    func awaitHello(_ connection: Connection, _ descriptor: Int32) {
        let id = connection.id
        let isRepeated = connection.socket != nil
        do {
            connection.arrival = try Arrival(loop, descriptor, isRepeated: isRepeated) { [unowned self] in
                self.heard(id)
            }
        } catch {
            Glibc.close(descriptor)
            cut(connection)
        }
    }

    private func heard(_ id: ConnectionID) {
        guard let connection = connections[id], let arrival = connection.arrival else { return }
        switch arrival.phase == .silent ? arrival.look(scratch) : .ended {
        case .partly: break
        case .ended: cut(connection)
        case .there:
            arrival.rest()
            if connection.socket == nil { greet(connection, arrival) } else { begin(connection, arrival) }
        }
    }

    private func greet(_ connection: Connection, _ arrival: Arrival) {
        let limit = rules.maxConnectionsPerAddress
        let wait = limit == .max ? 0 : handshakes.next(connection.address, limit: limit, at: now)
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
        arrived.append(connection)
    }

    /// The time of a socket is over whose handshake has not begun. True: that is not its fault, and it has more.
    func checkArrival(_ connection: Connection) -> Bool {
        guard let arrival = connection.arrival, arrival.phase != .silent else { return false }
        if arrival.phase == .waiting { begin(connection, arrival) }
        connection.lastHeard = now
        schedule(connection, afterMs: rules.headerTimeoutMs)
        return true
    }

    /// At the end of a turn: as many handshakes as have time in it, by turns of the addresses.
    func beginHandshakes() {
        guard !arrived.isEmpty else { return }
        let end = EventLoop.currentTimeNs() + Self.handshakesNs
        repeat {
            guard let id = arrived.next() else { break }
            guard let connection = connections[id], let arrival = connection.arrival else { continue }
            connection.arrival = nil
            if let socket = connection.socket {
                arrival.close()
                if sockets?.goOn(socket) != true { cut(connection) }
            } else {
                adopt(connection, arrival.release())
                awaitRepeatedHello(connection)
            }
        } while EventLoop.currentTimeNs() < end
        if !arrived.isEmpty { loop.wantAnotherTurn() }
    }

    /// A hello that has to be repeated for another group is awaited like the first, by a descriptor of its own, as
    /// libwebsockets keeps the socket's.
    private func awaitRepeatedHello(_ connection: Connection) {
        guard let socket = connection.socket, sockets?.pauses(socket) == true else { return }
        let descriptor = fcntl(lws_get_socket_fd(socket), F_DUPFD_CLOEXEC, 0)
        guard descriptor >= 0, leavesRoom(descriptor) else {
            Glibc.close(descriptor)
            return cut(connection)
        }
        awaitHello(connection, descriptor)
    }
}
