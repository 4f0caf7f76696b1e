/// What a client asks: one message from a client to the hub.
public struct ClientMessage: Equatable, Sendable {
    /// Number of the request, 0…2^53-1; the reply carries it. Without it only refusals are answered.
    public var id: Int64?
    /// Idempotency key, 1–64 of `[A-Za-z0-9_.:-]`: however often it is sent, the command takes effect once.
    public var key: String?
    public var command: Command

    public init(id: Int64? = nil, key: String? = nil, command: Command) {
        self.id = id
        self.key = key
        self.command = command
    }
}

/// Every command of the contract, with fields of the right type and in their range. Ride ids are 1–64 of
/// `[A-Za-z0-9_.:-]`, channels 1–128 and `seq` 1–64 visible ASCII characters, `lat` −90…90 and `lon` −180…180 degrees.
public enum Command: Sendable {
    /// At most 16 different channels in `resume`.
    case hello(token: String?, resume: [(channel: String, seq: String)])
    case position(PositionFix)
    case driverAvailable
    case driverUnavailable
    case offerSeen(ride: String)
    case offerAccept(ride: String)
    case offerDecline(ride: String)
    /// `passengers` 1…99.
    case rideAboard(ride: String?, passengers: Int?)
    case rideEnd(ride: String?)
    case rideNoshow(ride: String?)
    /// `passengers` at least 1; how many are too many is a rule of the city, not of the format.
    case rideRequest(lat: Double, lon: Double, passengers: Int, destination: (lat: Double, lon: Double)?)
    case rideCancel(ride: String?)
    /// The passenger waits no longer for a driver that is lost.
    case rideSearch(ride: String?)
    /// `since`: the `seq` seen last, for channels that have a history.
    case subscribe(channel: String, options: FeedOptions, since: String?)
    case unsubscribe(channel: String)
    /// The vehicles around a place: `radius` 50…5000 m. Sent again it moves the circle.
    case watch(lat: Double, lon: Double, radius: Double, options: FeedOptions)
    case unwatch
    /// Seats that are taken now, 0…99; how many there are is a rule of the city.
    /// `reason` is 1–64 of `[A-Za-z0-9_.:-]`.
    case seatsSet(taken: Int, reason: String?)
    /// 1–64 of `[A-Za-z0-9_.:-]`, the first a letter or digit; nil: on no route. With a way it may have no name.
    case routeSet(route: String?, way: AnnouncedWay?)
    case seatBook(SeatRequest)
    case seatAccept(booking: String)
    case seatDecline(booking: String)
    /// nil: a passenger's open one.
    case seatCancel(booking: String?)
    /// `passengers` 1…99: how many came; nil: all that were booked.
    case seatAboard(booking: String, passengers: Int?)
    case seatEnd(booking: String)
    case vehicleGet(vehicle: String)
    /// Replaces what was wished before.
    case notifySet(NotificationPreferences)
    /// `data` is one JSON object as the client wrote it, at most 8 KiB. `type` is 1–64 of `[A-Za-z0-9_.:-]` and none of the hub's own
    /// (`gap`, `snapshot`, `positions`, `opened`).
    case publish(channel: String, type: String?, data: [UInt8])
    /// When the line's buses come to a place. Line ids are 1–64 visible ASCII characters.
    case lineEta(line: String, place: StopRequest.Place)
    case stopRequest(StopRequest)
    case stopCancel(request: String)
    /// `all`: every request at the same place that is in the same state.
    case stopAnswer(StopAnswer, request: String, all: Bool)
    /// Ids of 1–64 visible ASCII characters, as the catalog has them.
    case tourStart(bus: String, line: String, pattern: String?, trip: String?)
    case tourEnd(tour: String?)
    /// `skip`: the stop was not served.
    case stopNext(skip: Bool)
    case stopPrevious
}

/// One fix of a positioning receiver.
public struct PositionFix: Equatable, Sendable {
    /// Degrees, WGS 84: −90…90 and −180…180, not both 0.
    public var lat: Double
    public var lon: Double
    /// When the fix was taken by the device's clock, Unix milliseconds.
    public var at: Int64
    /// Degrees from north, 0…360.
    public var heading: Double?
    /// m/s, 0…100.
    public var speed: Double?
    /// Radius in metres, 0…100,000.
    public var accuracy: Double?

