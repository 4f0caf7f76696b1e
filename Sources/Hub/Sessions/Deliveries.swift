import RedisLink
import Settings
import Telemetry
import WebSocketServer
import Wire

/// What is pushed on people's own channels goes to their connections: events once and in order, states as they are.
final class Deliveries: PushListener {
    let services: WorkerServices
    /// Each is told what was delivered.
    var listeners: [any DeliveryListener] = []

    init(_ services: WorkerServices) { self.services = services }

    func onPublish(_ push: Push) -> Bool {
        guard let sessions = readers[push.channel] else { return false }
        metrics.pushes.increment()
        var frames = SharedFrames()
        for session in sessions {
            if session.phase == .catchingUp || session.isBehind, !push.seq.isEmpty {
                session.held.append(push)
            } else if session.phase == .catchingUp {
                session.hasMissedState = session.hasMissedState || push.channel == session.identity?.channel
            } else {
                deliver(push, to: session, &frames)
            }
        }
        return true
    }

    func wentLive(_ session: Session) {
        if session.isBehind {
            // Lost while it caught up; or still lost, and then it is caught up again when all are.
            if subscriber.isUp { sessions.catchUpAgain([session]) }
            return
        }
        let held = session.held
        session.held = []
        for push in held {
            var frames = SharedFrames()
            deliver(push, to: session, &frames)
        }
        // Once more, then: a state that is held could be older than what the answer says.
        if session.hasMissedState { sessions.catchUpAgain([session]) }
    }

    /// Sends an event once and in order: what is not after the last one sent was read from the history already.
    /// A frame is encoded for the first reader of each encoding and shared by all.
    private func deliver(_ push: Push, to session: Session, _ frames: inout SharedFrames) {
        guard session.identity != nil, session.phase == .live else { return }
        if push.seq.isEmpty { return deliverState(push, to: session, &frames) }
        guard let position = push.position else { return }
        if let sent = StreamPosition(session.position.utf8), position <= sent { return }
        let frame = frames[session.encoding] ?? outbox.frame(push.event, session.encoding)
        frames[session.encoding] = frame
        session.position = push.seq
        metrics.events.increment()
        _ = server.send(session.connection, frame)
        for listener in listeners { listener.delivered(push, to: session) }
    }

    private func deliverState(_ push: Push, to session: Session, _ frames: inout SharedFrames) {
        guard !session.mutedStates.contains(push.type) else { return }
        for listener in listeners {
            switch listener.delivery(of: push, to: session) {
            case nil: continue
            case .no?: return
            case .on(let channel)?:
                return send(
                    session, Encode.state(channel: channel, type: push.type, time: push.time, data: push.data))
            }
        }
        let frame = frames[session.encoding] ?? outbox.frame(push.state, session.encoding)
        frames[session.encoding] = frame
        _ = server.send(session.connection, frame)
        for listener in listeners { listener.delivered(push, to: session) }
    }
}

extension Push {
    /// The message of an event, as JSON.
    var event: [UInt8] { Encode.event(channel: channel, seq: seq, type: type, time: time, data: data) }
    /// The message of a state, as JSON.
    var state: [UInt8] { Encode.state(channel: channel, type: type, time: time, data: data) }
}
