/// One vehicle in a `positions` or `snapshot` message.
///
/// Full: `[id,lat,lon,heading|null,state,seats|null,at]`, then `freshness`, `kind` and `route` as far as one of them is not
/// the usual (live, a taxi, on no route). Short: `[id,lat,lon,heading|null,age]`, when only place and time have changed
/// since this vehicle's row before on the same channel; some 35 bytes instead of 57. The fix was taken `age` before the
/// message's `time`.
public struct PositionRow: Equatable, Sendable {
    public var id: String
    /// Degrees, WGS 84; written with 5 decimals, which is 0.6 m at most.
    public var lat: Double
    public var lon: Double
    /// Degrees from north; written as a whole number 0…359.
    public var heading: Double?
    public var rest: Rest

    /// What follows the place.
    public enum Rest: Equatable, Sendable {
        /// A short row: milliseconds, negative if the fix is later than the message.
        case moved(age: Int64)
        case full(Full)
    }

    /// The rest of a full row.
    public struct Full: Equatable, Sendable {
        public var state: VehicleState
        /// Free seats.
        public var seats: Int?
        /// Unix milliseconds.
        public var at: Int64
        public var freshness: Freshness
        public var kind: VehicleKind
        public var route: String?

        public init(
            state: VehicleState, seats: Int?, at: Int64, freshness: Freshness = .live, kind: VehicleKind = .taxi,
            route: String? = nil
        ) {
            self.state = state
            self.seats = seats
            self.at = at
            self.freshness = freshness
            self.kind = kind
            self.route = route
        }
    }

    /// Either row.
    public init(id: String, lat: Double, lon: Double, heading: Double?, rest: Rest) {
        self.id = id
        self.lat = lat
        self.lon = lon
        self.heading = heading
        self.rest = rest
    }

    /// A full row of a live taxi.
    public init(id: String, lat: Double, lon: Double, heading: Double?, state: VehicleState, seats: Int?, at: Int64) {
        self.init(
            id: id, lat: lat, lon: lon, heading: heading, rest: .full(Full(state: state, seats: seats, at: at)))
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
        switch rest {
        case .moved(let age): writer.integer(age)
        case .full(let full): full.encode(into: &writer)
        }
        writer.endArray()
    }

    /// Reads a row of either form, for clients; nil if it is none.
    public init?(_ value: JSONValue) {
        guard let id = value[0]?.text, let lat = value[1]?.double, let lon = value[2]?.double else { return nil }
        guard let heading = value[3], heading.isNull || heading.double != nil else { return nil }
        let rest: Rest
        if let age = value[4]?.integer {
            rest = .moved(age: age)
        } else if let full = Full(value) {
            rest = .full(full)
        } else {
            return nil
        }
        self.init(id: id, lat: lat, lon: lon, heading: heading.double, rest: rest)
    }
}

extension PositionRow.Full {
    fileprivate func encode(into writer: inout JSONWriter) {
        writer.string(state.text.description)
        if let seats { writer.integer(seats) } else { writer.null() }
        writer.integer(at)
        guard freshness != .live || kind != .taxi || route != nil else { return }
        writer.string(freshness.text.description)
        guard kind != .taxi || route != nil else { return }
        writer.string(kind.text.description)
        if let route { writer.string(route) }
    }

    fileprivate init?(_ row: JSONValue) {
        guard let state = row[4]?.text.flatMap(VehicleState.init(text:)), let seats = row[5], let at = row[6]?.integer
        else { return nil }
        guard seats.isNull || seats.integer != nil else { return nil }
        self.init(state: state, seats: seats.integer.map(Int.init), at: at)
        if let freshness = row[7] {
            guard let known = freshness.text.flatMap(Freshness.init(text:)) else { return nil }
            self.freshness = known
        }
        if let kind = row[8] {
            guard let known = kind.text.flatMap(VehicleKind.init(text:)) else { return nil }
            self.kind = known
        }
        if let route = row[9] {
            guard let text = route.text else { return nil }
            self.route = text
        }
    }
}
