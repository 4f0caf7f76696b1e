import Domain
import EventLoop
import Logging
import RedisLink
import Settings
import Telemetry
import WebSocketServer
import Wire

/// Shared event channels (`topic:…`, `line:…`, `catalog`): `publish`, `subscribe`, and who may. What their readers are sent is
/// the business of ``ChannelReadings``.
final class Topics: Capability {
    let services: WorkerServices
    let readings: ChannelReadings

    /// What an event is when its publisher doesn't say.
    private static let defaultType = "message"

    init(_ services: WorkerServices) {
        self.services = services
        readings = ChannelReadings(services)
    }

    // MARK: commands

    func handle(_ message: ClientMessage, _ session: Session, _ identity: Identity) -> Bool {
        switch message.command {
        case .topics(let command):
            switch command {
            case .publish(let channel, let type, let data):
                publish(channel, type, data, message, session, identity)
            }
        case .channels(.subscribe(let channel, _, let since)) where Channel.hasEvents(channel):
            subscribe(channel, since: since, message, session, identity)
        case .channels(.unsubscribe(let channel)) where Channel.hasEvents(channel):
            unsubscribe(channel, message, session)
        default: return false
        }
        return true
    }

    private func publish(
        _ channel: String, _ type: String?, _ data: [UInt8], _ message: ClientMessage, _ session: Session,
        _ identity: Identity
    ) {
        guard Channel.isTopic(channel) else { return refuseTopic(message, session) }
        if let denial = denial(of: channel, to: identity.role) { return refuse(session, message.id, denial) }
        guard !services.store.isNearlyFull else {
            return refuse(
                session, message.id, .unavailable,
                "The hub's memory is nearly full, and what is left is kept for rides; publish again in a while.")
        }
        // At other workers are as many as here, more or less.
        let readers = CommandPrice.readers(
            readings.readers(of: channel) * settings.workerCount, bytes: data.count)
        let paid = CommandPrice.of(message.command)
        let more = readers + CommandPrice.published(bytes: data.count)
        guard services.budgets.take(more, besides: paid, of: session, message.id) else { return }
        let arguments: FunctionArguments = [
            "sender": RedisArgument("\(identity.role.rawValue):\(identity.subject)"), "channel": RedisArgument(channel),
            "type": RedisArgument(type ?? Self.defaultType), "data": RedisArgument(data),
            "key": RedisArgument(message.key ?? ""),
        ]
        call("topic_publish", arguments, message, session)
    }

    private func subscribe(
        _ channel: String, since: String?, _ message: ClientMessage, _ session: Session, _ identity: Identity
    ) {
        if channel.hasPrefix(Channel.lines), catalog.isLoading(line: Self.line(of: channel)) {
            return refuse(session, message.id, .unavailable, "The lines are being loaded; subscribe again in a moment.")
        }
        guard Channel.isShared(channel) else { return refuseTopic(message, session) }
        if let denial = denial(of: channel, to: identity.role) { return refuse(session, message.id, denial) }
        let known = readings.reading(of: channel, session)
        if let known, since == nil {
            // It stays where it is.
            if let position = known.known {
                return reply(session, message.id, Self.channelReply(channel, at: position), to: message.command.name)
            }
            if let id = message.id { known.asks.append(id) }
            return
        }
        guard known != nil || session.channels < WireLimits.feedChannels else {
            return refuse(
                session, message.id, .badMessage,
                "field `channel`: at most \(WireLimits.feedChannels) feeds and topics at once.", field: "channel")
        }
        guard commands.isUp, subscriber.isUp else {
            return refuse(session, message.id, .unavailable, "The hub can't reach its store now; subscribe again.")
        }
        if let known { readings.end(known) }
        readings.join(channel, since: since, session, asks: message.id.map { [$0] } ?? [])
    }

    private func unsubscribe(_ channel: String, _ message: ClientMessage, _ session: Session) {
        if let reading = readings.reading(of: channel, session) { readings.end(reading) }
        reply(session, message.id, Self.channelReply(channel), to: message.command.name)
    }

    // MARK: hello

    /// What its hello named and it may read, with the place from which it is read on.
    func greeting(_ session: Session, _ identity: Identity) -> [GreetedChannel] {
        session.resume.filter { Channel.isShared($0.channel) && denial(of: $0.channel, to: identity.role) == nil }
            .map { GreetedChannel(name: $0.channel, seq: StreamPosition(client: $0.seq)?.text) }
    }

    /// What its hello named is read on, one after the other as it takes them.
    func greeted(_ session: Session, _ identity: Identity) {
        var isFirst = true
        for point in session.resume where Channel.isShared(point.channel) {
            // Said without an id, as the hello itself has its reply.
            if let denial = denial(of: point.channel, to: identity.role, field: "resume") {
                refuse(session, nil, denial)
            } else {
                readings.join(point.channel, since: point.seq, session, asks: [], isPaced: !isFirst)
                isFirst = false
            }
        }
    }

    /// Why nobody, or not this role, may read and write a channel; nil: it may. What a hello resumes is held against it, too.
    private func denial(of channel: String, to role: Role, field: String = "channel") -> ErrorReply? {
        if Channel.isNamedAsEvent(channel) {
            let type = channel.dropFirst(Channel.topics.count)
            return ErrorReply(
                code: .badMessage, field: field,
                detail:
                    "field `\(field)`: \(channel) has the name of the hub's own events, which are on no topic: people get theirs "
                    + "on their own channels and on lines, services on events:, and `kerbside tail '\(type)'` shows all. Choose another name."
            )
        }
        if channel == Channel.office, role != .operator {
            return ErrorReply(
                code: .forbidden, field: field, detail: "field `\(field)`: \(channel) is for operators.")
        }
        if Channel.isPrivate(channel), role != .operator, role != .service {
            return ErrorReply(
                code: .forbidden, field: field,
                detail: "field `\(field)`: \(channel) is for operators and services, as all topics in private. are.")
        }
        if channel.hasPrefix(Channel.lines) {
            let line = Self.line(of: channel)
            if !catalog.isLoading(line: line), catalog.current.lines[line] == nil {
                return ErrorReply(
                    code: .notFound, field: field,
                    detail: "field `\(field)`: \(settings.city.id) has no line \(line).")
            }
        }
        return nil
    }

    private static func line(of channel: String) -> String { String(channel.dropFirst(Channel.lines.count)) }

    private func refuseTopic(_ message: ClientMessage, _ session: Session) {
        refuse(
            session, message.id, .badMessage,
            "field `channel`: expected topic: and 1 to 64 characters of A-Z a-z 0-9 _ . -", field: "channel")
    }
}
