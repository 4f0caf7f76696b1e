import RedisLink
import Testing
import Wire

@testable import Hub

/// The tours of GTFS-Realtime are read from Redis by pages: first which there are, then some at a time.
@Suite struct RealtimeFunctionTests: StopLine {
    private func tours(_ city: TestCity, _ ids: String) async throws -> [JSONValue] {
        let fields = try await city.call("realtime_tours", [ids]).array ?? []
        #expect(fields.count % 3 == 0)
        return try stride(from: 0, to: fields.count - 2, by: 3).map { try JSONValue(parsing: fields[$0].bytes ?? []) }
    }

    /// Hashes that were read so far.
    private func reads(_ city: TestCity) async throws -> Int {
        let whole = try await city.calls(of: "hgetall")
        return try await whole + city.calls(of: "hmget")
    }

    @Test("which tours run is said at once, to one worker, and no tour is read for it")
    func ids() async throws {
        try await TestCity.run { city in
            for n in 1...3 { try await start(city, "B\(n)", tour: "t\(n)", bus: "\(n)") }
            let before = try await reads(city)
            let reply = try await city.call("realtime_read", ["", "10000"])
            let first = try await reads(city)
            let second = try await city.call("realtime_read", ["", "10000"])
            let last = try await reads(city)
            #expect(first - before == last - first, "as much as when nothing is to be done")
            let words = (reply.array ?? []).compactMap(\.text)
            #expect(words.first == "tours" && Set(words.dropFirst()) == ["t1", "t2", "t3"])
            #expect(second.array?.isEmpty == true, "somebody is at it")
        }
    }

    @Test("a page has the tours that run and have sent a position, without what is not published")
    func page() async throws {
        try await TestCity.run { city in
            for n in 1...3 { try await start(city, "B\(n)", tour: "t\(n)", bus: "\(n)") }
            for tour in ["t1", "t2"] { try await drive(city, to: 100, tour: tour) }
            let before = try await city.calls(of: "hgetall")
            let read = try await tours(city, #"["t1","t2","t3","t9"]"#)
            let first = try await city.calls(of: "hgetall")
            _ = try await tours(city, "[]")
            let last = try await city.calls(of: "hgetall")
            #expect(first - before == last - first, "no tour is read whole")
            #expect(read.map { $0["tour"]?.text } == ["t1", "t2"], "t3 has sent no position")
            let one = try #require(read.first)
            #expect(one["bus"]?.text == "1" && one["position"]?["lat"] != nil)
            #expect(one["seats"]?["total"]?.integer == 8 && one["next_stop"]?["stop"]?.text == "a")
            // Between two pages one ends, and its bus begins anew.
            #expect(try await city.command("tour_end", "bus_driver", "B1", "", "", "").isOK)
            try await start(city, "B9", tour: "t4", bus: "1")
            let later = try await tours(city, #"["t1","t2"]"#)
            #expect(later.map { $0["tour"]?.text } == ["t2"])
        }
    }
}
