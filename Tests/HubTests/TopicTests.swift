import Domain
import RedisLink
import Testing
import WebSocketServer

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

    @Test(
        "Names of the hub's events are no topics', and some topics are private",
        arguments: [
            ("topic:ride.accepted", true, false), ("topic:stop.x.y", true, false), ("topic:seats.changed", true, false),
            ("topic:ride", false, false), ("topic:rides.x", false, false), ("topic:.ride.x", false, false),
            ("topic:my.ride.x", false, false), ("topic:private", false, true), ("topic:private.x.y", false, true),
            ("topic:privately", false, false), ("topic:x.private", false, false), ("line:private", false, false),
        ])
    func reserved(_ channel: String, _ isEvent: Bool, _ isPrivate: Bool) {
        #expect(Channel.isNamedAsEvent(channel) == isEvent)
        #expect(Channel.isPrivate(channel) == isPrivate)
    }

    @Test(
        "Every type that the functions tell or log is of a family that no topic may begin with, and each family has one"
    )
    func families() throws {
        var used: Set<String> = []
        let call =
            /\b(?:log|tell|tell_json|stops\.tell_\w+|tell_both|tours\.\w+)\(c,[^\n]*?'(?<family>[a-z]+)\.[a-z_]+'/
        for module in RedisLibrary.modules {
            let text = String(decoding: module.text, as: UTF8.self)
            for match in text.matches(of: call) { used.insert(String(match.family)) }
        }
        #expect(used == Channel.eventFamilies)
    }

    @Test(
        "Where a client may ask to begin",
        arguments: [("0", "0-0"), ("0-0", "0-0"), ("7-1", "7-1"), ("-1", nil), ("", nil)])
    func places(_ text: String, _ place: String?) { #expect(StreamPosition(client: text)?.text == place) }

    private func page(_ seqs: [Int], newest: Int, there: [Int], bytes: Int = 100) throws -> HistoryPage {
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
        return try #require(HistoryPage(reply, "topic:x", places: try there.map(place)))
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

    private func reading(_ topic: EventChannel, _ number: UInt64, at position: Int, _ encoding: FeedEncoding = .json)
        -> ChannelReading
    {
        let session = Session(
            connection: ConnectionID(rawValue: number), name: "w.\(number)", bearer: nil,
            budget: Budget(key: "", bucket: TokenBucket(capacity: 1, perSecond: 1), inbound: InboundRate(perSecond: 1)),
            encoding: encoding)
        topic.count += 1
        return ChannelReading(topic, session, since: "\(position)-0", asks: [])
    }

    private func live(_ topic: EventChannel) -> Set<UInt64> { Set(topic.groups.flatMap(\.connections).map(\.rawValue)) }

    @Test("Who was sent more than the live readers waits for them to come up")
    func ahead() throws {
        let topic = EventChannel("topic:x")
        let first = reading(topic, 1, at: 5)
        let second = reading(topic, 2, at: 7)
        let third = reading(topic, 3, at: 5, .protobuf)
        for one in [first, second, third] { topic.enter(one) }
        #expect(topic.position == (try place(5)))
        #expect(live(topic) == [1, 3])
        #expect(second.phase == .ahead)
        // 6 is pushed: not for the second.
        topic.admit { $0 < place6 }
        #expect(live(topic) == [1, 3])
        topic.position = place6
        topic.admit { $0 == place6 }
        #expect(live(topic) == [1, 3])
        // Its own entry was only a mark: the next push finds it waiting.
        let place8 = try place(8)
        topic.admit { $0 < place8 }
        #expect(live(topic) == [1, 2, 3])
        topic.leave(first)
        topic.leave(third)
        topic.leave(first)
        #expect(live(topic) == [2])
        #expect(topic.count == 1)
        topic.leave(second)
        #expect(!topic.hasLive)
    }

    private let place6 = StreamPosition("6-0".utf8) ?? .zero

    @Test("After a loss those ahead are read from where they are, the live from where they are together")
    func losses() throws {
        let topic = EventChannel("topic:x")
        let (first, second) = (reading(topic, 1, at: 5), reading(topic, 2, at: 7))
        for one in [first, second] { topic.enter(one) }
        #expect(!topic.needsReading)
        topic.fallBehind()
        #expect(topic.needsReading)
        #expect(second.phase == .joining)
        #expect(topic.joining.count == 1)
        #expect(topic.ahead.isEmpty)
        #expect(live(topic) == [1])
        // A command that waits for its answer gets it, even if the reading is over.
        second.asks = [4]
        topic.leave(second)
        #expect(topic.joining.count == 1)
        #expect(topic.count == 1)
    }

    @Test("Who is set back goes on from where it is, and the others stay live")
    func setBack() throws {
        let topic = EventChannel("topic:x")
        let (first, second, third) = (reading(topic, 1, at: 5), reading(topic, 2, at: 7), reading(topic, 3, at: 5))
        for one in [first, second, third] { topic.enter(one) }
        let (place7, place8) = (try place(7), try place(8))
        topic.position = place6
        topic.admit { $0 < place8 }
        // The second one was further than the last that was pushed.
        topic.setBack(second, to: place6)
        topic.setBack(first, to: place6)
        #expect(live(topic) == [3])
        #expect(second.position == place7)
        #expect(first.position == place6)
        topic.setBack(third, to: place6)
        #expect(!topic.hasLive && topic.count == 3)
        // Who comes back first says where the live ones are.
        topic.enter(first)
        #expect(live(topic) == [1] && topic.position == place6)
    }

    @Test("A position is written as it is read")
    func positionText() throws {
        #expect(try #require(StreamPosition("1795210210000-12".utf8)).text == "1795210210000-12")
    }
}
