import RedisLink
import Testing
import Wire

@testable import Hub

/// offer.lua against a real Redis.
@Suite struct OfferFunctionTests {
    @Test("R3: the head of the queue is asked, and nobody else")
    func headIsAsked() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1", "T2")
            let reply = try await city.request("p1", "r1", "14")
            #expect(reply["state"]?.text == "searching")
            #expect(try await city.offered("r1") == "T1")
            #expect(try await city.told("driver:T1").last == "offer.made")
            #expect(try await city.told("driver:T2").contains("offer.made") == false)
            let offer = try await city.last("offer.made", "driver:T1")
            #expect(offer?["expires_in_ms"]?.integer == 10_000)
            #expect(offer?["pickup"] == nil, "R6: nobody but the driver who accepted sees the position")
        }
    }

    @Test("R5, C24: who declines goes to the bottom, and the next is asked")
    func declineGoesToBottom() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1", "T2", "T3")
            _ = try await city.request("p1", "r1", "14")
            #expect(try await city.command("offer_decline", "T1", "r1", "").isOK)
            #expect(try await city.order("14") == ["T2", "T3", "T1"])
            #expect(try await city.offered("r1") == "T2")
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test("R4, C30: the time runs from offer.seen; without an answer it counts as a decline")
    func silenceCountsAsDecline() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1", "T2")
            _ = try await city.request("p1", "r1", "14")
            try await city.advance(2_900)
            #expect(try await city.command("offer_seen", "T1", "r1")["expires_in_ms"]?.integer == 10_000)
            try await city.advance(9_900)
            try await city.sweep()
            #expect(try await city.offered("r1") == "T1", "2.9 s + 9.9 s: the clock began at offer.seen")
            try await city.advance(700)
            try await city.sweep()
            #expect(try await city.offered("r1") == "T2")
            #expect(try await city.order("14") == ["T2", "T1"])
            #expect(try await city.last("offer.withdrawn", "driver:T1")?["reason"]?.text == "expired")
            #expect(try await city.command("offer_accept", "T1", "r1", "", "") == .refused("offer_expired"))
        }
    }

    @Test("C30: an offer that is not shown is undelivered: the place is kept, the next is asked")
    func undeliveredKeepsThePlace() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1", "T2")
            _ = try await city.request("p1", "r1", "14")
            try await city.advance(3_600)
            try await city.sweep()
            #expect(try await city.order("14") == ["T1", "T2"])
            #expect(try await city.offered("r1") == "T2")
            #expect(try await city.last("offer.withdrawn", "driver:T1")?["reason"]?.text == "undelivered")
            _ = try await city.request("p2", "r2", "14")
            #expect(try await city.offered("r2") == nil, "T1 is not asked before it shows that it lives")
            try await city.call("positions_take", ["T1", "w.1", "45.1", "9.1", "1", "", "", "", ""])
            #expect(try await city.offered("r2") == "T1")
        }
    }

    @Test("R6, I2: accept makes the driver busy, out of the queue, and tells both")
    func accept() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1", "T2")
            try await city.call("positions_take", ["T1", "w.1", "45.2", "9.2", "77", "", "", "", ""])
            _ = try await city.request("p1", "r1", "14")
            let reply = try await city.command("offer_accept", "T1", "r1", "k", "93")
            #expect(reply["pickup"]?["lat"]?.double == 45.1)
            #expect(try await city.order("14") == ["T2"])
            let told = try await city.last("ride.accepted", "passenger:p1")
            #expect(told?["taxi"]?.text == "T1")
            #expect(told?["eta_s"]?.integer == 93)
            #expect(told?["position"]?["at"]?.integer == 77)
            #expect(try await city.told("driver:T1").last == "ride.assigned")
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test("C32: accept twice is accept once; with or without a key")
    func acceptTwice() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            _ = try await city.request("p1", "r1", "14")
            let first = try await city.command("offer_accept", "T1", "r1", "k", "")
            #expect(try await city.command("offer_accept", "T1", "r1", "k", "") == first)
            #expect(try await city.command("offer_accept", "T1", "r1", "", "").isOK)
            #expect(try await city.told("passenger:p1").filter { $0 == "ride.accepted" }.count == 1)
        }
    }

    @Test("C28: accept within the grace wins against the timeout, after it loses; one winner each time")
    func acceptAgainstTimeout() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1", "T2")
            _ = try await city.request("p1", "r1", "14")
            _ = try await city.command("offer_seen", "T1", "r1")
            try await city.advance(10_300)
            try await city.sweep()
            #expect(try await city.command("offer_accept", "T1", "r1", "", "").isOK, "10.3 s: within 0.5 s of grace")
            _ = try await city.request("p2", "r2", "14")
            _ = try await city.command("offer_seen", "T2", "r2")
            try await city.advance(11_000)
            #expect(try await city.command("offer_accept", "T2", "r2", "", "") == .refused("offer_expired"))
            #expect(
                try await city.offered("r2") == nil,
                "it is the only one there, and the second round comes after a pause")
            try await city.advance(12_000)
            try await city.sweep()
            #expect(try await city.offered("r2") == "T2", "second round")
        }
    }

    @Test("C35, R5: when all decline, the passenger is told after a round and given up after the last")
    func allDecline() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1", "T2")
            _ = try await city.request("p1", "r1", "14")
            for driver in ["T1", "T2", "T1", "T2"] {
                #expect(try await city.offered("r1") == driver)
                #expect(try await city.command("offer_decline", driver, "r1", "").isOK)
                if driver == "T2" {
                    try await city.advance(12_000)
                    try await city.sweep()
                }
            }
            #expect(try await city.told("passenger:p1") == ["ride.searching", "ride.searching", "ride.failed"])
            #expect(try await city.last("ride.failed", "passenger:p1")?["code"]?.text == "no_driver")
            #expect(try await city.request("p1", "r2", "14").isOK, "I4: the failed one is no longer open")
        }
    }

    @Test(
        "R5, R14: a driver alone is asked again after a pause; who comes meanwhile is asked, and the search ends in the end"
    )
    func pauseBetweenRounds() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            _ = try await city.request("p1", "r1", "14")
            _ = try await city.command("offer_decline", "T1", "r1", "")
            try await city.advance(11_999)
            try await city.sweep()
            #expect(try await city.offered("r1") == nil, "it has just declined")
            try await city.queue("14", "T2")
            #expect(try await city.offered("r1") == "T2")
            _ = try await city.command("offer_decline", "T2", "r1", "")
            try await city.advance(11_999)
            try await city.sweep()
            #expect(try await city.offered("r1") == nil, "the pause is after the last answer")
            try await city.advance(1)
            try await city.sweep()
            #expect(try await city.offered("r1") == "T1")
            #expect(try await city.last("ride.searching", "passenger:p1")?["round"]?.integer == 2)
            _ = try await city.command("offer_decline", "T1", "r1", "")
            _ = try await city.command("offer_decline", "T2", "r1", "")
            #expect(try await city.last("ride.failed", "passenger:p1")?["code"]?.text == "no_driver")
            #expect(try await city.raw(["ZCARD", "{test}:offers"]).int == 0)
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test("C26: a taxi without enough free seats is passed over and keeps its place; what nobody can carry is refused")
    func fullTaxi() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1", "T2")
            #expect(try await city.command("seats_set", "T1", "3", "4", "", "").isOK)
            _ = try await city.request("p1", "r1", "14")
            #expect(try await city.offered("r1") == "T2", "T1 has one seat, two are needed")
            #expect(try await city.order("14") == ["T1", "T2"])
            // Nobody who is there can carry it any more.
            #expect(try await city.command("seats_set", "T2", "4", "4", "", "").isOK)
            _ = try await city.command("offer_decline", "T2", "r1", "")
            #expect(try await city.last("ride.failed", "passenger:p1")?["code"]?.text == "seats_full")
            #expect(try await city.request("p1", "r2", "14") == .refused("seats_full"))
            // Seats that are free again are offered at once.
            try await city.queue("14", "T3")
            _ = try await city.request("p1", "r3", "14")
            _ = try await city.request("p2", "r4", "14")
            #expect(try await city.offered("r4") == nil)
            #expect(try await city.command("seats_set", "T1", "0", "4", "", "").isOK)
            #expect(try await city.offered("r4") == "T1")
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test("R2: requests of a zone are served in the order in which they came")
    func requestsInOrder() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            _ = try await city.request("p1", "r1", "14")
            _ = try await city.request("p2", "r2", "14")
            _ = try await city.request("p3", "r3", "14")
            try await city.queue("14", "T2")
            #expect(try await city.offered("r2") == "T2")
            try await city.queue("14", "T3")
            #expect(try await city.offered("r3") == "T3")
        }
    }

    @Test("C36: an offer to another is refused by name, an unknown ride too")
    func foreignOffers() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1", "T2")
            _ = try await city.request("p1", "r1", "14")
            #expect(try await city.command("offer_accept", "T2", "r1", "", "") == .refused("not_found"))
            #expect(try await city.command("offer_seen", "T1", "r9") == .refused("not_found"))
            _ = try await city.command("offer_decline", "T1", "r1", "")
            _ = try await city.command("offer_accept", "T2", "r1", "", "")
            #expect(try await city.command("offer_accept", "T1", "r1", "", "") == .refused("offer_taken"))
        }
    }

    @Test("A key that was used for another command is refused, not answered with that command's reply")
    func keyOfAnotherCommand() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            _ = try await city.request("p1", "r1", "14")
            _ = try await city.command("offer_accept", "T1", "r1", "k", "")
            #expect(try await city.command("ride_aboard", "T1", "", "", "k") == .refused("bad_message"))
        }
    }

    /// An offer may last longer than the search: because it is set so, or because that was set while it was open.
    @Test(
        "A search that nobody answers ends at its time, and the driver's screen is cleared", arguments: [true, false])
    func searchTimesOut(isSetBefore: Bool) async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            let setting = ["HSET", "{test}:settings", "offer_timeout_ms", "900000"]
            if isSetBefore { try await city.raw(setting) }
            _ = try await city.request("p1", "r1", "14")
            try await city.raw(setting)
            try await city.advance(2_000)
            _ = try await city.command("offer_seen", "T1", "r1")
            try await city.advance(300_001)
            try await city.sweep()
            #expect(try await city.last("ride.failed", "passenger:p1")?["code"]?.text == "timeout")
            #expect(try await city.told("driver:T1").last == "offer.withdrawn")
            #expect(try await city.order("14") == ["T1"])
            #expect(try await city.brokenInvariants() == [])
        }
    }
}
