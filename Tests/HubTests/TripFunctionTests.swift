import RedisLink
import Testing
import Wire

@testable import Hub

/// Trips: what a ride becomes at its end (trip.lua), who may read it, what is paid and rated; against a real Redis.
@Suite struct TripFunctionTests {
    private static let start = 1_800_000_000_000

    /// A ride of `p1` by `A` whose passenger is aboard, and 1,112 m of which are driven.
    private func aboard(_ city: TestCity, _ ride: String = "r_1", payment: String = "") async throws {
        try await city.call("session_hello", ["driver", "A", "s-A", "w", ""])
        _ = try await city.command("driver_available", "A", "14", "", "", "")
        let asked = try await city.command(
            "ride_request", "p1", ride, "14", "45.1", "9.1", "2", "45.2", "9.2", "", "", "", "", "", payment, "1234 EUR"
        )
        #expect(asked["fare"]?["amount"]?.integer == 1234)
        _ = try await city.command("offer_seen", "A", ride)
        let accepted = try await city.command("offer_accept", "A", ride, "", "30")
        #expect(accepted["payment"]?.text == (payment.isEmpty ? nil : payment))
        try await fix(city, "45.1")
        try await city.call("ride_alert", ["A", ride, "20", "5", "high"])
        try await city.advance(70_000)
        #expect(try await city.command("ride_aboard", "A", "", "", "").isOK)
        for step in 0...10 { try await fix(city, "45.1\(step < 10 ? "0" : "")\(step)") }
    }

    /// Five seconds after the one before.
    private func fix(_ city: TestCity, _ lat: String, session: String = "s-A", cell: String = "c1") async throws {
        try await city.advance(5_000)
        try await city.call("positions_take", ["A", session, lat, "9.1", "\(Self.start)", "0", "0", cell, ""])
    }

    private func finish(_ city: TestCity, key: String = "") async throws -> TestCity.Outcome {
        try await city.command(
            "ride_finish", "A", "", "22", key, "", "2027-01-15T09:11:10+01:00", "1112", "600", "EUR", "f350\nz250 22")
    }

    @Test("M10, M11: the meter counts the way with the passenger aboard, and no unrest of one that stands")
    func meter() async throws {
        try await TestCity.run { city in
            try await aboard(city)
            #expect(try await city.call("trip_toll", ["A", "r_1", "22"]).int == 1)
            #expect(try await city.call("trip_toll", ["A", "r_1", "22"]).int == 1)
            for _ in 0..<20 {
                try await fix(city, "45.1103")
                try await fix(city, "45.11")
            }
            // Once it seems to have been elsewhere; then its fixes are coarse, and of a second phone.
            for lat in ["45.1112", "45.11"] { try await fix(city, lat) }
            for _ in 0..<5 {
                for lat in ["45.1109", "45.1091"] { try await fix(city, lat, cell: "c1 ~55") }
                for lat in ["45.1105", "45.1095"] { try await fix(city, lat, cell: "c1 ~30") }
                for _ in 0..<2 {
                    try await fix(city, "45.1109", session: "s-B")
                    try await fix(city, "45.11")
                }
            }
            let seconds = 55 + 200 + 10 + 200
            let meter = try await city.call("trip_meter", ["A", ""]).array?.map { $0.text ?? "" }
            #expect(meter == ["r_1", "1112", "\(seconds)", "\(Self.start + 75_000)", "2", "14", "22", ""])
            #expect(try await city.call("trip_meter", ["B", "r_1"]).array?.isEmpty == true)
        }
    }

    @Test("M10: a car whose fixes are good to 30 m all the time is driven as far as any other")
    func coarse() async throws {
        try await TestCity.run { city in
            try await aboard(city)
            for lat in ["45.108", "45.105", "45.102", "45.1"] { try await fix(city, lat, cell: "c1 ~30") }
            #expect(try await city.call("trip_meter", ["A", ""]).array?.dropFirst().first?.text == "2224")
        }
    }

