internal import CSV

/// `156;2014-02-01 00:00:00.739166+01;POINT(41.8836718276551 12.4877775603346)`, latitude first.
enum TraceRome {
    static func read(_ bytes: [UInt8]) throws(TraceError) -> Trace {
        var builder = TraceBuilder()
        var table = try CSVTable(recording: bytes, separator: ";", hasHeadLine: false)
        let (vehicle, time, place) = (CSVTable.Column(at: 0), CSVTable.Column(at: 1), CSVTable.Column(at: 2))
        while table.readNext() {
            guard table.fieldCount == 3, !table.isEmpty(vehicle) else {
                throw TraceError(line: table.line, message: "expected id;timestamp;POINT(lat lon)")
            }
            guard let at = TimeText.read(table.bytes(time)) else {
                throw TraceError(line: table.line, message: "time \"\(table.text(time))\" is not ISO 8601")
            }
            if let offset = at.offsetMinutes { builder.utcOffsetMinutes = offset }
            guard let inner = insideOfPoint(table.bytes(place)), inner.count == 2 else {
                throw TraceError(line: table.line, message: "\"\(table.text(place))\" is not POINT(lat lon)")
            }
            let point = try TracePlace.read(lat: inner[0], lon: inner[1], line: table.line)
            builder.add(TraceFix(timeMs: at.unixMs, place: point), to: table.text(vehicle))
        }
        return try builder.finished()
    }

    private static func insideOfPoint(_ field: ArraySlice<UInt8>) -> [ArraySlice<UInt8>]? {
        guard let open = field.firstIndex(of: 0x28), field.last == 0x29,
            field[..<open].trimmed.text.uppercased() == "POINT"
        else { return nil }
        return field[(open + 1)...].dropLast().split(separator: 0x20)
    }
}
