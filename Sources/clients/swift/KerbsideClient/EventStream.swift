import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A link for networks that let no WebSocket through: the hub's messages come as server-sent events of one long answer, the
/// client's go by requests, one after the other [H2]. It trusts whom the system trusts.
public let eventStream: Transport = { url, events in
    try EventStreamLink(url, events)
}

/// `URLSession` calls its delegate on one queue, so one after the other. It is Sendable because what changes is used under the
/// lock, and the rest is set once, before anything can be told.
private final class EventStreamLink: NSObject, Link, URLSessionDataDelegate, @unchecked Sendable {
    /// The largest event that is taken, bytes, so that a stranger can't fill the memory.
    private static let largest = 16 * 1024 * 1024

    private struct Said {
        var hello: (id: JSON?, token: String)?
        var token = ""
        var session = ""
        var waiting: [String] = []
        var isOpen = false
        var isSaying = false
        var isOver = false
    }

    private let lock = NSLock()
    private var said = Said()
    private let place: URL
    private let events: LinkEvents
    private var session: URLSession!
    /// What has come of an event that is not whole. Of the queue.
    private var rest = Data()

    init(_ url: URL, _ events: LinkEvents) throws {
        let schemes = ["ws": "http", "wss": "https"]
        guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: false), parts.host?.isEmpty == false,
            let scheme = schemes[parts.scheme?.lowercased() ?? ""]
        else { throw Misuse(reason: "\(url) is no address of a hub: wss://<host>/v1/connect") }
        parts.scheme = scheme
        parts.query = nil
        if parts.path.hasSuffix("/connect") { parts.path.removeLast("/connect".count) }
        parts.path += "/stream"
        guard let place = parts.url else { throw Misuse(reason: "\(url) is no address of a hub") }
        self.place = place
        self.events = events
        super.init()
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let configuration = URLSessionConfiguration.ephemeral
        // Whether the hub is still there is seen by those who wait for its pings.
        configuration.timeoutIntervalForRequest = 86_400
        session = URLSession(configuration: configuration, delegate: self, delegateQueue: queue)
        queue.addOperation { [weak self] in
            guard let self, !self.lock.withLock({ self.said.isOver }) else { return }
            self.events.opened()
        }
    }

    func send(_ text: String) {
        let message = try? JSON(parsing: text)
        let isHello = message?["cmd"]?.string == "hello"
        let (opens, isAgain) = lock.withLock { () -> (Bool, Bool) in
            if isHello {
                if said.isOpen, said.session.isEmpty { return (false, true) }
                said.hello = (message?["id"], message?["token"]?.string ?? "")
                if !said.isOpen {
                    said.isOpen = true
                    return (true, false)
                }
            }
            said.waiting.append(text)
            return (false, false)
        }
        if opens {
            session.dataTask(with: request(place, text, token: nil)).resume()
        } else if isAgain {
            // Refused, it is said again by another stream.
            session.delegateQueue.addOperation { [self] in end(1006, "hello again") }
        } else {
            say()
        }
    }

    /// There is no goodbye: the hub sees that nobody reads any more.
    func close(_ code: Int) {
        if over() { session.invalidateAndCancel() }
    }

    private func request(_ url: URL, _ text: String, token: String?) -> URLRequest {
        var request = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData)
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
        request.httpBody = Data(text.utf8)
        return request
    }

    /// What waits, in one request; what comes meanwhile, in the next.
    private func say() {
        let next = lock.withLock { () -> (URL, String, String)? in
            guard !said.isSaying, !said.isOver, !said.session.isEmpty, !said.waiting.isEmpty else { return nil }
            said.isSaying = true
            defer { said.waiting = [] }
            return (
                place.appendingPathComponent(said.session), said.waiting.joined(separator: "\n"), said.token
            )
        }
        guard let (url, text, token) = next else { return }
        let task = session.dataTask(with: request(url, text, token: token)) { [self] _, response, error in
            lock.withLock { said.isSaying = false }
            let status = (response as? HTTPURLResponse)?.statusCode ?? 0
            guard status == 202 else { return end(1006, error?.localizedDescription ?? "HTTP \(status)") }
            say()
        }
        task.resume()
    }

    /// Whether it was not over before.
    private func over() -> Bool {
        lock.withLock {
            defer { said.isOver = true }
            return !said.isOver
        }
    }

    private func end(_ code: Int, _ reason: String) {
        guard over() else { return }
        events.closed(code, reason)
        session.invalidateAndCancel()
    }

    // The stream: what has no handler of its own.

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        if status != 200 { end(1006, "HTTP \(status)") }
        completionHandler(status == 200 ? .allow : .cancel)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        rest += data
        let end = Data("\n\n".utf8)
        while let place = rest.range(of: end) {
            let event = String(decoding: rest[..<place.lowerBound], as: UTF8.self)
            rest = Data(rest[place.upperBound...])
            take(event)
        }
        if rest.count > Self.largest { self.end(1006, "an event without an end") }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        end(1006, error?.localizedDescription ?? "the stream has ended")
    }

    private func take(_ event: String) {
        guard !lock.withLock({ said.isOver }) else { return }
        let lines = event.split(separator: "\n")
        let data = lines.first { $0.hasPrefix("data: ") }?.dropFirst("data: ".count)
        if lines.contains("event: close") {
            let parts = (data ?? "").split(separator: " ", maxSplits: 1)
            return end(parts.first.flatMap { Int($0) } ?? 1006, parts.count > 1 ? String(parts[1]) : "")
        }
        // A comment is a ping.
        guard let data else { return events.heard() }
        answer(String(data))
        events.message(String(data))
        say()
    }

    private func answer(_ data: String) {
        lock.withLock {
            guard let hello = said.hello, let reply = try? JSON(parsing: data), reply["id"] == hello.id else { return }
            said.hello = nil
            guard let session = reply["ok"]?["session"]?.string else { return }
            (said.token, said.session) = (hello.token, session)
        }
    }
}

