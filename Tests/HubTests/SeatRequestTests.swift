import RedisLink
import Testing
import Wire

@testable import Hub

/// Requests for any minibus (seat_search.lua, `go_on` in seat.lua) against a real Redis.
@Suite struct SeatRequestTests {
    /// These minibuses of four seats are online on the route R1.
    private func online(_ city: TestCity, _ minibuses: String...) async throws {
        for minibus in minibuses {
            try await city.call("session_hello", ["driver", minibus, "s-\(minibus)", "w", "", "minibus", "4"])
            try await city.position(minibus, "45.11", at: 1)
            #expect(try await city.command("driver_available", minibus, "14", "", "", "").isOK)
            #expect(try await city.command("route_set", minibus, "R1", "", "", "").isOK)
        }
    }

    private func ask(
        _ city: TestCity, _ passenger: String, _ booking: String, of minibuses: String..., passengers: Int = 2,
        full: String = "", key: String = ""
    ) async throws -> TestCity.Outcome {
        let lines = minibuses.map { "\($0) 900 1200 100 -" }.joined(separator: "\n")
        return try await city.command(
            "seat_request", passenger, booking, "45.1", "9.1", "45.2", "9.2", String(passengers), "EUR", lines, full,
            key)
    }

    private func declines(_ city: TestCity, _ minibus: String, _ booking: String) async throws {
        #expect(try await city.command("seat_seen", minibus, booking).isOK)
        #expect(try await city.command("seat_decline", minibus, booking, "").isOK)
    }

    private func reasons(_ city: TestCity, _ passenger: String) async throws -> [String] {
        let entries = try await city.raw(["XRANGE", "{test}:ch:passenger:\(passenger)", "-", "+"]).array ?? []
        return try entries.compactMap { entry in
            guard entry[1]["type"].text == "seat.searching", let data = entry[1]["data"].bytes else { return nil }
            return try JSONValue(parsing: data)["reason"]?.text
        }
    }

