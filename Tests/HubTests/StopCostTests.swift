import RedisLink
import Testing
import Wire

@testable import Hub

/// What a bus and those who ask it to stop cost Redis, and what the others read of it.
@Suite struct StopCostTests: StopLine {
    private static let course = "[[1000,0,0,0],[2500,200,230,300]]"

    /// The bus is 1000 m along.
    @discardableResult
    private func moved(_ city: TestCity, course: String = course) async throws -> RedisReply {
        let now = try #require(try await city.field("settings", "clock_hub"))
        return try await city.call(
            "tour_moved",
            [
                "t1", now, Self.lat(1000), "9.0", "1000", "", "", "[]", "", "[]", now, "", "[]", "[]", "3600 0 3600",
                course, "", now, "",
            ])
    }

    /// Of a place that is no stop of the line.
    private func ask(_ city: TestCity, _ id: String, by citizen: String) async throws -> TestCity.Outcome {
        let wish = """
            {"id":"\(id)","lat":\(Self.lat(2000)),"lon":9.0,"at":\(Self.now + Int64(10 * Self.minute)),"passengers":1,\
            "places":{"out":[2000]},"next":{"out":[1]},"later":false}
            """
        return try await city.command("stop_request", citizen, "", "L", "", "", #"{"name":"Ada"}"#, wish)
    }

    @Test("N1: when a bus comes is answered without reading what its tour is asked")
    func arrivals() async throws {
        try await TestCity.run { city in
            try await city.raw(["HSET", "{test}:settings", "stop_max_on_tour", "60"])
            try await city.call("session_hello", ["bus_driver", "B1", "s", "w", ""])
            _ = try await city.command(
                "tour_start", "B1", "t1", "7", "60", "L", "out", "", #"["a","b"]"#, "w", "", "", "", "", "", "0", "")
            try await moved(city)
            for n in 0..<40 { #expect(try await ask(city, "s\(n)", by: "c\(n)").isOK) }
            #expect(try await answer(city, "accept", "s0", all: true)["requests"]?.elements?.count == 40)
            #expect(try await city.raw(["HLEN", "{test}:tour-detours:t1"]).int == 40)
            #expect(try await moved(city)[3].int == 40, "what its driver pays for")

            let before = try await city.calls(of: "hgetall")
            let reply = try await city.call("line_eta", ["L", #"{"out":[1500,2400]}"#])
            let first = try await city.calls(of: "hgetall")
            #expect(first - before == 1, "of its detours; of the tour some fields")
            let passes = try #require(JSONValue(parsing: Array((reply.text ?? "").utf8))[0]?["passes"]?.elements)
            let at = passes.map { (($0["at"]?.integer ?? 0) - Self.now) / 1000 }
            #expect(at[1] == 230 * 1400 / 1500 + 30, "40 who ask for one place cost its time once")

            let hello = try await city.call("session_hello", ["passenger", "c7", "x", "w", ""])
            #expect(hello[2].text?.contains(#""request":"s7""#) == true)
            #expect(
                try await city.calls(of: "hgetall") - first <= 3, "the request, its tour's detours, and the wishes")
            #expect(try await city.command("tour_end", "bus_driver", "B1", "", "", "").isOK)
            #expect(try await city.raw(["EXISTS", "{test}:tour-detours:t1"]).int == 0)
        }
    }

    /// How often Redis has read fields of a hash so far.
    private func reads(_ city: TestCity) async throws -> Int {
        var count = 0
        for command in ["hget", "hmget", "hgetall"] { count += try await city.calls(of: command) }
        return count
    }

    @Test("C60, N1: what a citizen has open refuses, or is answered, before a tour of the line is read")
    func refusedFirst() async throws {
        try await TestCity.run { city in
            try await start(city)
            #expect(try await request(city, "c1", wish("s1", 2000, inMinutes: 10)).isOK)
            var counts: [[Int]] = []
            for buses in [1, 6] {
                for n in 1..<buses { try await start(city, "B\(n + 10)", tour: "t\(n + 10)", bus: "\(n + 10)") }
                let before = try await reads(city)
                let many = try await request(city, "c1", wish("s2", 3000, inMinutes: 10, passengers: 60))
                let refused = try await reads(city)
                let other = try await request(city, "c1", wish("s2", 2000, inMinutes: 10, passengers: 2))
                let differs = try await reads(city)
                let same = try await request(city, "c1", wish("s2", 2000, inMinutes: 10))
                #expect(many == .refused("already_requested") && other == .refused("already_requested"))
                #expect(same["request"]?.text == "s1")
                counts.append([refused - before, differs - refused, try await reads(city) - differs])
            }
            #expect(counts[0] == counts[1], "with one tour and with six")
        }
    }

    @Test("N1: of the tours among which one is chosen some fields are read, and no forecast way")
    func chosen() async throws {
        try await TestCity.run { city in
            try await start(city)
            for n in 2...6 { try await start(city, "B\(n)", tour: "t\(n)", bus: "\(n + 10)") }
            for n in 1...6 { try await drive(city, to: 1000, tour: "t\(n)") }
            let (whole, some) = (try await city.calls(of: "hgetall"), try await city.calls(of: "hget"))
            #expect(try await request(city, "c1", wish("s1", 900, inMinutes: 5)) == .refused("stop_passed"))
            #expect(try await city.calls(of: "hgetall") == whole)
            #expect(try await city.calls(of: "hget") - some < 6)
        }
    }

    @Test("B11: a retry is no second request, also where its time has become that of the next round")
    func retried() async throws {
        try await TestCity.run { city in
            try await start(city)
            try await drive(city, to: 1000)
            for n in 1...2 {
                let again = wish("s\(n)", 900, inMinutes: 5, laterAt: 47, isAsked: false)
                let reply = try await request(city, "c1", again)
                #expect(reply["request"]?.text == "s1")
                #expect(reply["at"]?.integer == Self.now + Int64(47 * Self.minute))
            }
            // Ahead of the bus it keeps its time, whatever comes later.
            for n in 3...4 {
                let reply = try await request(city, "c1", wish("s\(n)", 3000, inMinutes: 5, laterAt: 47))
                #expect(reply["request"]?.text == "s3")
                #expect(reply["at"]?.integer == Self.now + Int64(5 * Self.minute))
            }
        }
    }

    @Test("B6: a place is found anywhere on a forecast way, however long that is", arguments: [1, 2, 3, 60])
    func anywhere(_ count: Int) async throws {
        try await TestCity.run { city in
            try await start(city)
            let way = (0..<count).map { "[\(1000 + 100 * $0),\($0 * $0),\(2 * $0 * $0),\(3 * $0 * $0)]" }
            try await moved(city, course: "[" + way.joined(separator: ",") + "]")
            // Each quarter between two of its points, and behind the last.
            let places = (0..<(4 * count)).map { 1000 + 25 * $0 }
            let reply = try await city.call("line_eta", ["L", #"{"out":\#(places)}"#])
            let passes = try #require(JSONValue(parsing: Array((reply.text ?? "").utf8))[0]?["passes"]?.elements)
            #expect(passes.count == 4 * (count - 1) + 1)
            for (index, pass) in passes.enumerated() {
                let (point, quarter) = (index / 4, index % 4)
                let early = 1000 * point * point + 250 * quarter * (2 * point + 1)
                #expect(pass["early"]?.integer == Self.now + Int64(early))
                #expect(pass["late"]?.integer == Self.now + Int64(3 * early))
            }
        }
    }

    @Test("B6: a bus whose positions jump to and fro tells who waits one time of arrival in a second")
    func jumps() async throws {
        try await TestCity.run { city in
            try await start(city)
            try await moved(city)
            #expect(try await ask(city, "s1", by: "c1").isOK)
            #expect(try await answer(city, "accept", "s1").isOK)
            let pushes = try await city.heard(on: Channel.partition("passenger:c1")) {
                for n in 1...20 {
                    try await city.advance(100)
                    try await moved(city, course: n % 2 == 0 ? Self.course : "[[1000,0,0,0],[2500,400,430,500]]")
                }
            }
            let told = pushes.filter { $0.type == "stop.eta" }.count
            #expect((1...3).contains(told), "\(told) in two seconds")
        }
    }

    /// Of those that were told on the driver's channel, as JSON: all of a type, and how many of them have the list.
    private func lists(_ pushes: [Push], _ type: String) throws -> (Int, Int) {
        let told = try pushes.filter { $0.type == type }.map { try JSONValue(parsing: $0.data) }
        return (told.count, told.filter { $0["places"] != nil }.count)
    }

    /// So many citizens ask the only bus for a place each, 2000 m along the line and behind it.
    private func askMany(_ city: TestCity, _ count: Int) async throws {
        try await city.raw(["HSET", "{test}:settings", "stop_max_on_tour", "60"])
        for n in 0..<count {
            #expect(try await request(city, "c\(n)", wish("s\(n)", 2000 + 100 * Double(n), inMinutes: 10)).isOK)
        }
    }

    @Test("B10: a driver who has answered none of many is told one list in a sweep, when reminded and when they expire")
    func due() async throws {
        try await TestCity.run { city in
            try await start(city)
            try await city.raw(
                ["HSET", "{test}:settings", "stop_remind_driver_ms", "30000", "stop_answer_ms", "60000"])
            try await askMany(city, 12)
            try await city.advance(30_000)
            let reminded = try await city.heard(on: Channel.partition("bus_driver:B1")) { try await city.sweep() }
            let (asked, first) = try lists(reminded, "stop.unanswered")
            #expect(asked == 12 && first == 1)
            try await city.advance(30_000)
            let expired = try await city.heard(on: Channel.partition("bus_driver:B1")) { try await city.sweep() }
            let (withdrawn, last) = try lists(expired, "stop.withdrawn")
            #expect(withdrawn == 12 && last == 0, "nothing is left to list")
            #expect(expired.filter { $0.type == "stop.expired" }.count == 12)
        }
    }

    @Test("B10: a bus that passes many places at once has its driver told one list")
    func passes() async throws {
        try await TestCity.run { city in
            try await start(city)
            try await askMany(city, 12)
            try await drive(city, to: 1000)
            let pushes = try await city.heard(on: Channel.partition("bus_driver:B1")) {
                // Behind the first ten.
                try await drive(city, to: 2960)
            }
            let (withdrawn, listed) = try lists(pushes, "stop.withdrawn")
            #expect(withdrawn == 10 && listed == 1)
            #expect(pushes.filter { $0.type == "stop.expired" }.count == 10)
            #expect(try await places(city)?.elements?.count == 2)
        }
    }

    private func count(_ city: TestCity, of tour: String) async throws -> Int64? {
        try await city.raw(["ZCARD", "{test}:tour-stops:\(tour)"]).int
    }

    /// What the driver and so many citizens were told, of a type, by all of them together.
    private func told(_ type: String, _ city: TestCity, citizens: Int) async throws -> Int {
        var count = 0
        for n in 0..<citizens { count += try await city.told("passenger:c\(n)").filter { $0 == type }.count }
        return count
    }

    @Test("B10: a tour that begins gets ten of many requests at once and the rest by sweeps, and reads its list once")
    func begins() async throws {
        try await TestCity.run { city in
            try await start(city)
            try await askMany(city, 35)
            #expect(try await city.command("tour_end", "bus_driver", "B1", "", "", "").isOK)
            #expect(try await told("stop.pending", city, citizens: 35) == 70, "all are told that the tour is over")
            let before = try await city.calls(of: "zrange")
            try await start(city, "B2", tour: "t2", bus: "8")
            #expect(try await city.calls(of: "zrange") - before <= 3, "not one for each request")
            #expect(try await count(city, of: "t2") == 10)
            for _ in 0..<3 { try await city.sweep() }
            #expect(try await count(city, of: "t2") == 35)
            #expect(try await told("stop.pending", city, citizens: 35) == 105)
            #expect(try await city.told("bus_driver:B2").filter { $0 == "stop.requested" }.count == 35)
            let listed = try await places(city, of: "B2")?.elements?.compactMap { $0["place"]?.text } ?? []
            #expect(Set(listed).count == 35)
        }
    }

    @Test("B10: what a tour has passed since it began is not handed over to it, and waits for the next one")
    func beganAndPassed() async throws {
        try await TestCity.run { city in
            try await start(city)
            try await askMany(city, 25)
            #expect(try await city.command("tour_end", "bus_driver", "B1", "", "", "").isOK)
            for _ in 0..<3 { try await city.sweep() }
            try await start(city, "B2", tour: "t2", bus: "8")
            // Ten are the bus' by now, by name: s0, s1, s10 and so on. It passes the places of s2 to s9 before the rest is handed over.
            try await drive(city, to: 3350, tour: "t2")
            for _ in 0..<3 { try await city.sweep() }
            for n in 2..<10 { #expect(try await city.field("stop:s\(n)", "tour") == nil, "s\(n)") }
            for n in 18..<25 { #expect(try await city.field("stop:s\(n)", "tour") == "t2", "s\(n)") }
            try await start(city, "B3", tour: "t3", bus: "9")
            for n in 2..<10 { #expect(try await city.field("stop:s\(n)", "tour") == "t3", "s\(n)") }
        }
    }

    @Test("B10: another bus gets ten of the many requests of a tour that ends at once, and the rest by sweeps")
    func ends() async throws {
        try await TestCity.run { city in
            try await start(city)
            try await askMany(city, 35)
            try await start(city, "B2", tour: "t2", bus: "8")
            #expect(try await city.command("tour_end", "bus_driver", "B1", "", "", "").isOK)
            #expect(try await count(city, of: "t2") == 10)
            #expect(try await count(city, of: "t1") == 0)
            #expect(try await told("stop.pending", city, citizens: 35) == 70, "all are told that the tour is over")
            for _ in 0..<5 { try await city.sweep() }
            #expect(try await count(city, of: "t2") == 35)
            #expect(try await city.told("bus_driver:B2").filter { $0 == "stop.requested" }.count == 35)
        }
    }

    @Test("B10: who was handed over to nobody is looked at again when the time is near, though many were")
    func waits() async throws {
        try await TestCity.run { city in
            try await start(city)
            try await city.raw(["HSET", "{test}:settings", "stop_max_on_tour", "60"])
            for n in 0..<12 {
                #expect(try await request(city, "c\(n)", wish("s\(n)", 2000, inMinutes: 100)).isOK)
            }
            // Of another way, which passes none of the places.
            try await city.call("session_hello", ["bus_driver", "B2", "s-B2", "w", ""])
            _ = try await city.command(
                "tour_start", "B2", "t2", "8", "8", "L", "in", "", #"["b","a"]"#, "w", "", "", "", "", "", "0", "")
            #expect(try await city.command("tour_end", "bus_driver", "B1", "", "", "").isOK)
            try await city.sweep()
            let near = Self.now + Int64(100 * Self.minute) - 1_800_000
            for n in 0..<12 {
                let due = try await city.raw(["ZSCORE", "{test}:stopdue", "s\(n)|handover"]).text
                #expect(due.flatMap { Int64($0) } == near)
            }
        }
    }

    @Test("B10: of many that a bus passes at once ten expire, and the rest by sweeps, all as passed")
    func passesMany() async throws {
        try await TestCity.run { city in
            try await start(city)
            try await askMany(city, 25)
            try await drive(city, to: 1000)
            try await drive(city, to: 10_000)
            #expect(try await count(city, of: "t1") == 15)
            for _ in 0..<2 { try await city.sweep() }
            #expect(try await count(city, of: "t1") == 0)
            for n in 0..<25 {
                #expect(try await city.last("stop.expired", "passenger:c\(n)")?["reason"]?.text == "passed")
            }
            #expect(try await city.raw(["ZCARD", "{test}:stopdue"]).int == 0)
        }
    }
}
