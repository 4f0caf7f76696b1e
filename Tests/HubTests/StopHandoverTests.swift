import RedisLink
import Testing
import Wire

@testable import Hub

/// What becomes of requests when a tour ends, before one begins, and when the catalog changes, against a real Redis.
@Suite struct StopHandoverTests: StopLine {
    private func end(_ city: TestCity, _ driver: String = "B1") async throws {
        #expect(try await city.command("tour_end", "bus_driver", driver, "", "", "").isOK)
    }

    private func figure(_ city: TestCity, _ name: String) async throws -> String? {
        let keys = try await city.raw(["KEYS", "{test}:figures:*"]).array?.compactMap(\.text) ?? []
        return try await city.raw(["HGET", try #require(keys.first), "L|" + name]).text
    }

    private let asked = "stop.pending"
    private let promised = "stop.accepted"

    @Test("C64, B9: a tour ends: who waits is told at once, the next driver is asked anew, and figures count once")
    func next() async throws {
        try await TestCity.run { city in
            try await start(city)
            _ = try await request(city, "c1", wish("s1", 2000, inMinutes: 20))
            _ = try await request(city, "c2", wish("s2", 3000, inMinutes: 21))
            #expect(try await answer(city, "accept", "s1").isOK)
            try await drive(city, to: 1700)
            try await city.advance(6 * Self.minute)
            try await city.sweep()
            let before = [asked, promised, "stop.near", "stop.reminder"]
            #expect(try await city.told("passenger:c1") == before)
            try await end(city)
            for citizen in ["c1", "c2"] {
                let told = try await city.last(asked, "passenger:" + citizen)
                #expect(told?["reason"]?.text == "tour_ended" && told?["state"]?.text == "requested")
                #expect(told?["bus"] == nil && told?["answer_by"] == told?["at"])
            }
            #expect(try await city.field("stop:s1", "state") == "requested")
            try await start(city, "B2", tour: "t2", bus: "8")
            #expect(try await city.told("bus_driver:B2") == ["stop.requested", "stop.requested"])
            let told = try await city.last(asked, "passenger:c1")
            #expect(told?["bus"]?.text == "8" && told?["reason"] == nil)
            #expect(told?["answer_by"]?.integer ?? 0 > Self.now + Int64(30 * Self.minute))
            #expect(try await answer(city, "accept", "s1", driver: "B2").isOK)
            try await drive(city, to: 1700, tour: "t2")
            let after = [asked, asked, promised, "stop.near"]
            #expect(try await city.told("passenger:c1") == before + after, "the alerts are those of the bus that comes")
            #expect(try await figure(city, "requested") == "2")
            #expect(try await figure(city, "accepted") == "1")
        }
    }

    @Test("C60, B7: a bus of which nothing was heard for three minutes is asked only when no other comes")
    func silent() async throws {
        try await TestCity.run { city in
            try await start(city)
            try await drive(city, to: 500)
            try await city.advance(181_000)
            #expect(try await request(city, "c1", wish("s1", 900, inMinutes: 20)).isOK)
            #expect(try await city.field("stop:s1", "tour") == "t1", "there is no other")
            try await start(city, "B2", tour: "t2", bus: "8")
            try await drive(city, to: 100, tour: "t2")
            #expect(try await request(city, "c2", wish("s2", 900, inMinutes: 20)).isOK)
            #expect(try await city.field("stop:s2", "tour") == "t2", "the other is nearer, and silent")
            try await drive(city, to: 550)
            #expect(try await request(city, "c3", wish("s3", 900, inMinutes: 20)).isOK)
            #expect(try await city.field("stop:s3", "tour") == "t1", "it is heard again")
        }
    }

    @Test("C60, B7: who has declined is asked again by the same citizen only when nobody else comes")
    func declined() async throws {
        try await TestCity.run { city in
            try await start(city)
            try await start(city, "B2", tour: "t2", bus: "8")
            try await drive(city, to: 1500)
            try await drive(city, to: 500, tour: "t2")
            func driver(_ id: String) async throws -> String? { try await city.field("stop:" + id, "tour") }
            _ = try await request(city, "c1", wish("s1", 2500, inMinutes: 20))
            #expect(try await driver("s1") == "t1", "it is the nearest")
            #expect(try await answer(city, "decline", "s1").isOK)
            _ = try await request(city, "c1", wish("s2", 2500, inMinutes: 20))
            #expect(try await driver("s2") == "t2")
            _ = try await request(city, "c2", wish("s3", 2500, inMinutes: 20))
            #expect(try await driver("s3") == "t1", "whom it has not declined")
            #expect(try await answer(city, "decline", "s2", driver: "B2").isOK)
            _ = try await request(city, "c1", wish("s4", 2500, inMinutes: 20))
            #expect(try await driver("s4") == "t1", "both have, and it is nearer")
        }
    }

    @Test("C64, B9: a tour that ends after the wanted time leaves the next driver some minutes to begin")
    func endsLate() async throws {
        try await TestCity.run { city in
            try await start(city)
            _ = try await request(city, "c1", wish("s1", 2000, inMinutes: 0, isAsked: false))
            #expect(try await answer(city, "accept", "s1").isOK)
            try await city.advance(10 * Self.minute)
            try await end(city)
            try await city.sweep()
            let told = try await city.last(asked, "passenger:c1")
            #expect(told?["reason"]?.text == "tour_ended")
            #expect(told?["answer_by"]?.integer == Self.now + Int64(15 * Self.minute))
            #expect(try await city.told("passenger:c1").last == asked)
            try await start(city, "B2", tour: "t2", bus: "8")
            #expect(try await city.told("bus_driver:B2") == ["stop.requested"])
        }
        try await TestCity.run { city in
            try await start(city)
            _ = try await request(city, "c1", wish("s1", 2000, inMinutes: 0, isAsked: false))
            try await city.advance(10 * Self.minute)
            try await end(city)
            try await city.advance(5 * Self.minute)
            try await city.sweep()
            #expect(try await city.last("stop.expired", "passenger:c1")?["reason"]?.text == "no_driver")
        }
    }

    @Test("N1: however many wait when a tour begins or ends, each is read once and the list told once")
    func many() async throws {
        try await TestCity.run { city in
            try await start(city)
            for number in 1...6 {
                _ = try await request(
                    city, "c\(number)", wish("s\(number)", 1000 * Double(number), inMinutes: 20 + number))
            }
            let atFirst = try await city.calls(of: "hgetall")
            try await end(city)
            // The requests, and besides what concerns the tour and its driver.
            let ended = try await city.calls(of: "hgetall")
            #expect(try await city.raw(["TTL", "{test}:tour:t1"]).int ?? 0 <= 600, "it was nowhere")
            #expect(ended - atFirst <= 6 + 3)
            let heard = try await city.heard(on: Channel.partition("bus_driver:B2")) {
                try await start(city, "B2", tour: "t2", bus: "8")
            }
            #expect(try await city.calls(of: "hgetall") - ended <= 6 + 3)
            let told = try heard.filter { $0.type == "stop.requested" }.map { try JSONValue(parsing: $0.data) }
            #expect(told.map { $0["request"]?.text } == (1...6).map { "s\($0)" })
            #expect(told.dropLast().allSatisfy { $0["places"] == nil })
            #expect(told.last?["places"]?.elements?.count == 6)
        }
    }

    @Test("C64: another tour that comes by is asked at once, if it has the seats; an operator may have ended the tour")
    func beside() async throws {
        try await TestCity.run { city in
            try await start(city)
            _ = try await request(city, "c1", wish("s1", 5000, inMinutes: 20, passengers: 2))
            _ = try await request(city, "c2", wish("s2", 5000, inMinutes: 20, passengers: 6))
            #expect(try await answer(city, "accept", "s1").isOK)
            try await start(city, "B2", tour: "t2", bus: "8")
            _ = try await city.command("tour_seats", "B2", "5", "")
            _ = try await city.command("tour_end", "operator", "o1", "t1", "", "")
            let told = try await city.last(asked, "passenger:c1")
            #expect(told?["reason"]?.text == "tour_ended" && told?["bus"]?.text == "8")
            #expect(told?["answer_by"]?.integer == Self.now + Int64(30 * Self.minute))
            #expect(try await city.last("stop.requested", "bus_driver:B2")?["request"]?.text == "s1")
            #expect(try await city.field("stop:s2", "tour") == nil, "three seats are free, six are wanted")
            #expect(try await city.last(asked, "passenger:c2")?["reason"]?.text == "tour_ended")
        }
    }

    @Test("C64: a tour of which nothing is heard any more leaves its requests in the same way")
    func lost() async throws {
        try await TestCity.run { city in
            try await start(city)
            _ = try await request(city, "c1", wish("s1", 5000, inMinutes: 150))
            #expect(try await answer(city, "accept", "s1").isOK)
            try await city.advance(120 * Self.minute + 1)
            try await city.sweep()
            #expect(try await city.last("tour.ended", "bus_driver:B1")?["reason"]?.text == "lost")
            #expect(try await city.told("passenger:c1") == [asked, promised, asked])
            try await start(city, "B2", tour: "t2", bus: "8")
            #expect(try await city.told("bus_driver:B2") == ["stop.requested"])
        }
    }

    @Test("C64: where the bus has been and gone on, the next one is not asked to come again")
    func been() async throws {
        try await TestCity.run { city in
            try await start(city)
            _ = try await request(city, "c1", wish("s1", 2000, inMinutes: 3))
            _ = try await request(city, "c2", wish("s2", 3000, inMinutes: 3))
            for id in ["s1", "s2"] { #expect(try await answer(city, "accept", id).isOK) }
            for metres in [1990.0, 2500] { try await drive(city, to: metres) }
            try await end(city)
            #expect(try await city.last("stop.expired", "passenger:c1")?["reason"]?.text == "not_served")
            #expect(try await city.last("stop.withdrawn", "bus_driver:B1")?["request"]?.text == "s1")
            try await start(city, "B2", tour: "t2", bus: "8")
            #expect(try await city.last("stop.requested", "bus_driver:B2")?["request"]?.text == "s2")
            #expect(try await city.told("bus_driver:B2") == ["stop.requested"])
        }
    }

    @Test("C64: nobody drives after it: told at once, and once more when nobody came")
    func nobody() async throws {
        try await TestCity.run { city in
            try await start(city)
            _ = try await request(city, "c1", wish("s1", 2000, inMinutes: 20))
            _ = try await request(city, "c2", wish("s2", 2000, inMinutes: 90))
            #expect(try await answer(city, "accept", "s1").isOK)
            try await end(city)
            #expect(try await city.told("passenger:c1") == [asked, promised, asked])
            try await city.advance(25 * Self.minute - 1)
            try await city.sweep()
            #expect(try await city.told("passenger:c1").count == 3)
            try await city.advance(1)
            try await city.sweep()
            #expect(try await city.last("stop.expired", "passenger:c1")?["reason"]?.text == "no_driver")
            // Who was never answered leaves the next driver the whole time.
            try await city.advance(20 * Self.minute)
            #expect(try await city.told("passenger:c2") == [asked, asked])
            try await start(city, "B2", tour: "t2", bus: "8")
            #expect(try await city.last("stop.requested", "bus_driver:B2")?["request"]?.text == "s2")
            try await city.advance(29 * Self.minute)
            try await city.sweep()
            #expect(try await answer(city, "accept", "s2", driver: "B2").isOK)
        }
    }

    @Test("B14: between tours a run of the timetable can be asked for; who drives that run is asked, and nobody before")
    func ahead() async throws {
        try await TestCity.run { city in
            let day = 24 * 60
            let tomorrow = wish("s1", 2000, inMinutes: day, laterAt: day + 5, run: "t10")
            let reply = try await request(city, "c1", tomorrow)
            #expect(reply["at"]?.integer == Self.now + Int64((day + 5) * Self.minute), "when it passes")
            #expect(reply["answer_by"] == reply["at"] && reply["state"]?.text == "requested")
            // Too soon to be asked ahead, at no time of the timetable, without a time, without a timetable.
            for refused in [
                wish("s2", 2000, inMinutes: 20, laterAt: 20), wish("s2", 2000, inMinutes: 60, laterAt: 100),
                wish("s2", 2000, inMinutes: 0, laterAt: 40, isAsked: false), wish("s2", 2000, inMinutes: day),
            ] {
                #expect(try await request(city, "c2", refused) == .refused("no_driver"))
            }
            // Before the first run of the day nobody drives yet, of course.
            #expect(
                try await request(
                    city, "c3", wish("s3", 2000, inMinutes: 10, laterAt: 10, isAsked: false, isFirst: true)
                )
                .isOK)
            try await start(city, trip: "t8")
            #expect(try await city.told("bus_driver:B1") == ["stop.requested"], "s3")
            #expect(try await city.field("stop:s1", "tour") == nil, "it is not its run")
            try await end(city)
            try await city.advance((day - 60) * Self.minute)
            try await city.sweep()
            try await start(city, "B2", tour: "t2", bus: "8", trip: "t9")
            #expect(try await city.told("bus_driver:B2").isEmpty)
            try await start(city, "B3", tour: "t3", bus: "9", trip: "t10")
            #expect(try await city.last("stop.requested", "bus_driver:B3")?["request"]?.text == "s1")
            #expect(try await city.last(asked, "passenger:c1")?["bus"]?.text == "9")
        }
    }

    @Test(
        "N1: requests that are made ahead are bounded by what one driver will have, not by all that a line is asked for"
    )
    func bounded() async throws {
        try await TestCity.run { city in
            try await city.raw(["HSET", "{test}:settings", "stop_max_on_tour", "3"])
            func ask(_ number: Int, inMinutes minutes: Int) async throws -> TestCity.Outcome {
                try await request(
                    city, "c\(number)",
                    wish("s\(number)", 2000, inMinutes: minutes, laterAt: minutes, run: "t\(minutes)"))
            }
            for number in 0..<3 { #expect(try await ask(number, inMinutes: 600).isOK) }
            #expect(try await ask(3, inMinutes: 630) == .refused("not_available"))
            #expect(try await ask(4, inMinutes: 700).isOK)
        }
    }

    @Test("C60: what is taken back before anybody was asked counts, there and back as one, and is soon forgotten")
    func takenBack() async throws {
        try await TestCity.run { city in
            func ahead(_ id: String, _ metres: Double, _ minutes: Int) -> String {
                wish(id, metres, inMinutes: minutes, laterAt: minutes, run: "t\(minutes)")
            }
            for number in 1...3 {
                let (there, back) = (ahead("a\(number)", 2000, 300 + number), ahead("b\(number)", 1000, 600 + number))
                let asked = try await request(city, "c1", there, back)
                #expect(asked.isOK)
                for id in ["a\(number)", "b\(number)"] {
                    #expect(try await city.command("stop_cancel", "c1", id, "").isOK)
                    #expect(try await city.command("stop_cancel", "c1", id, "").isOK)
                    #expect(try await city.raw(["TTL", "{test}:stop:" + id]).int ?? 0 <= 600)
                }
            }
            #expect(try await city.raw(["LLEN", "{test}:cancels:c1"]).int == 3)
            #expect(try await request(city, "c1", ahead("s1", 2000, 300)) == .refused("rate_limited"))
            #expect(try await request(city, "c2", ahead("s2", 2000, 300)).isOK)
        }
    }

    @Test("B14: a tour that runs already takes what is due when the time is near; if none does, it lapses with the run")
    func aheadBeside() async throws {
        try await TestCity.run { city in
            _ = try await request(city, "c1", wish("s1", 2000, inMinutes: 100, laterAt: 100, run: "t10"))
            try await city.advance(40 * Self.minute)
            try await start(city, trip: "other")
            try await city.advance(29 * Self.minute)
            try await city.sweep()
            #expect(try await city.told("bus_driver:B1").isEmpty)
            try await city.advance(Self.minute)
            try await city.sweep()
            #expect(try await city.told("bus_driver:B1") == ["stop.requested"])
            _ = try await request(city, "c2", wish("s2", 2000, inMinutes: 300, run: "t11"))
            #expect(try await city.field("stop:s2", "tour") == "t1", "who drives now can answer for hours ahead")
            #expect(try await answer(city, "accept", "s2").isOK)
            try await end(city)
            #expect(try await city.last(asked, "passenger:c2")?["reason"]?.text == "tour_ended")
            try await start(city, "B2", tour: "t2", bus: "8", trip: "t10")
            #expect(try await city.field("stop:s2", "tour") == nil)
            try await city.advance(235 * Self.minute)
            try await city.sweep()
            #expect(try await city.last("stop.expired", "passenger:c2")?["reason"]?.text == "no_driver")
        }
    }

    @Test("C64: a line that is in the next catalog no more, or takes other ways, tells those who wait for a later run")
    func catalogs() async throws {
        for (lines, reason) in [
            (["M": "{}"], "line_removed"), (["L": #"{"patterns":[{"id":"back"}]}"#], "line_changed"),
            (["L": #"{"patterns":[{"id":"back"},{"id":"out"}]}"#], nil),
        ] {
            try await TestCity.run { city in
                try await city.catalog("v1", ["L": "{}"], replacing: "")
                try await start(city)
                _ = try await request(city, "c1", wish("s1", 2000, inMinutes: 10))
                #expect(try await answer(city, "accept", "s1").isOK)
                _ = try await request(city, "c2", wish("s2", 2000, inMinutes: 300, run: "t10"))
                try await city.catalog("v2", lines, replacing: "v1")
                try await city.sweep()
                #expect(try await city.told("passenger:c1") == [asked, promised], "its bus is on its way")
                #expect(try await city.last("stop.expired", "passenger:c2")?["reason"]?.text == reason)
                if reason != nil {
                    #expect(try await city.last("stop.withdrawn", "bus_driver:B1")?["reason"]?.text == reason)
                }
                try await end(city)
                let isOver = reason == "line_removed"
                #expect(try await city.told("passenger:c1").last == (isOver ? "stop.expired" : asked))
                #expect(try await city.field("stop:s1", "state") == (isOver ? "expired" : "requested"))
            }
        }
    }

    @Test(
        "C51: a bus that waits at its first stop is near to nobody; it is there for who gets on there, and asked for it"
    )
    func terminus() async throws {
        try await TestCity.run { city in
            try await start(city)
            try await drive(city, to: 5, first: "30")
            _ = try await request(city, "c1", wish("s1", 300, inMinutes: 12))
            #expect(try await request(city, "c2", wish("s2", 0, inMinutes: 10)).isOK, "it has not left yet")
            for id in ["s1", "s2"] { #expect(try await answer(city, "accept", id).isOK) }
            _ = try await request(city, "c3", wish("s3", 0, inMinutes: 10))
            for metres in [4.0, 60, 5] { try await drive(city, to: metres, first: "150") }
            #expect(try await city.told("passenger:c1") == [asked, promised])
            #expect(try await city.told("passenger:c2") == [asked, promised, "stop.arrived"])
            #expect(try await city.told("passenger:c3") == [asked], "it has not passed the place")
            #expect(try await answer(city, "accept", "s3").isOK)
            try await drive(city, to: 100)
            #expect(try await city.told("passenger:c1").suffix(2) == [promised, "stop.near"])
            try await drive(city, to: 290)
            #expect(try await city.told("passenger:c1").suffix(2) == ["stop.near", "stop.arrived"])
            #expect(try await city.told("passenger:c2").last == "stop.arrived")
        }
    }

    @Test("C51: the driver's word that the first stop is left counts, whatever the positions say")
    func leftByWord() async throws {
        try await TestCity.run { city in
            try await start(city)
            _ = try await request(city, "c1", wish("s1", 300, inMinutes: 12))
            #expect(try await answer(city, "accept", "s1").isOK)
            try await drive(city, to: 5, first: "30")
            #expect(try await city.told("passenger:c1").last == promised)
            #expect(try await city.command("tour_step", "B1", "1", "", "", "").isOK)
            try await drive(city, to: 5, first: "30")
            #expect(try await city.told("passenger:c1").last == "stop.near")
        }
    }
}
