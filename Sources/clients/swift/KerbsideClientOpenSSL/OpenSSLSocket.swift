public import Foundation
import Glibc
public import KerbsideClient

/// A WebSocket for Linux, `ws:` and `wss:`, in which the hub's pings are heard. It trusts whom the system trusts.
public let openSSLSocket: Transport = { url, events in
    try SocketLink(url, events, authorities: nil)
}

/// As `openSSLSocket`, and trusts those of a file (PEM) instead, as of a hub with a certificate of its own.
public func openSSLSocket(trusting authorities: URL) -> Transport {
    { url, events in
        try SocketLink(url, events, authorities: authorities.path)
    }
}

/// A link with a thread of its own, in which everything is told. It is Sendable because what two threads use is used under
/// the lock, and the rest never changes.
private final class SocketLink: Link, @unchecked Sendable {
    private let lock = NSLock()
    private var outgoing: [UInt8] = []
    /// What the client has left it with.
    private var goodbye: Int?
    /// Rung when there is something new above.
    private let alarm: Alarm
    private let url: URL
    private let host: String
    private let port: Int
    private let events: LinkEvents
    private let authorities: String?

    init(_ url: URL, _ events: LinkEvents, authorities: String?) throws {
        guard let host = url.host, !host.isEmpty, let scheme = url.scheme?.lowercased(), ["ws", "wss"].contains(scheme)
        else { throw Misuse(reason: "\(url) is no address of a hub: wss://<host>/v1/connect") }
        self.url = url
        self.host = host.trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
        self.events = events
        self.authorities = authorities
        port = url.port ?? (scheme == "wss" ? 443 : 80)
        guard let alarm = Alarm() else { throw Misuse(reason: "no socket: \(String(cString: strerror(errno)))") }
        self.alarm = alarm
        let thread = Thread { self.run() }
        thread.name = "kerbside"
        thread.start()
    }

    private var isSecure: Bool { url.scheme?.lowercased() == "wss" }

    func send(_ text: String) {
        add(Frame(kind: .text, payload: Array(text.utf8)))
    }

    func close(_ code: Int) {
        lock.withLock {
            if goodbye == nil { goodbye = code }
        }
        alarm.ring()
    }

    private func add(_ frame: Frame) {
        let bytes = SocketLink.masked(frame)
        lock.withLock { outgoing += bytes }
        alarm.ring()
    }

    private static func masked(_ frame: Frame) -> [UInt8] {
        let mask = UInt32.random(in: .min ... .max)
        return frame.bytes(mask: (0..<4).map { UInt8(truncatingIfNeeded: mask >> (8 * $0)) })
    }

    // The thread

    private func run() {
        // A socket that the other end has closed is an error, and no signal that ends the app.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        do {
            try talk(Waiter(alarm: alarm, isLeft: { self.lock.withLock { self.goodbye != nil } }))
        } catch let error as StreamError {
            end(1006, error.reason)
        } catch is FrameReader.Broken {
            end(1006, "broken frames")
        } catch {
            end(1006, "\(error)")
        }
    }

    /// Tells the end, unless the client has left.
    private func end(_ code: Int, _ reason: String) {
        if lock.withLock({ goodbye == nil }) { events.closed(code, reason) }
    }

    private func talk(_ waiter: Waiter) throws {
        let descriptor = try waiter.connect(host: host, port: port)
        let stream = Stream(descriptor)
        if url.scheme?.lowercased() == "wss" { try stream.secure(host: host, authorities: authorities) }
        var wait = try stream.handshake()
        while wait != .none {
            try waiter.wait(stream, wait)
            wait = try stream.handshake()
        }
        var conversation = Conversation(stream, waiter)
        var frames = FrameReader()
        let rest = try conversation.open(Handshake(url, host: host))
        frames.add(rest)
        if lock.withLock({ goodbye == nil }) { events.opened() }
        while true {
            while let frame = try frames.next() {
                if frame.kind == .close { return parted(by: frame.payload, &conversation) }
                take(frame)
            }
            let (bytes, goodbye) = take()
            conversation.add(bytes)
            if let goodbye {
                return conversation.part(SocketLink.close([UInt8(goodbye >> 8 & 255), UInt8(goodbye & 255)]))
            }
            guard let come = try conversation.turn() else { return end(1006, "") }
            frames.add(come)
        }
    }

    /// What is to be sent, and whether the client leaves.
    private func take() -> (bytes: [UInt8], goodbye: Int?) {
        lock.withLock {
            defer { outgoing = [] }
            return (outgoing, goodbye)
        }
    }

    private func take(_ frame: Frame) {
        switch frame.kind {
        case .text: events.message(String(decoding: frame.payload, as: UTF8.self))
        case .ping:
            add(Frame(kind: .pong, payload: frame.payload))
            events.heard()
        case .pong: events.heard()
        case .part, .binary, .close: break
        }
    }

    /// The other end has said goodbye, and gets an answer.
    private func parted(by payload: [UInt8], _ conversation: inout Conversation) {
        let code = payload.count < 2 ? 1006 : Int(payload[0]) << 8 | Int(payload[1])
        end(code, String(decoding: payload.dropFirst(2), as: UTF8.self))
        conversation.part(SocketLink.close(Array(payload.prefix(2))))
    }

    private static func close(_ payload: [UInt8]) -> [UInt8] {
        masked(Frame(kind: .close, payload: payload))
    }
}
