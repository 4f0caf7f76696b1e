import RedisLink
import Testing
import Wire

@testable import Hub

/// publisher.lua against a real Redis: what one subject may keep in topics.
@Suite struct PublisherFunctionTests {
    private func publish(
        _ city: TestCity, _ topic: String, _ bytes: Int = 2, of sender: String = "service:s1", key: String = ""
    ) async throws -> TestCity.Outcome {
        try await city.command(
            "topic_publish", sender, "topic:" + topic, "m", "{" + String(repeating: " ", count: bytes - 2) + "}", key)
    }

    private func set(_ city: TestCity, _ name: String, _ value: Int) async throws {
        try await city.raw(["HSET", "{test}:settings", name, String(value)])
    }

    /// The bytes of the data that the topics' histories have.
    private func kept(_ city: TestCity) async throws -> Int {
        var sum = 0
        for key in try await city.raw(["KEYS", "{test}:ch:topic:*"]).array?.compactMap(\.text) ?? [] {
            for entry in try await city.raw(["XRANGE", key, "-", "+"]).array ?? [] {
                sum += entry[1]["data"].text?.utf8.count ?? 0
            }
        }
        return sum
    }

    @Test func `C65: a subject keeps events in so many topics, whoever else has many`() async throws {
        try await TestCity.run { city in
            try await set(city, "max_topics", 3)
            for topic in ["a", "b", "c"] { #expect(try await publish(city, topic).isOK) }
            let before = try await city.raw(["DBSIZE"]).int
            for n in 1...20 { #expect(try await publish(city, "d\(n)", key: "k") == .refused("rate_limited")) }
            #expect(try await city.raw(["DBSIZE"]).int == before)
            guard
                case .refused("rate_limited", let detail, let after?) = RedisFunctions.answer(
                    .success(try await city.call("topic_publish", ["service:s1", "topic:d", "m", "{}", ""])))
            else {
                Issue.record("not refused")
                return
            }
            #expect(detail.contains("3 topics") && detail.contains("(redis.max_topics_per_subject)"))
            #expect((86_400_000...97_200_000).contains(after), "a history lives for a day and an eighth")
            #expect(try await publish(city, "a").isOK, "in those that it has it goes on")
            for n in 1...3 { #expect(try await publish(city, "d\(n)", of: "operator:s1").isOK, "another subject") }
            try await set(city, "max_topics", 4)
            #expect(try await publish(city, "d", key: "k").isOK, "the key was not used up")
        }
    }

    @Test func `C65: a subject keeps so many bytes in topics, in many as in one`() async throws {
        try await TestCity.run { city in
            try await set(city, "max_topic_bytes", 300_000)
            var taken = 0
            while try await publish(city, "a\(taken % 20)", 8_000).isOK { taken += 1 }
            // 90 KB for the topics.
            #expect((25...26).contains(taken))
            #expect(try await publish(city, "new", 8_000) == .refused("rate_limited"))
            #expect(try await publish(city, "a0", 8_000, of: "service:s2").isOK, "another subject, on the same topic")
            #expect(try await publish(city, "a0").isOK, "what has room")
            let used = try await city.raw(["MEMORY", "USAGE", "{test}:ch:topic:a1", "SAMPLES", "0"]).int ?? 0
            #expect((8_000...20_500).contains(used), "\(used): two events and what a topic takes by itself")
        }
    }

    @Test func `C65: what has left a history is not counted, and nothing else is left out`() async throws {
        try await TestCity.run { city in
            try await set(city, "history_length", 100)
            // Redis drops whole blocks of a stream: with so much in one it keeps no more than a block too many.
            try await set(city, "max_topic_bytes", 5_000 + 126 * 4_060)
            for _ in 0..<600 { #expect(try await publish(city, "a", 4_000).isOK) }
            // As the hub does in one of sixteen milliseconds.
            try await city.raw(["XTRIM", "{test}:ch:topic:a", "MAXLEN", "~", "100"])
            let counted = try await city.field("published:service:s1", "topic:a")?.split(separator: " ").dropFirst(2)
            let bytes = (counted ?? []).reduce(0) { $0 + (Int($1) ?? 0) }
            let there = try await kept(city)
            #expect(there >= 400_000 && bytes >= there && bytes <= there * 5 / 4 + 20_000, "\(bytes) of \(there)")
            // Large ones after small ones.
            for _ in 0..<300 { #expect(try await publish(city, "b", of: "service:s2").isOK) }
            while try await publish(city, "b", 8_000, of: "service:s2").isOK {}
            try await city.raw(["DEL", "{test}:ch:topic:a"])
            #expect(try await kept(city) < 5_000 + 126 * 4_060)
        }
    }

    @Test func `C65: what was counted outlives Redis' process, and topics that are gone make room`() async throws {
        try await TestCity.run { city in
            try await set(city, "max_topics", 2)
            for topic in ["a", "b"] { #expect(try await publish(city, topic, 100).isOK) }
            // The library is loaded anew, as by a Redis that was started again.
            try await city.raw(["FUNCTION", "FLUSH"])
            #expect(try await publish(city, "c") == .refused("rate_limited"))
            try await city.raw(["HSET", "{test}:published:service:s1", "topic:b", "1700000000000 1 160 "])
            try await city.raw(["FUNCTION", "FLUSH"])
            #expect(try await publish(city, "c").isOK)
            #expect(try await publish(city, "d") == .refused("rate_limited"))
            let topics = try await city.raw(["HKEYS", "{test}:published:service:s1"]).array?.compactMap(\.text)
            #expect(topics?.sorted() == ["topic:a", "topic:c"])
            #expect(try await city.raw(["TTL", "{test}:published:service:s1"]).int ?? 0 >= 97_200)
        }
    }

    @Test func `counting takes one command of a publish`() async throws {
        try await TestCity.run { city in
            try await set(city, "version", 1)
            for n in 0..<300 { #expect(try await publish(city, "a\(n % 2)").isOK) }
            var before: [String: Int] = [:]
            let commands = ["time", "xadd", "publish", "hset", "expire", "hgetall", "hmget", "hdel", "del"]
            for command in commands { before[command] = try await city.calls(of: command) }
            for n in 0..<300 { #expect(try await publish(city, "a\(n % 2)").isOK) }
            for command in commands {
                let calls = try await city.calls(of: command) - (before[command] ?? 0)
                let expected = ["time", "xadd", "publish", "hset"].contains(command) ? 300 : 0
                #expect(calls == expected, "\(command)")
            }
        }
    }
}
