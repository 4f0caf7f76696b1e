import Domain
import Wire

/// What the clients take out of and put into messages.
extension JSONValue {
    func place(_ name: String) -> GeoPoint? {
        guard let lat = self[name]?["lat"]?.double, let lon = self[name]?["lon"]?.double else { return nil }
        return GeoPoint(lat: lat, lon: lon)
    }
}

extension PositionFix {
    init(_ fix: PlannedFix, atMs: Int64) {
        self.init(
            lat: rounded(fix.place.lat), lon: rounded(fix.place.lon), at: atMs,
            heading: fix.heading.map { min(360, $0.rounded()) },
            speed: fix.speed.map { min(100, ($0 * 10).rounded() / 10) }, accuracy: fix.accuracy?.rounded())
    }
}

extension Place {
    init(_ point: GeoPoint) { self.init(lat: rounded(point.lat), lon: rounded(point.lon)) }
}

extension PlannedRide {
    /// nowMs: hub time.
    func request(nowMs: Int64) -> Command {
        guard let aheadMs else {
            return .rides(
                .rideRequest(
                    lat: rounded(pickup.lat), lon: rounded(pickup.lon), passengers: passengers,
                    destination: Place(destination)))
        }
        return .reservations(
            .make(
                Reservation(
                    pickup: Place(pickup), destination: Place(destination), at: nowMs + aheadMs, passengers: passengers)
            ))
    }
}

extension Command {
    var isRequest: Bool {
        switch self {
        case .rides(.rideRequest), .reservations(.make): true
        default: false
        }
    }

    /// Answers an offer of this ride (not by accepting), and so is worth nothing once the offer is over.
    func answersOffer(of ride: String) -> Bool {
        self == .rides(.offerSeen(ride: ride)) || self == .rides(.offerDecline(ride: ride))
    }

    /// Of a driver on this ride, and so worth nothing once the ride is over. (An acceptance keeps waiting for its answer.)
    func concernsTrip(_ ride: String) -> Bool {
        switch self {
        case .rides(.rideAboard(ride, _)), .rides(.rideEnd(ride, _)), .rides(.rideNoshow(ride)),
            .rides(.rideCancel(ride)):
            true
        default: false
        }
    }

    /// Begins or ends a tour.
    var movesTour: Bool {
        switch self {
        case .tours(.tourStart), .tours(.tourEnd): true
        default: false
        }
    }

    /// Changes whether a minibus can be seen and booked, or where it goes.
    var movesMinibus: Bool {
        switch self {
        case .rides(.driverAvailable), .rides(.driverUnavailable), .seats(.routeSet): true
        default: false
        }
    }

    /// Of a minibus driver, on this booking.
    func concernsBooking(_ booking: String) -> Bool {
        switch self {
        case .seats(.seatAboard(booking, _)), .seats(.seatEnd(booking, _)), .seats(.seatCancel(booking)): true
        default: false
        }
    }

    /// Tells what became of a passenger at the pickup.
    var isBoarding: Bool {
        switch self {
        case .rides(.rideAboard), .rides(.rideNoshow), .rides(.rideCancel): true
        default: false
        }
    }
}

extension ErrorCode {
    /// The hub could not do it now; nothing has happened, and the same command with the same key may be sent again.
    var isForNow: Bool {
        switch self {
        case .unavailable, .rateLimited, .internal, .zonesUnknown: true
        default: false
        }
    }
}

/// Six decimals of a degree: 11 cm.
private func rounded(_ degrees: Double) -> Double { (degrees * 1_000_000).rounded() / 1_000_000 }
