import RedisLink
import Testing
import Wire

@testable import Hub

/// What a booking of seats becomes at its end (trip.lua, receipt.lua, rating.lua), against a real Redis.
@Suite struct SeatTripTests {
    private static let clock = "2027-01-15T09:11:10+01:00"

    private func online(_ city: TestCity, route: String = "R1") async throws {
        try await city.minibus("M1", seats: 8)
        #expect(try await city.command("driver_available", "M1", "", "", "", "").isOK)
        if !route.isEmpty { #expect(try await city.command("route_set", "M1", route, "", "", "").isOK) }
    }

    /// A booking of `passenger`, who is aboard.
    private func aboard(
        _ city: TestCity, _ booking: String = "b_1", of passenger: String = "p1", payment: String = ""
    ) async throws {
        let asked = try await city.command(
            "seat_book", passenger, booking, "M1", "45.1", "9.1", "45.2", "9.2", "2", "900", "1200", "EUR", "", "", "",
            "", "", "", payment)
        #expect(asked["state"]?.text == "pending")
        let wished = payment.isEmpty ? nil : payment
        #expect(try await city.last("seat.requested", "driver:M1")?["payment"]?.text == wished)
        #expect(try await city.command("seat_accept", "M1", booking, "", "")["payment"]?.text == wished)
        try await city.call("seat_alert", ["M1", booking, "20", "5", "high"])
        try await city.advance(70_000)
        #expect(try await city.command("seat_aboard", "M1", booking, "", "").isOK)
        try await city.advance(300_000)
    }

    private func end(
        _ city: TestCity, _ booking: String = "b_1", payment: String = "", key: String = ""
    ) async throws -> TestCity.Outcome {
        try await city.command("seat_end", "M1", booking, key, payment, Self.clock)
    }

    /// Where the minibus is now.
    private func stands(_ city: TestCity, _ lat: String) async throws {
        try await city.raw(["HSET", "{test}:vehicle:M1", "lat", lat, "lon", "9.1"])
    }

    @Test(
        "M10: a booking whose passengers were driven nowhere is no trip, and counts against who said so",
        arguments: [true, false])
    func nowhere(isDriven: Bool) async throws {
        try await TestCity.run { city in
            try await online(city)
            try await stands(city, "45.1")
            try await aboard(city)
            try await stands(city, isDriven ? "45.103" : "45.1025")
            let ended = try await end(city)
            #expect(ended.isOK && (ended["receipt"] != nil) == isDriven && (ended["fare"] != nil) == isDriven)
            #expect(try await city.raw(["LLEN", "{test}:cancels:driver:M1"]).int == (isDriven ? 0 : 1))
            #expect(try await city.brokenInvariants().isEmpty)
        }
    }

    @Test("M10: a booking ends as a trip with one receipt, and both sides see what they may")
    func receipt() async throws {
        try await TestCity.run { city in
            try await online(city)
            try await aboard(city)
            let ended = try await end(city, key: "k")
            #expect(ended["receipt"]?.text == "2027-000001" && ended["fare"]?["amount"]?.integer == 1200)
            #expect(ended["payment"]?["state"]?.text == "paid" && ended["seats"]?.integer == 8)
            #expect(try await end(city, key: "k") == ended)
            #expect(try await end(city) == .refused("not_available"))
            for channel in ["passenger:p1", "driver:M1"] {
                #expect(try await city.last("seat.ended", channel)?["receipt"]?.text == "2027-000001")
            }
            let own = try await city.command("receipt_get", "passenger", "p1", "b_1")
            #expect(own["kind"]?.text == "minibus" && own["route"]?.text == "R1" && own["from_zone"] == nil)
            #expect(own["distance_m"]?.integer == 900 && own["duration_s"]?.integer == 300)
            #expect(own["local"]?.text == Self.clock && own["passenger"] == nil)
            #expect(try await city.command("receipt_get", "driver", "M1", "b_1")["passenger"] == nil)
            #expect(try await city.command("receipt_get", "operator", "o1", "b_1")["passenger"]?.text == "p1")
            #expect(try await city.command("receipt_get", "passenger", "p2", "b_1") == .refused("not_found"))
            for (role, who) in [("passenger", "p1"), ("driver", "M1")] {
                let listed = try await city.command("trip_list", role, who, "", "10", role)
                #expect(listed["trips"]?.elements?.map { $0["trip"]?.text } == ["b_1"])
            }
            let life = try await city.raw(["TTL", "{test}:booking:b_1"]).int ?? 0
            #expect(life > 20 * 86_400, "as a trip of a taxi")
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test("M10: rides and bookings are in one list, and have one row of numbers")
    func together() async throws {
        try await TestCity.run { city in
            try await online(city)
            try await aboard(city)
            #expect(try await end(city).isOK)
            try await city.queue("14", "T1")
            try await city.assign("r_1", of: "p1", to: "T1")
            try await city.call("ride_alert", ["T1", "r_1", "20", "5", "high"])
            #expect(try await city.command("ride_aboard", "T1", "", "", "").isOK)
            try await city.advance(70_000)
            #expect(try await city.command("ride_finish", "T1", "", "22", "")["receipt"]?.text == "2027-000002")
            let listed = try await city.command("trip_list", "passenger", "p1", "", "10", "passenger")
            #expect(listed["trips"]?.elements?.map { $0["kind"]?.text } == ["taxi", "minibus"])
        }
    }

    @Test("M10: what took nobody anywhere is no trip, and a booking that was cancelled is none")
    func none() async throws {
        try await TestCity.run { city in
            try await online(city)
            #expect(try await city.book("p1", "b_1", "M1", 1).isOK)
            #expect(try await city.command("seat_accept", "M1", "b_1", "", "").isOK)
            #expect(try await city.command("seat_aboard", "M1", "b_1", "", "").isOK)
            let ended = try await end(city)
            #expect(ended.isOK && ended["receipt"] == nil && ended["payment"] == nil)
            let told = try await city.last("seat.ended", "passenger:p1")
            #expect(told?["booking"]?.text == "b_1" && told?["fare"] == nil)
            #expect(try await city.book("p2", "b_2", "M1", 1).isOK)
            #expect(try await city.command("seat_accept", "M1", "b_2", "", "").isOK)
            try await city.advance(70_000)
            #expect(try await city.command("seat_cancel", "passenger", "p2", "", "").isOK)
            #expect(try await city.raw(["EXISTS", "{test}:trips:driver:M1", "{test}:receipts"]).int == 0)
            for (who, booking) in [("p1", "b_1"), ("p2", "b_2")] {
                #expect(try await city.command("receipt_get", "passenger", who, booking) == .refused("not_found"))
                let rated = try await city.command("trip_rate", "passenger", who, booking, "5", "", "")
                #expect(rated == .refused("not_found"))
            }
        }
    }

    @Test("M10: only the passenger wishes to pay digitally; a service says what became of it")
    func payment() async throws {
        try await TestCity.run { city in
            try await online(city)
            try await aboard(city)
            #expect(try await end(city, payment: "digital", key: "k") == .refused("not_available"))
            #expect(try await end(city, payment: "cash", key: "k")["payment"]?["state"]?.text == "paid")
            try await aboard(city, "b_2", payment: "digital")
            #expect(try await end(city, "b_2")["payment"]?["state"]?.text == "pending")
            func report(_ booking: String, _ state: String) async throws -> TestCity.Outcome {
                try await city.command("payment_report", "pay", booking, state, "ref", "")
            }
            for state in ["failed", "paid", "paid", "refunded"] {
                #expect(try await report("b_2", state)["payment"]?["state"]?.text == state)
            }
            #expect(try await report("b_2", "paid") == .refused("not_available"))
            #expect(try await report("b_1", "refunded") == .refused("not_available"))
            #expect(try await city.last("payment.changed", "driver:M1")?["trip"]?.text == "b_2")
            try await aboard(city, "b_3", payment: "digital")
            let cash = try await end(city, "b_3", payment: "cash")
            #expect(cash["payment"]?["method"]?.text == "cash" && cash["payment"]?["state"]?.text == "paid")
        }
    }

    @Test("M10: who was paid of a booking that the office ends nobody knows: a service settles it")
    func office() async throws {
        try await TestCity.run { city in
            try await online(city)
            try await aboard(city)
            #expect(try await city.command("office_end", "o1", "booking", "b_1", "Broken.", "").isOK)
            let trip = try await city.command("receipt_get", "operator", "o1", "b_1")
            #expect(trip["fare"]?["amount"]?.integer == 1200 && trip["payment"]?["state"]?.text == "pending")
            let settled = try await city.command("payment_report", "pay", "b_1", "paid", "book-7", "")
            #expect(settled["payment"]?["method"]?.text == "cash" && settled["payment"]?["state"]?.text == "paid")
        }
    }

    @Test("M10, M19: each side rates once; the route is rated by who rode on one")
    func ratings() async throws {
        try await TestCity.run { city in
            try await online(city)
            try await aboard(city)
            #expect(try await end(city).isOK)
            func rate(_ role: String, _ who: String, _ route: String) async throws -> TestCity.Outcome {
                try await city.command("trip_rate", role, who, "b_1", "4", "Kind.", "", route)
            }
            #expect(try await rate("driver", "M1", "5") == .refused("not_available"))
            #expect(try await rate("passenger", "p2", "5") == .refused("not_found"))
            #expect(try await rate("passenger", "p1", "2")["route_stars"]?.integer == 2)
            #expect(try await rate("passenger", "p1", "3") == .refused("not_available"))
            #expect(try await rate("driver", "M1", "").isOK)
            #expect(try await city.command("rating_get", "driver", "M1", "operator")["mean"]?.double == 4)
            #expect(try await city.command("receipt_get", "passenger", "p1", "b_1")["route_stars"]?.integer == 2)
            #expect(try await city.command("receipt_get", "driver", "M1", "b_1")["route_stars"] == nil)
            // On no route.
            #expect(try await city.command("route_set", "M1", "", "", "", "").isOK)
            try await aboard(city, "b_2")
            #expect(try await end(city, "b_2").isOK)
            let none = try await city.command("trip_rate", "passenger", "p1", "b_2", "4", "", "", "4")
            #expect(none == .refused("not_available"))
            #expect(try await city.command("trip_rate", "passenger", "p1", "b_2", "4", "", "").isOK)
            #expect(try await city.command("receipt_get", "passenger", "p1", "b_2")["route"] == nil)
        }
    }
}
