internal import CLibwebsockets

/// Requests and their answers, one after the other: a connection's next request is read when the last answer has gone out,
/// and one in each turn, so that who sends many at once holds up nobody else. They are read at the end of the turn, by turns
/// of the addresses, as far as its time for them goes, and their answers are written as far as its bytes go: many who ask hold
/// up no WebSocket, nor those of another address.
extension WebSocketServer {
    /// Bytes of answers in one turn, and nanoseconds, and a write's more: the first write to a socket takes 30 to 100 µs.
    static let answerBytes = 1 << 18
    static let answersNs: UInt64 = 300_000
    /// An answer with a larger body is refused when too much waits.
    private static let largeBytes = 16_384
    /// Who asks while too much waits is told to come back after so many seconds.
    private static let retryAfter = "5"

    /// False closes the socket.
    func readRequest(_ connection: Connection, _ bytes: UnsafeRawBufferPointer) -> Bool {
        endHandshake(connection)
        connection.http?.append(bytes)
        connection.lastPiece = now
        pause(connection)
        countHeld(connection)
        if !connection.isAsking, connection.queuedBytes == 0 {
            resume(connection)
            return true
        }
        // Nobody needs to say more than this before it has taken the answer.
        return connection.http?.waitingBytes ?? 0 <= rules.maxHeadBytes + rules.maxBodyBytes
    }

