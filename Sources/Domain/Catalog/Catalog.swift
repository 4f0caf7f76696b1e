/// What runs in the city: lines with their stops and schedules, and the buses. Made by an import or by hand, replaced
/// whole, never changed in place.
///
/// Distances are metres along a pattern's shape. Times of day are seconds after the service day's noon minus 12 h (which
/// is midnight but on days when the clocks change); they may exceed 86,400.
public struct Catalog: Equatable, Sendable {
    /// By line id.
    public var lines: [String: Line]
    /// By stop id: every stop that a pattern or an on-demand run names.
    public var stops: [String: Stop]
    /// By bus id.
    public var buses: [String: Bus]
    /// By service id: the days on which trips run.
    public var services: [String: Service]
    /// Of all times of day, as `Europe/Berlin`.
    public var timeZone: String
    /// Opaque; another one for every catalog that was ever used. Empty: none was.
    public var version: String

    public init(
        lines: [String: Line] = [:], stops: [String: Stop] = [:], buses: [String: Bus] = [:],
        services: [String: Service] = [:], timeZone: String = "UTC", version: String = ""
    ) {
        self.lines = lines
        self.stops = stops
        self.buses = buses
        self.services = services
        self.timeZone = timeZone
        self.version = version
    }
}

public struct Stop: Equatable, Sendable {
    public var id: String
    /// Its id in the feed that it came from, where that could not be one here.
    public var feedID: String?
    public var name: String
    public var point: GeoPoint

    public init(id: String, feedID: String? = nil, name: String, point: GeoPoint) {
        self.id = id
        self.feedID = feedID
        self.name = name
        self.point = point
    }
}

/// A vehicle, as citizens recognise it.
public struct Bus: Equatable, Sendable {
    /// As many as `seats.set` can count.
    public static let maxSeats = 99

    public var id: String
    public var plate: String?
    /// An address (URL) of a picture.
    public var photo: String?
    /// `#rrggbb`.
    public var color: String?
    /// For passengers, 1…99.
    public var seats: Int
    /// The line that it usually runs; its driver may start another.
    public var line: String?

    public init(
        id: String, plate: String? = nil, photo: String? = nil, color: String? = nil, seats: Int, line: String? = nil
    ) {
        self.id = id
        self.plate = plate
        self.photo = photo
        self.color = color
        self.seats = seats
        self.line = line
    }
}

public enum BusKind: String, CaseIterable, Sendable {
    /// By schedule.
    case bus
    /// Fills its seats along a route.
    case minibus
    /// Only on request, in an area.
    case flex
}

/// What people know as a line: `52`, `Kangemi`.
public struct Line: Equatable, Sendable {
    public var id: String
    /// The route's id in the feed that it came from, where it could not be a line's id.
    public var feedID: String?
    /// Short, as on the bus: never empty.
    public var name: String
    public var longName: String
    /// `#rrggbb`.
    public var color: String?
    public var kind: BusKind
    public var patterns: [LinePattern]
    public var trips: [LineTrip]
    /// What is driven on request only, in areas or between stops.
    public var onDemand: [OnDemandRun]
    /// The areas of `onDemand`.
    public var areas: [ServiceArea]
    /// The rules of `onDemand`.
    public var rules: [BookingRule]

    public init(
        id: String, feedID: String? = nil, name: String, longName: String = "", color: String? = nil,
        kind: BusKind = .bus, patterns: [LinePattern] = [], trips: [LineTrip] = [], onDemand: [OnDemandRun] = [],
        areas: [ServiceArea] = [], rules: [BookingRule] = []
    ) {
        self.id = id
        self.feedID = feedID
        self.name = name
        self.longName = longName
        self.color = color
        self.kind = kind
        self.patterns = patterns
        self.trips = trips
        self.onDemand = onDemand
        self.areas = areas
        self.rules = rules
    }
}

/// One way that a line's buses take: always the same stops in the same order on the same shape.
public struct LinePattern: Equatable, Sendable {
    /// Unique in its line, and the same after the next import of the same stops.
    public var id: String
    /// 0 or 1, as in GTFS: out and back, or which of the two a feed does not say.
    public var direction: Int
    public var headsign: String
    /// At least 2 points. The straight way through the stops where a feed has none.
    public var shape: [GeoPoint]
    /// At least 2.
    public var stops: [PatternStop]

    public init(id: String, direction: Int = 0, headsign: String = "", shape: [GeoPoint], stops: [PatternStop]) {
        self.id = id
        self.direction = direction
        self.headsign = headsign
        self.shape = shape
        self.stops = stops
    }
}

public struct PatternStop: Equatable, Sendable {
    /// A stop's id. The same stop may come twice: a loop.
    public var stop: String
    /// Metres along the shape; never less than that of the stop before.
    public var distance: Double

    public init(stop: String, distance: Double) {
        self.stop = stop
        self.distance = distance
    }
}

/// One run of a pattern by schedule; or, with frequencies, many.
public struct LineTrip: Equatable, Sendable {
    /// Unique in the catalog.
    public var id: String
    /// Its id in the feed that it came from, where that could not be one here.
    public var feedID: String?
    /// Index in its line's `patterns`.
    public var pattern: Int
    /// A service's id: on which days.
    public var service: String
    /// One per stop of the pattern, never going back. With frequencies they count from the start of a run.
    public var times: [StopTime]
    /// Empty: it runs once, at `times`.
    public var frequencies: [Frequency]
    /// What the feed numbers its stops with (stop_sequence), rising, one per stop; empty: 1, 2, 3 and so on.
    public var sequences: [Int]

