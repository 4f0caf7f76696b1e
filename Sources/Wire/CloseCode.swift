/// The closed list of codes with which a connection is closed, each with the rule for coming back. Registered codes
/// (RFC 6455, IANA) where they fit, 4000–4999 for ours.
public enum CloseCode: UInt16, CaseIterable, Sendable {
    case normal = 1000
    case protocolError = 1002
    case unsupportedData = 1003
    case invalidPayload = 1007
    case policyViolation = 1008
    case messageTooBig = 1009
    case serviceRestart = 1012
    case overloaded = 1013
    case unauthenticated = 4401
    case forbidden = 4403
    case helloTimeout = 4408
    case replaced = 4409
    case tokenExpired = 4410
    case slowConsumer = 4420
    case rateLimited = 4429

    /// Whether and how a client should come back. Who comes back says in `hello` the last `seq` of each channel. What
    /// fails again is tried again after twice as long, up to 60 s, and a random part is added to every wait, so that
    /// not all come back at once.
    public enum Reconnect: Equatable, Sendable {
        /// Not by itself: the same would happen again.
        case never
        /// At once.
        case resume
        /// After the `retry_ms` of the reason text; when it says none, after a random time of up to this.
        case withJitter(upToMs: Int)
        /// After this many milliseconds.
        case after(ms: Int)
        /// With a new token only.
        case withNewToken
    }

    /// The reason text of the close frame; fits into its 123 bytes.
    public var reason: String { row.reason }
    /// The rule for coming back.
    public var reconnect: Reconnect { row.reconnect }

    /// The rule for any code a client may see: without one of ours (a cut link, a proxy's code) it comes back.
    public static func reconnect(after code: UInt16) -> Reconnect {
        CloseCode(rawValue: code)?.reconnect ?? .resume
    }

    private var row: (reason: String, reconnect: Reconnect) {
        switch self {
        case .normal: ("bye", .never)
        case .protocolError: ("broken WebSocket frames", .never)
        case .unsupportedData: ("only text messages are understood", .never)
        case .invalidPayload: ("the text is not UTF-8", .never)
        case .policyViolation: ("fragments without payload", .never)
        case .messageTooBig: ("the message is too big", .never)
        case .serviceRestart: ("restart", .withJitter(upToMs: 5000))
        case .overloaded: ("overloaded", .after(ms: 5000))
        case .unauthenticated: ("not identified: get a new token", .withNewToken)
        case .forbidden: ("not allowed for this role or city", .never)
        case .helloTimeout: ("no hello in time", .resume)
        case .replaced: ("too many connections: a newer one took this one's place", .never)
        case .tokenExpired: ("the token has expired: get a new one", .withNewToken)
        case .slowConsumer: ("reading too slowly: resume", .after(ms: 1000))
        case .rateLimited: ("too many messages: wait 10 s", .after(ms: 10_000))
        }
    }

    /// The reason text of `forbidden` for a driver whose `sub` has become the name of a bus on tour.
    public static let nameTakenReason = "a bus has this driver's name: get a token with another `sub`"

    /// A reason text with words of people, as many characters of them as fit into a close frame.
    public static func text(_ what: String, _ words: String) -> String {
        var text = what
        for character in words {
            guard text.utf8.count + String(character).utf8.count <= 123 else { break }
            text.append(character)
        }
        return text
    }

    /// The reason text of a drain, with the time over which this client should spread its return.
    public static func restartReason(retryMs: Int) -> String { "restart; retry_ms=\(retryMs)" }

    /// The `retry_ms` of a reason text, for clients; nil if it says none, or none up to a minute.
    public static func retryMs(inReason reason: String) -> Int? {
        guard let mark = reason.lastIndex(of: "="), reason[..<mark].hasSuffix("retry_ms") else { return nil }
        return Int(reason[reason.index(after: mark)...]).flatMap { (0...60_000).contains($0) ? $0 : nil }
    }
}