/// The first way; where that brought no message twice in a row, the second. When one ends that did, the first is tried once
/// more [H3]. For one client: it remembers how the last one went.
public func either(_ first: @escaping Transport, _ second: @escaping Transport) -> Transport {
    let ways = Ways()
    return { url, events in
        let way = ways.next()
        var told = events
        told.message = { text in
            way.isGood()
            events.message(text)
        }
        told.closed = { code, reason in
            way.isOver()
            events.closed(code, reason)
        }
        return EitherLink(link: try (way.isFirst ? first : second)(url, told), way: way)
    }
}

private struct EitherLink: Link {
    let link: any Link
    let way: Ways.Way

    func send(_ text: String) { link.send(text) }

    func close(_ code: Int) {
        way.isOver()
        link.close(code)
    }
}

/// How often in a row the first way has brought nothing. Sendable because it is used under the lock.
private final class Ways: @unchecked Sendable {
    /// So often in a row the first is tried before the second.
    private static let tries = 2

    private let lock = NSLock()
    private var failures = 0

    func next() -> Way {
        lock.withLock { Way(self, isFirst: failures < Self.tries) }
    }

    /// One link. Sendable because what changes is used under the lock.
    final class Way: @unchecked Sendable {
        let isFirst: Bool
        private let ways: Ways
        private var hasBrought = false
        private var hasEnded = false

        init(_ ways: Ways, isFirst: Bool) {
            self.ways = ways
            self.isFirst = isFirst
        }

        func isGood() { ways.lock.withLock { hasBrought = true } }

        func isOver() {
            ways.lock.withLock {
                // The client may leave it as it ends.
                if hasEnded { return }
                hasEnded = true
                let (good, bad) = isFirst ? (0, ways.failures + 1) : (Ways.tries - 1, 0)
                ways.failures = hasBrought ? good : bad
            }
        }
    }
}
