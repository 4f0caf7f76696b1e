extension ZoneSet {
    /// A place inside each zone, near the middle of what a grid of points over it meets; of a zone too thin for that the middle of its
    /// box. In the order of ``zones``. Some 400 look-ups for each.
    public var middles: [GeoPoint] {
        let steps = 20
        return zones.indices.map { zone in
            let box = bounds(of: zone)
            let width = box.east - box.west + (box.east < box.west ? 360 : 0)
            var inside: [GeoPoint] = []
            for row in 0..<steps {
                for column in 0..<steps {
                    let point = GeoPoint(
                        lat: box.south + (box.north - box.south) * (Double(row) + 0.5) / Double(steps),
                        lon: box.west + width * (Double(column) + 0.5) / Double(steps))
                    if lookup(point) == .zone(zone) { inside.append(point) }
                }
            }
            guard !inside.isEmpty else {
                return GeoPoint(lat: (box.south + box.north) / 2, lon: box.west + width / 2)
            }
            let middle = GeoPoint(
                lat: inside.reduce(0) { $0 + $1.lat } / Double(inside.count),
                lon: inside.reduce(0) { $0 + $1.lon } / Double(inside.count))
            return inside.min { $0.distance(to: middle) < $1.distance(to: middle) } ?? middle
        }
    }
}
