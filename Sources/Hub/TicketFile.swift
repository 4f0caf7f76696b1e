import EventLoop
import Settings
import WebSocketServer

/// The keys of TLS tickets, `<data>/run/tickets`: the supervisor writes them, its workers read them.
///
/// It stays when the hub ends: who was connected then comes back to the next one, all at once.
enum TicketFile {
    static func path(_ data: String) -> String { WorkerFiles.directory(data) + "/tickets" }

    /// How long a ticket lives, s; nil: there are none.
    static func lifeS(_ settings: Settings) -> Int? {
        let lifeS = settings.server.tls.resumeS
        return settings.server.tls.isOn && lifeS > 0 ? lifeS : nil
    }

    static func read(_ settings: Settings, lifeS: Int) throws(HubFailure) -> TicketKeys {
        let path = path(settings.data.dir)
        guard let keys = TicketKeys(lifeS: lifeS, decoding: try WorkerFiles.read(path)) else {
            throw HubFailure("\(path) has no keys of TLS tickets")
        }
        return keys
    }

    static func write(_ keys: TicketKeys, _ settings: Settings) throws(HubFailure) {
        try WorkerFiles.write(keys.encoded, to: path(settings.data.dir))
    }

    /// Unix s.
    static var now: Int64 { EventLoop.wallClock() / 1000 }
}
