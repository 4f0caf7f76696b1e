import Domain
import RedisLink
import Testing
import Wire

@testable import Hub

/// The figures of seats: seat_figures.lua against a real Redis, and how they are read.
@Suite struct SeatFigureTests {
    /// A minibus of four seats on the route R1. 2027-01-15, 8:00 by UTC; 9:00 by the city's clock.
    private func online(_ city: TestCity) async throws {
        try await city.raw(["HSET", "{test}:settings", "utc_offset_s", "3600"])
        try await city.minibus("M1", seats: 4)
        #expect(try await city.command("driver_available", "M1", "", "", "", "").isOK)
        #expect(try await city.command("route_set", "M1", "R1", "", "", "").isOK)
    }

    private func fields(_ city: TestCity, _ pattern: String) async throws -> [(field: String, value: String)] {
        var found: [(field: String, value: String)] = []
        for key in try await city.raw(["KEYS", "{test}:" + pattern]).array?.compactMap(\.text) ?? [] {
            let flat = try await city.raw(["HGETALL", key]).array?.compactMap(\.text) ?? []
            for at in stride(from: 0, to: flat.count, by: 2) { found.append((flat[at], flat[at + 1])) }
        }
        return found.sorted { $0.field < $1.field }
    }

    /// What is counted, by hour and route; all on one day. A sweep adds it up.
    private func counted(_ city: TestCity) async throws -> [SeatFigures] {
        try await city.sweep()
        #expect(try await city.raw(["EXISTS", "{test}:seats_over"]).int == 0)
        let date = try #require(ServiceDate("2027-01-15"))
        return try await fields(city, "seats:2027-01-15").compactMap { SeatFigures(date, $0.field, $0.value) }
    }

    private func search(_ city: TestCity, _ passenger: String, full: String = "") async throws -> TestCity.Outcome {
        try await city.command(
            "seat_request", passenger, "b_s\(passenger)", "45.1", "9.1", "45.2", "9.2", "1", "EUR", "", full, "")
    }

