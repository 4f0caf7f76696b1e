/// The closed list of command names, as they stand in the field `cmd`.
public enum CommandName: String, CaseIterable, Sendable {
    case hello
    case position
    case driverAvailable = "driver.available"
    case driverUnavailable = "driver.unavailable"
    case offerSeen = "offer.seen"
    case offerAccept = "offer.accept"
    case offerDecline = "offer.decline"
    case rideAboard = "ride.aboard"
    case rideEnd = "ride.end"
    case rideNoshow = "ride.noshow"
    case rideRequest = "ride.request"
    case rideCancel = "ride.cancel"
    case rideSearch = "ride.search"
    case subscribe
    case unsubscribe
    case watch
    case unwatch
    case seatsSet = "seats.set"
    case routeSet = "route.set"
    case seatBook = "seat.book"
    case seatAccept = "seat.accept"
    case seatDecline = "seat.decline"
    case seatCancel = "seat.cancel"
    case seatAboard = "seat.aboard"
    case seatEnd = "seat.end"
    case vehicleGet = "vehicle.get"
    case notifySet = "notify.set"
    case publish
    case lineEta = "line.eta"
    case stopRequest = "stop.request"
    case stopCancel = "stop.cancel"
    case stopAccept = "stop.accept"
    case stopDecline = "stop.decline"
    case stopComplete = "stop.complete"
    case stopNoshow = "stop.noshow"
    case tourStart = "tour.start"
    case tourEnd = "tour.end"
    case stopNext = "stop.next"
    case stopPrevious = "stop.previous"

    /// Compares bytes: no String is made. `position` first, as nearly all messages are.
    init?(_ text: ByteText) {
        switch text {
        case "position": self = .position
        case "hello": self = .hello
        case "driver.available": self = .driverAvailable
        case "driver.unavailable": self = .driverUnavailable
        case "offer.seen": self = .offerSeen
        case "offer.accept": self = .offerAccept
        case "offer.decline": self = .offerDecline
        case "ride.aboard": self = .rideAboard
        case "ride.end": self = .rideEnd
        case "ride.noshow": self = .rideNoshow
        case "ride.request": self = .rideRequest
        case "ride.cancel": self = .rideCancel
        case "ride.search": self = .rideSearch
        case "subscribe": self = .subscribe
        case "unsubscribe": self = .unsubscribe
        case "watch": self = .watch
        case "unwatch": self = .unwatch
        case "seats.set": self = .seatsSet
        case "route.set": self = .routeSet
        case "seat.book": self = .seatBook
        case "seat.accept": self = .seatAccept
        case "seat.decline": self = .seatDecline
        case "seat.cancel": self = .seatCancel
        case "seat.aboard": self = .seatAboard
        case "seat.end": self = .seatEnd
        case "vehicle.get": self = .vehicleGet
        case "notify.set": self = .notifySet
        case "publish": self = .publish
        case "line.eta": self = .lineEta
        case "stop.request": self = .stopRequest
        case "stop.cancel": self = .stopCancel
        case "stop.accept": self = .stopAccept
        case "stop.decline": self = .stopDecline
        case "stop.complete": self = .stopComplete
        case "stop.noshow": self = .stopNoshow
        case "tour.start": self = .tourStart
        case "tour.end": self = .tourEnd
        case "stop.next": self = .stopNext
        case "stop.previous": self = .stopPrevious
        default: return nil
        }
    }
}

extension Command {
    /// The name under which the command travels.
    public var name: CommandName {
        switch self {
        case .hello: .hello
        case .position: .position
        case .driverAvailable: .driverAvailable
        case .driverUnavailable: .driverUnavailable
        case .offerSeen: .offerSeen
        case .offerAccept: .offerAccept
        case .offerDecline: .offerDecline
        case .rideAboard: .rideAboard
        case .rideEnd: .rideEnd
        case .rideNoshow: .rideNoshow
        case .rideRequest: .rideRequest
        case .rideCancel: .rideCancel
        case .rideSearch: .rideSearch
        case .subscribe: .subscribe
        case .unsubscribe: .unsubscribe
        case .watch: .watch
        case .unwatch: .unwatch
        case .seatsSet: .seatsSet
        case .routeSet: .routeSet
        case .seatBook: .seatBook
        case .seatAccept: .seatAccept
        case .seatDecline: .seatDecline
        case .seatCancel: .seatCancel
        case .seatAboard: .seatAboard
        case .seatEnd: .seatEnd
        case .vehicleGet: .vehicleGet
        case .notifySet: .notifySet
        case .publish: .publish
        case .lineEta: .lineEta
        case .stopRequest: .stopRequest
        case .stopCancel: .stopCancel
        case .stopAnswer(.accept, _, _): .stopAccept
        case .stopAnswer(.decline, _, _): .stopDecline
        case .stopAnswer(.complete, _, _): .stopComplete
        case .stopAnswer(.noshow, _, _): .stopNoshow
        case .tourStart: .tourStart
        case .tourEnd: .tourEnd
        case .stopNext: .stopNext
        case .stopPrevious: .stopPrevious
        }
    }
}
