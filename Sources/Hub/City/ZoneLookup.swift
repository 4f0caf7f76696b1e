import Domain
import Wire

/// The city's zones in a worker. Used on its loop.
final class ZoneLookup {
    private let city: String
    /// Nil until the file was read: then a place is "unknown", never "outside".
    var set: ZoneSet? { didSet { touching = [:] } }
    /// The zones beside each that was asked for.
    private var touching: [Int: [Int]] = [:]

    init(city: String) { self.city = city }

    enum Place {
        case zone(String)
        case refused(ErrorCode, String)
    }

    /// The zone of a point, or the refusal that tells a client why there is none.
    func place(of point: GeoPoint) -> Place {
        switch set.lookup(point) {
        case .zone(let index): return .zone(set?.zones[index].id ?? "")
        case .outside: return .refused(.outsideZones, outside(point))
        case .unknown: return .refused(.zonesUnknown, "The zones are being loaded; try again in a moment.")
        }
    }

    /// The id of the zone of a point; nil: none is known.
    func id(of point: GeoPoint) -> String? {
        guard case .zone(let index) = set.lookup(point) else { return nil }
        return set?.zones[index].id
    }

    /// The zones around that of a point, so many rings of them, nearest to the point first: their ids, a line break between.
    /// Empty when its own is not known, or for no ring.
    func around(_ point: GeoPoint, rings: Int) -> String {
        guard rings > 0, let set, case .zone(let own) = set.lookup(point) else { return "" }
        var found: Set = [own]
        var ring = found
        for _ in 0..<rings {
            var next: Set<Int> = []
            for zone in ring {
                let beside = touching[zone] ?? set.touching(zone)
                touching[zone] = beside
                next.formUnion(beside)
            }
            ring = next.subtracting(found)
            found.formUnion(ring)
        }
        found.remove(own)
        let nearest = set.byDistance(found, from: point).prefix(Self.mostAround)
        return nearest.map { set.zones[$0].id }.joined(separator: "\n")
    }

    /// So many zones are looked through at most.
    private static let mostAround = 12

    /// How far from a place outside all zones the nearest one is looked for, metres: it costs more the farther.
    private static let nearestZoneM = 2_000.0

    /// What to do about a place outside all zones.
    private func outside(_ point: GeoPoint) -> String {
        let what = "The position lies in no zone of \(city)"
        guard let set, let nearest = set.nearestBorder(to: point, within: Self.nearestZoneM) else {
            return "\(what), and none is within \(Int(Self.nearestZoneM)) m: choose a place inside the city."
        }
        return "\(what): the nearest is \(set.zones[nearest.zone].id), \(Int(nearest.metres.rounded(.up))) m away; "
            + "choose a place inside it."
    }
}
