import RedisLink
import Testing
import Wire

@testable import Hub

/// A line that many have asked to stop, for days ahead: what a tour or a catalog needs of it is looked at in portions, against a real Redis.
@Suite struct StopPortionTests: StopLine {
    /// So many ask for a run each, a minute apart, the first in five hours. run: of the one with this number.
    private func askAhead(
        _ city: TestCity, _ count: Int, run: (Int) -> String = { "t\($0)" }
    ) async throws {
        try await setMostOnTour(city, 1000)
        for n in 0..<count {
            let minutes = 300 + n
            let wanted = wish("s\(n)", 2000, inMinutes: minutes, laterAt: minutes, run: run(n))
            #expect(try await request(city, "c\(n)", wanted).isOK)
        }
    }

    private func taken(_ city: TestCity, by tour: String = "t1") async throws -> [String] {
        try await city.raw(["ZRANGE", "{test}:tour-stops:" + tour, "0", "-1"]).array?.compactMap(\.text) ?? []
    }

    private func setMostOnTour(_ city: TestCity, _ most: Int) async throws {
        try await city.raw(["HSET", "{test}:settings", "stop_max_on_tour", String(most)])
    }

    /// What is left for sweeps. what: "started", of a tour that has begun; "changed", of a new catalog.
    private func marks(_ city: TestCity, _ what: String) async throws -> [String] {
        var all: [String] = []
        for key in ["stopdue", "lines-due"] {
            all += try await city.raw(["ZRANGE", "{test}:" + key, "0", "-1"]).array?.compactMap(\.text) ?? []
        }
        return all.filter { $0.contains("|" + what) }
    }

    private func open(_ city: TestCity) async throws -> Int64? {
        try await city.raw(["ZCARD", "{test}:line:L:stops"]).int
    }

    @Test(
        "N1: a tour that begins looks at fifty of all that its line is asked for, and reads those that can be its own")
    func begins() async throws {
        try await TestCity.run { city in
            try await askAhead(city, 160) { $0 == 20 || $0 >= 155 ? "own" : "t\($0)" }
            let (read, looked) = (try await city.calls(of: "hgetall"), try await city.calls(of: "hmget"))
            try await start(city, trip: "own")
            #expect(try await city.calls(of: "hgetall") - read <= 5, "the tour, its driver, and one request")
            let most = 50 + 8
            #expect(try await city.calls(of: "hmget") - looked <= most, "fifty requests, and what each call reads")
            #expect(try await taken(city) == ["s20"])
            for portion in 1...3 {
                #expect(try await marks(city, "started").count == 1, "before sweep \(portion)")
                let before = try await city.calls(of: "hmget")
                try await city.sweep()
                #expect(try await city.calls(of: "hmget") - before <= most)
            }
            #expect(try await marks(city, "started").isEmpty)
            #expect(try await taken(city) == ["s20"] + (155..<160).map { "s\($0)" })
            #expect(try await city.told("bus_driver:B1").filter { $0 == "stop.requested" }.count == 6)
        }
    }

    @Test("N1: a tour that has ended looks at no more of its line")
    func ended() async throws {
        try await TestCity.run { city in
            try await askAhead(city, 120)
            try await start(city)
            #expect(try await marks(city, "started").count == 1)
            #expect(try await city.command("tour_end", "bus_driver", "B1", "", "", "").isOK)
            try await city.sweep()
            #expect(try await marks(city, "started").isEmpty)
        }
    }

