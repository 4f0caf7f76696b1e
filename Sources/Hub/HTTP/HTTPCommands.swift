import Domain
import Logging
import RedisLink
import Settings
import Tokens
import WebSocketServer
import Wire

/// Commands over HTTP: `POST /v1/commands/<name>`, and readings by `GET`. Each is the command of the WebSocket, on the same way, with
/// the same rights, prices and errors; its one reply is the answer. What needs a connection is refused by name.
final class HTTPCommands {
    private let services: WorkerServices
    /// Where a command goes on as one of a WebSocket does.
    var receive: (_ decoded: Decoded, _ readBytes: Int, _ session: Session) -> Void = { _, _, _ in }

    /// JSON of the buses of a line; nil: it can't be read now.
    var buses: (_ line: String, _ then: @escaping ([UInt8]?) -> Void) -> Void = { $1(nil) }

    /// What is answered for a command's reply.
    var page: (_ json: [UInt8], _ form: HTTPReading.Form, _ request: HTTPRequest) -> HTTPResponse = { json, _, _ in
        .json(json)
    }

    private static let prefix = "/v1/commands/"

    init(_ services: WorkerServices) { self.services = services }

    /// False: the path is another's.
    func answer(_ request: HTTPRequest, _ answer: @escaping (HTTPResponse) -> Void) -> Bool {
        if request.path.utf8.starts(with: Self.prefix.utf8) {
            post(request, answer)
            return true
        }
        guard let reading = HTTPReading(request.path) else { return false }
        guard request.method == "GET" || request.method == "HEAD" else {
            answer(.wrongMethod(allowed: "GET, HEAD", "Ask with GET."))
            return true
        }
        get(reading, request, answer)
        return true
    }

    // MARK: commands

    private func post(_ request: HTTPRequest, _ answer: @escaping (HTTPResponse) -> Void) {
        let name = String(request.path.utf8.dropFirst(Self.prefix.utf8.count)) ?? ""
        guard let rule = Command.rule(named: name) else {
            return answer(
                .refusal(
                    ErrorReply(
                        code: .unknownCommand,
                        detail: "There is no command at \(request.quotedPath); /v1/openapi.json lists them.")))
        }
        guard request.method == "POST" else {
            return answer(.wrongMethod(allowed: "POST", "Send the command with POST."))
        }
        guard request.body.isEmpty || request.isJSON else {
            return answer(.problem(415, "Unsupported media type", "Send the fields as application/json."))
        }
        identify(request, answer) { identity in
            guard !rule.rolesOverHTTP.isEmpty else { return answer(.refusal(.needsConnection(name))) }
            let key = request.idempotencyKey
            self.ask(name, request.body.isEmpty ? Array("{}".utf8) : request.body, key: key, identity, answer)
        }
    }

    /// A command whose fields are these goes its way; what is replied is the answer.
    private func ask(
        _ name: String, _ fields: [UInt8], key: String? = nil, _ identity: Identity,
        _ answer: @escaping (HTTPResponse) -> Void, page: @escaping ([UInt8]) -> HTTPResponse = { .json($0) }
    ) {
        let session = session(of: identity, answer, page: page)
        let decoded = fields.withUnsafeBytes { decode(fields: $0, of: name, key: key) }
        receive(decoded, fields.count, session)
    }

    private func session(
        of identity: Identity, _ answer: @escaping (HTTPResponse) -> Void,
        page: @escaping ([UInt8]) -> HTTPResponse = { .json($0) }
    ) -> Session {
        Session(of: identity, budget: services.budgets.budget(of: identity)) { reply in
            switch reply {
            case .success(let json): answer(page(json))
            case .failure(let error): answer(.refusal(error))
            }
        }
    }

    // MARK: who asks

    /// Like hello: the token of the header, proved anew for each request.
    private func identify(
        _ request: HTTPRequest, _ answer: (HTTPResponse) -> Void, _ then: (Identity) -> Void
    ) {
        guard let token = request.bearerToken else {
            return answer(
                .unidentified(
                    .unauthenticated, "Send a token as `Authorization: Bearer …`; make one with `kerbside token`."))
        }
        do throws(TokenError) {
            let claims = try services.claims(of: token)
            guard services.clock.isSet, services.commands.isUp else {
                return answer(
                    .refusal(ErrorReply(code: .unavailable, detail: "The hub can't reach its store now; ask again.")))
            }
            let hasChannel = claims.role == .driver || claims.role == .busDriver || claims.role == .passenger
            then(
                Identity(
                    claims: claims, channel: hasChannel ? "\(claims.role.rawValue):\(claims.subject)" : "",
                    expiresAt: claims.expiresAt * 1000))
        } catch {
            answer(
                .unidentified(error == .wrongCity ? .forbidden : .unauthenticated, "\(error)", error: "invalid_token"))
        }
    }

    // MARK: readings

