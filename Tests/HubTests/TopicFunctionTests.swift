import RedisLink
import Testing
import Wire

@testable import Hub

/// topic.lua against a real Redis.
@Suite struct TopicFunctionTests {
    private static let channel = "topic:roads"

    private func publish(_ city: TestCity, _ data: String, key: String = "", type: String = "message") async throws
        -> String
    {
        let outcome = try await city.command("topic_publish", "operator:o1", Self.channel, type, data, key)
        return outcome["seq"]?.text ?? "refused"
    }

    /// Where the history ends, which places are there, and the seqs of the entries.
    private func read(_ city: TestCity, _ places: String...) async throws
        -> (end: String, there: [Bool], seqs: [String])
    {
        let reply = try await city.call("topic_read", [Self.channel] + places)
        return (
            reply[0].text ?? "", (reply[1].array ?? []).map { $0.int == 1 },
            (reply[2].array ?? []).compactMap { $0[0].text }
        )
    }

    @Test("An event is pushed and kept, its data as it came")
    func publishing() async throws {
        try await TestCity.run { city in
            // What a detour over Lua's tables would change.
            let data = #"{"none":[],"empty":{},"big":9007199254740991,"text":"é\n","null":null,"one":1.0}"#
            let heard = try await city.heard(on: Channel.partition(Self.channel)) {
                _ = try await publish(city, data, type: "roadworks")
            }
            let push = try #require(heard.first)
            #expect(push.channel == Self.channel)
            #expect(push.type == "roadworks")
            #expect(String(decoding: push.data, as: UTF8.self) == data)
            let kept = try await city.raw(["XRANGE", "{test}:ch:" + Self.channel, "-", "+"])
            #expect(kept[0][0].text == push.seq)
            #expect(kept[0][1]["data"].text == data)
            #expect(try await city.raw(["TTL", "{test}:ch:" + Self.channel]).int ?? 0 > 86_000)
        }
    }

    @Test("With a key it is published once, and the first reply is given again")
    func once() async throws {
        try await TestCity.run { city in
            let first = try await publish(city, "{}", key: "k1")
            #expect(try await publish(city, "{}", key: "k1") == first)
            #expect(try await publish(city, "{}", key: "k2") != first)
            #expect(try await publish(city, "{}") != first)
            #expect(try await city.told(Self.channel).count == 3)
        }
    }

    @Test("A topic that nobody has published on has a place to begin at, and it stays")
    func emptyTopic() async throws {
        try await TestCity.run { city in
            let begin = try await read(city)
            #expect(StreamPosition(begin.end.utf8) != nil)
            #expect(begin.seqs == [])
            let again = try await read(city, begin.end)
            #expect(again.end == begin.end)
            #expect(again.there == [true])
            let key = "{test}:ch:" + Self.channel
            #expect(try await city.raw(["EXISTS", key]).int == 0, "nothing is kept for who only reads")
            let seq = try await publish(city, "{}")
            #expect(try await read(city, begin.end).seqs == [seq])
            // No place: one of a day and more ago, one to come, and any when something was dropped since.
            let ms = try #require(begin.end.split(separator: "-").first.flatMap { Int($0) })
            let places = [ms - 90_000_000, ms + 9_000_000].map { "\($0)-4294967295" }
            #expect(try await read(city, places[0], places[1]).there == [false, false])
            _ = try await publish(city, "{}")
            try await city.raw(["XTRIM", key, "MAXLEN", "=", "1"])
            #expect(try await read(city, begin.end).there == [false])
        }
    }

    @Test("Readers at different places are read at once, from the oldest place that is still there")
    func severalPlaces() async throws {
        try await TestCity.run { city in
            var seqs: [String] = []
            for _ in 0..<10 { seqs.append(try await publish(city, "{}")) }
            let all = try await read(city, "1-1", seqs[3], seqs[7], seqs[9])
            #expect(all.end == seqs[9])
            #expect(all.there == [false, true, true, true])
            #expect(all.seqs == Array(seqs[4...]))
            for _ in 0..<100 { seqs.append(try await publish(city, "{}")) }
            let some = try await read(city, seqs[0])
            #expect(some.end == seqs[109])
            #expect(some.seqs == Array(seqs[1...16]), "the others are read by the worker")
            #expect(try await read(city, "1-1", "9999999999999-1").seqs == [])
        }
    }

    @Test("0-0 is the place before the oldest entry that is kept, whatever was dropped")
    func oldest() async throws {
        try await TestCity.run { city in
            #expect(try await read(city, "0-0").there == [true], "nobody has published yet")
            var seqs: [String] = []
            for _ in 0..<5 { seqs.append(try await publish(city, "{}")) }
            #expect(try await read(city, "0-0", seqs[3]).seqs == seqs)
            try await city.raw(["XTRIM", "{test}:ch:" + Self.channel, "MAXLEN", "=", "2"])
            let page = try await read(city, "0-0", seqs[0])
            #expect(page.there == [true, false])
            #expect(page.seqs == Array(seqs[3...]))
        }
    }

    @Test("An entry that was trimmed is no place any more")
    func trimmed() async throws {
        try await TestCity.run { city in
            let old = try await publish(city, "{}")
            let new = try await publish(city, "{}")
            try await city.raw(["XTRIM", "{test}:ch:" + Self.channel, "MAXLEN", "=", "1"])
            let page = try await read(city, old, new)
            #expect(page.there == [false, true])
            #expect(page.seqs == [])
        }
    }

    @Test("The history keeps to its length")
    func bounded() async throws {
        try await TestCity.run { city in
            try await city.raw(["HSET", "{test}:settings", "history_length", "10"])
            for _ in 0..<250 { _ = try await publish(city, "{}") }
            #expect(try await city.told(Self.channel).count < 120)
        }
    }
}
