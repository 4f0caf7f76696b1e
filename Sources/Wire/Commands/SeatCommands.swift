/// Minibuses, and the seats of any vehicle. Ids of vehicles and bookings are 1–64 of `[A-Za-z0-9_.:-]`.
public enum SeatCommand: CommandGroup {
    /// Seats that are taken now, 0…99; how many there are is a rule of the city. `reason` is 1–64 of `[A-Za-z0-9_.:-]`.
    case seatsSet(taken: Int, reason: String?)
    /// 1–64 of `[A-Za-z0-9_.:-]`, the first a letter or digit; nil: on no route. With a way it may have no name.
    case routeSet(route: String?, way: AnnouncedWay?)
    case seatBook(SeatRequest)
    /// Of any minibus that goes there. `passengers` 1…99. `payment`: nil: in cash.
    case seatRequest(pickup: Place, destination: Place, passengers: Int, payment: PaymentMethod? = nil)
    case seatAccept(booking: String)
    case seatDecline(booking: String)
    /// nil: a passenger's open one.
    case seatCancel(booking: String?)
    /// `passengers` 1…99: how many came; nil: all that were booked.
    case seatAboard(booking: String, passengers: Int?)
    /// `payment`: nil: as was asked for.
    case seatEnd(booking: String, payment: PaymentMethod? = nil)
    case vehicleGet(vehicle: String)

    private static let booking = Field.required("booking", .booking)

    static let kinds: [CommandKind<SeatCommand>] = [
        CommandKind(
            "seats.set", [.driver, .busDriver], .own, overHTTP: [.busDriver],
            Field.required("taken", WholeKind<Int>(0...99, "a whole number from 0 to 99")),
            Field.optional("reason", .word), make: SeatCommand.seatsSet,
            take: { if case .seatsSet(let taken, let reason) = $0 { (taken, reason) } else { nil } }),
        CommandKind(
            "route.set", [.driver], .own, newRoute, AnnouncedWay.fields, make: SeatCommand.routeSet,
            take: { if case .routeSet(let route, let way) = $0 { (route, way) } else { nil } }),
        CommandKind(
            "seat.book", [.passenger], .own, forCallers: true, SeatRequest.fields, make: SeatCommand.seatBook,
            take: { if case .seatBook(let request) = $0 { request } else { nil } }),
        CommandKind(
            "seat.request", [.passenger], .own, forCallers: true, Field.required("pickup", .place),
            Field.required("destination", .place), Field.required("passengers", .party),
            Field.optional("payment", .payment), make: SeatCommand.seatRequest,
            take: {
                guard case .seatRequest(let pickup, let destination, let passengers, let payment) = $0 else {
                    return nil
                }
                return (pickup, destination, passengers, payment)
            }),
        CommandKind(
            "seat.accept", [.driver], .own, booking, make: SeatCommand.seatAccept,
            take: { if case .seatAccept(let booking) = $0 { booking } else { nil } }),
        CommandKind(
            "seat.decline", [.driver], .own, booking, make: SeatCommand.seatDecline,
            take: { if case .seatDecline(let booking) = $0 { booking } else { nil } }),
        CommandKind(
            "seat.cancel", [.driver, .passenger], .own, forCallers: true, Field.optional("booking", .booking),
            make: SeatCommand.seatCancel,
            take: { if case .seatCancel(let booking) = $0 { booking } else { nil } }),
        CommandKind(
            "seat.aboard", [.driver], .own, booking, Field.optional("passengers", .party),
            make: SeatCommand.seatAboard,
            take: { if case .seatAboard(let booking, let passengers) = $0 { (booking, passengers) } else { nil } }),
        CommandKind(
            "seat.end", [.driver], .own, booking, Field.optional("payment", .payment), make: SeatCommand.seatEnd,
            take: { if case .seatEnd(let booking, let payment) = $0 { (booking, payment) } else { nil } }),
        CommandKind(
            "vehicle.get", Role.allCases, .city, forGuests: true, Field.required("vehicle", .vehicle),
            make: SeatCommand.vehicleGet,
            take: { if case .vehicleGet(let vehicle) = $0 { vehicle } else { nil } }),
    ]

    /// Absent would be read as "on no route", so a forgotten field is refused, unless a way is announced instead.
    private static let newRoute = Fields<String?>(names: ["route"]) { (object) throws(ErrorReply) in
        let kind = RouteKind()
        guard object["route"].kind != nil || object["start"].isThere else {
            throw object.refusal("route", kind.expected)
        }
        return try object.optional("route", kind)
    } write: { route, writer in
        writer.key("route")
        if let route { writer.string(route) } else { writer.null() }
    }
}

/// What a passenger asks of a minibus.
public struct SeatRequest: Hashable, Sendable {
    /// The driver's subject, as it stands in feeds.
    public var vehicle: String
    public var pickup: Place
    public var destination: Place
    /// 1…99; all get a seat or none.
    public var passengers: Int
    /// Nil: in cash.
    public var payment: PaymentMethod?

    public init(
        vehicle: String, pickup: Place, destination: Place, passengers: Int, payment: PaymentMethod? = nil
    ) {
        self.vehicle = vehicle
        self.pickup = pickup
        self.destination = destination
        self.passengers = passengers
        self.payment = payment
    }

    static let fields = Fields(
        Field.required("vehicle", .vehicle), Field.required("pickup", .place), Field.required("destination", .place),
        Field.required("passengers", .party), Field.optional("payment", .payment),
        make: { SeatRequest(vehicle: $0, pickup: $1, destination: $2, passengers: $3, payment: $4) },
        take: { ($0.vehicle, $0.pickup, $0.destination, $0.passengers, $0.payment) }
    ).demanding(("vehicle", TextKind.vehicle), ("passengers", WholeKind<Int>.party))
}

/// The name of a route. The first is a letter or digit, so that a lone `-` can mean "none" in records.
struct RouteKind: FieldKind {
    private static let name = TextKind.identifier(
        "a route, 1 to 64 characters of A-Z a-z 0-9 _ . : -, the first a letter or digit")

    var expected: StaticString { Self.name.expected }

    func read(
        _ name: StaticString, _ slot: Envelope.Slot, of object: Envelope
    ) throws(ErrorReply) -> String {
        let text = try Self.name.read(name, slot, of: object)
        switch text.utf8.first {
        case UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: ":"), UInt8(ascii: "-"):
            throw object.refusal(name, expected)
        default: return text
        }
    }

    func write(_ value: String, into writer: inout JSONWriter) { writer.string(value) }
}

extension FieldKind where Self == TextKind {
    fileprivate static var booking: TextKind {
        .identifier("a booking's id, 1 to 64 characters of A-Z a-z 0-9 _ . : -")
    }
}
