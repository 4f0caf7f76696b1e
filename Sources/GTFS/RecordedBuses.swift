internal import CSV
public import Domain

/// Recorded vehicle positions of a GTFS-Realtime feed as what each bus did: its runs, one after the other, on the trips of
/// the feed that they belong to.
public struct RecordedBuses: Sendable {
    public struct Fix: Equatable, Sendable {
        /// Unix ms.
        public var at: Int64
        public var point: GeoPoint
        /// m/s
        public var speed: Double?
        /// Degrees from north.
        public var bearing: Double?
        /// How many of the seats are taken, 0…1, as far as the occupancy says; nil: no data.
        public var load: Double?

        public init(at: Int64, point: GeoPoint, speed: Double? = nil, bearing: Double? = nil, load: Double? = nil) {
            self.at = at
            self.point = point
            self.speed = speed
            self.bearing = bearing
            self.load = load
        }
    }

    /// One drive of a trip.
    public struct Run: Equatable, Sendable {
        public var line: String
        public var trip: String
        /// At least two, strictly rising in time.
        public var fixes: [Fix]

        public init(line: String, trip: String, fixes: [Fix]) {
            self.line = line
            self.trip = trip
            self.fixes = fixes
        }
    }

    public struct Vehicle: Equatable, Sendable {
        public var id: String
        /// In the order of time, none overlapping another.
        public var runs: [Run]

        public init(id: String, runs: [Run]) {
            self.id = id
            self.runs = runs
        }
    }

    /// Sorted by id.
    public private(set) var vehicles: [Vehicle] = []
    /// Trips of the recording that the feed does not have, and vehicles whose id can't be a bus'.
    public private(set) var unknownTrips = 0
    public private(set) var unusableVehicles = 0

    /// A hole longer than this ends a run: the bus was not driven on this trip meanwhile.
    static let holeMs: Int64 = 1_200_000

    /// Each file has the columns vehicle_id, trip_id, timestamp (Unix s), latitude, longitude, and may have speed (m/s),
    /// bearing and occupancy_status (as GTFS-Realtime numbers them). Rows may come in any order, and twice. Throws a
    /// sentence on what is missing.
    public init(catalog: Catalog, positions: [(name: String, bytes: [UInt8])]) throws(FeedRefusal) {
        var lineOfTrip: [String: String] = [:]
        for line in catalog.lines.values {
            for trip in line.trips { lineOfTrip[trip.id] = line.id }
        }
        var rows: [String: [Row]] = [:]
        var unknown: Set<String> = []
        for file in positions {
            var table = try CSVTable(file: file.name, file.bytes)
            try table.require("vehicle_id", "trip_id", "timestamp", "latitude", "longitude")
            while table.readNext() {
                let row = try Row(table)
                if lineOfTrip[row.trip] == nil {
                    unknown.insert(row.trip)
                } else {
                    rows[row.vehicle, default: []].append(row)
                }
            }
        }
        unknownTrips = unknown.count
        for (id, rows) in rows.sorted(by: { $0.key < $1.key }) {
            guard Catalog.isID(id) else {
                unusableVehicles += 1
                continue
            }
            let runs = Self.runs(rows, lineOfTrip)
            if !runs.isEmpty { vehicles.append(Vehicle(id: id, runs: runs)) }
        }
    }

    private static func runs(_ rows: [Row], _ lineOfTrip: [String: String]) -> [Run] {
        var runs: [Run] = []
        var last: Int64 = .min
        for row in rows.sorted(by: { $0.fix.at < $1.fix.at }) where row.fix.at > last {
            let isSame = runs.last.map { $0.trip == row.trip && row.fix.at - last <= holeMs } ?? false
            last = row.fix.at
            if isSame {
                runs[runs.count - 1].fixes.append(row.fix)
            } else {
                runs.append(Run(line: lineOfTrip[row.trip] ?? "", trip: row.trip, fixes: [row.fix]))
            }
        }
        return runs.filter { $0.fixes.count > 1 }
    }

    private struct Row {
        let vehicle: String
        let trip: String
        let fix: Fix

        init(_ table: CSVTable) throws(FeedRefusal) {
            vehicle = table.text(table.column("vehicle_id"))
            trip = table.text(table.column("trip_id"))
            guard let seconds = table.integer(table.column("timestamp")),
                let lat = table.double(table.column("latitude")), let lon = table.double(table.column("longitude")),
                abs(lat) <= 90, abs(lon) <= 180, !vehicle.isEmpty
            else { throw FeedRefusal("\(table.name):\(table.line): a vehicle, a time or a place can't be read") }
            fix = Fix(
                at: Int64(seconds) * 1000, point: GeoPoint(lat: lat, lon: lon),
                speed: table.double(table.column("speed")).flatMap { (0...100).contains($0) ? $0 : nil },
                bearing: table.double(table.column("bearing")).flatMap { (0...360).contains($0) ? $0 : nil },
                load: table.integer(table.column("occupancy_status")).flatMap(Row.load))
        }

        /// Of OccupancyStatus, the middle of what each says; what is more than full can't be counted in seats.
        private static func load(_ status: Int) -> Double? {
            switch status {
            case 0: 0
            case 1: 0.25
            case 2: 0.75
            case 3...6: 1
            default: nil
            }
        }
    }
}
