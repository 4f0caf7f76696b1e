/// A rule that the hub broke, and where.
public struct Violation: Equatable, Sendable, CustomStringConvertible {
    public enum Rule: String, Sendable, CaseIterable {
        /// Available ⇔ in exactly one queue.
        case queueMembership = "I1"
        /// Busy ⇔ serving exactly one ride.
        case busyWithOneRide = "I2"
        /// A ride has at most one driver, a driver at most one ride.
        case oneDriverPerRide = "I3"
        /// A passenger has at most one open request.
        case oneRequestPerPassenger = "I4"
        /// Nobody eligible is passed over at an offer.
        case queueOrder = "FIFO"
        /// Requests of a zone are served in the order of their arrival.
        case requestOrder = "R2"
        /// A waiting driver's rank grows only by what it did itself.
        case rank = "RANK"
        /// An offer is open to one driver, and ends once.
        case offer = "OFFER"
        /// What is accepted was offered, and is accepted once.
        case acceptance = "ACCEPT"
        /// Each ride ends once, in one way.
        case outcome = "OUTCOME"
        /// The passenger was told how its request ended.
        case told = "TOLD"
        /// Each rung of the alerts fires once per ride and driver.
        case alert = "ALERT"
        /// Each event of a channel came to its client once and in order.
        case delivery = "ONCE"
        /// A reservation has at most one ride, goes somewhere else, and ends once.
        case reservation = "I5"
        /// A trip has one receipt with one fare, and one rating per side.
        case trip = "TRIP"
        /// Who is blocked or paused stands in no queue, and asks for no taxi.
        case blocked = "BLOCK"
        /// A bus has one tour at a time, and so has its driver.
        case tour = "TOUR"
        /// Nobody is said not to have turned up before the bus has stood there for long enough.
        case noShow = "NOSHOW"
        /// Seats taken lie in 0…all, and are counted on a running tour; of a minibus none is sold twice.
        case seats = "SEATS"
        /// Every reader of a line sees the last state of each of its buses, every watcher of a minibus that.
        case line = "LINE"
        /// What a reader is told of a bus never goes back.
        case order = "ORDER"
        /// The log and the state in Redis say different things.
        case state = "STATE"
        /// The log itself cannot be read, or does not reach back.
        case log = "LOG"
    }

    public var rule: Rule
    public var message: String
    /// The log's entry at which it showed; nil for what shows only at the end.
    public var eventID: String?

    public var description: String { "\(rule.rawValue): \(message)" }
}

extension Violation.Rule {
    /// What is looked at where taxis drive, and where buses do.
    static let rides: [Self] = allCases.filter { ![.tour, .seats, .line, .order].contains($0) }
    static let buses: [Self] = [
        .tour, .seats, .oneRequestPerPassenger, .offer, .acceptance, .outcome, .noShow, .told, .alert, .line, .order,
        .delivery, .state, .log,
    ]
}
