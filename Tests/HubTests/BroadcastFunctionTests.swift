import RedisLink
import Testing
import Wire

@testable import Hub

/// Notices to many: broadcast.lua and people.lua, against a real Redis.
@Suite struct BroadcastFunctionTests {
    private func hello(_ city: TestCity, _ role: String, _ subject: String) async throws {
        _ = try await city.call("session_hello", [role, subject, "w.1", "w", ""])
    }

    private func send(
        _ city: TestCity, _ to: String, zone: String = "", text: String = "Hear this.", key: String = ""
    ) async throws -> TestCity.Outcome {
        try await city.command("broadcast_send", "o1", "n_1", to, zone, text, key)
    }

    /// What an operator has to work off, ms.
    private func owe(_ city: TestCity, _ ms: Int) async throws {
        try await city.raw(["SET", "{test}:told:o1", "", "PX", "\(ms)"])
    }

    private func passengers(_ city: TestCity, _ count: Int) async throws {
        let now = (try await city.raw(["TIME"])[0].int ?? 0) * 1_000
        for n in stride(from: 0, to: count, by: 5_000) {
            let people = (n..<min(n + 5_000, count)).flatMap { ["\(now)", "p\($0)"] }
            try await city.raw(["ZADD", "{test}:people:passenger"] + people)
        }
    }

    /// Sends to passengers, and answers what the operator owes for it, from the moment of sending, as Redis' clock was before and after.
    private func owed(_ city: TestCity, text: String) async throws -> ClosedRange<Int64> {
        func now() async throws -> Int64 {
            let time = try await city.raw(["TIME"])
            return try #require(time[0].int) * 1_000 + #require(time[1].int) / 1_000
        }
        try await city.raw(["DEL", "{test}:told:o1"])
        let before = try await now()
        #expect(try await send(city, "passengers", text: text).isOK)
        let end = try #require(try await city.raw(["PEXPIRETIME", "{test}:told:o1"]).int)
        return try await end - now()...end - before
    }

    /// How many a notice goes to; nil: it was refused.
    private func people(_ outcome: TestCity.Outcome) -> Int64? {
        if case .ok(let reply) = outcome { reply["people"]?.integer } else { nil }
    }

    /// Until all have been told. Answers how many calls it took.
    private func tellAll(_ city: TestCity) async throws -> Int {
        var calls = 1
        while try await city.call("broadcast_tell", []).int == 1 { calls += 1 }
        return calls
    }

    private func notices(_ city: TestCity, _ channel: String) async throws -> Int {
        let entries = try await city.raw(["XRANGE", "{test}:ch:\(channel)", "-", "+"]).array ?? []
        return entries.filter { $0[1].array?.contains { $0.text == "notice" } == true }.count
    }

