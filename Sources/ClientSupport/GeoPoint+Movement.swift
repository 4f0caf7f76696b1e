package import Domain
import Glibc

// Geometry that only the making of movements needs: short distances, where a flat map is exact to centimetres.
extension GeoPoint {
    /// The place at a share of the straight way to another.
    package func toward(_ other: GeoPoint, share: Double) -> GeoPoint {
        GeoPoint(lat: lat + (other.lat - lat) * share, lon: lon + (other.lon - lon) * share)
    }

    /// Metres to the straight way between two others, to some 10 m along it.
    package func distance(fromWay start: GeoPoint, _ end: GeoPoint) -> Double {
        let whole = start.distance(to: end)
        guard whole > 1 else { return distance(to: end) }
        let steps = max(1, Int(whole / 20))
        return (0...steps).map { start.toward(end, share: Double($0) / Double(steps)).distance(to: self) }.min()
            ?? whole
    }

    package func moved(northMetres: Double, eastMetres: Double) -> GeoPoint {
        GeoPoint(
            lat: lat + northMetres / Self.metresPerDegree,
            lon: lon + eastMetres / (Self.metresPerDegree * cos(lat * .pi / 180)))
    }

    /// Degrees from north, 0 ≤ x < 360.
    package func bearing(to other: GeoPoint) -> Double {
        let east = (other.lon - lon) * cos((lat + other.lat) / 2 * .pi / 180)
        let degrees = atan2(east, other.lat - lat) * 180 / .pi
        return degrees < 0 ? degrees + 360 : degrees
    }
}
