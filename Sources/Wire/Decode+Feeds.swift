/// The commands of feeds and topics.
extension Envelope {
    func watch() throws(ErrorReply) -> Command {
        let (lat, lon) = try place()
        let expected: StaticString = "metres, 50 to 5000"
        try require(.radius, expected)
        let radius = try double(.radius, WireLimits.watchRadius, expected) ?? 0
        var options = try feedOptions()
        if let (lat, lon) = try destination() { options.destination = Place(lat: lat, lon: lon) }
        return .watch(lat: lat, lon: lon, radius: radius, options: options)
    }

    func feedOptions() throws(ErrorReply) -> FeedOptions {
        FeedOptions(
            filter: try filter(),
            maxRate: try double(.maxRate, WireLimits.feedRate, "messages a second, 0.05 to 20"))
    }

    private func filter() throws(ErrorReply) -> FeedFilter {
        guard let kind = self[.filter].kind, kind != .null else { return FeedFilter() }
        var nested = nested(.filter, path: "filter.")
        // The text was checked with the whole message: only a value that isn't an object fails here.
        do throws(WireError) { try nested.scan() } catch {
            throw refusal(.filter, "an object with kind, state, seats or route")
        }
        return FeedFilter(
            kinds: try nested.set(.kind, "a list of taxi, minibus, bus") {
                VehicleKind(text: $0).map(VehicleKinds.init)
            },
            states: try nested.set(.state, "a list of available, busy, unavailable") {
                VehicleState(text: $0).map(VehicleStates.init)
            },
            seats: try nested.whole(.seats, 1...99, "a whole number from 1 to 99").map(Int.init),
            route: try nested.route())
    }

    /// A list of names, at least one unless it may be empty; nil if the field is absent.
    func set<Names: OptionSet>(
        _ field: Field, _ expected: StaticString, mayBeEmpty: Bool = false,
        _ named: (UnsafeRawBufferPointer) -> Names?
    ) throws(ErrorReply) -> Names? {
        let slot = self[field]
        guard let kind = slot.kind, kind != .null else { return nil }
        guard kind == .array else { throw refusal(field, expected) }
        var names: Names = []
        var list = JSONReader(UnsafeRawBufferPointer(rebasing: reader.bytes[slot.start..<slot.end]))
        // The text was checked with the whole message, so nothing fails here but what is thrown by name.
        try? list.enterArray()
        while (try? list.nextElement()) == true {
            guard (try? list.kind()) == .string, let token = try? list.string(),
                let name = list.withBytes(token, named)
            else { throw Self.refusal(self.name(field), expected, got: "got one with something else") }
            names.formUnion(name)
        }
        guard mayBeEmpty || !names.isEmpty else {
            throw Self.refusal(self.name(field), expected, got: "got an empty one")
        }
        return names
    }

    /// Absent would be read as "on no route", so a forgotten field is refused, unless a way is announced instead.
    func newRoute() throws(ErrorReply) -> String? {
        guard self[.route].kind != nil || self[.start].isThere else { throw refusal(.route, Self.expectedRoute) }
        return try route()
    }

    /// The first is a letter or digit, so that a lone `-` can mean "none" in records.
    private func route() throws(ErrorReply) -> String? {
        let text = try text(.route, .identifier, upTo: WireLimits.identifierBytes, Self.expectedRoute)
        guard let first = text?.utf8.first else { return nil }
        switch first {
        case UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: ":"), UInt8(ascii: "-"):
            throw refusal(.route, Self.expectedRoute)
        default: return text
        }
    }

    private static var expectedRoute: StaticString {
        "a route, 1 to 64 characters of A-Z a-z 0-9 _ . : -, the first a letter or digit"
    }

    func taken() throws(ErrorReply) -> Int {
        let expected: StaticString = "a whole number from 0 to 99"
        try require(.taken, expected)
        return Int(try whole(.taken, 0...99, expected) ?? 0)
    }

    func since() throws(ErrorReply) -> String? {
        try text(.since, .visible, upTo: WireLimits.sequenceBytes, "the last seq of the channel, a string")
    }

    /// An event that is called like a message of the hub itself would be taken for one.
    func eventType() throws(ErrorReply) -> String? {
        let expected: StaticString =
            "1 to 64 characters of A-Z a-z 0-9 _ . : -, and none of gap, snapshot, positions, opened"
        let type = try text(.type, .identifier, upTo: WireLimits.identifierBytes, expected)
        if ["gap", "snapshot", "positions", "opened"].contains(type) { throw refusal(.type, expected) }
        return type
    }

    func eventData() throws(ErrorReply) -> [UInt8] {
        let slot = self[.data]
        guard slot.kind == .object else { throw refusal(.data, "an object") }
        let size = slot.end - slot.start
        guard size <= WireLimits.eventBytes else {
            throw Self.refusal("data", "an object of at most 8192 bytes", got: "got \(size)")
        }
        return Array(reader.bytes[slot.start..<slot.end])
    }
}
