/// The commands of minibuses.
extension Envelope {
    func seatBook() throws(ErrorReply) -> Command {
        let expectedVehicle: StaticString = "a vehicle's id, 1 to 64 characters of A-Z a-z 0-9 _ . : -"
        let expectedCount: StaticString = "a whole number from 1 to 99"
        try require(.vehicle, expectedVehicle)
        try require(.passengers, expectedCount)
        return .seatBook(
            SeatRequest(
                vehicle: try text(.vehicle, .identifier, upTo: WireLimits.identifierBytes, expectedVehicle) ?? "",
                pickup: try requiredPlace(.pickup, path: "pickup."),
                destination: try requiredPlace(.destination, path: "destination."),
                passengers: Int(try whole(.passengers, 1...99, expectedCount) ?? 1)))
    }

    func seatAboard() throws(ErrorReply) -> Command {
        .seatAboard(
            booking: try requiredBooking(),
            passengers: try whole(.passengers, 1...99, "a whole number from 1 to 99").map(Int.init))
    }

    func requiredVehicle() throws(ErrorReply) -> String {
        let expected: StaticString = "a vehicle's id, 1 to 64 characters of A-Z a-z 0-9 _ . : -"
        try require(.vehicle, expected)
        return try text(.vehicle, .identifier, upTo: WireLimits.identifierBytes, expected) ?? ""
    }

    func booking() throws(ErrorReply) -> String? {
        try text(.booking, .identifier, upTo: WireLimits.identifierBytes, Self.expectedBooking)
    }

    func requiredBooking() throws(ErrorReply) -> String {
        try require(.booking, Self.expectedBooking)
        return try booking() ?? ""
    }

    private static var expectedBooking: StaticString { "a booking's id, 1 to 64 characters of A-Z a-z 0-9 _ . : -" }

    /// Why the driver counted, in a word.
    func reason() throws(ErrorReply) -> String? {
        try text(.reason, .identifier, upTo: WireLimits.identifierBytes, "1 to 64 characters of A-Z a-z 0-9 _ . : -")
    }

    /// What is not there is not muted.
    func wishes() throws(ErrorReply) -> NotificationPreferences {
        let kinds = try set(
            .mute, "a list of proximity, eta, route, answers, requests, reminders; empty to mute none",
            mayBeEmpty: true,
            NotificationKinds.init(text:))
        return NotificationPreferences(mute: kinds ?? [], quiet: try quietHours())
    }

    private func quietHours() throws(ErrorReply) -> QuietHours? {
        guard self[.quiet].isThere else { return nil }
        let expected: StaticString = "a whole number from 0 to 1439, minutes after midnight"
        var nested = nested(.quiet, path: "quiet.")
        // The text was checked with the whole message: only a value that isn't an object fails here.
        do throws(WireError) { try nested.scan() } catch { throw refusal(.quiet, "an object with from and to") }
        try nested.require(.from, expected)
        try nested.require(.to, expected)
        return QuietHours(
            from: Int(try nested.whole(.from, 0...1439, expected) ?? 0),
            to: Int(try nested.whole(.to, 0...1439, expected) ?? 0),
            timeZone: try nested.text(
                .timeZone, .visible, upTo: WireLimits.identifierBytes, "a time zone's name, as Europe/Berlin or UTC"))
    }

    /// Both ends or none; way points only between them.
    func way() throws(ErrorReply) -> AnnouncedWay? {
        guard let start = try optionalPlace(.start, path: "start.") else {
            if self[.end].isThere { throw refusal(.start, "an object with lat and lon, as there is an `end`") }
            if self[.via].isThere { throw refusal(.start, "an object with lat and lon, as there are way points") }
            return nil
        }
        return AnnouncedWay(start: start, via: try wayPoints(), end: try requiredPlace(.end, path: "end."))
    }

    private func wayPoints() throws(ErrorReply) -> [Place] {
        let slot = self[.via]
        guard slot.isThere else { return [] }
        let expected: StaticString = "a list of at most 50 objects with lat and lon"
        guard slot.kind == .array else { throw refusal(.via, expected) }
        var list = JSONReader(UnsafeRawBufferPointer(rebasing: reader.bytes[slot.start..<slot.end]))
        var places: [Place] = []
        // The text was checked with the whole message, so nothing fails here but what is thrown by name.
        try? list.enterArray()
        while (try? list.nextElement()) == true {
            guard places.count < WireLimits.wayPoints else { throw Self.refusal("via", expected, got: "got more") }
            let start = list.offset
            guard (try? list.skipValue()) != nil else { break }
            var element = Envelope(
                UnsafeRawBufferPointer(rebasing: list.bytes[start..<list.offset]), path: "via.")
            do throws(WireError) { try element.scan() } catch {
                throw Self.refusal("via", expected, got: "got one with something else")
            }
            let (lat, lon) = try element.place()
            places.append(Place(lat: lat, lon: lon))
        }
        return places
    }

    private func optionalPlace(_ field: Field, path: StaticString) throws(ErrorReply) -> Place? {
        guard self[field].isThere else { return nil }
        return try requiredPlace(field, path: path)
    }

    private func requiredPlace(_ field: Field, path: StaticString) throws(ErrorReply) -> Place {
        let expected: StaticString = "an object with lat and lon"
        try require(field, expected)
        var nested = nested(field, path: path)
        // The text was checked with the whole message: only a value that isn't an object fails here.
        do throws(WireError) { try nested.scan() } catch { throw refusal(field, expected) }
        let (lat, lon) = try nested.place()
        return Place(lat: lat, lon: lon)
    }
}

extension Envelope.Slot {
    /// Neither absent nor null.
    var isThere: Bool { kind != nil && kind != .null }
}
