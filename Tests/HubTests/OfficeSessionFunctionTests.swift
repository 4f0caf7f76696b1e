import RedisLink
import Testing
import Wire

@testable import Hub

/// Sessions that the office ends, and what it revokes (office_sessions.lua), against a real Redis.
@Suite struct OfficeSessionFunctionTests {
    private func acts(_ city: TestCity) async throws -> [JSONValue] {
        guard case .ok(let page) = try await city.command("office_audit", "", "50") else { return [] }
        return page["entries"]?.elements ?? []
    }

    @Test("a session's end is told to the workers, with the second before which tokens count no more")
    func endsSessions() async throws {
        try await TestCity.run { city in
            @Sendable func end(_ subject: String, _ revoke: String, key: String = "") async throws -> TestCity.Outcome {
                try await city.command(
                    "office_end_session", "o1", "driver", subject, "Stolen.", revoke, "0", "0", key)
            }
            let heard = try await city.heard(on: "people") {
                #expect(try await end("T1", "")["revoked"] == .bool(false))
                let first = try await end("T2", "1", key: "k")
                #expect(first["revoked"] == .bool(true))
                #expect(try await end("T2", "1", key: "k") == first, "repeated")
            }
            let told = heard.filter { $0.channel == "sessions" }
            try #require(told.count == 2)
            #expect(told[0].meta.isEmpty && Int64(told[1].meta) != nil)
            let rows = try await city.call("office_revoked", ["0", "0"]).array?.compactMap(\.text) ?? []
            #expect(rows == ["driver T2", told[1].meta])
            #expect(try await acts(city).compactMap { $0["after"]?["state"]?.text } == ["revoked", "ended"])
        }
    }

