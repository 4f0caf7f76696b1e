public import Wire

// Reads what `write` wrote. Nil when the text is not of that form: then another program, or another version of this
// one, has written it. Nothing is taken that could lead astray whoever indexes a pattern by a trip.

extension Line {
    public init?(_ json: JSONValue) {
        guard let id = json["id"]?.text, Catalog.isID(id), let name = json["name"]?.text,
            let kind = json["kind"]?.text.flatMap(BusKind.init(rawValue:)),
            let patterns = all(json["patterns"], LinePattern.init),
            let profiles = all(json["profiles"], Self.profile), let trips = json["trips"]?.elements,
            let sequences = all(json["sequences"] ?? [], { all($0, \.int) }),
            let areas = all(json["areas"] ?? [], ServiceArea.init),
            let rules = all(json["rules"] ?? [], BookingRule.init),
            let runs = all(json["on_demand"] ?? [], OnDemandRun.init)
        else { return nil }
        let places = runs.flatMap(\.places)
        guard places.allSatisfy({ $0.area.map(areas.indices.contains) ?? true }),
            places.allSatisfy({ $0.rule.map(rules.indices.contains) ?? true })
        else { return nil }
        self.init(
            id: id, feedID: json["route_id"]?.text, name: name, longName: json["long_name"]?.text ?? "",
            color: json["color"]?.text, kind: kind,
            patterns: patterns, onDemand: runs, areas: areas, rules: rules)
        self.trips.reserveCapacity(trips.count)
        for trip in trips {
            guard let made = LineTrip(trip, patterns, profiles, sequences) else { return nil }
            self.trips.append(made)
        }
    }

    private static func profile(_ json: JSONValue) -> [StopTime]? {
        guard let numbers = json.elements, numbers.count % 2 == 0 else { return nil }
        var times: [StopTime] = []
        times.reserveCapacity(numbers.count / 2)
        for index in stride(from: 0, to: numbers.count, by: 2) {
            guard let arrival = numbers[index].integer, let departure = numbers[index + 1].integer,
                departure >= arrival, arrival >= times.last?.departure ?? 0
            else { return nil }
            times.append(StopTime(arrival: Int(arrival), departure: Int(departure)))
        }
        return times
    }
}

/// Every element of a list; nil when it is no list or one of them is not of the form.
private func all<T>(_ json: JSONValue?, _ make: (JSONValue) -> T?) -> [T]? {
    guard let elements = json?.elements else { return nil }
    var made: [T] = []
    made.reserveCapacity(elements.count)
    for element in elements {
        guard let one = make(element) else { return nil }
        made.append(one)
    }
    return made
}

extension JSONValue {
    /// A whole number that fits.
    fileprivate var int: Int? { integer.map(Int.init) }
}

extension GeoPoint {
    fileprivate init?(pair json: JSONValue) {
        guard let lat = json[0]?.double, let lon = json[1]?.double else { return nil }
        self.init(lat: lat, lon: lon)
        guard isUsable else { return nil }
    }
}

extension LinePattern {
    fileprivate init?(_ json: JSONValue) {
        guard let id = json["id"]?.text, let direction = json["direction"]?.int,
            let stops = all(json["stops"], PatternStop.init),
            let shape = all(json["shape"], GeoPoint.init(pair:)), stops.count >= 2, shape.count >= 2
        else { return nil }
        self.init(
            id: id, direction: direction, headsign: json["headsign"]?.text ?? "", shape: shape, stops: stops)
    }
}

extension PatternStop {
    fileprivate init?(_ json: JSONValue) {
        guard let stop = json["stop"]?.text, let distance = json["distance"]?.double else { return nil }
        self.init(stop: stop, distance: distance)
    }
}

