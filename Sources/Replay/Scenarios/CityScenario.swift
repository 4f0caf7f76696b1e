import ClientSupport
import Domain

/// A city of our own making, the same for the same seed: streets in a grid over the zones given, a stand in each of some
/// zones, drivers there, and passengers near them, more in busy hours and at busy stands.
enum CityScenario {
    struct Options: Equatable {
        var drivers = 60
        /// Requests per second of hub time in the busiest hour.
        var requestsPerSecond = 1.0
        /// How long passengers come, in hub ms.
        var durationMs: Int64 = 60_000
        /// Hours after midnight when the scenario begins: demand follows the hour.
        var startHour = 18.0
        /// Metres from one street to the next.
        var block = 110.0
        var driversPerStand = 6
        /// Metres of a trip, along the streets.
        var tripMetres = 120.0...300.0
        /// m/s
        var speed = 12.0
        var fixEveryMs: Int64 = 3_000
        var seed: UInt64 = 1
    }

    /// `zoneOf` says in which zone a place lies; `bounds` holds them all.
    static func make(
        bounds: ZoneBounds, options: Options,
        zoneOf: (GeoPoint) -> String?
    ) -> TaxiScenario {
        let centre = GeoPoint(lat: (bounds.south + bounds.north) / 2, lon: (bounds.west + bounds.east) / 2)
        let grid = StreetGrid(origin: centre, block: options.block)
        var random = SeededRandom(seed: options.seed, part: "city")
        let stands = Self.stands(
            bounds: bounds, near: centre, count: max(1, options.drivers / options.driversPerStand), grid: grid,
            random: &random, zoneOf: zoneOf)
        let drivers = (0..<options.drivers).map { index in
            let subject = "T\(100 + index)"
            let place = stands[index % stands.count]
            let start = grid.onStreet(
                near: place.moved(
                    northMetres: random.between(-40...40), eastMetres: random.between(-40...40)))
            return TaxiScenario.Driver(
                subject: subject,
                script: .cruising(
                    CruiseScript(
                        grid: grid, stands: stands, start: start, speed: options.speed * random.between(0.85...1.1),
                        fixEveryMs: options.fixEveryMs, random: SeededRandom(seed: options.seed, part: subject))))
        }
        var planRandom = SeededRandom(seed: options.seed, part: "demand")
        let planned = Self.planned(options: options, stands: stands, grid: grid, random: &planRandom, zoneOf: zoneOf)
        return TaxiScenario(
            drivers: drivers, planned: planned,
            summary: "\(drivers.count) invented drivers at \(stands.count) stands, \(planned.count) passengers to come")
    }

    /// One in each of the zones nearest to the centre, at a crossing well inside.
    private static func stands(
        bounds: ZoneBounds, near centre: GeoPoint, count: Int, grid: StreetGrid, random: inout SeededRandom,
        zoneOf: (GeoPoint) -> String?
    ) -> [GeoPoint] {
        let middles = ZoneMiddles.find(bounds: bounds, random: &random, zoneOf: zoneOf).map { zone, middle in
            let crossing = grid.nearestCrossing(to: middle)
            return zoneOf(crossing) == zone ? crossing : middle
        }
        let nearest = middles.sorted { $0.distance(to: centre) < $1.distance(to: centre) }.prefix(count)
        return nearest.isEmpty ? [centre] : Array(nearest)
    }

    /// Passengers come at random, `DayCurve` scaling how often, at stands of unequal weight.
    private static func planned(
        options: Options, stands: [GeoPoint], grid: StreetGrid, random: inout SeededRandom,
        zoneOf: (GeoPoint) -> String?
    ) -> [PlannedRide] {
        let weights = stands.map { _ in random.between(0.5...1.5) }
        let total = weights.reduce(0, +)
        var result: [PlannedRide] = []
        var offset = 0.0
        while true {
            offset += random.waiting(mean: 1000 / max(options.requestsPerSecond, 1e-6))
            if offset >= Double(options.durationMs) { return result }
            let hour = options.startHour + offset / 3_600_000
            guard random.chance(DayCurve.demand(atHour: hour)) else { continue }
            var drawn = random.fraction() * total
            let chosen = weights.firstIndex { weight in
                drawn -= weight
                return drawn < 0
            }
            let stand = stands[chosen ?? stands.count - 1]
            let pickup = door(near: stand, metres: 50...160, grid: grid, random: &random, zoneOf: zoneOf)
            let destination = door(
                near: pickup, metres: options.tripMetres, grid: grid, random: &random, zoneOf: zoneOf)
            result.append(
                PlannedRide(
                    offsetMs: Int64(offset), subject: "P\(1000 + result.count)", pickup: pickup,
                    destination: destination, passengers: random.party()))
        }
    }

    /// A place on a street, so far (along the streets) from another, in a zone if one is found.
    private static func door(
        near place: GeoPoint, metres: ClosedRange<Double>, grid: StreetGrid, random: inout SeededRandom,
        zoneOf: (GeoPoint) -> String?
    ) -> GeoPoint {
        for _ in 0..<20 {
            let far = random.between(metres)
            let north = random.between(-far...far)
            let east = (far - abs(north)) * (random.chance(0.5) ? 1 : -1)
            let door = grid.onStreet(near: place.moved(northMetres: north, eastMetres: east))
            if zoneOf(door) != nil { return door }
        }
        return place
    }
}

/// How busy a city is through the day, 1 in the busiest hour.
enum DayCurve {
    /// By hour from midnight: quiet before dawn, a morning and a larger evening peak.
    private static let hours = [
        0.45, 0.35, 0.25, 0.15, 0.15, 0.2, 0.35, 0.6, 0.8, 0.75, 0.65, 0.65,
        0.7, 0.7, 0.7, 0.7, 0.75, 0.9, 1.0, 1.0, 0.95, 0.9, 0.8, 0.6,
    ]

    static func demand(atHour hour: Double) -> Double {
        let inDay = hour - (hour / 24).rounded(.down) * 24
        let index = Int(inDay) % 24
        let share = inDay - inDay.rounded(.down)
        return hours[index] * (1 - share) + hours[(index + 1) % 24] * share
    }
}
