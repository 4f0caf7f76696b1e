import Domain

/// What a worker knows of a minibus whose driver is connected to it.
final class Minibus: VehicleFollower {
    /// A confirmed booking, as far as judging fixes needs it.
    struct Booking {
        var pickup: PickupApproach
        let destination: GeoPoint
    }

    /// In the order in which they came.
    var bookings: [Booking] = []
    var way: AnnouncedPath?
    var route: String?
    /// How far it is along them, and the catalog that its route was looked up in.
    var progress: PathProgress?
    var progressVersion = ""
    /// The order of stops told last.
    var stopsTold: [MinibusStop]?
    private let seats: Seats

    /// Follows the vehicle from now on.
    init(_ seats: Seats, _ vehicle: VehicleTrack) {
        self.seats = seats
        vehicle.followers.append(self)
    }

    func moved(_ vehicle: VehicleTrack, to fix: Fix, _ accepted: PositionFilter.Accepted, isTold: Bool) {
        if isTold { seats.approach(self, vehicle, fix, after: accepted.previous) }
        if accepted.isForFences, vehicle.isMinibus { seats.goOn(self, vehicle, to: fix) }
    }

    func stands(_ vehicle: VehicleTrack, at fix: Fix) { seats.approach(self, vehicle, fix, after: nil) }
}
