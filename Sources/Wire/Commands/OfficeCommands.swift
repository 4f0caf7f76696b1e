/// What an operator asks and does by hand.
public enum OfficeCommand: CommandGroup {
    /// The id of a zone, 1–64 bytes.
    case queue(zone: String)
    case driver(String)
    case ride(String)
    /// Reasons are for people: 1–200 bytes on one line.
    case remove(driver: String, reason: String)
    /// `zone`: where the driver must be; nil: wherever it is. `rank`: from 1; nil: its old place, or the end.
    case put(driver: String, zone: String?, rank: Int?, reason: String)
    case offer(ride: String, driver: String)
    /// `driver`: nil: whoever is next.
    case reassign(ride: String, driver: String?, reason: String)
    case cancel(Trip, reason: String)
    case end(Trip, reason: String)
    /// `until`: Unix ms; nil: for good.
    case block(Blocked, subject: String, reason: String, until: Int64?)
    case unblock(Blocked, subject: String)
    /// `revoke`: tokens that were issued up to now count no more.
    case endSession(Role, subject: String, reason: String, revoke: Bool)
    /// `from`: the id of an entry; nil: the newest. 1–100 entries.
    case audit(from: String?, limit: Int)

    /// A taxi's ride, or seats in a minibus; what is cancelled may be a reservation, too.
    public enum Trip: Equatable, Sendable {
        case ride(String)
        case booking(String)
        case reservation(String)
    }

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
            Field.required("zone", .zone), make: OfficeCommand.queue,
            take: { if case .queue(let zone) = $0 { zone } else { nil } }),
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
            "office.put", [.operator], .city, Field.required("driver", .word), Field.optional("zone", .zone),
            Field.optional("rank", .rank), Field.required("reason", .reason), make: OfficeCommand.put,
            take: {
                guard case .put(let driver, let zone, let rank, let reason) = $0 else { return nil }
                return (driver, zone, rank, reason)
            }),
        CommandKind(
            "office.offer", [.operator], .city, Field.required("ride", .word), Field.required("driver", .word),
            make: OfficeCommand.offer,
            take: { if case .offer(let ride, let driver) = $0 { (ride, driver) } else { nil } }),
        CommandKind(
            "office.reassign", [.operator], .city, Field.required("ride", .word), Field.optional("driver", .word),
            Field.required("reason", .reason), make: OfficeCommand.reassign,
            take: {
                guard case .reassign(let ride, let driver, let reason) = $0 else { return nil }
                return (ride, driver, reason)
            }),
        CommandKind(
            "office.cancel", [.operator], .city, Trip.ofAll, Field.required("reason", .reason),
            make: OfficeCommand.cancel,
            take: { if case .cancel(let trip, let reason) = $0 { (trip, reason) } else { nil } }),
        CommandKind(
            "office.end", [.operator], .city, Trip.fields, Field.required("reason", .reason), make: OfficeCommand.end,
            take: { if case .end(let trip, let reason) = $0 { (trip, reason) } else { nil } }),
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
            "office.session_end", [.operator], .city, Field.required("role", RoleKind()),
            Field.required("subject", .word), Field.required("reason", .reason),
            Field.optional("revoke", FlagKind(), absent: false), make: OfficeCommand.endSession,
            take: {
                guard case .endSession(let role, let subject, let reason, let revoke) = $0 else { return nil }
                return (role, subject, reason, revoke)
            }),
        CommandKind(
            "office.audit", [.operator], .city, Field.optional("from", .word),
            Field.optional("limit", .entries, absent: OfficeCommand.entries), make: OfficeCommand.audit,
            take: { if case .audit(let from, let limit) = $0 { (from, limit) } else { nil } }),
    ]
}

extension OfficeCommand.Trip {
    /// One of `ride` and `booking`.
    fileprivate static let fields = one(of: [("ride", Self.ride), ("booking", Self.booking)])
    /// One of them, or `reservation`.
    fileprivate static let ofAll = one(
        of: [("ride", Self.ride), ("booking", Self.booking), ("reservation", Self.reservation)])

    private static func one(of kinds: [(name: StaticString, make: @Sendable (String) -> Self)]) -> Fields<Self> {
        Fields(names: kinds.map(\.name)) { (object) throws(ErrorReply) in
            var found: Self?
            for (name, make) in kinds {
                guard let id = try object.optional(name, .word) else { continue }
                guard found == nil else { throw object.refusal(name, "one of them only", got: "got more") }
                found = make(id)
            }
            guard let found else {
                let others = kinds.dropFirst().map { "`\($0.name)`" }.joined(separator: " or ")
                throw ErrorReply(
                    code: .badMessage, field: "ride",
                    detail: "field `ride`: expected the id of a ride, or another's as \(others)")
            }
            return found
        } write: { trip, writer in
            switch trip {
            case .ride(let id): writer.member("ride", id)
            case .booking(let id): writer.member("booking", id)
            case .reservation(let id): writer.member("reservation", id)
            }
        }
    }
}

extension FieldKind where Self == ProseKind {
    fileprivate static var zone: ProseKind {
        ProseKind(limit: WireLimits.identifierBytes, expected: "the id of a zone, 1 to 64 bytes")
    }
    fileprivate static var reason: ProseKind { ProseKind(limit: 200, expected: "1 to 200 bytes of text on one line") }
}

extension FieldKind where Self == WholeKind<Int64> {
    /// Redis' Lua writes no more digits than those of a time before the year 3000 and some.
    fileprivate static var end: WholeKind<Int64> {
        WholeKind(0...32_503_680_000_000, "a time in Unix milliseconds before the year 3000")
    }
}

extension FieldKind where Self == WholeKind<Int> {
    fileprivate static var rank: WholeKind<Int> { WholeKind(1...100_000, "a place in the queue, from 1") }
    fileprivate static var entries: WholeKind<Int> { WholeKind(1...100, "a whole number from 1 to 100") }
}

private struct RoleKind: FieldKind {
    let expected: StaticString = "driver, passenger, bus_driver, operator or service"

    func read(_ name: StaticString, _ slot: Envelope.Slot, of object: Envelope) throws(ErrorReply) -> Role {
        guard slot.kind == .string, let role = Role(rawValue: object.reader.text(slot.token)) else {
            throw object.refusal(name, expected)
        }
        return role
    }

    func write(_ value: Role, into writer: inout JSONWriter) { writer.string(value.rawValue) }
}

private struct BlockedKind: FieldKind {
    let expected: StaticString = "driver, passenger or bus_driver"

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
