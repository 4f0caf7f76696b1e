public import Wire

// The JSON of a catalog's parts: what Redis holds and what `/v1/…` answers is the same text, so a worker serves a list
// by joining what it has read. Times are seconds of the service day, distances metres, points [lat, lon].

extension JSONWriter {
    /// A member that is a list.
    fileprivate mutating func list<Element>(
        _ name: StaticString, _ elements: some Sequence<Element>, _ write: (Element, inout JSONWriter) -> Void
    ) {
        key(name)
        list(elements, write)
    }

    /// A list within another.
    fileprivate mutating func list<Element>(
        _ elements: some Sequence<Element>, _ write: (Element, inout JSONWriter) -> Void
    ) {
        beginArray()
        for element in elements { write(element, &self) }
        endArray()
    }
}

extension Line {
    /// Trips that take the same time from stop to stop share a profile: [arrival, departure, …] after the first arrival.
    public func write(to json: inout JSONWriter) {
        json.beginObject()
        json.member("id", id)
        if let feedID { json.member("route_id", feedID) }
        json.member("name", name)
        json.member("long_name", longName)
        if let color { json.member("color", color) }
        json.member("kind", kind.rawValue)
        json.list("patterns", patterns) { $0.write(to: &$1) }
        var profiles = SharedLists<StopTime>()
        var sequences = SharedLists<Int>()
        let places = trips.map { trip in
            let start = trip.times.first?.arrival ?? 0
            return (
                profile: profiles.place(
                    of: trip.times.map { StopTime(arrival: $0.arrival - start, departure: $0.departure - start) }),
                sequences: trip.sequences.isEmpty ? nil : sequences.place(of: trip.sequences)
            )
        }
        json.list("profiles", profiles.lists) { profile, json in
            json.list(profile) { time, json in
                json.integer(Int64(time.arrival))
                json.integer(Int64(time.departure))
            }
        }
        if !sequences.lists.isEmpty {
            json.list("sequences", sequences.lists) { list, json in json.list(list) { $1.integer(Int64($0)) } }
        }
        json.list("trips", zip(trips, places)) { trip, json in
            trip.0.write(to: &json, profile: trip.1.profile, sequences: trip.1.sequences)
        }
        if !onDemand.isEmpty { writeOnDemand(to: &json) }
        json.endObject()
    }

    private func writeOnDemand(to json: inout JSONWriter) {
        json.list("on_demand", onDemand) { $0.write(to: &$1) }
        json.list("areas", areas) { $0.write(to: &$1) }
        json.list("rules", rules) { $0.write(to: &$1) }
    }
}

/// Lists that many have alike, each kept once.
private struct SharedLists<Element: Hashable> {
    private(set) var lists: [[Element]] = []
    private var places: [[Element]: Int] = [:]

    mutating func place(of list: [Element]) -> Int {
        if let place = places[list] { return place }
        places[list] = lists.count
        lists.append(list)
        return lists.count - 1
    }
}

extension LinePattern {
    fileprivate func write(to json: inout JSONWriter) {
        json.beginObject()
        json.member("id", id)
        json.member("direction", direction)
        json.member("headsign", headsign)
        json.list("stops", stops) { stop, json in
            json.beginObject()
            json.member("stop", stop.stop)
            json.member("distance", stop.distance)
            json.endObject()
        }
        json.list("shape", shape) { $0.writePair(to: &$1) }
        json.endObject()
    }
}

extension GeoPoint {
    fileprivate func writePair(to json: inout JSONWriter) {
        json.beginArray()
        json.double(lat)
        json.double(lon)
        json.endArray()
    }
}

extension LineTrip {
    /// `profile` and `sequences` are indices in the line's lists.
    fileprivate func write(to json: inout JSONWriter, profile: Int, sequences: Int?) {
        json.beginObject()
        json.member("id", id)
        if let feedID { json.member("trip_id", feedID) }
        json.member("pattern", pattern)
        json.member("service", service)
        json.member("start", times.first?.arrival ?? 0)
        json.member("profile", profile)
        if let sequences { json.member("sequences", sequences) }
        if !frequencies.isEmpty {
            json.list("frequencies", frequencies) { frequency, json in
                json.beginObject()
                json.member("start", frequency.startTime)
                json.member("end", frequency.endTime)
                json.member("headway", frequency.headwaySeconds)
                json.member("exact", frequency.isExact)
                json.endObject()
            }
        }
        json.endObject()
    }
}

