import Domain

/// Comma separated fixes under a header line; Cabspotting's merged form is one of them by other names.
enum TraceCSV {
    /// Which column stands where.
    struct Columns {
        var time: Int
        var vehicle: Int
        var lat: Int
        var lon: Int
        var occupied: Int?
        var speed: Int?
        var heading: Int?
        var accuracy: Int?

        /// Nil when the line is no header with the four columns that must be there.
        init?(_ header: ArraySlice<UInt8>) {
            let names = header.fields(separatedBy: 0x2C).map { $0.text.lowercased() }
            func column(_ accepted: String...) -> Int? { names.firstIndex { accepted.contains($0) } }
            guard let time = column("time", "ts", "timestamp"), let vehicle = column("vehicle", "cab", "taxi", "id"),
                let lat = column("lat", "latitude"), let lon = column("lon", "lng", "longitude")
            else { return nil }
            (self.time, self.vehicle, self.lat, self.lon) = (time, vehicle, lat, lon)
            occupied = column("occupied", "meter")
            speed = column("speed")
            heading = column("heading", "bearing", "course")
            accuracy = column("accuracy")
        }

        var needed: Int { max(time, vehicle, lat, lon) + 1 }
    }

    static func read(_ bytes: [UInt8]) throws(TraceError) -> Trace {
        var builder = TraceBuilder()
        var columns: Columns?
        for (number, line) in TextLines(bytes) where !line.trimmed.isEmpty {
            guard let known = columns else {
                columns = Columns(line)
                if columns == nil {
                    throw TraceError(
                        line: number, message: "expected a header line with at least time,vehicle,lat,lon")
                }
                continue
            }
            let fields = line.fields(separatedBy: 0x2C)
            guard fields.count >= known.needed else {
                throw TraceError(
                    line: number, message: "\(fields.count) fields, but the header asks for at least \(known.needed)")
            }
            try read(fields, known, line: number, into: &builder)
        }
        return try builder.finished()
    }

    private static func read(
        _ fields: [ArraySlice<UInt8>], _ columns: Columns, line: Int, into builder: inout TraceBuilder
    ) throws(TraceError) {
        guard let time = TimeText.read(fields[columns.time]) else {
            throw TraceError(
                line: line,
                message: "time \"\(fields[columns.time].text)\" is neither Unix seconds or milliseconds nor ISO 8601")
        }
        if let offset = time.offsetMinutes { builder.utcOffsetMinutes = offset }
        let vehicle = fields[columns.vehicle].text
        if vehicle.isEmpty { throw TraceError(line: line, message: "the vehicle has no name") }
        let place = try TracePlace.read(lat: fields[columns.lat], lon: fields[columns.lon], line: line)

        func optional(_ column: Int?, _ name: String, _ range: ClosedRange<Double>) throws(TraceError) -> Double? {
            guard let column, column < fields.count, !fields[column].isEmpty else { return nil }
            guard let value = fields[column].number, range.contains(value) else {
                throw TraceError(
                    line: line,
                    message:
                        "\(name) \"\(fields[column].text)\" is no number in \(range.lowerBound)…\(range.upperBound)")
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
