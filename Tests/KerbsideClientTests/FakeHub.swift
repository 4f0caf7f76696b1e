import Foundation
import KerbsideClient

/// A hub at the other end of a link without a socket: answers every command, and pushes what a test says.
final class FakeHub: @unchecked Sendable {
    // Sendable because everything is used under the lock.
    private let lock = NSLock()
    private var links: [FakeLink] = []
    private var received: [JSON] = []
    private var waiting: [(count: Int, resume: CheckedContinuation<Void, Never>)] = []
    /// What it does not answer.
    let silent: Set<String>

    init(silent: Set<String> = []) {
        self.silent = silent
    }

    /// A client of it, which is the driver T1. Its clock stands.
    func client(storage: any Storage = MemoryStorage(), remembers: Bool = false) -> Kerbside {
        let claims = Data(#"{"role":"driver","sub":"T1"}"#.utf8).base64EncodedString().replacing("=", with: "")
        let transport: Transport = { _, events in self.open(events) }
        return Kerbside(
            Options(
                url: URL(fileURLWithPath: "/"), transport: transport, storage: storage, remembers: remembers,
                clock: StandingClock(), token: { _ in "x.\(claims).x" }))
    }

    private func open(_ events: LinkEvents) -> FakeLink {
        let link = FakeLink(hub: self, events: events)
        lock.withLock { links.append(link) }
        events.opened()
        return link
    }

    /// Commands, but for hello.
    var commands: [String] {
        lock.withLock { received.compactMap { $0["cmd"]?.string } }
    }

    /// Codes with which links were closed.
    var goodbyes: [Int] {
        lock.withLock { links.compactMap(\.code) }
    }

    /// Until it has got so many commands.
    func got(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = lock.withLock {
                if received.count < count { waiting.append((count, continuation)) }
                return received.count >= count
            }
            if isThere { continuation.resume() }
        }
    }

    func push(_ channel: String, _ type: String, _ data: JSON, seq: String? = nil) {
        var message: [String: JSON] = ["ch": .string(channel), "type": .string(type), "time": 0, "data": data]
        message["seq"] = seq.map(JSON.string)
        lock.withLock { links }.last?.events.message(JSON.object(message).text)
    }

    fileprivate func take(_ text: String, from link: FakeLink) {
        guard let message = try? JSON(parsing: text) else { return }
        let command = message["cmd"]?.string ?? ""
        if command != "hello" {
            let ready = lock.withLock {
                received.append(message)
                let ready = waiting.filter { $0.count <= received.count }
                waiting.removeAll { $0.count <= received.count }
                return ready
            }
            for one in ready { one.resume.resume() }
        }
        guard let id = message["id"], !silent.contains(command) else { return }
        let hello: JSON = [
            "role": "driver", "subject": "T1", "channels": ["driver:T1"], "heartbeat_s": 25, "time": 0, "seq": [:],
        ]
        let reply: JSON = ["id": id, "ok": command == "hello" ? hello : ["state": "available"]]
        link.events.message(reply.text)
    }
}

final class FakeLink: Link, @unchecked Sendable {
    // Sendable because the code is set once, by who closes it.
    let events: LinkEvents
    private let hub: FakeHub
    private(set) var code: Int?

    init(hub: FakeHub, events: LinkEvents) {
        self.hub = hub
        self.events = events
    }

    func send(_ text: String) {
        hub.take(text, from: self)
    }

    func close(_ code: Int) {
        self.code = code
    }
}

private struct StandingClock: Clock {
    func now() -> Int { 0 }

    func set(_ ms: Int, _ call: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        {}
    }
}

/// What has come to a test, in order.
actor Seen {
    private(set) var rows: [String] = []

    func add(_ row: String) {
        rows.append(row)
    }
}