    private func get(_ reading: HTTPReading, _ request: HTTPRequest, _ answer: @escaping (HTTPResponse) -> Void) {
        identify(request, answer) { identity in
            switch reading.what {
            case .command(let name, let fields):
                do throws(ErrorReply) {
                    ask(name, try reading.body(fields, request.query), identity, answer) { json in
                        self.page(json, reading.form, request)
                    }
                } catch {
                    answer(.refusal(error))
                }
            case .requests: tellRequests(identity, answer)
            case .buses(let line): tellBuses(line, identity, answer)
            case .zones: tellZones(identity, answer)
            case .unreadable:
                answer(
                    .refusal(ErrorReply(code: .notFound, detail: "There is nothing at \(request.quotedPath).")))
            }
        }
    }

    /// Takes the price of a reading that is no command; nil: it was refused.
    private func paid(_ identity: Identity, price: Double, _ answer: @escaping (HTTPResponse) -> Void) -> Session? {
        let session = session(of: identity, answer)
        return services.budgets.take(price + CommandPrice.request, of: session, nil) ? session : nil
    }

    /// How the passenger's own ride, booking and requests stand: the snapshot of its channel.
    private func tellRequests(_ identity: Identity, _ answer: @escaping (HTTPResponse) -> Void) {
        guard let session = paid(identity, price: CommandPrice.requests, answer) else { return }
        guard identity.role == .passenger else {
            return services.outbox.refuse(
                session, nil,
                ErrorReply(code: .forbidden, detail: "Requests are not for the role \(identity.role.rawValue)."))
        }
        tell("passenger_state", ["passenger": RedisArgument(identity.subject)], session) { $0.bytes }
    }

    /// The buses on their tours, with position and free seats: the snapshot of the line's channel, for the same readers.
    private func tellBuses(_ line: String, _ identity: Identity, _ answer: @escaping (HTTPResponse) -> Void) {
        guard let session = paid(identity, price: CommandPrice.snapshot, answer) else { return }
        guard !services.catalog.isLoading(line: line) else {
            return services.outbox.refuse(
                session, nil,
                ErrorReply(code: .unavailable, detail: "The lines are being loaded; ask again in a moment."))
        }
        guard services.catalog.current.lines[line] != nil else {
            return services.outbox.refuse(
                session, nil,
                ErrorReply(
                    code: .notFound, field: "line",
                    detail: "field `line`: \(services.settings.city.id) has no line \(line)."))
        }
        buses(line) { json in
            guard let json else { return self.cannotRead(session) }
            self.reply(session, json, to: "buses")
        }
    }

    private func tell(
        _ function: String, _ arguments: FunctionArguments, _ session: Session,
        _ json: @escaping (RedisReply) -> [UInt8]?
    ) {
        let isTaken = services.lists.add(session.budget) { ended in
            self.read(function, arguments, session, json, ended)
            return true
        }
        if !isTaken { services.outbox.refuse(session, nil, .manyLists) }
    }

    private func read(
        _ function: String, _ arguments: FunctionArguments, _ session: Session,
        _ json: @escaping (RedisReply) -> [UInt8]?, _ ended: @escaping () -> Void
    ) {
        services.functions.call(function, arguments) { result in
            ended()
            if case .success(let reply) = result, let json = json(reply) {
                return self.reply(session, json, to: function)
            }
            if case .failure(.server(let text)) = result { self.services.log.error("\(function) failed: \(text)") }
            self.cannotRead(session)
        }
    }

    private func cannotRead(_ session: Session) {
        services.outbox.refuse(
            session, nil, ErrorReply(code: .unavailable, detail: "The hub can't reach its store now; ask again."))
    }

    private func tellZones(_ identity: Identity, _ answer: @escaping (HTTPResponse) -> Void) {
        guard let session = paid(identity, price: CommandPrice.snapshot, answer) else { return }
        guard let set = services.zones.set else {
            return services.outbox.refuse(
                session, nil, ErrorReply(code: .zonesUnknown, detail: "The zones are being loaded; ask again."))
        }
        var json = JSONWriter()
        json.beginObject()
        json.key("zones")
        json.beginArray()
        for zone in set.zones {
            json.beginObject()
            json.member("zone", zone.id)
            json.member("name", zone.name)
            json.member("area_m2", Int64(zone.area.rounded()))
            json.endObject()
        }
        json.endArray()
        json.endObject()
        reply(session, json.bytes, to: "zones")
    }

    /// What is read costs by its bytes, too.
    private func reply(_ session: Session, _ json: [UInt8], to reading: String) {
        services.budgets.charge(CommandPrice.missed(0, bytes: json.count), to: session)
        services.outbox.reply(session, nil, json, to: reading)
    }
}

extension ErrorReply {
    /// What is asked can't be asked with one request, or not by this role.
    static func needsConnection(_ command: String) -> ErrorReply {
        ErrorReply(
            code: .notAvailable,
            detail: "\(command) is of a connection: send it over the WebSocket at /v1/connect.")
    }
}

extension HTTPRequest {
    /// As the draft of the IETF has it, a string in quotes; or bare, as most send it.
    var idempotencyKey: String? {
        guard let key = header("idempotency-key") else { return nil }
        let bytes = key.utf8
        guard bytes.count >= 2, bytes.first == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\"") else { return key }
        return String(bytes.dropFirst().dropLast()) ?? key
    }
}
