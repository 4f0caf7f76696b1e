package import Domain

/// A place well inside each zone: of many at random in the zone, the one nearest to their middle.
package enum ZoneMiddles {
    /// In the order of the zones' ids. Very small zones may be missing.
    package static func find(
        bounds: ZoneBounds, tries count: Int = 20_000, random: inout SeededRandom, zoneOf: (GeoPoint) -> String?
    ) -> [(zone: String, middle: GeoPoint)] {
        var inside: [String: [GeoPoint]] = [:]
        for _ in 0..<count {
            let place = GeoPoint(
                lat: random.between(bounds.south...bounds.north), lon: random.between(bounds.west...bounds.east))
            if let zone = zoneOf(place) { inside[zone, default: []].append(place) }
        }
        return inside.sorted { $0.key < $1.key }.compactMap { zone, places in
            let mean = GeoPoint(
                lat: places.reduce(0) { $0 + $1.lat } / Double(places.count),
                lon: places.reduce(0) { $0 + $1.lon } / Double(places.count))
            return places.min { $0.distance(to: mean) < $1.distance(to: mean) }.map { (zone, $0) }
        }
    }
}
