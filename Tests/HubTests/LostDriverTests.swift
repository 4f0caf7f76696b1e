import RedisLink
import Testing
import Wire

@testable import Hub

/// A driver that can't be reached while somebody waits for it, or that is reached twice; against a real Redis.
@Suite struct LostDriverTests {
    @Test("C33, C64: the passenger of a lost driver is told, and when it is back; the ride is its own all the time")
    func lostAndBack() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1", "T2")
            try await city.assign("r1", of: "p1", to: "T1")
            #expect(
                try await city.command("ride_search", "p1", "", "") == .refused("not_available"), "it is on its way")
            try await city.call("driver_gone", ["T1", "s-T1"])
            let since = Int64(try await city.field("vehicle:T1", "away") ?? "") ?? 0
            try await city.advance(119_999)
            try await city.sweep()
            #expect(try await city.told("passenger:p1").last == "ride.accepted")
            try await city.advance(1)
            for _ in 0..<2 { try await city.sweep() }
            #expect(try await city.told("passenger:p1").filter { $0 == "ride.driver_lost" }.count == 1)
            let told = try await city.last("ride.driver_lost", "passenger:p1")
            #expect(told?["taxi"]?.text == "T1" && told?["since"]?.integer == since)
            #expect(told?["until"]?.integer == since + 1_800_000)
            let shown = try await city.call("session_hello", ["passenger", "p1", "s-p1", "w", ""])[2].text ?? ""
            #expect(try JSONValue(parsing: Array(shown.utf8))["ride"]?["driver_lost"]?["since"]?.integer == since)
            try await city.call("session_hello", ["driver", "T1", "s2-T1", "w", ""])
            #expect(try await city.told("passenger:p1").last == "ride.driver_back")
            #expect(try await city.command("ride_search", "p1", "", "") == .refused("not_available"), "it is back")
            #expect(try await city.field("ride:r1", "driver") == "T1")
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test(
        "C33, C64: a passenger who waits no longer is searched for again, first in line; the lost driver finds how it stands"
    )
    func lostAndSearched() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1", "T2")
            try await city.assign("r1", of: "p1", to: "T1")
            _ = try await city.request("p2", "r2", "14")
            _ = try await city.request("p3", "r3", "14")
            try await city.call("driver_gone", ["T1", "s-T1"])
            try await city.advance(120_000)
            try await city.call("positions_take", ["T2", "s-T2", "45.1", "9.1", "1", "", "", "", ""])
            try await city.sweep()
            _ = try await city.command("offer_decline", "T2", "r2", "")
            for _ in 0..<2 {
                #expect(try await city.command("ride_search", "p1", "", "k")["state"]?.text == "searching")
            }
            #expect(try await city.last("ride.searching", "passenger:p1")?["reason"]?.text == "driver_lost")
            let told = try await city.last("ride.cancelled", "driver:T1")
            #expect(told?["by"]?.text == "passenger" && told?["reason"]?.text == "driver_lost")
            try await city.call("session_hello", ["driver", "T1", "s2-T1", "w", ""])
            #expect(try await city.field("vehicle:T1", "state") == "unavailable")
            #expect(try await city.told("passenger:p1").contains("ride.driver_back") == false)
            #expect(try await city.command("ride_aboard", "T1", "r1", "", "") == .refused("not_found"))
            try await city.advance(1_800_000)
            try await city.sweep()
            #expect(try await city.told("driver:T1").filter { $0 == "ride.cancelled" }.count == 1)
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test("C63: while nobody else could be asked the ride stays with the lost driver, and giving it up costs nothing")
    func lostAndNobodyElse() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            try await city.assign("r1", of: "p1", to: "T1")
            try await city.call("driver_gone", ["T1", "s-T1"])
            try await city.advance(120_000)
            try await city.sweep()
            #expect(try await city.command("ride_search", "p1", "", "") == .refused("zone_empty"))
            #expect(try await city.field("ride:r1", "state") == "accepted")
            try await city.call("session_hello", ["driver", "T1", "s2-T1", "w", ""])
            #expect(try await city.told("passenger:p1").last == "ride.driver_back")
            try await city.call("driver_gone", ["T1", "s2-T1"])
            try await city.advance(120_000)
            try await city.sweep()
            #expect(try await city.told("passenger:p1").last == "ride.driver_lost")
            #expect(try await city.command("ride_cancel", "passenger", "p1", "", "", "").isOK)
            #expect(try await city.raw(["LLEN", "{test}:cancels:p1"]).int == 0)
        }
    }

    @Test("C63: who gave the ride back is nobody else, and a free driver with room is")
    func lostAndWhoCouldBeAsked() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1", "T2")
            try await city.assign("r1", of: "p1", to: "T1")
            #expect(try await city.command("ride_cancel", "driver", "T1", "", "", "14").isOK)
            #expect(try await city.command("offer_accept", "T2", "r1", "", "").isOK)
            try await city.call("driver_gone", ["T2", "s-T2"])
            try await city.advance(120_000)
            try await city.call("positions_take", ["T1", "s-T1", "45.1", "9.1", "1", "", "", "", ""])
            try await city.sweep()
            #expect(try await city.order("14") == ["T1"])
            #expect(try await city.command("ride_search", "p1", "", "") == .refused("zone_empty"))
            try await city.queue("14", "T3")
            #expect(try await city.command("ride_search", "p1", "", "").isOK)
            #expect(try await city.offered("r1") == "T3")
        }
    }

    @Test(
        "C33: a lost driver keeps no ride for longer than the recovery time, however late its passenger is told")
    func recoveryCountsFirst() async throws {
        try await TestCity.run { city in
            try await city.raw(["HSET", "{test}:settings", "driver_lost_ms", "3600000"])
            try await city.queue("14", "T1")
            try await city.assign("r1", of: "p1", to: "T1")
            try await city.call("driver_gone", ["T1", "s-T1"])
            try await city.advance(1_800_000)
            try await city.sweep()
            #expect(try await city.last("ride.searching", "passenger:p1")?["reason"]?.text == "driver_lost")
        }
    }

    @Test(
        "A passenger cancels a ride whose driver is away: the driver is not there again by that, and loses the place in time"
    )
    func cancelledWhileAway() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            try await city.assign("r1", of: "p1", to: "T1")
            try await city.call("driver_gone", ["T1", "s-T1"])
            try await city.advance(30_000)
            #expect(try await city.command("ride_cancel", "passenger", "p1", "", "", "").isOK)
            #expect(try await city.request("p2", "r2", "14") == .refused("zone_empty"))
            try await city.advance(30_000)
            try await city.sweep()
            #expect(try await city.field("vehicle:T1", "state") == "unavailable")
            try await city.call("session_hello", ["driver", "T1", "s2-T1", "w", ""])
            #expect(try await city.order("14") == ["T1"], "back within the recovery time")
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test("C63: of a driver's sessions on two workers the one with the latest position speaks, and the other is told")
    func latestSpeaks() async throws {
        try await TestCity.run { city in
            func told(_ body: @Sendable () async throws -> Void) async throws -> [String] {
                try await city.heard(on: Channel.partition("driver:T1"), body)
                    .filter { $0.type == "speaker" }.map { String(decoding: $0.data, as: UTF8.self) }
            }
            try await city.call("session_hello", ["driver", "T1", "a.1", "a", ""])
            let now = try await city.call("city_now", []).int ?? 0
            @Sendable func position(_ session: String, _ heard: Int64) async throws {
                try await city.call("positions_take", ["T1", session, "45.1", "9.1", "1", "", "", "", String(heard)])
            }
            let first = try await told {
                try await city.call("session_hello", ["driver", "T1", "b.1", "b", ""])
                try await position("b.1", now - 1_000)
            }
            #expect(first == ["b.1"])
            // What was measured before is told by nobody, and its worker is told so again.
            let late = try await told { try await position("a.1", now - 2_000) }
            #expect(late == ["b.1"])
            #expect(try await city.field("vehicle:T1", "worker") == "b")
            // The other phone goes on: it speaks.
            let other = try await told { try await position("a.1", now) }
            #expect(other == ["a.1"])
            #expect(try await city.field("vehicle:T1", "session") == "a.1")
            #expect(try await city.raw(["SISMEMBER", "{test}:drivers:b", "T1"]).int == 0)
            let again = try await told { try await position("a.1", now) }
            #expect(again == [], "nothing new")
        }
    }
}
