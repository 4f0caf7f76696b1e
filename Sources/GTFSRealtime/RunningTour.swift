package import Wire

/// A tour as the hub knows it, to be published. Times are Unix milliseconds unless said otherwise.
package struct RunningTour: Equatable, Sendable {
    package struct Arrival: Equatable, Sendable {
        /// Index of the stop in the tour's pattern.
        package var index: Int
        package var stop: String
        package var at: Int64
        /// Nine of ten buses come between these.
        package var early: Int64?
        package var late: Int64?

        package init(index: Int, stop: String, at: Int64, early: Int64? = nil, late: Int64? = nil) {
            self.index = index
            self.stop = stop
            self.at = at
            self.early = early
            self.late = late
        }
    }

    /// The stop that the bus is at or comes to.
    package struct NextStop: Equatable, Sendable {
        /// In the tour's pattern.
        package var index: Int
        package var id: String

        package init(index: Int, id: String) {
            self.index = index
            self.id = id
        }
    }

    package var id: String
    package var bus: String
    package var line: String
    package var pattern: String
    /// Nil: outside the schedule.
    package var trip: String?
    /// What the trip's times count from, Unix seconds.
    package var base: Int64
    package var lat: Double
    package var lon: Double
    /// When the position was taken.
    package var at: Int64
    package var nextStop: NextStop?
    package var seats: Int
    /// Nil: nobody has counted on this tour yet.
    package var taken: Int?
    package var isOffRoute: Bool
    /// Seconds; nil: not known.
    package var delay: Int?
    /// At the coming stops, in the order of the pattern.
    package var arrivals: [Arrival]

    package init(
        id: String, bus: String, line: String, pattern: String, trip: String? = nil, base: Int64 = 0, lat: Double,
        lon: Double, at: Int64, nextStop: NextStop? = nil, seats: Int, taken: Int? = nil, isOffRoute: Bool = false,
        delay: Int? = nil, arrivals: [Arrival] = []
    ) {
        self.id = id
        self.bus = bus
        self.line = line
        self.pattern = pattern
        self.trip = trip
        self.base = base
        self.lat = lat
        self.lon = lon
        self.at = at
        self.nextStop = nextStop
        self.seats = seats
        self.taken = taken
        self.isOffRoute = isOffRoute
        self.delay = delay
        self.arrivals = arrivals
    }

    /// Of the state `bus` as the readers of the line are told it. Nil before the bus has sent a position.
    package init?(state: JSONValue, base: Int64, isCounted: Bool) {
        guard let id = state["tour"]?.text, let bus = state["bus"]?.text, let line = state["line"]?.text,
            let position = state["position"],
            let lat = position["lat"]?.double, let lon = position["lon"]?.double, let at = position["at"]?.integer,
            let seats = state["seats"]?["total"]?.integer
        else { return nil }
        self.init(
            id: id, bus: bus, line: line, pattern: state["pattern"]?.text ?? "", lat: lat, lon: lon, at: at,
            seats: Int(seats))
        trip = state["trip"]?.text
        self.base = base
        if let next = state["next_stop"], let index = next["index"]?.integer, let stop = next["stop"]?.text {
            nextStop = NextStop(index: Int(index), id: stop)
        }
        if isCounted { taken = state["seats"]?["taken"]?.integer.map { Int($0) } }
        isOffRoute = state["off_route"]?.boolean ?? false
        delay = state["delay_s"]?.double.map { Int($0) }
        arrivals = (state["etas"]?.elements ?? []).compactMap { eta in
            guard let index = eta["index"]?.integer, let stop = eta["stop"]?.text, let at = eta["at"]?.integer else {
                return nil
            }
            return Arrival(
                index: Int(index), stop: stop, at: at, early: eta["early"]?.integer, late: eta["late"]?.integer)
        }
    }
}
