/// Who may send what: the one table of the hub. A command that is not in it can't be sent by anybody.
///
/// It says which roles may send a command, and on whose objects. That an object is the sender's own is held by the Redis function
/// that the command calls; that a channel may be read or written, by the capability that has it (`VehicleFeeds`, `Topics`).
public enum Permissions {
    /// Whose objects a command touches.
    public enum Objects: String, Sendable {
        /// The sender's own: its ride, its bookings, its vehicle, its tour.
        case own
        /// Anything of the city that everybody may see or ask for.
        case city
        /// What the channel says.
        case channel
        /// None: the connection itself.
        case connection
    }

    public struct Rule: Sendable {
        public let roles: [Role]
        public let objects: Objects
    }

    private static let all = Role.allCases

    /// By command.
    public static func rule(_ command: CommandName) -> Rule {
        switch command {
        case .hello: Rule(roles: all, objects: .connection)
        case .subscribe, .unsubscribe: Rule(roles: all, objects: .channel)
        case .publish: Rule(roles: [.operator, .service], objects: .channel)
        case .watch: Rule(roles: [.passenger, .operator, .service], objects: .city)
        case .unwatch: Rule(roles: all, objects: .connection)
        case .vehicleGet, .lineEta: Rule(roles: all, objects: .city)
        case .notifySet: Rule(roles: [.driver, .passenger, .busDriver], objects: .own)
        case .position, .seatsSet: Rule(roles: [.driver, .busDriver], objects: .own)
        case .driverAvailable, .driverUnavailable, .offerSeen, .offerAccept, .offerDecline, .rideAboard, .rideEnd,
            .rideNoshow, .routeSet, .seatAccept, .seatDecline, .seatAboard, .seatEnd:
            Rule(roles: [.driver], objects: .own)
        case .rideCancel, .seatCancel: Rule(roles: [.driver, .passenger], objects: .own)
        case .rideRequest, .rideSearch, .seatBook, .stopRequest, .stopCancel:
            Rule(roles: [.passenger], objects: .own)
        case .tourStart, .stopNext, .stopPrevious, .stopAccept, .stopDecline, .stopComplete, .stopNoshow:
            Rule(roles: [.busDriver], objects: .own)
        // An operator may end a tour whose driver does not.
        case .tourEnd: Rule(roles: [.busDriver, .operator], objects: .own)
        }
    }

    public static func may(_ role: Role, _ command: CommandName) -> Bool { rule(command).roles.contains(role) }
}
