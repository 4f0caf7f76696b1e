import RedisLink
import Testing

@testable import Hub

@Suite struct HelloReplyTests {
    private func entry(_ seq: String) -> RedisReply {
        .array([
            text(seq),
            .array([text("type"), text("ride.taxi"), text("time"), text("1"), text("data"), text("{}")]),
        ])
    }

    private func text(_ value: String) -> RedisReply { .string(Array(value.utf8)) }

    private func reply(position: String, entries: [String]) throws -> HelloReply {
        let fields = [position, "resumed", "{}", "", "", "", "", "", ""].map(text)
        return try #require(HelloReply(.array(fields + [.array(entries.map(entry)), text("")])))
    }

    @Test("C5: what the function left out is read from its last entry on") func completed() throws {
        let some = try reply(position: "9-0", entries: ["3-0", "4-0"])
        #expect(some.lastOfSome == "4-0")
        let whole = some.completed(with: .array(["4-0", "8-0", "9-0"].map(entry)))
        #expect(whole.entries.map(\.seq) == ["3-0", "4-0", "8-0", "9-0"])
        #expect(whole.mode == .resumed)
        #expect(whole.lastOfSome == nil)
    }

    @Test(
        "C5: if that was dropped meanwhile, others may be: it is a gap, of which the snapshot tells",
        arguments: [["8-0", "9-0"], []])
    func dropped(rest: [String]) throws {
        let whole = try reply(position: "9-0", entries: ["3-0", "4-0"]).completed(with: .array(rest.map(entry)))
        #expect(whole.mode == .gap)
        #expect(whole.entries.isEmpty)
    }

    @Test func `with its last entry, or without any, it is whole`() throws {
        #expect(try reply(position: "4-0", entries: ["3-0", "4-0"]).lastOfSome == nil)
        #expect(try reply(position: "4-0", entries: []).lastOfSome == nil)
    }
}
