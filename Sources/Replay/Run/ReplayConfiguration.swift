public import Domain
public import GTFS
public import RedisLink
public import WebSocketServer

/// What is to be played, against which hub.
public struct ReplayConfiguration: Sendable {
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

    public enum Source: Sendable {
        case recording(Recording)
        case city(City)
        case buses(Buses)
    }

    public enum Output: Sendable {
        /// A line that is rewritten each second.
        case terminal
        /// A line every five seconds.
        case lines
        case silent
    }

    public var source: Source
    /// `ws://127.0.0.1:8080/v1/connect`; several hubs of one city: clients are spread over them.
    public var urls: [String]
    /// Whose certificates are believed, for wss:// URLs.
    public var trust = ClientTrust.system
    /// Makes the token of a role (`driver` or `passenger`) and subject; asked at each connecting.
    public var token: @Sendable (_ role: String, _ subject: String) -> String
    /// That of a minibus' driver.
    public var minibusToken: @Sendable (_ subject: String, _ seats: Int) -> String = { _, _ in "" }
    /// The hub's Redis, for the check at the end; nil: only what the clients see is checked, and the table says so.
    public var redis: RedisEndpoint?
    /// The city's id, as in the keys `{city}:…`.
    public var city: String
    /// Hub seconds per real second; the hub's clock must run at the same scale.
    public var speed = 1.0
    public var odds = Odds()
    public var seed: UInt64 = 1
    public var output = Output.lines
    /// The table as JSON on standard output, instead of as text.
    public var isJSON = false
    /// Redis may lose what it had acknowledged (a machine that dies): gaps that the hub tells of are no violations.
    public var gapsAllowed = false
    /// Real seconds after the last request in which rides may end by themselves; then they are brought to an end.
    public var graceSeconds = 30.0
    /// Real seconds that all this may take before the check; what is open then counts as never told.
    public var settleSeconds = 90.0
    /// SIGINT ends the run early, with its check and table.
    public var endsOnInterrupt = true

    public init(
        source: Source, urls: [String], city: String, redis: RedisEndpoint?,
        token: @escaping @Sendable (_ role: String, _ subject: String) -> String
    ) {
        self.source = source
        self.urls = urls
        self.city = city
        self.redis = redis
        self.token = token
    }
}
