import Glibc

/// A box on the map, degrees. Across the antimeridian `west` is greater than `east`.
public struct GeoBounds: Equatable, Sendable {
    public var south: Double
    public var west: Double
    public var north: Double
    public var east: Double

    /// The box with so much more on each side. Near a pole or the antimeridian it stays within the map.
    public func widened(byMetres metres: Double) -> GeoBounds {
        let north = min(90, self.north + metres / GeoPoint.metresPerDegree)
        let south = max(-90, self.south - metres / GeoPoint.metresPerDegree)
        let shrink = max(0.01, cos(max(abs(north), abs(south)) * .pi / 180))
        let side = metres / GeoPoint.metresPerDegree / shrink
        return GeoBounds(south: south, west: max(-180, west - side), north: north, east: min(180, east + side))
    }

    public init(south: Double, west: Double, north: Double, east: Double) {
        self.south = south
        self.west = west
        self.north = north
        self.east = east
    }
}
