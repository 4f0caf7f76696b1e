import Domain
import GTFS

/// Who is fetched where the bus stood is told first that it is there: `stop.arrived` comes before `stop.completed` and
/// `stop.noshow`. Judged by fixes that the hub must have had when it took the driver's word: sent before it, on the same link.
enum ArrivalCheck {
    /// What was sent so long after the acceptance, hub ms, came after it to the hub as well.
    private static let afterMs: Int64 = 5_000
    /// Positions go out rounded: the hub may see the bus so much further away, metres.
    private static let roundedM = 1.0

    static func violations(
        _ log: BusLogChecker, _ end: BusSnapshot, served: [String: ArraySlice<RecordedBuses.Fix>]
    ) -> [Violation] {
        served.sorted { $0.key < $1.key }.compactMap { id, fixes in
            guard let request = log.requests[id], request.rung != 20, let outcome = request.outcome,
                ["completed", "noshow"].contains(outcome), let place = end.requests[id]?.place,
                let fix = fixes.first(where: {
                    $0.at > request.acceptedMs + afterMs
                        && $0.point.distance(to: place) <= end.arrivedM - roundedM
                })
            else { return nil }
            return Violation(
                rule: .alert,
                message: "request \(id) is \(outcome): the bus stood"
                    + " \(Int(fix.point.distance(to: place))) m from the place at \(fix.at), and stop.arrived never came"
            )
        }
    }
}
