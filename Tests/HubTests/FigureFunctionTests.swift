import RedisLink
import Testing
import Wire

@testable import Domain
@testable import Hub

/// figures.lua against a real Redis: each thing counted in the step in which it happens, once, on its day.
@Suite struct FigureFunctionTests {
    private static let stops = #"["a","b","c","d"]"#

    private func start(_ city: TestCity, _ tour: String, driver: String = "d1", key: String = "") async throws {
        let reply = try await city.command(
            "tour_start", driver, tour, "B7", "8", "52", "52:0", "", Self.stops, "w", "52", "1", "", "", key, "0", "")
        #expect(reply.isOK)
    }

    /// Takes lines into use, as far as the figures ask for them.
    private func catalog(_ city: TestCity, _ lines: String...) async throws {
        try await city.raw(["HSET", "{test}:catalog", "version", "v1"])
        for line in lines { try await city.raw(["HSET", "{test}:catalog:v1:lines", line, "{}"]) }
    }

    /// Of a day; that of the test's clock is 2027-01-15, 08:00 UTC.
    private func statistics(_ city: TestCity, _ date: String = "2027-01-15", line: String = "52") async throws
        -> LineStatistics
    {
        let reply = try await city.raw(["HGETALL", "{test}:figures:" + date])
        let day = try #require(ServiceDate(date))
        return LineStatistics.day(day, reply.statistics).first { $0.line == line }
            ?? LineStatistics(date: day, line: line)
    }

    private func ask(
        _ city: TestCity, _ id: String, _ citizen: String, passengers: Int = 1, key: String = ""
    ) async throws -> TestCity.Outcome {
        try await city.command(
            "stop_request", citizen, key, "52", "", "", #"{"name":"Ada"}"#,
            #"{"id":"\#(id)","lat":45.1,"lon":9.1,"at":1800000600000,"passengers":\#(passengers),"places":{"52:0":[2000]}}"#
        )
    }

    private func answer(_ city: TestCity, _ what: String, _ id: String, key: String = "") async throws {
        // The bus was there.
        if what == "complete" { try await city.raw(["HSET", "{test}:stop:\(id)", "notified", "20"]) }
        #expect(try await city.command("stop_answer", "d1", what, id, "", key).isOK)
    }

    @Test("B16: a tour's passengers are those who are counted in, or those who were fetched, whichever are more")
    func passengers() async throws {
        try await TestCity.run { city in
            try await start(city, "t_1")
            for (taken, key) in [("3", "k1"), ("3", "k1"), ("1", "k2"), ("2", "k3")] {
                #expect(try await city.command("tour_seats", "d1", taken, key).isOK)
            }
            var now = try await statistics(city)
            #expect(now[.boarded] == 4 && now[.passengers] == 4)
            #expect(try await ask(city, "s1", "c1", passengers: 3).isOK)
            for what in ["accept", "complete"] { try await answer(city, what, "s1") }
            now = try await statistics(city)
            #expect(now[.fetched] == 3 && now[.passengers] == 4, "the driver counts all")
            #expect(try await ask(city, "s2", "c2", passengers: 3).isOK)
            for what in ["accept", "complete"] { try await answer(city, what, "s2") }
            now = try await statistics(city)
            #expect(now[.fetched] == 6 && now[.passengers] == 6, "or has forgotten to")
        }
    }

    @Test("C60: who fetches each other over and over moves the figures little")
    func fetchedByFriends() async throws {
        try await TestCity.run { city in
            try await start(city, "t_1")
            @Sendable func fetch(_ id: String, _ citizen: String) async throws {
                #expect(try await ask(city, id, citizen, passengers: 3).isOK)
                for what in ["accept", "complete"] { try await answer(city, what, id) }
            }
            for n in 1...20 {
                try await fetch("s\(n)", "c1")
                try await city.advance(61_000)
            }
            var now = try await statistics(city)
            #expect(now[.fetched] == 9 && now[.passengers] == 9)
            try await city.advance(3_600_000)
            for n in 21...32 { try await fetch("s\(n)", "c\(n)") }
            now = try await statistics(city)
            #expect(now[.fetched] == 17 && now[.passengers] == 17, "eight seats")
            #expect(now[.completed] == 32)
        }
    }

