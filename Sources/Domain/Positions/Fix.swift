/// One measurement of a vehicle's position, as its device sent it.
public struct Fix: Equatable, Sendable {
    public var point: GeoPoint
    /// The device's time of the measurement, Unix ms. It orders fixes; it never decides how fresh they are.
    public var at: Int64
    /// Radius of the device's own estimate of error, metres; nil when it gave none.
    public var accuracy: Double?
    /// Metres per second; nil when unknown.
    public var speed: Double?
    /// Degrees from north; nil when unknown.
    public var heading: Double?

    public init(
        _ point: GeoPoint, at: Int64, accuracy: Double? = nil, speed: Double? = nil, heading: Double? = nil
    ) {
        self.point = point
        self.at = at
        self.accuracy = accuracy
        self.speed = speed
        self.heading = heading
    }

    /// What a fix without a stated accuracy counts as, metres: the usual error of a phone in a street.
    public static let presumedAccuracy = 10.0

    /// The stated accuracy in metres, or the presumed one.
    public var effectiveAccuracy: Double { accuracy ?? Fix.presumedAccuracy }
}
