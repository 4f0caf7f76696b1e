import Domain
import EventLoop
import Logging
import RedisLink
import Telemetry
import Wire

extension Capability {
    /// Calls the function of a command and sends its answer as the one reply to the message. `then` is given the reply first.
    func call(
        _ function: String, _ arguments: FunctionArguments, more: [RedisArgument] = [], _ message: ClientMessage,
        _ session: Session, then: ((JSONValue) -> Void)? = nil
    ) {
        let (began, budget) = (loop.now, session.budget)
        functions.command(function, arguments, more: more) { answer in
            self.metrics.commandTook(milliseconds: self.loop.now - began)
            if let then, case .ok(let json) = answer, let reply = try? JSONValue(parsing: json) { then(reply) }
            self.answer(answer, to: message, session, orCharge: budget)
        }
    }

    /// Calls the function of a command whose effect is written to a journal before its answer is sent.
    /// - Parameters:
    ///   - hidden: members of the reply that are for the journal, and not sent.
    ///   - then: is given the reply with them, nil if the command was refused; and what sends the answer without them as the one reply to the
    ///     message, to be called once.
    func callForJournal(
        _ function: String, _ arguments: FunctionArguments, hidden: [String], _ message: ClientMessage,
        _ session: Session, then: @escaping (JSONValue?, @escaping () -> Void) -> Void
    ) {
        let (began, budget) = (loop.now, session.budget)
        functions.command(function, arguments) { answer in
            self.metrics.commandTook(milliseconds: self.loop.now - began)
            let (reply, sent) = Self.hide(hidden, in: answer)
            then(reply) { self.answer(sent, to: message, session, orCharge: budget) }
        }
    }

    /// The reply as it is, nil: it was refused; and the answer without these members of it.
    private static func hide(_ hidden: [String], in answer: RedisFunctions.Answer)
        -> (reply: JSONValue?, sent: RedisFunctions.Answer)
    {
        guard case .ok(let json) = answer, let reply = try? JSONValue(parsing: json) else { return (nil, answer) }
        guard var members = reply.members, hidden.contains(where: { members[$0] != nil }) else {
            return (reply, answer)
        }
        for name in hidden { members[name] = nil }
        var writer = JSONWriter()
        writer.value(.object(members))
        return (reply, .ok(writer.bytes))
    }

    /// Sends an answer. If the session is closed, the answer was read all the same, and `budget` is charged: its subject's, which a session that is
    /// closed has no more.
    func answer(
        _ answer: RedisFunctions.Answer, to message: ClientMessage, _ session: Session, orCharge budget: Budget
    ) {
        if sessions.has(session) {
            self.answer(answer, to: message, session)
        } else if case .ok(let json) = answer {
            services.budgets.charge(CommandPrice.answer(json.count), to: budget)
        }
    }

    func answer(_ answer: RedisFunctions.Answer, to message: ClientMessage, _ session: Session) {
        switch answer {
        case .ok(let json):
            services.budgets.charge(CommandPrice.answer(json.count), to: session)
            reply(session, message.id, json, to: message.command.name)
        case .refused(let code, let detail, let retryAfterMs):
            refuse(session, message.id, ErrorCode(rawValue: code) ?? .internal, detail, retryAfterMs: retryAfterMs)
        case .unavailable:
            refuse(
                session, message.id, .unavailable, "The hub can't reach its store now; send it again with the same key."
            )
        case .failed(let text):
            log.error("\(message.command.name) failed: \(text)")
            refuse(session, message.id, .internal, "The hub could not carry out \(message.command.name).")
        }
    }

    /// Begins a command when its turn has come, unless its session is closed meanwhile, or is another subject's.
    /// The command is refused with `detail` when too many of its subject wait.
    func inTurn(
        _ turns: SubjectTurns, _ message: ClientMessage, _ session: Session, orRefuse detail: String,
        _ begin: @escaping SubjectTurns.Piece
    ) {
        let isTaken = turns.add(session.budget) { [budget = session.budget] ended in
            self.sessions.has(session) && session.budget === budget && begin(ended)
        }
        if !isTaken { refuse(session, message.id, .rateLimited, detail) }
    }

    /// Begins to read a list when its turn has come: all lists of a worker stand in one line.
    func inLists(_ message: ClientMessage, _ session: Session, _ begin: @escaping SubjectTurns.Piece) {
        inTurn(services.lists, message, session, orRefuse: ErrorReply.manyLists.detail, begin)
    }

    /// Reads a list in its turn, and answers it whole.
    /// - Parameters:
    ///   - rest: the call that reads a portion of it, by its ids, if the function answers a long list in portions (portions.lua). Nil: it
    ///     doesn't.
    ///   - price: of so many bytes of it, beyond what the command costs; paid as they are read, whoever is there to take it.
    func list(
        _ function: String, _ arguments: FunctionArguments, rest: ListPortions.Rest? = nil, _ message: ClientMessage,
        _ session: Session, price: @escaping (Int) -> Double = { _ in 0 }
    ) {
        inLists(message, session) { ended in
            let (began, budget) = (self.loop.now, session.budget)
            self.readPortion(function, arguments, of: ListPortions(rest: rest), session) { bytes in
                self.services.budgets.charge(price(bytes), to: budget)
            } then: { answer in
                self.metrics.commandTook(milliseconds: self.loop.now - began)
                ended()
                self.answer(answer, to: message, session, orCharge: budget)
            }
            return true
        }
    }

    /// The next portion of a list, and then the rest. `charge` is given how many bytes each brought, `then` the answer; what has been read
    /// until then, if the session is closed.
    private func readPortion(
        _ function: String, _ arguments: FunctionArguments, of list: ListPortions, _ session: Session,
        charge: @escaping (Int) -> Void, then: @escaping (RedisFunctions.Answer) -> Void
    ) {
        functions.call(function, arguments) { result in
            var list = list
            let step = list.take(result)
            charge(list.brought)
            switch step {
            case .over(let answer): then(answer)
            case .more(let function, let arguments):
                guard self.sessions.has(session) else { return then(.ok(list.json)) }
                self.readPortion(function, arguments, of: list, session, charge: charge, then: then)
            }
        }
    }

    /// Who asks in whose name, as the functions take it (`callers.once`); empty: somebody in its own.
    func by(_ message: ClientMessage, _ session: Session) -> String {
        guard let caller = message.caller, let identity = session.identity else { return "" }
        return "\(identity.subject)\n\(caller.name)\n\(caller.number)"
    }

    /// The elements of an answer; nil, and a line in the log, when the call has failed.
    func elements(_ result: Result<RedisReply, RedisFailure>, of function: String) -> [RedisReply]? {
        switch result {
        case .success(let reply): return reply.array
        case .failure(.server(let text)): log.error("\(function) failed: \(text)")
        case .failure: break
        }
        return nil
    }
}

extension ErrorReply {
    /// Too many lists of a subject wait.
    static let manyLists = ErrorReply(
        code: .rateLimited,
        detail: "\(SubjectTurns.mostLists) lists that you have asked for wait; ask again when they are answered.")
}
