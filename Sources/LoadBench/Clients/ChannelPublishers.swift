import ClientSupport
import Wire

/// The connections that publish on channels, in any dialect.
final class ChannelPublishers {
    private let links: LoadLinks
    private let dialect: LoadDialect
    private let url: String
    private let hub: HubClients
    private var first = 0
    private var count = 0
    private var channels: [String] = []
    private var frame: [UInt8] = []
    /// Commands that a hub refused.
    private(set) var refused = 0
    private var lastRefusal = ""

    init(
        _ links: LoadLinks, dialect: LoadDialect, url: String,
        token: @escaping @Sendable (_ role: String, _ subject: String) -> String
    ) {
        self.links = links
        self.dialect = dialect
        self.url = url
        hub = HubClients(urls: [url], token: token)
    }

    var failure: String { lastRefusal.isEmpty ? links.failure : lastRefusal }

    func client(of number: Int, role: String, subject: String, channel: String, publishes: Bool) -> LoadLinks.Client {
        if dialect == .kerbside { return hub.client(number, role: role, subject: subject) }
        return LoadLinks.Client(
            url: dialect.url(url, channel: channel, publishes: publishes),
            source: LoopbackSource.address(of: number, urls: [url]))
    }

    /// Adds their clients; where the connection binds to a channel, one for each.
    func add(_ wanted: Int, channels: [String]) {
        self.channels = channels
        first = links.count
        count = dialect.bindsPublishers ? channels.count : wanted
        for index in 0..<count {
            links.add(
                client(
                    of: first + index, role: "operator", subject: "P\(index)",
                    channel: channels[index % channels.count], publishes: true))
        }
    }

    func publish(_ message: [UInt8], channel: Int, turn: Int) {
        dialect.write(message, to: channels[channel], into: &frame)
        send(first + (dialect.bindsPublishers ? channel : turn % count), frame)
    }

    func send(_ client: Int, _ payload: [UInt8]?) {
        guard let payload else { return }
        if dialect.isBinary { links.send(client, binary: payload) } else { links.send(client, text: payload) }
    }

    /// Whether it is the reply to a command with an id; refusals are counted, and what a server asks is answered.
    func isReply(_ payload: UnsafeRawBufferPointer, _ client: Int) -> Bool {
        if let answer = dialect.answer(to: payload) { send(client, answer) }
        guard dialect == .kerbside else { return false }
        return Self.isReply(payload) { detail in
            refused += 1
            lastRefusal = detail
        }
    }

    /// Whether a hub's message is a reply; refusals go to the closure.
    static func isReply(_ payload: UnsafeRawBufferPointer, refused: (String) -> Void) -> Bool {
        // {"id":… and {"error":…; events and states begin with {"ch":
        guard payload.count > 4, payload[2] == UInt8(ascii: "i") || payload[2] == UInt8(ascii: "e") else {
            return false
        }
        switch try? decodeServer(payload) {
        case .reply?: return true
        case .error(_, let code, let detail, _)?: refused("\(code.rawValue): \(detail)")
        default: break
        }
        return false
    }
}
