import Domain
import RedisLink
import Testing
import Wire

@testable import Hub

/// The figures of taxis: taxi_figures.lua against a real Redis, and how they are read.
@Suite struct TaxiFigureTests {
    /// What is counted, by hour and zone; all on one day. A sweep adds it up.
    private func counted(_ city: TestCity) async throws -> [TaxiFigures] {
        try await city.sweep()
        #expect(try await city.raw(["EXISTS", "{test}:taxis_over"]).int == 0)
        var rows: [TaxiFigures] = []
        for key in try await city.raw(["KEYS", "{test}:taxis:*"]).array?.compactMap(\.text) ?? [] {
            let fields = try await city.raw(["HGETALL", key]).array?.compactMap(\.text) ?? []
            let date = try #require(ServiceDate(String(key.suffix(10))))
            for at in stride(from: 0, to: fields.count, by: 2) {
                rows.append(try #require(TaxiFigures(date, fields[at], fields[at + 1])))
            }
        }
        return rows.sorted { ($0.date, $0.hour, $0.zone) < ($1.date, $1.hour, $1.zone) }
    }

    @Test func `a ride is counted once when it is over, with its waiting times, at the hour in which it was asked for`()
        async throws
    {
        try await TestCity.run { city in
            // 2027-01-15, 8:00 by UTC; 9:00 by the city's clock.
            try await city.raw(["HSET", "{test}:settings", "utc_offset_s", "3600"])
            try await city.queue("14", "T1", "T2")
            _ = try await city.request("p1", "r1", "14")
            #expect(try await city.command("offer_seen", "T1", "r1").isOK)
            try await city.advance(4_000)
            #expect(try await city.command("offer_accept", "T1", "r1", "", "").isOK)
            #expect(try await counted(city).isEmpty)
            try await city.advance(90_000)
            try await city.call("ride_alert", ["T1", "r1", "20", "10", "high"])
            #expect(try await city.command("ride_aboard", "T1", "r1", "", "k").isOK)
            try await city.advance(3_600_000)
            for _ in 0..<2 { #expect(try await city.command("ride_finish", "T1", "r1", "14", "end").isOK) }
            let row = try #require(try await counted(city).first)
            #expect("\(row.date)" == "2027-01-15" && row.hour == 9 && row.zone == "14")
            #expect(row.requested == 1 && row.accepted == 1 && row.ended == 1 && row.failed == 0 && row.demand == 1)
            #expect(row.meanAcceptSeconds == 4 && row.meanArriveSeconds == 90)
            try await city.queue("14", "T2")
            // In the next hour: cancelled before and after acceptance, failed, missed.
            _ = try await city.request("p2", "r2", "14")
            _ = try await city.command("ride_cancel", "passenger", "p2", "", "", "")
            try await city.assign("r3", of: "p3", to: "T2")
            _ = try await city.command("office_cancel", "o1", "ride", "r3", "Why.", "")
            let next = try #require(try await counted(city).last)
            #expect(next.hour == 10 && next.requested == 2 && next.accepted == 1 && next.cancelled == 2)
            #expect(next.meanArriveSeconds == nil)
            #expect(next.demand == 1, "what was taken back before anybody had it is no demand")
            #expect(try await city.raw(["TTL", "{test}:taxis:2027-01-15"]).int ?? 0 > 0)
        }
    }

    @Test(
        "M18: across a change of the clocks each ride counts at the hour that the city's clock showed when it was asked for",
        arguments: [
            // 2027-03-28, ten to two in winter time; the change is at 01:00 by UTC.
            (1_806_195_000, 1_200, "3600", "7200", [1, 3]),
            // The same, said by a worker whose clock is ahead.
            (1_806_195_000, 595, "3600", "7200", [1]),
            // 2027-10-31, half past two in summer time, and an hour later again.
            (1_824_942_600, 3_600, "7200", "3600", [2]),
        ])
    func summerTime(begins: Int, afterS: Int, before: String, after: String, hours: [Int]) async throws {
        try await TestCity.run { city in
            try await city.raw(["HSET", "{test}:settings", "clock_hub", "\(begins)000"])
            try await city.call("city_sweep", ["w", "5000", before, ""])
            try await city.queue("14", "T1")
            _ = try await city.request("p1", "r1", "14")
            try await city.advance(afterS * 1000)
            try await city.call("city_sweep", ["w", "5000", after, ""])
            _ = try await city.command("ride_cancel", "passenger", "p1", "r1", "", "")
            try await city.connect("T1")
            _ = try await city.command("driver_available", "T1", "14", "", "", "")
            _ = try await city.request("p2", "r2", "14")
            _ = try await city.command("ride_cancel", "passenger", "p2", "r2", "", "")
            let rows = try await counted(city)
            #expect(rows.map(\.hour) == hours)
            #expect(rows.reduce(0) { $0 + $1.requested } == 2)
        }
    }

    @Test func `who is refused as nobody is there has asked for a taxi, each person once in ten minutes`() async throws
    {
        try await TestCity.run { city in
            for n in 1...4 {
                #expect(try await city.request("p\(n % 2)", "r\(n)", "14") == .refused("zone_empty"))
            }
            let row = try #require(try await counted(city).first)
            #expect(row.zone == "14" && row.requested == 2 && row.failed == 2 && row.demand == 2 && row.accepted == 0)
            // Who has found no seat, and asks for a taxi then, has asked for one, too.
            try await city.raw(["SET", "{test}:unmet:p3", "", "EX", "600"])
            #expect(try await city.request("p3", "r9", "14") == .refused("zone_empty"))
            #expect(try await counted(city).first?.failed == 3)
            // What is refused for another reason shows nothing of a zone.
            try await city.queue("14", "T1")
            #expect(try await city.request("p1", "r5", "14").isOK)
            #expect(try await city.request("p1", "r6", "14") == .refused("already_requested"))
            #expect(try await counted(city).count == 1)
        }
    }

    @Test func `they are told as JSON and as a table`() throws {
        let date = try #require(ServiceDate("2027-01-15"))
        let row = try #require(TaxiFigures(date, "9|Zone, 1", "3 2 1 0 1 1 9000 2 61000 1"))
        let json = try JSONValue(parsing: TaxiFigures.json([row], from: date, to: date, timeZone: "UTC"))
        let told = try #require(json["hours"]?.elements?.first)
        #expect(told["requested"]?.integer == 3 && told["mean_accept_s"] == 4.5 && told["mean_arrive_s"] == 61)
        let lines = String(decoding: TaxiFigures.csv([row]), as: UTF8.self).split(separator: "\r\n")
        #expect(lines.last == "2027-01-15,9,\"Zone, 1\",3,2,1,0,1,1,4.5,61.0")
        let formula = try #require(TaxiFigures(date, "9|=A1", "3 2 1 0 1 1 9000 2 61000 1"))
        #expect(String(decoding: TaxiFigures.csv([formula]), as: UTF8.self).contains(",9,'=A1,3,"))
        for (field, value) in [("9", "1"), ("24|1", "0 0 0 0 0 0 0 0 0 0"), ("x|1", "1"), ("9|1", "1 2")] {
            #expect(TaxiFigures(date, field, value) == nil, "\(field)")
        }
    }
}
