import ClientSupport
import Wire

/// An entry of the hub's event log, `{city}:events`, reduced to what the rules look at.
struct LoggedEvent: Equatable {
    /// Of the Redis stream: `<ms>-<n>`.
    var id: String
    var type: String
    /// Hub ms.
    var timeMs: Int64 = 0
    var driver: String?
    var ride: String?
    var passenger: String?
    var zone: String?
    var score: Double?
    var reason: String?
    var round: Int?
    var code: String?
    var by: String?
    var tour: String?
    var bus: String?
    var line: String?
    /// For a stop, and who asks.
    var request: String?
    var citizen: String?
    var taken: Int?
    var seats: Int?
    /// Of seats in a minibus.
    var booking: String?
    var passengers: Int?
    var delta: Int?
    /// Of a ride, and what a car or a driver has by its record; a record's car.
    var needs: [String] = []
    var capabilities: [String] = []
    var vehicle: String?
    /// Of a block or a pause: who did what by hand, to whom (`driver:…`), whether it is blocked then, and until when, hub ms.
    var command: String?
    var target: String?
    var isBlocked: Bool?
    var until: Int64?
    /// A taxi for a time ahead; whether it is to go where it begins.
    var reservation: String?
    var goesNowhere = false
    /// Of a trip.
    var receipt: String?
    var paymentState: String?

    init(id: String, type: String) {
        self.id = id
        self.type = type
    }

    /// Nil when the data is no JSON object.
    init?(id: String, type: String, timeMs: Int64, json: [UInt8]) {
        guard let data = try? JSONValue(parsing: json), data.members != nil else { return nil }
        self.init(id: id, type: type)
        self.timeMs = timeMs
        driver = data.text("driver")
        ride = data.text("ride")
        passenger = data.text("passenger")
        zone = data.text("zone")
        score = data["score"]?.double
        reason = data.text("reason")
        round = data.integer("round").map(Int.init)
        code = data.text("code")
        by = data.text("by")
        tour = data.text("tour")
        bus = data.text("bus")
        line = data.text("line")
        request = data.text("request")
        citizen = data.text("citizen")
        taken = data.integer("taken").map(Int.init)
        seats = data.integer("seats").map(Int.init)
        booking = data.text("booking")
        passengers = data.integer("passengers").map(Int.init)
        delta = data.integer("delta").map(Int.init)
        needs = data["needs"]?.elements?.compactMap(\.text) ?? []
        capabilities = data["capabilities"]?.elements?.compactMap(\.text) ?? []
        vehicle = data.text("vehicle")
        command = data.text("command")
        target = data.text("target")
        isBlocked = data["after"]?["blocked"]?.boolean
        until = data["after"]?.integer("until") ?? data.integer("paused_until")
        reservation = data.text("reservation")
        receipt = data.text("receipt")
        paymentState = data.text("payment_state")
        goesNowhere = data["to_lat"] != nil && data["lat"] == data["to_lat"] && data["lon"] == data["to_lon"]
    }

    /// What one step of the hub wrote has one hub time: it is read once, while ids go on with the machine's time. (Two steps
    /// may share it.)
    var step: Int64 { timeMs }
}

extension LoggedEvent: CustomStringConvertible {
    var description: String {
        let fields: [(String, String?)] = [
            ("ride", ride), ("driver", driver), ("passenger", passenger), ("zone", zone),
            ("score", score.map { "\($0)" }), ("round", round.map(String.init)), ("reason", reason), ("code", code),
            ("by", by), ("tour", tour), ("bus", bus), ("line", line), ("request", request), ("citizen", citizen),
            ("taken", taken.map(String.init)), ("seats", seats.map(String.init)),
            ("booking", booking), ("passengers", passengers.map(String.init)), ("delta", delta.map(String.init)),
        ]
        return fields.reduce("\(id) \(type)") { text, field in text + (field.1.map { " \(field.0)=\($0)" } ?? "") }
    }
}

/// A position in a Redis stream: `<ms>-<n>`.
struct StreamID: Comparable {
    var ms: UInt64
    var number: UInt64

    init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let ms = UInt64(parts[0]), let number = UInt64(parts[1]) else { return nil }
        (self.ms, self.number) = (ms, number)
    }

    static func < (a: StreamID, b: StreamID) -> Bool { (a.ms, a.number) < (b.ms, b.number) }
}
