import RedisLink
import Testing
import Wire

@testable import Hub

/// Who is told by a push, and who sends it (waking.lua, subscriptions.lua), against a real Redis.
@Suite struct PushFunctionTests {
    private static let endpoint = "https://push.example/1"

    private func subscribe(_ city: TestCity, _ channel: String, _ endpoint: String = Self.endpoint) async throws {
        #expect(try await city.command("push_subscribe", channel, endpoint, "BA", "AA", "9 1 k", "").isOK)
    }

    /// Of each endpoint, whether it counts.
    private func targets(_ city: TestCity, _ channel: String) async throws -> [String: Bool] {
        let flat = try await city.call("push_targets", [channel]).array?.compactMap(\.text) ?? []
        return Dictionary(
            uniqueKeysWithValues: stride(from: 0, to: flat.count - 1, by: 2).map { (flat[$0], !flat[$0 + 1].isEmpty) })
    }

    /// What Redis has of a subscription of p1.
    private func kept(_ city: TestCity, _ endpoint: String) async throws -> String {
        try await city.raw(["HGET", "{test}:subscriptions:passenger:p1", endpoint]).text ?? ""
    }

    /// A push to p1 was answered so; how many subscriptions are left.
    private func gone(_ city: TestCity, _ endpoint: String, _ kept: String) async throws -> Int64? {
        try await city.call("push_gone", ["passenger:p1", endpoint, kept]).int
    }

    /// Types of what is to be pushed.
    private func waking(_ city: TestCity) async throws -> [String] {
        try await city.raw(["XRANGE", "{test}:wakings", "-", "+"]).array?.compactMap { $0[1]["type"].text } ?? []
    }

    private func on(_ city: TestCity) async throws {
        try await city.raw(["HSET", "{test}:settings", "push_on", "1"])
    }

    /// p1 has a subscription and these connections, and T1 waits in zone 14.
    private func connected(_ city: TestCity, _ sessions: String...) async throws {
        try await on(city)
        try await subscribe(city, "passenger:p1")
        try await city.queue("14", "T1")
        try await city.raw(["ZADD", "{test}:workers", "1", "w1"])
        for session in sessions { try await city.call("session_hello", ["passenger", "p1", session, "w1", ""]) }
    }

    @Test func `who has a subscription and no connection is woken, by what is of use only`() async throws {
        try await TestCity.run { city in
            try await on(city)
            try await city.queue("14", "T1")
            #expect(try await city.request("p1", "r1", "14").isOK)
            // Nobody knows yet that there will be one.
            try await subscribe(city, "passenger:p1")
            _ = try await city.command("offer_seen", "T1", "r1")
            #expect(try await city.command("offer_accept", "T1", "r1", "", "120").isOK)
            #expect(try await waking(city) == ["ride.accepted"])
            let entry = try await city.raw(["XRANGE", "{test}:wakings", "-", "+"])[0][1]
            #expect(entry["channel"].text == "passenger:p1" && entry["urgency"].text == "high")
            let event = try await city.raw(["XREVRANGE", "{test}:ch:passenger:p1", "+", "-", "COUNT", "1"])[0]
            #expect(entry["seq"].text == event[0].text && entry["data"].text == event[1]["data"].text)
            // Their own wish is no news.
            #expect(try await city.command("ride_cancel", "passenger", "p1", "", "", "").isOK)
            #expect(try await waking(city) == ["ride.accepted"])
        }
    }

    @Test func `of a token that the office has revoked nothing counts, also what was on its way`() async throws {
        try await TestCity.run { city in
            func counts() async throws -> Bool? { try await targets(city, "passenger:p1")[Self.endpoint] }
            func subscribe(issued: Int) async throws -> Bool {
                try await city.command(
                    "push_subscribe", "passenger:p1", Self.endpoint, "BA", "AA", "9000 \(issued) k", ""
                ).isOK
            }
            try await on(city)
            #expect(try await subscribe(issued: 99))
            #expect(try await counts() == true)
            try await city.raw(["ZADD", "{test}:revoked", "100", "passenger p1", "500", "driver p1"])
            // The sender takes it out.
            #expect(try await counts() == false)
            #expect(try await !subscribe(issued: 99))
            #expect(try await subscribe(issued: 100))
            #expect(try await counts() == true)
        }
    }

