import Wire

/// A record whose texts are borrowed: what is read from a line, or lent by a `FeedRecord`, without a String on the way.
struct FeedFields {
    var id: UnsafeRawBufferPointer
    var lat: Double
    var lon: Double
    var heading: Double?
    var at: Int64
    var heard: Int64
    var state: VehicleState
    var kind: VehicleKind
    /// −1 when unknown.
    var seats: Int16
    /// Empty when there is none.
    var route: UnsafeRawBufferPointer
    /// Empty when nobody knows.
    var along: UnsafeRawBufferPointer

    /// One line.
    enum Line {
        case vehicle(FeedFields)
        case gone(UnsafeRawBufferPointer)
    }

    /// Reads a payload of lines; gives back how many could not be read.
    @inline(__always)
    static func read(_ payload: UnsafeRawBufferPointer, _ body: (Line) -> Void) -> Int {
        var skipped = 0
        var scanner = FieldScanner(payload)
        while !scanner.isAtEnd {
            if let line = Line(&scanner) { body(line) } else { skipped += 1 }
            scanner.nextLine()
        }
        return skipped
    }
}

extension FeedFields.Line {
    @inline(__always)
    init?(_ scanner: inout FieldScanner) {
        guard let tag = scanner.field(), tag.count == 1, let id = scanner.field() else { return nil }
        switch tag[0] {
        case UInt8(ascii: "G"): self = .gone(id)
        case UInt8(ascii: "V"):
            guard let fields = FeedFields(id: id, &scanner) else { return nil }
            self = .vehicle(fields)
        default: return nil
        }
        guard scanner.isAtLineEnd else { return nil }
    }
}

extension FeedFields {
    @inline(__always)
    init?(id: UnsafeRawBufferPointer, _ scanner: inout FieldScanner) {
        guard let lat = scanner.number(), let lon = scanner.number(), abs(lat) <= 90, abs(lon) <= 180,
            let heading = scanner.optionalNumber(), let at = scanner.time(), let heard = scanner.time(),
            let state = scanner.field().flatMap(VehicleState.init(text:)),
            let kind = scanner.field().flatMap(VehicleKind.init(text:)),
            let seats = scanner.optionalNumber(), let route = scanner.field()
        else { return nil }
        let nothing = UnsafeRawBufferPointer(rebasing: route[..<0])
        let along = scanner.isAtLineEnd ? nothing : scanner.field() ?? nothing
        if let seats, !(0...9999).contains(seats) { return nil }
        if FieldScanner.isDash(along) { return nil }
        self.init(
            id: id, lat: lat, lon: lon, heading: heading, at: at, heard: heard, state: state, kind: kind,
            seats: seats.map { Int16($0) } ?? -1,
            route: FieldScanner.isDash(route) ? nothing : route, along: along)
    }

    /// Lends a record's texts to the body.
    static func with<Result>(_ record: FeedRecord, _ body: (FeedFields) -> Result) -> Result {
        var (id, route, along) = (record.id, record.route ?? "", record.along)
        return id.withUTF8 { id in
            route.withUTF8 { route in
                along.withUTF8 { along in
                    body(
                        FeedFields(
                            id: UnsafeRawBufferPointer(id), lat: record.lat, lon: record.lon, heading: record.heading,
                            at: record.at, heard: record.heard, state: record.state, kind: record.kind,
                            seats: Int16(clamping: record.seats ?? -1), route: UnsafeRawBufferPointer(route),
                            along: UnsafeRawBufferPointer(along)))
                }
            }
        }
    }
}
