/// What trips cost, and what remains of them. A trip has the id of its ride, or of its booking of seats in a minibus.
public enum TripCommand: CommandGroup {
    case estimate(FareQuestion)
    /// What a payment service says of a trip. `reference`: how the service calls the payment, and never a number of a card.
    case report(trip: String, state: PaymentState, reference: String?)
    case receipt(trip: String)
    /// `stars` 1…5; `comment` 1–500 characters; `routeStars` 1…5: what a passenger thinks of the route of its minibus.
    case rate(trip: String, stars: Int, comment: String?, routeStars: Int? = nil)
    /// Whose; nil: one's own.
    case ratings(TripPerson?)
    /// `from`: where the page begins, as `next` of the page before has it; 1–100 trips; whose, nil: one's own.
    case list(from: String?, limit: Int, TripPerson?)

    public static let entries = 50
    private static let trip = Field.required("trip", .word)
    private static let readers: [Role] = [.passenger, .driver, .operator]

    static let kinds: [CommandKind<TripCommand>] = [
        CommandKind(
            "fare.estimate", [.passenger, .operator, .service], .city, FareQuestion.fields, make: TripCommand.estimate,
            take: { if case .estimate(let question) = $0 { question } else { nil } }),
        CommandKind(
            "payment.report", [.service], .city, trip, Field.required("state", .paymentState),
            Field.optional("reference", ReferenceKind()), make: TripCommand.report,
            take: {
                guard case .report(let trip, let state, let reference) = $0 else { return nil }
                return (trip, state, reference)
            }),
        CommandKind(
            "receipt.get", readers, .own, overHTTP: readers, trip, make: TripCommand.receipt,
            take: { if case .receipt(let trip) = $0 { trip } else { nil } }),
        CommandKind(
            "trip.rate", [.passenger, .driver], .own, overHTTP: [.passenger, .driver], trip,
            Field.required("stars", .stars), Field.optional("comment", CommentKind()),
            Field.optional("route_stars", .stars), make: TripCommand.rate,
            take: {
                guard case .rate(let trip, let stars, let comment, let routeStars) = $0 else { return nil }
                return (trip, stars, comment, routeStars)
            }),
        CommandKind(
            "ratings.get", readers, .own, overHTTP: readers, TripPerson.fields, make: TripCommand.ratings,
            take: { if case .ratings(let person) = $0 { .some(person) } else { nil } }),
        CommandKind(
            "trips.list", readers, .own, overHTTP: readers, Field.optional("from", .word),
            Field.optional("limit", WholeKind<Int>(1...100, "a whole number from 1 to 100"), absent: entries),
            TripPerson.fields, make: TripCommand.list,
            take: {
                guard case .list(let from, let limit, let person) = $0 else { return nil }
                return (from, limit, person)
            }),
    ]
}

/// From where to where, and how many: in a taxi, or in seats of a minibus.
public struct FareQuestion: Equatable, Sendable {
    public var pickup: Place
    public var destination: Place
    /// At least 1.
    public var passengers: Int
    /// When it begins, Unix ms; nil: now.
    public var at: Int64?
    /// It is to be reserved, which may cost more.
    public var isReserved: Bool
    /// A minibus, in whose seats they would ride: neither `at` nor `isReserved` matters then. Nil: a taxi.
    public var vehicle: String?

    public init(
        pickup: Place, destination: Place, passengers: Int, at: Int64? = nil, isReserved: Bool = false,
        vehicle: String? = nil
    ) {
        self.pickup = pickup
        self.destination = destination
        self.passengers = passengers
        self.at = at
        self.isReserved = isReserved
        self.vehicle = vehicle
    }

    static let fields = Fields(
        Field.required("pickup", .place), Field.required("destination", .place), Field.required("passengers", .crowd),
        Field.optional(
            "at", WholeKind<Int64>(0...32_503_680_000_000, "a time in Unix milliseconds before the year 3000")),
        Field.optional("reserved", FlagKind(), absent: false), Field.optional("vehicle", .word),
        make: {
            FareQuestion(pickup: $0, destination: $1, passengers: $2, at: $3, isReserved: $4, vehicle: $5)
        },
        take: { ($0.pickup, $0.destination, $0.passengers, $0.at, $0.isReserved, $0.vehicle) })
}

/// Somebody who rides or drives.
public struct TripPerson: Equatable, Sendable {
    public enum Side: String, CaseIterable, Sendable {
        case driver
        case passenger
    }

    public var role: Side
    /// 1–64 of `[A-Za-z0-9_.:-]`.
    public var subject: String

    public init(role: Side, subject: String) {
        self.role = role
        self.subject = subject
    }

    private static let both = Fields(
        Field.required("role", ChoiceKind<Side>(expected: "driver or passenger")), Field.required("subject", .word),
        make: { TripPerson(role: $0, subject: $1) }, take: { ($0.role, $0.subject) })

    /// Both or none.
    static let fields = Fields<TripPerson?>(names: both.names) { (object) throws(ErrorReply) in
        object["role"].isThere || object["subject"].isThere ? try both.read(object) : nil
    } write: { person, writer in
        if let person { both.write(person, &writer) }
    }
}

/// How a trip is paid.
public enum PaymentMethod: String, CaseIterable, Sendable {
    case cash
    /// By a service outside, which says what became of it.
    case digital
}

