import Domain
import Wire

/// A tour that is over, as Redis keeps it for the line to learn from: when each stop was reached and left.
struct FinishedTour: Equatable {
    /// So many are kept per line: those of some days on a busy one, of months on a village's.
    static let kept = 100

    var stops: [String]
    var passages: StopPassages
    /// One per stop; nil: it was not on the schedule.
    var schedule: [LineETA.ScheduledStop]?

    init(stops: [String], passages: StopPassages, schedule: [LineETA.ScheduledStop]?) {
        self.stops = stops
        self.passages = passages
        self.schedule = schedule
    }

    /// `{"stops":[id…],"metres":[…],"reached":[ms or null…],"left":[…],"due":[arrival, departure of each stop…]}`.
    var json: [UInt8] {
        func list(_ values: [JSONValue]) -> JSONValue { .array(values) }
        func time(_ time: Int64?) -> JSONValue { time.map { .number(Double($0)) } ?? .null }
        var json = JSONWriter()
        json.beginObject()
        json.member("stops", list(stops.map { .string($0) }))
        json.member("metres", list(passages.places.stops.map { .number($0) }))
        json.member("reached", list(passages.arrivals.map(time)))
        json.member("left", list(passages.departures.map(time)))
        if let schedule { json.member("due", list(schedule.flatMap { [time($0.arrival), time($0.departure)] })) }
        json.endObject()
        return json.bytes
    }

    /// Nil when it is none.
    init?(json: [UInt8]) {
        guard let value = try? JSONValue(parsing: json),
            let stops = value["stops"]?.elements?.compactMap(\.text), !stops.isEmpty,
            let metres = value["metres"]?.elements?.compactMap(\.double), metres.count == stops.count,
            zip(metres, metres.dropFirst()).allSatisfy({ $0 <= $1 }),
            let reached = value["reached"]?.elements?.map(\.integer), reached.count == stops.count,
            let left = value["left"]?.elements?.map(\.integer), left.count == stops.count
        else { return nil }
        self.stops = stops
        passages = StopPassages(places: StopPlaces(metres), arrivals: reached, departures: left)
        guard let due = value["due"]?.elements?.compactMap(\.integer) else { return }
        guard due.count == stops.count * 2 else { return nil }
        schedule = stops.indices.map { LineETA.ScheduledStop(arrival: due[$0 * 2], departure: due[$0 * 2 + 1]) }
    }
}
