/// Taxis: who is free, offers, rides. Ride ids are 1–64 of `[A-Za-z0-9_.:-]`; nil is the one that the sender has.
public enum RideCommand: CommandGroup {
    case driverAvailable
    case driverUnavailable
    case offerSeen(ride: String)
    case offerAccept(ride: String)
    case offerDecline(ride: String)
    /// `passengers` 1…99.
    case rideAboard(ride: String?, passengers: Int?)
    /// `payment`: nil: as was asked for.
    case rideEnd(ride: String?, payment: PaymentMethod? = nil)
    case rideNoshow(ride: String?)
    /// `lat` −90…90 and `lon` −180…180 degrees. `passengers` at least 1; how many are too many is a rule of the city, not of
    /// the format. `needs`: what the vehicle must have, words such as `wheelchair`. `wait`: to wait for a while where no taxi
    /// is there now. `payment`: nil: in cash.
    case rideRequest(
        lat: Double, lon: Double, passengers: Int, destination: Place?, needs: [String]? = nil, wait: Bool = false,
        payment: PaymentMethod? = nil)
    case rideCancel(ride: String?)
    /// The passenger waits no longer for a driver that is lost.
    case rideSearch(ride: String?)
    /// A link by which friends follow the ride.
    case rideShare(ride: String?)
    /// All its links are taken back.
    case rideUnshare(ride: String?)

    private static let oneRide = Field.required("ride", .ride)
    private static let ride = Field.optional("ride", .ride)

    static let kinds: [CommandKind<RideCommand>] = [
        CommandKind("driver.available", [.driver], .own, .driverAvailable),
        CommandKind("driver.unavailable", [.driver], .own, .driverUnavailable),
        CommandKind(
            "offer.seen", [.driver], .own, oneRide, make: RideCommand.offerSeen,
            take: { if case .offerSeen(let ride) = $0 { ride } else { nil } }),
        CommandKind(
            "offer.accept", [.driver], .own, oneRide, make: RideCommand.offerAccept,
            take: { if case .offerAccept(let ride) = $0 { ride } else { nil } }),
        CommandKind(
            "offer.decline", [.driver], .own, oneRide, make: RideCommand.offerDecline,
            take: { if case .offerDecline(let ride) = $0 { ride } else { nil } }),
        CommandKind(
            "ride.aboard", [.driver], .own, ride, Field.optional("passengers", .party), make: RideCommand.rideAboard,
            take: { if case .rideAboard(let ride, let passengers) = $0 { (ride, passengers) } else { nil } }),
        CommandKind(
            "ride.end", [.driver], .own, ride, Field.optional("payment", .payment), make: RideCommand.rideEnd,
            take: { if case .rideEnd(let ride, let payment) = $0 { (ride, payment) } else { nil } }),
        CommandKind(
            "ride.noshow", [.driver], .own, ride, make: RideCommand.rideNoshow,
            take: { if case .rideNoshow(let ride) = $0 { ride } else { nil } }),
        CommandKind(
            "ride.request", [.passenger], .own, forCallers: true, Field.required("lat", .latitude),
            Field.required("lon", .longitude),
            Field.required("passengers", .crowd), Field.optional("destination", .place),
            Field.optional("needs", CapabilitiesKind()), Field.optional("wait", FlagKind(), absent: false),
            Field.optional("payment", .payment),
            make: RideCommand.rideRequest,
            take: {
                guard
                    case .rideRequest(
                        let lat, let lon, let passengers, let destination, let needs, let wait, let payment) = $0
                else { return nil }
                return (lat, lon, passengers, destination, needs, wait, payment)
            }),
        CommandKind(
            "ride.cancel", [.driver, .passenger], .own, forCallers: true, ride, make: RideCommand.rideCancel,
            take: { if case .rideCancel(let ride) = $0 { ride } else { nil } }),
        CommandKind(
            "ride.search", [.passenger], .own, forCallers: true, ride, make: RideCommand.rideSearch,
            take: { if case .rideSearch(let ride) = $0 { ride } else { nil } }),
        CommandKind(
            "ride.share", [.passenger], .own, ride, make: RideCommand.rideShare,
            take: { if case .rideShare(let ride) = $0 { ride } else { nil } }),
        CommandKind(
            "ride.unshare", [.passenger], .own, ride, make: RideCommand.rideUnshare,
            take: { if case .rideUnshare(let ride) = $0 { ride } else { nil } }),
    ]
}

extension FieldKind where Self == TextKind {
    fileprivate static var ride: TextKind { .identifier("a ride id, 1 to 64 characters of A-Z a-z 0-9 _ . : -") }
}

extension FieldKind where Self == WholeKind<Int> {
    static var crowd: WholeKind<Int> {
        WholeKind(1...WireLimits.largestInteger, "a whole number of at least 1")
    }
}