extension LineTrip {
    fileprivate init?(
        _ json: JSONValue, _ patterns: [LinePattern], _ profiles: [[StopTime]], _ sequences: [[Int]]
    ) {
        guard let id = json["id"]?.text, let pattern = json["pattern"]?.int, patterns.indices.contains(pattern),
            let service = json["service"]?.text, let start = json["start"]?.int, let profile = json["profile"]?.int,
            profiles.indices.contains(profile), profiles[profile].count == patterns[pattern].stops.count,
            let frequencies = all(json["frequencies"] ?? [], Frequency.init)
        else { return nil }
        var numbers: [Int] = []
        if let place = json["sequences"] {
            guard let place = place.int, sequences.indices.contains(place),
                sequences[place].count == profiles[profile].count
            else { return nil }
            numbers = sequences[place]
        }
        self.init(
            id: id, feedID: json["trip_id"]?.text, pattern: pattern, service: service,
            times: profiles[profile].map {
                StopTime(arrival: $0.arrival + start, departure: $0.departure + start)
            }, frequencies: frequencies, sequences: numbers)
    }
}

extension Frequency {
    fileprivate init?(_ json: JSONValue) {
        guard let start = json["start"]?.int, let end = json["end"]?.int, let headway = json["headway"]?.int,
            headway >= 1, start < end
        else { return nil }
        self.init(
            headwaySeconds: headway, startTime: start, endTime: end, isExact: json["exact"]?.boolean ?? false)
    }
}

extension OnDemandRun {
    fileprivate init?(_ json: JSONValue) {
        guard let id = json["id"]?.text, let service = json["service"]?.text,
            let places = all(json["places"], OnDemandPlace.init)
        else { return nil }
        self.init(id: id, service: service, places: places)
    }
}

extension OnDemandPlace {
    fileprivate init?(_ json: JSONValue) {
        guard let opens = json["opens"]?.int, let closes = json["closes"]?.int, let board = json["board"]?.boolean,
            let alight = json["alight"]?.boolean, let stops = all(json["stops"] ?? [], \.text)
        else { return nil }
        self.init(
            area: json["area"]?.int, stops: stops, opens: opens, closes: closes, canBoard: board, canAlight: alight,
            rule: json["rule"]?.int)
    }
}

extension ServiceArea {
    fileprivate init?(_ json: JSONValue) {
        guard let id = json["id"]?.text, let name = json["name"]?.text,
            let polygons = all(json["polygons"], { rings in all(rings) { all($0, GeoPoint.init(pair:)) } })
        else { return nil }
        self.init(id: id, name: name, polygons: polygons)
    }
}

extension BookingRule {
    fileprivate init?(_ json: JSONValue) {
        guard let id = json["id"]?.text, let name = json["kind"]?.text,
            let kind = Self.kindNames.firstIndex(of: name).flatMap(Kind.init(rawValue:))
        else { return nil }
        self.init(
            id: id, kind: kind, noticeMinutes: json["notice_minutes"]?.int, lastDay: json["last_day"]?.int,
            lastTime: json["last_time"]?.int, longestNoticeMinutes: json["longest_notice_minutes"]?.int,
            firstDay: json["first_day"]?.int, firstTime: json["first_time"]?.int, message: json["message"]?.text,
            phone: json["phone"]?.text)
    }
}

extension Stop {
    public init?(_ json: JSONValue) {
        guard let id = json["id"]?.text, let name = json["name"]?.text, let lat = json["lat"]?.double,
            let lon = json["lon"]?.double
        else { return nil }
        self.init(id: id, feedID: json["stop_id"]?.text, name: name, point: GeoPoint(lat: lat, lon: lon))
        guard point.isUsable else { return nil }
    }
}

extension Bus {
    public init?(_ json: JSONValue) {
        guard let id = json["id"]?.text, Catalog.isID(id), let seats = json["seats"]?.int,
            (1...Bus.maxSeats).contains(seats)
        else {
            return nil
        }
        self.init(
            id: id, plate: json["plate"]?.text, photo: json["photo"]?.text, color: json["color"]?.text, seats: seats,
            line: json["line"]?.text)
    }
}

extension Service {
    public init?(_ json: JSONValue) {
        func date(_ json: JSONValue?) -> ServiceDate? { json?.text.flatMap { ServiceDate($0) } }
        guard let weekdays = json["weekdays"]?.elements.flatMap(Self.weekdays), let start = date(json["from"]),
            let end = date(json["until"]), let added = all(json["added"] ?? [], { date($0) }),
            let removed = all(json["removed"] ?? [], { date($0) })
        else { return nil }
        self.init(weekdays: weekdays, start: start, end: end, added: Set(added), removed: Set(removed))
    }
}
