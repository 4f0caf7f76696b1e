import RedisLink
import Testing
import Wire

@testable import Hub

/// Reservations that are made, listed and taken back (reservation.lua), against a real Redis, hub time set forward by hand.
@Suite struct ReservationFunctionTests: Reserving {
    // MARK: making

    @Test("V1, C41: each reason refuses at its boundary and not before, and has its code")
    func refusals() async throws {
        try await TestCity.run { city in
            // 45.1 N: 0.0002546 degrees of longitude are 20 m.
            #expect(try await make(city, to: ("45.1", "9.1")) == .refused("same_place"))
            #expect(try await make(city, to: ("45.1", "9.1002")) == .refused("same_place"))
            #expect(try await make(city, "v_1", to: ("45.1", "9.1003")).isOK)
            #expect(try await make(city, passengers: 4) == .refused("too_many_passengers"))
            #expect(try await make(city, "v_2", passengers: 3).isOK)
            #expect(try await make(city, in: -1) == .refused("in_the_past"))
            #expect(try await make(city, in: 0) == .refused("too_soon"))
            #expect(try await make(city, in: 2 * Self.hour - 1) == .refused("too_soon"))
            #expect(try await make(city, "v_3", in: 2 * Self.hour).isOK)
            #expect(try await make(city, "v_4", in: 48 * Self.hour).isOK)
            #expect(try await make(city, in: 48 * Self.hour + 1) == .refused("too_far_ahead"))
            let listed = try await city.command("reservation_list", "p1")["reservations"]?.elements
            #expect(listed?.compactMap { $0["reservation"]?.text }.sorted() == ["v_1", "v_2", "v_3", "v_4"])
        }
    }

    @Test("V1: the reply repeats what was understood, and a repeated key gets it again")
    func reply() async throws {
        try await TestCity.run { city in
            let made = try await make(city, key: "k")
            #expect(try await make(city, "v_2", key: "k") == made)
            #expect(made["reservation"]?.text == "v_1" && made["state"]?.text == "open" && made["zone"]?.text == "14")
            #expect(made["at"]?.integer == Int64(Self.start + 2 * Self.hour))
            #expect(made["local"]?.text == "2027-01-15T11:00:00+01:00" && made["time_zone"]?.text == "Europe/Rome")
            #expect(made["search_at"]?.integer == Int64(Self.start + 110 * Self.minute))
            #expect(made["pickup"]?["lat"]?.double == 45.1 && made["destination"]?["lon"]?.double == 9.2)
            #expect(try await told(city) == ["made"])
            let snapshot = try await city.call("passenger_state", ["p1"]).text ?? ""
            #expect(try JSONValue(parsing: snapshot)["reservations"]?.elements?.count == 1)
            #expect(try await city.command("reservation_list", "p2")["reservations"]?.elements?.count == 0)
        }
    }