    @Test func `a connection counts while its worker lives`() async throws {
        try await TestCity.run { city in
            try await connected(city, "w1.1")
            #expect(try await city.request("p1", "r1", "14").isOK)
            _ = try await city.command("offer_seen", "T1", "r1")
            #expect(try await city.command("offer_accept", "T1", "r1", "", "120").isOK)
            #expect(try await waking(city) == [])
            #expect(try await city.call("push_targets", ["passenger:p1"]).array?.isEmpty == true)
            try await city.raw(["ZREM", "{test}:workers", "w1"])
            #expect(try await city.call("push_targets", ["passenger:p1"]).array?.count == 2)
            try await city.call("ride_alert", ["T1", "r1", "500", "480", "high"])
            #expect(try await waking(city) == ["ride.near"])
            try await city.raw(["ZADD", "{test}:workers", "1", "w1"])
            try await city.call("session_left", ["passenger:p1", "w1.1", ""])
            try await city.call("ride_alert", ["T1", "r1", "20", "10", "high"])
            #expect(try await waking(city) == ["ride.near", "ride.arrived"])
        }
    }

    @Test func `a phone that fell asleep is woken by what it may not have seen`() async throws {
        try await TestCity.run { city in
            try await connected(city, "w1.1", "w1.2")
            try await city.assign("r1", of: "p1", to: "T1")
            // Another connection is there.
            try await city.call("session_left", ["passenger:p1", "w1.1", "75000"])
            #expect(try await waking(city) == [])
            try await city.call("session_left", ["passenger:p1", "w1.2", "75000"])
            #expect(try await waking(city) == ["ride.accepted"])
            let seq = try await city.raw(["XRANGE", "{test}:wakings", "-", "+"])[0][1]["seq"].text
            let event = try await city.raw(["XREVRANGE", "{test}:ch:passenger:p1", "+", "-", "COUNT", "1"])[0]
            #expect(seq == event[0].text)
        }
    }

    @Test func `a connection that is lost again and again wakes nobody twice by the same`() async throws {
        try await TestCity.run { city in
            try await connected(city, "w1.1")
            try await city.assign("r1", of: "p1", to: "T1")
            for n in 1...5 {
                try await city.call("session_left", ["passenger:p1", "w1.\(n)", "75000"])
                #expect(try await waking(city) == ["ride.accepted"])
                try await city.call("session_hello", ["passenger", "p1", "w1.\(n + 1)", "w1", ""])
            }
            try await city.call("ride_alert", ["T1", "r1", "500", "480", "high"])
            try await city.call("session_left", ["passenger:p1", "w1.6", "75000"])
            try await city.call("ride_alert", ["T1", "r1", "20", "10", "high"])
            try await city.call("session_hello", ["passenger", "p1", "w1.7", "w1", ""])
            try await city.call("session_left", ["passenger:p1", "w1.7", "75000"])
            #expect(try await waking(city) == ["ride.accepted", "ride.near", "ride.arrived"])
        }
    }

    @Test("C60: what was looked at once is not read again, whatever it is, and of much the latest are") func lookedAt()
        async throws
    {
        try await TestCity.run { city in
            try await connected(city, "w1.1")
            try await city.assign("r1", of: "p1", to: "T1")
            for _ in 0..<150 {
                try await city.raw([
                    "XADD", "{test}:ch:passenger:p1", "*", "type", "notify.changed", "time", "1", "data", "{}",
                ])
            }
            try await city.call("session_left", ["passenger:p1", "w1.1", "75000"])
            #expect(try await waking(city) == [], "a hundred others have come since")
            let last = try await city.raw(["XREVRANGE", "{test}:ch:passenger:p1", "+", "-", "COUNT", "1"])[0][0].text
            #expect(try await city.raw(["GET", "{test}:woken:passenger:p1"]).text == last)
            try await city.call("session_hello", ["passenger", "p1", "w1.2", "w1", ""])
            try await city.call("ride_alert", ["T1", "r1", "20", "10", "high"])
            try await city.call("session_left", ["passenger:p1", "w1.2", "75000"])
            #expect(try await waking(city) == ["ride.near", "ride.arrived"])
        }
    }