/// How a payment stands.
public enum PaymentState: String, CaseIterable, Sendable {
    case pending
    case paid
    case failed
    case refunded
}

/// One of a few words.
struct ChoiceKind<Value: RawRepresentable<String> & Sendable>: FieldKind {
    let expected: StaticString

    func read(_ name: StaticString, _ slot: Envelope.Slot, of object: Envelope) throws(ErrorReply) -> Value {
        guard slot.kind == .string, let value = Value(rawValue: object.reader.text(slot.token)) else {
            throw object.refusal(name, expected)
        }
        return value
    }

    func write(_ value: Value, into writer: inout JSONWriter) { writer.string(value.rawValue) }
}

extension FieldKind where Self == ChoiceKind<PaymentMethod> {
    static var payment: ChoiceKind<PaymentMethod> { ChoiceKind(expected: "cash or digital") }
}

extension FieldKind where Self == WholeKind<Int> {
    fileprivate static var stars: WholeKind<Int> { WholeKind(1...5, "a whole number from 1 to 5") }
}

extension FieldKind where Self == ChoiceKind<PaymentState> {
    static var paymentState: ChoiceKind<PaymentState> { ChoiceKind(expected: "pending, paid, failed or refunded") }
}

/// What a service calls a payment. A number of a card has no business here: what looks like one is refused, and not repeated in the
/// refusal.
private struct ReferenceKind: FieldKind {
    let expected: StaticString = "a reference of 1 to 64 characters of A-Z a-z 0-9 _ . : -, and no number of a card"
    private static let text = TextKind(.identifier, upTo: WireLimits.identifierBytes, "")

    func read(_ name: StaticString, _ slot: Envelope.Slot, of object: Envelope) throws(ErrorReply) -> String {
        guard slot.kind == .string, object.reader.withBytes(slot.token, Self.text.accepts) else {
            throw object.refusal(name, expected, isSecret: true)
        }
        let text = object.reader.text(slot.token)
        guard !CardNumber.isIn(text) else { throw object.refusal(name, expected, isSecret: true) }
        return text
    }

    func write(_ value: String, into writer: inout JSONWriter) { writer.string(value) }
}

/// Numbers of payment cards (ISO/IEC 7812): 13 to 19 digits of which the last is the check digit of Luhn.
public enum CardNumber {
    /// Digits that stand together at least, where letters part a number.
    private static let group = 4

    /// Whether a text has such a number in it, whatever signs part its digits: all digits between two letters, or any that begin as a known
    /// issuer's cards do and are as many as those have. So a number is found that stands among other digits, or has letters between its groups.
    public static func isIn(_ text: String) -> Bool {
        var parts: [[UInt8]] = [[]]
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): parts[parts.count - 1].append(byte - UInt8(ascii: "0"))
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): parts.append([])
            default: break
            }
        }
        if parts.contains(where: { (13...19).contains($0.count) && hasCheckDigit($0[...]) }) { return true }
        let digits = parts.flatMap { $0 }
        // Of each digit the part in which it stands.
        let places = parts.indices.flatMap { [Int](repeating: $0, count: parts[$0].count) }
        for start in digits.indices {
            for end in lengths(digits[start...]).map({ start + $0 }) where end <= digits.count {
                if hasCheckDigit(digits[start..<end]), isInGroups(places[start..<end]) { return true }
            }
        }
        return false
    }

    /// How many digits the numbers have that begin so; empty: no known issuer's do.
    private static func lengths(_ digits: ArraySlice<UInt8>) -> [Int] {
        guard digits.count >= 13 else { return [] }
        switch digits.prefix(4).reduce(0, { $0 * 10 + Int($1) }) {
        case 4000...4999: return [13, 16, 19]
        case 5100...5599, 2221...2720, 3528...3589: return [16]
        case 3400...3499, 3700...3799: return [15]
        case 3000...3059, 3600...3699, 3800...3999: return [14]
        case 6011, 6200...6299, 6440...6599: return [16, 19]
        default: return []
        }
    }

    private static func isInGroups(_ places: ArraySlice<Int>) -> Bool {
        places.first == places.last
            || Dictionary(grouping: places, by: { $0 }).values.allSatisfy { $0.count >= group }
    }

    private static func hasCheckDigit(_ digits: ArraySlice<UInt8>) -> Bool {
        var sum = 0
        for (place, digit) in digits.reversed().enumerated() {
            let value = place % 2 == 1 ? Int(digit) * 2 : Int(digit)
            sum += value > 9 ? value - 9 : value
        }
        return sum % 10 == 0
    }
}

/// What somebody writes of a trip: up to 500 characters, on any number of lines.
private struct CommentKind: FieldKind {
    let expected: StaticString = "1 to 500 characters of text"
    private static let prose = ProseKind(limit: 2000, expected: "1 to 500 characters of text", hasLines: true)

    func read(_ name: StaticString, _ slot: Envelope.Slot, of object: Envelope) throws(ErrorReply) -> String {
        let text = try Self.prose.read(name, slot, of: object)
        guard text.unicodeScalars.count <= 500 else { throw object.refusal(name, expected) }
        return text
    }

    func write(_ value: String, into writer: inout JSONWriter) { writer.string(value) }
}
