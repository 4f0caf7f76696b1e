import RedisLink
import Testing
import Wire

@testable import Hub

/// C60: who came, who did not, and who pays for it: taxis, minibuses and buses alike (decision 105).
@Suite struct KeptPromiseTests: StopLine {
    private func pays(_ city: TestCity, _ who: String) async throws -> [String] {
        let entries = try await city.raw(["LRANGE", "{test}:cancels:\(who)", "0", "-1"]).array ?? []
        return entries.compactMap { $0.text.map { String($0.drop { $0.isNumber }) } }
    }

    @Test(
        "C60: a taxi that was near and has not moved is missed by nobody; one that came nearer is",
        arguments: [true, false])
    func standsNear(moves: Bool) async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            try await city.position("T1", "45.1035", at: 1)
            try await city.assign("r1", of: "p1", to: "T1")
            try await city.call("ride_alert", ["T1", "r1", "500", "389", "high"])
            try await city.advance(45_000)
            try await city.position("T1", moves ? "45.102" : "45.1034", at: 2)
            #expect(try await city.command("ride_cancel", "passenger", "p1", "", "", "").isOK)
            #expect(try await pays(city, "p1") == [moves ? "n" : ""])
            #expect(try await pays(city, "driver:T1") == [])
        }
    }

    @Test("C60: a taxi that drove to where a road comes near has come: its place is kept, and it pays nothing")
    func noRoadLeadsThere() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1", "T2")
            // 180 m from the pickup, and then 150 m, after 120 m of way to the east.
            try await city.position("T1", "45.10162", at: 1)
            try await city.assign("r1", of: "p1", to: "T1")
            try await city.call("ride_alert", ["T1", "r1", "500", "180", "high"])
            try await city.advance(121_000)
            try await city.call(
                "positions_take", ["T1", "s-T1", "45.10081", "9.10153", "2", "", "", "", ""])
            #expect(try await city.command("ride_cancel", "passenger", "p1", "", "", "").isOK)
            #expect(try await city.order("14") == ["T1", "T2"])
            #expect(try await pays(city, "driver:T1") == ["v"])
            #expect(try await pays(city, "p1") == ["t"])
        }
    }

    /// Told to be near, and 30 m nearer after two minutes: a road may lead no nearer.
    private func cancelNear(_ city: TestCity, _ ride: String, of passenger: String, at: Int) async throws -> Bool {
        try await city.position("T1", "45.10162", at: at)
        guard try await city.request(passenger, ride, "14").isOK else { return false }
        #expect(try await city.command("offer_accept", "T1", ride, "", "").isOK)
        try await city.call("ride_alert", ["T1", ride, "500", "180", "high"])
        try await city.advance(121_000)
        try await city.position("T1", "45.10135", at: at + 1)
        #expect(try await city.command("ride_cancel", "passenger", passenger, "", "", "").isOK)
        return true
    }

    @Test(
        "C60: who asks again and again for a place that no road reaches waits itself; its taxi keeps its place"
    )
    func asksBesideTheRoad() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1", "T2")
            var taken = 0
            for n in 0..<6 where try await cancelNear(city, "r\(n)", of: "p1", at: 2 * n + 1) {
                taken += 1
                #expect(try await city.order("14") == ["T1", "T2"])
            }
            #expect(taken == 3)
            #expect(try await pays(city, "p1") == ["t", "t", "t"])
            // Half an hour later it pays still.
            try await city.advance(30 * Self.minute)
            #expect(try await cancelNear(city, "r6", of: "p1", at: 13))
            try await city.advance(Self.minute)
            #expect(try await !cancelNear(city, "r7", of: "p1", at: 15))
        }
    }

    @Test("C60: a taxi that comes near six passengers, and stays there, is not available for a while")
    func staysNearOfMany() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            for n in 0..<6 {
                #expect(try await city.order("14") == ["T1"])
                #expect(try await cancelNear(city, "r\(n)", of: "p\(n)", at: 2 * n + 1))
            }
            #expect(try await city.order("14") == [])
            #expect(try await city.field("vehicle:T1", "state") == "unavailable")
            #expect(try await city.brokenInvariants().isEmpty)
        }
    }

    @Test("C60: for a minibus that stays near both pay, too")
    func minibusStaysNear() async throws {
        try await TestCity.run { city in
            try await city.minibus("M1", seats: 4)
            _ = try await city.command("driver_available", "M1", "14", "", "", "")
            try await city.position("M1", "45.10162", at: 1)
            #expect(try await city.book("p1", "b1", "M1", 1).isOK)
            #expect(try await city.command("seat_accept", "M1", "b1", "", "").isOK)
            try await city.call("seat_alert", ["M1", "b1", "500", "180", "high"])
            try await city.advance(121_000)
            try await city.position("M1", "45.10135", at: 2)
            #expect(try await city.command("seat_cancel", "passenger", "p1", "b1", "").isOK)
            #expect(try await pays(city, "p1") == ["t"])
            #expect(try await pays(city, "driver:M1") == ["v"])
        }
    }

    @Test("C60: who is left standing time after time pays, too: from the seventh time in two hours")
    func leftStanding() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            try await city.position("T1", "45.11", at: 1)
            for n in 1...7 {
                if n == 7 {
                    #expect(try await city.request("p1", "r7", "14") == .refused("rate_limited"))
                    break
                }
                // A minute from one to the next, so that its own pauses are over.
                try await city.advance(3 * Self.minute)
                _ = try await city.command("driver_available", "T1", "14", "", "", "")
                try await city.assign("r\(n)", of: "p1", to: "T1")
                try await city.advance(121_000)
                #expect(try await city.command("ride_cancel", "passenger", "p1", "", "", "").isOK)
            }
            #expect(try await pays(city, "p1") == Array(repeating: "y", count: 6))
        }
    }

    @Test("C60: who drives 100 m nearer and parks there lets its passenger wait in vain")
    func parks() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            try await city.position("T1", "45.11", at: 1)
            try await city.assign("r1", of: "p1", to: "T1")
            try await city.position("T1", "45.1088", at: 2)
            try await city.advance(241_000)
            #expect(try await city.command("ride_cancel", "passenger", "p1", "", "", "").isOK)
            #expect(try await pays(city, "driver:T1") == ["v"])
            #expect(try await pays(city, "p1") == ["t"])
        }
    }

    @Test("C60: a minibus that came and drove on has waited for nobody")
    func minibusDrivesOn() async throws {
        try await TestCity.run { city in
            try await city.minibus("M1", seats: 4)
            _ = try await city.command("driver_available", "M1", "14", "", "", "")
            #expect(try await city.book("p1", "b1", "M1", 1).isOK)
            #expect(try await city.command("seat_accept", "M1", "b1", "", "").isOK)
            try await city.call("seat_alert", ["M1", "b1", "20", "5", "high"])
            try await city.advance(190_000)
            try await city.position("M1", "45.12", at: 1)
            #expect(try await city.command("seat_cancel", "driver", "M1", "b1", "").isOK)
            #expect(try await pays(city, "p1") == [])
            #expect(try await pays(city, "driver:M1") == [""])
        }
    }

    @Test("C60: who accepts, cuts its link and stays away pays, when its passenger has the ride searched for again")
    func cutsItsLink() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1", "T2")
            try await city.assign("r1", of: "p1", to: "T1")
            try await city.call("driver_gone", ["T1", "s-T1"])
            try await city.advance(121_000)
            try await city.sweep()
            #expect(try await city.command("ride_search", "p1", "", "").isOK)
            #expect(try await pays(city, "driver:T1") == [""])
        }
    }

    @Test("C60: a taxi that stands 300 m away and ends what it has not fetched is not available after the third time")
    func standsAndEnds() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            try await city.position("T1", "45.1027", at: 1)
            for n in 1...3 {
                #expect(try await city.order("14") == ["T1"])
                try await city.assign("r\(n)", of: "p\(n)", to: "T1")
                try await city.call("ride_alert", ["T1", "r\(n)", "500", "300", "high"])
                try await city.advance(Self.minute)
                #expect(try await city.command("ride_aboard", "T1", "", "", "").isOK)
                #expect(try await city.command("ride_finish", "T1", "", "14", "").isOK)
            }
            #expect(try await city.field("vehicle:T1", "state") == "unavailable")
            #expect(try await city.command("driver_available", "T1", "14", "", "", "") == .refused("rate_limited"))
            #expect(try await city.brokenInvariants().isEmpty)
        }
    }

    @Test("C60: a minibus that ends what it has not fetched takes no bookings after the third time")
    func minibusEndsFromAfar() async throws {
        try await TestCity.run { city in
            try await city.minibus("M1", seats: 4)
            _ = try await city.command("driver_available", "M1", "14", "", "", "")
            for n in 1...3 {
                #expect(try await city.book("p\(n)", "b\(n)", "M1", 1).isOK)
                #expect(try await city.command("seat_accept", "M1", "b\(n)", "", "").isOK)
                #expect(try await city.command("seat_aboard", "M1", "b\(n)", "", "").isOK)
                #expect(try await city.command("seat_end", "M1", "b\(n)", "").isOK)
            }
            #expect(try await city.book("p4", "b4", "M1", 1) == .refused("not_available"))
            try await city.advance(30_000)
            #expect(try await city.book("p4", "b4", "M1", 1).isOK)
        }
    }

    @Test("C60: who was near and says from elsewhere that its passenger is aboard has fetched nobody")
    func aboardAfterPassing() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            try await city.assign("r1", of: "p1", to: "T1")
            try await city.call("ride_alert", ["T1", "r1", "500", "300", "high"])
            try await city.position("T1", "45.1027", at: 1)
            #expect(try await city.command("ride_aboard", "T1", "r1", "2", "").isOK)
            #expect(try await pays(city, "driver:T1").isEmpty)
            // Nobody was driven anywhere.
            #expect(try await city.command("ride_finish", "T1", "", "14", "").isOK)
            #expect(try await pays(city, "driver:T1") == ["f"])
        }
    }

    @Test("R12: who has left the pickup misses nobody")
    func noShowFromAfar() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            try await city.assign("r1", of: "p1", to: "T1")
            try await city.call("ride_alert", ["T1", "r1", "20", "3", "high"])
            try await city.advance(180_000)
            try await city.position("T1", "45.103", at: 1)
            #expect(try await city.command("ride_noshow", "T1", "", "") == .refused("not_available"))
            #expect(try await pays(city, "p1") == [])
            try await city.position("T1", "45.101", at: 2)
            #expect(try await city.command("ride_noshow", "T1", "", "").isOK)
            #expect(try await pays(city, "p1") == ["n"])
        }
    }

    @Test("C60: a minibus that takes somebody aboard from afar pays as a taxi does")
    func aboardFromAfar() async throws {
        try await TestCity.run { city in
            try await city.minibus("M1", seats: 4)
            _ = try await city.command("driver_available", "M1", "14", "", "", "")
            for (booking, notified) in [("b1", "0"), ("b2", "500")] {
                #expect(try await city.book("p-\(booking)", booking, "M1", 1).isOK)
                #expect(try await city.command("seat_accept", "M1", booking, "", "").isOK)
                try await city.raw(["HSET", "{test}:booking:\(booking)", "notified", notified])
                #expect(try await city.command("seat_aboard", "M1", booking, "", "").isOK)
            }
            #expect(try await pays(city, "driver:M1") == ["f"])
        }
    }

    @Test("C60: a minibus that stays away pays, and its passenger only if that comes often")
    func minibusStaysAway() async throws {
        try await TestCity.run { city in
            try await city.minibus("M1", seats: 4)
            _ = try await city.command("driver_available", "M1", "14", "", "", "")
            try await city.position("M1", "45.12", at: 1)
            for (booking, place) in [("b1", "45.12"), ("b2", "45.115")] {
                #expect(try await city.book("p-\(booking)", booking, "M1", 1).isOK)
                #expect(try await city.command("seat_accept", "M1", booking, "", "").isOK)
                try await city.advance(121_000)
                try await city.position("M1", place, at: booking == "b1" ? 2 : 3)
                #expect(try await city.command("seat_cancel", "passenger", "p-\(booking)", "", "").isOK)
            }
            #expect(try await pays(city, "p-b1") == ["y"])
            #expect(try await pays(city, "driver:M1") == [""])
            #expect(try await pays(city, "p-b2") == [""], "it was on its way")
        }
    }

    @Test("C60: a bus completes what it was not near: it fetched nobody, and has not kept its promise")
    func completedFromAfar() async throws {
        try await TestCity.run { city in
            try await start(city)
            try await drive(city, to: 100)
            #expect(try await request(city, "c1", wish("s1", 2_000, inMinutes: 5)).isOK)
            #expect(try await answer(city, "accept", "s1").isOK)
            try await city.advance(65_000)
            #expect(try await answer(city, "complete", "s1").isOK)
            #expect(try await pays(city, "bus_driver:B1") == ["p"])
            #expect(try await pays(city, "c1") == [])
        }
    }

    @Test("C60: who sends a bus away that is there has let it come in vain")
    func busSentAway() async throws {
        try await TestCity.run { city in
            try await start(city)
            for (id, notified) in [("s1", "20"), ("s2", "500")] {
                #expect(try await request(city, "c-\(id)", wish(id, 2_000, inMinutes: 5)).isOK)
                #expect(try await answer(city, "accept", id).isOK)
                try await city.raw(["HSET", "{test}:stop:\(id)", "notified", notified])
                #expect(try await city.command("stop_cancel", "c-\(id)", id, "").isOK)
            }
            #expect(try await pays(city, "c-s1") == ["n"])
            #expect(try await pays(city, "c-s2") == [""])
        }
    }

    @Test("C60: what changes nothing is not in the log: online again, stops passed again")
    func loggedOnce() async throws {
        try await TestCity.run { city in
            try await city.minibus("M1", seats: 4)
            for _ in 1...5 { _ = try await city.command("driver_available", "M1", "14", "", "", "") }
            _ = try await city.command(
                "tour_start", "B1", "t1", "8", "8", "L", "out", "", #"["a","b","c"]"#, "w", "", "", "", "", "", "0", "")
            for _ in 1...5 {
                for step in ["1", "-1"] { #expect(try await city.command("tour_step", "B1", step, "", "", "").isOK) }
            }
            let entries = try await city.raw(["XRANGE", "{test}:events", "-", "+"]).array ?? []
            let types = entries.compactMap { $0[1]["type"].text }
            #expect(types.filter { $0 == "driver.online" }.count == 1)
            #expect(types.filter { $0 == "stop.passed" }.count == 1)
        }
    }
}
