/// What an operator asks and does by hand.
public enum OfficeCommand: CommandGroup {
    /// The id of a zone, 1–64 bytes.
    case queue(zone: String)
    case driver(String)
    case ride(String)
    /// Reasons are for people: 1–200 bytes on one line.
    case remove(driver: String, reason: String)
    case cancel(ride: String, reason: String)
    /// `until`: Unix ms; nil: for good.
    case block(Blocked, subject: String, reason: String, until: Int64?)
    case unblock(Blocked, subject: String)
    /// `from`: the id of an entry; nil: the newest. 1–100 entries.
    case audit(from: String?, limit: Int)

    /// Who can be blocked.
    public enum Blocked: String, CaseIterable, Sendable {
        /// Of taxis and minibuses.
        case driver
        case passenger
        case busDriver = "bus_driver"
    }

    public static let entries = 50

    static let kinds: [CommandKind<OfficeCommand>] = [
        CommandKind(
            "office.queue", [.operator], .city,
            Field.required(
                "zone", ProseKind(limit: WireLimits.identifierBytes, expected: "the id of a zone, 1 to 64 bytes")),
            make: OfficeCommand.queue, take: { if case .queue(let zone) = $0 { zone } else { nil } }),
        CommandKind(
            "office.driver", [.operator], .city, Field.required("driver", .word), make: OfficeCommand.driver,
            take: { if case .driver(let driver) = $0 { driver } else { nil } }),
        CommandKind(
            "office.ride", [.operator], .city, Field.required("ride", .word), make: OfficeCommand.ride,
            take: { if case .ride(let ride) = $0 { ride } else { nil } }),
        CommandKind(
            "office.remove", [.operator], .city, Field.required("driver", .word), Field.required("reason", .reason),
            make: OfficeCommand.remove,
            take: { if case .remove(let driver, let reason) = $0 { (driver, reason) } else { nil } }),
        CommandKind(
            "office.cancel", [.operator], .city, Field.required("ride", .word), Field.required("reason", .reason),
            make: OfficeCommand.cancel,
            take: { if case .cancel(let ride, let reason) = $0 { (ride, reason) } else { nil } }),
        CommandKind(
            "office.block", [.operator], .city, Field.required("role", BlockedKind()),
            Field.required("subject", .word), Field.required("reason", .reason), Field.optional("until", .end),
            make: OfficeCommand.block,
            take: {
                guard case .block(let role, let subject, let reason, let until) = $0 else { return nil }
                return (role, subject, reason, until)
            }),
        CommandKind(
            "office.unblock", [.operator], .city, Field.required("role", BlockedKind()),
            Field.required("subject", .word), make: OfficeCommand.unblock,
            take: { if case .unblock(let role, let subject) = $0 { (role, subject) } else { nil } }),
        CommandKind(
            "office.audit", [.operator], .city, Field.optional("from", .word),
            Field.optional("limit", .entries, absent: OfficeCommand.entries), make: OfficeCommand.audit,
            take: { if case .audit(let from, let limit) = $0 { (from, limit) } else { nil } }),
    ]
}

extension FieldKind where Self == ProseKind {
    fileprivate static var reason: ProseKind { ProseKind(limit: 200, expected: "1 to 200 bytes of text on one line") }
}

extension FieldKind where Self == WholeKind<Int64> {
    /// Redis' Lua writes no more digits than those of a time before the year 3000 and some.
    fileprivate static var end: WholeKind<Int64> {
        WholeKind(0...32_503_680_000_000, "a time in Unix milliseconds before the year 3000")
    }
}

extension FieldKind where Self == WholeKind<Int> {
    fileprivate static var entries: WholeKind<Int> { WholeKind(1...100, "a whole number from 1 to 100") }
}

private struct BlockedKind: FieldKind {
    let expected: StaticString = "driver or passenger"

    func read(
        _ name: StaticString, _ slot: Envelope.Slot, of object: Envelope
    ) throws(ErrorReply) -> OfficeCommand.Blocked {
        guard slot.kind == .string, let role = OfficeCommand.Blocked(rawValue: object.reader.text(slot.token)) else {
            throw object.refusal(name, expected)
        }
        return role
    }

    func write(_ value: OfficeCommand.Blocked, into writer: inout JSONWriter) { writer.string(value.rawValue) }
}
