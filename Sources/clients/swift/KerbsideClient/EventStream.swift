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
    /// The hub takes 16 KiB in a request, bytes.
    private static let full = 8192
    /// A request has so long, and is said again after so long at most, s.
    private static let requestTime = 10.0
    private static let longestWait = 5.0

    private struct Said {
        var hello: (id: JSON?, token: String)?
        var token = ""
        var session = ""
        var waiting: [String] = []
        var alarms: [String] = []
        var isOpen = false
        var isSaying = false
        /// The number of the wait of what was put off, which an alarm ends.
        var wait = 0
        var isPutOff = false
        var isOver = false

        /// What was said is to be said again, after a wait: its number.
        mutating func putOff(_ words: [String], _ isAlarm: Bool) -> Int {
            if isAlarm { alarms = words + alarms } else { waiting = words + waiting }
            // An alarm that was put off waits itself.
            isPutOff = !isAlarm
            wait += 1
            let number = wait
            // An alarm that came meanwhile goes at once.
            if isPutOff, !alarms.isEmpty { endWait() }
            return number
        }

        mutating func endWait() {
            (isPutOff, isSaying) = (false, false)
            wait += 1
        }

        /// The next request's: an alarm by itself, or what waits, as much as the hub takes.
        mutating func next(full: Int) -> (words: [String], isAlarm: Bool) {
            if !alarms.isEmpty { return ([alarms.removeFirst()], true) }
            var (count, size) = (0, 0)
            while count < waiting.count {
                size += waiting[count].utf8.count
                if size > full, count > 0 { break }
                count += 1
            }
            defer { waiting.removeFirst(count) }
            return (Array(waiting.prefix(count)), false)
        }
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
        // A 401 is an answer, and no question for a password.
        configuration.urlCredentialStorage = nil
        session = URLSession(configuration: configuration, delegate: self, delegateQueue: queue)
        queue.addOperation { [weak self] in
            guard let self, !self.lock.withLock({ self.said.isOver }) else { return }
            self.events.opened()
        }
    }

    func send(_ text: String) {
        let message = try? JSON(parsing: text)
        let command = message?["cmd"]?.string
        lock.withLock {
            guard !said.isOver else { return }
            if command == "hello" {
                if said.isOpen, said.session.isEmpty {
                    // Refused, it is said again by another stream.
                    return session.delegateQueue.addOperation { [self] in end(1006, "hello again") }
                }
                said.hello = (message?["id"], message?["token"]?.string ?? "")
                if !said.isOpen {
                    said.isOpen = true
                    return session.dataTask(with: request(place, text, token: nil)).resume()
                }
            }
            guard command == "sos" else { return said.waiting.append(text) }
            said.alarms.append(text)
            if said.isPutOff { said.endWait() }
        }
        say()
    }

    func close(_ code: Int) {
        // A session that is invalid takes no task, so all of that is under the lock.
        lock.withLock {
            guard !said.isOver else { return }
            said.isOver = true
            guard code == 1000, !said.session.isEmpty else { return session.invalidateAndCancel() }
            // With nothing said the stream is left.
            let goodbye = request(place.appendingPathComponent(said.session), "", token: said.token)
            session.dataTask(with: goodbye) { [session] _, _, _ in session?.invalidateAndCancel() }.resume()
        }
    }

    private func request(_ url: URL, _ text: String, token: String?) -> URLRequest {
        var request = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData)
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        if let token {
            request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
            request.timeoutInterval = Self.requestTime
        } else {
            // Whether the hub is still there is seen by those who wait for its pings.
            request.timeoutInterval = 86_400
        }
        request.httpBody = Data(text.utf8)
        return request
    }

    /// What comes meanwhile goes with the next request.
    private func say() {
        lock.withLock {
            guard !said.isSaying, !said.isOver, !said.session.isEmpty else { return }
            let (words, isAlarm) = said.next(full: Self.full)
            guard !words.isEmpty else { return }
            said.isSaying = true
            let url = place.appendingPathComponent(said.session)
            let task = session.dataTask(with: request(url, words.joined(separator: "\n"), token: said.token)) {
                [self] _, response, error in
                answered(words, isAlarm, response as? HTTPURLResponse, error)
            }
            task.resume()
        }
    }

    private func answered(_ words: [String], _ isAlarm: Bool, _ response: HTTPURLResponse?, _ error: (any Error)?) {
        let status = response?.statusCode ?? 0
        if status == 202 {
            lock.withLock { said.isSaying = false }
            return say()
        }
        guard status == 429 || status == 503 else { return end(1006, error?.localizedDescription ?? "HTTP \(status)") }
        let wait = Double(response?.value(forHTTPHeaderField: "Retry-After") ?? "1") ?? 1
        let number = lock.withLock { said.putOff(words, isAlarm) }
        DispatchQueue.global().asyncAfter(deadline: .now() + min(max(wait, 0.25), Self.longestWait)) { [self] in
            lock.withLock { if said.wait == number { said.endWait() } }
            say()
        }
        say()
    }

    private func end(_ code: Int, _ reason: String) {
        let wasOver = lock.withLock {
            defer { said.isOver = true }
            return said.isOver
        }
        guard !wasOver else { return }
        events.closed(code, reason)
        lock.withLock { session.invalidateAndCancel() }
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

    /// A request whose connection ended before its answer. On Linux it would go once more over a new connection, and with nothing
    /// in it, so that it waited for an answer until its time was over.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping (InputStream?) -> Void
    ) {
        session.delegateQueue.addOperation { [self] in end(1006, "the connection was lost") }
        completionHandler(nil)
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
    /// Which way brought something last.
    private var isSecondGood = false

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
                if hasBrought { ways.isSecondGood = !isFirst }
                let otherwise = ways.isSecondGood ? Ways.tries - 1 : 0
                ways.failures = isFirst ? (hasBrought ? 0 : ways.failures + 1) : otherwise
            }
        }
    }
}
