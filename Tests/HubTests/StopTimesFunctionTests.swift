import RedisLink
import Testing
import Wire

@testable import Hub

/// Times of arrival at stops on request, against a real Redis. The line L leads due north from 45.0/9.0; the city's clocks
/// are an hour before UTC, where it is 8:00.
@Suite struct StopTimesFunctionTests {
    private static let now: Int64 = 1_800_000_000_000
    private static let minute = 60_000

    private static func lat(_ metres: Double) -> String { String(45 + metres / 111_195) }

    private func start(_ city: TestCity) async throws {
        try await city.call("session_hello", ["bus_driver", "B1", "s", "w", ""])
        let reply = try await city.command(
            "tour_start", "B1", "t1", "7", "8", "L", "out", "", #"["a","b"]"#, "w", "", "", "", "", "", "0", "")
        #expect(reply.isOK)
    }

    /// The bus is so many metres along. `course` in seconds from then.
    private func moved(
        _ city: TestCity, to metres: Int, _ course: String, off: String = "", zone: String = "3600 0 3600"
    ) async throws {
        let now = try #require(try await city.field("settings", "clock_hub"))
        let etas = #"[{"index":1,"stop":"b","at":\#(Self.now + 600_000),"early":\#(Self.now),"late":\#(Self.now)}]"#
        try await city.call(
            "tour_moved",
            [
                "t1", now, Self.lat(Double(metres)), "9.0", String(metres), off, "", "[]", "", etas, now, "", "[]",
                "[]", zone,
                course, "", now, "",
            ])
    }

    /// A place that is no stop of the line, if `next` is the index of the one behind it.
    private func ask(
        _ city: TestCity, _ id: String, _ metres: Double, inMinutes minutes: Int, next: Int? = 1,
        by citizen: String = "c1"
    ) async throws -> TestCity.Outcome {
        let wish = """
            {"id":"\(id)","lat":\(Self.lat(metres)),"lon":9.0,"at":\(Self.now + Int64(minutes * Self.minute)),\
            "passengers":1,"places":{"out":[\(metres)]},"later":false\
            \(next.map { #","next":{"out":[\#($0)]}"# } ?? "")}
            """
        return try await city.command("stop_request", citizen, "", "L", "", "", #"{"name":"Ada"}"#, wish)
    }

    private func accept(_ city: TestCity, _ id: String) async throws {
        #expect(try await city.command("stop_answer", "B1", "accept", id, "", "").isOK)
    }

    private func cancel(_ city: TestCity, _ id: String, by citizen: String) async throws {
        #expect(try await city.command("stop_cancel", citizen, id, "").isOK)
    }

    private func seconds(_ eta: JSONValue?) -> [Int64]? {
        eta.map { eta in ["early", "at", "late"].map { ((eta[$0]?.integer ?? 0) - Self.now) / 1000 } }
    }

    /// From 1000 m on.
    private static let course = "[[1000,0,0,0],[1500,60,70,90],[1530,80,90,120],[2500,200,230,300]]"

    @Test("B6, B7: the reply, and what follows, say when the bus will be there, with bounds and as h:mm")
    func told() async throws {
        try await TestCity.run { city in
            try await start(city)
            #expect(try await ask(city, "s0", 1200, inMinutes: 3)["eta"] == nil, "it has sent no position yet")
            try await moved(city, to: 1000, Self.course)
            let reply = try await ask(city, "s1", 2015, inMinutes: 3)
            #expect(seconds(reply["eta"]) == [140, 160, 210])
            #expect(reply["eta"]?["clock"]?.text == "9:02")
            #expect(try await city.last("stop.pending", "passenger:c1")?["eta"] == reply["eta"])
            try await accept(city, "s1")
            #expect(try await city.last("stop.accepted", "passenger:c1")?["eta"] == reply["eta"])
            let hello = try await city.call("session_hello", ["passenger", "c1", "x", "w", ""])
            let snapshot = try JSONValue(parsing: Array((hello[2].text ?? "").utf8))
            #expect(snapshot["requests"]?[1]?["eta"] == reply["eta"])
            // A stop of the line itself: as it stands in the course.
            #expect(seconds(try await ask(city, "s2", 1500, inMinutes: 2, next: nil, by: "c2")["eta"]) == [60, 70, 90])
        }
    }

    @Test("B6: nothing is said of what lies behind or beyond, off the route, of an old position, of another round")
    func untold() async throws {
        try await TestCity.run { city in
            try await start(city)
            try await moved(city, to: 1000, Self.course)
            #expect(try await ask(city, "s1", 2600, inMinutes: 3)["eta"] == nil, "beyond the last stop")
            #expect(try await ask(city, "s2", 2000, inMinutes: 90)["eta"] == nil, "another round")
            #expect(try await ask(city, "s3", 2000, inMinutes: 20)["eta"] != nil)
            func eta() async throws -> JSONValue? {
                let hello = try await city.call("session_hello", ["passenger", "c1", "x", "w", ""])
                let snapshot = try JSONValue(parsing: Array((hello[2].text ?? "").utf8))
                return snapshot["requests"]?.elements?.first { $0["request"]?.text == "s3" }?["eta"]
            }
            #expect(try await eta() != nil)
            try await moved(city, to: 1000, Self.course, off: "1")
            #expect(try await eta() == nil, "off the route")
            try await moved(city, to: 1000, Self.course)
            try await city.advance(5 * Self.minute)
            #expect(try await eta() != nil)
            try await city.advance(1)
            #expect(try await eta() == nil, "an old position")
            try await moved(city, to: 2010, "[[2010,0,0,0],[2500,50,60,70]]")
            #expect(try await eta() == nil, "behind the bus")
        }
    }

    @Test("N1: forty requests that are accepted at once change the tour's times once")
    func together() async throws {
        try await TestCity.run { city in
            try await city.raw(["HSET", "{test}:settings", "stop_max_on_tour", "60"])
            try await city.call("session_hello", ["bus_driver", "B1", "s", "w", ""])
            _ = try await city.command(
                "tour_start", "B1", "t1", "7", "60", "L", "out", "", #"["a","b"]"#, "w", "", "", "", "", "", "0", "")
            try await moved(city, to: 1000, Self.course)
            for n in 0..<40 { #expect(try await ask(city, "s\(n)", 2015, inMinutes: 3, by: "c\(n)").isOK) }
            let pushes = try await city.heard(on: Channel.partition("line:L")) {
                let reply = try await city.command("stop_answer", "B1", "accept", "s0", "1", "")
                #expect(reply["requests"]?.elements?.count == 40)
            }
            #expect(pushes.filter { $0.type == "bus" && $0.channel == "line:L" }.count == 1)
            #expect(try await city.told("passenger:c39") == ["stop.pending", "stop.accepted"])
        }
    }

    @Test("B7: a promised place costs those behind it its time, however many ask there, and they are told at once")
    func stays() async throws {
        try await TestCity.run { city in
            try await start(city)
            try await moved(city, to: 1000, Self.course)
            _ = try await ask(city, "far", 2015, inMinutes: 3)
            try await accept(city, "far")
            _ = try await ask(city, "near", 1600, inMinutes: 3, by: "c2")
            _ = try await ask(city, "same", 1610, inMinutes: 3, by: "c3")
            let pushes = try await city.heard(on: Channel.partition("passenger:c1")) {
                try await accept(city, "near")
                try await accept(city, "same")
            }
            let told = try pushes.filter { $0.type == "stop.eta" }.map { try JSONValue(parsing: $0.data) }
            #expect(told.map { $0["request"]?.text } == ["far"], "once: the second stop is the first")
            #expect(told.first?["bus"]?.text == "7" && told.first?["line"]?.text == "L")
            #expect(seconds(told.first?["eta"]) == [170, 190, 240])
            let etas = try #require(try await city.field("tour:t1", "etas"))
            let stop = try JSONValue(parsing: Array(etas.utf8))[0]
            #expect(stop?["at"]?.integer == Self.now + 660_000 && stop?["clock"]?.text == "9:11")
            let off = try await city.heard(on: Channel.partition("passenger:c1")) {
                try await cancel(city, "near", by: "c2")
                try await cancel(city, "same", by: "c3")
            }
            let last = try off.last { $0.type == "stop.eta" }.map { try JSONValue(parsing: $0.data) }
            #expect(seconds(last?["eta"]) == [140, 160, 210])
        }
    }

    /// The place at 2000 m is reached in so many minutes at the earliest.
    private func course(early minutes: Int) -> String {
        "[[1000,0,0,0],[2000,\(minutes * 60),\(minutes * 60 + 120),\(minutes * 60 + 300)]]"
    }

    @Test("B6, B7: what was told before hub time was set back is no reason to say nothing for as long")
    func setBack() async throws {
        try await TestCity.run { city in
            let ahead = String(Self.now + 3_600_000)
            try await start(city)
            try await moved(city, to: 1000, course(early: 30))
            _ = try await ask(city, "s1", 2000, inMinutes: 40)
            try await accept(city, "s1")
            try await city.raw(["HSET", "{test}:stop:s1", "eta_sent", ahead])
            let pushes = try await city.heard(on: Channel.partition("passenger:c1")) {
                try await moved(city, to: 1000, course(early: 20))
            }
            #expect(pushes.contains { $0.type == "stop.eta" })
            try await city.raw(["HSET", "{test}:tour:t1", "prompted_at", ahead])
            _ = try await ask(city, "s2", 2200, inMinutes: 40, by: "c2")
            #expect(try await city.last("stop.requested", "bus_driver:B1")?["quiet"]?.boolean == false)
        }
    }

    @Test("B11: the reminder goes by the early bound, not by the wanted time; once, whatever the bus does then")
    func reminder() async throws {
        try await TestCity.run { city in
            func reminders() async throws -> Int {
                try await city.told("passenger:c1").filter { $0 == "stop.reminder" }.count
            }
            try await start(city)
            try await moved(city, to: 1000, course(early: 30))
            _ = try await ask(city, "s1", 2000, inMinutes: 40)
            try await accept(city, "s1")
            try await city.advance(15 * Self.minute - 1)
            try await city.sweep()
            #expect(try await reminders() == 0)
            // It is late.
            try await moved(city, to: 1000, course(early: 27))
            try await city.advance(12 * Self.minute - 1)
            try await city.sweep()
            #expect(try await reminders() == 0, "at the wanted time less 15 minutes it would be too early")
            try await city.advance(1)
            for _ in 0..<2 { try await city.sweep() }
            #expect(try await reminders() == 1)
            for minutes in [40, 14, 2] { try await moved(city, to: 1000, course(early: minutes)) }
            try await city.advance(30 * Self.minute)
            try await city.sweep()
            #expect(try await reminders() == 1)
        }
    }

    @Test("B11: a bus that gets earlier reminds at once; an early bound within 15 minutes is told by the acceptance")
    func early() async throws {
        try await TestCity.run { city in
            try await start(city)
            try await moved(city, to: 1000, course(early: 30))
            _ = try await ask(city, "s1", 2000, inMinutes: 40)
            try await accept(city, "s1")
            try await moved(city, to: 1000, course(early: 15))
            let reminder = try await city.last("stop.reminder", "passenger:c1")
            #expect(seconds(reminder?["eta"]) == [900, 1020, 1200])
            try await moved(city, to: 1000, course(early: 14))
            _ = try await ask(city, "s2", 2000, inMinutes: 40, by: "c2")
            try await accept(city, "s2")
            try await moved(city, to: 1000, course(early: 13))
            #expect(try await city.told("passenger:c2").last == "stop.accepted")
            // Should the bus wait, it is reminded of the time that it has asked for.
            try await city.advance(25 * Self.minute)
            try await city.sweep()
            #expect(try await city.told("passenger:c2").last == "stop.reminder")
        }
    }

    @Test(
        "B11: asked for within 15 minutes, nobody is reminded as the bus is first heard of; but if it is late, in time")
    func soon() async throws {
        try await TestCity.run { city in
            try await start(city)
            for (id, citizen) in [("s1", "c1"), ("s2", "c2")] {
                _ = try await ask(city, id, 2000, inMinutes: 10, by: citizen)
                try await accept(city, id)
                try await moved(city, to: 1000, course(early: id == "s1" ? 12 : 20))
                #expect(try await city.told("passenger:\(citizen)").last == "stop.accepted")
                try await moved(city, to: 1000, "[]", off: "1")
            }
            try await moved(city, to: 1000, course(early: 14))
            #expect(try await city.told("passenger:c1").last == "stop.accepted")
            #expect(try await city.told("passenger:c2").last == "stop.reminder")
        }
    }

    @Test(
        "B6: at any place of the line: when each bus comes there, every time that it passes, and what it calls at before"
    )
    func anyPlace() async throws {
        try await TestCity.run { city in
            func tours(_ places: String) async throws -> [JSONValue] {
                let reply = try await city.call("line_eta", ["L", places])
                return try #require(JSONValue(parsing: Array((reply.text ?? "").utf8)).elements)
            }
            let places = #"{"out":[900,1500,2015,2600]}"#
            #expect(try await tours(places).isEmpty, "no bus is on the line")
            try await start(city)
            let unheard = try await tours(places)
            #expect(unheard.count == 1 && unheard[0]["known"]?.boolean == false && unheard[0]["passes"] == nil)
            try await moved(city, to: 1000, Self.course)
            let known = try #require(try await tours(places).first)
            #expect(known["tour"]?.text == "t1" && known["bus"]?.text == "7" && known["known"]?.boolean == true)
            // 900 m lies behind it, 2600 m beyond its way.
            #expect(known["passes"]?.elements?.map { $0["distance_m"]?.integer } == [500, 1015])
            #expect(seconds(known["passes"]?[0]) == [60, 70, 90] && seconds(known["passes"]?[1]) == [140, 160, 210])
            #expect(try await tours(#"{"back":[2000]}"#).first?["passes"] == nil, "the other direction")
            _ = try await ask(city, "s1", 1600, inMinutes: 3)
            try await accept(city, "s1")
            let later = try await tours(places).first?["passes"]
            #expect(seconds(later?[0]) == [60, 70, 90] && seconds(later?[1]) == [170, 190, 240], "it stops at 1600 m")
            try await moved(city, to: 1000, Self.course, off: "1")
            #expect(try await tours(places).first?["known"]?.boolean == false, "off the route")
        }
    }

    @Test("B6: local time follows the clocks when they change", arguments: [(1, "9:02"), (60_000, "10:02")])
    func clocks(_ before: Int64, _ expected: String) async throws {
        try await TestCity.run { city in
            try await start(city)
            let change = Self.now + 170_000 - before
            try await moved(city, to: 1000, Self.course, zone: "3600 \(change) 7200")
            #expect(try await ask(city, "s1", 2015, inMinutes: 3)["eta"]?["clock"]?.text == expected)
        }
    }
}
