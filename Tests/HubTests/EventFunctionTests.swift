import RedisLink
import Testing
import Wire

@testable import Hub

/// events.lua against a real Redis, and what is made of its answers.
@Suite struct EventFunctionTests {
    private static let key = "{test}:events"

    private func read(_ city: TestCity, _ since: String, count: Int = 100) async throws -> LogPage {
        let reply = try await city.call("events_read", [since, String(count)])
        return try #require(LogPage(reply))
    }

    /// Entries of these ids.
    private func write(_ city: TestCity, _ ids: String...) async throws {
        for id in ids {
            try await city.raw([
                "XADD", Self.key, id, "type", "driver.back", "time", "5", "data", #"{"driver":"T1"}"#,
            ])
        }
    }

    private func positions(_ page: LogPage) -> [String] { page.entries.map(\.position.text) }

    @Test("From now, from the oldest, from a place")
    func places() async throws {
        try await TestCity.run { city in
            try await write(city, "10-0", "10-1", "20-0", "30-0")
            let now = try await read(city, "")
            #expect(now.start.text == "30-0" && now.entries.isEmpty && !now.isGap)
            let oldest = try await read(city, "0-0")
            #expect(
                positions(oldest) == ["10-0", "10-1", "20-0", "30-0"] && oldest.start.text == "0-0" && !oldest.isGap)
            let after = try await read(city, "10-0", count: 2)
            #expect(positions(after) == ["10-1", "20-0"] && after.start.text == "10-0" && !after.isGap)
            #expect(after.count == 2 && after.end.text == "20-0")
            let last = try await read(city, "30-0")
            #expect(last.entries.isEmpty && last.start.text == "30-0" && !last.isGap)
        }
    }

    @Test("A place that is not there is a gap, and what is left follows")
    func gaps() async throws {
        try await TestCity.run { city in
            try await write(city, "10-0", "20-0", "30-0")
            let unknown = try await read(city, "15-0")
            #expect(unknown.isGap && positions(unknown) == ["20-0", "30-0"])
            let later = try await read(city, "40-0")
            #expect(later.isGap && later.start.text == "30-0")
            try await city.raw(["XTRIM", Self.key, "MAXLEN", "=", "1"])
            let gone = try await read(city, "20-0")
            #expect(gone.isGap && positions(gone) == ["30-0"])
            let oldest = try await read(city, "0-0")
            #expect(!oldest.isGap && positions(oldest) == ["30-0"])
        }
    }

    @Test("A log without entries has a place to begin at, and nothing is kept for who reads it")
    func empty() async throws {
        try await TestCity.run { city in
            let begin = try await read(city, "")
            #expect(begin.entries.isEmpty && !begin.isGap)
            let again = try await read(city, begin.start.text)
            #expect(again.start == begin.start && !again.isGap)
            #expect(try await city.raw(["EXISTS", Self.key]).int == 0)
            try await city.raw(["XADD", Self.key, "*", "type", "driver.back", "time", "5", "data", #"{"driver":"T1"}"#])
            let first = try await read(city, begin.start.text)
            #expect(first.entries.count == 1 && !first.isGap)
            let oldest = try await read(city, "0-0")
            #expect(oldest.entries.count == 1)
        }
    }

    @Test("A time is that of the hub's clock; before a log that was never shortened it is no gap")
    func times() async throws {
        try await TestCity.run { city in
            // Hub time runs twice as fast, from 1,000 at 10.
            try await city.raw(["HSET", "{test}:settings", "clock_scale", "2", "clock_real", "10", "clock_hub", "1000"])
            try await write(city, "10-0", "20-0", "20-1", "30-0")
            let whole = try await read(city, "500")
            #expect(positions(whole) == ["10-0", "20-0", "20-1", "30-0"] && !whole.isGap)
            let middle = try await read(city, "1020")
            #expect(positions(middle) == ["20-0", "20-1", "30-0"] && !middle.isGap)
            let between = try await read(city, "1022")
            #expect(positions(between) == ["30-0"] && !between.isGap)
            let late = try await read(city, "9999999999999999")
            #expect(late.entries.isEmpty && late.start.text == "30-0" && !late.isGap)
            try await city.raw(["XTRIM", Self.key, "MAXLEN", "=", "2"])
            let shortened = try await read(city, "500")
            #expect(shortened.isGap && positions(shortened) == ["20-1", "30-0"])
            let kept = try await read(city, "1022")
            #expect(!kept.isGap && positions(kept) == ["30-0"])
        }
    }

    @Test("A page that begins with the entry that was read before has nothing missing; without it, it is none")
    func pages() throws {
        func entry(_ id: String) -> RedisReply {
            .array([
                .string(Array(id.utf8)),
                .array(
                    ["type", "ride.aboard", "time", "5", "data", #"{"ride":"r_1"}"#].map { .string(Array($0.utf8)) }),
            ])
        }
        let place = try #require(StreamPosition("5-1".utf8))
        let page = try #require(LogPage(after: place, .array([entry("5-1"), entry("6-0")])))
        #expect(page.start == place && page.entries.map(\.position.text) == ["6-0"] && page.count == 1)
        #expect(LogPage(after: place, .array([entry("6-0")])) == nil)
        #expect(LogPage(after: place, .array([])) == nil)
        #expect(LogPage(after: place, .null) == nil)
    }

    @Test(
        "Without the scope an event lacks what is personal; what the catalogue lacks may be that, too")
    func personal() throws {
        func json(_ type: String, _ data: String, withPersonal: Bool) throws -> JSONValue {
            let fields = ["type", type, "time", "5", "data", data].map { RedisReply.string(Array($0.utf8)) }
            let entry = try #require(LogEntry(.array([.string(Array("5-1".utf8)), .array(fields)])))
            return try JSONValue(parsing: entry.json(channel: "events:>", withPersonal: withPersonal))
        }
        let request = #"{"ride":"r_1","passenger":"p7","zone":"14","passengers":1,"lat":45.4,"lon":9.1}"#
        #expect(try json("ride.requested", request, withPersonal: true)["data"]?["passenger"]?.text == "p7")
        let common = try json("ride.requested", request, withPersonal: false)
        #expect(common["data"]?.members?.keys == ["ride", "zone", "passengers"])
        #expect(
            common["seq"]?.text == "5-1" && common["type"]?.text == "ride.requested" && common["time"]?.integer == 5)
        let newer = #"{"ride":"r_1","zone":"14","driver":"T1","nickname":"p7"}"#
        let known = try json("offer.seen", newer, withPersonal: false)
        #expect(known["data"]?.members?.keys == ["ride", "zone", "driver"])
        #expect(try json("offer.seen", newer, withPersonal: true)["data"]?["nickname"]?.text == "p7")
        #expect(try json("ride.unheard", #"{"passenger":"p7"}"#, withPersonal: false)["data"]?.members?.isEmpty == true)
        #expect(
            try json("ride.unheard", #"{"passenger":"p7"}"#, withPersonal: true)["data"]?["passenger"]?.text == "p7")
    }
}
