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

    @Test("a session's end is told to the workers, with the second before which tokens count no more; old ones go")
    func endsSessions() async throws {
        try await TestCity.run { city in
            @Sendable func end(_ subject: String, _ revoke: String, key: String = "") async throws -> TestCity.Outcome {
                try await city.command(
                    "office_end_session", "o1", "driver", subject, "Stolen.", revoke, "3600", "0", "0", key)
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
            let rows = try await city.call("office_revoked", ["0"]).array?.compactMap(\.text) ?? []
            #expect(rows == ["driver T2", told[1].meta])
            #expect(try await acts(city).compactMap { $0["after"]?["state"]?.text } == ["revoked", "ended"])
            // One from so long ago that all those tokens have ended.
            try await city.raw(["ZADD", "{test}:revoked", "1000", "driver T9"])
            #expect(try await end("T3", "1").isOK)
            #expect(
                try await city.raw(["ZRANGE", "{test}:revoked", "0", "-1"]).array?.compactMap(\.text).sorted() == [
                    "driver T2", "driver T3",
                ])
        }
    }

    @Test("a revocation goes by the clock that tokens are issued by, and keeps the leeway of other issuers")
    func revokesByTheirClocks() async throws {
        try await TestCity.run { city in
            let ahead = "4000000000"
            let heard = try await city.heard(on: "people") {
                let reply = try await city.command(
                    "office_end_session", "o1", "driver", "T1", "Stolen.", "1", "3600", "60", ahead, "")
                #expect(reply.isOK)
            }
            let told = try #require(heard.first { $0.channel == "sessions" })
            #expect(told.meta == "4000000001")
            #expect(try JSONValue(parsing: told.data)["others_before"]?.integer == 4_000_000_061)
            #expect(
                try await city.call("office_revoked", ["0"]).array?.compactMap(\.text) == [
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

    @Test("what is revoked is kept as long as was ever set, and a clock that is ahead for a moment lets go of nothing")
    func keepsRevocations() async throws {
        try await TestCity.run { city in
            func revoke(_ subject: String, kept: Int, now: Int = 0) async throws {
                let reply = try await city.command(
                    "office_end_session", "o1", "driver", subject, "Stolen.", "1", "\(kept)", "0", "\(now)", "")
                #expect(reply.isOK)
            }
            func held() async throws -> [String] {
                try await city.raw(["ZRANGE", "{test}:revoked", "0", "-1"]).array?.compactMap(\.text).sorted() ?? []
            }
            try await revoke("T1", kept: 4000)
            let now = try #require(
                try await city.raw(["ZSCORE", "{test}:revoked", "driver T1"]).text.flatMap(Int.init))
            try await city.raw(["ZADD", "{test}:revoked", "\(now - 3000)", "driver T2", "\(now - 5000)", "driver T3"])
            // Kept for an hour a while ago, and for a minute from now on.
            try await revoke("T4", kept: 60)
            #expect(try await held() == ["driver T1", "driver T2", "driver T4"])
            // By a clock that is ahead by years, and by the right one.
            try await revoke("T5", kept: 60, now: now + 400_000_000)
            try await revoke("T6", kept: 60)
            #expect(try await held() == ["driver T1", "driver T2", "driver T4", "driver T5", "driver T6"])
        }
    }

    @Test("one operator revokes 1,000 people a day whom the hub does not know, and all whom it knows")
    func revokesUnknown() async throws {
        try await TestCity.run { city in
            func revoke(_ subject: String, role: String = "passenger", by operator: String = "o1") async throws
                -> TestCity.Outcome
            {
                try await city.command(
                    "office_end_session", `operator`, role, subject, "Stolen.", "1", "3600", "0", "0", "")
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
                "office_end_session", "o1", "passenger", "p4", "Left open.", "", "3600", "0", "0", "")
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
}
