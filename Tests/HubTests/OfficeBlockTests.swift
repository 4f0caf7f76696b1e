import RedisLink
import Testing
import Wire

@testable import Hub

/// Whom the office has blocked: against a real Redis.
@Suite struct OfficeBlockTests {
    private static let hour = 3_600_000

    @discardableResult
    private func block(_ city: TestCity, _ role: String, _ subject: String, until: Int = 0) async throws
        -> TestCity.Outcome
    {
        let till = until == 0 ? "0" : "\(1_800_000_000_000 + until)"
        return try await city.command("office_block", "o1", role, subject, "Rude to passengers.", till, "")
    }

    private func unblock(_ city: TestCity, _ role: String, _ subject: String) async throws -> TestCity.Outcome {
        try await city.command("office_unblock", "o1", role, subject, "")
    }

    private func available(_ city: TestCity, _ driver: String) async throws -> TestCity.Outcome {
        try await city.command("driver_available", driver, "14", "", "", "")
    }

    /// The driver can't be available until it is unblocked.
    private func holds(_ city: TestCity, _ driver: String) async throws {
        #expect(try await city.field("vehicle:\(driver)", "state") == "unavailable")
        #expect(try await available(city, driver) == .refused("forbidden"))
        #expect(try await city.raw(["ZSCORE", "{test}:free:14", driver]).text == nil)
        #expect(try await city.brokenInvariants() == [])
        #expect(try await unblock(city, "driver", driver).isOK)
        #expect(try await available(city, driver).isOK)
        #expect(try await city.brokenInvariants() == [])
    }

