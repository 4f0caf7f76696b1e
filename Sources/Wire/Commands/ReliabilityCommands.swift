/// What counts of no-shows, late cancellations and what was given back.
public enum ReliabilityCommand: CommandGroup {
    /// One's own.
    case get
    case of(Person, subject: String)
    /// `reason` is for people: 1–200 bytes on one line.
    case reset(Person, subject: String, reason: String)

    /// Of whom it is counted.
    public enum Person: String, CaseIterable, Sendable {
        /// Of taxis and minibuses.
        case driver
        case passenger
    }

    static let kinds: [CommandKind<ReliabilityCommand>] = [
        CommandKind("reliability.get", [.driver, .passenger], .own, overHTTP: [.driver, .passenger], .get),
        CommandKind(
            "reliability.of", [.operator, .service], .city, Field.required("role", PersonKind()),
            Field.required("subject", .word), make: ReliabilityCommand.of,
            take: { if case .of(let role, let subject) = $0 { (role, subject) } else { nil } }),
        CommandKind(
            "reliability.reset", [.operator], .city, Field.required("role", PersonKind()),
            Field.required("subject", .word),
            Field.required("reason", ProseKind(limit: 200, expected: "1 to 200 bytes of text on one line")),
            make: ReliabilityCommand.reset,
            take: {
                guard case .reset(let role, let subject, let reason) = $0 else { return nil }
                return (role, subject, reason)
            }),
    ]
}

private struct PersonKind: FieldKind {
    let expected: StaticString = "driver or passenger"

    func read(
        _ name: StaticString, _ slot: Envelope.Slot, of object: Envelope
    ) throws(ErrorReply) -> ReliabilityCommand.Person {
        guard slot.kind == .string, let role = ReliabilityCommand.Person(rawValue: object.reader.text(slot.token))
        else { throw object.refusal(name, expected) }
        return role
    }

    func write(_ value: ReliabilityCommand.Person, into writer: inout JSONWriter) { writer.string(value.rawValue) }
}
