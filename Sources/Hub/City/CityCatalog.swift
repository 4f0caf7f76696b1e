import Domain

/// The catalog that a worker has in use: lines, stops, buses, and the clock of their schedules. Used on its loop.
final class CityCatalog {
    var cache = CatalogCache()
    private var zoneTime: (name: String, time: CityTime) = ("UTC", .utc)

    /// An empty one, until it is known.
    var current: Catalog { cache.catalog }
    var version: String { cache.catalog.version }
    /// What is here is, or was until a moment ago, what Redis has in use: an empty catalog means that there is none.
    var isKnown: Bool { cache.isKnown }
    /// Another version is in use by now, and is being read: what is not here may be in that.
    var isBehind: Bool { cache.isBehind }

    /// Whether the line may be there though it is not here.
    func isLoading(line id: String) -> Bool { !isKnown || isBehind && current.lines[id] == nil }

    /// The clock of its schedules.
    var time: CityTime {
        let name = current.timeZone
        if name != zoneTime.name { zoneTime = (name, CityTime(zone: name) ?? .utc) }
        return zoneTime.time
    }

    /// Of the local day, 0…23; `time` in Unix ms.
    func localHour(_ time: Int64) -> Int {
        let local = time / 1000 + Int64(self.time.offset(at: time / 1000))
        return Int((local % 86_400 + 86_400) % 86_400 / 3600)
    }

    /// `2026-11-21 6:30`, local time; `second` in Unix seconds.
    func moment(_ second: Int64) -> String { "\(time.date(at: second)) \(time.clock(at: second))" }
}

extension CityTime {
    /// What a clock shows now and next, as `minute_of_day` in core.lua reads it; `now` in Unix ms.
    func text(now: Int64) -> String {
        let span = span(at: now / 1000)
        return "\(span.offset) \(span.until * 1000) \(span.next)"
    }
}

/// The patterns of the routes that somebody here goes or asks for, made once for all of them. Used on the worker's loop.
final class RoutePatterns {
    private let catalog: CityCatalog
    private var known: [String: [RoutePattern]] = [:]
    private var version = ""

    init(_ catalog: CityCatalog) { self.catalog = catalog }

    func of(_ route: String) -> [RoutePattern] {
        if version != catalog.version {
            version = catalog.version
            known = [:]
        }
        if let known = known[route] { return known }
        guard let line = catalog.current.lines[route] else { return [] }
        let patterns = line.patterns.compactMap { RoutePattern(id: $0.id, shape: $0.shape) }
        known[route] = patterns
        return patterns
    }
}