    @Test("M10: a car that says every eleven metres where it is has driven them, from where its passenger got in")
    func shortSteps() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "A")
            try await city.position("A", "45.1", at: 1)
            try await city.assign("r_1", of: "p1", to: "A")
            try await city.call("ride_alert", ["A", "r_1", "20", "5", "high"])
            #expect(try await city.command("ride_aboard", "A", "", "", "").isOK)
            for step in 1...30 { try await fix(city, "45.\(1000 + step)") }
            for step in (0..<30).reversed() { try await fix(city, "45.\(1000 + step)") }
            let metres = try await city.call("trip_meter", ["A", ""]).array?.dropFirst().first?.text.flatMap { Int($0) }
            // 333.6 m there, and back; a little of the turn is cut off.
            #expect((600...668).contains(metres ?? 0), "\(metres ?? 0)")
        }
    }

    @Test("M10: no car is faster than a car: what comes too soon counts for no meter")
    func tooFast() async throws {
        try await TestCity.run { city in
            try await city.raw(["HSET", "{test}:settings", "max_speed_mps", "45"])
            try await aboard(city)
            let before = try await city.field("vehicle:A", "meter")
            for step in 0..<40 {
                let lat = step.isMultiple(of: 2) ? "45.12" : "45.1"
                try await city.call("positions_take", ["A", "s-A", lat, "9.1", "\(Self.start)", "0", "0", "c1", ""])
            }
            let metres = try await city.field("vehicle:A", "meter")?.split(separator: " ").first.flatMap { Double($0) }
            #expect(metres ?? 0 < 1_300, "\(before ?? "")")
        }
    }

    @Test("M10: of a ride whose taxi was not where its passenger waited counts what was driven, and nothing is no trip")
    func unmet() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "A")
            try await city.position("A", "45.12", at: 1)
            try await city.assign("r_1", of: "p1", to: "A")
            try await city.call("ride_alert", ["A", "r_1", "500", "400", "high"])
            #expect(try await city.command("ride_aboard", "A", "", "", "").isOK)
            try await city.advance(70_000)
            #expect(try await city.call("trip_meter", ["A", ""]).array?.isEmpty == true)
            let ended = try await finish(city)
            #expect(ended.isOK && ended["receipt"] == nil && ended["fare"] == nil)
            #expect(try await city.command("receipt_get", "passenger", "p1", "r_1") == .refused("not_found"))
            #expect(try await city.raw(["EXISTS", "{test}:reliability:passenger:p1"]).int == 0)
            // They have met elsewhere.
            _ = try await city.command("driver_unavailable", "A", "")
            _ = try await city.command("driver_available", "A", "14", "", "", "")
            try await city.assign("r_2", of: "p1", to: "A")
            #expect(try await city.command("ride_aboard", "A", "", "", "").isOK)
            for lat in ["45.122", "45.124", "45.126", "45.128"] { try await fix(city, lat) }
            try await city.advance(70_000)
            #expect(try await city.call("trip_meter", ["A", ""]).array?.dropFirst().first?.text == "890")
            #expect(try await finish(city)["fare"]?["amount"]?.integer == 600)
            // Where its pin was nobody waited, but somebody was driven; of the first ride that is not so.
            #expect(try await city.raw(["LLEN", "{test}:cancels:driver:A"]).int == 1)
        }
    }

    @Test("M10: a taxi that stands still with nobody aboard has no trip and no fare, however long it waits")
    func stoodStill() async throws {
        for (lat, isTrip) in [("45.1005", false), ("45.1015", true)] {
            try await TestCity.run { city in
                try await city.queue("14", "A")
                try await city.position("A", "45.1", at: 1)
                try await city.assign("r_1", of: "p1", to: "A")
                try await city.call("ride_alert", ["A", "r_1", "20", "5", "high"])
                #expect(try await city.command("ride_aboard", "A", "", "", "").isOK)
                for _ in 0..<2 { try await fix(city, lat) }
                try await city.advance(600_000)
                let ended = try await finish(city)
                #expect(ended.isOK && (ended["receipt"] != nil) == isTrip && (ended["fare"] != nil) == isTrip)
                #expect(try await city.field("vehicle:A", "brief") != nil || isTrip)
                #expect(try await city.brokenInvariants() == [])
            }
        }
    }

    @Test("M10, C60: who was at the pickup and says aboard elsewhere is paid by its meter alone")
    func unmetAfterArrival() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "A")
            try await city.position("A", "45.1", at: 1)
            try await city.assign("r_1", of: "p1", to: "A")
            try await city.call("ride_alert", ["A", "r_1", "20", "5", "high"])
            for lat in ["45.102", "45.104", "45.106"] { try await fix(city, lat) }
            #expect(try await city.command("ride_aboard", "A", "", "", "").isOK)
            try await city.advance(70_000)
            #expect(try await city.call("trip_meter", ["A", ""]).array?.isEmpty == true)
            let ended = try await finish(city)
            #expect(ended.isOK && ended["receipt"] == nil && ended["fare"] == nil)
            #expect(try await city.raw(["LLEN", "{test}:cancels:driver:A"]).int == 1)
        }
    }

    @Test("M10: a ride ends as a trip with one receipt, and both sides see what they may")
    func receipt() async throws {
        try await TestCity.run { city in
            try await aboard(city)
            try await city.advance(545_000)
            let ended = try await finish(city, key: "k")
            #expect(ended["receipt"]?.text == "2027-000001" && ended["fare"]?["amount"]?.integer == 600)
            #expect(ended["payment"]?["state"]?.text == "paid")
            #expect(try await finish(city, key: "k") == ended)
            let own = try await city.command("receipt_get", "passenger", "p1", "r_1")
            #expect(own["fare"]?["parts"]?[1]?["zone"]?.text == "22" && own["passenger"] == nil)
            #expect(own["estimate"]?["amount"]?.integer == 1234 && own["distance_m"]?.integer == 1112)
            #expect(own["duration_s"]?.integer == 600 && own["to_zone"]?.text == "22")
            #expect(try await city.command("receipt_get", "driver", "A", "r_1")["passenger"] == nil)
            #expect(try await city.command("receipt_get", "operator", "o1", "r_1")["passenger"]?.text == "p1")
            #expect(try await city.command("receipt_get", "passenger", "p2", "r_1") == .refused("not_found"))
            let listed = try await city.command("trip_list", "driver", "A", "", "10", "driver")
            #expect(listed["trips"]?.elements?.count == 1 && listed["next"] == nil)
            #expect(try await city.command("trip_list", "driver", "A", "r_9", "10", "driver") == .refused("not_found"))
        }
    }

    @Test("what took nobody anywhere is no trip, and leaves none behind")
    func brief() async throws {
        try await TestCity.run { city in
            try await aboard(city)
            try await city.raw(["HSET", "{test}:ride:r_1", "requested_at", "\(Self.start + 120_000)"])
            let ended = try await finish(city)
            #expect(ended.isOK && ended["receipt"] == nil && ended["fare"] == nil)
            #expect(try await city.raw(["EXISTS", "{test}:trips:driver:A", "{test}:receipts"]).int == 0)
        }
    }

    @Test("M10: a payment goes its way, and no other")
    func payment() async throws {
        try await TestCity.run { city in
            try await aboard(city, payment: "digital")
            try await city.advance(600_000)
            #expect(try await finish(city)["payment"]?["state"]?.text == "pending")
            func report(_ state: String) async throws -> TestCity.Outcome {
                try await city.command("payment_report", "pay", "r_1", state, "ref", "")
            }
            #expect(try await report("refunded") == .refused("not_available"))
            for state in ["failed", "pending", "failed", "paid", "paid", "refunded"] {
                #expect(try await report(state)["payment"]?["state"]?.text == state)
            }
            #expect(try await report("paid") == .refused("not_available"))
            // Nobody fills what others are told with one trip.
            try await city.raw(["HSET", "{test}:ride:r_1", "paid", "pending", "payments", "18"])
            for state in ["failed", "pending"] { #expect(try await report(state).isOK) }
            #expect(try await report("failed") == .refused("not_available"))
            #expect(try await report("pending").isOK, "what holds already changes nothing")
            // What was taken, or given back, is always known.
            for state in ["paid", "refunded"] { #expect(try await report(state)["payment"]?["state"]?.text == state) }
            #expect(try await city.field("ride:r_1", "payments") == "22")
            #expect(try await city.last("payment.changed", "driver:A")?["payment"]?["state"]?.text == "refunded")
        }
    }

    private func report(
        _ city: TestCity, _ state: String, as reference: String, by service: String = "pay"
    ) async throws -> TestCity.Outcome {
        try await city.command("payment_report", service, "r_1", state, reference, "")
    }

    @Test("M10: a trip that is paid under two references was charged twice: the second is refused")
    func twice() async throws {
        try await TestCity.run { city in
            try await aboard(city, payment: "digital")
            try await city.advance(600_000)
            _ = try await finish(city)
            #expect(try await report(city, "failed", as: "A-0").isOK)
            #expect(try await report(city, "failed", as: "A-1").isOK, "nothing was taken")
            #expect(try await report(city, "paid", as: "A-1").isOK, "another try")
            #expect(try await report(city, "paid", as: "A-1").isOK)
            #expect(try await report(city, "paid", as: "").isOK)
            #expect(try await report(city, "paid", as: "B-2", by: "other") == .refused("not_available"))
            #expect(try await report(city, "refunded", as: "B-2", by: "other") == .refused("not_available"))
            #expect(try await report(city, "refunded", as: "A-1").isOK)
            #expect(try await city.field("ride:r_1", "reference") == "A-1")
        }
    }

    @Test("M10: who reported a trip as paid without a reference may name it later; nobody else means the same")
    func unnamed() async throws {
        func paid(_ body: @Sendable (TestCity) async throws -> Void) async throws {
            try await TestCity.run { city in
                try await aboard(city, payment: "digital")
                try await city.advance(600_000)
                _ = try await finish(city)
                try await body(city)
            }
        }
        try await paid { city in
            let first = try await report(city, "paid", as: "")
            #expect(try await report(city, "paid", as: "") == first, "nothing new")
            for reference in ["", "B-2"] {
                #expect(try await report(city, "paid", as: reference, by: "other") == .refused("not_available"))
            }
            #expect(try await report(city, "paid", as: "A-1").isOK)
            #expect(try await city.field("ride:r_1", "reference") == "A-1")
            #expect(try await report(city, "paid", as: "A-2") == .refused("not_available"), "it has a name")
            #expect(try await report(city, "paid", as: "A-1", by: "other").isOK, "the same payment")
            #expect(try await city.told("passenger:p1").filter { $0 == "payment.changed" }.count == 1)
        }
        try await paid { city in
            _ = try await report(city, "paid", as: "A-1")
            #expect(try await report(city, "paid", as: "", by: "other") == .refused("not_available"))
            #expect(try await report(city, "paid", as: "").isOK)
            #expect(try await report(city, "refunded", as: "").isOK)
        }
        // Of a trip that was paid before it was kept who reported it.
        try await paid { city in
            try await city.raw(["HSET", "{test}:ride:r_1", "paid", "paid"])
            #expect(try await report(city, "paid", as: "A-1", by: "other").isOK)
        }
    }

    @Test("M10: a driver can't make a digital payment of what the passenger asked as cash; the other way it can")
    func wish() async throws {
        try await TestCity.run { city in
            try await aboard(city)
            try await city.advance(600_000)
            func end(_ payment: String) async throws -> TestCity.Outcome {
                try await city.command("ride_finish", "A", "", "22", "k", payment, "", "1112", "600", "EUR", "f600")
            }
            #expect(try await end("digital") == .refused("not_available"))
            #expect(try await city.field("ride:r_1", "state") == "aboard")
            #expect(try await end("cash")["payment"]?["state"]?.text == "paid", "the same key may try again")
        }
        try await TestCity.run { city in
            try await aboard(city, payment: "digital")
            try await city.advance(600_000)
            let ended = try await city.command("ride_finish", "A", "", "22", "", "cash")
            #expect(ended["payment"]?["method"]?.text == "cash" && ended["payment"]?["state"]?.text == "paid")
        }
    }

    @Test("M10: cash that no driver said was paid is settled by a service; what a driver said stays")
    func settled() async throws {
        try await TestCity.run { city in
            try await aboard(city)
            try await city.advance(600_000)
            #expect(try await city.command("office_end", "o1", "ride", "r_1", "Broken.", "").isOK)
            let trip = try await city.command("receipt_get", "operator", "o1", "r_1")
            #expect(trip["payment"]?["method"]?.text == "cash" && trip["payment"]?["state"]?.text == "pending")
            for state in ["failed", "paid", "paid", "refunded"] {
                #expect(try await report(city, state, as: "book-7")["payment"]?["state"]?.text == state)
            }
        }
        try await TestCity.run { city in
            try await aboard(city)
            try await city.advance(600_000)
            #expect(try await finish(city)["payment"]?["state"]?.text == "paid")
            for state in ["paid", "failed", "refunded"] {
                #expect(try await report(city, state, as: "x") == .refused("not_available"))
            }
        }
    }

    @Test("what the office ends within a minute of its request took nobody anywhere, and is no trip")
    func briefByOffice() async throws {
        try await TestCity.run { city in
            try await aboard(city)
            try await city.raw(["HSET", "{test}:ride:r_1", "requested_at", "\(Self.start + 120_000)"])
            #expect(try await city.command("office_end", "o1", "ride", "r_1", "Broken.", "").isOK)
            #expect(try await city.last("ride.ended", "passenger:p1")?["receipt"] == nil)
            #expect(try await city.raw(["EXISTS", "{test}:trips:driver:A", "{test}:receipts"]).int == 0)
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test(
        "M10: one rating per side, within its time; means are exact for the office, and told to their owner from five on"
    )
    func ratings() async throws {
        try await TestCity.run { city in
            try await aboard(city)
            try await city.advance(600_000)
            _ = try await finish(city)
            func rate(_ role: String, _ who: String) async throws -> TestCity.Outcome {
                try await city.command("trip_rate", role, who, "r_1", "4", "", "")
            }
            #expect(try await rate("passenger", "p2") == .refused("not_found"))
            #expect(try await rate("passenger", "p1").isOK)
            #expect(try await rate("passenger", "p1") == .refused("not_available"))
            let office = try await city.command("rating_get", "driver", "A", "operator")
            #expect(office["count"]?.integer == 1 && office["mean"]?.double == 4)
            let own = try await city.command("rating_get", "driver", "A", "driver")
            #expect(own["count"]?.integer == 0 && own["mean"] == .null)
            try await city.advance(14 * 86_400_000 + 1)
            #expect(try await rate("driver", "A") == .refused("not_available"))
        }
    }

    @Test("M10: who is rated is told of five ratings at once, when each is a day old; so nobody learns who gave what")
    func ratingsInSteps() async throws {
        try await TestCity.run { city in
            func own() async throws -> [Double?] {
                let told = try await city.command("rating_get", "driver", "A", "driver")
                return [told["count"]?.double, told["mean"]?.double]
            }
            let day = 86_400_000
            var now = Self.start
            for (n, stars) in [5, 4, 4, 4, 3, 1, 1, 1, 1, 1, 2].enumerated() {
                try await city.raw([
                    "HSET", "{test}:ride:t\(n)", "receipt", "x", "driver", "A", "passenger", "p\(n)", "zone", "14",
                    "closed_at", String(now),
                ])
                let before = try await own()
                #expect(try await city.command("trip_rate", "passenger", "p\(n)", "t\(n)", "\(stars)", "", "").isOK)
                #expect(try await own() == before, "of the latest nothing is told")
                // The first five on one day, the others a day later, and one more.
                if n == 4 || n == 9 {
                    let told: [Double?] = n == 4 ? [5, 4] : [10, 2.5]
                    try await city.advance(day - 1)
                    #expect(try await own() == before)
                    try await city.advance(1)
                    now += day
                    #expect(try await own() == told)
                }
            }
            try await city.advance(day)
            #expect(try await own() == [10, 2.5], "the eleventh waits for four more")
            #expect(try await city.command("rating_get", "driver", "A", "operator")["count"]?.integer == 11)
        }
    }
}
