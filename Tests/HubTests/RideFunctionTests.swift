import RedisLink
import Testing
import Wire

@testable import Hub

/// ride.lua against a real Redis.
@Suite struct RideFunctionTests {
    @Test("R1: refused at once with the reason")
    func refusals() async throws {
        try await TestCity.run { city in
            #expect(try await city.request("p1", "r1", "14") == .refused("zone_empty"))
            try await city.queue("14", "T1")
            let tooMany = try await city.command("ride_request", "p1", "r1", "14", "45", "9", "4", "", "", "")
            #expect(tooMany == .refused("too_many_passengers"))
            #expect(try await city.request("p1", "r1", "14").isOK)
            #expect(try await city.request("p1", "r2", "14") == .refused("already_requested"))
        }
    }

    @Test("C40: a request sent twice with its key is one request")
    func requestTwice() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1", "T2")
            let first = try await city.request("p1", "r1", "14", key: "k")
            #expect(try await city.request("p1", "r2", "14", key: "k") == first)
            #expect(try await city.field("ride:r2", "state") == nil)
        }
    }

    @Test("R9–R11, Q7: 500 m, 20 m, aboard, end; each told once, and the driver at the bottom where it now is")
    func wholeRide() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            try await city.queue("15", "T2")
            try await city.assign("r1", of: "p1", to: "T1")
            for _ in 0..<2 { try await city.call("ride_alert", ["T1", "r1", "500", "480", "high"]) }
            for _ in 0..<2 { try await city.call("ride_alert", ["T1", "r1", "20", "12", "high"]) }
            try await city.call("ride_alert", ["T1", "r1", "500", "480", "high"])
            #expect(try await city.command("ride_finish", "T1", "", "15", "") == .refused("not_available"))
            #expect(try await city.command("ride_aboard", "T1", "r1", "2", "").isOK)
            let end = try await city.command("ride_finish", "T1", "", "15", "")
            #expect(end["rank"]?.integer == 2)
            #expect(
                try await city.told("passenger:p1") == [
                    "ride.searching", "ride.accepted", "ride.near", "ride.arrived", "ride.aboard", "ride.ended",
                ])
            #expect(try await city.order("15") == ["T2", "T1"])
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test("R9: arrival without the 500 m before tells both, in order")
    func arrivalImpliesNear() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            try await city.assign("r1", of: "p1", to: "T1")
            try await city.call("ride_alert", ["T1", "r1", "20", "3", "low"])
            #expect(try await city.told("passenger:p1").suffix(2) == ["ride.near", "ride.arrived"])
            #expect(try await city.told("driver:T1").last == "ride.confirm_aboard")
            try await city.call("ride_alert", ["T2", "r1", "20", "3", "low"])
            #expect(try await city.told("passenger:p1").count == 4, "only the ride's own driver climbs its ladder")
        }
    }

    @Test("R12, C24: a cancelled ride gives the driver its place back, before and after acceptance")
    func cancelRestores() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1", "T2")
            _ = try await city.request("p1", "r1", "14")
            #expect(try await city.command("ride_cancel", "passenger", "p1", "", "", "").isOK)
            #expect(try await city.order("14") == ["T1", "T2"])
            #expect(try await city.last("offer.withdrawn", "driver:T1")?["reason"]?.text == "cancelled")
            try await city.assign("r2", of: "p1", to: "T1")
            #expect(try await city.command("ride_cancel", "passenger", "p1", "", "", "").isOK)
            #expect(try await city.order("14") == ["T1", "T2"], "the old place, not the bottom")
            #expect(try await city.told("driver:T1").contains("ride.cancelled"))
            #expect(try await city.raw(["LLEN", "{test}:cancels:p1"]).int == 2)
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test("C60: whose ride is off is told whether it is available from then on, whoever took it back")
    func stateOfDriver() async throws {
        try await TestCity.run { city in
            func told() async throws -> [String?] {
                let off = try await city.last("ride.cancelled", "driver:T1")
                return [off?["by"]?.text, off?["state"]?.text, try await city.field("vehicle:T1", "state")]
            }
            try await city.raw(["HSET", "{test}:settings", "free_cancels", "2"])
            try await city.queue("14", "T1")
            // Free again.
            try await city.assign("r1", of: "p1", to: "T1")
            #expect(try await city.command("ride_cancel", "passenger", "p1", "", "", "").isOK)
            #expect(try await told() == ["passenger", nil, "available"])
            try await city.assign("r2", of: "p2", to: "T1")
            #expect(try await city.command("office_cancel", "o1", "ride", "r2", "Why.", "").isOK)
            #expect(try await told() == ["operator", nil, "available"])
            try await city.assign("r3", of: "p3", to: "T1")
            #expect(try await city.command("ride_cancel", "driver", "T1", "", "", "14").isOK)
            #expect(try await told() == ["driver", nil, "available"])
            // Once too often.
            try await city.assign("r4", of: "p4", to: "T1")
            #expect(try await city.command("ride_cancel", "driver", "T1", "", "", "14").isOK)
            #expect(try await told() == ["driver", "unavailable", "unavailable"])
            // Blocked on the way, and ended by the office.
            try await city.advance(3_600_000)
            for (ride, act) in [("r5", "office_cancel"), ("r6", "office_end")] {
                #expect(try await city.command("driver_available", "T1", "14", "", "", "").isOK)
                try await city.assign(ride, of: "p" + ride, to: "T1")
                if act == "office_end" { #expect(try await city.command("ride_aboard", "T1", "", "", "").isOK) }
                _ = try await city.command("office_block", "o1", "driver", "T1", "Why.", "0", "")
                #expect(try await city.command(act, "o1", "ride", ride, "Why.", "").isOK)
                #expect(try await told() == ["operator", "unavailable", "unavailable"])
                _ = try await city.command("office_unblock", "o1", "driver", "T1", "")
            }
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test("C34: accept against cancel: the later of the two is refused, and both sides are told")
    func acceptAgainstCancel() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            _ = try await city.request("p1", "r1", "14")
            _ = try await city.command("ride_cancel", "passenger", "p1", "r1", "", "")
            #expect(try await city.command("offer_accept", "T1", "r1", "", "") == .refused("offer_expired"))
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test("R12: a no-show is recorded, told, and restores the place")
    func noshow() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1", "T2")
            try await city.assign("r1", of: "p1", to: "T1")
            #expect(try await city.command("ride_noshow", "T1", "", "") == .refused("not_available"), "not there yet")
            try await city.call("ride_alert", ["T1", "r1", "20", "3", "high"])
            try await city.advance(178_700)
            // Told again by another fix: it counts from the first.
            try await city.call("ride_alert", ["T1", "r1", "20", "3", "high"])
            let early = try await city.call("ride_noshow", ["T1", "", ""]).text ?? ""
            #expect(early.hasPrefix("-not_available 1300\n") && early.contains(" 2 s more"))
            try await city.advance(1_300)
            #expect(try await city.command("ride_noshow", "T1", "", "").isOK)
            #expect(try await city.order("14") == ["T1", "T2"])
            #expect(try await city.raw(["LLEN", "{test}:cancels:p1"]).int == 1)
            #expect(try await city.last("ride.cancelled", "passenger:p1")?["reason"]?.text == "noshow")
        }
    }

    @Test("C45: a ride that its driver gives back is searched again, first in line; the driver goes to the bottom")
    func driverCancels() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1", "T2")
            try await city.assign("r1", of: "p1", to: "T1")
            _ = try await city.request("p2", "r2", "14")
            _ = try await city.request("p3", "r3", "14")
            #expect(try await city.command("ride_cancel", "driver", "T1", "", "", "14").isOK)
            #expect(try await city.offered("r2") == "T2")
            #expect(try await city.offered("r3") == "T1", "r1 has asked T1 already")
            #expect(try await city.order("14") == ["T2", "T1"])
            _ = try await city.command("offer_decline", "T2", "r2", "")
            #expect(try await city.offered("r1") == "T2", "r1 came before r2 and r3")
            #expect(try await city.last("ride.searching", "passenger:p1")?["reason"]?.text == "driver_cancelled")
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test("C45: a ride that is given back is as new for the next driver: nothing is left of how near the last one was")
    func asNew() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1", "T2")
            try await city.assign("r1", of: "p1", to: "T1")
            try await city.call("ride_alert", ["T1", "r1", "500", "480", "high"])
            #expect(try await city.call("pickup_walk", ["p1", "45.1005", "9.1"]).text == "")
            #expect(try await city.command("ride_cancel", "driver", "T1", "", "", "14").isOK)
            #expect(try await city.offered("r1") == "T2")
            for gone in ["near_at", "asked", "walks"] { #expect(try await city.field("ride:r1", gone) == nil) }
            #expect(try await city.field("ride:r1", "lat") == "45.1")
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test("R5: a driver that gave a ride back is not asked for it again, though it is alone; the search ends")
    func givenBackForGood() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            try await city.assign("r1", of: "p1", to: "T1")
            _ = try await city.command("ride_cancel", "driver", "T1", "", "", "14")
            #expect(try await city.order("14") == ["T1"])
            for _ in 0..<2 {
                #expect(try await city.offered("r1") == nil)
                try await city.advance(12_000)
                try await city.sweep()
            }
            #expect(try await city.last("ride.failed", "passenger:p1")?["code"]?.text == "no_driver")
            _ = try await city.request("p2", "r2", "14")
            #expect(try await city.offered("r2") == "T1", "other rides it is asked for")
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test("S6, U7: a ride is cancelled, ended and boarded by its own people only")
    func foreignRides() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            try await city.assign("r1", of: "p1", to: "T1")
            #expect(try await city.command("ride_cancel", "passenger", "p2", "r1", "", "") == .refused("not_found"))
            #expect(try await city.command("ride_aboard", "T2", "r1", "", "") == .refused("not_found"))
            _ = try await city.command("ride_aboard", "T1", "", "", "")
            #expect(try await city.command("ride_cancel", "passenger", "p1", "", "", "") == .refused("not_available"))
            #expect(try await city.command("ride_noshow", "T1", "", "") == .refused("not_available"))
        }
    }

    @Test("M10: hub time that was set back makes no ride brief, and no mark that lies ahead counts")
    func setBack() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            try await city.position("T1", "45.1", at: 1)
            try await city.assign("r1", of: "p1", to: "T1")
            try await city.call("ride_alert", ["T1", "r1", "20", "5", "high"])
            #expect(try await city.command("ride_aboard", "T1", "r1", "", "").isOK)
            try await city.position("T1", "45.13", at: 2)
            let now = try #require(try await city.field("settings", "clock_hub").flatMap { Int($0) })
            try await city.raw(["RPUSH", "{test}:cancels:driver:T1"] + (0..<20).map { "\(now - $0)f" })
            try await city.advance(-3_600_000)
            let ended = try await city.command("ride_finish", "T1", "r1", "14", "")
            #expect(ended["receipt"] != nil && ended["state"]?.text == "available")
        }
    }
}