    @Test("C64: those behind the last that was looked at are found, also when that one is taken back in between")
    func cursor() async throws {
        try await TestCity.run { city in
            try await askAhead(city, 70) { $0 >= 45 ? "own" : "t\($0)" }
            try await start(city, trip: "own")
            #expect(try await marks(city, "started").first?.hasSuffix(" s49") == true)
            for n in [10, 49, 50] { #expect(try await city.command("stop_cancel", "c\(n)", "s\(n)", "").isOK) }
            // Another worker goes on, whose functions have remembered nothing.
            try await city.load()
            for _ in 0..<2 { try await city.sweep() }
            for n in 51..<70 { #expect(try await city.field("stop:s\(n)", "tour") == "t1", "s\(n)") }
            #expect(try await marks(city, "started").isEmpty)
            #expect(try await city.told("bus_driver:B1").filter { $0 == "stop.requested" }.count == 5 + 19)
        }
    }

    @Test("C64: what a hub of before has left of a tour, which does not say how far it is, begins at the first")
    func markOfBefore() async throws {
        try await TestCity.run { city in
            try await askAhead(city, 3) { _ in "own" }
            try await start(city, trip: "other")
            try await city.raw(["HSET", "{test}:tour:t1", "trip", "own"])
            try await city.raw(["ZADD", "{test}:stopdue", "1", "t1|started"])
            try await city.sweep()
            for n in 0..<3 { #expect(try await city.field("stop:s\(n)", "tour") == "t1") }
        }
    }

    @Test("C64: a catalog without the ways that many wait for tells ten of them with each sweep, and loses none")
    func catalog() async throws {
        try await TestCity.run { city in
            try await city.catalog("v1", ["L": #"{"patterns":[{"id":"out"}]}"#], replacing: "")
            try await askAhead(city, 75)
            let before = try await city.calls(of: "hgetall")
            try await city.catalog("v2", ["L": #"{"patterns":[{"id":"out"},{"id":"back"}]}"#], replacing: "v1")
            #expect(try await city.calls(of: "hgetall") - before <= 4, "no request is read while it comes into use")
            for _ in 0..<2 { try await city.sweep() }
            #expect(try await marks(city, "changed").isEmpty)
            #expect(try await open(city) == 75, "the line still takes their way")
            #expect(try await city.calls(of: "hgetall") - before <= 8, "and they were looked at without being read")

            try await city.catalog("v3", ["L": #"{"patterns":[{"id":"back"}]}"#], replacing: "v2")
            #expect(try await open(city) == 75)
            for left in stride(from: 65, through: 5, by: -10) {
                try await city.sweep()
                #expect(try await open(city) == Int64(left))
                try await city.load()
            }
            for _ in 0..<2 { try await city.sweep() }
            #expect(try await open(city) == 0)
            #expect(try await marks(city, "changed").isEmpty)
            for n in 0..<75 {
                #expect(try await city.told("passenger:c\(n)").filter { $0 == "stop.expired" }.count == 1)
                #expect(try await city.last("stop.expired", "passenger:c\(n)")?["reason"]?.text == "line_changed")
            }
        }
    }

    @Test("C64: while a portion of one line waits, a sweep says that more is due")
    func hurries() async throws {
        try await TestCity.run { city in
            try await city.catalog("v1", ["L": #"{"patterns":[{"id":"out"}]}"#], replacing: "")
            try await askAhead(city, 25)
            #expect(try await !city.hasMore())
            try await city.catalog("v2", ["L": #"{"patterns":[{"id":"back"}]}"#], replacing: "v1")
            for left in [15, 5] {
                #expect(try await city.hasMore())
                #expect(try await open(city) == Int64(left))
            }
            #expect(try await !city.hasMore())
            #expect(try await open(city) == 0)
        }
    }

    @Test("C64, N1: many lines of a new catalog keep nothing waiting that falls due, and cost as much as is decoded")
    func manyLines() async throws {
        try await TestCity.run { city in
            func catalog(_ way: String) -> [String: String] {
                // Of 24 KiB each: eight of what one request needs.
                let name = String(repeating: "n", count: 24_576)
                let line = #"{"name":"\#(name)","patterns":[{"id":"\#(way)"}]}"#
                return Dictionary(uniqueKeysWithValues: (0..<30).map { ("L\($0)", line) })
            }
            func told() async throws -> Int {
                var count = 0
                for n in 0..<30 where try await city.told("passenger:c\(n)").contains("stop.expired") { count += 1 }
                return count
            }
            try await city.catalog("v1", catalog("out"), replacing: "")
            for n in 0..<30 {
                let wanted = wish("s\(n)", 2000, inMinutes: 300, laterAt: 300, run: "t")
                #expect(try await request(city, "c\(n)", wanted, line: "L\(n)").isOK)
            }
            try await start(city)
            #expect(try await request(city, "near", wish("near", 2000, inMinutes: 20)).isOK)
            while try await city.hasMore() {}
            try await city.catalog("v2", catalog("back"), replacing: "v1")
            // So long its driver has to answer.
            try await city.advance(30 * Self.minute)
            #expect(try await city.hasMore())
            #expect(try await city.told("passenger:near").last == "stop.expired")
            #expect(try await (1...4).contains(told()), "of the lines a few")

            // However much falls due, of the lines one is looked at.
            for n in 0..<20 { try await city.raw(["ZADD", "{test}:stopdue", "1", "gone\(n)|handover"]) }
            let before = try await told()
            #expect(try await city.hasMore())
            #expect(try await told() == before + 1)
            while try await city.hasMore() {}
            #expect(try await told() == 30)
            #expect(try await marks(city, "changed").isEmpty)
        }
    }

    @Test("C64: of a catalog that is not whole nothing is said, so nobody is told that the line is gone")
    func notWhole() async throws {
        try await TestCity.run { city in
            try await city.catalog("v1", ["L": #"{"patterns":[{"id":"out"}]}"#], replacing: "")
            try await askAhead(city, 1)
            try await city.catalog("v2", ["L": #"{"patterns":[{"id":"back"}]}"#], replacing: "v1")
            try await city.raw(["DEL", "{test}:catalog:v2:lines"])
            try await city.sweep()
            #expect(try await open(city) == 1)
        }
    }

    // MARK: more than a driver can have

    @Test("N1, B14: a tour that begins takes as many as its driver can have; the others wait until there is room")
    func full() async throws {
        try await TestCity.run { city in
            try await askAhead(city, 30) { _ in "own" }
            try await setMostOnTour(city, 12)
            try await start(city, trip: "own")
            for _ in 0..<3 { try await city.sweep() }
            #expect(try await taken(city) == (0..<12).map { "s\($0)" })
            #expect(try await marks(city, "started").isEmpty, "nothing is looked at again and again")
            #expect(try await city.told("passenger:c12") == ["stop.pending"], "who waits is told nothing new")
            for n in 0..<2 { #expect(try await answer(city, "decline", "s\(n)").isOK) }
            try await city.advance(10_000)
            for _ in 0..<3 { try await city.sweep() }
            #expect(try await taken(city) == (2..<14).map { "s\($0)" })
            #expect(try await city.told("passenger:c12") == ["stop.pending", "stop.pending"], "with a bus")

            try await start(city, "B2", tour: "t2", bus: "8", trip: "own")
            for _ in 0..<3 { try await city.sweep() }
            #expect(try await taken(city, by: "t2") == (14..<26).map { "s\($0)" }, "the next tour")
            // Those that nobody has had end in their time, as others do.
            try await city.advance(400 * Self.minute)
            for _ in 0..<6 { try await city.sweep() }
            #expect(try await open(city) == 0)
            #expect(try await city.last("stop.expired", "passenger:c29")?["reason"]?.text == "no_driver")
        }
    }

    @Test("N1, B14: what a tour that ends leaves is for one that has room, and waits if none has")
    func handedOn() async throws {
        try await TestCity.run { city in
            func asks(_ numbers: Range<Int>) async throws {
                for n in numbers {
                    #expect(try await request(city, "c\(n)", wish("s\(n)", 2000, inMinutes: 20)).isOK)
                }
            }
            try await setMostOnTour(city, 4)
            try await start(city)
            try await asks(0..<4)
            try await start(city, "B2", tour: "t2", bus: "8")
            try await asks(4..<7)
            #expect(try await taken(city, by: "t2") == ["s4", "s5", "s6"], "the first tour's list is full")
            #expect(try await city.command("tour_end", "bus_driver", "B1", "", "", "").isOK)
            for _ in 0..<3 { try await city.sweep() }
            #expect(try await taken(city, by: "t2") == ["s0", "s4", "s5", "s6"])
            #expect(try await open(city) == 7)

            #expect(try await city.command("stop_cancel", "c4", "s4", "").isOK)
            try await city.advance(10_000)
            try await city.sweep()
            #expect(try await taken(city, by: "t2") == ["s0", "s1", "s5", "s6"], "one more")
            #expect(try await city.last("stop.pending", "passenger:c1")?["bus"]?.text == "8")

            // The third tour has room only when it runs already, and the second, for which two wait, ends.
            try await setMostOnTour(city, 1)
            try await start(city, "B3", tour: "t3", bus: "9")
            #expect(try await taken(city, by: "t3") == ["s2"])
            try await setMostOnTour(city, 8)
            #expect(try await city.command("tour_end", "bus_driver", "B2", "", "", "").isOK)
            #expect(try await taken(city, by: "t3") == ["s0", "s1", "s2", "s5", "s6"])
            try await city.advance(10_000)
            try await city.sweep()
            #expect(try await taken(city, by: "t3") == ["s0", "s1", "s2", "s3", "s5", "s6"])
            #expect(try await marks(city, "started").isEmpty)
        }
    }

    // MARK: what one operator can ask for

    private func ask(
        _ city: TestCity, _ number: Int, by office: String, _ wishes: String...
    ) async throws -> TestCity.Outcome {
        let person = #"{"name":"Ada","by":"\#(office)\nAda\n\#(number)"}"#
        return try await city.command("stop_request", with: ["tel:\(number)", "", "L", "", "", person] + wishes)
    }

    @Test("C60: one operator has 500 open requests on a line for its callers; each that ends makes room")
    func bounded() async throws {
        try await TestCity.run { city in
            func ahead(_ id: String, _ minutes: Int) -> String {
                wish(id, 2000, inMinutes: minutes, laterAt: minutes, run: "t\(minutes)")
            }
            func own() async throws -> String? { try await city.field("stops-by:o1", "L") }
            #expect(try await ask(city, 1, by: "o1", ahead("s1", 300)).isOK)
            #expect(try await own() == "1")
            #expect(try await ask(city, 2, by: "o1", ahead("s2", 310), ahead("s3", 400)).isOK)
            #expect(try await own() == "3", "there and back are two")
            // As if 496 more were open.
            try await city.raw(["HSET", "{test}:stops-by:o1", "L", "499"])
            #expect(try await ask(city, 3, by: "o1", ahead("s4", 320), ahead("s5", 420)) == .refused("not_available"))
            #expect(try await ask(city, 3, by: "o1", ahead("s4", 320)).isOK)
            #expect(try await ask(city, 4, by: "o1", ahead("s6", 330)) == .refused("not_available"))
            #expect(try await ask(city, 4, by: "o2", ahead("s6", 330)).isOK, "another operator")
            #expect(try await request(city, "c1", ahead("s7", 340)).isOK, "who asks for itself")
            #expect(try await city.command("stop_cancel", "tel:1", "s1", "", "o1\nAda\n1").isOK)
            #expect(try await own() == "499")
            #expect(try await ask(city, 5, by: "o1", ahead("s8", 350)).isOK)
            // The last of another one expires, as nobody came.
            try await city.advance(500 * Self.minute)
            for _ in 0..<2 { try await city.sweep() }
            #expect(try await city.field("stops-by:o2", "L") == nil)
            #expect(try await own() == "496", "those that were never made")
        }
    }

    @Test("C60: for an operator who has done too much, and for a key that is known, no stop is planned")
    func planned() async throws {
        try await TestCity.run { city in
            let person = #"{"name":"Ada","by":"o1\nAda\n1"}"#
            func ahead(_ key: String = "", by office: String = "o1") async throws -> String? {
                try await city.call("stop_ahead", ["tel:1", key, "\(office)\nAda\n1"]).text
            }
            func refuse() async throws -> TestCity.Outcome {
                try await city.command("stop_request", "tel:1", "", "L", "off_route", "Too far.", person)
            }
            #expect(try await ahead("k") == "[]")
            let wanted = wish("s1", 2000, inMinutes: 300, laterAt: 300, run: "t1")
            #expect(try await city.command("stop_request", "tel:1", "k", "L", "", "", person, wanted).isOK)
            #expect(try await ahead("k")?.hasPrefix("+{") == true)
            // One act; looking ahead is none.
            for _ in 0..<70 { #expect(try await ahead() == "[]") }
            for _ in 0..<59 { #expect(try await refuse() == .refused("off_route")) }
            // On a machine that takes a minute for these the first is over.
            _ = try await refuse()
            #expect(try await ahead()?.hasPrefix("-rate_limited ") == true)
            #expect(try await ahead("k")?.hasPrefix("+{") == true, "what was done is answered")
            #expect(try await ahead(by: "o2") == "[]", "another operator")
            try await city.advance(60_000)
            #expect(try await ahead() == "[]")
        }
    }

    @Test(
        "C60: callers of one operator have a half of what one driver can have, be it now or ahead; others have the rest"
    )
    func shared() async throws {
        try await TestCity.run { city in
            try await setMostOnTour(city, 5)
            func now(_ id: String) -> String { wish(id, 2000, inMinutes: 10) }
            func ahead(_ id: String) -> String { wish(id, 2000, inMinutes: 300, laterAt: 300, run: "t300") }
            for (day, wanted) in [("a", ahead), ("n", now)] {
                for n in 1...3 { #expect(try await ask(city, n, by: "o1", wanted("\(day)\(n)")).isOK) }
                #expect(try await ask(city, 4, by: "o1", wanted("\(day)4")) == .refused("not_available"))
                #expect(try await request(city, "c4", wanted("\(day)4")).isOK, "who asks for itself")
                #expect(try await city.command("stop_cancel", "tel:2", "\(day)2", "", "o1\nAda\n2").isOK)
                #expect(try await ask(city, 5, by: "o1", wanted("\(day)5")).isOK, "one has ended")
                #expect(try await ask(city, 6, by: "o1", wanted("\(day)6")) == .refused("not_available"))
                #expect(try await ask(city, 6, by: "o2", wanted("\(day)6")).isOK, "another operator")
                #expect(
                    try await ask(city, 7, by: "o3", wanted("\(day)7")) == .refused("not_available"), "all are taken")
                for (citizen, id, by) in [
                    ("tel:1", "\(day)1", "o1"), ("tel:3", "\(day)3", "o1"), ("tel:5", "\(day)5", "o1"),
                    ("tel:6", "\(day)6", "o2"), ("c4", "\(day)4", ""),
                ] {
                    let caller = by.isEmpty ? "" : "\(by)\nAda\n\(citizen.dropFirst(4))"
                    #expect(try await city.command("stop_cancel", citizen, id, "", caller).isOK)
                }
                if day == "a" { try await start(city) }
            }
        }
    }
}
