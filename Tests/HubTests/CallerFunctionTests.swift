import RedisLink
import Testing
import Wire

@testable import Hub

/// Requests of an operator for who telephones (callers.lua), against a real Redis.
@Suite struct CallerFunctionTests {
    private static let ada = "o1\nAda Rossi\n+39 02 1234"
    private static let subject = "tel:0039021234"

    private func request(
        _ city: TestCity, _ ride: String, as subject: String = subject, by: String = ada, key: String = ""
    )
        async throws -> TestCity.Outcome
    {
        try await city.command("ride_request", subject, ride, "14", "45.1", "9.1", "2", "", "", key, by)
    }

    private func acts(_ city: TestCity) async throws -> [JSONValue] {
        guard case .ok(let page) = try await city.command("office_audit", "", "50") else { return [] }
        return page["entries"]?.elements ?? []
    }

    @Test(
        "B18, M18: a ride for a caller is an act; its driver is told whom to fetch, the office what the app would get")
    func ride() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1", "T2")
            let reply = try await request(city, "r1", key: "k")
            #expect(reply.isOK)
            #expect(try await request(city, "r2", key: "k") == reply, "repeated")
            #expect(try await request(city, "r3") == .refused("already_requested"))
            #expect(try await request(city, "r4", as: "tel:031", by: "o1\nBob\n031").isOK, "another caller")
            #expect(try await acts(city).compactMap { $0["target"]?.text } == ["ride:r4", "ride:r1"])
            let entry = try #require(try await acts(city).last)
            #expect(entry["command"]?.text == "ride.request" && entry["operator"]?.text == "o1")
            #expect(entry["after"]?["passenger"]?.text == "tel:...234")
            guard case .ok(let assigned) = try await city.command("offer_accept", "T1", "r1", "", "") else {
                throw Surprise("not accepted")
            }
            #expect(assigned["contact"]?["name"]?.text == "Ada Rossi")
            let told = try await city.last("ride.assigned", "driver:T1")
            #expect(told?["contact"]?["number"]?.text == "+39 02 1234")
            let heard = try await city.last("caller.told", "office")
            #expect(heard?["event"]?.text == "ride.accepted" && heard?["taxi"]?.text == "T1")
            #expect(heard?["name"]?.text == "Ada Rossi" && heard?["passenger"]?.text == Self.subject)
            // Cancelled, by the open one.
            let off = try await city.command("ride_cancel", "passenger", Self.subject, "", "", "", Self.ada)
            #expect(off["ride"]?.text == "r1" && off["state"]?.text == "cancelled")
            #expect(try await acts(city).first?["command"]?.text == "ride.cancel")
            #expect(try await city.last("caller.told", "office")?["event"]?.text == "ride.cancelled")
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test("C60: what is refused counts for an operator's minute, as it may have looked through the whole zone")
    func refused() async throws {
        try await TestCity.run { city in
            for n in 0..<60 {
                let outcome = try await request(city, "r\(n)")
                #expect(outcome == .refused("zone_empty"))
            }
            #expect(try await request(city, "r60") == .refused("rate_limited"))
            #expect(try await request(city, "r61", by: "o2\nBob\n031") == .refused("zone_empty"), "another operator")
            #expect(try await acts(city).isEmpty)
        }
    }

