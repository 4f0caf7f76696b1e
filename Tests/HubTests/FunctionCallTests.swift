import RedisLink
import Settings
import Testing

@testable import Hub

/// What stands before the body of each Redis function, against a real Redis: its arguments (`register` in core.lua) and the settings.
@Suite struct FunctionCallTests {
    private func set(_ city: TestCity, _ fields: String...) async throws {
        try await city.raw(["HSET", "{test}:settings"] + fields)
    }

    private func reads(_ city: TestCity) async throws -> Int {
        let text = try await city.raw(["INFO", "commandstats"]).text ?? ""
        let line = text.split(whereSeparator: \.isNewline).first { $0.hasPrefix("cmdstat_hmget:calls=") }
        return line.flatMap { Int($0.dropFirst("cmdstat_hmget:calls=".count).prefix { $0 != "," }) } ?? 0
    }

    @Test(arguments: [["T1"], ["T1", "r", "more"]])
    func `a function that is given too few or too many arguments says what it takes`(given: [String]) async throws {
        try await TestCity.run { city in
            do {
                _ = try await city.call("offer_seen", given)
                Issue.record("it was carried out")
            } catch RedisFailure.server(let text) {
                #expect(text.contains("offer_seen takes driver, ride; it was given \(given.count) arguments"))
            }
        }
    }

    @Test func `settings are read once for each of their versions, and anew when the library is loaded`() async throws {
        try await TestCity.run { city in
            try await set(city, "version", "a", "clock_hub", "1000")
            #expect(try await city.call("city_now", []).text == "1000")
            let before = try await reads(city)
            try await set(city, "clock_hub", "2000")
            #expect(try await city.call("city_now", []).text == "1000")
            #expect(try await reads(city) == before)
            try await set(city, "version", "b")
            try await city.load()
            #expect(try await city.call("city_now", []).text == "2000")
            #expect(try await reads(city) == before + 1)
            // Another version of the hub that writes others does not load this library: they count within a second.
            try await set(city, "version", "c", "clock_hub", "3000")
            while try await city.call("city_now", []).text == "2000" {}
            #expect(try await city.call("city_now", []).text == "3000")
        }
    }

    @Test func `a Redis that was wiped has no settings, whatever was read before`() async throws {
        try await TestCity.run { city in
            try await set(city, "version", "a")
            _ = try await city.call("city_now", [])
            try await city.raw(["DEL", "{test}:settings"])
            try await city.load()
            await #expect(throws: RedisFailure.self) { try await city.call("city_now", []) }
        }
    }

    @Test func `one that is missing is named before anything is changed`() async throws {
        try await TestCity.run { city in
            try await city.raw(["HDEL", "{test}:settings", "figure_days"])
            let keys = try await city.raw(["DBSIZE"]).int
            do {
                _ = try await city.call("driver_available", ["T1", "14", "", "", ""])
                Issue.record("it was carried out")
            } catch RedisFailure.server(let text) {
                #expect(text.contains("the settings of this city are not in Redis: figure_days"))
            }
            #expect(try await city.raw(["DBSIZE"]).int == keys)
        }
    }

    @Test func `the version tells other values and another clock`() {
        var settings = Settings()
        let seen = RedisSettings(settings).version(clock: "1 0 0")
        #expect(RedisSettings(settings).version(clock: "1 0 0") == seen)
        #expect(RedisSettings(settings).version(clock: "2 0 0") != seen)
        settings.stops.nearM += 1
        #expect(RedisSettings(settings).version(clock: "1 0 0") != seen)
    }
}
