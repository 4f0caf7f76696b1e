import RedisLink
import Testing
import Wire

@testable import Hub

/// What tests of reservations do often.
protocol Reserving {}

extension Reserving {
    static var minute: Int { 60_000 }
    static var hour: Int { 3_600_000 }
    /// Where hub time begins.
    static var start: Int { 1_800_000_000_000 }
    static var ada: String { "o1\nAda Rossi\n+39 02 1234" }

    /// `ahead` in ms after the beginning, wherever hub time is now.
    func make(
        _ city: TestCity, _ id: String = "v_1", of passenger: String = "p1", in ahead: Int = 7_200_000,
        zone: String = "14",
        to: (String, String) = ("45.2", "9.2"), passengers: Int = 2, key: String = "", by: String = "",
        payment: String = "", needs: String = "", near: String = ""
    ) async throws -> TestCity.Outcome {
        try await city.command(
            "reservation_make", passenger, id, zone, "45.1", "9.1", to.0, to.1, String(passengers), needs,
            near, String(Self.start + ahead), "2027-01-15T11:00:00+01:00", "Europe/Rome", key, by, payment)
    }

    func cancel(_ city: TestCity, _ id: String = "v_1", of passenger: String = "p1") async throws
        -> TestCity.Outcome
    {
        try await city.command("reservation_cancel", passenger, id, "", "")
    }

    /// Hub time is so many ms before the meeting time of one that was made two hours ahead; then two workers sweep.
    func come(_ city: TestCity, before left: Int) async throws {
        try await city.raw(["HSET", "{test}:settings", "clock_hub", String(Self.start + 2 * Self.hour - left)])
        try await city.sweep()
        try await city.call("city_sweep", ["w2", "5000", "", ""])
    }

    func state(_ city: TestCity, _ id: String = "v_1") async throws -> String? {
        try await city.field("reservation:" + id, "state")
    }

    /// What the passenger is told of reservations, reminders with the minutes that they say.
    func told(_ city: TestCity, _ passenger: String = "p1") async throws -> [String] {
        let entries = try await city.raw(["XRANGE", "{test}:ch:passenger:\(passenger)", "-", "+"]).array ?? []
        return try entries.compactMap { entry -> String? in
            guard let type = entry[1]["type"].text, type.hasPrefix("reservation."), let data = entry[1]["data"].text
            else { return nil }
            let minutes = try JSONValue(parsing: data)["minutes"]?.integer.map { " \($0)" } ?? ""
            return String(type.dropFirst("reservation.".count)) + minutes
        }
    }

    func nothingIsLeft(_ city: TestCity, _ passenger: String = "p1") async throws -> Bool {
        let keys = ["reservations:\(passenger)", "reservation-due", "reservation-waits", "reserved:o1"]
        return try await city.raw(["EXISTS"] + keys.map { "{test}:" + $0 }).int == 0
    }
}
