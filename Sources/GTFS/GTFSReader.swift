internal import CSV
public import Domain

/// What an import is asked for.
public struct FeedOptions: Sendable {
    /// The kind of all lines that run by schedule; a feed does not tell a minibus from a bus.
    public var kind: BusKind = .bus
    public var limits = FeedLimits()
    /// Where the system's time zones are.
    public var zoneDirectory = CityTime.directory
    /// From which day on lines must have rides (``FeedLimits/daysWithRides``); nil: the report does not say.
    public var today: ServiceDate?

    public init() {}
}

/// Reads a GTFS Schedule feed (with Flex and frequencies) into a catalog: whole, or not at all.
///
/// What can't be right is left out with its reason: a row, a trip, a line. The feed is refused when what would be left is
/// not what it says: a required file or column is missing, a file is no text, too many trips are left out.
public final class GTFSReader {
    let files: FeedFiles
    let options: FeedOptions
    var report: FeedReport
    private var bytesRead = 0

    var timeZone = ""
    var agencies: Set<String> = []
    var stops: [FeedStop] = []
    /// Index in `stops` by id.
    var stopIndex: [String: Int] = [:]
    var services: [String: Service] = [:]
    var shapes: [String: FeedShape] = [:]
    var rules: [String: BookingRule] = [:]
    var areas: [String: ServiceArea] = [:]
    /// Ids of stops by group.
    var groups: [String: [String]] = [:]
    var routes: [FeedRoute] = []
    var routeIndex: [String: Int] = [:]
    var trips: [FeedTrip] = []
    var tripIndex: [String: Int] = [:]
    var calls = FeedCalls(hasDistances: false)
    var lineIDs = FeedIDs.named
    var stopIDs = FeedIDs.visible
    var tripIDs = FeedIDs.visible
    /// Of each route that lost some: how many trips were left out, and why the first was.
    var lost: [Int: (trips: Int, reason: String)] = [:]

    private init(_ files: FeedFiles, _ options: FeedOptions) {
        self.files = files
        self.options = options
        report = FeedReport(toldOfAKind: options.limits.toldOfAKind)
    }

    /// The catalog of a feed, without buses (a feed knows none) and without a version, and what was found on the way.
    public static func read(
        _ files: FeedFiles, options: FeedOptions = FeedOptions()
    ) throws(FeedRefusal) -> (catalog: Catalog, report: FeedReport) {
        let reader = GTFSReader(files, options)
        try reader.readAll()
        return (try reader.catalog(), reader.report)
    }

    private func readAll() throws(FeedRefusal) {
        let required = ["agency.txt", "stops.txt", "routes.txt", "trips.txt", "stop_times.txt"]
        var missing = required.filter { !files.has($0) }
        if !files.has("calendar.txt"), !files.has("calendar_dates.txt") {
            missing.append("calendar.txt (or calendar_dates.txt)")
        }
        guard missing.isEmpty else {
            throw FeedRefusal("the feed lacks \(missing.joined(separator: ", ")); get a complete one")
        }
        try readAgency()
        try readStops()
        try readAreas()
        try readGroups()
        try readCalendar()
        try readCalendarDates()
        try readBookingRules()
        try readRoutes()
        try readTrips()
        try readShapes()
        try readFrequencies()
        try readStopTimes()
        noteUnread()
    }

    /// A table ready for its first row; nil when the feed has none of that name, or an empty one.
    func table(_ name: String) throws(FeedRefusal) -> CSVTable? {
        guard let stream = try files.open(name, limits: options.limits) else { return nil }
        bytesRead += stream.byteCount
        guard bytesRead <= options.limits.maxTotalBytes else {
            throw FeedRefusal(
                "its files have more than \(options.limits.maxTotalBytes >> 20) MiB; import a smaller area")
        }
        let table = try CSVTable(file: name, stream)
        return table.head.isEmpty ? nil : table
    }

    /// A file that every feed has.
    func requiredTable(_ name: String) throws(FeedRefusal) -> CSVTable {
        guard let table = try table(name) else { throw FeedRefusal("\(name) is empty; get a complete feed") }
        return table
    }

    private static let read: Set<String> = [
        "agency.txt", "stops.txt", "locations.geojson", "location_groups.txt", "location_group_stops.txt",
        "calendar.txt", "calendar_dates.txt", "booking_rules.txt", "routes.txt", "trips.txt", "shapes.txt",
        "frequencies.txt", "stop_times.txt",
    ]

    private func noteUnread() {
        let unread = files.names.filter { !Self.read.contains($0) }
        guard !unread.isEmpty else { return }
        report.add(
            .noted, "unread", unread[0], nil,
            unread.count == 1
                ? "not read: the hub has no use for it"
                : "not read, and neither are \(unread.dropFirst().joined(separator: ", ")): the hub has no use for them"
        )
    }
}

/// A row of stops.txt.
struct FeedStop {
    let stop: Stop
    let line: Int
}

/// A shape as read; the points get their order when all are there.
struct FeedShape {
    private(set) var points: [GeoPoint] = []
    /// One per point in the feed's own unit; empty unless the feed has them for all.
    private(set) var distances: [Double] = []
    private var sequences: [Int32] = []
    let line: Int

    init(line: Int) { self.line = line }

    mutating func append(_ point: GeoPoint, sequence: Int32, distance: Double?) {
        if let distance, distances.count == points.count {
            distances.append(distance)
        } else {
            distances = []
        }
        points.append(point)
        sequences.append(sequence)
    }

    mutating func sort() {
        defer { sequences = [] }
        guard zip(sequences, sequences.dropFirst()).contains(where: { $0 > $1 }) else { return }
        let order = sequences.indices.sorted { (sequences[$0], $0) < (sequences[$1], $1) }
        points = order.map { points[$0] }
        if !distances.isEmpty { distances = order.map { distances[$0] } }
    }
}

/// A row of routes.txt that is a line of ours.
struct FeedRoute {
    let id: String
    /// The line's id: the feed's, unless that has characters that ids here do not have.
    let line: String
    let name: String
    let longName: String
    let color: String?
    let kind: BusKind
}

/// A row of trips.txt with what the other files say of it.
struct FeedTrip {
    let id: String
    /// As the catalog has it.
    let name: String
    let line: Int
    /// Index in `routes`.
    let route: Int
    let service: String
    let headsign: String
    let direction: Int
    let shape: String
    var calls = FeedCalls.List()
    var places: [FeedPlace] = []
    var frequencies: [Frequency] = []
    /// frequencies.txt names it, be it in rows that were left out.
    var hasFrequency = false
    /// It was left out, and the report says why.
    var isSkipped = false
}

/// A row of stop_times.txt with a time window: an area or stops that are served on request.
struct FeedPlace {
    let sequence: Int
    let line: Int
    let area: String?
    let stops: [String]
    let opens: Int
    let closes: Int
    var canBoard: Bool
    var canAlight: Bool
    let rule: String?
}
