/// Taxis for a time ahead. Ids are 1–64 of `[A-Za-z0-9_.:-]`.
public enum ReservationCommand: CommandGroup {
    case make(Reservation)
    case list
    case cancel(reservation: String)

    static let kinds: [CommandKind<ReservationCommand>] = [
        CommandKind(
            "reservation.make", [.passenger], .own, forCallers: true, Reservation.fields, make: ReservationCommand.make,
            take: { if case .make(let wish) = $0 { wish } else { nil } }),
        CommandKind("reservation.list", [.passenger], .own, forCallers: true, .list),
        CommandKind(
            "reservation.cancel", [.passenger], .own, forCallers: true,
            Field.required(
                "reservation", .identifier("a reservation id, 1 to 64 characters of A-Z a-z 0-9 _ . : -")),
            make: ReservationCommand.cancel, take: { if case .cancel(let id) = $0 { id } else { nil } }),
    ]
}

/// What is asked for.
public struct Reservation: Equatable, Sendable {
    public var pickup: Place
    public var destination: Place
    /// When to meet, Unix ms.
    public var at: Int64
    /// At least 1; how many are too many is a rule of the city, not of the format.
    public var passengers: Int
    /// What the car must be able to do, words such as `wheelchair`.
    public var needs: [String]?
    /// How the ride will be paid; nil: in cash.
    public var payment: PaymentMethod?

    public init(
        pickup: Place, destination: Place, at: Int64, passengers: Int, needs: [String]? = nil,
        payment: PaymentMethod? = nil
    ) {
        self.pickup = pickup
        self.destination = destination
        self.at = at
        self.passengers = passengers
        self.needs = needs
        self.payment = payment
    }

    static let fields = Fields(
        Field.required("pickup", .place), Field.required("destination", .place), Field.required("at", .meetingTime),
        Field.required("passengers", .crowd), Field.optional("needs", CapabilitiesKind()),
        Field.optional("payment", .payment),
        make: { Reservation(pickup: $0, destination: $1, at: $2, passengers: $3, needs: $4, payment: $5) },
        take: { ($0.pickup, $0.destination, $0.at, $0.passengers, $0.needs, $0.payment) })
}

extension FieldKind where Self == WholeKind<Int64> {
    fileprivate static var meetingTime: WholeKind<Int64> {
        WholeKind(0...WireLimits.largestInteger, "a time in ms since 1970 began")
    }
}
