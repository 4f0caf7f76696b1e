import RedisLink
import Testing
import Wire

@testable import Hub

/// What an operator does by hand to queues, rides and bookings: office_rides.lua against a real Redis.
@Suite struct OfficeRideTests {
    /// Three who wait in zone 14 and were heard there.
    private func rank(_ city: TestCity, _ drivers: String...) async throws {
        for driver in drivers {
            try await city.queue("14", driver)
            try await city.position(driver, "45.1", at: 1_800_000_000_000)
        }
    }

    private func put(
        _ city: TestCity, _ driver: String, rank: String = "", zone: String = "14", wanted: String = "",
        key: String = ""
    ) async throws -> TestCity.Outcome {
        let code = zone.isEmpty ? "outside_zones" : ""
        return try await city.command(
            "office_put", "o1", driver, zone, code, code.isEmpty ? "" : "Nowhere.", wanted, rank, "By mistake.", key)
    }

    private func remove(_ city: TestCity, _ driver: String) async throws {
        #expect(try await city.command("office_remove", "o1", driver, "Empty.", "").isOK)
    }

    /// `before` and `after` of the last act.
    private func lastAct(_ city: TestCity) async throws -> JSONValue? {
        guard case .ok(let page) = try await city.command("office_audit", "", "1") else { return nil }
        return page["entries"]?.elements?.first
    }

    // MARK: office.put

    @Test("whom its papers keep out the office can't put there either; who is put has its card")
    func papers() async throws {
        try await TestCity.run { city in
            try await rank(city, "T1", "T2")
            try await city.register("T1", licence: "2020-01-01")
            try await city.register("T2", name: "Bo")
            for driver in ["T1", "T2"] { try await remove(city, driver) }
            #expect(try await put(city, "T1") == .refused("not_available"))
            #expect(try await city.order("14") == [])
            #expect(try await put(city, "T2").isOK)
            #expect(try await city.field("vehicle:T2", "card") == #"{"name":"Bo"}"#)
            // Who is there already may be moved: what is under way goes on.
            try await city.register("T2", licence: "2020-01-01", name: "Bo")
            #expect(try await put(city, "T2", rank: "1").isOK)
        }
    }

