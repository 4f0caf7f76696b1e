import ClientSupport
import Domain

/// Places in the zones of a city; the same in every run.
struct BenchCity {
    private let zones: ZoneSet
    private let places: [GeoPoint]

    init(_ zones: ZoneSet, geoJSON: [UInt8]) throws(RunError) {
        guard let bounds = ZoneBounds(geoJSON: geoJSON) else { throw RunError("the zones have no coordinates") }
        self.zones = zones
        var random = SeededRandom(seed: 1)
        var places: [GeoPoint] = []
        for _ in 0..<200_000 where places.count < 20_000 {
            let place = GeoPoint(
                lat: random.between(bounds.south...bounds.north), lon: random.between(bounds.west...bounds.east))
            if Self.isInside(zones, place) { places.append(place) }
        }
        guard !places.isEmpty else { throw RunError("no place was found inside a zone") }
        self.places = places
    }

    /// Whether it lies in a zone with room around it: what goes round it stays in the city.
    private static func isInside(_ zones: ZoneSet, _ place: GeoPoint) -> Bool {
        let around = [(0.0, 0.0), (1, 0), (0, 1), (-1, 0), (0, -1), (0.7, 0.7), (0.7, -0.7), (-0.7, 0.7), (-0.7, -0.7)]
        return around.allSatisfy { north, east in
            let point = place.moved(northMetres: north * widest, eastMetres: east * widest)
            guard case .zone = zones.lookup(point) else { return false }
            return true
        }
    }

    /// Metres, more than any vehicle's circle.
    private static let widest = 170.0

    func zone(of place: GeoPoint) -> Int? {
        guard case .zone(let index) = zones.lookup(place) else { return nil }
        return index
    }

    func place(of number: Int) -> GeoPoint { places[number % places.count] }

    /// As many in each square kilometre. Each goes round where no border comes near: one that is outside just when it goes
    /// available is refused.
    func vehicles(_ count: Int) -> [CirclingVehicle] {
        var random = SeededRandom(seed: 2)
        var vehicles: [CirclingVehicle] = []
        for number in 0..<places.count * 10 where vehicles.count < count {
            let vehicle = CirclingVehicle(
                // From the other end, so that a watcher doesn't stand where a vehicle goes round.
                centre: places[places.count - 1 - number % places.count], radius: random.between(50...150),
                speed: random.between(6...14), phase: random.between(0...6))
            if staysInside(vehicle) { vehicles.append(vehicle) }
        }
        return vehicles
    }

    /// At each few metres of its circle, and with a few metres to spare.
    private func staysInside(_ vehicle: CirclingVehicle) -> Bool {
        (0..<200).allSatisfy { step in
            let angle = Double(step) * .pi / 100
            return [0.97, 1.03].allSatisfy { zone(of: vehicle.point(angle: angle, radii: $0)) != nil }
        }
    }
}