    @Test("an operator can't push what it did out of the audit: 60 acts a minute, and the next changes nothing")
    func manyActs() async throws {
        try await TestCity.run { city in
            for _ in 0..<60 { #expect(try await block(city, "passenger", "p1").isOK) }
            #expect(try await block(city, "passenger", "p2") == .refused("rate_limited"))
            #expect(try await unblock(city, "passenger", "p1") == .refused("rate_limited"))
            #expect(try await city.raw(["HEXISTS", "{test}:passenger:p2", "blocked"]).int == 0)
            #expect(try await city.raw(["XLEN", "{test}:audit"]).int == 60)
            let other = try await city.command("office_block", "o2", "passenger", "p2", "Rude.", "0", "")
            #expect(other.isOK, "each has its own")
            try await city.advance(60_000)
            #expect(try await unblock(city, "passenger", "p1").isOK)
        }
    }

    @Test(
        "so many are blocked at once: one more is refused and changes nothing, until one is unblocked or its block has ended"
    )
    func manyBlocked() async throws {
        try await TestCity.run { city in
            try await block(city, "driver", "T1", until: Self.hour)
            try await block(city, "passenger", "T1")
            try await block(city, "bus_driver", "T1")
            let others = (3..<10_000).flatMap { ["inf", "passenger:x\($0)"] }
            try await city.raw(["ZADD", "{test}:blocked"] + others)
            #expect(try await block(city, "passenger", "p1") == .refused("not_available"))
            let refused = try await city.call("office_block", ["o1", "passenger", "p1", "Rude.", "0", ""]).text ?? ""
            #expect(refused.contains("10000 people") && refused.contains("office.unblock"), "\(refused)")
            #expect(try await city.raw(["EXISTS", "{test}:passenger:p1"]).int == 0)
            #expect(try await city.raw(["XLEN", "{test}:audit"]).int == 3)
            #expect(try await block(city, "driver", "T1", until: 2 * Self.hour).isOK, "it is blocked already")
            #expect(try await unblock(city, "bus_driver", "T1").isOK)
            #expect(try await block(city, "passenger", "p1").isOK)
            #expect(try await block(city, "passenger", "p2") == .refused("not_available"))
            try await city.advance(2 * Self.hour)
            #expect(try await block(city, "passenger", "p2").isOK, "that of the driver has ended")
            try await city.sweep()
            #expect(try await city.raw(["ZCARD", "{test}:blocked"]).int == 10_000)
            #expect(try await city.raw(["ZSCORE", "{test}:blocked", "vehicle:T1"]).text == nil)
            #expect(try await block(city, "passenger", "p3") == .refused("not_available"))
        }
    }

    @Test("a block that ends leaves nothing of who was never here; one for good stays")
    func neverHere() async throws {
        try await TestCity.run { city in
            let people = [("driver", "vehicle:x"), ("passenger", "passenger:x"), ("bus_driver", "busdriver:x")]
            for (role, key) in people {
                try await block(city, role, "x", until: Self.hour)
                #expect(try await city.raw(["EXISTS", "{test}:\(key)"]).int == 1)
                try await block(city, role, "bad")
            }
            /// As if they had gone long ago.
            func sweep() async throws {
                let gone = try await city.raw(["ZRANGE", "{test}:gone", "0", "-1"]).array?.compactMap(\.text) ?? []
                #expect(gone.count == 3)
                for who in gone { try await city.raw(["ZADD", "{test}:gone", "1", who]) }
                try await city.sweep()
            }
            try await sweep()
            for (_, key) in people { #expect(try await city.raw(["EXISTS", "{test}:\(key)"]).int == 1) }
            try await city.advance(Self.hour)
            try await sweep()
            for (_, key) in people { #expect(try await city.raw(["EXISTS", "{test}:\(key)"]).int == 0) }
            #expect(try await city.raw(["ZCARD", "{test}:gone"]).int == 0)
            for key in ["vehicle:bad", "passenger:bad", "busdriver:bad"] {
                #expect(try await city.raw(["HEXISTS", "{test}:\(key)", "blocked"]).int == 1)
            }
        }
    }

    @Test("blocks for a moment, and those that are ended by hand, fill nothing")
    func moments() async throws {
        try await TestCity.run { city in
            for role in ["driver", "passenger", "bus_driver"] {
                try await block(city, role, "x", until: Self.hour)
                try await block(city, role, "y", until: 9 * Self.hour)
                #expect(try await city.command("office_unblock", "o1", role, "y", "").isOK)
            }
            try await city.raw(["HSET", "{test}:passenger:seen", "cancels", "1 2"])
            try await block(city, "passenger", "seen", until: Self.hour)
            #expect(try await city.raw(["ZCARD", "{test}:gone"]).int == 4)
            try await city.advance(Self.hour)
            try await city.sweep()
            for key in ["vehicle:x", "passenger:x", "busdriver:x", "vehicle:y", "passenger:y", "busdriver:y"] {
                #expect(try await city.raw(["EXISTS", "{test}:\(key)"]).int == 0, "\(key)")
            }
            #expect(try await city.raw(["ZRANGE", "{test}:gone", "0", "-1"]).array?.map(\.text) == ["passenger:seen"])
            #expect(try await city.field("passenger:seen", "cancels") == "1 2")
            #expect(try await city.field("passenger:seen", "blocked") == nil)
        }
    }

    @Test("who is followed and was never here leaves nothing when its block ends, and is followed when it comes")
    func followed() async throws {
        try await TestCity.run { city in
            func exists(_ driver: String) async throws -> Bool {
                try await city.raw(["EXISTS", "{test}:vehicle:\(driver)"]).int == 1
            }
            func follow(_ driver: String) async throws { try await city.call("feed_watch", ["60000", driver]) }
            for driver in ["ends", "ended", "comes", "old", "forgotten"] {
                try await block(city, "driver", driver, until: Self.hour)
                try await follow(driver)
            }
            #expect(try await unblock(city, "driver", "ended").isOK)
            try await city.connect("comes")
            #expect(try await city.field("vehicle:comes", "watched") != nil)
            // As an earlier version has left them.
            for driver in ["old", "forgotten"] {
                try await city.raw(["HSET", "{test}:vehicle:\(driver)", "watched", "1"])
            }
            try await city.raw(["HDEL", "{test}:vehicle:forgotten", "blocked"])
            try await city.raw(["ZREM", "{test}:blocked", "vehicle:forgotten"])
            try await city.raw(["ZADD", "{test}:gone", "1", "forgotten"])
            try await city.advance(Self.hour)
            try await city.sweep()
            for driver in ["ends", "ended", "old", "forgotten"] {
                #expect(try await !exists(driver), "\(driver)")
                #expect(try await city.raw(["ZSCORE", "{test}:gone", driver]).text == nil, "\(driver)")
            }
            #expect(try await exists("comes"))
        }
    }

    @Test("a blocked bus driver starts no tour; the one under way goes on")
    func busDriver() async throws {
        try await TestCity.run { city in
            func start(_ tour: String) async throws -> TestCity.Outcome {
                try await city.command(
                    "tour_start", "B1", tour, "8", "8", "L", "out", "", #"["a","b"]"#, "w", "", "", "", "", "", "0", "")
            }
            let first = try await start("t1")
            #expect(first.isOK)
            #expect(try await block(city, "bus_driver", "B1").isOK)
            #expect(try await start("t1").isOK, "the same again")
            #expect(try await city.command("tour_end", "bus_driver", "B1", "", "", "").isOK)
            #expect(try await start("t2") == .refused("forbidden"))
            #expect(try await unblock(city, "bus_driver", "B1").isOK)
            #expect(try await start("t2").isOK)
        }
    }

    @Test("one that waits is taken out and told; the detail says why, until when, and whom to turn to")
    func waiting() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1", "T2")
            let blocked = try await block(city, "driver", "T1", until: Self.hour)
            #expect(blocked["state"]?.text == "unavailable")
            #expect(blocked["until"]?.integer == 1_800_003_600_000)
            #expect(try await city.order("14") == ["T2"])
            let text = "The office has blocked you until 2027-01-15 09:00 UTC; turn to the office. Its reason: "
            let left = try await city.last("queue.left", "driver:T1")
            #expect(left?["reason"]?.text == "operator" && left?["text"]?.text == text + "Rude to passengers.")
            let refused = try await city.call("driver_available", ["T1", "14", "", "", ""]).text
            #expect(refused == "-forbidden \(Self.hour)\n\(text)Rude to passengers.")
            try await holds(city, "T1")
        }
    }

    @Test("an offer goes to the next, and counts against nobody")
    func offered() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1", "T2")
            _ = try await city.request("p1", "r1", "14")
            try await block(city, "driver", "T1")
            #expect(try await city.offered("r1") == "T2")
            #expect(try await city.raw(["EXISTS", "{test}:cancels:driver:T1"]).int == 0)
            try await holds(city, "T1")
        }
    }

