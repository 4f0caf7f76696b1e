import Domain
import Glibc
import Wire

/// A vehicle that goes round in a circle at a steady speed: believable wherever one looks at it.
struct CirclingVehicle {
    let centre: GeoPoint
    /// Metres.
    let radius: Double
    /// m/s
    let speed: Double
    let phase: Double
    private let latStep: Double
    private let lonStep: Double

    init(centre: GeoPoint, radius: Double, speed: Double, phase: Double) {
        self.centre = centre
        self.radius = radius
        self.speed = speed
        self.phase = phase
        latStep = radius / GeoPoint.metresPerDegree
        lonStep = radius / GeoPoint.metresPerDegree / cos(centre.lat * .pi / 180)
    }

    private func angle(_ atMs: Int64) -> Double {
        // A day's milliseconds keep the angle exact.
        Double(atMs % 86_400_000) / 1000 * speed / radius + phase
    }

    func point(atMs: Int64) -> GeoPoint { point(angle: angle(atMs), radii: 1) }

    /// In that direction, so many radii from the centre.
    func point(angle: Double, radii: Double) -> GeoPoint {
        GeoPoint(lat: centre.lat + sin(angle) * latStep * radii, lon: centre.lon + cos(angle) * lonStep * radii)
    }

    func fix(atMs: Int64) -> PositionFix {
        let angle = angle(atMs)
        let heading = (-angle * 180 / .pi).truncatingRemainder(dividingBy: 360)
        let place = point(atMs: atMs)
        return PositionFix(
            lat: place.lat, lon: place.lon, at: atMs, heading: (heading < 0 ? heading + 360 : heading).rounded(.down),
            speed: speed, accuracy: 5)
    }
}
