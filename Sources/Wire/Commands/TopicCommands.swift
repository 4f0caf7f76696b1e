/// Shared event channels.
public enum TopicCommand: CommandGroup {
    /// `data` is one JSON object as the client wrote it, at most 8 KiB. `type` is 1–64 of `[A-Za-z0-9_.:-]` and none of the hub's own
    /// (`gap`, `snapshot`, `positions`, `opened`).
    case publish(channel: String, type: String?, data: [UInt8])

    static let kinds = [
        CommandKind<TopicCommand>(
            "publish", [.operator, .service], .channel, Field.required("channel", .channel),
            Field.optional("type", EventTypeKind()), Field.required("data", EventDataKind()),
            make: TopicCommand.publish,
            take: {
                guard case .publish(let channel, let type, let data) = $0 else { return nil }
                return (channel, type, data)
            })
    ]
}

/// An event that is called like a message of the hub itself would be taken for one.
private struct EventTypeKind: FieldKind {
    private static let word = TextKind.identifier(
        "1 to 64 characters of A-Z a-z 0-9 _ . : -, and none of gap, snapshot, positions, opened")

    var expected: StaticString { Self.word.expected }

    func read(
        _ name: StaticString, _ slot: Envelope.Slot, of object: Envelope
    ) throws(ErrorReply) -> String {
        let type = try Self.word.read(name, slot, of: object)
        if ["gap", "snapshot", "positions", "opened"].contains(type) { throw object.refusal(name, expected) }
        return type
    }

    func write(_ value: String, into writer: inout JSONWriter) { writer.string(value) }
}

/// An object that is kept byte by byte.
private struct EventDataKind: FieldKind {
    var expected: StaticString { "an object" }

    func read(
        _ name: StaticString, _ slot: Envelope.Slot, of object: Envelope
    ) throws(ErrorReply) -> [UInt8] {
        guard slot.kind == .object else { throw object.refusal(name, expected) }
        let bytes = object.bytes(of: slot)
        guard bytes.count <= WireLimits.eventBytes else {
            throw object.refusal(name, "an object of at most 8192 bytes", got: "got \(bytes.count)")
        }
        return Array(bytes)
    }

    func write(_ value: [UInt8], into writer: inout JSONWriter) { writer.raw(value) }
}
