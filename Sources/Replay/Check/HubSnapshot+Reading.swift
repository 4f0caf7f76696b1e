import ClientSupport
import Wire

extension HubSnapshot {
    /// Reads the answer of `SnapshotScript`. Nil when it isn't one.
    init?(json: [UInt8]) {
        guard let root = try? JSONValue(parsing: json), let vehicles = root["vehicles"]?.members,
            let rides = root["rides"]?.members, let queues = root["queues"]?.members,
            let passengers = root["passengers"]?.members
        else { return nil }
        lastEvent = root.text("last")
        entriesAdded = root.text("added").flatMap { Int($0) } ?? 0
        noShowWaitMs = root.text("noshow_wait").flatMap { Int64($0) } ?? 0
        roundPauseMs = root.text("round_pause").flatMap { Int64($0) } ?? 0
        recoveryMs = root.text("recovery").flatMap { Int64($0) } ?? recoveryMs
        self.queues = Self.scores(queues)
        free = root["free"]?.members.map(Self.scores) ?? [:]
        for (name, fields) in vehicles {
            guard let state = fields.text("state") else { continue }
            self.vehicles[name] = Vehicle(
                state: state, zone: fields.text("zone"), ride: fields.text("ride"), offer: fields.text("offer"),
                isAway: fields.text("away") != nil, seats: fields.text("seats").flatMap { Int($0) })
        }
        for (name, fields) in rides {
            guard let state = fields.text("state"), let passenger = fields.text("passenger") else { continue }
            self.rides[name] = Ride(
                state: state, passenger: passenger, zone: fields.text("zone") ?? "", driver: fields.text("driver"),
                offeredTo: fields.text("offered_to"), round: fields.text("round").flatMap { Int($0) } ?? 1,
                order: fields.text("order").flatMap { Int($0) } ?? 0,
                asked: Set((fields.text("asked") ?? "").split(separator: " ").map(String.init)),
                gaveBack: Set((fields.text("gave_back") ?? "").split(separator: "\n").map(String.init)),
                passengers: fields.text("passengers").flatMap { Int($0) } ?? 1,
                arrivedMs: fields.text("arrived_at").flatMap { Int64($0) })
        }
        for (name, ride) in passengers { self.passengers[name] = ride.text }
    }

    private static func scores(_ zones: JSONObject) -> [String: [String: Double]] {
        var scores: [String: [String: Double]] = [:]
        for (zone, members) in zones {
            for (name, score) in members.members ?? [:] {
                scores[zone, default: [:]][name] = score.text.flatMap { Double($0) }
            }
        }
        return scores
    }
}
