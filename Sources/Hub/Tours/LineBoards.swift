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
final class LineBoards: PushListener {
    let services: WorkerServices
    /// Lines with readers here, or that had some a moment ago, by channel.
    private var boards: [String: LineBoard] = [:]
    /// Ticks for which a line is kept that nobody reads: 30 s, as who comes and goes, or looks again and again at a board
    /// of text, would have it read from Redis each time.
    private static let keptTicks = 120
    /// How often the subscription was lost.
    private var losses = 0

    init(_ services: WorkerServices) { self.services = services }

    /// The events of a reader were read: from here on it is told the state, too.
    func joined(_ channel: String, _ session: Session, isGap: Bool) {
        guard channel.hasPrefix(Channel.lines) else { return }
        let board = board(channel)
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
    }

    /// Calls `body` with the board of a line as it is now, or with nil when it can't be read. All who ask at once share one reading.
    func withBoard(of line: String, _ body: @escaping (LineBoard?) -> Void) {
        let board = board(Channel.line(line))
        guard !board.isCurrent else { return body(board) }
        guard commands.isUp, subscriber.isUp else { return body(nil) }
        board.waiting.append(body)
        read(board)
    }

    private func board(_ channel: String) -> LineBoard {
        let board = boards[channel] ?? LineBoard(channel)
        boards[channel] = board
        board.ticksUnread = 0
        return board
    }

    // MARK: reading

    func subscriptionLost() {
        losses += 1
        boards = boards.filter { !$0.value.readers.isEmpty || !$0.value.waiting.isEmpty }
        for board in boards.values {
            board.isCurrent = false
            board.endWait(with: nil)
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
                    return board.endWait(with: nil)
                }
                for push in held { _ = board.apply(push) }
                board.isCurrent = true
                for reader in board.readers.values { reader.needsSnapshot = true }
                self.tellLaggards(of: board)
                board.endWait(with: board)
            }
        }
    }

    // MARK: telling

    func onPublish(_ push: Push) -> Bool {
        guard push.seq.isEmpty, let board = boards[push.channel] else { return false }
        metrics.pushes.increment()
        if board.isReading {
            board.held.append(push)
        } else if board.isCurrent, let push = board.admit(push), !board.readers.isEmpty {
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
            server.send(connection, shared, toMany: true)
        }
    }

    /// At each tick: the states that were kept for it, who waited for its turn, and lines that could not be read.
    func tick() {
        for board in boards.values {
            guard !board.readers.isEmpty || !board.waiting.isEmpty else {
                board.ticksUnread += 1
                if board.ticksUnread > Self.keptTicks { boards[board.channel] = nil }
                _ = board.takeKept()
                continue
            }
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
            services.budgets.charge(CommandPrice.missed(0, bytes: payload?.count ?? 0), to: reader.session)
            if let shared = frames[encoding] { server.send(connection, shared, toMany: true) }
        }
    }
}