    @Test("M17: minibuses are asked in turn until one takes it; who was asked before is told that it is too late")
    func inTurn() async throws {
        try await TestCity.run { city in
            try await online(city, "M1", "M2", "M3")
            let reply = try await ask(city, "p1", "b_1", of: "M1", "M2", "M3", key: "k")
            #expect(reply["state"]?.text == "searching")
            #expect(try await ask(city, "p1", "b_2", of: "M1", key: "k") == reply, "repeated")
            #expect(try await ask(city, "p1", "b_2", of: "M1") == .refused("already_requested"))
            try await declines(city, "M1", "b_1")
            #expect(try await city.command("seat_accept", "M1", "b_1", "", "") == .refused("offer_expired"))
            try await city.advance(4_000)
            try await city.sweep()
            #expect(try await city.field("vehicle:M2", "away") != nil, "it did not show the request")
            #expect(try await city.command("seat_seen", "M3", "b_1").isOK)
            #expect(try await city.command("seat_accept", "M3", "b_1", "", "").isOK)
            #expect(try await reasons(city, "p1") == ["requested", "declined", "undelivered"])
            #expect(try await city.last("seat.confirmed", "passenger:p1")?["vehicle"]?.text == "M3")
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test("C27: when all have declined it has failed, which counts once, and nothing is held")
    func allDecline() async throws {
        try await TestCity.run { city in
            try await online(city, "M1", "M2")
            #expect(try await ask(city, "p1", "b_1", of: "M1", "M2").isOK)
            try await declines(city, "M1", "b_1")
            try await declines(city, "M2", "b_1")
            let failed = try #require(try await city.last("seat.failed", "passenger:p1"))
            #expect(failed["reason"]?.text == "no_driver" && failed["detail"]?.text != nil)
            #expect(try await city.raw(["LLEN", "{test}:cancels:p1"]).int == 1)
            #expect(try await city.field("passenger:p1", "booking") == nil)
            #expect(try await city.raw(["ZCARD", "{test}:holds"]).int == 0)
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test("C27: its time is over, whoever is still to be asked")
    func timeout() async throws {
        try await TestCity.run { city in
            try await online(city, "M1", "M2")
            #expect(try await ask(city, "p1", "b_1", of: "M1", "M2").isOK)
            try await city.advance(300_500)
            try await city.sweep()
            #expect(try await city.last("seat.failed", "passenger:p1")?["reason"]?.text == "timeout")
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test("C47: who has no room or is offline when its turn comes is passed over; with nobody else nothing is kept")
    func passedOver() async throws {
        try await TestCity.run { city in
            try await online(city, "M1", "M2", "M3", "M4")
            #expect(try await ask(city, "p1", "b_1", of: "M1", "M2", "M3", "M4", passengers: 3).isOK)
            #expect(try await city.command("seats_set", "M2", "2", "4", "", "").isOK)
            #expect(try await city.command("driver_unavailable", "M3", "").isOK)
            try await declines(city, "M1", "b_1")
            #expect(try await city.field("booking:b_1", "driver") == "M4")
            #expect(try await city.command("driver_unavailable", "M4", "").isOK)
            #expect(try await city.last("seat.failed", "passenger:p1")?["reason"]?.text == "no_driver")
            #expect(try await ask(city, "p2", "b_2", of: "M3") == .refused("seats_full"))
            #expect(try await ask(city, "p2", "b_2") == .refused("not_available"))
            #expect(try await ask(city, "p2", "b_2", full: "1") == .refused("seats_full"))
            #expect(try await city.raw(["EXISTS", "{test}:booking:b_2"]).int == 0)
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test("M17: it can be taken back while it is searched, and its snapshot does not name who is asked")
    func takenBack() async throws {
        try await TestCity.run { city in
            try await online(city, "M1")
            #expect(try await ask(city, "p1", "b_1", of: "M1").isOK)
            let state = try JSONValue(parsing: try await city.call("passenger_state", ["p1"]).bytes ?? [])
            #expect(state["booking"]?["state"]?.text == "searching" && state["booking"]?["vehicle"] == nil)
            #expect(try await city.command("seat_cancel", "passenger", "p1", "", "").isOK)
            #expect(try await city.told("driver:M1").last == "seat.withdrawn")
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test("M17: those that are near are found, nearest first, while they are online")
    func near() async throws {
        try await TestCity.run { city in
            try await online(city, "M1", "M2")
            try await city.position("M2", "45.101", at: 2)
            try await city.queue("14", "T1")
            try await city.position("T1", "45.1", at: 1)
            func near() async throws -> [String] {
                let reply = try await city.call("seat_near", ["45.1", "9.1", "10000", "64"])
                let shown = try JSONValue(parsing: reply.bytes ?? []).elements ?? []
                return shown.compactMap { $0["vehicle"]?.text }
            }
            #expect(try await near() == ["M2", "M1"])
            #expect(try await city.command("driver_unavailable", "M2", "").isOK)
            #expect(try await near() == ["M1"])
            #expect(try await city.raw(["EXISTS", "{test}:minibuses-near"]).int == 0)
        }
    }

    @Test("M17: of a crowd it is kept for a second where they are, not put together for each who asks")
    func crowd() async throws {
        try await TestCity.run { city in
            try await online(city, "M1")
            for first in stride(from: 0, to: 1_200, by: 100) {
                let names = (first..<first + 100).map { "crowd\($0)" }
                try await city.raw(["SADD", "{test}:minibuses"] + names)
                try await city.raw(["GEOADD", "{test}:pos"] + names.flatMap { ["9.3", "45.3", $0] })
            }
            func near() async throws -> Bool {
                try await city.call("seat_near", ["45.1", "9.1", "10000", "64"]).text?.contains("\"M1\"") == true
            }
            for _ in 0..<20 { #expect(try await near()) }
            let stats = try await city.raw(["INFO", "commandstats"]).text ?? ""
            let made = stats.split(separator: "\r\n").first { $0.hasPrefix("cmdstat_zinterstore:calls=") }
            let calls = made.flatMap { Int($0.dropFirst("cmdstat_zinterstore:calls=".count).prefix { $0.isNumber }) }
            #expect((1...10).contains(calls ?? 0), "\(calls ?? 0)")
            #expect(try #require(try await city.raw(["PTTL", "{test}:minibuses-near"]).int) <= 1_000)
        }
    }
}
