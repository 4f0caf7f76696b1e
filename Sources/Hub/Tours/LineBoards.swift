import Domain
import Logging
import RedisLink
import Settings
import Telemetry
import WebSocketServer
import Wire

/// The channels `line:<id>`. Their events (schedule.changed) go the way of topics; here is their state: the snapshot of the
/// line's tours, and `bus` at each change.
///
/// First the partition is subscribed, then the state is read with one call for all readers. The first state of a tour in a tick is
/// sent at once, as a seat that is taken counts at once, and of what follows the newest at the tick; a reader that has not taken
/// the last gets the whole when it has.
final class LineBoards: Capability {
    let services: WorkerServices
    /// Lines with readers here, by channel.
    private var boards: [String: LineBoard] = [:]
    /// How often the subscription was lost.
    private var losses = 0

    init(_ services: WorkerServices) { self.services = services }

    /// The events of a reader were read: from here on it is told the state, too.
    func joined(_ channel: String, _ session: Session, isGap: Bool) {
        guard channel.hasPrefix(Channel.lines) else { return }
        let board = boards[channel] ?? LineBoard(channel)
        boards[channel] = board
        if let known = board.readers[session.connection] {
            guard isGap else { return }
            known.needsSnapshot = true
        } else {
            board.readers[session.connection] = LineReader(session)
        }
        if board.isCurrent { tellLaggards(of: board) } else { read(board) }
    }

    func left(_ channel: String, _ session: Session) {
        guard let board = boards[channel] else { return }
        board.readers[session.connection] = nil
        if board.readers.isEmpty { boards[channel] = nil }
    }

    // MARK: reading

    func subscriptionLost() {
        losses += 1
        for board in boards.values {
            board.isCurrent = false
            for reader in board.readers.values { reader.needsSnapshot = true }
        }
    }

    func subscriptionBack() {
        for board in boards.values where !board.isCurrent { read(board) }
    }

    private func read(_ board: LineBoard) {
        guard !board.isReading, commands.isUp, subscriber.isUp else { return }
        board.isReading = true
        readers.whenSubscribed(board.channel) {
            let losses = self.losses
            self.functions.call("line_state", ["line": RedisArgument(board.line)]) { result in
                board.isReading = false
                let held = board.held
                board.held = []
                guard losses == self.losses, case .success(let reply) = result, board.replace(reply) else {
                    if case .failure(.server(let text)) = result { self.log.error("line_state failed: \(text)") }
                    // It is read again at the next tick.
                    return
                }
                for push in held { _ = board.apply(push) }
                board.isCurrent = true
                for reader in board.readers.values { reader.needsSnapshot = true }
                self.tellLaggards(of: board)
            }
        }
    }

    // MARK: telling

    func onPublish(_ push: Push) -> Bool {
        guard push.seq.isEmpty, let board = boards[push.channel] else { return false }
        metrics.pushes.increment()
        if board.isReading {
            board.held.append(push)
        } else if board.isCurrent, let push = board.admit(push) {
            tell(push, to: board)
        }
        return true
    }

    private func tell(_ push: Push, to board: LineBoard) {
        let state = push.state
        var frames = SharedFrames()
        for (connection, reader) in board.readers where !reader.needsSnapshot {
            guard server.isCaughtUp(connection) else {
                reader.needsSnapshot = true
                board.hasLaggards = true
                continue
            }
            let encoding = reader.session.encoding
            let shared = frames[encoding] ?? outbox.frame(state, encoding)
            frames[encoding] = shared
            server.send(connection, shared)
        }
    }

    /// At each tick: the states that were kept for it, who waited for its turn, and lines that could not be read.
    func tick() {
        for board in boards.values {
            if board.isCurrent, !board.isReading { for push in board.takeKept() { tell(push, to: board) } }
            if !board.isCurrent { read(board) } else if board.hasLaggards { tellLaggards(of: board) }
        }
    }

    private func tellLaggards(of board: LineBoard) {
        board.hasLaggards = false
        var payload: [UInt8]?
        var frames = SharedFrames()
        for (connection, reader) in board.readers where reader.needsSnapshot {
            guard server.isCaughtUp(connection) else {
                board.hasLaggards = true
                continue
            }
            reader.needsSnapshot = false
            let encoding = reader.session.encoding
            if frames[encoding] == nil {
                let json = payload ?? Encode.snapshot(channel: board.channel, time: now(), data: board.snapshot)
                payload = json
                frames[encoding] = outbox.frame(json, encoding)
            }
            if let shared = frames[encoding] { server.send(connection, shared) }
        }
    }
}
