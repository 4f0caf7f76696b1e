import RedisLink
import Testing
import Wire

@testable import Hub

/// queue.lua, driver.lua, presence.lua and sweep.lua against a real Redis.
@Suite struct DriverFunctionTests {
    @Test("Q2–Q5: available joins at the bottom, not available leaves; rank and size from one reading")
    func availability() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            try await city.connect("T2")
            let reply = try await city.command("driver_available", "T2", "14", "", "", "")
            #expect(reply["rank"]?.integer == 2)
            #expect(reply["size"]?.integer == 2)
            #expect(
                try await city.command("driver_available", "T1", "14", "", "", "")["rank"]?.integer == 1,
                "twice is once")
            #expect(try await city.command("driver_unavailable", "T1", "").isOK)
            #expect(try await city.order("14") == ["T2"])
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test("Q6: moving to another zone is to its bottom; an open offer stays answerable")
    func moving() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            try await city.queue("15", "T2")
            _ = try await city.request("p1", "r1", "14")
            try await city.call("driver_move", ["T1", "15"])
            #expect(try await city.order("14") == [])
            #expect(try await city.order("15") == ["T2", "T1"])
            #expect(try await city.command("offer_accept", "T1", "r1", "", "").isOK)
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test("Going not available with an open offer hands the offer on")
    func leavingWithAnOffer() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1", "T2")
            _ = try await city.request("p1", "r1", "14")
            _ = try await city.command("driver_unavailable", "T1", "")
            #expect(try await city.offered("r1") == "T2")
        }
    }

    @Test("C19: out of every zone and back within 30 minutes: the old place; later: the bottom by its own wish only")
    func outsideAndBack() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1", "T2")
            try await city.call("driver_outside", ["T1"])
            #expect(try await city.order("14") == ["T2"])
            try await city.advance(1_700_000)
            #expect(try await city.call("driver_recover", ["T1", "14"]).int == 1)
            #expect(try await city.order("14") == ["T1", "T2"])
            try await city.call("driver_outside", ["T1"])
            try await city.advance(1_900_000)
            #expect(try await city.call("driver_recover", ["T1", "14"]).int == 0)
            #expect(try await city.order("14") == ["T2"])
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test("A lost link: skipped at once, the place kept for 60 s, given back within 30 minutes")
    func lostLink() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1", "T2")
            try await city.call("driver_gone", ["T1", "s-T1"])
            _ = try await city.request("p1", "r1", "14")
            #expect(try await city.offered("r1") == "T2", "skipped while away")
            try await city.advance(59_000)
            try await city.sweep()
            #expect(try await city.order("14").first == "T1", "the place is kept")
            try await city.advance(2_000)
            try await city.sweep()
            #expect(try await city.order("14") == ["T2"])
            #expect(try await city.last("queue.left", "driver:T1")?["reason"]?.text == "connection_lost")
            try await city.advance(600_000)
            try await city.connect("T1")
            #expect(try await city.order("14") == ["T1", "T2"])
            #expect(try await city.last("queue.joined", "driver:T1")?["reason"]?.text == "recovered")
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test("The close of an older connection does not make a driver away that has a newer one")
    func olderConnectionCloses() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            try await city.call("session_hello", ["driver", "T1", "s-new", "w2", ""])
            #expect(try await city.call("driver_gone", ["T1", "s-T1"]).int == 0)
            _ = try await city.request("p1", "r1", "14")
            #expect(try await city.offered("r1") == "T1")
        }
    }

    @Test("C7: an available driver that is silent for 150 s is not asked")
    func silentDriver() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1", "T2")
            try await city.advance(100_000)
            try await city.call("positions_take", ["T2", "w.2", "45.1", "9.1", "1", "", "", "", ""])
            try await city.advance(60_000)
            try await city.sweep()
            _ = try await city.request("p1", "r1", "14")
            #expect(try await city.offered("r1") == "T2")
            try await city.call("positions_take", ["T1", "w.1", "45.1", "9.1", "1", "", "", "", ""])
            _ = try await city.request("p2", "r2", "14")
            #expect(try await city.offered("r2") == "T1")
        }
    }

    @Test("C38: the drivers of a worker that no longer sweeps are away; a sweep twice is harmless")
    func deadWorker() async throws {
        try await TestCity.run { city in
            try await city.call("session_hello", ["driver", "T1", "s1", "dead", ""])
            _ = try await city.command("driver_available", "T1", "14", "", "", "")
            try await city.queue("14", "T2")
            try await city.raw(["ZADD", "{test}:workers", "1000", "dead"])
            // On a machine that stood still a worker that sweeps late judges no other.
            for _ in 0..<10 where try await !city.raw(["ZSCORE", "{test}:workers", "dead"]).isNull {
                try await city.sweep()
            }
            try await city.sweep()
            _ = try await city.request("p1", "r1", "14")
            #expect(try await city.offered("r1") == "T2")
            #expect(try await city.raw(["ZSCORE", "{test}:workers", "dead"]).isNull)
        }
    }

    @Test("C33: a driver lost with an accepted ride: the ride is searched again in the end")
    func lostWithARide() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1", "T2")
            try await city.assign("r1", of: "p1", to: "T1")
            try await city.call("driver_gone", ["T1", "s-T1"])
            try await city.advance(120_000)
            try await city.sweep()
            #expect(try await city.field("ride:r1", "driver") == "T1", "the assignment stands at first")
            try await city.advance(1_700_000)
            try await city.call("session_hello", ["driver", "T2", "s-T2", "w", ""])
            try await city.call("positions_take", ["T2", "w.2", "45.1", "9.1", "1", "", "", "", ""])
            try await city.sweep()
            #expect(try await city.last("ride.searching", "passenger:p1")?["reason"]?.text == "driver_lost")
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test("C33: a driver lost with a passenger aboard: the ride ends in the end, and the passenger may request again")
    func lostAboard() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1", "T2")
            try await city.assign("r1", of: "p1", to: "T1")
            _ = try await city.command("ride_aboard", "T1", "", "", "")
            try await city.call("driver_gone", ["T1", "s-T1"])
            try await city.advance(70_000)
            try await city.sweep()
            #expect(try await city.field("ride:r1", "state") == "aboard")
            try await city.advance(1_800_000)
            try await city.sweep()
            #expect(try await city.last("ride.ended", "passenger:p1")?["reason"]?.text == "driver_lost")
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test("A busy driver that falls silent without a word of its link is noticed")
    func silentOnARide() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            try await city.assign("r1", of: "p1", to: "T1")
            try await city.advance(151_000)
            try await city.sweep()
            #expect(try await city.field("vehicle:T1", "away_why") == "stale")
            try await city.advance(1_800_000)
            try await city.sweep()
            #expect(try await city.last("ride.failed", "passenger:p1")?["code"]?.text == "zone_empty")
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test("A position that was kept while Redis was away is as old as it is, and does not overtake a newer one")
    func keptPosition() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            let began = try #require(Int(try await city.raw(["ZSCORE", "{test}:alive", "T1"]).text ?? ""))
            try await city.advance(60_000)
            let now = try #require(Int(try await city.call("city_now", []).text ?? ""))
            try await city.call("positions_take", ["T1", "w.1", "45.1", "9.1", "1", "", "", "", "\(began - 5_000)"])
            #expect(try await city.field("vehicle:T1", "heard") == "\(began - 5_000)")
            #expect(try await city.raw(["ZSCORE", "{test}:alive", "T1"]).text == "\(began)", "it said more since")
            try await city.call("positions_take", ["T1", "w.1", "45.1", "9.1", "1", "", "", "", "\(now - 10_000)"])
            #expect(try await city.raw(["ZSCORE", "{test}:alive", "T1"]).text == "\(now - 10_000)")
            try await city.call("positions_take", ["T1", "w.1", "45.2", "9.2", "2", "", "", "", "\(now - 1_000)"])
            try await city.call(
                "positions_take", ["T1", "other.1", "45.3", "9.3", "3", "", "", "r1", "\(now - 30_000)"])
            #expect(try await city.field("vehicle:T1", "lat") == "45.2")
            #expect(try await city.field("vehicle:T1", "at") == "2")
            #expect(try await city.field("vehicle:T1", "heard") == "\(now - 1_000)")
            let place = try await city.raw(["GEOPOS", "{test}:pos", "T1"])
            #expect(place[0][1].text?.hasPrefix("45.2") == true || place[0][1].text?.hasPrefix("45.19") == true)
            // A worker's clock that is ahead is not believed.
            try await city.call("positions_take", ["T1", "w.1", "45.4", "9.4", "4", "", "", "", "\(now + 600_000)"])
            let heard = try #require(Int(try await city.field("vehicle:T1", "heard") ?? ""))
            #expect(heard >= now && heard < now + 60_000)
        }
    }

    @Test("C2, C63: of two workers' links the silent one gains no time for a jump; the speaking one is not refused")
    func twoLinks() async throws {
        try await TestCity.run { city in
            try await city.raw(["HSET", "{test}:settings", "max_speed_mps", "45"])
            try await city.call("session_hello", ["driver", "T1", "w.1", "w", ""])
            try await city.call("session_hello", ["driver", "T1", "other.1", "other", ""])
            try await city.call("positions_take", ["T1", "other.1", "45.1", "9.1", "1", "", "", "", ""])
            try await city.advance(40_000)
            try await city.call("positions_take", ["T1", "other.1", "45.1", "9.1", "2", "", "", "", ""])
            try await city.advance(1_000)
            // 1.1 km in a second: where the link at w was silent for 41.
            try await city.call("positions_take", ["T1", "w.1", "45.11", "9.1", "3", "", "", "", ""])
            #expect(try await city.field("vehicle:T1", "lat") == "45.1")
            #expect(try await city.field("vehicle:T1", "session") == "other.1", "it goes on speaking")
            // 111 m are driven in a second and a bit.
            try await city.call("positions_take", ["T1", "w.1", "45.101", "9.1", "4", "", "", "", ""])
            #expect(try await city.field("vehicle:T1", "lat") == "45.101")
            #expect(try await city.field("vehicle:T1", "session") == "w.1")
            // Of who speaks the worker's filter has judged.
            try await city.call("positions_take", ["T1", "w.1", "45.2", "9.1", "5", "", "", "", ""])
            #expect(try await city.field("vehicle:T1", "lat") == "45.2")
        }
    }

    @Test("One position at the pole, or one bad record, stops nobody else")
    func oneBadApple() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1", "T2")
            let batch = [
                "T1", "w.1", "89.9", "9", "1", "", "", "", "", "T2", "w.2", "45.1", "9.1", "2", "", "", "", "",
            ]
            #expect(try await city.call("positions_take", batch).int == 2)
            #expect(try await city.field("vehicle:T2", "at") == "2")
            try await city.raw(["ZADD", "{test}:offers", "1", "no-such-ride"])
            try await city.raw(["HSET", "{test}:ride:broken", "state", "offered", "offered_to", "T9"])
            try await city.raw(["ZADD", "{test}:offers", "1", "broken"])
            _ = try await city.request("p1", "r1", "14")
            try await city.advance(3_600)
            try await city.sweep()
            #expect(try await city.offered("r1") == "T2", "T1's offer was swept all the same")
        }
    }

    @Test("C38: who has not swept for long judges nobody; a worker taken for dead gets its drivers back")
    func wronglyDead() async throws {
        try await TestCity.run { city in
            try await city.call("session_hello", ["driver", "T1", "other.1", "other", ""])
            _ = try await city.command("driver_available", "T1", "14", "", "", "")
            try await city.sweep()
            try await city.raw(["ZADD", "{test}:workers", "1000", "other", "1000", "w"])
            try await city.sweep()
            #expect(try await city.field("vehicle:T1", "away") == nil, "Redis was away for both")
            // On a busy machine the next one may come late, too.
            for _ in 0..<20 where try await city.field("vehicle:T1", "away") == nil { try await city.sweep() }
            #expect(try await city.field("vehicle:T1", "away") != nil)
            try await city.call("positions_take", ["T1", "other.1", "45", "9", "1", "", "", "", ""])
            #expect(try await city.field("vehicle:T1", "away") == nil)
            #expect(try await city.raw(["SISMEMBER", "{test}:drivers:other", "T1"]).int == 1)
        }
    }

    @Test("A driver that crosses zones with an open offer leaves no ride of the new zone hanging")
    func crossingWithAnOffer() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            _ = try await city.request("p1", "r1", "14")
            try await city.call("driver_move", ["T1", "15"])
            _ = try await city.request("p2", "r2", "15")
            #expect(try await city.command("ride_cancel", "passenger", "p1", "", "", "").isOK)
            #expect(try await city.offered("r2") == "T1")
        }
    }

    @Test("A refusal that says try again is not kept for its key")
    func retryWithTheSameKey() async throws {
        try await TestCity.run { city in
            #expect(try await city.request("p1", "r1", "14", key: "k") == .refused("zone_empty"))
            try await city.queue("14", "T1")
            #expect(try await city.request("p1", "r1", "14", key: "k").isOK)
        }
    }

    @Test("CH1, C54: what was missed comes once and in order; a history that no longer reaches back is a gap")
    func history() async throws {
        try await TestCity.run { city in
            let first = try await city.call("session_hello", ["passenger", "p1", "s", "w", ""])
            #expect(first[1].text == "fresh")
            try await city.queue("14", "T1")
            _ = try await city.request("p1", "r1", "14")
            let seen = first[0].text ?? ""
            let resumed = try await city.call("session_hello", ["passenger", "p1", "s", "w", seen])
            #expect(resumed[1].text == "resumed")
            #expect(resumed[9].array?.map { $0[1]["type"].text } == ["ride.searching"])
            _ = try await city.command("ride_cancel", "passenger", "p1", "r1", "", "")
            try await city.raw(["XTRIM", "{test}:ch:passenger:p1", "MAXLEN", "1"])
            #expect(try await city.call("session_hello", ["passenger", "p1", "s", "w", seen])[1].text == "gap")
            #expect(try await city.call("session_hello", ["passenger", "p1", "s", "w", "no seq"])[1].text == "gap")
            let future = try await city.call("session_hello", ["passenger", "p1", "s", "w", "99999999999999-0"])
            #expect(future[1].text == "gap", "an event that Redis has lost again")
            let hostile = try await city.call("session_hello", ["passenger", "p1", "s", "w", "99999999999999999999-0"])
            #expect(hostile[1].text == "gap")
        }
    }

    @Test("The partition of a channel is the same in Lua and in Swift: what is told arrives where a worker listens")
    func partitions() async throws {
        try await TestCity.run { city in
            for driver in ["T1", "T345", "a-much-longer.name:with_all-kinds", "0"] {
                let heard = try await city.heard(on: Channel.partition("driver:" + driver)) {
                    try await city.queue("14", driver)
                }
                #expect(heard.contains { $0.channel == "driver:" + driver && $0.type == "queue.joined" })
            }
        }
    }
}
