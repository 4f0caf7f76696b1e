/// Why a change by hand is refused, in a sentence.
public struct CatalogEditError: Error, Equatable, CustomStringConvertible {
    public let description: String
    init(_ description: String) { self.description = description }
}

/// Small changes by hand. What an import makes is the other way.
extension Catalog {
    /// How far a stop may be moved, metres: further away its place on the shapes would no longer be right.
    public static let stopMove = 100.0

    /// Adds a bus or replaces it.
    public mutating func set(_ bus: Bus) throws(CatalogEditError) {
        guard Self.isID(bus.id) else {
            throw CatalogEditError("\(bus.id) is no id for a bus; take 1 to 64 of A-Z a-z 0-9 _ . : -")
        }
        guard (1...Bus.maxSeats).contains(bus.seats) else {
            throw CatalogEditError("a bus has 1 to \(Bus.maxSeats) seats, not \(bus.seats)")
        }
        if let line = bus.line { _ = try existing(line) }
        if let plate = bus.plate { try check(plate, "plate") }
        if let photo = bus.photo, !Self.isPhoto(photo) {
            throw CatalogEditError(
                "\(photo.debugDescription) is no address of a picture; write one such as https://example.org/bus.jpg")
        }
        if let color = bus.color, Self.color(color) != color {
            throw CatalogEditError("\(color) is no colour; write one such as #00a070")
        }
        buses[bus.id] = bus
    }

    public mutating func removeBus(_ id: String) throws(CatalogEditError) {
        guard buses.removeValue(forKey: id) != nil else { throw CatalogEditError(unknown(id, "bus", buses.keys)) }
    }

    /// Changes what is given of a line; `color` in any form that ``Catalog/color(_:)`` reads.
    public mutating func setLine(
        _ id: String, name: String? = nil, longName: String? = nil, color: String? = nil, kind: BusKind? = nil
    ) throws(CatalogEditError) {
        var line = try existing(id)
        if let name {
            guard !name.isEmpty else { throw CatalogEditError("a line's name can't be empty") }
            try check(name, "name")
            line.name = name
        }
        if let longName {
            try check(longName, "long name")
            line.longName = longName
        }
        if let color {
            guard let read = Self.color(color) else {
                throw CatalogEditError("\(color) is no colour; write one such as #00a070")
            }
            line.color = read
        }
        if let kind {
            guard kind != .flex || line.trips.isEmpty else {
                throw CatalogEditError(
                    "line \(id) runs by a schedule; flex is what is driven on request only (GTFS-Flex)")
            }
            line.kind = kind
        }
        lines[id] = line
    }

    /// With the stops and days that only this line has; buses that ran it have none then.
    public mutating func removeLine(_ id: String) throws(CatalogEditError) {
        _ = try existing(id)
        lines[id] = nil
        for (bus, value) in buses where value.line == id { buses[bus]?.line = nil }
        dropUnused()
    }

    /// Changes what is given of a stop.
    public mutating func setStop(_ id: String, name: String? = nil, point: GeoPoint? = nil) throws(CatalogEditError) {
        guard var stop = stops[id] else { throw CatalogEditError(unknown(id, "stop", stops.keys)) }
        if let name {
            guard !name.isEmpty else { throw CatalogEditError("a stop's name can't be empty") }
            try check(name, "name")
            stop.name = name
        }
        if let point {
            guard point.isUsable else { throw CatalogEditError("\(point.lat), \(point.lon) is no place on earth") }
            let metres = stop.point.distance(to: point)
            guard metres <= Self.stopMove else {
                throw CatalogEditError(
                    "that is \(Int(metres)) m away; a stop moves by up to \(Int(Self.stopMove)) m by hand, further with an import"
                )
            }
            stop.point = point
        }
        stops[id] = stop
    }

    /// Whether the trips of a service run on a day, whatever its weekdays say.
    public mutating func setDay(_ service: String, _ date: ServiceDate, runs: Bool) throws(CatalogEditError) {
        guard var changed = services[service] else {
            throw CatalogEditError(unknown(service, "service", services.keys))
        }
        changed.added.remove(date)
        changed.removed.remove(date)
        if changed.runs(on: date) != runs {
            if runs { changed.added.insert(date) } else { changed.removed.insert(date) }
        }
        services[service] = changed
    }

    /// Takes over the buses of another catalog, as an import does that knows none. Answers those whose line is not here;
    /// they have none now.
    public mutating func keepBuses(of old: Catalog) -> [String] {
        buses = old.buses
        var lost: [String] = []
        for id in buses.keys.sorted() {
            guard let line = buses[id]?.line, lines[line] == nil else { continue }
            buses[id]?.line = nil
            lost.append(id)
        }
        return lost
    }

    private func check(_ text: String, _ what: String) throws(CatalogEditError) {
        guard !Self.isText(text) else { return }
        throw CatalogEditError(
            "a \(what) has up to \(Self.textBytes) bytes on one line, without control or hidden characters")
    }

    private func existing(_ id: String) throws(CatalogEditError) -> Line {
        guard let line = lines[id] else { throw CatalogEditError(unknown(id, "line", lines.keys)) }
        return line
    }

    private func unknown(_ id: String, _ what: String, _ known: some Collection<String>) -> String {
        let some = known.sorted().prefix(8).joined(separator: ", ")
        let all = known.isEmpty ? "there is none" : known.count > 8 ? "there are \(some), …" : "there are \(some)"
        return "there is no \(what) \(id); \(all)"
    }

    private mutating func dropUnused() {
        let usedStops = Set(
            lines.values.lazy.flatMap { line in
                line.patterns.flatMap { $0.stops.map(\.stop) } + line.onDemand.flatMap { $0.places.flatMap(\.stops) }
            })
        let usedDays = Set(
            lines.values.lazy.flatMap { line in line.trips.map(\.service) + line.onDemand.map(\.service) })
        stops = stops.filter { usedStops.contains($0.key) }
        services = services.filter { usedDays.contains($0.key) }
    }
}