    @Test func `each of a role is told once, in portions, and nobody else`() async throws {
        try await TestCity.run { city in
            for n in 0..<250 { try await hello(city, "passenger", "p\(n)") }
            try await hello(city, "driver", "T1")
            try await hello(city, "bus_driver", "B1")
            // Who has no account is somebody else tomorrow.
            try await hello(city, "passenger", "guest-0a1b2c3d-Xyz9")
            #expect(try await people(send(city, "passengers")) == 250)
            // Copied at once, as they are few; then 25 each.
            #expect(try await tellAll(city) <= 13)
            for n in 0..<250 { #expect(try await notices(city, "passenger:p\(n)") == 1) }
            #expect(try await notices(city, "driver:T1") == 0)
            #expect(try await notices(city, "bus_driver:B1") == 0)
            #expect(try await notices(city, "passenger:guest-0a1b2c3d-Xyz9") == 0)
            #expect(try await city.raw(["EXISTS", "{test}:broadcasts", "{test}:broadcast:n_1"]).int == 0)
        }
    }

    @Test func `of a zone those are told who stand in its queue`() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1", "T2")
            try await city.queue("15", "T3")
            #expect(try await people(send(city, "drivers", zone: "14")) == 2)
            _ = try await tellAll(city)
            #expect(try await notices(city, "driver:T1") == 1)
            #expect(try await notices(city, "driver:T2") == 1)
            #expect(try await notices(city, "driver:T3") == 0)
        }
    }

    @Test func `a notice to few does not wait for those to many`() async throws {
        try await TestCity.run { city in
            try await passengers(city, 200)
            try await city.queue("14", "T1")
            for id in ["n_1", "n_2"] {
                let sent = try await city.command("broadcast_send", "o1", id, "passengers", "", "Hear this.", "")
                #expect(sent.isOK)
            }
            // Both are copied, and the first is under way.
            for _ in 0..<12 { _ = try await city.call("broadcast_tell", []) }
            let sent = try await city.command("broadcast_send", "o2", "n_3", "drivers", "14", "Hear this.", "")
            #expect(sent.isOK)
            _ = try await city.call("broadcast_tell", [])
            #expect(try await notices(city, "driver:T1") == 1)
            // To all of a few, who have to be copied first: it takes a call more.
            try await hello(city, "bus_driver", "B1")
            let all = try await city.command("broadcast_send", "o2", "n_4", "bus_drivers", "", "Hear this.", "")
            #expect(all.isOK)
            for _ in 0..<2 { _ = try await city.call("broadcast_tell", []) }
            #expect(try await notices(city, "bus_driver:B1") == 1)
        }
    }

    @Test func `the same key is the same notice, and to nobody is told nothing`() async throws {
        try await TestCity.run { city in
            try await hello(city, "driver", "T1")
            let first = try await send(city, "drivers", key: "k")
            _ = try await tellAll(city)
            #expect(try await send(city, "drivers", key: "k") == first)
            _ = try await tellAll(city)
            #expect(try await notices(city, "driver:T1") == 1)
            #expect(try await people(send(city, "bus_drivers")) == 0)
            #expect(try await city.raw(["EXISTS", "{test}:broadcasts"]).int == 0)
        }
    }

    @Test func `a ninth notice waits until one of eight has been told, and a third of one operator`() async throws {
        try await TestCity.run { city in
            try await hello(city, "driver", "T1")
            for n in 10..<18 {
                let (sender, id) = ("of\(n / 2)", "n_\(n)")
                #expect(try await city.command("broadcast_send", sender, id, "drivers", "", "x", "").isOK)
            }
            #expect(try await send(city, "drivers") == .refused("rate_limited"))
            // One call copies whom it goes to, the next tells them.
            for _ in 0..<2 { _ = try await city.call("broadcast_tell", []) }
            let third = try await city.command("broadcast_send", "of8", "n_20", "drivers", "", "x", "")
            #expect(third == .refused("rate_limited"))
            #expect(try await send(city, "drivers").isOK)
            _ = try await tellAll(city)
            #expect(try await notices(city, "driver:T1") == 9)
        }
    }

    @Test func `who has more than an hour to work off is refused, which takes nothing, and a key answers as before`()
        async throws
    {
        try await TestCity.run { city in
            try await hello(city, "driver", "T1")
            let first = try await send(city, "drivers", key: "k")
            _ = try await tellAll(city)
            try await owe(city, 7_200_000)
            let end = try await city.raw(["PEXPIRETIME", "{test}:told:o1"]).int
            let reply = try await city.call("broadcast_send", ["o1", "n_2", "drivers", "", "x", "k2"])
            guard case .refused(let code, let detail, let wait?) = RedisFunctions.answer(.success(reply)) else {
                Issue.record("\(reply)")
                return
            }
            #expect(code == "rate_limited" && detail.contains("100000") && wait > 0 && wait <= 3_600_000)
            #expect(try await city.raw(["PEXPIRETIME", "{test}:told:o1"]).int == end)
            #expect(try await city.raw(["EXISTS", "{test}:broadcasts", "{test}:broadcast:n_2"]).int == 0)
            #expect(try await city.raw(["XLEN", "{test}:audit"]).int == 1)
            #expect(try await send(city, "drivers", key: "k") == first)
            #expect(try await city.command("broadcast_send", "o2", "n_3", "drivers", "", "x", "").isOK)
            // What was refused may be sent with its key when there is less.
            try await owe(city, 3_600_000)
            #expect(try await city.command("broadcast_send", "o1", "n_2", "drivers", "", "x", "k2").isOK)
        }
    }

    @Test func `a person told is 36 ms to work off, twice that with a long text, and nobody is nothing`() async throws {
        try await TestCity.run { city in
            try await passengers(city, 1_000)
            #expect(try await owed(city, text: String(repeating: "x", count: 256)).contains(36_000))
            #expect(try await owed(city, text: String(repeating: "x", count: 257)).contains(72_000))
            try await city.raw(["DEL", "{test}:told:o1"])
            #expect(try await people(send(city, "bus_drivers")) == 0)
            #expect(try await city.raw(["EXISTS", "{test}:told:o1"]).int == 0)
        }
    }

    @Test func `one notice goes to any number of people, and in an hour there is the next`() async throws {
        try await TestCity.run { city in
            try await passengers(city, 60_000)
            // Each counts twice: 72 minutes more, of which no more than an hour is left.
            try await owe(city, 3_600_000)
            let text = String(repeating: "x", count: 500)
            #expect(try await people(send(city, "passengers", text: text)) == 60_000)
            let left = try await city.raw(["PTTL", "{test}:told:o1"]).int ?? 0
            #expect(left > 3_600_000 && left <= 7_200_000)
            #expect(try await send(city, "drivers") == .refused("rate_limited"))
        }
    }

    @Test func `C61: a notice to a whole city is copied in portions, and who comes meanwhile hears it once at most`()
        async throws
    {
        try await TestCity.run { city in
            try await passengers(city, 6_000)
            #expect(try await people(send(city, "passengers")) == 6_000)
            var most: Int64 = 0
            var calls = 0
            repeat {
                let before = try await city.raw(["ZCARD", "{test}:broadcast:n_1"]).int ?? 0
                _ = try await city.call("broadcast_tell", [])
                most = max(most, (try await city.raw(["ZCARD", "{test}:broadcast:n_1"]).int ?? 0) - before)
                calls += 1
                // They go to another place of the set.
                if calls < 20 { try await hello(city, "passenger", "p\(calls * 97)") }
            } while try await city.raw(["EXISTS", "{test}:broadcasts"]).int == 1
            #expect(calls > 6_000 / 25 && most > 0 && most < 2_000)
            for n in stride(from: 0, to: 6_000, by: 97) { #expect(try await notices(city, "passenger:p\(n)") == 1) }
        }
    }

    @Test func `all who were away for long are forgotten when somebody comes, a hundred at a time`() async throws {
        try await TestCity.run { city in
            let long = (0..<250).flatMap { ["1000", "old\($0)"] }
            try await city.raw(["ZADD", "{test}:people:passenger"] + long)
            for left in [150, 50, 0] {
                try await hello(city, "passenger", "p1")
                #expect(try await city.raw(["ZCARD", "{test}:people:passenger"]).int == Int64(left) + 1)
            }
        }
    }

    @Test func `in quiet hours it comes silent`() async throws {
        try await TestCity.run { city in
            try await hello(city, "passenger", "p1")
            _ = try await city.call(
                "notify_set", ["passenger:p1", "proximity,answers", "0", "1439", "", "", ""])
            _ = try await send(city, "passengers")
            _ = try await tellAll(city)
            let told = try await city.raw(["XREVRANGE", "{test}:ch:passenger:p1", "+", "-", "COUNT", "1"])
            #expect(told[0][1].array?.last?.text?.contains(#""silent":true"#) == true)
        }
    }

    @Test func `who has not been here for a week is forgotten`() async throws {
        try await TestCity.run { city in
            let now = try await city.raw(["TIME"])[0].int ?? 0
            try await city.raw(["ZADD", "{test}:people:passenger", "\((now - 8 * 86_400) * 1_000)", "old"])
            try await city.raw(["ZADD", "{test}:people:passenger", "\((now - 6 * 86_400) * 1_000)", "young"])
            try await hello(city, "passenger", "p1")
            let left = try await city.raw(["ZRANGE", "{test}:people:passenger", "0", "-1"])
            #expect(left.array?.map(\.text) == ["young", "p1"])
        }
    }
}
