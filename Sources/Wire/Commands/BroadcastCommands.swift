/// Notices to many people.
public enum BroadcastCommand: CommandGroup {
    /// `text` is 1–500 bytes on one line, for people. `zone`: of drivers, those who stand in its queue; 1–64 bytes.
    case broadcast(to: BroadcastAudience, zone: String?, text: String)

    static let kinds = [
        CommandKind<BroadcastCommand>(
            "broadcast", [.operator], .city, Field.required("to", AudienceKind()),
            Field.optional(
                "zone", ProseKind(limit: WireLimits.identifierBytes, expected: "the id of a zone, 1 to 64 bytes")),
            Field.required("text", ProseKind(limit: 500, expected: "1 to 500 bytes of text on one line")),
            make: BroadcastCommand.broadcast,
            take: { if case .broadcast(let to, let zone, let text) = $0 { (to, zone, text) } else { nil } })
    ]
}

/// All of a role, whether they are connected or will be.
public enum BroadcastAudience: String, CaseIterable, Sendable {
    /// Of taxis and minibuses.
    case drivers
    case busDrivers = "bus_drivers"
    case passengers
}

private struct AudienceKind: FieldKind {
    let expected: StaticString = "drivers, bus_drivers or passengers"

    func read(
        _ name: StaticString, _ slot: Envelope.Slot, of object: Envelope
    ) throws(ErrorReply) -> BroadcastAudience {
        guard slot.kind == .string, let audience = BroadcastAudience(rawValue: object.reader.text(slot.token)) else {
            throw object.refusal(name, expected)
        }
        return audience
    }

    func write(_ value: BroadcastAudience, into writer: inout JSONWriter) { writer.string(value.rawValue) }
}
