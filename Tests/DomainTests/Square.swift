import Domain

/// Rings and zones with sides along the meridians, in degrees.
enum Square {
    static func ring(south: Double, west: Double, north: Double, east: Double) -> [GeoPoint] {
        ring([(west, south), (east, south), (east, north), (west, north)])
    }

    /// Closes a ring of (lon, lat).
    static func ring(_ points: [(Double, Double)]) -> [GeoPoint] {
        (points + [points[0]]).map { GeoPoint(lat: $0.1, lon: $0.0) }
    }

    static func zone(_ id: String, south: Double, west: Double, north: Double, east: Double) -> ZoneShape {
        ZoneShape(id: id, polygons: [[ring(south: south, west: west, north: north, east: east)]])
    }
}