extension OnDemandRun {
    fileprivate func write(to json: inout JSONWriter) {
        json.beginObject()
        json.member("id", id)
        json.member("service", service)
        json.list("places", places) { place, json in
            json.beginObject()
            if let area = place.area { json.member("area", area) }
            if !place.stops.isEmpty { json.list("stops", place.stops) { $1.string($0) } }
            json.member("opens", place.opens)
            json.member("closes", place.closes)
            json.member("board", place.canBoard)
            json.member("alight", place.canAlight)
            if let rule = place.rule { json.member("rule", rule) }
            json.endObject()
        }
        json.endObject()
    }
}

extension ServiceArea {
    /// `polygons` has rings of [lat, lon], as all points here; GeoJSON's have them the other way round.
    fileprivate func write(to json: inout JSONWriter) {
        json.beginObject()
        json.member("id", id)
        json.member("name", name)
        json.list("polygons", polygons) { rings, json in
            json.list(rings) { ring, json in json.list(ring) { $0.writePair(to: &$1) } }
        }
        json.endObject()
    }
}

extension BookingRule {
    /// The kinds by name: `real_time`, `same_day`, `prior_day`.
    static let kindNames: [String] = ["real_time", "same_day", "prior_day"]

    fileprivate func write(to json: inout JSONWriter) {
        json.beginObject()
        json.member("id", id)
        json.member("kind", Self.kindNames[kind.rawValue])
        if let noticeMinutes { json.member("notice_minutes", noticeMinutes) }
        if let lastDay { json.member("last_day", lastDay) }
        if let lastTime { json.member("last_time", lastTime) }
        if let longestNoticeMinutes { json.member("longest_notice_minutes", longestNoticeMinutes) }
        if let firstDay { json.member("first_day", firstDay) }
        if let firstTime { json.member("first_time", firstTime) }
        if let message { json.member("message", message) }
        if let phone { json.member("phone", phone) }
        json.endObject()
    }
}

extension Stop {
    /// `lines`: the ids of those that stop here; nil leaves them out.
    public func write(to json: inout JSONWriter, lines: [String]?) {
        json.beginObject()
        json.member("id", id)
        if let feedID { json.member("stop_id", feedID) }
        json.member("name", name)
        json.member("lat", point.lat)
        json.member("lon", point.lon)
        if let lines { json.list("lines", lines) { $1.string($0) } }
        json.endObject()
    }
}

extension Bus {
    public func write(to json: inout JSONWriter) {
        json.beginObject()
        json.member("id", id)
        if let plate { json.member("plate", plate) }
        if let color { json.member("color", color) }
        if let photo { json.member("photo", photo) }
        json.member("seats", seats)
        if let line { json.member("line", line) }
        json.endObject()
    }
}

extension Service {
    private static let weekdayNames: [String] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

    /// Days as `2026-11-21`.
    public func write(to json: inout JSONWriter) {
        json.beginObject()
        let days = Self.weekdayNames.enumerated().filter { weekdays & 1 << $0.offset != 0 }
        json.list("weekdays", days) { $1.string($0.element) }
        json.member("from", start.description)
        json.member("until", end.description)
        for (isAdded, dates) in [(true, added), (false, removed)] where !dates.isEmpty {
            json.list(isAdded ? "added" : "removed", dates.sorted()) { $1.string($0.description) }
        }
        json.endObject()
    }

    /// The bits of days by name; nil when one is none.
    static func weekdays(_ names: [JSONValue]) -> UInt8? {
        var bits: UInt8 = 0
        for name in names {
            guard let bit = name.text.flatMap(weekdayNames.firstIndex(of:)) else { return nil }
            bits |= 1 << bit
        }
        return bits
    }
}
