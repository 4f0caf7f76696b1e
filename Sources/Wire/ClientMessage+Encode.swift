/// Writing commands, for clients: `decode(message.encoded())` gives the same message back.
extension ClientMessage {
    /// The message as the payload of one text frame.
    public func encoded() -> [UInt8] {
        var writer = JSONWriter(capacity: 160)
        encoded(into: &writer)
        return writer.bytes
    }

    /// Writes the message as one value.
    public func encoded(into writer: inout JSONWriter) {
        writer.beginObject()
        if let id { writer.member("id", id) }
        writer.member("cmd", command.name.rawValue)
        command.encodeFields(into: &writer)
        if let key { writer.member("key", key) }
        writer.endObject()
    }
}

extension Command {
    fileprivate func encodeFields(into writer: inout JSONWriter) {
        switch self {
        case .driverAvailable, .driverUnavailable, .unwatch, .stopPrevious: break
        case .position(let fix): fix.encodeFields(into: &writer)
        case .hello(let token, let resume):
            if let token { writer.member("token", token) }
            guard !resume.isEmpty else { break }
            writer.key("resume")
            writer.beginObject()
            for point in resume {
                writer.key(escaping: point.channel)
                writer.string(point.seq)
            }
            writer.endObject()
        case .offerSeen(let ride), .offerAccept(let ride), .offerDecline(let ride):
            writer.member("ride", ride)
        case .rideEnd(let ride), .rideNoshow(let ride), .rideCancel(let ride), .rideSearch(let ride):
            if let ride { writer.member("ride", ride) }
        case .rideAboard(let ride, let passengers):
            if let ride { writer.member("ride", ride) }
            if let passengers { writer.member("passengers", passengers) }
        case .rideRequest(let lat, let lon, let passengers, let destination):
            writer.member("lat", lat)
            writer.member("lon", lon)
            writer.member("passengers", passengers)
            guard let destination else { break }
            writer.key("destination")
            writer.beginObject()
            writer.member("lat", destination.lat)
            writer.member("lon", destination.lon)
            writer.endObject()
        case .subscribe(let channel, let options, let since):
            writer.member("channel", channel)
            options.encodeFields(into: &writer)
            if let since { writer.member("since", since) }
        case .unsubscribe(let channel): writer.member("channel", channel)
        case .watch(let lat, let lon, let radius, let options):
            writer.member("lat", lat)
            writer.member("lon", lon)
            writer.member("radius", radius)
            options.encodeFields(into: &writer)
        case .seatsSet(let taken, let reason):
            writer.member("taken", taken)
            if let reason { writer.member("reason", reason) }
        case .routeSet(let route, let way):
            writer.key("route")
            if let route { writer.string(route) } else { writer.null() }
            way?.encode(into: &writer)
        case .seatBook(let request): request.encodeFields(into: &writer)
        case .seatAccept(let booking), .seatDecline(let booking), .seatEnd(let booking):
            writer.member("booking", booking)
        case .seatCancel(let booking): if let booking { writer.member("booking", booking) }
        case .seatAboard(let booking, let passengers):
            writer.member("booking", booking)
            if let passengers { writer.member("passengers", passengers) }
        case .vehicleGet(let vehicle): writer.member("vehicle", vehicle)
        case .notifySet(let wishes): wishes.encodeFields(into: &writer)
        case .publish(let channel, let type, let data):
            writer.member("channel", channel)
            if let type { writer.member("type", type) }
            writer.key("data")
            writer.raw(data)
        case .lineEta(let line, let place):
            writer.member("line", line)
            place.encode(into: &writer)
        case .stopRequest(let request): request.encodeFields(into: &writer)
        case .stopCancel(let request): writer.member("request", request)
        case .stopAnswer(_, let request, let all):
            writer.member("request", request)
            if all { writer.member("all", all) }
        case .tourStart(let bus, let line, let pattern, let trip):
            writer.member("bus", bus)
            writer.member("line", line)
            if let pattern { writer.member("pattern", pattern) }
            if let trip { writer.member("trip", trip) }
        case .tourEnd(let tour): if let tour { writer.member("tour", tour) }
        case .stopNext(let skip): if skip { writer.member("skip", skip) }
        }
    }
}

extension SeatRequest {
    fileprivate func encodeFields(into writer: inout JSONWriter) {
        writer.member("vehicle", vehicle)
        writer.key("pickup")
        pickup.encode(into: &writer)
        writer.key("destination")
        destination.encode(into: &writer)
        writer.member("passengers", passengers)
    }
}

extension NotificationPreferences {
    fileprivate func encodeFields(into writer: inout JSONWriter) {
        if !mute.isEmpty {
            writer.key("mute")
            writer.beginArray()
            for text in mute.texts { writer.string(text) }
            writer.endArray()
        }
        guard let quiet else { return }
        writer.key("quiet")
        writer.beginObject()
        writer.member("from", quiet.from)
        writer.member("to", quiet.to)
        if let timeZone = quiet.timeZone { writer.member("time_zone", timeZone) }
        writer.endObject()
    }
}

extension AnnouncedWay {
    /// As members of the object that is being written: `start`, `via` unless it is empty, `end`.
    public func encode(into writer: inout JSONWriter) {
        writer.key("start")
        start.encode(into: &writer)
        if !via.isEmpty {
            writer.key("via")
            writer.beginArray()
            for place in via { place.encode(into: &writer) }
            writer.endArray()
        }
        writer.key("end")
        end.encode(into: &writer)
    }
}

extension Place {
    fileprivate func encode(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("lat", lat)
        writer.member("lon", lon)
        writer.endObject()
    }
}

extension FeedOptions {
    fileprivate func encodeFields(into writer: inout JSONWriter) {
        if filter != FeedFilter() {
            writer.key("filter")
            filter.encode(into: &writer)
        }
        if let maxRate { writer.member("max_rate", maxRate) }
        if let destination {
            writer.key("destination")
            destination.encode(into: &writer)
        }
    }
}

extension FeedFilter {
    fileprivate func encode(into writer: inout JSONWriter) {
        writer.beginObject()
        if let kinds {
            writer.list("kind", VehicleKind.allCases.filter { kinds.contains(VehicleKinds($0)) }.map(\.text))
        }
        if let states {
            writer.list("state", VehicleState.allCases.filter { states.contains(VehicleStates($0)) }.map(\.text))
        }
        if let seats { writer.member("seats", seats) }
        if let route { writer.member("route", route) }
        writer.endObject()
    }
}

extension JSONWriter {
    fileprivate mutating func list(_ name: StaticString, _ texts: [StaticString]) {
        key(name)
        beginArray()
        for text in texts { string(text.description) }
        endArray()
    }
}

extension PositionFix {
    fileprivate func encodeFields(into writer: inout JSONWriter) {
        writer.member("lat", lat)
        writer.member("lon", lon)
        writer.member("at", at)
        if let heading { writer.member("heading", heading) }
        if let speed { writer.member("speed", speed) }
        if let accuracy { writer.member("accuracy", accuracy) }
    }
}
