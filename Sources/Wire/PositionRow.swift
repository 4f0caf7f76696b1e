/// One vehicle in a `positions` message: `[id,lat,lon,heading|null,state,seats|null,at]`.
///
/// A row may end after `heading`: then `state` and `seats` are as in this vehicle's row before, and `at` is the
/// message's `time` to within a second. Such a row of a moving vehicle has some 30 bytes instead of 57. It may be sent
/// only where the reader has had the full row: not in a snapshot, and not to one who lost a message by conflation.
public struct PositionRow: Equatable, Sendable {
    public var id: String
    /// Degrees, WGS 84; written with 5 decimals, which is 0.6 m at most.
    public var lat: Double
    public var lon: Double
    /// Degrees from north; written as a whole number 0…359.
    public var heading: Double?
    /// The rest of a full row; nil in a short one.
    public var rest: Rest?

    /// What a moving vehicle's short row leaves out.
    public struct Rest: Equatable, Sendable {
        public var state: String
        public var seats: Int?
        /// Unix milliseconds.
        public var at: Int64

        public init(state: String, seats: Int?, at: Int64) {
            self.state = state
            self.seats = seats
            self.at = at
        }
    }

    public init(id: String, lat: Double, lon: Double, heading: Double?, rest: Rest?) {
        self.id = id
        self.lat = lat
        self.lon = lon
        self.heading = heading
        self.rest = rest
    }

    /// A full row.
    public init(id: String, lat: Double, lon: Double, heading: Double?, state: String, seats: Int?, at: Int64) {
        self.init(id: id, lat: lat, lon: lon, heading: heading, rest: Rest(state: state, seats: seats, at: at))
    }

    /// Writes the row as one value.
    public func encode(into writer: inout JSONWriter) {
        writer.beginArray()
        writer.string(id)
        writer.decimal(lat, places: 5)
        writer.decimal(lon, places: 5)
        if let heading, heading.isFinite {
            let whole = heading.rounded().truncatingRemainder(dividingBy: 360)
            writer.decimal(whole < 0 ? whole + 360 : whole, places: 0)
        } else {
            writer.null()
        }
        if let rest {
            writer.string(rest.state)
            if let seats = rest.seats { writer.integer(seats) } else { writer.null() }
            writer.integer(rest.at)
        }
        writer.endArray()
    }

    /// Reads a row, for clients; nil if it is none.
    public init?(_ value: JSONValue) {
        guard let id = value[0]?.text, let lat = value[1]?.double, let lon = value[2]?.double else { return nil }
        guard let heading = value[3], heading.isNull || heading.double != nil else { return nil }
        self.init(id: id, lat: lat, lon: lon, heading: heading.double, rest: nil)
        guard let state = value[4] else { return }
        guard let state = state.text, let seats = value[5], let at = value[6]?.integer else { return nil }
        guard seats.isNull || seats.integer != nil else { return nil }
        rest = Rest(state: state, seats: seats.integer.map(Int.init), at: at)
    }
}
