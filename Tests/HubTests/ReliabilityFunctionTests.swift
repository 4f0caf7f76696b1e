import RedisLink
import Testing
import Wire

@testable import Hub

/// What counts of passengers and drivers (reliability.lua), against a real Redis.
@Suite struct ReliabilityFunctionTests {
    private static let day = 86_400_000

    private func set(_ city: TestCity, _ name: String, _ value: Int) async throws {
        try await city.raw(["HSET", "{test}:settings", name, String(value)])
    }

    private func of(_ city: TestCity, _ role: String, _ who: String) async throws -> TestCity.Outcome {
        try await city.command("reliability_get", role, who)
    }

    /// The taxi stands at the pickup, nobody comes.
    private func miss(_ city: TestCity, _ ride: String, of passenger: String = "p1") async throws {
        _ = try await city.command("ride_request", passenger, ride, "14", "45.1", "9.1", "2", "", "", "")
        _ = try await city.command("offer_accept", "T1", ride, "", "")
        _ = try await city.call("ride_alert", ["T1", ride, "20", "5", "gps"])
        try await city.advance(200_000)
        #expect(try await city.command("ride_noshow", "T1", ride, "").isOK)
    }

    @Test("R12: what was missed is counted for its window, warned of, and followed by a pause that an operator can end")
    func passengers() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            try await set(city, "free_cancels", 100)
            try await set(city, "reliability_pause_at", 3)
            try await set(city, "reliability_warn_at", 2)
            try await set(city, "reliability_deposit_at", 2)
            try await miss(city, "r1")
            #expect(try await of(city, "passenger", "p1")["no_shows"]?.integer == 1)
            #expect(try await of(city, "passenger", "p1")["deposit"]?.boolean == false)
            try await miss(city, "r2")
            #expect(try await of(city, "passenger", "p1")["deposit"]?.boolean == true)
            #expect(try await city.last("reliability.warned", "passenger:p1")?["total"]?.integer == 2)
            try await miss(city, "r3")
            #expect(try await city.last("reliability.paused", "passenger:p1")?["until"]?.integer != nil)
            #expect(
                try await city.command("ride_request", "p1", "r4", "14", "45.1", "9.1", "2", "", "", "")
                    == .refused("forbidden"))
            let whole = try await city.command("reliability_of", "passenger", "p1", "1")
            #expect(whole["no_shows"]?.integer == 3 && whole["subject"]?.text == "p1")
            let little = try await city.command("reliability_of", "passenger", "p1", "")
            #expect(little["deposit"]?.boolean == true && little["subject"]?.text == "p1")
            for field in ["total", "no_shows", "late_cancels", "points", "warn_at", "paused_until"] {
                #expect(whole[field] != nil && little[field] == nil, "a service without the scope, \(field)")
            }
            #expect(try await city.command("reliability_reset", "o1", "passenger", "p1", "A mistake.", "").isOK)
            #expect(
                try await city.command("reliability_reset", "o1", "passenger", "p1", "Again.", "")
                    == .refused("not_available"))
            try await miss(city, "r5")
            let left = try await city.raw(["TTL", "{test}:reliability:passenger:p1"]).int ?? -1
            #expect(left > 86_400, "it goes by itself")
            try await city.advance(98 * Self.day)
            #expect(try await of(city, "passenger", "p1")["total"]?.integer == 0)
        }
    }

    @Test("R12: the audit of what is set back says what counted, and whether somebody was blocked")
    func audited() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            try await miss(city, "r1")
            #expect(try await city.command("reliability_reset", "o1", "passenger", "p1", "Why.", "").isOK)
            let entry = try await city.command("office_audit", "", "1")["entries"]?[0]
            #expect(entry?["before"]?["total"]?.integer == 1 && entry?["before"]?["blocked"]?.boolean == false)
            #expect(entry?["after"]?["total"]?.integer == 0 && entry?["after"]?["blocked"]?.boolean == false)
        }
    }

    /// `p1` is blocked (till: hub ms, `0` for good) while its ride comes, which it misses; a pause follows at once.
    private func blockAndMiss(_ city: TestCity, till: String) async throws {
        try await city.queue("14", "T1")
        try await set(city, "free_cancels", 100)
        try await set(city, "reliability_pause_at", 1)
        _ = try await city.command("ride_request", "p1", "r1", "14", "45.1", "9.1", "2", "", "", "")
        _ = try await city.command("office_block", "o1", "passenger", "p1", "Did not pay.", till, "")
        _ = try await city.command("offer_accept", "T1", "r1", "", "")
        _ = try await city.call("ride_alert", ["T1", "r1", "20", "5", "gps"])
        try await city.advance(200_000)
        #expect(try await city.command("ride_noshow", "T1", "r1", "").isOK)
    }

    @Test("R12: what the office has blocked stays blocked, whatever counts")
    func office() async throws {
        try await TestCity.run { city in
            try await blockAndMiss(city, till: "0")
            #expect(try await city.command("reliability_reset", "o1", "passenger", "p1", "Why.", "").isOK)
            #expect(try await city.field("passenger:p1", "blocked")?.hasSuffix("o1 Did not pay.") == true)
        }
    }

    @Test("R12: a pause stands beside a shorter block by the office: neither takes the other away")
    func shortBlock() async throws {
        try await TestCity.run { city in
            func asks(_ ride: String) async throws -> TestCity.Outcome {
                try await city.command("ride_request", "p1", ride, "14", "45.1", "9.1", "2", "", "", "")
            }
            try await blockAndMiss(city, till: "1800003600000")
            #expect(try await of(city, "passenger", "p1")["paused_until"]?.integer == 1_800_000_200_000 + 86_400_000)
            #expect(try await city.field("passenger:p1", "blocked")?.contains(" o1 Did not pay.\n") == true)
            #expect(try await asks("r2") == .refused("forbidden"))
            #expect(try await city.command("reliability_reset", "o1", "passenger", "p1", "Why.", "").isOK)
            #expect(try await of(city, "passenger", "p1")["paused_until"] == nil)
            #expect(try await asks("r3") == .refused("forbidden"), "the office's hour is not over")
            try await city.advance(3_600_000)
            #expect(try await asks("r4").isOK)
        }
    }

    @Test("R12: the office's block of one who is paused does not shorten the pause; ended by hand, both are over")
    func blockOfPaused() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            try await set(city, "free_cancels", 100)
            try await set(city, "reliability_pause_at", 1)
            try await miss(city, "r1")
            let till = "1800003600000"
            #expect(try await city.command("office_block", "o1", "passenger", "p1", "Why.", till, "").isOK)
            try await city.advance(3_600_000)
            let refused = try await city.command("ride_request", "p1", "r2", "14", "45.1", "9.1", "2", "", "", "")
            #expect(refused == .refused("forbidden"), "the pause goes on")
            #expect(try await city.command("office_unblock", "o1", "passenger", "p1", "").isOK)
            #expect(try await city.field("passenger:p1", "blocked") == nil)
        }
    }

    @Test("R12: a ride given back counts for its driver, who is not available while it is paused")
    func drivers() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            try await set(city, "free_cancels", 100)
            try await set(city, "reliability_driver_pause_at", 1)
            _ = try await city.command("ride_request", "p1", "r1", "14", "45.1", "9.1", "2", "", "", "")
            _ = try await city.command("offer_accept", "T1", "r1", "", "")
            #expect(try await city.command("ride_cancel", "driver", "T1", "r1", "", "14").isOK)
            #expect(try await of(city, "driver", "T1")["give_backs"]?.integer == 1)
            #expect(try await city.field("vehicle:T1", "state") == "unavailable")
            #expect(try await city.command("driver_available", "T1", "14", "", "", "") == .refused("forbidden"))
            try await city.advance(Self.day)
            #expect(try await city.command("driver_available", "T1", "14", "", "", "").isOK)
        }
    }

    private func giveBacks(_ city: TestCity) async throws -> Int64? {
        try await of(city, "driver", "T1")["give_backs"]?.integer
    }

    @Test("R12: a ride whose driver is lost counts as given back: its passenger waits no longer, or the hub does not")
    func lost() async throws {
        for isByPassenger in [true, false] {
            try await TestCity.run { city in
                try await city.queue("14", "T1", "T2")
                try await city.assign("r1", of: "p1", to: "T1")
                try await city.call("driver_gone", ["T1", "s-T1"])
                try await city.advance(isByPassenger ? 120_000 : 1_800_000)
                try await city.position("T2", "45.1", at: 1)
                try await city.sweep()
                if isByPassenger { #expect(try await city.command("ride_search", "p1", "", "").isOK) }
                #expect(try await city.last("ride.searching", "passenger:p1")?["reason"]?.text == "driver_lost")
                #expect(try await giveBacks(city) == 1)
                #expect(try await of(city, "driver", "T2")["give_backs"]?.integer == 0)
            }
        }
    }

    @Test("R12: a ride whose driver never came counts as given back, and so does one who said aboard from elsewhere")
    func neverCame() async throws {
        for isAboard in [false, true] {
            try await TestCity.run { city in
                try await city.queue("14", "T1")
                try await city.position("T1", "45.13", at: 1)
                try await city.assign("r1", of: "p1", to: "T1")
                if isAboard { #expect(try await city.command("ride_aboard", "T1", "", "", "").isOK) }
                try await city.advance(121_000)
                try await city.position("T1", "45.13", at: 2)
                #expect(try await city.command("ride_cancel", "passenger", "p1", "", "", "").isOK)
                #expect(try await giveBacks(city) == 1)
                #expect(try await of(city, "passenger", "p1")["total"]?.integer == 0)
            }
        }
    }

    @Test("C60: a taxi that stood there and was never told to have arrived may be right: both pay, nobody counts")
    func neverArrived() async throws {
        for rung in ["0", "500"] {
            try await TestCity.run { city in
                try await city.queue("14", "T1")
                try await city.position("T1", "45.101", at: 1)
                try await city.assign("r1", of: "p1", to: "T1")
                if rung == "500" { try await city.call("ride_alert", ["T1", "r1", "500", "111", "high"]) }
                #expect(try await city.command("ride_aboard", "T1", "", "", "").isOK)
                try await city.advance(121_000)
                #expect(try await city.command("ride_cancel", "passenger", "p1", "", "", "").isOK)
                let paid = try await city.raw(["LRANGE", "{test}:cancels:p1", "0", "-1"]).array?.compactMap(\.text)
                #expect(paid?.map { $0.suffix(1) } == ["t"])
                let driver = try await city.raw(["LINDEX", "{test}:cancels:driver:T1", "-1"]).text
                #expect(driver?.hasSuffix("v") == true)
                #expect(try await giveBacks(city) == 0)
                #expect(try await of(city, "passenger", "p1")["total"]?.integer == 0)
            }
        }
    }

    @Test("U11: a ride's kilometres are points, once; a brief one has none")
    func points() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            for (ride, wait, at) in [("r1", 600_000, 1), ("r2", 0, 3)] {
                _ = try await city.command("ride_request", "p1", ride, "14", "45.1", "9.1", "2", "", "", "")
                _ = try await city.command("offer_accept", "T1", ride, "", "")
                _ = try await city.call("ride_alert", ["T1", ride, "20", "5", "gps"])
                try await city.position("T1", "45.1", at: at)
                _ = try await city.command("ride_aboard", "T1", ride, "", "")
                try await city.advance(wait)
                try await city.position("T1", "45.2", at: at + 1)
                let ended = try await city.command("ride_finish", "T1", ride, "14", "k" + ride)
                #expect(try await city.command("ride_finish", "T1", ride, "14", "k" + ride) == ended)
            }
            #expect(try await of(city, "passenger", "p1")["points"]?.integer == 11)
        }
    }
}
