import RedisLink
import Testing

@testable import Hub

@Suite struct HistoryPageTests {
    private func text(_ value: String) -> RedisReply { .string(Array(value.utf8)) }

    private func entry(_ n: Int, bytes: Int = 100) -> RedisReply {
        let data = "\"" + String(repeating: "x", count: bytes) + "\""
        return .array([
            text("\(n)-0"), .array([text("type"), text("message"), text("time"), text("1"), text("data"), text(data)]),
        ])
    }

    private func page(_ entries: ClosedRange<Int>, newest: Int, bytes: Int = 100) throws -> HistoryPage {
        let from = try #require(StreamPosition("0-0".utf8))
        let reply = RedisReply.array([
            text("\(newest)-0"), .array([.integer(1)]), .array(entries.map { entry($0, bytes: bytes) }),
        ])
        return try #require(HistoryPage(reply, "topic:x", places: [from]))
    }

    @Test("C5: what the function left out is read from its last entry on, as much as may fit") func next() throws {
        let some = try page(1...16, newest: 500)
        let next = try #require(some.next(upTo: 65_536, most: 256))
        #expect(next.last.text == "16-0" && next.count == 256)
        let few = try #require(try page(1...16, newest: 500, bytes: 2_000).next(upTo: 65_536, most: 256))
        #expect((10...20).contains(few.count))
        #expect(try page(1...16, newest: 500, bytes: 5_000).next(upTo: 65_536, most: 256) == nil, "it is full")
        #expect(try page(1...16, newest: 16).next(upTo: 65_536, most: 256) == nil, "it has all")
        let whole = some.completed(with: .array((16...20).map { entry($0) }), "topic:x")
        #expect(whole.events.map(\.position.milliseconds) == Array(1...20))
    }

    @Test("C5: if that was dropped meanwhile, the others are left to the next reading, which finds the gap")
    func dropped() throws {
        let some = try page(1...16, newest: 20)
        for rest in [(17...20).map { entry($0) }, []] {
            #expect(some.completed(with: .array(rest), "topic:x").events.count == 16)
        }
    }
}
