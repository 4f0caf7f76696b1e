/// Alarms, and reports of what happened.
public enum SafetyCommand: CommandGroup {
    /// `text` is 1–500 bytes and may have line breaks, as who writes in haste makes some; hidden characters are left out of it.
    case sos(ride: String?, text: String?, at: Place?)
    case cancel
    /// Those that are open, or those that were closed.
    case list(closed: Bool)
    /// Notes are for people: 1–200 bytes on one line.
    case acknowledge(String, note: String?)
    case close(String, note: String)
    /// `text` is 1–4000 bytes and may have line breaks.
    case report(Category, text: String, ride: String?, vehicle: String?, anonymous: Bool)
    /// `from`: the id of a report; nil: the newest. 1–100 of them.
    case reports(from: String?, limit: Int, closed: Bool)
    case closeReport(String, note: String)

    /// What a report is about.
    public enum Category: String, CaseIterable, Sendable {
        case driving, behaviour, vehicle, accessibility
        case lostProperty = "lost_property"
        case other
    }

    public static let entries = 50

    /// Who may be in danger. No connection is needed: it may be the one that fails.
    private static let everybodysOwn: [Role] = [.passenger, .driver, .busDriver]

    static let kinds: [CommandKind<SafetyCommand>] = [
        CommandKind(
            "sos", [.passenger, .driver, .busDriver], .own, overHTTP: everybodysOwn, Field.optional("ride", .word),
            Field.optional(
                "text",
                ProseKind(
                    limit: 500, expected: "1 to 500 bytes of text, which may have line breaks", hasLines: true,
                    isMended: true)),
            Place.ifGiven, make: SafetyCommand.sos,
            take: { if case .sos(let ride, let text, let place) = $0 { (ride, text, place) } else { nil } }),
        CommandKind(
            "sos.cancel", [.passenger, .driver, .busDriver], .own, overHTTP: everybodysOwn, SafetyCommand.cancel),
        CommandKind(
            "sos.list", [.operator], .city, Field.optional("closed", FlagKind(), absent: false),
            make: SafetyCommand.list, take: { if case .list(let closed) = $0 { closed } else { nil } }),
        CommandKind(
            "sos.acknowledge", [.operator], .city, Field.required("sos", .word), Field.optional("note", .note),
            make: SafetyCommand.acknowledge,
            take: { if case .acknowledge(let sos, let note) = $0 { (sos, note) } else { nil } }),
        CommandKind(
            "sos.close", [.operator], .city, Field.required("sos", .word), Field.required("note", .note),
            make: SafetyCommand.close, take: { if case .close(let sos, let note) = $0 { (sos, note) } else { nil } }),
        CommandKind(
            "report.send", [.passenger, .driver, .busDriver, .operator], .own,
            overHTTP: everybodysOwn + [.operator],
            Field.required("category", CategoryKind()),
            Field.required("text", .words(upTo: 4000, "1 to 4000 bytes of text, which may have line breaks")),
            Field.optional("ride", .word), Field.optional("vehicle", .catalogID),
            Field.optional("anonymous", FlagKind(), absent: false), make: SafetyCommand.report,
            take: {
                guard case .report(let category, let text, let ride, let vehicle, let isAnonymous) = $0 else {
                    return nil
                }
                return (category, text, ride, vehicle, isAnonymous)
            }),
        CommandKind(
            "report.list", [.operator], .city, Field.optional("from", .word),
            Field.optional(
                "limit", WholeKind<Int>(1...100, "a whole number from 1 to 100"), absent: SafetyCommand.entries),
            Field.optional("closed", FlagKind(), absent: false), make: SafetyCommand.reports,
            take: { if case .reports(let from, let limit, let closed) = $0 { (from, limit, closed) } else { nil } }),
        CommandKind(
            "report.close", [.operator], .city, Field.required("report", .word), Field.required("note", .note),
            make: SafetyCommand.closeReport,
            take: { if case .closeReport(let report, let note) = $0 { (report, note) } else { nil } }),
    ]
}

extension FieldKind where Self == ProseKind {
    fileprivate static func words(upTo limit: Int, _ expected: StaticString) -> ProseKind {
        ProseKind(limit: limit, expected: expected, hasLines: true)
    }
    fileprivate static var note: ProseKind { ProseKind(limit: 200, expected: "1 to 200 bytes of text on one line") }
}

extension Place {
    /// Both degrees or none.
    fileprivate static let ifGiven = Fields<Place?>(names: fields.names) { (object) throws(ErrorReply) in
        object["lat"].isThere || object["lon"].isThere ? try fields.read(object) : nil
    } write: { place, writer in
        if let place { fields.write(place, &writer) }
    }
}

private struct CategoryKind: FieldKind {
    let expected: StaticString = "driving, behaviour, vehicle, accessibility, lost_property or other"

    func read(
        _ name: StaticString, _ slot: Envelope.Slot, of object: Envelope
    ) throws(ErrorReply) -> SafetyCommand.Category {
        guard slot.kind == .string, let category = SafetyCommand.Category(rawValue: object.reader.text(slot.token))
        else { throw object.refusal(name, expected) }
        return category
    }

    func write(_ value: SafetyCommand.Category, into writer: inout JSONWriter) { writer.string(value.rawValue) }
}
