public import Wire

/// All that Redis knows of a vehicle that feeds tell.
public struct FeedRecord: Equatable, Sendable {
    public var id: String
    /// Degrees, WGS 84.
    public var lat: Double
    public var lon: Double
    /// Degrees from north.
    public var heading: Double?
    /// When the position was fixed, Unix milliseconds.
    public var at: Int64
    /// When a hub heard it, Unix milliseconds of the hub.
    public var heard: Int64
    public var state: VehicleState
    public var kind: VehicleKind
    /// Free ones; nil if the vehicle doesn't tell.
    public var seats: Int?
    public var route: String?
    /// How far it is along its way (`PathProgress.text`).
    public var along: String

    public init(
        id: String, lat: Double, lon: Double, heading: Double?, at: Int64, heard: Int64, state: VehicleState,
        kind: VehicleKind = .taxi, seats: Int? = nil, route: String? = nil, along: String = ""
    ) {
        self.id = id
        self.lat = lat
        self.lon = lon
        self.heading = heading
        self.at = at
        self.heard = heard
        self.state = state
        self.kind = kind
        self.seats = seats
        self.route = route
        self.along = along
    }

    public var point: GeoPoint { GeoPoint(lat: lat, lon: lon) }
}

/// One line of what is published on the channel of a cell:
/// `V <id> <lat> <lon> <heading|-> <at> <heard> <state> <kind> <seats|-> <route|->`, and ` <along>` where that is known, or
/// `G <id>`.
public enum FeedLine: Equatable, Sendable {
    /// What is now known of a vehicle.
    case vehicle(FeedRecord)
    /// A vehicle with this id is no longer in this cell.
    case gone(String)

    /// Reads a payload of one or more lines. Gives back how many could not be read and were skipped.
    @discardableResult
    public static func read(_ payload: UnsafeRawBufferPointer, _ body: (FeedLine) -> Void) -> Int {
        FeedFields.read(payload) { line in
            switch line {
            case .vehicle(let fields): body(.vehicle(FeedRecord(fields)))
            case .gone(let id): body(.gone(String(decoding: id, as: UTF8.self)))
            }
        }
    }
}

extension FeedRecord {
    init(_ fields: FeedFields) {
        self.init(
            id: String(decoding: fields.id, as: UTF8.self), lat: fields.lat, lon: fields.lon, heading: fields.heading,
            at: fields.at, heard: fields.heard, state: fields.state, kind: fields.kind,
            seats: fields.seats < 0 ? nil : Int(fields.seats),
            route: fields.route.isEmpty ? nil : String(decoding: fields.route, as: UTF8.self),
            along: String(decoding: fields.along, as: UTF8.self))
    }
}
