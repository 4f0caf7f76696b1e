/// Who a connection is.
public enum SessionCommand: CommandGroup {
    /// Identifies the connection; the first command. At most 16 different channels in `resume`.
    case hello(token: String?, resume: [ResumePoint])

    static let kinds = [
        CommandKind<SessionCommand>(
            "hello", Role.allCases, .connection, forGuests: true, Field.optional("token", .token),
            Field.optional("resume", ResumeKind(), absent: []), make: SessionCommand.hello,
            take: { if case .hello(let token, let resume) = $0 { (token, resume) } else { nil } })
    ]
}

/// The place in a channel that a client has seen last.
public struct ResumePoint: Equatable, Sendable {
    /// 1–128 visible ASCII characters.
    public var channel: String
    /// 1–64 visible ASCII characters.
    public var seq: String

    public init(channel: String, seq: String) {
        self.channel = channel
        self.seq = seq
    }
}

extension FieldKind where Self == TextKind {
    fileprivate static var token: TextKind {
        TextKind(
            .visible, upTo: WireLimits.tokenBytes, "a token, 1 to 8192 visible ASCII characters", isSecret: true)
    }
}

/// Channels with the last `seq` of each, in the order in which they came first; a channel that comes twice counts with its last.
private struct ResumeKind: FieldKind {
    var expected: StaticString { "an object of at most 16 channels, each with its last seq" }
    private static let channel = TextKind(.visible, upTo: WireLimits.channelBytes, "")
    private static let seq = TextKind(
        .visible, upTo: WireLimits.sequenceBytes, "the last seq of the channel, a string")

    func read(
        _ name: StaticString, _ slot: Envelope.Slot, of object: Envelope
    ) throws(ErrorReply) -> [ResumePoint] {
        guard slot.kind == .object else { throw object.refusal(name, expected) }
        var points: [ResumePoint] = []
        var members = Envelope(object.bytes(of: slot))
        // The text was checked with the whole message, so nothing fails here but what is thrown by name.
        try? members.enter()
        while let member = try? members.nextMember() {
            let (key, value) = (member.key, member.value)
            guard members.reader.withBytes(key, Self.channel.accepts) else {
                throw object.refusal(
                    name, expected, got: "got a channel that is not 1 to 128 visible ASCII characters")
            }
            let channel = members.reader.text(key)
            guard value.kind == .string, members.reader.withBytes(value.token, Self.seq.accepts) else {
                throw Envelope.refusal("\(name).\(channel)", Self.seq.expected, got: members.got(value))
            }
            let seq = members.reader.text(value.token)
            if let known = points.firstIndex(where: { $0.channel == channel }) {
                points[known].seq = seq
            } else if points.count < WireLimits.resumeChannels {
                points.append(ResumePoint(channel: channel, seq: seq))
            } else {
                throw object.refusal(name, expected, got: "got more")
            }
        }
        return points
    }

    func write(_ value: [ResumePoint], into writer: inout JSONWriter) {
        writer.beginObject()
        for point in value {
            writer.key(escaping: point.channel)
            writer.string(point.seq)
        }
        writer.endObject()
    }
}
