internal import CSV
public import Domain

/// Recorded vehicle positions of a GTFS-Realtime feed, and the times at which stops were passed, put together with the
/// feed that they belong to.
public struct RecordedTours: Sendable {
    public private(set) var tours: [LineETATrial.Tour] = []
    public let time: CityTime
    /// Trips of the recording that the feed does not have.
    public private(set) var unknownTrips = 0
    private var indices: [String: Int] = [:]

    /// `positions` has the columns trip_id, start_date (YYYYMMDD), timestamp (Unix s), latitude, longitude; `passages` has
    /// trip_id, stop_sequence, stop_id, passed_after_ts and passed_by_ts (Unix s). Throws a sentence on what is missing.
    public init(catalog: Catalog, positions: [UInt8], passages: [UInt8]) throws(FeedRefusal) {
        guard let time = CityTime(zone: catalog.timeZone) else {
            throw FeedRefusal("this machine does not know the feed's time zone \(catalog.timeZone); install tzdata")
        }
        self.time = time
        var trips: [String: (line: String, pattern: LinePattern, trip: LineTrip)] = [:]
        for line in catalog.lines.values {
            for trip in line.trips { trips[trip.feedID ?? trip.id] = (line.id, line.patterns[trip.pattern], trip) }
        }
        try read(positions: positions, trips)
        try read(passages: passages)
        for index in tours.indices { tours[index].fixes.sort { $0.at < $1.at } }
    }

    /// The time by which a share of the recording's time has passed, Unix ms; nil when nothing was recorded.
    public func time(at share: Double) -> Int64? {
        let times = tours.lazy.flatMap(\.fixes).map(\.at)
        guard let first = times.min(), let last = times.max() else { return nil }
        return first + Int64(Double(last - first) * share)
    }

    /// The local hour of a time in Unix ms.
    public func hour(_ at: Int64) -> Int {
        let local = at / 1000 + Int64(time.offset(at: at / 1000))
        return Int((local % 86_400 + 86_400) % 86_400 / 3600)
    }

    private mutating func read(
        positions: [UInt8], _ trips: [String: (line: String, pattern: LinePattern, trip: LineTrip)]
    ) throws(FeedRefusal) {
        var table = try CSVTable(file: "positions", positions)
        try table.require("trip_id", "start_date", "timestamp", "latitude", "longitude")
        let (id, date, at) = (table.column("trip_id"), table.column("start_date"), table.column("timestamp"))
        let (lat, lon) = (table.column("latitude"), table.column("longitude"))
        var unknown: Set<String> = []
        while table.readNext() {
            guard let day = ServiceDate(table.text(date)), let seconds = table.integer(at),
                let lat = table.double(lat), let lon = table.double(lon)
            else { throw FeedRefusal("positions:\(table.line): a date, a time or a place can't be read") }
            let key = table.text(id)
            guard let index = try self.index(key, day, trips[key]) else {
                unknown.insert(key)
                continue
            }
            tours[index].fixes.append((GeoPoint(lat: lat, lon: lon), Int64(seconds) * 1000))
        }
        unknownTrips = unknown.count
    }

    private mutating func index(
        _ id: String, _ day: ServiceDate, _ found: (line: String, pattern: LinePattern, trip: LineTrip)?
    ) throws(FeedRefusal) -> Int? {
        if let index = indices[id] { return index }
        guard let (line, pattern, trip) = found, let shape = LineShape(pattern.shape) else { return nil }
        let start = time.start(of: day) * 1000
        tours.append(
            LineETATrial.Tour(
                id: id, line: line, shape: shape, places: StopPlaces(pattern.stops.map(\.distance)),
                stops: pattern.stops.map(\.stop),
                schedule: trip.times.map {
                    LineETA.ScheduledStop(
                        arrival: start + Int64($0.arrival) * 1000, departure: start + Int64($0.departure) * 1000)
                }))
        indices[id] = tours.count - 1
        return tours.count - 1
    }

    private mutating func read(passages: [UInt8]) throws(FeedRefusal) {
        var table = try CSVTable(file: "passages", passages)
        try table.require("trip_id", "stop_sequence", "stop_id", "passed_after_ts", "passed_by_ts")
        let (id, sequence, stop) = (table.column("trip_id"), table.column("stop_sequence"), table.column("stop_id"))
        let (after, by) = (table.column("passed_after_ts"), table.column("passed_by_ts"))
        var rows: [Int: [(sequence: Int, stop: String, after: Int64, by: Int64)]] = [:]
        while table.readNext() {
            guard let index = indices[table.text(id)] else { continue }
            guard let sequence = table.integer(sequence), let after = table.integer(after), let by = table.integer(by)
            else { throw FeedRefusal("passages:\(table.line): a number can't be read") }
            rows[index, default: []].append((sequence, table.text(stop), Int64(after) * 1000, Int64(by) * 1000))
        }
        for (index, found) in rows {
            // A stop that comes twice is told apart by the order.
            var next = 0
            for row in found.sorted(by: { $0.sequence < $1.sequence }) {
                guard let place = tours[index].stops[next...].firstIndex(of: row.stop) else { continue }
                tours[index].passed.append((place, row.after, row.by))
                next = min(place + 1, tours[index].stops.count - 1)
            }
        }
    }
}
