public import Domain
public import GTFS

/// What is to be played: from it a scenario is made.
public enum ScenarioSource: Sendable {
    case recording(Recording)
    case city(City)
    case buses(Buses)

    /// Recorded vehicles.
    public struct Recording: Sendable {
        /// The file's content.
        public var bytes: [UInt8]
        /// Nil: found out by looking.
        public var format: TraceFormat?
        /// `HH:MM`, in the recording's own offset or `utcOffsetMinutes`; nil: the busiest time.
        public var from: String?
        /// How much of the recording is played: `90s`, `20m`, `1h`.
        public var length = "1h"
        /// The most vehicles to take: those with the most fixes in that time.
        public var vehicles = 200
        public var utcOffsetMinutes: Int?
        /// Recorded fixes further apart than this get others between them; 0: none.
        public var interpolateEverySeconds = 30.0

        public init(bytes: [UInt8]) { self.bytes = bytes }
    }

    /// A city of its own making.
    public struct City: Sendable {
        /// The zones that the hub has too.
        public var zones: ZoneSet
        /// A place well inside them: the busiest stands lie around it.
        public var zonesGeoJSON: [UInt8]
        public var drivers = 60
        /// Requests per second of hub time in the busiest hour.
        public var requestsPerSecond = 1.0
        /// Seconds of hub time in which passengers come.
        public var seconds = 60.0
        /// Hours after midnight when the city wakes up.
        public var startHour = 18.0

        public init(zones: ZoneSet, zonesGeoJSON: [UInt8]) {
            self.zones = zones
            self.zonesGeoJSON = zonesGeoJSON
        }
    }

    /// Recorded buses on the lines of a feed, which the hub has too.
    public struct Buses: Sendable {
        public var recorded: RecordedBuses
        /// Of the feed's time zone on that day.
        public var utcOffsetMinutes = 0
        /// `HH:MM`, local time; nil: the busiest time.
        public var from: String?
        /// How much of the recording is played: `90s`, `20m`, `1h`.
        public var length = "1h"
        /// The most buses to take: those with the most fixes in that time.
        public var vehicles = 200
        /// Of each bus: a feed does not tell.
        public var seats = 40
        /// Who watch the lines, and ask for stops so often each, per hour of hub time.
        public var citizens = 20
        public var requestsPerHour = 6.0
        /// Minibus taxis that go behind as many buses, each with so many seats.
        public var minibuses = 5
        public var minibusSeats = 6
        /// Who book seats in them, so often each, per hour of hub time.
        public var riders = 16
        public var bookingsPerHour = 15.0

        public init(recorded: RecordedBuses) { self.recorded = recorded }
    }
}