    @Test("a revocation goes by the clock that tokens are issued by, and keeps the leeway of other issuers")
    func revokesByTheirClocks() async throws {
        try await TestCity.run { city in
            let ahead = "4000000000"
            let heard = try await city.heard(on: "people") {
                let reply = try await city.command(
                    "office_end_session", "o1", "driver", "T1", "Stolen.", "1", "60", ahead, "")
                #expect(reply.isOK)
            }
            let told = try #require(heard.first { $0.channel == "sessions" })
            #expect(told.meta == "4000000001")
            #expect(try JSONValue(parsing: told.data)["others_before"]?.integer == 4_000_000_061)
            #expect(
                try await city.call("office_revoked", ["0", "0"]).array?.compactMap(\.text) == [
                    "driver T1", "4000000001", "driver T1 others", "4000000061",
                ])
            // What lasts asks by the earliest second in which its token may have been issued.
            func subscribes(_ since: String) async throws -> Bool {
                try await city.command("push_subscribe", "driver:T1", "e", "BA", "AA", "9 \(since) k", "").isOK
            }
            #expect(try await !subscribes(ahead))
            #expect(try await subscribes("4000000001"))
        }
    }

    /// Revokes so many people by the second 3000. Answers how many are revoked.
    private func fill(_ city: TestCity, _ count: Int) async throws -> Int64? {
        let script = """
            local more = {}
            for i = 1, tonumber(ARGV[1]) do
                more[#more + 1], more[#more + 2] = 3000, 'driver x' .. i
                if #more >= 2000 then
                    redis.call('ZADD', KEYS[1], unpack(more))
                    more = {}
                end
            end
            if #more > 0 then redis.call('ZADD', KEYS[1], unpack(more)) end
            return redis.call('ZCARD', KEYS[1])
            """
        return try await city.raw(["EVAL", script, "1", "{test}:revoked", "\(count)"]).int
    }

    @Test("no revocation goes by its age, whatever a clock says; beyond 400,000 the oldest go")
    func keepsRevocations() async throws {
        try await TestCity.run { city in
            func revoke(_ subject: String, now: Int = 0) async throws {
                let reply = try await city.command(
                    "office_end_session", "o1", "driver", subject, "Stolen.", "1", "0", "\(now)", "")
                #expect(reply.isOK)
            }
            func held() async throws -> [String] {
                let places = ["ZRANGE", "{test}:revoked", "0", "-1"]
                return try await city.raw(places).array?.compactMap(\.text) ?? []
            }
            try await city.raw(["ZADD", "{test}:revoked", "1000", "driver T1", "2000", "driver T2"])
            // By a clock that is ahead by years, and by the right one.
            for subject in ["T3", "T4"] { try await revoke(subject, now: 4_000_000_000) }
            try await revoke("T5")
            #expect(try await held() == ["driver T1", "driver T2", "driver T5", "driver T3", "driver T4"])
            #expect(try await fill(city, 399_995) == 400_000)
            try await revoke("T6")
            #expect(try await city.raw(["ZCARD", "{test}:revoked"]).int == 400_000)
            for (subject, isHeld) in [("T1", false), ("T2", true), ("T3", true), ("T6", true)] {
                let score = try await city.raw(["ZSCORE", "{test}:revoked", "driver \(subject)"]).text
                #expect((score != nil) == isHeld, "\(subject)")
            }
        }
    }

    @Test("what was signed while the clock was ahead is revoked, too, until it has caught up")
    func clockWasAhead() async throws {
        try await TestCity.run { city in
            func before(_ subject: String, leeway: String = "0") async throws -> String? {
                let reply = try await city.command(
                    "office_end_session", "o1", "driver", subject, "Stolen.", "1", leeway, "0", "")
                #expect(reply.isOK)
                return try await city.raw(["ZSCORE", "{test}:revoked", "driver \(subject)"]).text
            }
            let sweep = ["w", "5000", "", "", "75000", "fresh"]
            // Another worker's clock, and its own when it is right again, change nothing of it.
            for second in ["4000000000", "1000", "3999999999"] { try await city.call("city_sweep", sweep + [second]) }
            #expect(try await before("T1", leeway: "60") == "4000000001")
            #expect(try await city.raw(["ZSCORE", "{test}:revoked", "driver T1 others"]).text == "4000000061")
            // As if the time had come.
            try await city.raw(["ZADD", "{test}:signed", "1000", "latest"])
            let later = try #require(try await before("T2").flatMap { Int($0) })
            #expect(later < 4_000_000_000 && later > 1_700_000_000)
        }
    }

    @Test("one operator revokes 1,000 people a day whom the hub does not know, and all whom it knows")
    func revokesUnknown() async throws {
        try await TestCity.run { city in
            func revoke(_ subject: String, role: String = "passenger", by operator: String = "o1") async throws
                -> TestCity.Outcome
            {
                try await city.command(
                    "office_end_session", `operator`, role, subject, "Stolen.", "1", "0", "0", "")
            }
            #expect(try await revoke("p1").isOK)
            #expect(try await city.raw(["GET", "{test}:revoking:o1"]).text == "1800000000000 1")
            // As if it had revoked 998 more.
            try await city.raw(["SET", "{test}:revoking:o1", "1800000000000 999"])
            #expect(try await revoke("p2").isOK)
            #expect(try await revoke("p3") == .refused("rate_limited"))
            #expect(try await city.raw(["ZSCORE", "{test}:revoked", "passenger p3"]).text == nil)
            #expect(try await revoke("p2").isOK, "once more")
            #expect(try await revoke("p3", by: "o2").isOK, "another operator")
            let ended = try await city.command(
                "office_end_session", "o1", "passenger", "p4", "Left open.", "", "0", "0", "")
            #expect(ended.isOK, "nothing is revoked")
            // Has been here; is connected, though a guest; was on duty within a month; is sent pushes.
            try await city.raw(["ZADD", "{test}:people:passenger", "1", "p5"])
            try await city.raw(["ZADD", "{test}:links:passenger:guest-ab-1", "1", "s"])
            try await city.raw(["HSET", "{test}:vehicle:T1", "state", "unavailable"])
            try await city.raw(["HSET", "{test}:subscriptions:bus_driver:B1", "e", "1"])
            let known = [
                ("passenger", "p5"), ("passenger", "guest-ab-1"), ("driver", "T1"), ("bus_driver", "B1"),
            ]
            for (role, subject) in known { #expect(try await revoke(subject, role: role).isOK, "\(subject)") }
            #expect(try await revoke("T1") == .refused("rate_limited"), "it was a driver")
            #expect(try await city.raw(["GET", "{test}:revoking:o1"]).text == "1800000000000 1000")
            try await city.advance(86_400_000)
            #expect(try await revoke("p6").isOK, "a day after the first")
        }
    }

    @Test("what Redis has lost is revoked again, once, with the same seconds, and its devices are told nothing more")
    func revokesAgain() async throws {
        try await TestCity.run { city in
            @Sendable func again(_ subject: String, _ before: String, _ others: String = "") async throws -> Int64? {
                try await city.call("office_revoke_again", ["driver", subject, before, others])[0].int
            }
            func score(_ member: String) async throws -> String? {
                try await city.raw(["ZSCORE", "{test}:revoked", member]).text
            }
            let given = try await city.command(
                "office_end_session", "o1", "driver", "T1", "Stolen.", "1", "60", "0", "")
            let (before, others) = (given["before"]?.integer ?? 0, given["others_before"]?.integer ?? 0)
            #expect(before > 1_700_000_000 && others == before + 60)
            #expect(try await again("T1", "\(before)", "\(others)") == 0, "it is there")
            #expect(try await again("T1", "\(before - 9)", "\(others - 9)") == 0, "and a later one")
            try await city.raw(["DEL", "{test}:revoked"])
            try await city.raw(["HSET", "{test}:subscriptions:driver:T1", "e", "1"])
            let heard = try await city.heard(on: "people") {
                for answer in [Int64(1), 0] {
                    let found = try await again("T1", "\(before)", "\(others)")
                    #expect(found == answer)
                }
            }
            #expect(try await score("driver T1") == "\(before)")
            #expect(try await score("driver T1 others") == "\(others)")
            #expect(try await city.raw(["EXISTS", "{test}:subscriptions:driver:T1"]).int == 0)
            // Nobody's session is ended for it: who is connected may have a newer token.
            #expect(heard.filter { $0.channel == "sessions" }.isEmpty)
            let told = heard.filter { $0.channel == "revocations" }
            #expect(told.map(\.meta) == ["\(before)"])
            let data = try JSONValue(parsing: try #require(told.first).data)
            #expect(data["subject"]?.text == "T1" && data["others_before"]?.integer == others)
        }
    }

    @Test("where Redis has the newest 400,000, none that is older than they comes again")
    func hasNoRoom() async throws {
        try await TestCity.run { city in
            let filled = try await fill(city, 400_000)
            #expect(filled == 400_000)
            let newer = try await city.call(
                "office_revoke_again",
                ["driver", "T2", "3001", "", "driver", "T1", "3000", "", "driver", "T0", "2999", ""])
            #expect(newer == .array([.integer(1), .integer(1)]))
            let older = try await city.call("office_revoke_again", ["driver", "T1", "3000", ""])
            #expect(older == .array([.integer(0), .integer(1)]))
            let kept = try await city.raw(["ZCARD", "{test}:revoked"])
            #expect(kept.int == 400_000)
        }
    }

    @Test("many come again by one call and one message, and of those that are given wrongly none")
    func revokesManyAgain() async throws {
        try await TestCity.run { city in
            let given = ["driver", "T1", "3000", "", "passenger", "p1", "2000", "2060", "driver", "T2", "1000", ""]
            let heard = try await city.heard(on: "people") {
                let again = try await city.call("office_revoke_again", given)
                #expect(again == .array([.integer(3), .integer(0)]))
                let known = try await city.call("office_revoke_again", given)
                #expect(known == .array([.integer(0), .integer(0)]))
            }
            #expect(heard.filter { $0.channel == "revocations" }.map(\.meta) == ["3000", "2000", "1000"])
            let rows = try await city.call("office_revoked", ["0", "0"]).array?.compactMap(\.text) ?? []
            #expect(
                rows == [
                    "driver T2", "1000", "passenger p1", "2000", "passenger p1 others", "2060", "driver T1", "3000",
                ])
            for wrong in [["driver", "T3", "soon", ""], ["driver", "T3", "4000"], ["driver", "T3", "4000", "soon"]] {
                do {
                    try await city.call("office_revoke_again", ["driver", "T4", "5000", ""] + wrong)
                    Issue.record("\(wrong) is taken")
                } catch let failure as RedisFailure {
                    // It is not tried for ever.
                    #expect(PutBackAttempts.isLasting(failure), "\(failure)")
                }
            }
            let count = try await city.raw(["ZCARD", "{test}:revoked"])
            #expect(count.int == 4)
        }
    }
}
