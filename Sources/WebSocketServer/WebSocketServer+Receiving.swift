internal import EventLoop

extension WebSocketServer {
    func read(_ id: ConnectionID, _ bytes: UnsafeMutableRawBufferPointer) -> Bool {
        guard let connection = connections[id] else { return false }
        counts.bytesIn += bytes.count
        switch connection.phase {
        case .http:
            connection.http?.append(UnsafeRawBufferPointer(bytes))
            // Nobody needs to say more than this before it has heard the answer.
            guard !connection.isAsking || connection.http?.waitingBytes ?? 0 <= rules.maxHeadBytes + rules.maxBodyBytes
            else { return false }
            readRequests(connection)
        case .open:
            connection.lastHeard = now
            readFrames(connection, bytes)
        case .closing:
            // Who is closing because the peer broke the protocol reads no more; else a close frame is awaited.
            if connection.farewell == .peer { readFrames(connection, bytes) }
        }
        return true
    }

    func closed(_ id: ConnectionID) {
        guard let connection = connections[id] else { return }
        if connection.phase == .open {
            connectionCount -= 1
            untoldCloses.append((id, 1006))
        }
        queuedBytes -= connection.queuedBytes
        connection.socket = nil
        connection.descriptor = -1
        wheel.cancel(id.rawValue)
        connections.remove(id)
        let key = connection.address.limitKey
        if let count = perAddress[key] { perAddress[key] = count > 1 ? count - 1 : nil }
        loop.wantAnotherTurn()
    }

    // MARK: HTTP

    private func readRequests(_ connection: Connection) {
        guard !connection.isReadingRequests else { return }
        connection.isReadingRequests = true
        defer { connection.isReadingRequests = false }
        while connection.phase == .http, !connection.isAsking, let step = connection.http?.next() {
            switch step {
            case .needsMore: return
            case .wantsContinue: queue(connection, Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
            case .refused(let response):
                counts.refusedMalformed += 1
                respond(connection, response, keepsAlive: false)
            case .request(var request):
                connection.lastHeard = now
                request.remoteAddress = connection.address.text
                handle(connection, request)
            }
        }
    }

    private func handle(_ connection: Connection, _ request: HTTPRequest) {
        switch handshake.decide(request) {
        case .accepted(let response, let subprotocol): open(connection, request, response, subprotocol)
        case .refused(let response, let reason):
            switch reason {
            case .origin: counts.refusedOrigin += 1
            case .subprotocol: counts.refusedSubprotocol += 1
            case .malformed: counts.refusedMalformed += 1
            }
            respond(connection, response, isHead: request.method == "HEAD", keepsAlive: request.keepsAlive)
        case .notUpgrade:
            counts.httpRequests += 1
            // A client that asks without reading the answers gets no more of them.
            let keepsAlive = request.keepsAlive && connection.queuedBytes < rules.maxOutboundBytes
            let id = connection.id
            connection.isAsking = true
            onHTTP(request) { [link] response in
                link.server?.answered(id, response, isHead: request.method == "HEAD", keepsAlive: keepsAlive)
            }
        }
    }

    private func answered(_ id: ConnectionID, _ response: HTTPResponse, isHead: Bool, keepsAlive: Bool) {
        guard let connection = connections[id], connection.isAsking else { return }
        connection.isAsking = false
        connection.lastHeard = now
        respond(connection, response, isHead: isHead, keepsAlive: keepsAlive)
        // What came meanwhile. At once when this is called from within it.
        readRequests(connection)
    }

    private func respond(_ connection: Connection, _ response: HTTPResponse, isHead: Bool = false, keepsAlive: Bool) {
        queue(connection, response.encoded(isHead: isHead, keepsAlive: keepsAlive, unixTime: unixTime))
        if !keepsAlive { part(connection, .end) }
    }

    private func open(
        _ connection: Connection, _ request: HTTPRequest, _ response: [UInt8], _ subprotocol: String?
    ) {
        // What the client sent in the same breath is frames.
        var rest = connection.http?.takeRest() ?? []
        connection.http = nil
        connection.phase = .open
        counts.opened += 1
        connectionCount += 1
        queue(connection, response)
        scheduleLiveness(connection)
        onOpen(
            connection.id,
            OpenInfo(
                remoteAddress: request.remoteAddress, bearerToken: request.bearerToken, subprotocol: subprotocol,
                origin: request.origin))
        if !rest.isEmpty { rest.withUnsafeMutableBytes { readFrames(connection, $0) } }
    }

    // MARK: Frames

    /// Messages are limited by who reads them; control frames never get there.
    private func isWithinControlRate(_ connection: Connection) -> Bool {
        let second = loop.now / 1000
        if connection.controlSecond != second {
            connection.controlSecond = second
            connection.controlFrames = 0
        }
        connection.controlFrames += 1
        guard connection.controlFrames > rules.controlFramesPerSecond else { return true }
        close(connection.id, code: rules.floodCode, reason: "too many pings")
        return false
    }

    private func readFrames(_ connection: Connection, _ bytes: UnsafeMutableRawBufferPointer) {
        var input = bytes
        while let event = connection.frames.next(&input) {
            // While closing, only the peer's close frame and its mistakes count.
            let isOpen = connection.phase == .open
            switch event {
            case .message(let message, let isText):
                guard isOpen else { continue }
                counts.messagesIn += 1
                onMessage(connection.id, message, isText)
            case .ping(let payload):
                if isOpen, isWithinControlRate(connection) { queueFrame(connection, .pong(payload)) }
            case .pong:
                if isOpen, isWithinControlRate(connection) { onPong(connection.id) }
            case .close(let code, _):
                guard isOpen else { return part(connection, .end) }
                finish(connection, telling: code ?? 1005, sending: .close(code), then: .end)
            case .failure(let failure):
                guard isOpen else { return part(connection, .end) }
                counts.closedProtocol += 1
                finish(
                    connection, telling: failure.closeCode, sending: .close(failure.closeCode, failure.reason),
                    then: .end)
            }
            if connection.phase == .closing && connection.farewell != .peer { return }
        }
    }
}
