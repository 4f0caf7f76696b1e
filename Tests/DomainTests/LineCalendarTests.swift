import Domain
import Foundation
import Testing

/// Days and times of day, held against Foundation's calendar.
@Suite struct LineCalendarTests {
    @Test("B1 A day's number, parts and weekday are the calendar's, from 1900 to 2100")
    func days() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
        for days in stride(from: -25_567, to: 47_500, by: 13) {
            let parts = calendar.dateComponents(
                [.year, .month, .day, .weekday], from: Date(timeIntervalSince1970: Double(days) * 86_400))
            let date = try #require(ServiceDate(year: parts.year!, month: parts.month!, day: parts.day!))
            #expect(date.days == days)
            #expect(date.parts == (parts.year!, parts.month!, parts.day!))
            #expect(date.weekday == (parts.weekday! + 5) % 7)
            #expect(ServiceDate(date.description) == date)
        }
    }

    @Test(
        "B1 What is no day is none",
        arguments: [
            "20260229", "20261301", "20260100", "2026-1-1", "2026112", "20261121x", "", "2026/11/21", "00000101",
        ])
    func noDay(_ text: String) { #expect(ServiceDate(text) == nil) }

    @Test("C60: A number that no sum has room for is no day, either", arguments: [0, 32, Int.max, Int.min])
    func noNumber(_ day: Int) { #expect(ServiceDate(year: 2026, month: 10, day: day) == nil) }

    @Test("B1 A service runs on its weekdays within its dates, and as its exceptions say")
    func service() throws {
        func date(_ text: String) throws -> ServiceDate { try #require(ServiceDate(text)) }
        var service = Service(weekdays: 0b0001_1111, start: try date("20261101"), end: try date("20261130"))
        #expect(service.runs(on: try date("20261120")))
        #expect(!service.runs(on: try date("20261121")), "a Saturday")
        #expect(!service.runs(on: try date("20261201")))
        service.added = [try date("20261224")]
        service.removed = [try date("20261120")]
        #expect(service.runs(on: try date("20261224")))
        #expect(!service.runs(on: try date("20261120")))
    }

    @Test(
        "B1 The start of a service day is its noon less 12 h, when clocks change too",
        arguments: [
            "America/New_York", "Europe/Berlin", "Africa/Nairobi", "US/Eastern", "Australia/Lord_Howe", "UTC",
        ])
    func zones(_ name: String) throws {
        let file = URL(fileURLWithPath: "/usr/share/zoneinfo/" + name)
        let time = try #require(CityTime(tzif: [UInt8](try Data(contentsOf: file))))
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: name))
        let first = try #require(ServiceDate("20250101"))
        for day in 0..<1000 {
            let date = first + day
            let parts = date.parts
            let noon = try #require(
                calendar.date(from: DateComponents(year: parts.year, month: parts.month, day: parts.day, hour: 12)))
            #expect(time.start(of: date) == Int64(noon.timeIntervalSince1970) - 43_200)
            #expect(time.date(at: Int64(noon.timeIntervalSince1970)) == date)
        }
    }

    @Test("B6 What clocks show, and until when, over both changes of a year")
    func clocks() throws {
        let time = try #require(CityTime(zone: "Europe/Berlin"))
        // 29 March 2026, 2:00 becomes 3:00; 25 October, 3:00 becomes 2:00.
        let (spring, autumn): (Int64, Int64) = (1_774_746_000, 1_792_890_000)
        #expect(time.clock(at: spring - 1) == "1:59" && time.clock(at: spring) == "3:00")
        #expect(time.clock(at: autumn - 1) == "2:59" && time.clock(at: autumn) == "2:00")
        #expect(time.span(at: spring - 1) == (3600, spring, 7200))
        #expect(time.span(at: spring) == (7200, autumn, 3600))
        #expect(CityTime.utc.span(at: spring) == (0, 0, 0))
        #expect(CityTime.utc.clock(at: -60) == "23:59")
        #expect(time.utcOffset(at: spring - 1) == "UTC+1" && time.utcOffset(at: spring) == "UTC+2")
        #expect(CityTime.utc.utcOffset(at: spring) == "UTC")
        #expect(CityTime(zone: "Asia/Kathmandu")?.utcOffset(at: spring) == "UTC+5:45")
        #expect(CityTime(zone: "America/St_Johns")?.utcOffset(at: spring) == "UTC-2:30")
    }

    @Test("C41: A time as clocks show it, of the hour that comes twice, too, and with the distance to Greenwich")
    func dateTimes() throws {
        let time = try #require(CityTime(zone: "Europe/Berlin"))
        let (spring, autumn): (Int64, Int64) = (1_774_746_000_000, 1_792_890_000_000)
        #expect(time.dateTime(at: spring - 1) == "2026-03-29T01:59:59+01:00")
        #expect(time.dateTime(at: spring) == "2026-03-29T03:00:00+02:00")
        #expect(time.dateTime(at: autumn - 1_800_000) == "2026-10-25T02:30:00+02:00")
        #expect(time.dateTime(at: autumn + 1_800_000) == "2026-10-25T02:30:00+01:00")
        #expect(CityTime.utc.dateTime(at: -1) == "1969-12-31T23:59:59+00:00")
        let west = try #require(CityTime(zone: "America/St_Johns"))
        #expect(west.dateTime(at: 1_800_000_000_000) == "2027-01-15T04:30:00-03:30")
    }

    @Test("What is no time zone file is none")
    func noZone() {
        #expect(CityTime(tzif: []) == nil)
        #expect(CityTime(tzif: Array("TZif2".utf8)) == nil)
        #expect(CityTime(tzif: Array("TZif2".utf8) + [UInt8](repeating: 0xff, count: 100)) == nil)
        #expect(CityTime(tzif: Array("TZif2".utf8) + [UInt8](repeating: 0, count: 200)) == nil)
        #expect(CityTime.utc.offset(at: 1_800_000_000) == 0)
    }
}
