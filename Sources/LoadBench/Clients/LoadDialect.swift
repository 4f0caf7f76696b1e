/// How a server is spoken to by readers and publishers of channels.
public enum LoadDialect: String, CaseIterable, Sendable {
    /// A hub: readers subscribe to `topic:<channel>`, operators publish there.
    case kerbside
    /// A text frame `S<channel>` subscribes, `P<channel> <message>` publishes: the small servers in tools/peers.
    case text
    /// The protocol of NATS in binary frames.
    case nats
    /// Nchan: the path says the channel, `/sub/<channel>` and `/pub/<channel>`.
    case nchan

    /// The address where readers or publishers of a channel connect; the server's own, or with a path.
    func url(_ base: String, channel: String, publishes: Bool) -> String {
        self == .nchan ? "\(base)\(publishes ? "/pub/" : "/sub/")\(channel)" : base
    }

    /// Whether the channel is chosen by the connection, not by the message.
    var bindsPublishers: Bool { self == .nchan }

    var isBinary: Bool { self == .nats }

    /// What a reader sends when it is connected; nil: nothing.
    func subscription(to channel: String) -> [UInt8]? {
        switch self {
        case .kerbside: Array(#"{"id":2,"cmd":"subscribe","channel":"topic:\#(channel)"}"#.utf8)
        case .text: Array("S\(channel)".utf8)
        case .nats: Self.natsConnect + Array("SUB \(channel) 1\r\n".utf8)
        case .nchan: nil
        }
    }

    /// What a publisher sends when it is connected; nil: nothing.
    var publisherGreeting: [UInt8]? { self == .nats ? Self.natsConnect : nil }

    /// Writes the payload of the frame that publishes the message, which is JSON, in place of what the buffer held.
    func write(_ message: [UInt8], to channel: String, into buffer: inout [UInt8]) {
        buffer.removeAll(keepingCapacity: true)
        switch self {
        case .kerbside:
            buffer += #"{"cmd":"publish","channel":"topic:"#.utf8
            buffer += channel.utf8
            buffer += #"","data":"#.utf8
            buffer += message
            buffer.append(UInt8(ascii: "}"))
        case .text:
            buffer.append(UInt8(ascii: "P"))
            buffer += channel.utf8
            buffer.append(UInt8(ascii: " "))
            buffer += message
        case .nats:
            buffer += "PUB \(channel) \(message.count)\r\n".utf8
            buffer += message
            buffer += "\r\n".utf8
        case .nchan: buffer += message
        }
    }

    /// What a server's payload has to be answered with; nil: nothing.
    func answer(to payload: UnsafeRawBufferPointer) -> [UInt8]? {
        guard self == .nats, payload.count >= 6, payload.starts(with: Self.natsPing) else { return nil }
        return Self.natsPong
    }

    /// Bytes that the server adds to a message of this channel where it is delivered; the hub's envelope names the channel,
    /// the place in its history, the type and the time.
    func envelopeBytes(channel: String) -> Int {
        guard self == .kerbside else { return 0 }
        return #"{"ch":"topic:","seq":"1795210210000-0","type":"message","time":1795210210000,"data":}"#.utf8.count
            + channel.utf8.count
    }

    private static let natsConnect = Array("CONNECT {\"verbose\":false,\"pedantic\":false,\"echo\":false}\r\n".utf8)
    private static let natsPing = Array("PING\r\n".utf8)
    private static let natsPong = Array("PONG\r\n".utf8)
}
