/// One fix of a positioning receiver: the command `position`, of who drives, or of a passenger for whom a vehicle comes.
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

// Read and written by hand: nearly all messages are positions.
extension PositionFix {
    static let name: StaticString = "position"
    static let rule = CommandRule(
        name: "\(name)", roles: [.driver, .busDriver, .passenger], objects: .own, overHTTP: [],
        fields: ["lat", "lon", "at", "heading", "speed", "accuracy"])

    private static let at = WholeKind<Int64>(
        0...WireLimits.largestInteger, "Unix milliseconds, a whole number from 0")
    private static let heading = NumberKind(0...360, "degrees from north, 0 to 360")
    private static let speed = NumberKind(0...100, "m/s, 0 to 100")
    private static let accuracy = NumberKind(0...100_000, "metres, 0 to 100000")

    init(_ object: Envelope) throws(ErrorReply) {
        lat = try object.required("lat", .latitude)
        lon = try object.required("lon", .longitude)
        guard lat != 0 || lon != 0 else {
            throw ErrorReply(
                code: .badPosition, field: "lat",
                detail: "field `lat`: `lat` and `lon` are both 0, which is what a receiver without a fix reports")
        }
        at = try object.required("at", Self.at)
        heading = try object.optional("heading", Self.heading)
        speed = try object.optional("speed", Self.speed)
        accuracy = try object.optional("accuracy", Self.accuracy)
    }

    func write(into writer: inout JSONWriter) {
        writer.member("lat", lat)
        writer.member("lon", lon)
        writer.member("at", at)
        if let heading { writer.member("heading", heading) }
        if let speed { writer.member("speed", speed) }
        if let accuracy { writer.member("accuracy", accuracy) }
    }
}
