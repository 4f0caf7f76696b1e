import Domain
import Wire

/// The city's zones in a worker. Used on its loop.
final class ZoneLookup {
    private let city: String
    /// Nil until the file was read: then a place is "unknown", never "outside".
    var set: ZoneSet?

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