    public init(
        lat: Double, lon: Double, at: Int64, heading: Double? = nil, speed: Double? = nil, accuracy: Double? = nil
    ) {
        self.lat = lat
        self.lon = lon
        self.at = at
        self.heading = heading
        self.speed = speed
        self.accuracy = accuracy
    }
}

// By hand, because tuples in the payloads are not Equatable.
extension Command: Equatable {
    public static func == (left: Command, right: Command) -> Bool {
        switch (left, right) {
        case (.hello(let token, let resume), .hello(let otherToken, let otherResume)):
            token == otherToken && resume.elementsEqual(otherResume, by: ==)
        case (.position(let fix), .position(let other)): fix == other
        case (.driverAvailable, .driverAvailable), (.driverUnavailable, .driverUnavailable): true
        case (.offerSeen(let ride), .offerSeen(let other)): ride == other
        case (.offerAccept(let ride), .offerAccept(let other)): ride == other
        case (.offerDecline(let ride), .offerDecline(let other)): ride == other
        case (.rideAboard(let ride, let passengers), .rideAboard(let other, let otherPassengers)):
            ride == other && passengers == otherPassengers
        case (.rideEnd(let ride), .rideEnd(let other)): ride == other
        case (.rideNoshow(let ride), .rideNoshow(let other)): ride == other
        case (.rideRequest(let lat, let lon, let count, let to), .rideRequest(let lat2, let lon2, let count2, let to2)):
            lat == lat2 && lon == lon2 && count == count2 && to?.lat == to2?.lat && to?.lon == to2?.lon
        case (.rideCancel(let ride), .rideCancel(let other)): ride == other
        case (.rideSearch(let ride), .rideSearch(let other)): ride == other
        case (.lineEta(let line, let place), .lineEta(let other, let place2)): line == other && place == place2
        case (.stopRequest(let request), .stopRequest(let other)): request == other
        case (.stopCancel(let request), .stopCancel(let other)): request == other
        case (.stopAnswer(let answer, let request, let all), .stopAnswer(let answer2, let request2, let all2)):
            answer == answer2 && request == request2 && all == all2
        case (.subscribe(let channel, let options, let since), .subscribe(let other, let options2, let since2)):
            channel == other && options == options2 && since == since2
        case (.unsubscribe(let channel), .unsubscribe(let other)): channel == other
        case (.watch(let lat, let lon, let radius, let options), .watch(let lat2, let lon2, let radius2, let options2)):
            lat == lat2 && lon == lon2 && radius == radius2 && options == options2
        case (.unwatch, .unwatch): true
        case (.seatsSet(let taken, let reason), .seatsSet(let other, let reason2)): taken == other && reason == reason2
        case (.routeSet(let route, let way), .routeSet(let other, let way2)): route == other && way == way2
        case (.seatBook(let request), .seatBook(let other)): request == other
        case (.seatAccept(let booking), .seatAccept(let other)): booking == other
        case (.seatDecline(let booking), .seatDecline(let other)): booking == other
        case (.seatCancel(let booking), .seatCancel(let other)): booking == other
        case (.seatAboard(let booking, let count), .seatAboard(let other, let count2)):
            booking == other && count == count2
        case (.seatEnd(let booking), .seatEnd(let other)): booking == other
        case (.vehicleGet(let vehicle), .vehicleGet(let other)): vehicle == other
        case (.notifySet(let wishes), .notifySet(let other)): wishes == other
        case (.publish(let channel, let type, let data), .publish(let other, let type2, let data2)):
            channel == other && type == type2 && data == data2
        case (
            .tourStart(let bus, let line, let pattern, let trip),
            .tourStart(let bus2, let line2, let pattern2, let trip2)
        ):
            bus == bus2 && line == line2 && pattern == pattern2 && trip == trip2
        case (.tourEnd(let tour), .tourEnd(let other)): tour == other
        case (.stopNext(let skip), .stopNext(let other)): skip == other
        case (.stopPrevious, .stopPrevious): true
        default: false
        }
    }
}