    @Test("C60: no more are believed to get on than there are seats, at a stop or in a minute")
    func believed() async throws {
        try await TestCity.run { city in
            try await catalog(city, "52")
            try await start(city, "t_1")
            func set(_ taken: Int) async throws -> TestCity.Outcome {
                try await city.command("tour_seats", "d1", "\(taken)", "")
            }
            for _ in 1...4 { for taken in [8, 0] { #expect(try await set(taken).isOK) } }
            for _ in 1...5 { #expect(try await set(8) == .refused("rate_limited")) }
            #expect(try await set(9) == .refused("bad_message"), "more than there are")
            let counted = try await statistics(city)
            #expect(counted[.boarded] == 8 && counted[.passengers] == 8)
            #expect(try await city.field("tour:t_1", "taken") == "0")
            // The next stop; to and fro makes none.
            for step in ["1", "-1", "1"] { _ = try await city.command("tour_step", "d1", step, "", "", "") }
            for taken in [5, 0, 5, 4] { #expect(try await set(taken).isOK) }
            #expect(try await statistics(city)[.boarded] == 16)
            try await city.advance(60_000)
            #expect(try await set(6).isOK)
            #expect(try await statistics(city)[.boarded] == 18)
        }
    }

    @Test("C65: the same count again writes nothing")
    func sameCount() async throws {
        try await TestCity.run { city in
            try await start(city, "t_1")
            #expect(try await city.command("tour_seats", "d1", "0", "").isOK)
            #expect(try await city.field("tour:t_1", "counted") == "1")
            let (sets, sent) = (try await city.calls(of: "hset"), try await city.calls(of: "publish"))
            for _ in 1...5 { #expect(try await city.command("tour_seats", "d1", "0", "")["seats"]?.integer == 8) }
            #expect(try await city.calls(of: "hset") == sets)
            #expect(try await city.calls(of: "publish") == sent)
        }
    }

    @Test("C60: nor do more get on a minibus")
    func believedMinibus() async throws {
        try await TestCity.run { city in
            try await catalog(city, "52")
            try await city.minibus("M1", seats: 14)
            _ = try await city.command("driver_available", "M1", "", "", "", "")
            #expect(try await city.command("route_set", "M1", "52", "", "", "").isOK)
            func set(_ taken: Int) async throws -> TestCity.Outcome {
                try await city.command("seats_set", "M1", "\(taken)", "4", "", "")
            }
            for _ in 1...4 { for taken in [14, 0] { #expect(try await set(taken).isOK) } }
            #expect(try await set(1) == .refused("rate_limited"))
            let counted = try await statistics(city)
            #expect(counted[.boarded] == 14 && counted[.passengers] == 14)
            try await city.advance(60_000)
            #expect(try await set(1).isOK)
            #expect(try await statistics(city)[.boarded] == 15)
            #expect(try await city.brokenInvariants().isEmpty)
        }
    }

    @Test("B16: requests by outcome, each once however often it is sent")
    func requests() async throws {
        try await TestCity.run { city in
            try await catalog(city, "52")
            for _ in 0..<3 { #expect(try await ask(city, "s0", "c0", key: "early") == .refused("no_driver")) }
            for _ in 0..<3 { #expect(try await ask(city, "s0", "c0") == .refused("no_driver")) }
            try await start(city, "t_1")
            for number in 0..<4 {
                for _ in 0..<2 { #expect(try await ask(city, "s\(number)", "c\(number)", key: "k\(number)").isOK) }
            }
            #expect(try await ask(city, "s9", "c9", passengers: 9) == .refused("seats_full"))
            for _ in 0..<2 {
                try await answer(city, "decline", "s0")
                #expect(try await city.command("stop_cancel", "c1", "s1", "").isOK)
                try await answer(city, "accept", "s2")
            }
            var now = try await statistics(city)
            #expect(now[.requested] == 4 && now[.accepted] == 1 && now[.declined] == 1 && now[.cancelled] == 1)
            #expect(now.refused == ["no_driver": 2, "seats_full": 1])
            // An hour after its time a promise that nobody kept is over, too.
            try await city.advance(2_000_000)
            try await city.sweep()
            try await city.advance(6_000_000)
            for _ in 0..<2 { try await city.sweep() }
            now = try await statistics(city)
            #expect(now[.expired] == 2 && now[.completed] == 0 && now[.noShow] == 0)
            // A line that there is not gets no figures.
            #expect(
                try await city.command("stop_request", "c1", "", "53", "not_found", "no such line", "{}", "{}")
                    == .refused("not_found"))
            #expect(try await statistics(city, line: "53").refused.isEmpty)
        }
    }

    @Test("B16: stops early, on time and late by the settings, each stop of a tour once; the mean of their delays")
    func punctuality() async throws {
        try await TestCity.run { city in
            try await start(city, "t_1")
            // A minute before its time, and a second more than five minutes after.
            let due = "[1800000060,1799999699,1,1800000061]"
            for key in ["k0", "k0", "k1"] {
                #expect(try await city.command("tour_step", "d1", "1", "", key, due).isOK)
            }
            var now = try await statistics(city)
            #expect(now[.stopsPassed] == 2 && now[.stopsOnTime] == 1 && now[.stopsLate] == 1)
            #expect(now.meanDelay == 120.5)
            // Back and on again, and a stop left out.
            _ = try await city.command("tour_step", "d1", "-1", "", "", "")
            for skip in ["", "1"] { _ = try await city.command("tour_step", "d1", "1", skip, "", due) }
            now = try await statistics(city)
            #expect(now[.stopsPassed] == 2 && now[.stopsSkipped] == 1)
            // The driver ends it at its last stop, a minute and a second early.
            _ = try await city.command("tour_end", "bus_driver", "d1", "", "", due)
            now = try await statistics(city)
            #expect(now[.stopsPassed] == 3 && now[.stopsEarly] == 1 && now.judgedStops == 3)
            #expect(now[.toursStarted] == 1 && now[.toursEnded] == 1 && now[.toursCutShort] == 0)
        }
    }

    @Test("B16: positions judge by the delay that they show; tours cut short and lost are counted")
    func tours() async throws {
        try await TestCity.run { city in
            try await start(city, "t_1")
            func moved(_ at: Int, reached: String, left: String) async throws {
                try await city.call(
                    "tour_moved",
                    [
                        "t_1", String(at), "45.1", "9.1", "100", "", reached, "[]", "77", "[]", "18000000000\(at)", "",
                        "[]", left, "", "[]", "", String(at), "",
                    ])
            }
            try await moved(10, reached: "1", left: "[[0,301]]")
            try await moved(11, reached: "", left: "[[0,999]]")
            // Nobody saw when it left the third: that is not judged.
            try await moved(12, reached: "3", left: "[[1,-61]]")
            var now = try await statistics(city)
            #expect(now[.stopsPassed] == 3 && now[.stopsLate] == 1 && now[.stopsEarly] == 1 && now.meanDelay == 120)
            // As long as positions come, they say how late it is at the end, not the driver's word.
            let due = "[1,1,1,1]"
            _ = try await city.command("tour_end", "bus_driver", "d1", "", "", due)
            now = try await statistics(city)
            #expect(now[.stopsOnTime] == 1 && now[.toursCutShort] == 0)
            try await start(city, "t_3")
            _ = try await city.command("tour_end", "operator", "o", "t_3", "", "")
            #expect(try await statistics(city)[.toursCutShort] == 1)
            try await city.advance(120_000)
            try await start(city, "t_2")
            try await city.advance(7_300_000)
            for _ in 0..<2 { try await city.sweep() }
            now = try await statistics(city)
            #expect(
                now[.toursStarted] == 3 && now[.toursEnded] == 3 && now[.toursLost] == 1 && now[.toursCutShort] == 2)
        }
    }

    @Test("B16: a day is one of the city's clock, and is kept for the days of the setting")
    func days() async throws {
        try await TestCity.run { city in
            try await city.call("city_sweep", ["w", "5000", "-28800", ""])
            try await start(city, "t_1")
            #expect(try await statistics(city, "2027-01-15")[.toursStarted] == 1, "midnight belongs to the new day")
            try await city.call("city_sweep", ["w", "5000", "-28801", ""])
            _ = try await city.command("tour_seats", "d1", "2", "")
            #expect(try await statistics(city, "2027-01-14")[.passengers] == 2)
            #expect(try await statistics(city, "2027-01-15")[.passengers] == 0)
            try await city.call("city_sweep", ["w", "5000", "", ""])
            _ = try await city.command("tour_seats", "d1", "3", "")
            #expect(try await statistics(city, "2027-01-14")[.passengers] == 3, "as it was said last")
            let left = try await city.raw(["TTL", "{test}:figures:2027-01-14"]).int ?? 0
            #expect((399 * 86_400...400 * 86_400).contains(Int(left)))
            // A leap day, and the last day of a year.
            for (second, date) in [(1_835_438_400, "2028-02-29"), (1_861_919_999, "2028-12-31")] {
                try await city.raw(["HSET", "{test}:settings", "clock_hub", "\(second)000", "utc_offset_s", "0"])
                _ = try await city.command("tour_seats", "d1", "0", "")
                _ = try await city.command("tour_seats", "d1", "1", "")
                #expect(try await statistics(city, date)[.passengers] == 1, "\(date)")
            }
        }
    }

    @Test("B16: a minibus counts for the line that it has announced as its route")
    func minibus() async throws {
        try await TestCity.run { city in
            try await catalog(city, "52")
            try await city.minibus("M1", seats: 14)
            _ = try await city.command("driver_available", "M1", "", "", "", "")
            func book(_ passenger: String, _ booking: String, _ count: Int) async throws {
                #expect(try await city.book(passenger, booking, "M1", count).isOK)
            }
            try await book("p0", "b0", 1)
            #expect(try await city.command("seat_decline", "M1", "b0", "").isOK)
            #expect(try await statistics(city)[.requested] == 0, "on no route yet")
            #expect(try await city.command("route_set", "M1", "52", "", "", "").isOK)
            try await book("p1", "b1", 3)
            for _ in 0..<2 { #expect(try await city.command("seat_accept", "M1", "b1", "", "").isOK) }
            try await city.call("seat_alert", ["M1", "b1", "20", "5", "high"])
            for _ in 0..<2 { #expect(try await city.command("seat_aboard", "M1", "b1", "2", "").isOK) }
            #expect(try await city.command("seats_set", "M1", "5", "4", "", "walk_in").isOK)
            #expect(try await city.command("seat_end", "M1", "b1", "").isOK)
            try await book("p2", "b2", 1)
            #expect(try await city.command("seat_decline", "M1", "b2", "").isOK)
            try await book("p3", "b3", 1)
            #expect(try await city.command("seat_cancel", "passenger", "p3", "", "").isOK)
            #expect(try await city.book("p4", "b4", "M1", 15) == .refused("too_many_passengers"))
            let now = try await statistics(city)
            #expect(now[.passengers] == 5 && now[.fetched] == 2 && now[.boarded] == 3)
            #expect(now[.requested] == 3 && now[.accepted] == 1 && now[.completed] == 1)
            #expect(now[.declined] == 1 && now[.cancelled] == 1 && now.refused == ["too_many_passengers": 1])
        }
    }
}
