import Glibc

/// Metres per unit of the grid near a point.
struct MapScale {
    let north = GeoPoint.metresPerDegree / MapPoint.scale
    let east: Double

    init(at p: MapPoint) {
        east = north * max(cos(Double(p.y) / MapPoint.scale * .pi / 180), 1e-6)
    }
}