    @Test("M19: a booking counts once, when it is over, by the hour of its request and the route; so do its stars")
    func counts() async throws {
        try await TestCity.run { city in
            try await online(city)
            #expect(try await city.book("p1", "b_1", "M1", 2).isOK)
            #expect(try await city.command("seat_accept", "M1", "b_1", "", "").isOK)
            #expect(try await counted(city).isEmpty)
            try await city.advance(70_000)
            #expect(try await city.command("seat_aboard", "M1", "b_1", "", "").isOK)
            try await city.advance(3_600_000)
            for _ in 0..<2 { #expect(try await city.command("seat_end", "M1", "b_1", "k", "", "").isOK) }
            #expect(try await city.book("p2", "b_2", "M1", 1).isOK)
            #expect(try await city.command("seat_decline", "M1", "b_2", "").isOK)
            #expect(try await city.book("p3", "b_3", "M1", 1).isOK)
            #expect(try await city.command("seat_cancel", "passenger", "p3", "", "").isOK)
            #expect(try await city.command("trip_rate", "passenger", "p1", "b_1", "5", "", "", "3").isOK)
            let rows = try await counted(city)
            #expect(rows.map(\.hour) == [10, 9] && rows.map(\.route) == ["R1", "R1"])
            let (later, first) = (rows[0], rows[1])
            #expect(first.requested == 1 && first.accepted == 1 && first.aboard == 1 && first.ended == 1)
            #expect(first.ratings == 1 && first.meanStars == 3)
            #expect(later.requested == 2 && later.declined == 1 && later.cancelled == 1 && later.accepted == 0)
            #expect(later.unanswered == 0 && later.unmet == 0 && later.meanStars == nil)
            #expect(try await city.raw(["TTL", "{test}:seats:2027-01-15"]).int ?? 0 > 300 * 86_400)
        }
    }

    @Test("M19: who finds no seat, or nobody who goes there, counts once in ten minutes, and is in the log")
    func unmet() async throws {
        try await TestCity.run { city in
            try await online(city)
            #expect(try await city.book("p1", "b_1", "M1", 4).isOK)
            for _ in 0..<3 { #expect(try await city.book("p2", "b_2", "M1", 1) == .refused("seats_full")) }
            #expect(try await search(city, "p2") == .refused("not_available"))
            #expect(try await search(city, "p3") == .refused("not_available"))
            #expect(try await search(city, "p4", full: "1") == .refused("seats_full"))
            let wrong = try await city.command(
                "seat_book", "p5", "b_5", "M1", "45.1", "9.1", "45.2", "9.2", "1", "900", "", "EUR", "",
                "not_available", "The vehicle goes the other way.", "", "")
            #expect(wrong == .refused("not_available"))
            // What is wrong with these has nothing to do with where minibuses go.
            #expect(try await city.book("p6", "b_6", "M1", 9) == .refused("too_many_passengers"))
            #expect(try await city.book("p1", "b_7", "M1", 1) == .refused("already_requested"))
            #expect(try await city.book("p6", "b_6", "M9", 1) == .refused("not_found"))
            let rows = try await counted(city)
            #expect(rows.map(\.route) == ["", "R1"])
            #expect(rows.map(\.unmet) == [2, 2] && rows.map(\.requested) == [2, 2])
            let log = try await city.raw(["XRANGE", "{test}:events", "-", "+"]).array ?? []
            let noted = try log.filter { $0[1]["type"].text == "seat.unmet" }
                .map { try JSONValue(parsing: $0[1]["data"].bytes ?? []) }
            #expect(noted.map { $0["passenger"]?.text } == ["p2", "p3", "p4", "p5"])
            #expect(noted.first?["from_cell"]?.text == "45.1012,9.1007" && noted.first?["reason"]?.text == "seats_full")
            try await city.raw(["DEL", "{test}:unmet:p3"])
            #expect(try await search(city, "p3") == .refused("not_available"))
            #expect(try await counted(city).first?.unmet == 3)
            let vain = try await fields(city, "vain:*")
            #expect(vain.count == 1 && vain.first?.field == "45.1012,9.1007 45.2002,9.1995")
            #expect(vain.first?.value.split(separator: " ").count == 4, "each person once")
            let life = try await city.raw(["TTL", "{test}:vain:2027-01-15"]).int ?? 0
            #expect(life > 0 && life <= 30 * 86_400, "no longer than what tells where people were")
        }
    }

    @Test("M19: who asked in vain is marked by a secret of the day, which is gone before the marks are")
    func secret() async throws {
        try await TestCity.run { city in
            try await online(city)
            func sweep(_ fresh: String) async throws -> [String] {
                try await city.call("city_sweep", ["w", "5000", "", "", "75000", fresh])
                return try await fields(city, "vain:*").flatMap { $0.value.split(separator: " ").map(String.init) }
            }
            #expect(try await search(city, "p3") == .refused("not_available"))
            let first = try await sweep("one")
            try await city.raw(["DEL", "{test}:unmet:p3"])
            #expect(try await search(city, "p3") == .refused("not_available"))
            #expect(try await sweep("another") == first && first.count == 1, "one person, one mark, all day")
            #expect(try await city.raw(["GET", "{test}:vain-secret:2027-01-15"]).text == "one")
            let life = try await city.raw(["TTL", "{test}:vain-secret:2027-01-15"]).int ?? 0
            #expect(life > 0 && life <= 2 * 86_400)
            let pair = "45.1012,9.1007 45.2002,9.1995"
            let plain = try await city.raw(["EVAL", "return redis.sha1hex(ARGV[1])", "0", "p3 " + pair]).text ?? ""
            #expect(!plain.hasPrefix(first[0]))
        }
    }

    @Test("M19: a driver who announces one name after the other fills no day, and lines count all the same")
    func names() async throws {
        try await TestCity.run { city in
            try await online(city)
            try await city.raw(["HSET", "{test}:catalog", "version", "v1"])
            try await city.raw(["HSET", "{test}:catalog:v1:lines", "52", "{}"])
            let many = (0..<2000).flatMap { ["9|X\($0)", "1 0 0 0 1 0 0 0 0 0"] }
            try await city.raw(["HSET", "{test}:seats:2027-01-15"] + many)
            for (n, route) in ["Y1", "52", "X7"].enumerated() {
                try await city.advance(61_000)
                #expect(try await city.command("route_set", "M1", route, "", "", "").isOK)
                #expect(try await city.book("p\(n)", "b_\(n)", "M1", 4).isOK)
                #expect(try await city.book("q\(n)", "b_q\(n)", "M1", 1) == .refused("seats_full"))
                #expect(try await city.command("seat_decline", "M1", "b_\(n)", "").isOK)
            }
            let rows = try await counted(city)
            #expect(rows.count == 2002)
            #expect(rows.first { $0.route.isEmpty }?.requested == 2)
            #expect(rows.first { $0.route == "52" }?.unmet == 1)
            #expect(rows.first { $0.route == "X7" }?.unmet == 2)
        }
    }

    @Test("M19: they are told as JSON and as a table")
    func told() throws {
        let date = try #require(ServiceDate("2027-01-15"))
        let rows = [
            try #require(SeatFigures(date, "9|", "2 0 0 0 2 0 0 0 0 0")),
            try #require(SeatFigures(date, "9|R,1", "9 5 1 1 1 1 4 4 9 2")),
            try #require(SeatFigures(date, "10|R,1", "1 1 0 0 0 0 1 1 4 1")),
        ]
        let bytes = SeatFigures.json(rows, unserved: nil, from: date, to: date, timeZone: "UTC")
        let json = try JSONValue(parsing: bytes)
        let told = json["hours"]?.elements ?? []
        #expect(told.count == 3 && told.first?["route"] == nil && json["unserved"] == nil)
        #expect(told[1]["requested"]?.integer == 9 && told[1]["unanswered"]?.integer == 1)
        #expect(told[1]["mean_stars"]?.double == 4.5 && told[0]["mean_stars"] == nil)
        #expect(json["routes"]?.elements?.count == 1)
        #expect(json["routes"]?[0]?["ratings"]?.integer == 3 && json["routes"]?[0]?["mean_stars"]?.double == 4.33)
        let lines = String(decoding: SeatFigures.csv(rows), as: UTF8.self).split(separator: "\r\n")
        #expect(lines[1] == "2027-01-15,9,,2,0,0,0,2,0,0,0,0,")
        #expect(lines[2] == "2027-01-15,9,\"R,1\",9,5,1,1,1,1,4,4,2,4.5")
        for (field, value) in [("9", "1"), ("24|1", "0 0 0 0 0 0 0 0 0 0"), ("x|1", "1"), ("9|1", "1 2")] {
            #expect(SeatFigures(date, field, value) == nil, "\(field)")
        }
    }

    @Test(
        "M19: a pair of cells is told of the days on which three asked; others are in no sum, whatever days are asked for"
    )
    func pairs() throws {
        let date = try #require(ServiceDate("2027-01-15"))
        let near = "45.1012,9.1007 45.2002,9.1995"
        var ways = UnservedWays()
        ways.add(near, Array("a b".utf8))
        ways.add(near, [])
        ways.add("45.1012,9.1007 -0.0022,-180.0000", Array(" a1  b2 c3 d4 ".utf8))
        #expect(ways.count == 2)
        func told() throws -> [JSONValue] {
            let bytes = SeatFigures.json([], unserved: ways, from: date, to: date, timeZone: "UTC")
            return try JSONValue(parsing: bytes)["unserved"]?.elements ?? []
        }
        let first = try told()
        #expect(first.map { $0["people"]?.integer } == [4])
        #expect(first[0]["to"]?["lat"]?.double == -0.0022 && first[0]["from"]?["lon"]?.double == 9.1007)
        ways.add(near, Array("c".utf8))
        #expect(try told().count == 1, "three on two days may be one or two people")
        ways.add(near, Array("a b c".utf8))
        let second = try told()
        #expect(second.map { $0["people"]?.integer } == [4, 3], "without the one and the two of other days")
        ways.add(near, Array("a b c d e".utf8))
        #expect(try told().map { $0["people"]?.integer } == [8, 4])
    }

    @Test("M19: a day's pairs of cells are told from an hour after its end by the city's clock, when they grow no more")
    func settled() throws {
        let first = try #require(ServiceDate("2027-01-14"))
        let days = (0..<3).map { first + $0 }
        // 2027-01-15, 8:00 by UTC.
        let morning: Int64 = 1_800_000_000
        let midnight = morning - 8 * 3600
        #expect(UnservedWays.settled(days, .utc, now: morning) == [first])
        #expect(UnservedWays.settled(days, .utc, now: midnight + 3600) == [first])
        #expect(UnservedWays.settled(days, .utc, now: midnight + 3599) == [])
        #expect(UnservedWays.settled(days, .utc, now: midnight + 86_400 + 3600) == [first, first + 1])
    }
}