    /// False: there is no whole request.
    func readNext(_ connection: Connection) -> Bool {
        switch connection.http?.next() {
        case .needsMore, nil: return false
        case .wantsContinue: queue(connection, answer: Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
        case .refused(let response):
            counts.refusedMalformed += 1
            respond(connection, response, keepsAlive: false)
        case .request(var request):
            connection.lastHeard = now
            connection.requests += 1
            connection.reads = 0
            let named = client(of: request, by: connection)
            let address = named ?? connection.address
            connection.network = address.network
            request.remoteAddress = address.text
            request.remoteNetwork = connection.network.text
            request.isFromLoopback = named == nil && connection.address.isLoopback
            handle(connection, request)
        }
        return true
    }

    /// For whom a proxy on this machine asks, if it is to be believed: the last address of the header is what it added itself, those before it
    /// are what it was told. Where that can't be read, all have the proxy's own address, so that limits hold for them together: clients
    /// without an address would have none. nil: nobody is named.
    private func client(of request: HTTPRequest, by connection: Connection) -> PeerAddress? {
        guard let header = rules.realIPHeader, connection.address.isLoopback, let named = request.header(header) else {
            return nil
        }
        let last = named.split(separator: ",", omittingEmptySubsequences: false).last?.trimmingSpaces() ?? ""
        if let address = PeerAddress(last) { return address }
        onUnreadableClient(String(last))
        return connection.address
    }

    private func handle(_ connection: Connection, _ request: HTTPRequest) {
        // A proxy that took a refused upgrade for an accepted one lets pass whatever a client sends after it.
        let keepsAlive =
            request.keepsAlive && connection.requests < rules.maxRequests && !request.hasToken("upgrade", "websocket")
        switch handshake.decide(request) {
        case .accepted(let response, let subprotocol): open(connection, request, response, subprotocol)
        case .refused(let response, let reason):
            switch reason {
            case .origin: counts.refusedOrigin += 1
            case .subprotocol: counts.refusedSubprotocol += 1
            case .malformed: counts.refusedMalformed += 1
            }
            respond(connection, response, isHead: request.method == "HEAD", keepsAlive: keepsAlive)
        case .notUpgrade:
            counts.httpRequests += 1
            let id = connection.id
            connection.isAsking = true
            onHTTP(request) { [link] response in
                link.server?.answered(id, request, response, keepsAlive: keepsAlive)
            }
        }
    }

    private func answered(_ id: ConnectionID, _ request: HTTPRequest, _ response: HTTPResponse, keepsAlive: Bool) {
        // One that leaves is told so instead.
        guard let connection = connections[id], connection.isAsking, !connection.isLeaving else { return }
        connection.isAsking = false
        defer { countHeld(connection) }
        if let messages = response.stream { return openStream(connection, request, response, messages) }
        respond(connection, response, isHead: request.method == "HEAD", keepsAlive: keepsAlive)
    }

    func respond(_ connection: Connection, _ response: HTTPResponse, isHead: Bool = false, keepsAlive: Bool) {
        let response = hasRoom(for: response) ? response : refusal()
        let body = isHead || !response.mayHaveBody ? [] : response.body
        connection.answer = AnswerPace(at: now, rules)
        queue(connection, answer: response.head(keepsAlive: keepsAlive, unixTime: unixTime), body)
        if keepsAlive {
            schedule(connection, afterMs: rules.answerWindowMs)
        } else {
            part(connection, .end)
        }
    }

    private func hasRoom(for response: HTTPResponse) -> Bool {
        guard response.body.count >= Self.largeBytes else { return true }
        let cost = held.cost(of: response.body)
        return held.count + cost <= rules.maxHeldBytes && bytesKept + cost <= rules.maxKeptBytes
    }

    /// `isUnderWay`: in place of the answer to a request that its owner was given already.
    func refusal(isUnderWay: Bool = false) -> HTTPResponse {
        counts.refusedFull += 1
        let detail =
            isUnderWay
            ? "it may have been carried out. Ask again in some seconds, a command with the same Idempotency-Key."
            : "ask again in some seconds."
        var response = HTTPResponse.text(503, "Too much waits here for slow readers; \(detail)")
        response.headers = [(name: "Retry-After", value: Self.retryAfter)]
        return response
    }

    /// All that was to be said has gone out: what came meanwhile is read at the end of the turn.
    func answerIsOut(_ connection: Connection) {
        guard connection.answer != nil || connection.http?.waitingBytes ?? 0 > 0 else { return }
        if connection.answer != nil {
            connection.answer = nil
            connection.lastHeard = now
            schedule(connection, afterMs: rules.headerTimeoutMs)
        }
        if connection.http?.waitingBytes ?? 0 > 0 { resume(connection) }
    }

    private func open(
        _ connection: Connection, _ request: HTTPRequest, _ response: [UInt8], _ subprotocol: String?
    ) {
        // What the client sent in the same breath is frames.
        connection.unread = connection.http?.takeRest() ?? []
        if !hasStrangers { connection.frames.allow(messageBytes: rules.maxMessageBytes) }
        begin(connection, request, response, subprotocol)
    }

    /// From now on it is told messages, and has a session; `answer` goes out first.
    func begin(_ connection: Connection, _ request: HTTPRequest, _ answer: [UInt8], _ subprotocol: String?) {
        connection.http = nil
        connection.phase = .open
        connection.isStranger = hasStrangers
        if let socket = connection.socket {
            Listener.expectFrames(lws_get_socket_fd(socket))
            if sockets?.isResumed(socket) == true { counts.resumedTLS += 1 }
        }
        counts.opened += 1
        connectionCount += 1
        queue(connection, answer)
        scheduleLiveness(connection)
        onOpen(
            connection.id,
            OpenInfo(
                remoteAddress: request.remoteAddress, bearerToken: request.bearerToken, subprotocol: subprotocol,
                origin: request.origin))
        if !connection.unread.isEmpty { resume(connection) }
    }

    // MARK: Slow readers

    /// No request was completed in time: a slow attack, or a connection that is kept for nothing.
    func checkRequest(_ connection: Connection) {
        guard connection.answer == nil else { return checkAnswer(connection) }
        guard !checkArrival(connection) else { return }
        let deadline = connection.lastHeard + rules.headerTimeoutMs
        guard deadline <= now else { return schedule(connection, afterMs: deadline - now) }
        // The answer is due from us.
        guard !connection.isAsking, !connection.isResuming else {
            return schedule(connection, afterMs: rules.headerTimeoutMs)
        }
        guard mayEnd(connection) else { return }
        counts.timedOutHeader += 1
        cut(connection)
    }

    /// At the end of a window: whoever takes an answer too slowly is cut.
    func checkAnswer(_ connection: Connection) {
        if connection.answer?.isTooSlow(at: now) == true {
            guard mayEnd(connection) else { return }
            counts.timedOutAnswer += 1
            return abandon(connection)
        }
        let end = connection.answer?.windowEnd ?? now
        schedule(connection, afterMs: end > now ? end - now : 0)
    }
}
