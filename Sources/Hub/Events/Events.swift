import Domain
import RedisLink
import Tokens
import WebSocketServer
import Wire

/// The city's events for operators and services (`events:<pattern>`): who may follow what, and from where. What the followers are
/// sent is the business of ``EventReadings``.
final class Events: Capability {
    let services: WorkerServices
    let readings: EventReadings

    init(_ services: WorkerServices) {
        self.services = services
        readings = EventReadings(services)
    }

    func handle(_ message: ClientMessage, _ session: Session, _ identity: Identity) -> Bool {
        switch message.command {
        case .channels(.subscribe(let channel, _, let since)) where channel.hasPrefix(Channel.events):
            subscribe(channel, since: since, message, session, identity)
        case .channels(.unsubscribe(let channel)) where channel.hasPrefix(Channel.events):
            if let reading = readings.reading(of: channel, session) { readings.end(reading) }
            reply(session, message.id, Self.channelReply(channel), to: message.command.name)
        default: return false
        }
        return true
    }

    private func subscribe(
        _ channel: String, since: String?, _ message: ClientMessage, _ session: Session, _ identity: Identity
    ) {
        let selection: EventSelection
        switch selected(channel, identity) {
        case .failure(let denial):
            services.budgets.charge(Self.misspelt, to: session)
            return refuse(session, message.id, denial)
        case .success(let its): selection = its
        }
        guard let place = Self.place(since) else {
            return refuse(
                session, message.id, .badMessage,
                "field `since`: expected a seq of the channel, 0 for the oldest event that is kept, or a time in Unix ms."
            )
        }
        let known = readings.reading(of: channel, session)
        if let known, since == nil {
            // It stays where it is.
            guard let position = readings.position(of: known) else {
                if let id = message.id { known.asks.append(id) }
                return
            }
            return reply(session, message.id, Self.channelReply(channel, at: position), to: message.command.name)
        }
        guard known != nil || session.channels < WireLimits.feedChannels else {
            return refuse(
                session, message.id, .badMessage,
                "field `channel`: at most \(WireLimits.feedChannels) feeds and topics at once.", field: "channel")
        }
        guard commands.isUp else {
            return refuse(session, message.id, .unavailable, "The hub can't reach its store now; subscribe again.")
        }
        if let known { readings.end(known) }
        guard readings.mayJoin(session) else { return refuse(session, message.id, Self.tooMany("channel")) }
        join(channel, selection, place, session, identity, asks: message.id.map { [$0] } ?? [])
    }

    private func join(
        _ channel: String, _ selection: EventSelection, _ place: String, _ session: Session, _ identity: Identity,
        asks: [Int64]
    ) {
        readings.join(
            channel, selection, isPersonal: identity.claims.scopes.contains(.personalEvents), since: place, session,
            asks: asks)
    }

    /// What its hello named and it may follow, with the place from which it goes on.
    func greeting(_ session: Session, _ identity: Identity) -> [GreetedChannel] {
        points(session, identity).map { GreetedChannel(name: $0.channel, seq: StreamPosition(client: $0.since)?.text) }
    }

    /// Said without an id, as the hello itself has its reply.
    func greeted(_ session: Session, _ identity: Identity) {
        for point in session.resume where point.channel.hasPrefix(Channel.events) {
            if case .failure(let denial) = selected(point.channel, identity, field: "resume") {
                services.budgets.charge(Self.misspelt, to: session)
                refuse(session, nil, denial)
            }
        }
        for point in points(session, identity) {
            guard readings.mayJoin(session) else {
                refuse(session, nil, Self.tooMany("resume"))
                break
            }
            join(point.channel, point.selection, point.since, session, identity, asks: [])
        }
    }

    /// Where a place is none there is a gap, as on every channel.
    private func points(
        _ session: Session, _ identity: Identity
    ) -> [(channel: String, selection: EventSelection, since: String)] {
        session.resume.compactMap { point in
            guard point.channel.hasPrefix(Channel.events),
                case .success(let selection) = chosen(point.channel, identity)
            else { return nil }
            return (point.channel, selection, Self.place(point.seq) ?? Self.nowhere)
        }
    }

    private static func tooMany(_ field: String) -> ErrorReply {
        ErrorReply(
            code: .badMessage, field: field,
            detail:
                "field `\(field)`: you follow \(EventReadings.most) channels of events already, over all your connections; a wider pattern needs fewer."
        )
    }

    /// What it takes to find the names that are nearest to one that is unknown, in commands.
    private static let misspelt = 20.0

    /// A place that no log has.
    private static let nowhere = "0-1"

    /// As the function `events_read` is told where to begin; nil: it is no place.
    private static func place(_ since: String?) -> String? {
        guard let since else { return "" }
        if let position = StreamPosition(client: since) { return position.text }
        let isTime = !since.isEmpty && since.utf8.count <= 16 && since.utf8.allSatisfy { (48...57).contains($0) }
        return isTime ? since : nil
    }

    private func selected(
        _ channel: String, _ identity: Identity, field: String = "channel"
    ) -> Result<EventSelection, ErrorReply> {
        chosen(channel, identity).mapError { denial in
            switch denial {
            case .role:
                ErrorReply(
                    code: .forbidden, field: field,
                    detail: "field `\(field)`: \(channel) is for operators and services, as all events of the city are."
                )
            case .text(let problem):
                ErrorReply(
                    code: problem.isUnknown ? .notFound : .badMessage, field: field,
                    detail: "field `\(field)`: \(channel): \(problem.detail).")
            }
        }
    }

    private enum Denial: Error {
        case role
        case text(EventSelection.Problem)
    }

    private func chosen(_ channel: String, _ identity: Identity) -> Result<EventSelection, Denial> {
        guard identity.role == .operator || identity.role == .service else {
            return .failure(.role)
        }
        do throws(EventSelection.Problem) {
            return .success(try EventSelection(String(channel.dropFirst(Channel.events.count))))
        } catch {
            return .failure(.text(error))
        }
    }
}