    @Test("one person has 20 at most; a blocked one none; what is refused leaves nothing")
    func limits() async throws {
        try await TestCity.run { city in
            _ = try await city.command("office_block", "o1", "passenger", "p2", "Pranks.", "0", "")
            #expect(try await make(city, of: "p2") == .refused("forbidden"))
            #expect(try await nothingIsLeft(city, "p2"))
            for n in 1...20 { #expect(try await make(city, "v_\(n)").isOK) }
            #expect(try await make(city, "v_21") == .refused("already_requested"))
            #expect(try await cancel(city, "v_7").isOK)
            #expect(try await make(city, "v_21").isOK)
        }
    }

    // MARK: taking back

    @Test("V3: it is cancelled until ten minutes before, to the millisecond; later the reason is said")
    func cancelling() async throws {
        try await TestCity.run { city in
            _ = try await make(city)
            _ = try await make(city, "v_2")
            #expect(try await cancel(city, of: "p2") == .refused("not_found"))
            #expect(try await cancel(city, "v_9") == .refused("not_found"))
            try await city.advance(110 * Self.minute)
            #expect(try await cancel(city).isOK)
            #expect(try await cancel(city).isOK, "it is so already")
            try await city.advance(1)
            #expect(try await cancel(city, "v_2") == .refused("too_late"))
            #expect(try await told(city) == ["made", "made", "cancelled"])
            #expect(try await state(city, "v_2") == "open")
            try await city.sweep()
            #expect(try await city.field("ride:r_1", "state") == nil, "C43: nobody is asked for what was cancelled")
            #expect(try await city.field("ride:r_2", "state") != nil)
        }
    }

    @Test("V3: a search that began early, and a driver who has accepted, end with the reservation")
    func cancellingItsRide() async throws {
        try await TestCity.run { city in
            for accepts in [false, true] {
                let id = accepts ? "v_2" : "v_1"
                try await city.raw(["HSET", "{test}:settings", "clock_hub", String(Self.start)])
                _ = try await make(city, id)
                try await city.raw([
                    "HSET", "{test}:settings", "reservation_search_before_ms", String(30 * Self.minute),
                ])
                try await come(city, before: 29 * Self.minute)
                try await city.queue("14", "T1")
                let ride = "r_" + id.dropFirst(2)
                #expect(try await city.offered(ride) == "T1")
                if accepts { #expect(try await city.command("offer_accept", "T1", ride, "", "").isOK) }
                #expect(try await state(city, id) == (accepts ? "assigned" : "searching"))
                #expect(try await cancel(city, id).isOK)
                #expect(try await state(city, id) == "cancelled")
                #expect(try await city.field("ride:" + ride, "state") == "cancelled")
                #expect(try await told(city).last == "cancelled")
                #expect(try await nothingIsLeft(city))
                #expect(try await city.brokenInvariants() == [])
            }
        }
    }

    @Test("its ride is taken back by itself, too: then the reservation is off")
    func rideCancelled() async throws {
        try await TestCity.run { city in
            _ = try await make(city)
            try await come(city, before: 10 * Self.minute)
            #expect(try await city.command("ride_cancel", "passenger", "p1", "r_1", "", "").isOK)
            #expect(try await state(city) == "cancelled")
            #expect(try await city.last("reservation.cancelled", "passenger:p1")?["by"]?.text == "passenger")
            #expect(try await nothingIsLeft(city))
        }
    }

    // MARK: who telephones, and what it costs

    @Test(
        "V1: an operator reserves for who telephones: an act, the driver is told whom to fetch, the office what happens"
    )
    func caller() async throws {
        try await TestCity.run { city in
            let made = try await make(city, of: "tel:0039021234", by: Self.ada)
            #expect(made.isOK)
            let audit = try await city.command("office_audit", "", "50")["entries"]?.elements
            #expect(audit?.first?["target"]?.text == "reservation:v_1")
            try await come(city, before: 10 * Self.minute)
            let heard = try await city.last("caller.told", "office")
            #expect(heard?["reservation"]?.text == "v_1" && heard?["minutes"]?.integer == 10)
            try await city.queue("14", "T1")
            let assigned = try await city.command("offer_accept", "T1", "r_1", "", "")
            #expect(assigned["contact"]?["name"]?.text == "Ada Rossi")
        }
    }

    @Test("100,000 open ones cost a sweep no command more than none, and one that is due no more than it needs itself")
    func cost() async throws {
        try await TestCity.run { city in
            func ofSweep() async throws -> [String: Int] {
                var found: [String: Int] = [:]
                // A worker that has not swept for long looks for no dead ones.
                let names = ["hgetall", "hmget", "zadd", "zrange"]
                for name in names { found[name] = try await city.calls(of: name) }
                try await city.sweep()
                for name in names { found[name] = try await city.calls(of: name) - (found[name] ?? 0) }
                return found
            }
            try await city.sweep()
            let before = try await ofSweep()
            for part in 0..<100 {
                var add = ["ZADD", "{test}:reservation-due"]
                for n in 0..<1000 { add += ["\(Self.start + Self.hour + n * 100_000)", "v_\(part * 1000 + n)"] }
                try await city.raw(add)
            }
            #expect(try await city.raw(["ZCARD", "{test}:reservation-due"]).int == 100_000)
            #expect(try await ofSweep() == before)
            _ = try await make(city, "v_due")
            try await city.raw(["ZADD", "{test}:reservation-due", "1", "v_due"])
            let due = try await ofSweep()
            #expect((due["hgetall"] ?? 0) == (before["hgetall"] ?? 0) + 1)
            #expect((due["zadd"] ?? 0) == (before["zadd"] ?? 0) + 1)
            #expect((due["zrange"] ?? 0) == (before["zrange"] ?? 0) + 1)
            #expect((due["hmget"] ?? 0) == (before["hmget"] ?? 0))
        }
    }

    @Test("where more are due than one sweep looks at it says so")
    func many() async throws {
        try await TestCity.run { city in
            #expect(try await !city.hasMore())
            for n in 0..<25 { try await city.raw(["ZADD", "{test}:reservation-due", "1", "v_\(n)"]) }
            var found: [Bool] = []
            for _ in 0..<4 { found.append(try await city.hasMore()) }
            #expect(found == [true, true, false, false])
            #expect(try await city.raw(["ZCARD", "{test}:reservation-due"]).int == 0)
        }
    }
}
