public import Wire

// The JSON of a catalog's parts: what Redis holds and what `/v1/…` answers is the same text, so a worker serves a list
// by joining what it has read. Times are seconds of the service day, distances metres, points [lat, lon].

extension Line {
    /// Trips that take the same time from stop to stop share a profile: [arrival, departure, …] after the first arrival.
    public func write(to json: inout JSONWriter) {
        json.beginObject()
        json.member("id", id)
        json.member("name", name)
        json.member("long_name", longName)
        if let color { json.member("color", color) }
        json.member("kind", kind.rawValue)
        json.key("patterns")
        json.beginArray()
        for pattern in patterns { pattern.write(to: &json) }
        json.endArray()
        var profiles: [[StopTime]] = []
        var known: [[StopTime]: Int] = [:]
        var places: [Int] = []
        for trip in trips {
            let start = trip.times.first?.arrival ?? 0
            let profile = trip.times.map { StopTime(arrival: $0.arrival - start, departure: $0.departure - start) }
            let place = known[profile] ?? profiles.count
            if place == profiles.count {
                known[profile] = place
                profiles.append(profile)
            }
            places.append(place)
        }
        json.key("profiles")
        json.beginArray()
        for profile in profiles {
            json.beginArray()
            for time in profile {
                json.integer(Int64(time.arrival))
                json.integer(Int64(time.departure))
            }
            json.endArray()
        }
        json.endArray()
        json.key("trips")
        json.beginArray()
        for (trip, place) in zip(trips, places) { trip.write(to: &json, profile: place) }
        json.endArray()
        if !onDemand.isEmpty { writeOnDemand(to: &json) }
        json.endObject()
    }

    private func writeOnDemand(to json: inout JSONWriter) {
        json.key("on_demand")
        json.beginArray()
        for run in onDemand { run.write(to: &json) }
        json.endArray()
        json.key("areas")
        json.beginArray()
        for area in areas { area.write(to: &json) }
        json.endArray()
        json.key("rules")
        json.beginArray()
        for rule in rules { rule.write(to: &json) }
        json.endArray()
    }
}

extension LinePattern {
    fileprivate func write(to json: inout JSONWriter) {
        json.beginObject()
        json.member("id", id)
        json.member("direction", direction)
        json.member("headsign", headsign)
        json.key("stops")
        json.beginArray()
        for stop in stops {
            json.beginObject()
            json.member("stop", stop.stop)
            json.member("distance", stop.distance)
            json.endObject()
        }
        json.endArray()
        json.key("shape")
        json.beginArray()
        for point in shape { point.writePair(to: &json) }
        json.endArray()
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
    fileprivate func write(to json: inout JSONWriter, profile: Int) {
        json.beginObject()
        json.member("id", id)
        json.member("pattern", pattern)
        json.member("service", service)
        json.member("start", times.first?.arrival ?? 0)
        json.member("profile", profile)
        if !frequencies.isEmpty {
            json.key("frequencies")
            json.beginArray()
            for frequency in frequencies {
                json.beginObject()
                json.member("start", frequency.startTime)
                json.member("end", frequency.endTime)
                json.member("headway", frequency.headwaySeconds)
                json.member("exact", frequency.isExact)
                json.endObject()
            }
            json.endArray()
        }
        json.endObject()
    }
}

extension OnDemandRun {
    fileprivate func write(to json: inout JSONWriter) {
        json.beginObject()
        json.member("id", id)
        json.member("service", service)
        json.key("places")
        json.beginArray()
        for place in places {
            json.beginObject()
            if let area = place.area { json.member("area", area) }
            if !place.stops.isEmpty {
                json.key("stops")
                json.beginArray()
                for stop in place.stops { json.string(stop) }
                json.endArray()
            }
            json.member("opens", place.opens)
            json.member("closes", place.closes)
            json.member("board", place.canBoard)
            json.member("alight", place.canAlight)
            if let rule = place.rule { json.member("rule", rule) }
            json.endObject()
        }
        json.endArray()
        json.endObject()
    }
}

extension ServiceArea {
    /// `polygons` has rings of [lat, lon], as all points here; GeoJSON's have them the other way round.
    fileprivate func write(to json: inout JSONWriter) {
        json.beginObject()
        json.member("id", id)
        json.member("name", name)
        json.key("polygons")
        json.beginArray()
        for rings in polygons {
            json.beginArray()
            for ring in rings {
                json.beginArray()
                for point in ring { point.writePair(to: &json) }
                json.endArray()
            }
            json.endArray()
        }
        json.endArray()
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
        json.member("name", name)
        json.member("lat", point.lat)
        json.member("lon", point.lon)
        if let lines {
            json.key("lines")
            json.beginArray()
            for line in lines { json.string(line) }
            json.endArray()
        }
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
        json.key("weekdays")
        json.beginArray()
        for (bit, name) in Self.weekdayNames.enumerated() where weekdays & 1 << bit != 0 { json.string(name) }
        json.endArray()
        json.member("from", start.description)
        json.member("until", end.description)
        for (isAdded, dates) in [(true, added), (false, removed)] where !dates.isEmpty {
            if isAdded { json.key("added") } else { json.key("removed") }
            json.beginArray()
            for date in dates.sorted() { json.string(date.description) }
            json.endArray()
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
