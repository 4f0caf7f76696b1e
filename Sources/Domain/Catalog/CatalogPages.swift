import Wire

/// A list of the catalog that clients keep, and ask again for only when it has changed.
public enum CatalogList: String, CaseIterable, Sendable {
    case lines, buses, stops, routes
}

/// What `/v1/lines`, `/v1/buses`, `/v1/stops` and `/v1/routes` answer.
///
/// The same catalog gives the same bytes, whoever makes them; a list does not tell the catalog's version, so that it
/// changes only when something in it does.
public struct CatalogPages: Sendable {
    /// Changes when the form of the pages does, so that no client keeps one of the old form.
    public static let form = 1

    private let catalog: Catalog
    /// The ids of lines by stop, sorted.
    private let linesByStop: [String: [String]]

    public init(_ catalog: Catalog) {
        self.catalog = catalog
        var lines: [String: [String]] = [:]
        for id in catalog.lines.keys.sorted() {
            guard let line = catalog.lines[id] else { continue }
            for stop in Self.stops(of: line) { lines[stop, default: []].append(id) }
        }
        linesByStop = lines
    }

    /// The ids of the lines that stop there, also those that do on request, sorted.
    public func lines(at stop: String) -> [String] { linesByStop[stop] ?? [] }

    private static func stops(of line: Line) -> Set<String> {
        let stops = line.patterns.lazy.flatMap(\.stops).map(\.stop)
        let onRequest = line.onDemand.lazy.flatMap(\.places).flatMap(\.stops)
        return Set(stops).union(onRequest)
    }

    /// The whole list.
    public func list(_ list: CatalogList) -> [UInt8] {
        var json = JSONWriter(capacity: 4096)
        json.beginObject()
        switch list {
        case .lines:
            json.key("lines")
            json.beginArray()
            for line in Self.sorted(catalog.lines) { writeSummary(line, to: &json) }
            json.endArray()
        case .buses:
            json.key("buses")
            json.beginArray()
            for bus in Self.sorted(catalog.buses) { bus.write(to: &json) }
            json.endArray()
        case .stops:
            json.key("stops")
            json.beginArray()
            for stop in Self.sorted(catalog.stops) { stop.write(to: &json, lines: linesByStop[stop.id] ?? []) }
            json.endArray()
        case .routes:
            json.member("time_zone", catalog.timeZone)
            write(catalog.services, to: &json)
            json.key("routes")
            json.beginArray()
            for line in Self.sorted(catalog.lines) { line.write(to: &json) }
            json.endArray()
        }
        json.endObject()
        return json.bytes
    }

    /// One entry of a list by its id; nil when there is none. A stop comes with its departures, a route with the days of its
    /// trips and its stops.
    public func entry(_ list: CatalogList, _ id: String) -> [UInt8]? {
        var json = JSONWriter(capacity: 1024)
        switch list {
        case .lines:
            guard let line = catalog.lines[id] else { return nil }
            writeSummary(line, to: &json)
        case .buses:
            guard let bus = catalog.buses[id] else { return nil }
            bus.write(to: &json)
        case .stops:
            guard let stop = catalog.stops[id] else { return nil }
            write(departuresFrom: stop, to: &json)
        case .routes:
            guard let line = catalog.lines[id] else { return nil }
            json.beginObject()
            json.member("time_zone", catalog.timeZone)
            let used = Set(line.trips.map(\.service)).union(line.onDemand.map(\.service))
            write(catalog.services.filter { used.contains($0.key) }, to: &json)
            json.key("stops")
            json.beginArray()
            for stop in Self.stops(of: line).sorted() { catalog.stops[stop]?.write(to: &json, lines: nil) }
            json.endArray()
            json.key("route")
            line.write(to: &json)
            json.endObject()
        }
        return json.bytes
    }

    /// Tells two states of a list apart: FNV-1a of its bytes, in hexadecimal digits.
    public static func digest(_ bytes: [UInt8]) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return String(hash, radix: 16)
    }

    private func writeSummary(_ line: Line, to json: inout JSONWriter) {
        json.beginObject()
        json.member("id", line.id)
        json.member("name", line.name)
        json.member("long_name", line.longName)
        if let color = line.color { json.member("color", color) }
        json.member("kind", line.kind.rawValue)
        json.key("directions")
        json.beginArray()
        // What a person chooses from: where one can go, each once.
        var told: Set<String> = []
        for pattern in line.patterns {
            let headsign = pattern.headsign.isEmpty ? name(of: pattern.stops.last) : pattern.headsign
            guard told.insert("\(pattern.direction) \(headsign)").inserted else { continue }
            json.beginObject()
            json.member("direction", pattern.direction)
            json.member("headsign", headsign)
            json.member("from", name(of: pattern.stops.first))
            json.member("to", name(of: pattern.stops.last))
            json.endObject()
        }
        json.endArray()
        json.member("on_demand", !line.onDemand.isEmpty)
        json.endObject()
    }

    private func name(of stop: PatternStop?) -> String { stop.flatMap { catalog.stops[$0.stop]?.name } ?? "" }

    /// By line, direction, headsign and service, when buses leave: all that a sheet at the stop shows.
    private func write(departuresFrom stop: Stop, to json: inout JSONWriter) {
        json.beginObject()
        json.key("stop")
        stop.write(to: &json, lines: linesByStop[stop.id] ?? [])
        json.member("time_zone", catalog.timeZone)
        var used: Set<String> = []
        json.key("departures")
        json.beginArray()
        for id in linesByStop[stop.id] ?? [] {
            guard let line = catalog.lines[id] else { continue }
            for (index, pattern) in line.patterns.enumerated() {
                let places = pattern.stops.indices.filter { pattern.stops[$0].stop == stop.id }
                guard !places.isEmpty else { continue }
                var times: [String: [Int]] = [:]
                for trip in line.trips where trip.pattern == index {
                    for start in trip.starts {
                        times[trip.service, default: []] += places.map { trip.times[$0].departure + start }
                    }
                }
                for (service, seconds) in times.sorted(by: { $0.key < $1.key }) {
                    used.insert(service)
                    json.beginObject()
                    json.member("line", id)
                    json.member("pattern", pattern.id)
                    json.member("headsign", pattern.headsign.isEmpty ? name(of: pattern.stops.last) : pattern.headsign)
                    json.member("service", service)
                    json.key("times")
                    json.beginArray()
                    for second in seconds.sorted() { json.integer(Int64(second)) }
                    json.endArray()
                    json.endObject()
                }
            }
        }
        json.endArray()
        write(catalog.services.filter { used.contains($0.key) }, to: &json)
        json.endObject()
    }

    private func write(_ services: [String: Service], to json: inout JSONWriter) {
        json.key("services")
        json.beginObject()
        for (id, service) in services.sorted(by: { $0.key < $1.key }) {
            json.key(escaping: id)
            service.write(to: &json)
        }
        json.endObject()
    }

    private static func sorted<T>(_ entries: [String: T]) -> [T] {
        entries.sorted { $0.key < $1.key }.map(\.value)
    }
}
