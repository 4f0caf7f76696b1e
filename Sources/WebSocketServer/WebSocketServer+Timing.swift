internal import EventLoop

extension WebSocketServer {
    /// The grain of all time-outs: coarse, as each tick costs a wake-up.
    static var tickMs: UInt64 { 250 }

    /// Milliseconds in which the loop listened, on its clock: what it was held up is left out, as nobody could be heard then.
    /// All silence is measured by it.
    var now: UInt64 { loop.now - heldUpMs }

    /// One entry per connection: what it means depends on its phase.
    func schedule(_ connection: Connection, afterMs delay: UInt64) {
        wheel.schedule(connection.id.rawValue, at: (now + delay + Self.tickMs - 1) / Self.tickMs)
    }

    /// The next moment at which an open connection is to be looked at.
    func scheduleLiveness(_ connection: Connection) {
        // The same tick however often this is called before it.
        let due = min(nextPing(connection), goneAt(connection))
        wheel.schedule(connection.id.rawValue, at: (due + Self.tickMs - 1) / Self.tickMs)
    }

    func tick() {
        leaveOutDelay()
        pace.measure(used: CoalescePace.threadTime(), tickMs: Self.tickMs, rules.coalesceLoad)
        for raw in wheel.advance(to: now / Self.tickMs) { check(ConnectionID(rawValue: raw)) }
        beginGivingBack()
        goOnWithHeldBack()
    }

    /// The time of a connection has come, for whatever its phase waits for.
    func check(_ id: ConnectionID) {
        guard let connection = connections[id] else { return }
        switch connection.phase {
        case .http: checkRequest(connection)
        case .open: checkLiveness(connection)
        case .closing where connection.answer != nil: checkAnswer(connection)
        case .closing: if mayEnd(connection) { abandon(connection) }
        }
    }

    /// A loop that was held up finds its timers before its sockets: a tick that comes late says nothing about the peers.
    private func leaveOutDelay() {
        let passed = loop.now - lastTick
        lastTick = loop.now
        if passed > 2 * Self.tickMs { heldUpMs += passed - Self.tickMs }
    }

    // MARK: Open connections

    /// For how long nothing has come of it, ms. The server's clock goes back when it leaves out that nobody listened.
    func silence(of connection: Connection) -> UInt64 { now - min(now, connection.lastHeard) }

    private func nextPing(_ connection: Connection) -> UInt64 {
        // What a stream's client is heard of, proxies on the way are not.
        let last = connection.isStream ? connection.lastPing : max(connection.lastHeard, connection.lastPing)
        return last + connection.pingEvery
    }

    /// When the peer counts as gone if nothing comes of it.
    private func goneAt(_ connection: Connection) -> UInt64 {
        max(connection.lastHeard + connection.deadAfter, connection.graceUntil)
    }

    /// A peer that was silent for longer than it now may be could not know that: it is asked now, and its time begins now,
    /// unless it would have been over before.
    func change(_ connection: Connection, pingEveryMs: UInt64, deadAfterMs: UInt64) {
        connection.graceUntil = min(goneAt(connection), now + deadAfterMs)
        connection.pingEvery = pingEveryMs
        connection.deadAfter = deadAfterMs
        watch(connection)
    }

    private func checkLiveness(_ connection: Connection) {
        listen(to: connection)
        if goneAt(connection) <= now {
            guard mayEnd(connection) else { return }
            counts.closedDead += 1
            return abandon(connection)
        }
        // It may send what it likes: who takes nothing of what waits for it is as good as gone.
        if connection.isBehind, connection.lastTaken + rules.deadAfterMs <= now { return overflow(connection) }
        watch(connection)
    }

    private func watch(_ connection: Connection) {
        if nextPing(connection) <= now {
            connection.lastPing = now
            counts.pings += 1
            queueFrame(connection, Self.pingFrame)
        }
        if connection.phase == .open { scheduleLiveness(connection) }
    }

    private static let pingFrame = Frame.ping()
}