    @Test(
        "away, lost or outside: no way leads back to the queue",
        arguments: ["away", "lost", "outside", "new session"])
    func absent(how: String) async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            if how == "outside" { try await city.call("driver_outside", ["T1"]) }
            if how == "away" || how == "lost" { try await city.call("driver_gone", ["T1", "s-T1"]) }
            if how == "lost" {
                try await city.advance(70_000)
                try await city.sweep()
            }
            try await block(city, "driver", "T1")
            try await city.call("session_hello", ["driver", "T1", "s2-T1", "w2", ""])
            #expect(try await city.call("driver_recover", ["T1", "14"]).int == 0)
            #expect(try await city.call("driver_move", ["T1", "15"]).int == 0)
            try await city.advance(200_000)
            try await city.sweep()
            try await holds(city, "T1")
        }
    }

    @Test(
        "a ride under way is finished, and then the driver is unavailable",
        arguments: ["ended", "passenger cancels", "driver cancels", "office cancels", "no show", "not aboard"])
    func busy(how: String) async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1", "T2")
            try await city.assign("r1", of: "p1", to: "T1")
            let blocked = try await block(city, "driver", "T1")
            #expect(blocked["state"]?.text == "busy")
            #expect(try await city.told("driver:T1").last == "notice")
            #expect(try await available(city, "T1") == .refused("not_available"))
            let end: TestCity.Outcome
            switch how {
            case "ended":
                #expect(try await city.command("ride_aboard", "T1", "", "", "").isOK)
                end = try await city.command("ride_finish", "T1", "", "14", "")
                #expect(end["reason"]?.text == "blocked" && end["rank"] == nil)
            case "passenger cancels": end = try await city.command("ride_cancel", "passenger", "p1", "", "", "")
            case "driver cancels":
                end = try await city.command("ride_cancel", "driver", "T1", "", "", "14")
                #expect(try await city.offered("r1") == "T2")
            case "office cancels": end = try await city.command("office_cancel", "o1", "ride", "r1", "Why.", "")
            case "no show":
                try await city.call("ride_alert", ["T1", "r1", "20", "3", "high"])
                try await city.advance(180_000)
                end = try await city.command("ride_noshow", "T1", "", "")
                #expect(end["reason"]?.text == "blocked")
            default:
                #expect(try await city.command("ride_aboard", "T1", "", "", "").isOK)
                try await city.advance(120_000)
                end = try await city.command("ride_cancel", "passenger", "p1", "", "", "")
            }
            #expect(end.isOK)
            #expect(try await city.order("14") == ["T2"])
            try await holds(city, "T1")
        }
    }

    @Test("C47: a minibus is offline, serves its bookings to their end, and takes no others")
    func minibus() async throws {
        try await TestCity.run { city in
            try await city.minibus("M1", seats: 8)
            _ = try await available(city, "M1")
            _ = try await city.book("p1", "b1", "M1", 2)
            _ = try await city.command("seat_accept", "M1", "b1", "", "")
            _ = try await city.book("p2", "b2", "M1", 1)
            try await block(city, "driver", "M1")
            #expect(try await city.field("booking:b1", "state") == "confirmed")
            #expect(try await city.field("booking:b2", "state") == "declined")
            #expect(try await city.book("p2", "b3", "M1", 1) == .refused("not_available"))
            #expect(try await city.brokenInvariants() == [])
            try await city.call("driver_gone", ["M1", "s-M1"])
            try await city.minibus("M1", seats: 8)
            #expect(try await city.command("seat_aboard", "M1", "b1", "", "").isOK)
            #expect(try await city.command("seat_end", "M1", "b1", "").isOK)
            try await holds(city, "M1")
        }
    }

    @Test("it ends by itself, and can be replaced or ended before")
    func ends() async throws {
        try await TestCity.run { city in
            try await city.connect("T1")
            try await block(city, "driver", "T1", until: Self.hour)
            try await city.advance(Self.hour - 1)
            #expect(try await available(city, "T1") == .refused("forbidden"))
            try await city.advance(1)
            #expect(try await available(city, "T1").isOK)
            #expect(try await city.command("office_driver", "T1")["blocked"] == nil)
            #expect(try await unblock(city, "driver", "T1") == .refused("not_available"))
            #expect(try await block(city, "driver", "T1", until: Self.hour) == .refused("bad_message"), "that is now")
            try await block(city, "driver", "T1")
            try await city.advance(10_000 * Self.hour)
            let driver = try await city.command("office_driver", "T1")
            #expect(driver["blocked"]?["by"]?.text == "o1" && driver["blocked"]?["until"] == nil)
            try await holds(city, "T1")
        }
    }

    @Test("one that was never here can be blocked, also where a bus has the name for a while, or it is long gone")
    func unseen() async throws {
        try await TestCity.run { city in
            #expect(try await block(city, "driver", "T1")["state"] == nil)
            #expect(try await city.command("office_driver", "T1")["blocked"]?["reason"]?.text == "Rude to passengers.")
            try await city.connect("T1")
            #expect(try await available(city, "T1") == .refused("forbidden"))
            try await city.raw(["HSET", "{test}:catalog", "version", "v1"])
            _ = try await city.command(
                "tour_start", "d1", "t_1", "T1", "8", "52", "52:0", "", "[]", "w", "52", "1", "", "", "", "0", "")
            #expect(try await city.field("vehicle:T1", "kind") == "bus")
            #expect(try await block(city, "driver", "T1") == .refused("not_found"), "it is a bus now")
            _ = try await city.command("tour_end", "bus_driver", "d1", "", "", "")
            try await city.raw(["ZADD", "{test}:gone", "1", "T1"])
            try await city.sweep()
            #expect(try await city.field("vehicle:T1", "kind") == nil, "forgotten")
            try await city.connect("T1")
            try await holds(city, "T1")
        }
    }

    private func stop(_ city: TestCity) async throws -> String {
        let wish = """
            {"id":"s1","lat":1,"lon":9.0,"at":1800000600000,"passengers":1,"places":{},"next":{},"later":false}
            """
        let reply = try await city.call("stop_request", ["p1", "", "L", "", "", #"{"name":"Ada"}"#, wish])
        return String((reply.text ?? "").dropFirst().prefix { $0 != " " && $0 != "\n" })
    }

    @Test("a blocked passenger can't ask for a ride, a seat or a stop; what is open goes on")
    func passenger() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            try await city.minibus("M1", seats: 8)
            _ = try await available(city, "M1")
            try await city.assign("r1", of: "p1", to: "T1")
            try await block(city, "passenger", "p1", until: Self.hour)
            #expect(try await city.last("notice", "passenger:p1")?["text"]?.text?.contains("Rude") == true)
            #expect(try await city.command("ride_aboard", "T1", "", "", "").isOK)
            #expect(try await city.command("ride_finish", "T1", "", "14", "").isOK)
            #expect(try await city.request("p1", "r2", "14") == .refused("forbidden"))
            #expect(try await city.book("p1", "b1", "M1", 1) == .refused("forbidden"))
            #expect(try await stop(city) == "forbidden")
            #expect(try await city.request("p2", "r2", "14").isOK, "others may")
            #expect(try await city.raw(["EXISTS", "{test}:booking:b1", "{test}:stop:s1"]).int == 0)
            try await city.advance(Self.hour)
            #expect(try await city.book("p1", "b1", "M1", 1).isOK)
            #expect(try await stop(city) == "no_driver")
            try await block(city, "passenger", "p1")
            _ = try await city.command("seat_cancel", "passenger", "p1", "b1", "")
            #expect(try await city.book("p1", "b2", "M1", 1) == .refused("forbidden"))
            #expect(try await unblock(city, "passenger", "p1").isOK)
            #expect(try await city.book("p1", "b2", "M1", 1).isOK)
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test("days are written as calendars have them")
    func calendar() async throws {
        try await TestCity.run { city in
            for (until, written) in [
                (1_830_254_340_001, "2027-12-31 12:00"), (1_835_438_400_000, "2028-02-29 12:00"),
                (1_835_481_599_999, "2028-03-01 00:00"), (4_107_542_400_000, "2100-03-01 00:00"),
                (32_503_680_000_000, "3000-01-01 00:00"),
            ] {
                _ = try await city.command("office_block", "o1", "passenger", "p1", "Why.", "\(until)", "")
                let text = try await city.last("notice", "passenger:p1")?["text"]?.text ?? ""
                #expect(text.contains(" until \(written) UTC;"), "\(text)")
            }
        }
    }
}