    public init(
        id: String, feedID: String? = nil, pattern: Int, service: String, times: [StopTime],
        frequencies: [Frequency] = [], sequences: [Int] = []
    ) {
        self.id = id
        self.feedID = feedID
        self.pattern = pattern
        self.service = service
        self.times = times
        self.frequencies = frequencies
        self.sequences = sequences.elementsEqual(1...max(1, times.count)) ? [] : sequences
    }

    /// The feed's number of a stop, by its index in the pattern.
    public func sequence(of stop: Int) -> Int { sequences.indices.contains(stop) ? sequences[stop] : stop + 1 }

    /// What is to be added to `times` for each of the day's runs: 0 for one that runs once.
    public var starts: [Int] { frequencies.isEmpty ? [0] : frequencies.flatMap(\.starts).sorted() }
}

/// Seconds of the service day.
public struct StopTime: Hashable, Sendable {
    public var arrival: Int
    /// At least `arrival`.
    public var departure: Int

    public init(arrival: Int, departure: Int) {
        self.arrival = arrival
        self.departure = departure
    }
}

/// Runs that begin every so many seconds.
public struct Frequency: Equatable, Sendable {
    /// Seconds, at least 1.
    public var headwaySeconds: Int
    /// The first run begins here, and the last before `endTime`.
    public var startTime: Int
    public var endTime: Int
    /// The runs begin at `startTime + n × headway` exactly; otherwise only about so often.
    public var isExact: Bool

    public init(headwaySeconds: Int, startTime: Int, endTime: Int, isExact: Bool) {
        self.headwaySeconds = headwaySeconds
        self.startTime = startTime
        self.endTime = endTime
        self.isExact = isExact
    }

    /// When runs begin, seconds of the service day.
    public var starts: StrideTo<Int> { stride(from: startTime, to: endTime, by: headwaySeconds) }
}

/// A trip without stop times of its own: who books is fetched and brought, within hours and areas (GTFS-Flex).
public struct OnDemandRun: Equatable, Sendable {
    /// The trip's id; a trip that also has fixed stops stands among `trips` under the same.
    public var id: String
    public var service: String
    /// In the order of the trip; often the same area twice.
    public var places: [OnDemandPlace]

    public init(id: String, service: String, places: [OnDemandPlace]) {
        self.id = id
        self.service = service
        self.places = places
    }
}

/// An area or a group of stops that an on-demand run serves.
public struct OnDemandPlace: Equatable, Sendable {
    /// Index in the line's `areas`; nil: `stops`.
    public var area: Int?
    /// Ids of stops.
    public var stops: [String]
    /// Seconds of the service day between which it is served.
    public var opens: Int
    public var closes: Int
    public var canBoard: Bool
    public var canAlight: Bool
    /// Index in the line's `rules`.
    public var rule: Int?

    public init(
        area: Int? = nil, stops: [String] = [], opens: Int, closes: Int, canBoard: Bool = true, canAlight: Bool = true,
        rule: Int? = nil
    ) {
        self.area = area
        self.stops = stops
        self.opens = opens
        self.closes = closes
        self.canBoard = canBoard
        self.canAlight = canAlight
        self.rule = rule
    }
}

/// A place of `locations.geojson`: polygons of rings, the first of each its border, the others its holes.
public struct ServiceArea: Equatable, Sendable {
    public var id: String
    public var name: String
    public var polygons: [[[GeoPoint]]]

    public init(id: String, name: String, polygons: [[[GeoPoint]]]) {
        self.id = id
        self.name = name
        self.polygons = polygons
    }
}

/// How far ahead a ride must be booked, and where.
public struct BookingRule: Equatable, Sendable {
    public enum Kind: Int, Sendable {
        /// At once.
        case realTime = 0
        /// The same day.
        case sameDay = 1
        /// Days before.
        case priorDay = 2
    }

    public var id: String
    public var kind: Kind
    /// Minutes: at least so long before.
    public var noticeMinutes: Int?
    /// Days: at the latest so many before, until `lastTime` (seconds of the day).
    public var lastDay: Int?
    public var lastTime: Int?
    /// Minutes: at most so long before; or days: at the earliest so many before, from `firstTime` on (seconds of the day).
    public var longestNoticeMinutes: Int?
    public var firstDay: Int?
    public var firstTime: Int?
    public var message: String?
    public var phone: String?

    public init(
        id: String, kind: Kind, noticeMinutes: Int? = nil, lastDay: Int? = nil, lastTime: Int? = nil,
        longestNoticeMinutes: Int? = nil, firstDay: Int? = nil, firstTime: Int? = nil, message: String? = nil,
        phone: String? = nil
    ) {
        self.id = id
        self.kind = kind
        self.noticeMinutes = noticeMinutes
        self.longestNoticeMinutes = longestNoticeMinutes
        self.firstDay = firstDay
        self.firstTime = firstTime
        self.lastDay = lastDay
        self.lastTime = lastTime
        self.message = message
        self.phone = phone
    }
}
