import ClientSupport
import Domain

/// Straight streets north–south and east–west, at equal distances.
struct StreetGrid: Equatable {
    /// A crossing; all others lie whole blocks from it.
    let origin: GeoPoint
    /// Metres between two streets.
    let block: Double

    private var latStep: Double { block / GeoPoint.metresPerDegree }
    private var lonStep: Double { origin.moved(northMetres: 0, eastMetres: block).lon - origin.lon }

    func nearestCrossing(to place: GeoPoint) -> GeoPoint {
        GeoPoint(
            lat: origin.lat + ((place.lat - origin.lat) / latStep).rounded() * latStep,
            lon: origin.lon + ((place.lon - origin.lon) / lonStep).rounded() * lonStep)
    }

    /// The nearest place on a street running north–south: a house door.
    func onStreet(near place: GeoPoint) -> GeoPoint {
        GeoPoint(lat: place.lat, lon: nearestCrossing(to: place).lon)
    }

    func crossing(from crossing: GeoPoint, north: Int, east: Int) -> GeoPoint {
        GeoPoint(lat: crossing.lat + Double(north) * latStep, lon: crossing.lon + Double(east) * lonStep)
    }

    /// Along streets: up or down the first street, round one corner, and on. Never longer than both sides together.
    func route(from start: GeoPoint, to end: GeoPoint) -> [GeoPoint] {
        let corner = GeoPoint(lat: nearestCrossing(to: end).lat, lon: start.lon)
        let turn = GeoPoint(lat: corner.lat, lon: end.lon)
        var path = [start]
        for point in [corner, turn, end] where point.distance(to: path[path.count - 1]) > 0.5 { path.append(point) }
        return path
    }
}
