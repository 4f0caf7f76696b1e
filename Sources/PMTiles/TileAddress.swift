internal import Glibc

/// One tile of the web's grid: `x` counts from the west, `y` from the north, each up to 2^`z`.
public struct TileAddress: Equatable, Sendable {
    public let z, x, y: Int

    /// Nil: the grid has no such tile, or it is deeper than any archive goes.
    public init?(z: Int, x: Int, y: Int) {
        guard (0...30).contains(z), (0..<1 << z).contains(x), (0..<1 << z).contains(y) else { return nil }
        (self.z, self.x, self.y) = (z, x, y)
    }

    /// Its number in an archive: all tiles of the smaller zooms first, then along a Hilbert curve.
    public var id: UInt64 {
        let side = UInt64(1) << UInt64(z)
        var (x, y) = (UInt64(x), UInt64(y))
        var id = (side * side - 1) / 3
        var half = side / 2
        while half > 0 {
            let (right, low) = (x & half != 0, y & half != 0)
            id += half * half * (right ? (low ? 2 : 3) : (low ? 1 : 0))
            if !low {
                // Only the bits below `half` are looked at from here on.
                if right { (x, y) = (side - 1 - x, side - 1 - y) }
                swap(&x, &y)
            }
            half /= 2
        }
        return id
    }

    /// Whether a part of it lies in a box; one without an area means the world, as some programs leave it empty.
    func meets(_ bounds: PMTilesBounds) -> Bool {
        guard bounds.south < bounds.north, bounds.west != bounds.east else { return true }
        let side = Double(1 << z)
        let (west, east) = (Double(x) / side * 360 - 180, Double(x + 1) / side * 360 - 180)
        let (north, south) = (latitude(Double(y) / side), latitude(Double(y + 1) / side))
        guard south < bounds.north, bounds.south < north else { return false }
        // A box across the antimeridian begins east of where it ends.
        return bounds.west < bounds.east
            ? west < bounds.east && bounds.west < east : west < bounds.east || bounds.west < east
    }

    /// Web Mercator; `part` from 0 at the northern edge to 1.
    private func latitude(_ part: Double) -> Double { atan(sinh(.pi * (1 - 2 * part))) * 180 / .pi }
}
