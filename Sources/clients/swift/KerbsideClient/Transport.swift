public import Foundation

/// The subprotocol that a link speaks.
public let kerbsideSubprotocol = "kerbside.v1.json"

/// What a link tells, on any thread, one after the other. Nothing is told after `closed`, nor after the client has closed it.
public struct LinkEvents: Sendable {
    public var opened: @Sendable () -> Void
    /// Of a ping of the hub, where the transport sees it.
    public var heard: @Sendable () -> Void
    public var message: @Sendable (String) -> Void
    /// 1006 if there was no code.
    public var closed: @Sendable (_ code: Int, _ reason: String) -> Void

    public init(
        opened: @escaping @Sendable () -> Void, heard: @escaping @Sendable () -> Void,
        message: @escaping @Sendable (String) -> Void, closed: @escaping @Sendable (Int, String) -> Void
    ) {
        self.opened = opened
        self.heard = heard
        self.message = message
        self.closed = closed
    }
}

/// A link to the hub, as the client sees it. Neither waits.
public protocol Link: Sendable {
    func send(_ text: String)
    /// At once, whether the other end answers or not.
    func close(_ code: Int)
}

/// Makes a link. Throws where that can't be; what fails later is told by `closed`.
public typealias Transport = @Sendable (_ url: URL, _ events: LinkEvents) throws -> any Link

#if !canImport(FoundationNetworking)
    /// The WebSocket of Apple's systems, which keeps pings to itself. On Linux `URLSession` has none where libcurl was built
    /// without it, as in Debian: there `KerbsideClientOpenSSL` has one.
    public let urlSessionSocket: Transport = { url, events in
        URLSessionLink(url, events)
    }

    /// `URLSession` calls its delegate on one queue, so one after the other. It is Sendable because `isOver` is used under the
    /// lock, and the rest is set once, before anything can be told.
    private final class URLSessionLink: NSObject, Link, URLSessionWebSocketDelegate, @unchecked Sendable {
        private let lock = NSLock()
        private var isOver = false
        private let events: LinkEvents
        private var session: URLSession!
        private var task: URLSessionWebSocketTask!

        init(_ url: URL, _ events: LinkEvents) {
            self.events = events
            super.init()
            let queue = OperationQueue()
            queue.maxConcurrentOperationCount = 1
            session = URLSession(configuration: .ephemeral, delegate: self, delegateQueue: queue)
            task = session.webSocketTask(with: url, protocols: [kerbsideSubprotocol])
            task.maximumMessageSize = 16 * 1024 * 1024
            task.resume()
        }

        func send(_ text: String) {
            // What fails is told as the end of the link.
            task.send(.string(text)) { _ in }
        }

        func close(_ code: Int) {
            guard end() else { return }
            task.cancel(with: URLSessionWebSocketTask.CloseCode(rawValue: code) ?? .normalClosure, reason: nil)
            session.finishTasksAndInvalidate()
        }

        private func receive() {
            task.receive { [weak self] result in
                guard let self, case .success(let message) = result else { return }
                if case .string(let text) = message, !self.lock.withLock({ self.isOver }) { self.events.message(text) }
                self.receive()
            }
        }

        /// Whether it was not over before.
        private func end() -> Bool {
            lock.withLock {
                defer { isOver = true }
                return !isOver
            }
        }

        private func end(_ code: Int, _ reason: String) {
            guard end() else { return }
            events.closed(code == 1005 ? 1006 : code, reason)
            session.finishTasksAndInvalidate()
        }

        func urlSession(
            _ session: URLSession, webSocketTask: URLSessionWebSocketTask, didOpenWithProtocol chosen: String?
        ) {
            guard chosen == kerbsideSubprotocol else {
                webSocketTask.cancel()
                return end(1006, "no hub answers there")
            }
            if !lock.withLock({ isOver }) { events.opened() }
            receive()
        }

        func urlSession(
            _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
            didCloseWith code: URLSessionWebSocketTask.CloseCode, reason: Data?
        ) {
            end(code.rawValue, String(decoding: reason ?? Data(), as: UTF8.self))
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            // The goodbye, if one has come and was not told.
            let code = self.task.closeCode.rawValue
            let reason = self.task.closeReason.map { String(decoding: $0, as: UTF8.self) }
            end(code > 0 ? code : 1006, reason ?? error?.localizedDescription ?? "")
        }
    }
#endif
