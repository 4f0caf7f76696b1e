extension ZoneSet {
    /// Two zones are neighbours when their borders come this near to one another, metres: between drawn zones there are roads, canals and
    /// slivers.
    private static let gap = 30.0

    /// The zones beside a zone, by their index. Milliseconds: to be asked once.
    public func touching(_ zone: Int) -> [Int] {
        zones.indices.filter { $0 != zone && (comesNear(zone, to: $0) || comesNear($0, to: zone)) }
    }

    /// The zones beside each zone, by their ids. For a program that asks once.
    public var neighbours: [String: Set<String>] {
        Dictionary(
            zones.indices.map { zone in (zones[zone].id, Set(touching(zone).map { zones[$0].id })) },
            uniquingKeysWith: { first, _ in first })
    }

    /// Whether a corner of a zone's border lies near another one's border. Of two borders that do not cross, the nearest points are a corner of
    /// one and any point of the other.
    private func comesNear(_ zone: Int, to other: Int) -> Bool {
        guard areNear(zone, other) else { return false }
        return polygons[zone].contains { polygon in
            polygon.rings.contains { ring in
                ring.contains { distanceToBorder(of: other, from: origin.geo($0), within: Self.gap) != nil }
            }
        }
    }

    /// Whether their boxes are.
    private func areNear(_ zone: Int, _ other: Int) -> Bool {
        polygons[zone].contains { polygon in
            guard let box = polygon.bounds else { return false }
            let scale = MapScale(at: MapPoint(x: box.minX, y: max(abs(box.minY), abs(box.maxY))))
            let east = Int64((Self.gap / scale.east).rounded(.up))
            let north = Int64((Self.gap / scale.north).rounded(.up))
            return polygons[other].contains { polygon in
                guard let its = polygon.bounds else { return false }
                return Int64(box.minX) - east <= Int64(its.maxX) && Int64(its.minX) - east <= Int64(box.maxX)
                    && Int64(box.minY) - north <= Int64(its.maxY) && Int64(its.minY) - north <= Int64(box.maxY)
            }
        }
    }

    /// Zones by how far their borders are from a point, the nearest first.
    public func byDistance(_ zones: Set<Int>, from point: GeoPoint) -> [Int] {
        let place = origin.map(point)
        let scale = MapScale(at: place)
        func distance(_ zone: Int) -> Double {
            var least = Double.infinity
            for edge in polygons[zone].flatMap(\.edges) {
                least = min(least, edge.squaredDistance(to: place, east: scale.east, north: scale.north))
            }
            return least
        }
        return zones.map { (zone: $0, distance: distance($0)) }
            .sorted { ($0.distance, $0.zone) < ($1.distance, $1.zone) }.map(\.zone)
    }
}
