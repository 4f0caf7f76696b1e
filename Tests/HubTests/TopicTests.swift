import RedisLink
import Testing

@testable import Hub

@Suite struct TopicTests {
    @Test(
        "Names of topics",
        arguments: [
            ("topic:a", true), ("topic:Road-works_2.x", true), ("topic:" + String(repeating: "x", count: 64), true),
            ("topic:", false), ("topic:" + String(repeating: "x", count: 65), false), ("topic:a b", false),
            ("topic:a:b", false), ("topic:é", false), ("topics:a", false), ("zone:1", false), ("", false),
        ])
    func names(_ channel: String, _ isTopic: Bool) {
        #expect(Channel.isTopic(channel) == isTopic)
    }

    private func page(_ seqs: [Int], newest: Int, there: [Int], bytes: Int = 100) throws -> TopicPage {
        let reply = RedisReply.array([
            .string(Array("\(newest)-0".utf8)), .array(there.map { _ in .integer(1) }),
            .array(
                seqs.map { seq in
                    .array([
                        .string(Array("\(seq)-0".utf8)),
                        .array(
                            ["type", "t", "time", "1", "data", String(repeating: " ", count: bytes) + "{}"]
                                .map { .string(Array($0.utf8)) }),
                    ])
                }),
        ])
        return try #require(TopicPage(reply, "topic:x", places: try there.map(place)))
    }

    private func place(_ number: Int) throws -> StreamPosition { try #require(StreamPosition("\(number)-0".utf8)) }

    @Test("A part of a history goes as far as it may, and says where that is")
    func parts() throws {
        let whole = try page([2, 3, 4], newest: 4, there: [1])
        #expect(whole.has(try place(1)))
        #expect(!whole.has(try place(2)))
        let all = whole.part(after: try place(2), upTo: 10_000)
        #expect(all.events.map(\.position.milliseconds) == [3, 4])
        #expect(all.reached == (try place(4)))
        let one = whole.part(after: try place(1), upTo: 10)
        #expect(one.events.count == 1, "one event at least")
        #expect(one.reached == (try place(2)))
        let nothing = whole.part(after: try place(4), upTo: 10)
        #expect(nothing.events.isEmpty)
        #expect(nothing.reached == (try place(4)))
        // Redis had more than it gave.
        let begin = try page([2, 3], newest: 9, there: [1])
        #expect(begin.part(after: try place(1), upTo: 10_000).reached == (try place(3)))
        #expect(begin.part(after: try place(5), upTo: 10_000).reached == (try place(5)))
        #expect(begin.part(after: try place(9), upTo: 10_000).reached == (try place(9)))
    }

    @Test("A position is written as it is read")
    func positionText() throws {
        #expect(try #require(StreamPosition("1795210210000-12".utf8)).text == "1795210210000-12")
    }
}