    /// So many sleep at w1, which swept last so many ms ago and told each of them something 10 s before.
    private func sleepers(_ city: TestCity, _ count: Int, deadForMs: Int) async throws {
        try await on(city)
        let time = try await city.raw(["TIME"]).array?.compactMap(\.text).compactMap { Int($0) } ?? []
        let died = time[0] * 1000 - deadForMs
        try await city.raw(["ZADD", "{test}:workers", "\(died)", "w1"])
        for n in 1...count {
            let channel = "passenger:p\(n)"
            try await subscribe(city, channel, "https://push.example/\(n)")
            try await city.call(
                "session_hello", ["passenger", "p\(n)", "w1.\(n)", "w1", ""])
            try await city.raw([
                "XADD", "{test}:ch:\(channel)", "\(died - 10_000)-0", "type",
                "ride.accepted",
                "time", "1", "data", "{}",
            ])
        }
    }

    private func sweep(_ city: TestCity, _ worker: String = "w2") async throws -> Bool {
        try await city.call("city_sweep", [worker, "5000", "", "", "75000"])[1].int == 1
    }

    @Test func `all who slept at a worker that died long ago are woken, however many, and can be reached at once`()
        async throws
    {
        try await TestCity.run { city in
            try await sleepers(city, 250, deadForMs: 600_000)
            #expect(try await sweep(city))
            #expect(try await waking(city) == [])
            for most in [100, 200, 250, 250] {
                #expect(try await sweep(city) == false)
                #expect(try await waking(city).count == most)
                #expect(try await city.call("push_targets", ["passenger:p1"]).array?.isEmpty == false)
            }
            for key in ["dying", "awake:w1"] {
                #expect(try await city.raw(["EXISTS", "{test}:\(key)"]).int == 0)
            }
        }
    }

    @Test func `a worker that was taken for dead and is back is told so, and wakes nobody more`() async throws {
        try await TestCity.run { city in
            try await sleepers(city, 150, deadForMs: 10_000)
            for _ in 1...2 { _ = try await sweep(city) }
            #expect(try await waking(city).count == 100)
            #expect(try await sweep(city, "w1"))
            for _ in 1...3 { _ = try await sweep(city) }
            #expect(try await waking(city).count == 100)
        }
    }

