import Domain
import RedisLink
import Settings
import Telemetry
import WebSocketServer
import Wire

/// Where a client's message enters: read, checked against the rate and the role, handed to the capability that it is for.
final class CommandRouter: Capability {
    let services: WorkerServices
    private let sessionsOfClients: Sessions
    private let positions: Positions
    /// Asked in this order.
    private let capabilities: [any Capability]

    init(_ services: WorkerServices, _ clients: Sessions, _ positions: Positions, _ capabilities: [any Capability]) {
        self.services = services
        sessionsOfClients = clients
        self.positions = positions
        self.capabilities = capabilities
    }

    func receive(_ connection: ConnectionID, _ bytes: UnsafeRawBufferPointer, _ isText: Bool) {
        guard let session = sessions[connection], session.phase != .closing else { return }
        guard isText == (session.encoding == .json) else {
            return close(session, .unsupportedData, isText ? "only binary messages are understood" : nil)
        }
        metrics.messages.increment()
        let isStranger = session.identity == nil
        if isStranger, bytes.count > CommandPrice.strangersBytes {
            return close(session, .messageTooBig, "say hello first, with at most \(CommandPrice.strangersBytes) bytes")
        }
        let (decoded, readBytes) = outbox.decode(bytes, session.encoding)
        take(decoded, readBytes, isStranger: isStranger, session)
    }

    /// One command of a request: its reply goes to the session's `onReply`.
    func receive(_ decoded: Decoded, readBytes: Int, of session: Session) {
        metrics.messages.increment()
        take(decoded, readBytes, isStranger: false, session)
    }

    /// Charges its sender, and answers what could not be read.
    private func take(_ decoded: Decoded, _ readBytes: Int, isStranger: Bool, _ session: Session) {
        let reading = max(1, CommandPrice.size(readBytes))
        let strangers = isStranger ? session.budget.bucket.capacity / CommandPrice.strangersMessages : 0
        let least = max(reading, strangers)
        switch decoded {
        case .refused(let id, let error):
            guard services.budgets.take(least, of: session, id, reading: reading) else { return }
            refuse(session, id, error)
        case .message(let message):
            let price =
                max(CommandPrice.of(message.command), least) + (session.onReply == nil ? 0 : CommandPrice.request)
            if case .safety(.sos) = message.command, !isStranger, services.budgets.takeAlarm(of: session) {
                // It waits for nothing: its connection may be gone by then.
                return route(message, session)
            }
            guard services.budgets.take(price, of: session, message.id, reading: reading) else { return }
            begin(message, session)
        }
    }

    /// Carries it out when not too much of its subject is under way. Of a WebSocket no message comes before; what comes by
    /// requests is paid and waits here, as many as their sender can pay at once.
    func begin(_ message: ClientMessage, _ session: Session) {
        let inbound = session.budget.inbound
        guard inbound.mustWait else { return route(message, session) }
        inbound.whenAnswered {
            guard self.sessions.has(session), session.phase != .closing else { return }
            self.begin(message, session)
        }
    }

    /// To the capability that handles the command. What that asks of Redis counts for the subject.
    private func route(_ message: ClientMessage, _ session: Session) {
        commands.sending(for: session.budget) { carryOut(message, session) }
    }

    private func carryOut(_ message: ClientMessage, _ session: Session) {
        if case .session(.hello(let token, let resume)) = message.command {
            return sessionsOfClients.hello(session, message.id, token: token, resume: resume)
        }
        guard var identity = session.identity, session.phase != .silent else {
            return refuse(session, message.id, .unauthenticated, "Say hello with a token first.")
        }
        if session.phase == .catchingUp {
            guard session.waiting.count < settings.server.commandsBurst else {
                return refuse(session, message.id, .unavailable, "The hub is reading what you missed; send it again.")
            }
            return session.waiting.append(message)
        }
        // Nearly all messages are positions: they take no way round.
        if case .position(let fix) = message.command, let vehicle = positions.vehicle(of: session) {
            return positions.position(fix, message.id, session, vehicle)
        }
        if let caller = message.caller {
            guard identity.role == .operator else {
                return refuse(
                    session, message.id, .forbidden, "field `on_behalf_of`: only operators ask for others.",
                    field: "on_behalf_of")
            }
            identity = identity.asking(for: caller)
        }
        guard Permissions.may(identity.role, isGuest: identity.isGuest, message.command) else {
            return forbid(message, session, identity)
        }
        guard session.onReply == nil || message.command.rule.rolesOverHTTP.contains(identity.role) else {
            return outbox.refuse(session, nil, .needsConnection(message.command.name))
        }
        guard !capabilities.contains(where: { $0.handle(message, session, identity) }) else { return }
        if case .channels(.subscribe(let channel, _, _)) = message.command {
            return refuse(
                session, message.id, .forbidden,
                "field `channel`: \(channel) is not yours to read, or there is no such channel.", field: "channel")
        }
        forbid(message, session, identity)
    }

    private func forbid(_ message: ClientMessage, _ session: Session, _ identity: Identity) {
        let role = identity.isGuest ? "passenger without an account" : identity.role.rawValue
        if case .channels(.watch) = message.command {
            return refuse(
                session, message.id, .forbidden, "field `channel`: near is not for the role \(role) to watch.",
                field: "channel")
        }
        let isForCallers = identity.role == .operator && message.command.rule.forCallers
        refuse(
            session, message.id, .forbidden,
            "The command \(message.command.name) is not for the role \(role)"
                + (isForCallers ? ", but for whom it asks for: name who telephones in `on_behalf_of`." : "."))
    }
}
