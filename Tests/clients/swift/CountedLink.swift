import Foundation
import KerbsideClient

/// Counts the sockets of an app, so that the server knows when all has come.
final class Sockets: @unchecked Sendable {
    // Sendable because everything is used under the lock.
    private let lock = NSRecursiveLock()
    private var opening = 0
    private var open = 0
    private var links: [ObjectIdentifier: CountedLink] = [:]

    var counts: JSON {
        lock.withLock { ["opening": .int(opening), "open": .int(open)] }
    }

    /// Of the links that there are: messages that were given to them, and pings that they told.
    var said: (sent: Int, heard: Int) {
        lock.withLock { links.values.reduce((0, 0)) { ($0.0 + $1.sent, $0.1 + $1.heard) } }
    }

    func count(_ change: () -> Void) {
        lock.withLock(change)
    }

    /// Together with what is told of it, so that who sees the count finds the rest done behind it.
    func enter(_ link: CountedLink, _ phase: CountedLink.Phase, _ then: () -> Void) {
        lock.withLock {
            // It opens in a thread of its own, while the client leaves it.
            if phase == .open, link.phase == .over { return }
            count(link.phase, -1)
            link.phase = phase
            count(phase, 1)
            links[ObjectIdentifier(link)] = phase == .over ? nil : link
            then()
        }
    }

    /// As when the system ends an app.
    func closeAll() {
        for link in lock.withLock({ Array(links.values) }) { link.close(1001) }
    }

    private func count(_ phase: CountedLink.Phase, _ change: Int) {
        switch phase {
        case .opening: opening += change
        case .open: open += change
        case .over: break
        }
    }
}

final class CountedLink: Link, @unchecked Sendable {
    enum Phase { case opening, open, over }

    // Sendable because the phase and the counts are used under the lock of the sockets, and the link is set before it is handed out.
    var phase = Phase.over
    private(set) var sent = 0
    private(set) var heard = 0
    private var link: (any Link)?
    private let sockets: Sockets

    init(_ sockets: Sockets) {
        self.sockets = sockets
    }

    /// `hears` pings of the hub, which a browser keeps to itself; the server of the scenarios sends them only to know that
    /// all has come.
    func open(_ transport: Transport, _ url: URL, _ events: LinkEvents, hears: Bool) throws {
        sockets.enter(self, .opening) {}
        var counted = events
        counted.heard = {
            self.sockets.count { self.heard += 1 }
            if hears { events.heard() }
        }
        counted.opened = { self.sockets.enter(self, .open, events.opened) }
        counted.closed = { code, reason in
            self.sockets.enter(self, .over) { events.closed(code, reason) }
        }
        link = try transport(url, counted)
    }

    func send(_ text: String) {
        sockets.count { sent += 1 }
        link?.send(text)
    }

    func close(_ code: Int) {
        sockets.enter(self, .over) {}
        link?.close(code)
    }
}
