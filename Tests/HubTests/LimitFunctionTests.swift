import RedisLink
import Testing
import Wire

@testable import Hub

/// What one subject may cost: limits.lua and the parts of core.lua that keep something, against a real Redis.
@Suite struct LimitFunctionTests {
    private func keys(_ city: TestCity) async throws -> Int64 { try await city.raw(["DBSIZE"]).int ?? -1 }

    private func set(_ city: TestCity, _ name: String, _ value: Int) async throws {
        try await city.raw(["HSET", "{test}:settings", name, String(value)])
    }

    /// Requested, shown to the driver, and taken back.
    private func takeBack(_ city: TestCity, _ ride: String) async throws -> Bool {
        guard try await city.request("p1", ride, "14").isOK else { return false }
        return try await city.command("ride_cancel", "passenger", "p1", ride, "", "").isOK
    }

    @Test func `C65: what was refused leaves nothing behind, with whatever keys it comes`() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            #expect(try await city.request("p1", "r0", "14").isOK)
            let before = try await keys(city)
            let events = try await city.raw(["XLEN", "{test}:events"]).int
            for n in 1...30 {
                #expect(try await city.request("p1", "r\(n)", "14", key: "k\(n)") == .refused("already_requested"))
                #expect(try await city.request("p2", "r\(n)", "15", key: "k\(n)") == .refused("zone_empty"))
                #expect(try await city.command("seat_cancel", "passenger", "p1", "b", "q\(n)") == .refused("not_found"))
            }
            // Somebody has asked where nobody was: that is noted once for the figures, for ten minutes.
            #expect(try await city.raw(["LLEN", "{test}:taxis_over"]).int == 1)
            let left = try await city.raw(["TTL", "{test}:asked-in-vain:p2"]).int ?? 0
            #expect(left > 0 && left <= 600)
            #expect(try await keys(city) == before + 2)
            #expect(try await city.raw(["XLEN", "{test}:events"]).int == events)
        }
    }

    @Test func `C65: a key that was refused may be sent again, one that took effect has its reply`() async throws {
        try await TestCity.run { city in
            #expect(try await city.request("p1", "r1", "14", key: "k") == .refused("zone_empty"))
            try await city.queue("14", "T1")
            let reply = try await city.request("p1", "r2", "14", key: "k")
            #expect(reply["ride"]?.text == "r2")
            #expect(try await city.request("p1", "r3", "14", key: "k") == reply)
            #expect(try await city.command("ride_cancel", "passenger", "p1", "", "k", "") == .refused("bad_message"))
        }
    }

    @Test func `C65: the latest keys of a subject are kept, and no more`() async throws {
        try await TestCity.run { city in
            try await set(city, "idempotency_keys", 3)
            @Sendable func seats(_ taken: Int, _ key: String) async throws -> TestCity.Outcome {
                try await city.command("seats_set", "T1", String(taken), "4", key, "")
            }
            try await city.connect("T1")
            // Those before become the older ones together; one field more counts them.
            for n in 1...7 {
                #expect(try await seats(n % 4, "k\(n)")["seats"]?.integer == Int64(4 - n % 4))
                #expect(try await city.raw(["HLEN", "{test}:done:driver:T1"]).int == Int64((n - 1) % 3 + 2))
                #expect(try await city.raw(["HLEN", "{test}:done2:driver:T1"]).int == (n < 4 ? 0 : 4))
            }
            for n in [7, 6, 5, 4] {
                let reply = try await seats(0, "k\(n)")["seats"]?.integer
                #expect(reply == Int64(4 - n % 4), "the reply of then")
            }
            #expect(try await seats(0, "k3")["seats"]?.integer == 4, "forgotten: it takes effect")
            // Longer ago than results are kept.
            try await city.raw(["HSET", "{test}:done:driver:T1", "k7", "1 seats.set\n+{\"seats\":1}"])
            #expect(try await seats(2, "k7")["seats"]?.integer == 2)
            for key in ["done", "done2"] {
                #expect(try await city.raw(["TTL", "{test}:\(key):driver:T1"]).int ?? 0 > 86_000)
            }
        }
    }

    @Test func `C65: of large replies fewer are kept, and they are let go in two commands`() async throws {
        try await TestCity.run { city in
            try await city.connect("T1")
            let large = String(repeating: "x", count: 100_000)
            for n in 1...18 {
                // As large as the reply of a long tour.
                #expect(try await city.command("seats_set", "T1", "\(n % 4)", "4", "k\(n)" + large, "").isOK)
            }
            for key in ["done", "done2"] {
                #expect(try await city.raw(["HLEN", "{test}:\(key):driver:T1"]).int ?? 9 <= 6)
            }
            #expect(try await city.calls(of: "rename") == 3)
            #expect(try await city.calls(of: "unlink") == 3)
            #expect(try await city.command("seats_set", "T1", "3", "4", "k18" + large, "")["seats"]?.integer == 2)
        }
    }

    @Test func `C60: who takes back request after request waits longer and longer`() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            for n in 1...3 { #expect(try await takeBack(city, "r\(n)")) }
            let refused = RedisFunctions.answer(
                .success(try await city.call("ride_request", ["p1", "r4", "14", "45.1", "9.1", "2", "", "", ""])))
            guard case .refused(let code, let detail, let after) = refused else {
                Issue.record("\(refused)")
                return
            }
            #expect(code == "rate_limited" && detail.contains("30 s") && after == 30_000)
            #expect(try await city.request("p2", "r5", "14").isOK, "another passenger")
            #expect(try await city.command("ride_cancel", "passenger", "p2", "", "", "").isOK)
            try await city.advance(30_000)
            #expect(try await takeBack(city, "r6"))
            try await city.advance(59_000)
            #expect(try await city.request("p1", "r7", "14") == .refused("rate_limited"))
            try await city.advance(1_000)
            #expect(try await takeBack(city, "r7"))
            try await city.advance(600_000)
            for n in 8...10 { #expect(try await takeBack(city, "r\(n)")) }
            #expect(try await city.brokenInvariants().isEmpty)
        }
    }

    @Test func `C60: seats that are booked and given back count with the rides`() async throws {
        try await TestCity.run { city in
            try await city.minibus("M1", seats: 14)
            _ = try await city.command("driver_available", "M1", "14", "", "", "")
            try await city.queue("14", "T1")
            for n in 1...2 { #expect(try await takeBack(city, "r\(n)")) }
            #expect(try await city.book("p1", "b1", "M1", 2).isOK)
            #expect(try await city.command("seat_cancel", "passenger", "p1", "", "").isOK)
            #expect(try await city.book("p1", "b2", "M1", 2) == .refused("rate_limited"))
            #expect(try await city.request("p1", "r3", "14") == .refused("rate_limited"))
            #expect(try await city.field("vehicle:M1", "held") == "0")
        }
    }

    @Test func `C60: who is declined again and again waits; declined by four, one books with the fifth`() async throws {
        try await TestCity.run { city in
            for n in 1...5 {
                try await city.minibus("M\(n)", seats: 14)
                _ = try await city.command("driver_available", "M\(n)", "", "", "", "")
            }
            @Sendable func declined(_ booking: String, by driver: String) async throws -> Bool {
                guard try await city.book("p1", booking, driver, 14).isOK else { return false }
                return try await city.command("seat_decline", driver, booking, "").isOK
            }
            for n in 1...4 { #expect(try await declined("b\(n)", by: "M\(n)")) }
            #expect(try await declined("b5", by: "M5"))
            // Shown, and not answered.
            #expect(try await city.book("p1", "b6", "M1", 14).isOK)
            _ = try await city.command("seat_seen", "M1", "b6")
            try await city.advance(11_000)
            try await city.sweep()
            #expect(try await city.field("booking:b6", "state") == "declined")
            let refused = RedisFunctions.answer(
                .success(
                    try await city.call(
                        "seat_book",
                        [
                            "p1", "b7", "M2", "45.1", "9.1", "45.2", "9.2", "14", "900", "1200", "EUR", "", "", "", "",
                            "",
                        ])))
            guard case .refused("rate_limited", let detail, 30_000) = refused else {
                Issue.record("\(refused)")
                return
            }
            #expect(detail.contains("6 of your requests") && detail.contains("30 s"))
            #expect(try await city.book("p2", "b8", "M2", 14).isOK, "another passenger")
            try await city.advance(30_000)
            #expect(try await city.book("p1", "b9", "M1", 14).isOK)
            #expect(try await city.brokenInvariants().isEmpty)
        }
    }

    @Test func `C60: rides that every driver has declined count`() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            for n in 1...6 {
                #expect(try await city.request("p1", "r\(n)", "14").isOK)
                #expect(try await city.command("offer_decline", "T1", "r\(n)", "").isOK)
                try await city.advance(12_000)
                try await city.sweep()
                #expect(try await city.command("offer_decline", "T1", "r\(n)", "").isOK)
                #expect(try await city.field("ride:r\(n)", "state") == "failed")
            }
            #expect(try await city.request("p1", "r7", "14") == .refused("rate_limited"))
            #expect(try await city.request("p2", "r8", "14").isOK)
        }
    }

    @Test func `C60: what no phone has shown does not count`() async throws {
        try await TestCity.run { city in
            try await city.minibus("M1", seats: 14)
            for n in 1...8 {
                _ = try await city.command("driver_available", "M1", "", "", "", "")
                #expect(try await city.book("p1", "b\(n)", "M1", 2).isOK)
                try await city.advance(61_000)
                try await city.sweep()
                try await city.sweep()
                #expect(try await city.field("booking:b\(n)", "state") == "declined")
            }
        }
    }

    @Test func `C60: what is taken back while it waits counts, and may be more`() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            #expect(try await city.request("p0", "r0", "14").isOK)
            for n in 1...12 { #expect(try await takeBack(city, "r\(n)")) }
            #expect(try await city.request("p1", "r13", "14") == .refused("rate_limited"))
            try await city.minibus("M1", seats: 14)
            _ = try await city.command("driver_available", "M1", "", "", "", "")
            #expect(try await city.book("p0", "b", "M1", 1) == .refused("already_requested"))
            #expect(try await city.book("p2", "b0", "M1", 1).isOK)
            for n in 1...12 {
                #expect(try await city.book("p3", "b\(n)", "M1", 10).isOK)
                #expect(try await city.command("seat_cancel", "passenger", "p3", "", "").isOK)
            }
            #expect(try await city.book("p3", "b13", "M1", 10) == .refused("rate_limited"))
            try await city.advance(30_000)
            #expect(try await city.book("p3", "b14", "M1", 10).isOK)
            #expect(try await city.brokenInvariants().isEmpty)
        }
    }

    @Test func `C60: with one connection too many the oldest goes, those of dead workers first`() async throws {
        try await TestCity.run { city in
            try await set(city, "max_links", 3)
            for worker in ["w", "v"] { try await city.call("city_sweep", [worker, "5000", "", ""]) }
            @Sendable func hello(_ session: String) async throws {
                // Those of one millisecond have no order.
                try await Task.sleep(for: .milliseconds(2))
                try await city.call("session_hello", ["passenger", "p1", session, String(session.prefix(1)), ""])
            }
            @Sendable func links() async throws -> Set<String> {
                Set(
                    try await city.raw(["ZRANGE", "{test}:links:passenger:p1", "0", "-1"]).array?.compactMap(\.text)
                        ?? [])
            }
            let replaced = try await city.heard(on: Channel.partition("passenger:p1")) {
                for session in ["w.1", "x.1", "v.1"] { try await hello(session) }
                #expect(try await links().count == 3)
                // The worker x never swept: it is dead, and its link with it.
                try await hello("w.2")
                #expect(try await links() == ["w.1", "v.1", "w.2"])
                // Said again after a loss of Redis.
                try await hello("v.1")
                try await hello("v.2")
                try await city.call("session_left", ["passenger:p1", "v.1", ""])
                try await hello("w.3")
            }
            #expect(replaced.filter { $0.type == "replaced" }.map(\.meta) == ["w.1"])
            #expect(try await links() == ["w.2", "v.2", "w.3"])
        }
    }

    @Test func `C65: a first hello keeps no history, and is a place to resume from`() async throws {
        try await TestCity.run { city in
            let first = try await city.call("session_hello", ["passenger", "p1", "w.1", "w", ""])
            #expect(try await city.raw(["EXISTS", "{test}:ch:passenger:p1"]).int == 0)
            try await city.queue("14", "T1")
            #expect(try await city.request("p1", "r1", "14").isOK)
            let back = try await city.call("session_hello", ["passenger", "p1", "w.2", "w", first[0].text ?? ""])
            #expect(back[1].text == "resumed")
            #expect(back[9].array?.compactMap { $0[1]["type"].text } == ["ride.searching"])
            try await city.raw(["XTRIM", "{test}:ch:passenger:p1", "MAXLEN", "0"])
            let lost = try await city.call("session_hello", ["passenger", "p1", "w.3", "w", first[0].text ?? ""])
            #expect(lost[1].text == "gap")
        }
    }

    @Test func `C65: the same wishes again are no event`() async throws {
        try await TestCity.run { city in
            try await city.connect("T1")
            for _ in 1...3 {
                #expect(try await city.command("notify_set", "passenger:p1", "eta", "60", "120", "", "", "").isOK)
            }
            #expect(try await city.told("passenger:p1") == ["notify.changed"])
            #expect(try await city.command("notify_set", "passenger:p1", "", "", "", "", "", "").isOK)
            #expect(try await city.told("passenger:p1").count == 2)
        }
    }

    @Test func `C65: events leave the log by age, in parts`() async throws {
        try await TestCity.run { city in
            for n in 1...1_200 { try await city.raw(["XADD", "{test}:events", "\(n)-1", "type", "old"]) }
            try await city.raw(["XADD", "{test}:events", "*", "type", "catalog.changed", "data", "{}"])
            #expect(try await city.call("events_tidy", []).int == 500)
            #expect(try await city.call("events_tidy", []).int == 500)
            #expect(try await city.call("events_tidy", []).int == 200)
            #expect(try await city.call("events_tidy", []).int == 0)
            #expect(try await city.raw(["XLEN", "{test}:events"]).int == 1)
        }
    }

    @Test func `Without room nothing is begun, and what ends things goes on`() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            #expect(try await city.request("p1", "r1", "14").isOK)
            try await city.advance(4_000)
            try await city.raw(["CONFIG", "SET", "maxmemory", "1"])
            for function in ["ride_request", "ride_cancel"] {
                let failure = await #expect(throws: RedisFailure.self) {
                    try await city.call(function, ["p2", "r2", "14", "45.1", "9.1", "2", "", "", ""])
                }
                guard let failure, case .unavailable = RedisFunctions.answer(.failure(failure)) else {
                    Issue.record("\(String(describing: failure))")
                    return
                }
            }
            // Maps, topics and times of arrival are there all the same.
            for (function, arguments) in [
                ("feed_state", ["60000", "c1"]), ("feed_city", ["60000", "0", "10"]),
                ("topic_read", ["topic:x", "0-0"]),
                ("line_state", ["L"]), ("line_eta", ["L", "{}"]),
            ] {
                try await city.call(function, arguments)
            }
            try await city.sweep()
            #expect(try await city.last("offer.withdrawn", "driver:T1")?["reason"]?.text == "undelivered")
            #expect(try await city.call("events_tidy", []).int == 0)
            try await city.raw(["CONFIG", "SET", "maxmemory", "0"])
            #expect(try await city.command("ride_cancel", "passenger", "p1", "", "", "").isOK)
            #expect(try await city.brokenInvariants().isEmpty)
        }
    }
}
