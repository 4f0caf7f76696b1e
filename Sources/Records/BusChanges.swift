// What events of buses and of stops on request change.
extension RecordedEvent {
    var ofStopRequest: Change? {
        let request = text("request")
        guard request != .null else { return nil }
        switch type {
        case "stop.requested":
            return Change(
                "stop_requests", request,
                [
                    "line": .set(text("line")), "tour": .set(text("tour")), "citizen": .set(text("citizen")),
                    "passengers": .set(whole("passengers")), "lat": .set(number("lat")), "lon": .set(number("lon")),
                    "stop": .set(text("stop")), "wanted_at": .set(whole("at")), "requested_at": .set(now),
                ])
        case "stop.accepted":
            return Change(
                "stop_requests", request,
                ["line": .set(text("line")), "tour": .set(text("tour")), "accepted_at": .set(now)])
        case "stop.reopened":
            return Change(
                "stop_requests", request,
                [
                    "tour": .set(text("tour")), "accepted_at": .set(.null), "near_at": .set(.null),
                    "arrived_at": .set(.null), "reopened": .add(1),
                ])
        case "stop.taken_over": return Change("stop_requests", request, ["tour": .set(text("tour"))])
        case "stop.near": return Change("stop_requests", request, ["near_at": .first(now)])
        case "stop.arrived":
            return Change("stop_requests", request, ["near_at": .first(now), "arrived_at": .first(now)])
        case "stop.declined", "stop.expired", "stop.cancelled", "stop.completed", "stop.noshow":
            return Change(
                "stop_requests", request,
                [
                    "outcome": .set(.text(String(type.dropFirst("stop.".count)))), "ended_at": .set(now),
                    "reason": .set(text("reason")), "line": .first(text("line")), "tour": .first(text("tour")),
                    "citizen": .first(text("citizen")),
                ])
        default: return nil
        }
    }

    var ofTour: Change? {
        let tour = text("tour")
        guard tour != .null else { return nil }
        switch type {
        case "tour.started":
            return Change(
                "tours", tour,
                [
                    "bus": .set(text("bus")), "line": .set(text("line")), "driver": .set(text("driver")),
                    "pattern": .set(text("pattern")), "trip": .set(text("trip")), "started_at": .set(now),
                ])
        case "tour.ended":
            return Change(
                "tours", tour,
                [
                    "ended_at": .set(now), "reason": .set(text("reason")), "bus": .first(text("bus")),
                    "line": .first(text("line")), "driver": .first(text("driver")),
                ])
        default: return nil
        }
    }

    /// A stop that a bus has passed: each tour passes each once.
    var ofPassage: [Change] {
        let (tour, index) = (text("tour"), whole("index"))
        guard tour != .null, index != .null else { return [] }
        return [
            Change(
                "passages", key: ["tour": tour, "place": index],
                [
                    "line": .set(text("line")), "stop": .set(text("stop")), "passed_at": .set(now),
                    "delay_s": .set(number("delay_s")),
                ])
        ]
    }
}
