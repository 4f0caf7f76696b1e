import Domain
import EventLoop
import Glibc
import Wire

/// Places in the zones of a city; the same in every run.
struct BenchCity {
    private let zones: ZoneSet
    private let places: [GeoPoint]

    init(_ zones: ZoneSet, geoJSON: [UInt8]) throws(ReplayError) {
        guard let bounds = ZoneBounds(geoJSON: geoJSON) else { throw ReplayError("the zones have no coordinates") }
        self.zones = zones
        var dice = Dice(seed: 1)
        var places: [GeoPoint] = []
        for _ in 0..<200_000 where places.count < 20_000 {
            let place = GeoPoint(
                lat: dice.between(bounds.south...bounds.north), lon: dice.between(bounds.west...bounds.east))
            if Self.isInside(zones, place) { places.append(place) }
        }
        guard !places.isEmpty else { throw ReplayError("no place was found inside a zone") }
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
    func vehicles(_ count: Int) -> [Roundabout] {
        var dice = Dice(seed: 2)
        var vehicles: [Roundabout] = []
        for number in 0..<places.count * 10 where vehicles.count < count {
            let vehicle = Roundabout(
                // From the other end, so that a watcher doesn't stand where a vehicle goes round.
                centre: places[places.count - 1 - number % places.count], radius: dice.between(50...150),
                speed: dice.between(6...14), phase: dice.between(0...6))
            if staysInside(vehicle) { vehicles.append(vehicle) }
        }
        return vehicles
    }

    /// At each few metres of its circle, and with a few metres to spare.
    private func staysInside(_ vehicle: Roundabout) -> Bool {
        (0..<200).allSatisfy { step in
            let angle = Double(step) * .pi / 100
            return [0.97, 1.03].allSatisfy { zone(of: vehicle.point(angle: angle, radii: $0)) != nil }
        }
    }
}

/// A vehicle that goes round in a circle at a steady speed: believable wherever one looks at it.
struct Roundabout {
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

/// Drivers at a hub: their connections, and how they become available. Used on the loop's thread.
final class DriverSeats {
    private let links: LoadLinks
    private let hub: HubSeats
    private var first = 0
    private var drivers: [Roundabout] = []
    private var available = 0
    private(set) var refused = 0
    private var lastRefusal = ""
    private var frame: [UInt8] = []

    init(_ links: LoadLinks, _ hub: HubSeats) {
        self.links = links
        self.hub = hub
    }

    func add(_ drivers: [Roundabout]) {
        self.drivers = drivers
        first = links.count
        for index in drivers.indices { links.add(hub.seat(first + index, role: "driver", subject: "B\(index)")) }
    }

    var seats: Range<Int> { first..<first + drivers.count }

    /// Each says where it is and goes available, some hundred at a time.
    func goAvailable(_ stage: LoadStage) async throws(ReplayError) {
        let prefix = "b" + String(EventLoop.wallClock(), radix: 36)
        for start in stride(from: 0, to: drivers.count, by: 100) {
            let some = start..<min(start + 100, drivers.count)
            for driver in some {
                send(driver, drivers[driver].fix(atMs: links.hubMs(Monotonic.microseconds)))
                links.send(
                    first + driver,
                    text: ClientMessage(id: 2, key: "\(prefix)-\(driver)", command: .driverAvailable).encoded())
            }
            guard await stage.wait(seconds: 20, until: { available + refused >= some.upperBound }), refused == 0 else {
                throw ReplayError("only \(available) of \(drivers.count) drivers are available (\(lastRefusal))")
            }
        }
    }

    func send(_ driver: Int, _ fix: PositionFix) {
        PositionText.write(fix, into: &frame)
        links.send(first + driver, text: frame)
    }

    func heard(_ payload: UnsafeRawBufferPointer) {
        let isReply = ChannelPublishers.isReply(payload) { detail in
            refused += 1
            lastRefusal = detail
        }
        if isReply { available += 1 }
    }
}

/// Writes positions as drivers send them, without allocating.
enum PositionText {
    /// In place of what the buffer held.
    static func write(_ fix: PositionFix, into buffer: inout [UInt8]) {
        buffer.removeAll(keepingCapacity: true)
        buffer += #"{"cmd":"position","lat":"#.utf8
        append(millionths: fix.lat, &buffer)
        buffer += #","lon":"#.utf8
        append(millionths: fix.lon, &buffer)
        buffer += #","at":"#.utf8
        append(fix.at, &buffer)
        if let heading = fix.heading {
            buffer += #","heading":"#.utf8
            append(Int64(heading), &buffer)
        }
        if let speed = fix.speed {
            buffer += #","speed":"#.utf8
            append(Int64(speed.rounded()), &buffer)
        }
        if let accuracy = fix.accuracy {
            buffer += #","accuracy":"#.utf8
            append(Int64(accuracy.rounded()), &buffer)
        }
        buffer.append(UInt8(ascii: "}"))
    }

    private static func append(millionths degrees: Double, _ buffer: inout [UInt8]) {
        let whole = Int64((degrees * 1e6).rounded())
        if whole < 0 { buffer.append(UInt8(ascii: "-")) }
        append(abs(whole) / 1_000_000, &buffer)
        buffer.append(UInt8(ascii: "."))
        append(abs(whole) % 1_000_000, digits: 6, &buffer)
    }

    private static func append(_ value: Int64, digits: Int = 1, _ buffer: inout [UInt8]) {
        let start = buffer.count
        var rest = value
        repeat {
            buffer.append(48 + UInt8(rest % 10))
            rest /= 10
        } while rest > 0 || buffer.count - start < digits
        buffer[start...].reverse()
    }
}