    @Test("one that was taken out gets its old place back, however it lost it")
    func oldPlace() async throws {
        try await TestCity.run { city in
            try await rank(city, "T1", "T2", "T3")
            try await remove(city, "T2")
            let back = try await put(city, "T2", key: "k")
            #expect(back["rank"]?.integer == 2 && back["zone"]?.text == "14" && back["size"]?.integer == 3)
            #expect(try await put(city, "T2", key: "k") == back, "repeated")
            #expect(try await city.order("14") == ["T1", "T2", "T3"])
            let joined = try await city.last("queue.joined", "driver:T2")
            #expect(joined?["reason"]?.text == "operator" && joined?["rank"]?.integer == 2)
            let act = try await lastAct(city)
            #expect(act?["command"]?.text == "office.put" && act?["before"]?["state"]?.text == "unavailable")
            #expect(act?["after"]?["rank"]?.integer == 2 && act?["reason"]?.text == "By mistake.")
            // Outside, and for longer than its place is kept for it.
            try await city.call("driver_outside", ["T1"])
            try await city.advance(1_000_000)
            for driver in ["T1", "T2", "T3"] { try await city.position(driver, "45.1", at: 1_800_001_000_000) }
            #expect(try await put(city, "T1")["rank"]?.integer == 1)
            // In another zone, or after an hour, there is no old place.
            try await remove(city, "T1")
            #expect(try await put(city, "T1", zone: "15")["rank"]?.integer == 1)
            try await remove(city, "T2")
            try await city.advance(3_600_000)
            for driver in ["T1", "T2", "T3"] { try await city.position(driver, "45.1", at: 1_800_004_600_000) }
            #expect(try await put(city, "T2")["rank"]?.integer == 2)
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test("a rank is that place, or the end; who waits is moved; who is put there is asked in that turn")
    func ranks() async throws {
        try await TestCity.run { city in
            try await rank(city, "T1", "T2", "T3", "T4")
            #expect(try await put(city, "T4", rank: "2")["rank"]?.integer == 2)
            #expect(try await city.order("14") == ["T1", "T4", "T2", "T3"])
            #expect(try await put(city, "T4", rank: "4")["rank"]?.integer == 4)
            #expect(try await put(city, "T3", rank: "1")["rank"]?.integer == 1)
            #expect(try await put(city, "T1", rank: "99")["rank"]?.integer == 4)
            #expect(try await city.order("14") == ["T3", "T2", "T4", "T1"])
            try await remove(city, "T2")
            #expect(try await put(city, "T2", rank: "1")["rank"]?.integer == 1)
            #expect(try await put(city, "T2") == .refused("not_available"), "it waits: a rank is needed")
            #expect(try await city.brokenInvariants() == [])
            for (n, driver) in ["T2", "T3", "T4", "T1"].enumerated() {
                _ = try await city.request("p\(n)", "r\(n)", "14")
                #expect(try await city.offered("r\(n)") == driver)
            }
            // Its offer stays with who is moved.
            #expect(try await put(city, "T2", rank: "3").isOK)
            #expect(try await city.command("offer_accept", "T2", "r0", "", "").isOK)
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test("between the same two it goes on until there is no more room, which is refused and changes nothing")
    func room() async throws {
        try await TestCity.run { city in
            try await rank(city, "T1", "T2", "T3", "T4")
            var puts = 0
            while try await put(city, puts % 2 == 0 ? "T4" : "T3", rank: "2").isOK {
                puts += 1
                if puts > 200 { break }
                #expect(try await city.order("14").first == "T1")
            }
            #expect(puts > 20 && puts < 200)
            #expect(try await city.order("14").count == 4)
            #expect(try await put(city, "T4", rank: "1").isOK)
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test("who is on a ride, blocked, not there, elsewhere, a minibus or unknown is refused, and told what to do")
    func putRefused() async throws {
        try await TestCity.run { city in
            try await rank(city, "T1", "T2", "T3")
            #expect(try await put(city, "T9") == .refused("not_found"))
            try await city.minibus("M1", seats: 8)
            #expect(try await put(city, "M1") == .refused("not_available"))
            try await city.assign("r1", of: "p1", to: "T1")
            #expect(try await put(city, "T1") == .refused("not_available"))
            try await remove(city, "T2")
            #expect(try await put(city, "T2", zone: "") == .refused("outside_zones"))
            #expect(try await put(city, "T2", wanted: "15") == .refused("not_available"))
            try await city.connect("T4")
            #expect(try await put(city, "T4") == .refused("no_position"), "it has sent none")
            try await city.advance(600_000)
            #expect(try await put(city, "T2") == .refused("no_position"), "long ago")
            try await city.call("driver_gone", ["T2", "s-T2"])
            #expect(try await put(city, "T2") == .refused("not_available"), "not connected")
            _ = try await city.command("office_block", "o1", "driver", "T3", "Why.", "0", "")
            #expect(try await put(city, "T3") == .refused("not_available"))
            let detail =
                try await city.call(
                    "office_put", ["o1", "T3", "14", "", "", "", "", "Why.", ""]
                ).text ?? ""
            #expect(detail.contains("office.unblock"))
            #expect(try await city.order("14") == [])
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test("a ride that waits is offered to who is put into the queue")
    func putServes() async throws {
        try await TestCity.run { city in
            try await rank(city, "T1", "T2")
            try await remove(city, "T2")
            _ = try await city.request("p1", "r1", "14")
            _ = try await city.request("p2", "r2", "14")
            #expect(try await put(city, "T2").isOK)
            #expect(try await city.offered("r2") == "T2")
        }
    }

    // MARK: office.offer

    @Test("a chosen driver is asked, whoever's turn it is; if it declines, the search goes on as it would")
    func offer() async throws {
        try await TestCity.run { city in
            try await rank(city, "T1", "T2", "T3")
            try await city.queue("15", "T5")
            _ = try await city.request("p1", "r1", "14")
            #expect(try await city.offered("r1") == "T1")
            let reply = try await city.command("office_offer", "o1", "r1", "T3", "k")
            #expect(reply["driver"]?.text == "T3" && reply["state"]?.text == "offered")
            #expect(try await city.command("office_offer", "o1", "r1", "T3", "k") == reply, "repeated")
            #expect(try await city.offered("r1") == "T3")
            #expect(try await city.told("driver:T1").last == "offer.withdrawn")
            #expect(try await city.command("offer_accept", "T1", "r1", "", "") == .refused("offer_expired"))
            #expect(try await lastAct(city)?["before"]?["driver"]?.text == "T1")
            #expect(try await lastAct(city)?["after"]?["driver"]?.text == "T3")
            // It is seen, and declined: T1 has its turn.
            #expect(try await city.command("offer_seen", "T3", "r1").isOK)
            #expect(try await city.command("offer_decline", "T3", "r1", "").isOK)
            #expect(try await city.offered("r1") == "T1")
            // One of another zone does not answer in time, and accepts the second time.
            #expect(try await city.command("office_offer", "o1", "r1", "T5", "").isOK)
            #expect(try await city.last("offer.made", "driver:T5")?["zone"]?.text == "14")
            try await city.advance(20_000)
            try await city.sweep()
            #expect(try await city.offered("r1") == "T1")
            #expect(try await city.brokenInvariants() == [])
            try await city.connect("T5")
            #expect(try await city.command("office_offer", "o1", "r1", "T5", "").isOK)
            #expect(try await city.command("offer_accept", "T5", "r1", "", "").isOK)
            #expect(try await city.order("15") == [])
            #expect(try await city.brokenInvariants() == [])
            _ = try await city.request("p2", "r2", "14")
            #expect(try await city.offered("r2") == "T1", "it was asked nothing in the end")
        }
    }

    @Test("who can't be asked, and what is not searched for, is refused")
    func offerRefused() async throws {
        try await TestCity.run { city in
            try await rank(city, "T1", "T2", "T3", "T4")
            #expect(try await city.command("office_offer", "o1", "r1", "T1", "") == .refused("not_found"))
            _ = try await city.request("p1", "r1", "14")
            #expect(try await city.command("office_offer", "o1", "r1", "T9", "") == .refused("not_found"))
            #expect(try await city.command("office_offer", "o1", "r1", "T1", "") == .refused("not_available"), "asked")
            _ = try await city.request("p2", "r2", "14")
            #expect(try await city.command("office_offer", "o1", "r1", "T2", "") == .refused("not_available"), "asked")
            try await city.call("driver_gone", ["T3", "s-T3"])
            #expect(try await city.command("office_offer", "o1", "r1", "T3", "") == .refused("not_available"), "gone")
            try await city.raw(["HSET", "{test}:vehicle:T4", "seats", "1"])
            #expect(try await city.command("office_offer", "o1", "r1", "T4", "") == .refused("seats_full"))
            try await remove(city, "T4")
            #expect(try await city.command("office_offer", "o1", "r1", "T4", "") == .refused("not_available"))
            #expect(try await city.command("offer_accept", "T1", "r1", "", "").isOK)
            let taken = try await city.call("office_offer", ["o1", "r1", "T2", ""]).text ?? ""
            #expect(taken.hasPrefix("-not_available") && taken.contains("office.reassign"))
            _ = try await city.command("ride_aboard", "T1", "r1", "", "")
            #expect(try await city.command("office_offer", "o1", "r1", "T2", "") == .refused("not_available"))
            _ = try await city.command("ride_finish", "T1", "r1", "14", "")
            #expect(try await city.command("office_offer", "o1", "r1", "T2", "") == .refused("not_available"))
            #expect(try await city.brokenInvariants() == [])
        }
    }

    // MARK: office.reassign

    private func reassign(
        _ city: TestCity, _ ride: String = "r1", to driver: String = "", key: String = ""
    ) async throws -> TestCity.Outcome {
        try await city.command("office_reassign", "o1", ride, driver, "A flat tyre.", key)
    }

    @Test(
        "a ride is taken from its driver, who keeps its turn, and goes to the next or to who is chosen",
        arguments: ["", "T3"])
    func reassigns(to chosen: String) async throws {
        try await TestCity.run { city in
            try await rank(city, "T1", "T2", "T3")
            try await city.assign("r1", of: "p1", to: "T1")
            _ = try await city.request("p2", "r2", "14")
            _ = try await city.command("offer_decline", "T2", "r2", "")
            _ = try await city.command("offer_decline", "T3", "r2", "")
            let reply = try await reassign(city, to: chosen, key: "k")
            #expect(reply["driver"]?.text == (chosen.isEmpty ? "T2" : chosen) && reply["state"]?.text == "offered")
            #expect(try await reassign(city, to: chosen, key: "k") == reply, "repeated")
            #expect(try await city.offered("r1") == reply["driver"]?.text)
            let told = try await city.last("ride.cancelled", "driver:T1")
            #expect(told?["by"]?.text == "operator" && told?["text"]?.text == "A flat tyre.")
            #expect(try await city.last("queue.joined", "driver:T1")?["rank"]?.integer == 1, "it keeps its turn")
            #expect(try await city.last("ride.searching", "passenger:p1")?["reason"]?.text == "operator")
            #expect(try await city.raw(["EXISTS", "{test}:cancels:driver:T1", "{test}:cancels:p1"]).int == 0)
            #expect(try await city.offered("r2") == "T1", "it is asked for the other one, not for this one")
            #expect(try await lastAct(city)?["before"]?["driver"]?.text == "T1")
            #expect(try await city.brokenInvariants() == [])
            let next = reply["driver"]?.text ?? ""
            #expect(try await city.command("offer_accept", next, "r1", "", "").isOK)
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test("a driver who is lost goes to the bottom, and a blocked one is unavailable")
    func reassignsFromLost() async throws {
        try await TestCity.run { city in
            try await rank(city, "T1", "T2", "T3")
            try await city.assign("r1", of: "p1", to: "T1")
            _ = try await city.command("office_block", "o1", "driver", "T1", "Why.", "0", "")
            #expect(try await reassign(city)["driver"]?.text == "T2")
            #expect(try await city.field("vehicle:T1", "state") == "unavailable")
            #expect(try await city.brokenInvariants() == [])
            #expect(try await city.command("offer_accept", "T2", "r1", "", "").isOK)
            try await city.call("driver_gone", ["T2", "s-T2"])
            try await city.advance(60_000)
            try await city.sweep()
            try await city.connect("T3")
            if try await city.field("vehicle:T2", "missing") != nil {
                #expect(try await reassign(city)["driver"]?.text == "T3")
                #expect(try await city.order("14").last == "T2")
            }
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test("what nobody has taken, aboard or over, or what nobody else can take, is refused")
    func reassignRefused() async throws {
        try await TestCity.run { city in
            #expect(try await reassign(city) == .refused("not_found"))
            try await rank(city, "T1", "T2")
            _ = try await city.request("p1", "r1", "14")
            #expect(try await reassign(city) == .refused("not_available"))
            #expect(try await city.command("offer_accept", "T1", "r1", "", "").isOK)
            #expect(try await reassign(city, to: "T1") == .refused("not_available"))
            #expect(try await reassign(city, to: "T9") == .refused("not_found"))
            try await remove(city, "T2")
            #expect(try await reassign(city) == .refused("zone_empty"))
            #expect(try await reassign(city, to: "T2") == .refused("not_available"))
            _ = try await city.command("ride_aboard", "T1", "r1", "", "")
            #expect(try await reassign(city) == .refused("not_available"))
            _ = try await city.command("ride_finish", "T1", "r1", "14", "")
            #expect(try await reassign(city) == .refused("not_available"))
            #expect(try await city.brokenInvariants() == [])
        }
    }

    // MARK: office.end, and bookings

    private func end(_ city: TestCity, _ what: String, _ id: String, key: String = "") async throws -> TestCity.Outcome
    {
        try await city.command("office_end", "o1", what, id, "The phone is broken.", key)
    }

    @Test("a ride that its driver does not end is ended; the driver is told and says itself when it is available again")
    func endsRide() async throws {
        try await TestCity.run { city in
            #expect(try await end(city, "ride", "r1") == .refused("not_found"))
            try await rank(city, "T1")
            _ = try await city.request("p1", "r1", "14")
            #expect(try await end(city, "ride", "r1") == .refused("not_available"))
            #expect(try await city.command("offer_accept", "T1", "r1", "", "").isOK)
            #expect(try await end(city, "ride", "r1") == .refused("not_available"))
            _ = try await city.command("ride_aboard", "T1", "r1", "", "")
            let reply = try await end(city, "ride", "r1", key: "k")
            #expect(reply["state"]?.text == "ended" && reply["ride"]?.text == "r1")
            #expect(try await end(city, "ride", "r1", key: "k") == reply, "repeated")
            #expect(try await end(city, "ride", "r1") == .refused("not_available"))
            #expect(try await city.last("ride.ended", "passenger:p1")?["reason"]?.text == "operator")
            #expect(try await city.last("ride.cancelled", "driver:T1")?["text"]?.text == "The phone is broken.")
            #expect(try await city.field("vehicle:T1", "state") == "unavailable")
            #expect(try await city.brokenInvariants() == [])
            #expect(try await city.command("driver_available", "T1", "14", "", "", "").isOK)
            #expect(try await city.request("p1", "r2", "14").isOK)
        }
    }

    @Test("C47: a booking is cancelled before anybody is aboard, and ended after; its seats are free again")
    func bookings() async throws {
        try await TestCity.run { city in
            func cancel(_ booking: String, key: String = "") async throws -> TestCity.Outcome {
                try await city.command("office_cancel", "o1", "booking", booking, "She has called.", key)
            }
            try await city.minibus("M1", seats: 8)
            _ = try await city.command("driver_available", "M1", "", "", "", "")
            #expect(try await cancel("b1") == .refused("not_found"))
            // Asked, waiting and confirmed.
            for n in 1...3 { _ = try await city.book("p\(n)", "b\(n)", "M1", 2) }
            #expect(try await cancel("b1", key: "k")["booking"]?.text == "b1")
            #expect(try await cancel("b1", key: "k")["state"]?.text == "cancelled", "repeated")
            #expect(try await cancel("b3").isOK)
            #expect(try await city.brokenInvariants() == [])
            #expect(try await end(city, "booking", "b2") == .refused("not_available"))
            #expect(try await city.command("seat_accept", "M1", "b2", "", "").isOK)
            #expect(try await cancel("b2").isOK)
            for who in ["passenger:p2", "driver:M1"] {
                let told = try await city.last("seat.cancelled", who)
                #expect(told?["by"]?.text == "operator" && told?["text"]?.text == "She has called.")
            }
            #expect(try await city.field("vehicle:M1", "seats") == "8")
            #expect(try await cancel("b2") == .refused("not_available"), "it is over")
            for who in ["p1", "p2", "p3", "driver:M1"] {
                #expect(try await city.raw(["EXISTS", "{test}:cancels:\(who)"]).int == 0, "\(who)")
            }
            _ = try await city.book("p4", "b4", "M1", 3)
            #expect(try await city.command("seat_accept", "M1", "b4", "", "").isOK)
            #expect(try await city.command("seat_aboard", "M1", "b4", "", "").isOK)
            #expect(try await cancel("b4") == .refused("not_available"), "aboard")
            #expect(try await end(city, "booking", "b4")["booking"]?.text == "b4")
            #expect(try await city.told("passenger:p4").last == "seat.ended")
            #expect(try await city.field("vehicle:M1", "seats") == "8")
            #expect(try await lastAct(city)?["target"]?.text == "booking:b4")
            #expect(try await city.brokenInvariants() == [])
        }
    }
}
