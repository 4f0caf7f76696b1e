import Wire

/// The least box that holds every coordinate of a GeoJSON file, in degrees.
package struct ZoneBounds: Equatable, Sendable {
    package var south: Double
    package var west: Double
    package var north: Double
    package var east: Double

    package init(south: Double, west: Double, north: Double, east: Double) {
        (self.south, self.west, self.north, self.east) = (south, west, north, east)
    }
}

extension ZoneBounds {
    /// Nil when there are none.
    package init?(geoJSON bytes: [UInt8]) {
        guard let file = try? JSONValue(parsing: bytes) else { return nil }
        var box: ZoneBounds?
        for feature in file["features"]?.elements ?? [] {
            Self.walk(feature["geometry"]?["coordinates"] ?? nil, &box)
        }
        guard let box else { return nil }
        self = box
    }

    private static func walk(_ value: JSONValue, _ box: inout ZoneBounds?) {
        if let lon = value[0]?.double, let lat = value[1]?.double {
            let old = box ?? ZoneBounds(south: lat, west: lon, north: lat, east: lon)
            box = ZoneBounds(
                south: min(old.south, lat), west: min(old.west, lon), north: max(old.north, lat),
                east: max(old.east, lon))
        } else {
            for part in value.elements ?? [] { walk(part, &box) }
        }
    }
}
