internal import CSV
internal import Domain

/// Comma separated fixes under a header line; Cabspotting's merged form is one of them by other names.
enum TraceCSV {
    /// Which column stands where.
    struct Columns {
        let time, vehicle, lat, lon: CSVTable.Column
        /// Columns that a recording may lack.
        let occupied, speed, heading, accuracy: CSVTable.Column
        /// So many fields a row has at least.
        let needed: Int

        /// Nil when the head line lacks one of the four columns that must be there.
        init?(_ table: CSVTable) {
            let names = table.head.map { $0.lowercased() }
            func index(_ accepted: String...) -> Int { names.firstIndex { accepted.contains($0) } ?? -1 }
            let required = [
                index("time", "ts", "timestamp"), index("vehicle", "cab", "taxi", "id"), index("lat", "latitude"),
                index("lon", "lng", "longitude"),
            ]
            guard !required.contains(-1) else { return nil }
            (time, vehicle) = (CSVTable.Column(at: required[0]), CSVTable.Column(at: required[1]))
            (lat, lon) = (CSVTable.Column(at: required[2]), CSVTable.Column(at: required[3]))
            needed = (required.max() ?? 0) + 1
            occupied = CSVTable.Column(at: index("occupied", "meter"))
            speed = CSVTable.Column(at: index("speed"))
            heading = CSVTable.Column(at: index("heading", "bearing", "course"))
            accuracy = CSVTable.Column(at: index("accuracy"))
        }
    }

    static func read(_ bytes: [UInt8]) throws(TraceError) -> Trace {
        var builder = TraceBuilder()
        var table = try CSVTable(recording: bytes)
        guard let columns = Columns(table) else {
            throw TraceError(
                line: table.line, message: "expected a header line with at least time,vehicle,lat,lon")
        }
        while table.readNext() {
            guard table.fieldCount >= columns.needed else {
                throw TraceError(
                    line: table.line,
                    message: "\(table.fieldCount) fields, but the header asks for at least \(columns.needed)")
            }
            try read(table, columns, into: &builder)
        }
        return try builder.finished()
    }

    private static func read(
        _ row: CSVTable, _ columns: Columns, into builder: inout TraceBuilder
    ) throws(TraceError) {
        guard let time = TimeText.read(row.bytes(columns.time)) else {
            throw TraceError(
                line: row.line,
                message: "time \"\(row.text(columns.time))\" is neither Unix seconds or milliseconds nor ISO 8601")
        }
        if let offset = time.offsetMinutes { builder.utcOffsetMinutes = offset }
        let vehicle = row.text(columns.vehicle)
        if vehicle.isEmpty { throw TraceError(line: row.line, message: "the vehicle has no name") }
        let place = try TracePlace.read(lat: row.bytes(columns.lat), lon: row.bytes(columns.lon), line: row.line)

        func optional(
            _ column: CSVTable.Column, _ name: String, _ range: ClosedRange<Double>
        ) throws(TraceError) -> Double? {
            guard !row.isEmpty(column) else { return nil }
            guard let value = row.double(column), range.contains(value) else {
                throw TraceError(
                    line: row.line,
                    message: "\(name) \"\(row.text(column))\" is no number in \(range.lowerBound)…\(range.upperBound)")
            }
            return value
        }
        let occupied = try optional(columns.occupied, "occupied", 0...1)
        let fix = TraceFix(
            timeMs: time.unixMs, place: place, occupied: occupied.map { $0 > 0 },
            speed: try optional(columns.speed, "speed", 0...400),
            heading: try optional(columns.heading, "heading", 0...360),
            accuracy: try optional(columns.accuracy, "accuracy", 0...100_000))
        builder.add(fix, to: vehicle)
    }
}

/// Reads a latitude and a longitude, and says which of them is wrong.
enum TracePlace {
    static func read(lat: ArraySlice<UInt8>, lon: ArraySlice<UInt8>, line: Int) throws(TraceError) -> GeoPoint {
        guard let latitude = lat.number, abs(latitude) <= 90 else {
            throw TraceError(line: line, message: "latitude \"\(lat.text)\" is no number in -90…90")
        }
        guard let longitude = lon.number, abs(longitude) <= 180 else {
            throw TraceError(line: line, message: "longitude \"\(lon.text)\" is no number in -180…180")
        }
        return GeoPoint(lat: latitude, lon: longitude)
    }
}
