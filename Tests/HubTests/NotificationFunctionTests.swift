import Domain
import RedisLink
import Testing
import Wire

@testable import Hub

/// Quiet hours by the clock of a time zone (notify.lua), against a real Redis.
@Suite("M8: quiet hours") struct NotificationFunctionTests {
    private static let berlin = CityTime(zone: "Europe/Berlin") ?? .utc

    /// What a worker says of a clock at a time, Unix s.
    private static func text(_ time: CityTime, at second: Int64) -> String {
        let span = time.span(at: second)
        return "\(span.offset) \(span.until * 1000) \(span.next)"
    }

    /// Unix s.
    private static func utc(_ year: Int, _ month: Int, _ day: Int, _ hour: Int, _ minute: Int) throws -> Int64 {
        let date = try #require(ServiceDate(year: year, month: month, day: day))
        return Int64(date.days) * 86_400 + Int64(hour * 3600 + minute * 60)
    }

    private func set(_ city: TestCity, to second: Int64) async throws {
        try await city.raw(["HSET", "{test}:settings", "clock_hub", String(second * 1000)])
    }

    /// Whether a driver who is asked now is asked silently.
    private func isQuiet(_ city: TestCity, _ ride: String) async throws -> Bool {
        try await city.queue("1", "T1")
        #expect(try await city.request("p-\(ride)", ride, "1").isOK)
        let offer = try #require(try await city.last("offer.made", "driver:T1"))
        #expect(offer["ride"]?.text == ride)
        #expect(try await city.command("ride_cancel", "passenger", "p-\(ride)", "", "", "").isOK)
        return offer["silent"] != nil
    }

    @Test("a wish of May counts by the clock of the person in summer, in winter, and in the next summer")
    func clockChanges() async throws {
        try await TestCity.run { city in
            // 22:00 to 6:00.
            let may = try Self.utc(2026, 5, 15, 12, 0)
            try await set(city, to: may)
            let zone = Self.text(Self.berlin, at: may)
            let quiet = try await city.command("notify_set", "driver:T1", "", "1320", "360", "", "Europe/Berlin", zone)
            #expect(quiet["quiet"]?["time_zone"]?.text == "Europe/Berlin")
            var number = 0
            func expectQuiet(_ quiet: Bool, _ month: Int, _ day: Int, _ hour: Int, _ minute: Int, year: Int = 2026)
                async throws
            {
                number += 1
                try await set(city, to: try Self.utc(year, month, day, hour, minute))
                #expect(
                    try await isQuiet(city, "r\(number)") == quiet, "\(year)-\(month)-\(day) \(hour):\(minute) UTC")
            }
            try await expectQuiet(false, 5, 15, 19, 59)
            try await expectQuiet(true, 5, 15, 20, 0)
            try await expectQuiet(true, 5, 16, 3, 59)
            try await expectQuiet(false, 5, 16, 4, 0)
            // The clock is put back at 1:00 UTC on October 25th.
            try await expectQuiet(true, 10, 25, 4, 59)
            try await expectQuiet(false, 10, 25, 5, 0)
            try await expectQuiet(false, 12, 1, 20, 59)
            try await expectQuiet(true, 12, 1, 21, 0)
            // The next change was not to be known in May: the workers say it again.
            let march = try Self.utc(2027, 3, 1, 0, 0)
            let names = try await city.call("notify_clocks", ["Europe/Berlin", Self.text(Self.berlin, at: march)])
            #expect(names.array?.compactMap(\.text) == ["Europe/Berlin"])
            try await expectQuiet(true, 3, 20, 21, 0, year: 2027)
            try await expectQuiet(false, 5, 15, 19, 59, year: 2027)
            try await expectQuiet(true, 5, 15, 20, 0, year: 2027)
        }
    }

    @Test("without a time zone the city's clock counts, or UTC while nobody knows that")
    func cityClock() async throws {
        try await TestCity.run { city in
            let evening = try Self.utc(2026, 5, 15, 20, 30)
            try await set(city, to: evening)
            try await city.call("notify_set", ["driver:T1", "", "1320", "360", "", "", ""])
            #expect(try await isQuiet(city, "r1") == false)
            try await city.call("city_sweep", ["w", "5000", "7200", Self.text(Self.berlin, at: evening)])
            #expect(try await isQuiet(city, "r2"))
            // What is sent again stands in place of what was.
            let sydney = ["driver:T1", "", "1320", "360", "", "Australia/Sydney", "36000 0 36000"]
            try await city.call("notify_set", sydney)
            #expect(try await isQuiet(city, "r3") == false, "6:30 there")
            try await city.call("notify_set", ["driver:T1", "", "1320", "360", "", "", ""])
            #expect(try await isQuiet(city, "r4"))
        }
    }
}
