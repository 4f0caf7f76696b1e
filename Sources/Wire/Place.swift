/// A place in a command, degrees of WGS 84.
public struct Place: Hashable, Sendable {
    /// −90…90.
    public var lat: Double
    /// −180…180.
    public var lon: Double

    public init(lat: Double, lon: Double) {
        self.lat = lat
        self.lon = lon
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

    public init(vehicle: String, pickup: Place, destination: Place, passengers: Int) {
        self.vehicle = vehicle
        self.pickup = pickup
        self.destination = destination
        self.passengers = passengers
    }
}

/// The way that a driver announces.
public struct AnnouncedWay: Hashable, Sendable {
    public var start: Place
    /// Way points between start and end, at most `WireLimits.wayPoints`.
    public var via: [Place]
    public var end: Place

    public init(start: Place, via: [Place] = [], end: Place) {
        self.start = start
        self.via = via
        self.end = end
    }
}
