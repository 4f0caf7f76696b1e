import Domain
import GTFS

/// A driver can only say that nobody came when the bus has stood at the place for `stops.wait_ms` (C51). Judged by the fixes
/// that the driver sent: the hub may know fewer of them, and later, never more. `BusLogChecker` holds that the citizen was told.
enum NoShowCheck {
    /// A bus stops where it can: within so many metres of the place.
    private static let besideM = 50.0

    static func violations(
        _ log: BusLogChecker, _ end: BusSnapshot, tracks: [String: [RecordedBuses.Fix]]
    ) -> [Violation] {
        log.noShows.compactMap { event in
            guard let id = event.request, let place = end.requests[id]?.place,
                let driver = event.tour.flatMap({ log.tours[$0]?.driver }), let track = tracks[driver]
            else { return nil }
            let stood = stood(at: place, until: event.timeMs, track)
            guard stood < end.waitMs else { return nil }
            return Violation(
                rule: .noShow,
                message:
                    "request \(id): nobody came, says \(driver), who has stood there for \(stood) ms of \(end.waitMs)",
                eventID: event.id)
        }
    }

    /// The longest time, hub ms.
    private static func stood(at place: GeoPoint, until: Int64, _ track: [RecordedBuses.Fix]) -> Int64 {
        var longest: Int64 = 0
        var since: Int64?
        for fix in track where fix.at <= until {
            if fix.point.distance(to: place) <= besideM {
                since = since ?? fix.at
                longest = max(longest, fix.at - (since ?? fix.at))
            } else {
                if let began = since { longest = max(longest, fix.at - began) }
                since = nil
            }
        }
        return max(longest, since.map { until - $0 } ?? 0)
    }
}
