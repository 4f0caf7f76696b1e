/// A place in a command, degrees of WGS 84.
public struct Place: Hashable, Sendable {
    /// −90…90.
    public var lat: Double
    /// −180…180.
    public var lon: Double

    public init(lat: Double, lon: Double) {
        self.lat = lat
        self.lon = lon
    }

    static let fields = Fields(
        Field.required("lat", .latitude), Field.required("lon", .longitude), make: { Place(lat: $0, lon: $1) },
        take: { ($0.lat, $0.lon) })
}

/// The way that a driver announces.
public struct AnnouncedWay: Hashable, Sendable {
    public var start: Place
    /// Way points between start and end, at most `WireLimits.wayPoints`.
    public var via: [Place]
    public var end: Place

    public init(start: Place, via: [Place] = [], end: Place) {
        self.start = start
        self.via = via
        self.end = end
    }

    /// As members of the object that is being written: `start`, `via` unless it is empty, `end`.
    public func encode(into writer: inout JSONWriter) { Self.ends.write(self, &writer) }

    private static let ends = Fields(
        Field.required("start", .place), Field.optional("via", WayPointsKind(), absent: []),
        Field.required("end", .place), make: { AnnouncedWay(start: $0, via: $1, end: $2) },
        take: { ($0.start, $0.via, $0.end) })

    /// Both ends or none; way points only between them.
    static let fields = Fields<AnnouncedWay?>(names: ends.names) { (object) throws(ErrorReply) in
        if object["start"].isThere { return try ends.read(object) }
        if object["end"].isThere {
            throw object.refusal("start", "an object with lat and lon, as there is an `end`")
        }
        if object["via"].isThere {
            throw object.refusal("start", "an object with lat and lon, as there are way points")
        }
        return nil
    } write: { way, writer in
        way?.encode(into: &writer)
    }
}

private struct WayPointsKind: FieldKind {
    var expected: StaticString { "a list of at most 50 objects with lat and lon" }

    func read(
        _ name: StaticString, _ slot: Envelope.Slot, of object: Envelope
    ) throws(ErrorReply) -> [Place] {
        guard slot.kind == .array else { throw object.refusal(name, expected) }
        var list = JSONReader(object.bytes(of: slot))
        var places: [Place] = []
        // The text was checked with the whole message, so nothing fails here but what is thrown by name.
        try? list.enterArray()
        while (try? list.nextElement()) == true {
            guard places.count < WireLimits.wayPoints else { throw object.refusal(name, expected, got: "got more") }
            let start = list.offset
            guard (try? list.skipValue()) != nil else { break }
            let element = UnsafeRawBufferPointer(rebasing: list.bytes[start..<list.offset])
            places.append(
                try Envelope.with(element, path: name) { element -> Result<Place, ErrorReply> in
                    do throws(WireError) { try element.scan() } catch {
                        return .failure(object.refusal(name, expected, got: "got one with something else"))
                    }
                    return Result { () throws(ErrorReply) in try Place.fields.read(element) }
                }.get())
        }
        return places
    }

    func write(_ value: [Place], into writer: inout JSONWriter) {
        writer.beginArray()
        for place in value { ObjectKind.place.write(place, into: &writer) }
        writer.endArray()
    }
}