    @Test("C60: for an operator who has done too much, and for a key that is known, no minibus is looked for")
    func ahead() async throws {
        try await TestCity.run { city in
            func near(_ key: String = "", by: String = Self.ada) async throws -> String? {
                try await city.call("seat_near", ["45.1", "9.1", "1000", "64", Self.subject, key, by]).text
            }
            func seats(_ booking: String, key: String = "") async throws -> TestCity.Outcome {
                try await city.command(
                    "seat_request", Self.subject, booking, "45.1", "9.1", "45.2", "9.2", "1", "EUR",
                    "M1 900 1200 100 -", "", key, Self.ada)
            }
            #expect(try await near("k") == "[]")
            try await city.minibus("M1", seats: 8)
            try await city.position("M1", "45.101", at: 1)
            #expect(try await city.command("driver_available", "M1", "14", "", "", "").isOK)
            #expect(try await city.command("route_set", "M1", "R1", "", "", "").isOK)
            let first = try await seats("b1", key: "k")
            #expect(first.isOK)
            let looked = try await city.calls(of: "zinterstore")
            #expect(try await near("k")?.hasPrefix("+{") == true)
            #expect(try await city.calls(of: "zinterstore") == looked)
            // Two acts; looking ahead is none.
            for _ in 0..<70 { _ = try await near() }
            #expect(try await city.calls(of: "zinterstore") == looked + 70)
            for n in 1...59 { #expect(try await seats("c\(n)") == .refused("already_requested")) }
            // On a machine that takes a minute for these the first is over.
            _ = try await seats("c60")
            #expect(try await near()?.hasPrefix("-rate_limited ") == true)
            #expect(try await city.calls(of: "zinterstore") == looked + 70)
            #expect(try await near("k")?.hasPrefix("+{") == true, "what was done is answered")
            #expect(try await near(by: "")?.hasPrefix("[") == true, "nobody's operator")
        }
    }

    @Test("C60: a ride that could be given to nobody else counts for its operator's minute, too")
    func reassigned() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            try await city.assign("r1", of: "p1", to: "T1")
            func reassign(_ ride: String = "r1", by operator: String = "o1") async throws -> TestCity.Outcome {
                try await city.command("office_reassign", `operator`, ride, "", "Why.", "")
            }
            // For these nothing was looked through.
            for _ in 0..<3 { #expect(try await reassign("r9") == .refused("not_found")) }
            for _ in 0..<60 { #expect(try await reassign() == .refused("zone_empty")) }
            #expect(try await reassign() == .refused("rate_limited"))
            #expect(try await reassign(by: "o2") == .refused("zone_empty"), "another operator")
            try await city.advance(60_000)
            #expect(try await reassign() == .refused("zone_empty"))
            #expect(try await city.field("ride:r1", "driver") == "T1")
        }
    }

    @Test("what is refused leaves nothing, and a passenger that asks itself leaves no act and tells the office nothing")
    func nothing() async throws {
        try await TestCity.run { city in
            #expect(try await request(city, "r1") == .refused("zone_empty"))
            #expect(try await city.raw(["EXISTS", "{test}:passenger:\(Self.subject)", "{test}:audit"]).int == 0)
            try await city.queue("14", "T1")
            #expect(try await request(city, "r2", as: "p1", by: "").isOK)
            #expect(try await city.raw(["EXISTS", "{test}:ch:office", "{test}:audit"]).int == 0)
            guard case .ok(let assigned) = try await city.command("offer_accept", "T1", "r2", "", "") else {
                throw Surprise("not accepted")
            }
            #expect(assigned["contact"] == nil)
        }
    }

    @Test("a blocked caller is refused; who takes back again and again waits, and no other caller with it")
    func limits() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            _ = try await city.command("office_block", "o1", "passenger", Self.subject, "Pranks.", "0", "")
            #expect(try await request(city, "r1") == .refused("forbidden"))
            _ = try await city.command("office_unblock", "o1", "passenger", Self.subject, "")
            var taken = 0
            while taken < 20, try await request(city, "r\(10 + taken)").isOK {
                taken += 1
                _ = try await city.command("ride_cancel", "passenger", Self.subject, "", "", "", Self.ada)
            }
            #expect(taken > 0 && taken < 20)
            #expect(try await request(city, "r8") == .refused("rate_limited"))
            #expect(try await request(city, "r9", as: "tel:031", by: "o1\nBob\n031").isOK)
        }
    }

    @Test("a number is gone 30 days after its last request, as the name of a key, too")
    func forgotten() async throws {
        try await TestCity.run { city in
            let who = "passenger:\(Self.subject)"
            let (counts, stars) = ("{test}:reliability:\(who)", "{test}:rating:\(who)")
            try await city.queue("14", "T1")
            #expect(try await request(city, "r1").isOK)
            _ = try await city.command("offer_accept", "T1", "r1", "", "")
            _ = try await city.call("ride_alert", ["T1", "r1", "20", "5", "gps"])
            try await city.advance(200_000)
            #expect(try await city.command("ride_noshow", "T1", "r1", "").isOK)
            try await city.raw([
                "HSET", "{test}:ride:t1", "receipt", "x", "driver", "T1", "passenger", Self.subject, "zone", "14",
                "closed_at", "1800000000000",
            ])
            #expect(try await city.command("trip_rate", "driver", "T1", "t1", "2", "", "").isOK)
            for key in [counts, stars] {
                let left = try #require(try await city.raw(["TTL", key]).int)
                #expect(left > 0 && left < 35 * 86_400, "\(key)")
            }
            try await city.raw(["ZADD", "{test}:gone", "1000", who])
            try await city.sweep()
            #expect(try await city.raw(["EXISTS", counts, stars]).int == 0)
            #expect(try await city.field(who, "number") == nil)
        }
    }

    @Test("what an operator asks for callers counts to its acts: it pushes nothing out of the audit; keys are its own")
    func manyActs() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            let first = try await request(city, "r1", key: "k")
            let of = "o2\nBob\n039021234"
            #expect(try await request(city, "r2", by: of, key: "k") == .refused("already_requested"))
            #expect(first.isOK)
            func cancel(by caller: String) async throws -> TestCity.Outcome {
                try await city.command("ride_cancel", "passenger", Self.subject, "r1", "", "", caller)
            }
            for _ in 2...60 { #expect(try await cancel(by: Self.ada).isOK) }
            #expect(try await cancel(by: Self.ada) == .refused("rate_limited"))
            // The request, and the first time that it was taken back: the others changed nothing.
            #expect(try await city.raw(["XLEN", "{test}:audit"]).int == 2)
            #expect(try await cancel(by: of).isOK, "each has its own")
        }
    }

    @Test("one operator makes 500 requests an hour for callers, and can take all of them back")
    func anHour() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1", "T2", "T3")
            func ask(_ ride: String, _ number: String, by operator: String = "o1", key: String = "") async throws
                -> TestCity.Outcome
            {
                try await request(city, ride, as: "tel:" + number, by: "\(`operator`)\nBob\n" + number, key: key)
            }
            func near(by operator: String = "o1") async throws -> String? {
                let place = ["45.1", "9.1", "1000", "64"]
                return try await city.call("seat_near", place + ["tel:034", "", "\(`operator`)\nBob\n034"]).text
            }
            #expect(try await ask("r1", "031").isOK)
            #expect(try await city.raw(["GET", "{test}:asked:o1"]).text == "1800000000000 1")
            #expect(try await ask("r2", "031") == .refused("already_requested"))
            // As if it had made 497 more.
            try await city.raw(["SET", "{test}:asked:o1", "1800000000000 498"])
            try await city.advance(3_000_000)
            let last = try await ask("r3", "032", key: "k")
            #expect(last.isOK)
            #expect(try await near() == "[]")
            #expect(try await ask("r4", "033").isOK)
            #expect(try await ask("r5", "034") == .refused("rate_limited"))
            #expect(try await near()?.hasPrefix("-rate_limited ") == true, "no minibus is looked for")
            #expect(try await near(by: "o2") == "[]", "by another operator")
            #expect(try await ask("r3", "032", key: "k") == last, "the same again is none")
            let off = try await city.command("ride_cancel", "passenger", "tel:033", "r4", "", "", "o1\nBob\n033")
            #expect(off.isOK)
            #expect(try await ask("r6", "034", by: "o2").isOK, "another operator")
            try await city.advance(600_000)
            #expect(try await ask("r7", "035").isOK, "an hour after the first")
        }
    }

    @Test("B18: seats for a caller, with the contact at the driver, and cancelled again")
    func seats() async throws {
        try await TestCity.run { city in
            try await city.minibus("M1", seats: 8)
            _ = try await city.command("driver_available", "M1", "", "", "", "")
            let booked = try await city.command(
                "seat_book", Self.subject, "b1", "M1", "45.1", "9.1", "45.2", "9.2", "2", "900", "", "", "", "", "", "",
                "",
                Self.ada)
            #expect(booked["booking"]?.text == "b1")
            #expect(try await acts(city).first?["target"]?.text == "booking:b1")
            let accepted = try await city.command("seat_accept", "M1", "b1", "", "")
            #expect(accepted["contact"]?["name"]?.text == "Ada Rossi")
            #expect(try await city.last("caller.told", "office")?["event"]?.text == "seat.confirmed")
            let off = try await city.command("seat_cancel", "passenger", Self.subject, "", "", Self.ada)
            #expect(off["state"]?.text == "cancelled")
            #expect(try await acts(city).first?["command"]?.text == "seat.cancel")
            #expect(try await city.last("caller.told", "office")?["booking"]?.text == "b1")
            #expect(try await city.brokenInvariants() == [])
        }
    }
}
