/// The fields of the commands. One table for all, so that a message can be read in one pass whatever the order of its
/// fields: a field that the command doesn't have is ignored like an unknown one.
enum Field: Int, CaseIterable {
    case command, id, key, lat, lon, at, heading, speed, accuracy, ride, passengers, destination, channel, token, resume
    case radius, filter, maxRate, since, taken, route, type, data, kind, state, seats
    case bus, line, pattern, trip, tour, skip
    case booking, vehicle, pickup, reason, start, via, end, mute, quiet, from, to, timeZone

    var name: StaticString {
        switch self {
        case .command: "cmd"
        case .id: "id"
        case .key: "key"
        case .lat: "lat"
        case .lon: "lon"
        case .at: "at"
        case .heading: "heading"
        case .speed: "speed"
        case .accuracy: "accuracy"
        case .ride: "ride"
        case .passengers: "passengers"
        case .destination: "destination"
        case .channel: "channel"
        case .token: "token"
        case .resume: "resume"
        case .radius: "radius"
        case .filter: "filter"
        case .maxRate: "max_rate"
        case .since: "since"
        case .taken: "taken"
        case .route: "route"
        case .type: "type"
        case .data: "data"
        case .kind: "kind"
        case .state: "state"
        case .seats: "seats"
        case .bus: "bus"
        case .line: "line"
        case .pattern: "pattern"
        case .trip: "trip"
        case .tour: "tour"
        case .skip: "skip"
        case .booking: "booking"
        case .vehicle: "vehicle"
        case .pickup: "pickup"
        case .reason: "reason"
        case .start: "start"
        case .via: "via"
        case .end: "end"
        case .mute: "mute"
        case .quiet: "quiet"
        case .from: "from"
        case .to: "to"
        case .timeZone: "time_zone"
        }
    }

    init?(_ name: ByteText) {
        switch name {
        case "cmd": self = .command
        case "lat": self = .lat
        case "lon": self = .lon
        case "at": self = .at
        case "id": self = .id
        case "heading": self = .heading
        case "speed": self = .speed
        case "accuracy": self = .accuracy
        case "key": self = .key
        case "ride": self = .ride
        case "passengers": self = .passengers
        case "destination": self = .destination
        case "channel": self = .channel
        case "token": self = .token
        case "resume": self = .resume
        case "radius": self = .radius
        case "filter": self = .filter
        case "max_rate": self = .maxRate
        case "since": self = .since
        case "taken": self = .taken
        case "route": self = .route
        case "type": self = .type
        case "data": self = .data
        case "kind": self = .kind
        case "state": self = .state
        case "seats": self = .seats
        case "bus": self = .bus
        case "line": self = .line
        case "pattern": self = .pattern
        case "trip": self = .trip
        case "tour": self = .tour
        case "skip": self = .skip
        case "booking": self = .booking
        case "vehicle": self = .vehicle
        case "pickup": self = .pickup
        case "reason": self = .reason
        case "start": self = .start
        case "via": self = .via
        case "end": self = .end
        case "mute": self = .mute
        case "quiet": self = .quiet
        case "from": self = .from
        case "to": self = .to
        case "time_zone": self = .timeZone
        default: return nil
        }
    }
}

/// One object of a client, read in one pass and wholly checked as JSON, its known fields kept by place. Nothing is
/// allocated. A key that comes twice counts with its last value. Valid as long as the bytes are.
struct Envelope {
    /// A field's value: its kind, where it stands, and its number if it is one.
    struct Slot {
        /// nil when the field is absent.
        var kind: JSONReader.Kind?
        var hasEscapes = false
        var start = 0
        var end = 0
        var number = 0.0

        /// The string without its quotes; only for a string.
        var token: JSONStringToken { JSONStringToken(start: start + 1, end: end - 1, hasEscapes: hasEscapes) }
    }

    private(set) var reader: JSONReader
    /// What stands before the names of its fields in errors: the object may be the value of another field.
    private let path: StaticString
    private var slots = InlineArray<44, Slot>(repeating: Slot())

    init(_ bytes: UnsafeRawBufferPointer, path: StaticString = "") {
        reader = JSONReader(bytes)
        self.path = path
    }

    subscript(field: Field) -> Slot { slots[field.rawValue] }

    /// The value of a field as an object of its own, not yet scanned.
    func nested(_ field: Field, path: StaticString) -> Envelope {
        Envelope(UnsafeRawBufferPointer(rebasing: reader.bytes[self[field].start..<self[field].end]), path: path)
    }

    /// How a field is called in errors.
    func name(_ field: Field) -> String { name(field.name) }

    func name(_ field: StaticString) -> String { "\(path)\(field)" }

    /// Reads everything. After an error the fields that came before it are there.
    mutating func scan() throws(WireError) {
        try enter()
        while let key = try reader.nextKey() {
            if let field = reader.withBytes(key, { Field(ByteText($0)) }) {
                slots[field.rawValue] = try slot()
            } else {
                try reader.skipValue()
            }
        }
        try reader.finish()
    }

    /// For an object that is read member by member instead of by `scan`.
    mutating func enter() throws(WireError) {
        guard try reader.kind() == .object else { throw WireError(.notAnObject, at: reader.offset) }
        try reader.enterObject()
    }

    /// The next member whatever its name is; nil at the end.
    mutating func nextMember() throws(WireError) -> (key: JSONStringToken, value: Slot)? {
        guard let key = try reader.nextKey() else { return nil }
        return (key, try slot())
    }

    private mutating func slot() throws(WireError) -> Slot {
        var slot = Slot(kind: try reader.kind(), start: reader.offset)
        switch slot.kind {
        case .number: slot.number = try reader.number().double
        case .string: slot.hasEscapes = try reader.string().hasEscapes
        default: try reader.skipValue()
        }
        slot.end = reader.offset
        return slot
    }

    /// The `id` if it is there and valid: what a refusal for any other reason still carries.
    var usableID: Int64? {
        let slot = self[.id]
        return slot.kind == .number ? Self.whole(slot.number, 0...WireLimits.largestInteger) : nil
    }

    /// The number as a whole one if it is one and in the range, which lies within ±(2^53 - 1), where a double is exact.
    static func whole(_ number: Double, _ range: ClosedRange<Int64>) -> Int64? {
        guard let whole = Int64(exactly: number), range.contains(whole) else { return nil }
        return whole
    }
}
