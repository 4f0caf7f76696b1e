import Domain
import EventLoop
import RedisLink
import Settings
import Tokens
import WebSocketServer
import Wire

/// Where a network lets no WebSocket through: `POST /v1/stream` is answered by server-sent events, whose data are the messages that a
/// WebSocket would bring. Its body has the client's first messages, a line each, of which hello is the first; what it says later it sends to
/// `POST /v1/stream/<session>`, by whichever worker: that is passed to the one that has the stream.
final class Streams: MessageListener {
    let services: WorkerServices
    /// The streams here that have been greeted, by the name of their session.
    private var streams: [String: Session] = [:]
    private let said: [UInt8]
    /// What was passed to another worker, until it says whether it has the stream.
    private var passed: [UInt64: Passed] = [:]
    private var lastTicket: UInt64 = 0

    private struct Passed {
        let at: UInt64
        let answer: (HTTPResponse) -> Void
    }

    /// Begins what a worker answers; no session has a name like it.
    private static let heard = "heard"
    /// A worker that has not answered by then is gone, ms.
    private static let longestWaitMs: UInt64 = 5000

    private static let path = "/v1/stream"
    private static let hello = Array(#"{"id":1,"cmd":"hello"}"#.utf8)
    private static let longestName = 64
    /// Of strangers' messages, which have no price, each can bring an error that is longer than it is.
    private static let mostAtFirst = 16
    private static let longestAlarm = 1024

    init(_ services: WorkerServices) {
        self.services = services
        said = Array(services.keys.said(to: services.name).utf8)
    }

    func greeted(_ session: Session, _ identity: Identity) {
        guard server.isStream(session.connection) else { return }
        streams[session.name] = session
        // What is heard of it is what a proxy on the way has taken.
        session.leastSilentMs = settings.server.deadAfterMs
    }

    func closed(_ session: Session) { streams[session.name] = nil }

    /// False: the path is another's.
    func post(_ request: HTTPRequest, _ answer: @escaping (HTTPResponse) -> Void) -> Bool {
        guard request.path.utf8.starts(with: Self.path.utf8) else { return false }
        let rest = request.path.utf8.dropFirst(Self.path.utf8.count)
        guard rest.isEmpty || rest.first == UInt8(ascii: "/") else { return false }
        guard request.method == "POST" else {
            answer(.wrongMethod(allowed: "POST", "Open a stream with POST; its body begins with hello."))
            return true
        }
        guard request.body.isEmpty || request.isJSON else {
            answer(.problem(415, "Unsupported media type", "Send messages as application/json, one in a line."))
            return true
        }
        rest.isEmpty ? answer(open(request)) : say(String(rest.dropFirst()) ?? "", request, answer)
        return true
    }

    private func open(_ request: HTTPRequest) -> HTTPResponse {
        guard request.isOfPage(in: settings.server.allowedOrigins) else {
            return .refusal(
                ErrorReply(
                    code: .forbidden, detail: "This origin may not ask; see server.allowed_origins in the settings."))
        }
        let messages = Self.messages(request.body, most: Self.mostAtFirst)
        guard messages.count <= Self.mostAtFirst else {
            return .problem(
                400, "Bad request",
                "Begin with at most \(Self.mostAtFirst) messages, and send the others to the session.")
        }
        var response = HTTPResponse(
            status: 200, contentType: "text/event-stream",
            // A proxy that waits for more before it passes something on holds up all of it.
            headers: [("Cache-Control", "no-store"), ("X-Accel-Buffering", "no")])
        response.stream = messages.isEmpty ? [Self.hello] : messages
        return response
    }

    /// One more than is asked for is what is left.
    private static func messages(_ body: [UInt8], most: Int = .max) -> [[UInt8]] {
        body.split(maxSplits: most) { $0 == 10 || $0 == 13 }.map(Array.init)
    }

    // MARK: what is said later

    private func say(_ name: String, _ request: HTTPRequest, _ answer: @escaping (HTTPResponse) -> Void) {
        guard let token = request.bearerToken else {
            return answer(
                .unidentified(.unauthenticated, "Send the token of the stream as `Authorization: Bearer …`."))
        }
        let claims: TokenClaims
        do throws(TokenError) {
            claims = try services.claims(of: token)
        } catch {
            return answer(
                .unidentified(error == .wrongCity ? .forbidden : .unauthenticated, "\(error)", error: "invalid_token"))
        }
        let price = CommandPrice.request + CommandPrice.size(request.body.count)
        let person = Budgets.key(of: claims)
        let refusal = services.budgets.take(price, ofReader: person)
        // An alarm by itself passes whatever its sender has left, as over a WebSocket.
        if let refusal, !isAlarm(request.body) { return answer(.refusal(refusal)) }
        guard name.utf8.count <= Self.longestName, let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else {
            return answer(Self.isGone)
        }
        let (worker, speaker) = (String(name[..<dot]), Speaker(claims))
        guard worker != services.name else {
            // What is heard here takes its alarm there.
            return answer(hear(name, speaker, request.body) ? Self.isTaken : Self.isGone)
        }
        if let refusal, !services.budgets.takeAlarm(ofReader: person) { return answer(.refusal(refusal)) }
        guard commands.isUp else { return answer(SignIn.isAway) }
        lastTicket += 1
        let ticket = lastTicket
        passed[ticket] = Passed(at: services.loop.now, answer: answer)
        let words = Array("\(name)\n\(services.name) \(ticket)\n\(speaker.text)\n".utf8) + request.body
        commands.send(["PUBLISH", RedisArgument(keys.said(to: worker)), RedisArgument(words)]) { result in
            switch result {
            case .failure: self.close(ticket, SignIn.isAway)
            case .success(let reply): if reply.int ?? 0 == 0 { self.close(ticket, Self.isGone) }
            }
        }
    }

    private func close(_ ticket: UInt64, _ response: HTTPResponse) {
        passed.removeValue(forKey: ticket)?.answer(response)
    }

    /// Each second.
    func second() {
        for (ticket, one) in passed where services.loop.now - one.at > Self.longestWaitMs {
            close(ticket, SignIn.isAway)
        }
    }

    private func isAlarm(_ body: [UInt8]) -> Bool {
        guard body.count <= Self.longestAlarm else { return false }
        guard case .message(let message) = body.withUnsafeBytes({ outbox.decode($0, .json) }).0 else { return false }
        if case .safety(.sos) = message.command { return true }
        return false
    }

    func onMessage(_ channel: UnsafeRawBufferPointer, _ payload: UnsafeRawBufferPointer) -> Bool {
        guard channel.elementsEqual(said) else { return false }
        let parts = payload.split(separator: 10, maxSplits: 3, omittingEmptySubsequences: false)
        let words = parts.prefix(3).map { String(decoding: $0, as: UTF8.self) }
        if words.count == 3, words[0] == Self.heard {
            if let ticket = UInt64(words[1]) { close(ticket, words[2] == "1" ? Self.isTaken : Self.isGone) }
            return true
        }
        guard parts.count == 4, let speaker = Speaker(words[2]) else { return true }
        let isHeard = hear(words[0], speaker, Array(parts[3]))
        let asker = words[1].split(separator: " ")
        guard asker.count == 2 else { return true }
        let answer = "\(Self.heard)\n\(asker[1])\n\(isHeard ? "1" : "0")"
        commands.send(["PUBLISH", RedisArgument(keys.said(to: String(asker[0]))), RedisArgument(answer)]) { _ in }
        return true
    }

    /// False: there is no such stream of this person here. With nothing said it is left.
    private func hear(_ name: String, _ speaker: Speaker, _ body: [UInt8]) -> Bool {
        guard let session = streams[name], let identity = session.identity, speaker.speaks(for: identity.claims) else {
            return false
        }
        let messages = Self.messages(body)
        if messages.isEmpty { server.close(session.connection, code: CloseCode.normal.rawValue, reason: "") }
        return messages.allSatisfy { server.hear(session.connection, $0) }
    }

    private static let isTaken = HTTPResponse(status: 202)
    private static var isGone: HTTPResponse {
        .refusal(
            ErrorReply(code: .notFound, detail: "There is no such stream of yours, or not any more: open another one."))
    }
}
