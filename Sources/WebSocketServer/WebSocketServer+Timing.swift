internal import EventLoop

extension WebSocketServer {
    /// The grain of all time-outs: coarse, as each tick costs a wake-up.
    static var tickMs: UInt64 { 250 }

    /// One entry per connection: what it means depends on its phase.
    func schedule(_ connection: Connection, afterMs delay: UInt64) {
        wheel.schedule(connection.id.rawValue, at: (loop.now + delay + Self.tickMs - 1) / Self.tickMs)
    }

    /// The next moment at which an open connection is to be looked at.
    func scheduleLiveness(_ connection: Connection) {
        let nextPing = max(connection.lastHeard, connection.lastPing) + connection.pingEvery
        let due = min(nextPing, connection.lastHeard + connection.deadAfter)
        schedule(connection, afterMs: due > loop.now ? due - loop.now : 0)
    }

    func tick() {
        for raw in wheel.advance(to: loop.now / Self.tickMs) {
            guard let connection = connections[ConnectionID(rawValue: raw)] else { continue }
            switch connection.phase {
            case .http: checkRequest(connection)
            case .open: checkLiveness(connection)
            case .closing: cut(connection)
            }
        }
    }

    /// Neither a request nor a write was completed in time: a slow attack, or a connection that is kept for nothing.
    private func checkRequest(_ connection: Connection) {
        let deadline = connection.lastHeard + rules.headerTimeoutMs
        guard deadline <= loop.now else { return schedule(connection, afterMs: deadline - loop.now) }
        // The answer is due from us.
        guard !connection.isAsking else { return schedule(connection, afterMs: rules.headerTimeoutMs) }
        counts.timedOutHeader += 1
        cut(connection)
    }

    private func checkLiveness(_ connection: Connection) {
        if connection.lastHeard + connection.deadAfter <= loop.now {
            counts.closedDead += 1
            return cut(connection)
        }
        if max(connection.lastHeard, connection.lastPing) + connection.pingEvery <= loop.now {
            connection.lastPing = loop.now
            counts.pings += 1
            queueFrame(connection, Self.pingFrame)
        }
        if connection.phase == .open { scheduleLiveness(connection) }
    }

    private static let pingFrame = Frame.ping()
}
