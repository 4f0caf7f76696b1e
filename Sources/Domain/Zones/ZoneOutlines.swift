import Glibc
internal import Wire

/// Borders of zones with fewer corners, for maps. What two zones share stays shared: a border between two places where others join
/// is thinned out as one, whichever of its zones is looked at.
struct ZoneOutlines {
    private let tolerance: Double
    /// Metres per unit of the grid.
    private let east, north: Double
    /// Where borders join, or end.
    private let joints: Set<MapPoint>

    /// No corner that is left out lies further than `metres` from the border that is shown.
    init(_ polygons: [[MapPolygon]], within metres: Double, latitude: Double) {
        tolerance = metres * metres
        north = GeoPoint.metresPerDegree / MapPoint.scale
        east = north * cos(latitude * .pi / 180)
        var beside: [MapPoint: [MapPoint]] = [:]
        func add(_ a: MapPoint, _ b: MapPoint) {
            guard beside[a]?.contains(b) != true else { return }
            beside[a, default: []].append(b)
        }
        for edge in polygons.lazy.joined().flatMap(\.edges) {
            add(edge.low, edge.high)
            add(edge.high, edge.low)
        }
        joints = Set(beside.lazy.filter { $0.value.count != 2 }.map(\.key))
    }

    /// A ring without the repeated last point, like the one given, which stays as it is when too little would be left.
    func simplified(_ ring: [MapPoint]) -> [MapPoint] {
        // A border that nothing joins is cut at a place that goes by the border alone.
        let first = ring.indices.min { ring[$0].isBefore(ring[$1]) } ?? 0
        let begin = ring.indices.first { joints.contains(ring[$0]) } ?? first
        let turned = Array(ring[begin...] + ring[..<begin] + [ring[begin]])
        var kept: [MapPoint] = []
        var start = 0
        for index in turned.indices.dropFirst() where joints.contains(turned[index]) || index == turned.count - 1 {
            kept += thinned(Array(turned[start...index])).dropLast()
            start = index
        }
        return kept.count >= 3 ? kept : ring
    }

    /// Douglas and Peucker's way from one end to the other; the same the other way round.
    private func thinned(_ points: [MapPoint]) -> [MapPoint] {
        guard points.count > 2 else { return points }
        let (a, b) = points[0] == points[points.count - 1] ? (1, points.count - 2) : (0, points.count - 1)
        let isTurned = points[b].isBefore(points[a])
        let way = isTurned ? points.reversed() : points
        var keeps = [Bool](repeating: false, count: way.count)
        (keeps[0], keeps[way.count - 1]) = (true, true)
        var parts = [(0, way.count - 1)]
        while let (from, to) = parts.popLast() {
            let edge = BorderEdge(way[from], way[to])
            var (farthest, distance) = (from, tolerance)
            for index in from + 1..<max(to, from + 1) {
                let own = edge.squaredDistance(to: way[index], east: east, north: north)
                if own > distance { (farthest, distance) = (index, own) }
            }
            guard farthest > from else { continue }
            keeps[farthest] = true
            parts += [(from, farthest), (farthest, to)]
        }
        let left = zip(way, keeps).filter(\.1).map(\.0)
        return isTurned ? left.reversed() : left
    }
}

extension MapPoint {
    fileprivate func isBefore(_ other: MapPoint) -> Bool { (x, y) < (other.x, other.y) }
}

extension ZoneSet {
    /// The zones for maps, as a GeoJSON FeatureCollection (RFC 7946): of each its outline, with no corner further than `metres` from
    /// the true one, its name, and a place inside it for a sign. To five decimals, about a metre. It takes milliseconds.
    public func outlines(within metres: Double) -> [UInt8] {
        let outlines = ZoneOutlines(polygons, within: metres, latitude: (bounds.south + bounds.north) / 2)
        var json = JSONWriter(capacity: 65_536)
        func write(_ place: GeoPoint) {
            json.beginArray()
            json.decimal(place.lon, places: 5)
            json.decimal(place.lat, places: 5)
            json.endArray()
        }
        json.beginObject()
        json.member("type", "FeatureCollection")
        json.key("features")
        json.beginArray()
        for ((zone, parts), middle) in zip(zip(zones, polygons), middles) {
            json.beginObject()
            json.member("type", "Feature")
            json.member("id", zone.id)
            json.key("properties")
            json.beginObject()
            json.member("zone", zone.id)
            json.member("name", zone.name)
            json.key("middle")
            write(middle)
            json.endObject()
            json.key("geometry")
            json.beginObject()
            json.member("type", "MultiPolygon")
            json.key("coordinates")
            json.beginArray()
            for polygon in parts {
                json.beginArray()
                for ring in polygon.rings {
                    let shown = outlines.simplified(ring)
                    json.beginArray()
                    for point in shown + shown.prefix(1) { write(origin.geo(point)) }
                    json.endArray()
                }
                json.endArray()
            }
            json.endArray()
            json.endObject()
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return json.bytes
    }
}