    @Test func `a device that was not heard of for long is pushed nothing`() async throws {
        try await TestCity.run { city in
            try await subscribe(city, "driver:T1", "https://push.example/1")
            try await subscribe(city, "driver:T1", "https://push.example/2")
            try await city.raw(["HSET", "{test}:subscriptions:driver:T1", "https://push.example/1", "1 BA AA 9 1 k"])
            // As said to a hub that kept nothing of tokens.
            try await subscribe(city, "driver:T1", "https://push.example/3")
            let now = try await city.raw(["TIME"])[0].text ?? ""
            try await city.raw(["HSET", "{test}:subscriptions:driver:T1", "https://push.example/3", "\(now)000 BA AA"])
            let found = try await targets(city, "driver:T1")
            #expect(
                found == [
                    "https://push.example/1": false, "https://push.example/2": true, "https://push.example/3": false,
                ])
        }
    }

    @Test func `the sender takes out what is answered with nothing beside it`() throws {
        let point = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
        let kept = "1 \(point) BTBZMqHH6r4Tts7J_aSIgg 9000 99 k"
        let words = ["https://push.example/1", kept, "https://push.example/2", ""]
        let reply = RedisReply.array(words.map { .string(Array($0.utf8)) })
        let found = PushTarget.read(reply, services: ["push.example"]) { _ in true }
        #expect(found.good.count == 1 && found.good.first?.kept == kept)
        #expect(found.bad == [PushTarget.Gone(endpoint: "https://push.example/2", kept: "")])
    }

    @Test func `switched off nothing is written, whoever has subscribed before`() async throws {
        try await TestCity.run { city in
            try await subscribe(city, "passenger:p1")
            try await city.queue("14", "T1")
            #expect(try await city.request("p1", "r1", "14").isOK)
            _ = try await city.command("offer_seen", "T1", "r1")
            #expect(try await city.command("offer_accept", "T1", "r1", "", "120").isOK)
            #expect(try await waking(city) == [])
        }
    }

    @Test func `an endpoint that is gone is forgotten, with its last the mark`() async throws {
        try await TestCity.run { city in
            try await subscribe(city, "passenger:p1")
            try await subscribe(city, "passenger:p1", "https://push.example/2")
            let first = try await kept(city, Self.endpoint)
            #expect(try await gone(city, Self.endpoint, first) == 1)
            #expect(try await city.raw(["HGET", "{test}:wishes:passenger:p1", "push"]).text == "1")
            let second = try await kept(city, "https://push.example/2")
            #expect(try await gone(city, "https://push.example/2", second) == 0)
            #expect(try await city.raw(["KEYS", "{test}:*p1*"]).array?.isEmpty == true)
            #expect(try await city.raw(["KEYS", "{test}:subscriber:*"]).array?.isEmpty == true)
        }
    }

    @Test func `one that is said again is not taken out for what was sent before`() async throws {
        try await TestCity.run { city in
            try await subscribe(city, "passenger:p1")
            let before = try await kept(city, Self.endpoint)
            #expect(
                try await city.command("push_subscribe", "passenger:p1", Self.endpoint, "BB", "AA", "9 1 k", "").isOK)
            #expect(try await gone(city, Self.endpoint, before) == 1)
            #expect(try await gone(city, Self.endpoint, "") == 1)
            let now = try await kept(city, Self.endpoint)
            #expect(now.contains(" BB "))
            #expect(try await city.raw(["EXISTS", "{test}:wishes:passenger:p1"]).int == 1)
            #expect(try await gone(city, Self.endpoint, now) == 0)
        }
    }

    @Test func `one that counts no more is taken out as long as that is so`() async throws {
        try await TestCity.run { city in
            try await subscribe(city, "passenger:p1")
            try await city.raw(["HSET", "{test}:subscriptions:passenger:p1", Self.endpoint, "1 BA AA 9 1 k"])
            #expect(try await gone(city, Self.endpoint, "") == 0)
        }
    }

    @Test func `an endpoint has one owner, and one that is said again is the youngest`() async throws {
        try await TestCity.run { city in
            for n in 1...5 { try await subscribe(city, "driver:T1", "https://push.example/\(n)") }
            try await city.raw(["HSET", "{test}:subscriptions:driver:T1", "https://push.example/3", "1 BA AA"])
            try await subscribe(city, "driver:T1", "https://push.example/6")
            let held = try await city.raw(["HKEYS", "{test}:subscriptions:driver:T1"]).array?.compactMap(\.text) ?? []
            #expect(held.sorted() == [1, 2, 4, 5, 6].map { "https://push.example/\($0)" })
            try await subscribe(city, "driver:T2", "https://push.example/4")
            #expect(try await city.raw(["HLEN", "{test}:subscriptions:driver:T1"]).int == 4)
            // The owner of before does not take it from the one of now.
            #expect(try await city.command("push_unsubscribe", "driver:T1", "https://push.example/4", "").isOK)
            #expect(try await city.raw(["HLEN", "{test}:subscriptions:driver:T2"]).int == 1)
            #expect(try await city.raw(["KEYS", "{test}:subscriber:*"]).array?.count == 5)
        }
    }

    @Test func `one sender leads until it is silent`() async throws {
        try await TestCity.run { city in
            #expect(try await city.call("push_lead", ["a", "60000"]).int == 1)
            #expect(try await city.call("push_lead", ["b", "60000"]).int == 0)
            #expect(try await city.call("push_lead", ["a", "60000"]).int == 1)
            try await city.raw(["DEL", "{test}:push_sender"])
            #expect(try await city.call("push_lead", ["b", "60000"]).int == 1)
        }
    }

    @Test func `a large event is pushed with what says which it is`() throws {
        func job(_ data: String) -> PushJob? { PushJob("1-1", of: "driver:T1", data: data) }
        #expect(
            job(#"{"ride":"r1"}"#)?.message
                == Array(#"{"ch":"driver:T1","seq":"1-1","type":"offer.made","time":5,"data":{"ride":"r1"}}"#.utf8))
        let long = String(repeating: "x", count: 4_000)
        #expect(
            job(#"{"way":"\#(long)","ride":"r1"}"#)?.message
                == Array(#"{"ch":"driver:T1","seq":"1-1","type":"offer.made","time":5,"data":{"ride":"r1"}}"#.utf8))
        #expect(job(#"{"ride":"\#(long)"}"#) == nil)
        #expect(PushJob(.array([.string([])])) == nil)
    }
}
