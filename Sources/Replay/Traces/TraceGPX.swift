import Domain

/// Tracks of a GPX file, 1.0 or 1.1: one vehicle per `<trk>`. Points without a time are refused, as nothing could be
/// replayed of them.
enum TraceGPX {
    static func read(_ bytes: [UInt8]) throws(TraceError) -> Trace {
        var reading = Reading()
        var scanner = XMLScanner(bytes)
        while let token = try scanner.next() { try reading.take(token, line: scanner.line) }
        if !reading.sawRoot { throw TraceError(line: 0, message: "there is no <gpx> element") }
        if !reading.stack.isEmpty {
            throw TraceError(line: scanner.line, message: "the file ends inside <\(reading.stack.last ?? "")>")
        }
        return try reading.finished()
    }

    private struct Point {
        var place: GeoPoint
        var line: Int
        var timeMs: Int64?
        var speed: Double?
        var heading: Double?
    }

    private struct Reading {
        var stack: [String] = []
        var sawRoot = false
        private var builder = TraceBuilder()
        private var tracks = 0
        private var names: Set<String> = []
        private var name: String?
        private var fixes: [TraceFix] = []
        private var point: Point?
        private var text: [UInt8] = []

        mutating func take(_ token: XMLScanner.Token, line: Int) throws(TraceError) {
            switch token {
            case .open(let element, let attributes):
                stack.append(element)
                text.removeAll(keepingCapacity: true)
                if element == "gpx" { sawRoot = true }
                if element == "trk" {
                    tracks += 1
                    name = nil
                    fixes = []
                }
                if element == "trkpt" { point = try start(attributes, line: line) }
            case .text(let bytes):
                text += bytes
            case .close(let element):
                guard stack.popLast() == element else {
                    throw TraceError(line: line, message: "</\(element)> closes what is not open")
                }
                try close(element, line: line)
                text.removeAll(keepingCapacity: true)
            }
        }

        private func start(_ attributes: [String: [UInt8]], line: Int) throws(TraceError) -> Point {
            guard let lat = attributes["lat"], let lon = attributes["lon"] else {
                throw TraceError(line: line, message: "<trkpt> needs lat and lon")
            }
            return Point(place: try TracePlace.read(lat: lat[...], lon: lon[...], line: line), line: line)
        }

        private mutating func close(_ element: String, line: Int) throws(TraceError) {
            let value = text[...].trimmedOfSpace
            switch (element, stack.last) {
            case ("name", "trk"): name = value.text
            case ("time", "trkpt"):
                guard let time = TimeText.read(value) else {
                    throw TraceError(line: line, message: "time \"\(value.text)\" is not ISO 8601")
                }
                point?.timeMs = time.unixMs
            case ("speed", _): point?.speed = value.number
            case ("course", _): point?.heading = value.number
            case ("trkpt", _): try finishPoint()
            case ("trk", _): finishTrack()
            default: break
            }
        }

        private mutating func finishPoint() throws(TraceError) {
            guard let point else { return }
            self.point = nil
            guard let time = point.timeMs else {
                throw TraceError(
                    line: point.line, message: "<trkpt> has no <time>: only tracks with times can be replayed")
            }
            fixes.append(
                TraceFix(timeMs: time, place: point.place, speed: point.speed, heading: point.heading))
        }

        /// Two tracks of one name are two vehicles: they may overlap in time.
        private mutating func finishTrack() {
            var chosen = name.flatMap { $0.isEmpty ? nil : $0 } ?? "track-\(tracks)"
            if !names.insert(chosen).inserted {
                chosen += "-\(tracks)"
                names.insert(chosen)
            }
            for fix in fixes { builder.add(fix, to: chosen) }
            fixes = []
        }

        func finished() throws(TraceError) -> Trace { try builder.finished() }
    }
}

extension ArraySlice<UInt8> {
    fileprivate var trimmedOfSpace: ArraySlice<UInt8> {
        var part = self
        while let first = part.first, first <= 0x20 { part.removeFirst() }
        while let last = part.last, last <= 0x20 { part.removeLast() }
        return part
    }
}
