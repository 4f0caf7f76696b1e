/// `156;2014-02-01 00:00:00.739166+01;POINT(41.8836718276551 12.4877775603346)`, latitude first.
enum TraceRome {
    static func read(_ bytes: [UInt8]) throws(TraceError) -> Trace {
        var builder = TraceBuilder()
        for (number, line) in TextLines(bytes) where !line.trimmed.isEmpty {
            let fields = line.fields(separatedBy: 0x3B)
            guard fields.count == 3, !fields[0].isEmpty else {
                throw TraceError(line: number, message: "expected id;timestamp;POINT(lat lon)")
            }
            guard let time = TimeText.read(fields[1]) else {
                throw TraceError(line: number, message: "time \"\(fields[1].text)\" is not ISO 8601")
            }
            if let offset = time.offsetMinutes { builder.utcOffsetMinutes = offset }
            guard let inner = insideOfPoint(fields[2]), inner.count == 2 else {
                throw TraceError(line: number, message: "\"\(fields[2].text)\" is not POINT(lat lon)")
            }
            let place = try TracePlace.read(lat: inner[0], lon: inner[1], line: number)
            builder.add(TraceFix(timeMs: time.unixMs, place: place), to: fields[0].text)
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
