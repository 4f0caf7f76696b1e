internal import DequeModule
internal import EventLoop

/// What one subject may have of a turn with its messages, whichever of its connections they come over (`InboundRate`).
///
/// Who sends many at once is read no further when that is over, or while too much of what it has asked for is under way.
/// What one read has brought waits as it came, and the kernel holds the rest: nothing is lost, and the order stays.
/// Subjects take turns with what waits, so that nobody waits for another one's burst.
extension WebSocketServer {
    /// Nanoseconds at the end of a turn for all messages that have waited, and the last share's more.
    private static let waitedNs: UInt64 = 500_000

    /// Whether its messages are handled now. `isInLine`: they have waited; those that have just come go behind them.
    func mayHear(_ connection: Connection, isInLine: Bool = false) -> Bool {
        guard let inbound = connection.inbound, connection.phase == .open else { return true }
        return (isInLine || inbound.line.isEmpty) && !inbound.mustWait && inbound.timeLeft(in: turn) > 0
    }

    /// Reads no more of it before what was read has had its turn.
    func awaitTurn(_ connection: Connection) {
        guard let inbound = connection.inbound, !connection.isStranger, connection.phase == .open else {
            return waitForShare(connection)
        }
        pause(connection)
        guard !connection.isResuming else { return }
        connection.isResuming = true
        guard inbound.mustWait else { return standInLine(connection.id, inbound) }
        inbound.whenAnswered { [weak self, id = connection.id] in self?.standInLine(id, inbound) }
    }

    private func standInLine(_ id: ConnectionID, _ inbound: InboundRate) {
        loop.wantAnotherTurn()
        inbound.line.append(id)
        guard !inbound.isInLine else { return }
        inbound.isInLine = true
        waitingSubjects.append(inbound)
    }

    /// At the end of a turn: the messages that wait, a share of each subject's, as far as the time goes.
    func readOnSubjects() {
        guard !waitingSubjects.isEmpty else { return }
        defer { if !waitingSubjects.isEmpty { loop.wantAnotherTurn() } }
        let end = EventLoop.currentTimeNs() + Self.waitedNs
        for _ in 0..<waitingSubjects.count {
            guard let inbound = waitingSubjects.popFirst() else { return }
            readOn(inbound)
            inbound.isInLine = !inbound.line.isEmpty
            if inbound.isInLine { waitingSubjects.append(inbound) }
            guard EventLoop.currentTimeNs() < end else { return }
        }
    }

    /// Its connections in their order, each once, while it has time.
    private func readOn(_ inbound: InboundRate) {
        for _ in 0..<inbound.line.count {
            guard inbound.timeLeft(in: turn) > 0, let id = inbound.line.popFirst() else { return }
            if let connection = connections[id] { takeShare(connection) }
        }
    }
}

/// What is left of a subject's share of a turn while messages of one connection are handled. The clock is looked at
/// after each fourth of them, as a position takes 2 µs.
struct SubjectShare {
    static let messagesPerLook = 4

    /// Nil: its messages have no share.
    private let inbound: InboundRate?
    private let began: UInt64
    private let end: UInt64
    private var messages = 0

    init(_ inbound: InboundRate?, turn: UInt64) {
        self.inbound = inbound
        began = inbound == nil ? 0 : EventLoop.currentTimeNs()
        end = began + (inbound?.timeLeft(in: turn) ?? 0)
    }

    /// After a message: whether the next one has to wait.
    mutating func isOver() -> Bool {
        guard let inbound else { return false }
        messages += 1
        if inbound.mustWait { return true }
        return messages % Self.messagesPerLook == 0 && EventLoop.currentTimeNs() >= end
    }

    /// Takes what was used from what the subject has in this turn.
    func finish() {
        inbound?.took(EventLoop.currentTimeNs() - began)
    }
}
