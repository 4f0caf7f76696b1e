import RedisLink
import Testing
import Wire

@testable import Hub

/// Alarms and reports: sos.lua and report.lua against a real Redis.
@Suite struct SafetyFunctionTests {
    private func raise(
        _ city: TestCity, _ role: String, _ subject: String, _ id: String, ride: String = "", text: String = "",
        lat: String = "", lon: String = ""
    ) async throws -> TestCity.Outcome {
        try await city.command("sos_raise", role, subject, id, ride, text, lat, lon, "")
    }

    private func alarms(_ city: TestCity, closed: String = "") async throws -> [JSONValue] {
        try await city.command("sos_list", closed)["alarms"]?.elements ?? []
    }

    /// What operators were told, by type, the oldest first.
    private func told(_ city: TestCity, _ channel: String = "office") async throws -> [(type: String, data: JSONValue)]
    {
        let entries = try await city.raw(["XRANGE", "{test}:ch:" + channel, "-", "+"]).array ?? []
        return try entries.compactMap { entry in
            guard let type = entry[1]["type"].text, let data = entry[1]["data"].bytes else { return nil }
            return (type, try JSONValue(parsing: data))
        }
    }

    private func sweep(_ city: TestCity) async throws -> (open: Int64?, ringing: Int64?) {
        let reply = try await city.call("city_sweep", ["w", "5000", "", ""])
        return (reply[2].int, reply[3].int)
    }

    /// As if its time to ring had come.
    private func letItRing(_ city: TestCity, _ id: String) async throws {
        try await city.raw(["ZADD", "{test}:sos", "1", id])
    }

    @Test("M13: an alarm knows its sender, ride and place, and tells operators and not the other side")
    func alarm() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            try await city.assign("r1", of: "p1", to: "T1")
            try await city.position("T1", "45.1", at: 1_799_999_999_000)
            let before = try await told(city, "driver:T1").count
            let mine = try await raise(city, "passenger", "p1", "s_1", text: "Hilfe")
            #expect(mine["sos"]?.text == "s_1" && mine["state"]?.text == "open" && mine["watching"]?.integer == 0)
            let alarm = try #require(try await alarms(city).first)
            #expect(alarm["ride"]?.text == "r1" && alarm["vehicle"]?.text == "T1" && alarm["passenger"]?.text == "p1")
            #expect(alarm["position_of"]?.text == "vehicle" && alarm["position"]?["lat"]?.double == 45.1)
            #expect(alarm["text"]?.text == "Hilfe" && alarm["rings"]?.integer == 1)
            // The driver's own, of the same ride, is another one.
            _ = try await raise(city, "driver", "T1", "s_2", lat: "45.2", lon: "9.2")
            let its = try #require(try await alarms(city).last)
            #expect(its["ride"]?.text == "r1" && its["position_of"]?.text == "sender")
            #expect(try await told(city).map(\.type) == ["sos.raised", "sos.raised"])
            #expect(try await told(city, "driver:T1").count == before)
            #expect(try await !told(city, "passenger:p1").contains { $0.type.hasPrefix("sos") })
        }
    }

    @Test("M13: without a ride it is raised all the same, and another's ride is nobody's to name")
    func withoutRide() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            try await city.assign("r1", of: "p1", to: "T1")
            #expect(try await raise(city, "passenger", "p9", "s_1", ride: "r1").isOK)
            let alarm = try #require(try await alarms(city).first)
            #expect(alarm["ride"] == nil && alarm["position"] == nil && alarm["driver"] == nil)
            #expect(try await raise(city, "bus_driver", "B1", "s_2").isOK)
            // One that is over is still the sender's.
            _ = try await city.command("ride_cancel", "passenger", "p1", "r1", "", "")
            _ = try await raise(city, "passenger", "p1", "s_3", ride: "r1")
            #expect(try await alarms(city).last?["ride"]?.text == "r1")
        }
    }

    @Test("M13: it rings again, each time later, until a person acknowledges it")
    func rings() async throws {
        try await TestCity.run { city in
            #expect(try await sweep(city) == (0, 0))
            _ = try await raise(city, "passenger", "p1", "s_1")
            #expect(try await sweep(city) == (1, 1))
            #expect(try await told(city).count == 1)
            /// The machine's seconds, rounded down.
            func time() async throws -> Double { Double(try await city.raw(["TIME"])[0].int ?? 0) }
            for wait in [30.0, 45, 60, 60, 60] {
                try await letItRing(city, "s_1")
                let before = try await time()
                #expect(try await sweep(city) == (1, 1))
                let after = try await time()
                let next = try #require(try await city.raw(["ZSCORE", "{test}:sos", "s_1"]).double) / 1000
                #expect((before...after + 1).contains(next - wait))
            }
            #expect(try await told(city).compactMap { $0.data["rings"]?.integer } == [1, 2, 3, 4, 5, 6])
            #expect(
                try await city.command("sos_acknowledge", "o1", "s_1", "Coming.", "")["state"]?.text == "acknowledged")
            #expect(try await sweep(city) == (1, 0))
            #expect(try await city.raw(["ZSCORE", "{test}:sos", "s_1"]).double == .infinity)
            #expect(try await told(city, "passenger:p1").map(\.type) == ["sos.acknowledged"])
            #expect(try await told(city, "passenger:p1").first?.data["by"] == nil)
            #expect(try await city.command("sos_acknowledge", "o2", "s_1", "", "") == .refused("not_available"))
            #expect(try await city.command("sos_close", "o2", "s_1", "Safe.", "").isOK)
            #expect(try await sweep(city) == (0, 0))
            #expect(try await told(city, "passenger:p1").map(\.type) == ["sos.acknowledged", "sos.closed"])
            #expect(try await alarms(city, closed: "1").first?["closed"]?["note"]?.text == "Safe.")
            #expect(try await city.command("sos_close", "o2", "s_1", "Again.", "") == .refused("not_available"))
            #expect(try await city.command("sos_close", "o2", "s_none", "x", "") == .refused("not_found"))
            let acts = try await city.command("office_audit", "", "10")["entries"]?.elements ?? []
            #expect(acts.compactMap { $0["command"]?.text } == ["sos.close", "sos.acknowledge"])
            #expect(acts.compactMap { $0["before"]?["state"]?.text } == ["acknowledged", "open"])
        }
    }

    @Test("M13: a clock that was set back does not keep it from ringing")
    func clockSetBack() async throws {
        try await TestCity.run { city in
            _ = try await raise(city, "passenger", "p1", "s_1")
            try await city.raw(["ZADD", "{test}:sos", "9999999999999", "s_1"])
            _ = try await sweep(city)
            #expect(try await told(city).count == 2)
        }
    }

    @Test("M13: one person has one alarm, and changes it six times a minute; false alarms stay open")
    func onePerson() async throws {
        try await TestCity.run { city in
            for n in 1...20 {
                #expect(try await raise(city, "passenger", "p1", "s_\(n)", text: "\(n)")["sos"]?.text == "s_1")
            }
            #expect(try await told(city).map(\.type) == ["sos.raised"] + Array(repeating: "sos.updated", count: 5))
            #expect(try await alarms(city).first?["text"]?.text == "6")
            #expect(try await city.command("sos_cancel", "passenger", "p1", "") == .refused("rate_limited"))
            try await city.advance(60_001)
            #expect(try await city.command("sos_cancel", "passenger", "p1", "")["cancelled"] == .bool(true))
            #expect(try await sweep(city) == (1, 1), "it rings on")
            for n in 1...6 { _ = try await raise(city, "passenger", "p1", "s_a\(n)") }
            #expect(try await alarms(city).first?["cancelled"] == nil)
            #expect(try await alarms(city).count == 1)
            #expect(try await city.command("sos_cancel", "driver", "T1", "") == .refused("not_found"))
            // What was closed is over: the next one is new.
            _ = try await city.command("sos_close", "o1", "s_1", "Safe.", "")
            #expect(try await raise(city, "passenger", "p1", "s_new")["sos"]?.text == "s_new")
        }
    }

    /// Passenger p1 raises an alarm, which o1 closes at once, so often.
    private func raiseAndClose(_ city: TestCity, _ numbers: ClosedRange<Int>) async throws -> [String] {
        var ids: [String] = []
        for n in numbers {
            let id = try #require(try await raise(city, "passenger", "p1", "s_\(n)")["sos"]?.text)
            #expect(try await city.command("sos_close", "o1", id, "Safe.", "").isOK)
            ids.append(id)
        }
        return ids
    }

    @Test("M13: beyond six new alarms an hour the last one is opened again, and rings as a new one does")
    func openedAgain() async throws {
        try await TestCity.run { city in
            #expect(try await raiseAndClose(city, 1...6) == ["s_1", "s_2", "s_3", "s_4", "s_5", "s_6"])
            let before = try await told(city).count
            let again = try await raise(city, "passenger", "p1", "s_7", text: "He is back.", lat: "45.5", lon: "9.5")
            #expect(again["sos"]?.text == "s_6" && again["state"]?.text == "open" && again["again"]?.integer == 1)
            let heard = try await told(city).dropFirst(before)
            #expect(heard.map(\.type) == ["sos.raised"] && heard.last?.data["text"]?.text == "He is back.")
            #expect(try await raise(city, "passenger", "p1", "s_7", text: "Here.")["again"]?.integer == 1)
            // What is taken from an answer for the journal, no other one has.
            let back = try await city.command("sos_cancel", "passenger", "p1", "")
            #expect(back["cancelled"] == .bool(true) && back["again"] == nil)
            let alarm = try #require(try await alarms(city).first)
            #expect(alarm["closed"] == nil && alarm["position_of"]?.text == "sender" && alarm["rings"]?.integer == 1)
            #expect(try await alarms(city, closed: "1").count == 5)
            #expect(try await city.raw(["TTL", "{test}:sos:s_6"]).int == -1)
            #expect(try await city.raw(["KEYS", "{test}:sos:*"]).array?.count == 6)
            // Another person's is new, and an hour later this one's, too.
            #expect(try await raise(city, "driver", "p1", "s_8")["sos"]?.text == "s_8")
            #expect(try await city.command("sos_close", "o1", "s_6", "Safe.", "")["again"]?.integer == 1)
            try await city.advance(3_600_001)
            #expect(try await raise(city, "passenger", "p1", "s_9")["sos"]?.text == "s_9")
        }
    }

    @Test("M13: alarms that are raised and closed on and on push nothing out, and the one that stays open rings")
    func raisedAndClosedOnAndOn() async throws {
        try await TestCity.run { city in
            func logged(_ type: String) async throws -> Int {
                let entries = try await city.raw(["XRANGE", "{test}:events", "-", "+"]).array ?? []
                return entries.count { $0[1]["type"].text == type }
            }
            #expect(Set(try await raiseAndClose(city, 1...80).dropFirst(6)) == ["s_6"])
            #expect(try await city.raw(["XLEN", "{test}:audit"]).int == 60)
            #expect(try await logged("sos.raised") == 60)
            #expect(try await logged("sos.closed") == 60)
            let before = try await told(city).count
            #expect(try await raise(city, "passenger", "p1", "s_81")["state"]?.text == "open")
            #expect(try await told(city).count == before)
            #expect(try await alarms(city).first?["state"]?.text == "open")
            try await letItRing(city, "s_6")
            #expect(try await sweep(city) == (1, 1))
            #expect(try await told(city).last?.type == "sos.raised")
            #expect(try await alarms(city).first?["rings"]?.integer == 1)
            #expect(try await logged("sos.raised") == 61)
            // The first of a kind has its entry all the same.
            #expect(try await city.command("sos_acknowledge", "o1", "s_6", "", "").isOK)
            #expect(try await city.raw(["XLEN", "{test}:audit"]).int == 61)
        }
    }

    @Test("M13: that there is no danger, or that it is over, is told and logged once, however often it is said")
    func saidAgain() async throws {
        try await TestCity.run { city in
            _ = try await raise(city, "passenger", "p1", "s_1")
            for _ in 1...10 {
                #expect(try await city.command("sos_cancel", "passenger", "p1", "")["cancelled"] == .bool(true))
            }
            #expect(try await told(city).map(\.type) == ["sos.raised", "sos.updated"])
            let closed = try await city.command("sos_close", "o1", "s_1", "Safe.", "k")
            #expect(closed["state"]?.text == "closed")
            for _ in 1...10 {
                #expect(try await city.command("sos_close", "o1", "s_1", "Safe.", "k") == closed)
                #expect(try await city.command("sos_close", "o1", "s_1", "Safe.", "") == .refused("not_available"))
                #expect(try await city.command("sos_cancel", "passenger", "p1", "") == .refused("not_found"))
            }
            #expect(try await told(city).map(\.type) == ["sos.raised", "sos.updated", "sos.closed"])
            #expect(try await told(city, "passenger:p1").map(\.type) == ["sos.closed"])
            #expect(try await city.raw(["XLEN", "{test}:audit"]).int == 1)
            let logged = try await city.raw(["XRANGE", "{test}:events", "-", "+"]).array ?? []
            #expect(logged.compactMap { $0[1]["type"].text } == ["sos.raised", "sos.cancelled", "audit", "sos.closed"])
        }
    }

    @Test("C40: a key makes it once")
    func keys() async throws {
        try await TestCity.run { city in
            let first = try await city.command("sos_raise", "passenger", "p1", "s_1", "", "", "", "", "k")
            #expect(try await city.command("sos_raise", "passenger", "p1", "s_2", "", "", "", "", "k") == first)
            #expect(try await told(city).count == 1)
            let seen = try await city.command("sos_acknowledge", "o1", "s_1", "", "k")
            #expect(try await city.command("sos_acknowledge", "o1", "s_1", "", "k") == seen)
            #expect(try await city.raw(["XLEN", "{test}:audit"]).int == 1)
        }
    }

    @Test("M13, C40: a key of an alarm that is over, or was taken back, does not keep the next one from ringing")
    func oldKeys() async throws {
        try await TestCity.run { city in
            func press(_ id: String) async throws -> TestCity.Outcome {
                try await city.command("sos_raise", "passenger", "p1", id, "", "", "", "", "k")
            }
            func raised() async throws -> Int { try await told(city).count { $0.type == "sos.raised" } }
            #expect(try await press("s_1")["sos"]?.text == "s_1")
            #expect(try await city.command("sos_close", "o1", "s_1", "seen to", "c1").isOK)
            let second = try await press("s_2")
            #expect(second["sos"]?.text == "s_2" && second["state"]?.text == "open")
            #expect(try await press("s_3") == second)
            #expect(try await raised() == 2)
            #expect(try await alarms(city).compactMap { $0["sos"]?.text } == ["s_2"])
            // Its sender took it back, and then is in danger after all.
            #expect(try await city.command("sos_acknowledge", "o1", "s_2", "", "").isOK)
            #expect(try await city.command("sos_cancel", "passenger", "p1", "").isOK)
            let back = try await press("s_4")
            #expect(back["sos"]?.text == "s_2" && back["cancelled"] == .bool(false))
            #expect(try await raised() == 3)
        }
    }

    @Test("M13: who takes a cancellation back is heard, however often it has pressed, and somebody must look again")
    func cancelledAndNot() async throws {
        try await TestCity.run { city in
            for n in 1...5 { _ = try await raise(city, "passenger", "p1", "s_1", text: "\(n)") }
            _ = try await city.command("sos_acknowledge", "o1", "s_1", "", "")
            #expect(try await city.command("sos_cancel", "passenger", "p1", "")["cancelled"] == .bool(true))
            let before = try await told(city).count
            let again = try await raise(city, "passenger", "p1", "s_2", text: "He forced me.", lat: "45.5", lon: "9.5")
            #expect(again["sos"]?.text == "s_1" && again["state"]?.text == "open")
            let heard = try await told(city).dropFirst(before)
            #expect(heard.map(\.type) == ["sos.raised"])
            let alarm = try #require(heard.last?.data)
            #expect(alarm["text"]?.text == "He forced me." && alarm["position_of"]?.text == "sender")
            #expect(alarm["cancelled"] == nil && alarm["acknowledged"] == nil && alarm["state"]?.text == "open")
            // It rings on until somebody has looked.
            try await letItRing(city, "s_1")
            #expect(try await sweep(city) == (1, 1))
            #expect(try await told(city).last?.type == "sos.raised")
            #expect(try await city.command("sos_acknowledge", "o2", "s_1", "", "").isOK)
            _ = try await raise(city, "passenger", "p1", "s_3", text: "8")
            #expect(try await alarms(city).first?["text"]?.text == "He forced me.", "too many in a minute")
        }
    }

    @Test("M13: an alarm is taken when Redis has no memory left")
    func fullMemory() async throws {
        try await TestCity.run { city in
            try await city.load()
            try await city.raw(["CONFIG", "SET", "maxmemory", "1"])
            #expect(try await raise(city, "passenger", "p1", "s_1").isOK)
            #expect(try await city.command("sos_acknowledge", "o1", "s_1", "", "").isOK)
            #expect(try await city.command("sos_close", "o1", "s_1", "x", "").isOK)
        }
    }

    @Test("M13: who watches is counted without workers that are dead")
    func watching() async throws {
        try await TestCity.run { city in
            _ = try await sweep(city)
            try await city.call("sos_watch", ["w", "2"])
            try await city.call("sos_watch", ["dead", "5"])
            #expect(try await raise(city, "passenger", "p1", "s_1")["watching"]?.integer == 2)
            try await city.call("sos_watch", ["w", "3"])
            #expect(try await city.raw(["HLEN", "{test}:watching"]).int == 1)
        }
    }

    // MARK: reports

    private func send(_ city: TestCity, _ role: String, _ subject: String, _ text: String, key: String = "")
        async throws
        -> TestCity.Outcome
    { try await city.command("report_send", role, subject, "driving", text, "", "", key) }

    @Test("M13: of an anonymous report nothing in Redis names its sender, key or not")
    func anonymous() async throws {
        try await TestCity.run { city in
            let first = try await send(city, "", "", "He was on the phone.", key: "k")
            #expect(try await send(city, "", "", "He was on the phone.", key: "k") == first)
            #expect(try await send(city, "", "", "Another one's, with the same key.", key: "k") != first)
            let reports = try await city.command("report_list", "", "50", "")["reports"]?.elements ?? []
            #expect(reports.count == 2 && reports.allSatisfy { $0["subject"] == nil && $0["role"] == nil })
            let keys = try await city.raw(["KEYS", "*"]).array?.compactMap(\.text) ?? []
            #expect(!keys.contains { $0.contains("done:passenger") })
        }
    }

    @Test("M13: reports are listed page by page, closed with an entry in the audit, and end by themselves")
    func reports() async throws {
        try await TestCity.run { city in
            for n in 0..<5 { #expect(try await send(city, "passenger", "p1", "\(n)").isOK) }
            let page = try await city.command("report_list", "", "2", "")
            #expect(page["reports"]?.elements?.compactMap { $0["text"]?.text } == ["4", "3"])
            let next = try #require(page["next"]?.text)
            let rest = try await city.command("report_list", next, "50", "")["reports"]?.elements ?? []
            #expect(rest.compactMap { $0["text"]?.text } == ["2", "1", "0"])
            #expect(rest.allSatisfy { $0["subject"]?.text == "p1" })
            #expect(try await city.command("report_list", "x", "2", "") == .refused("bad_message"))
            let closed = try #require(rest.first?["report"]?.text)
            let done = try await city.command("report_close", "o1", closed, "Talked to him.", "k")
            #expect(try await city.command("report_close", "o1", closed, "Talked to him.", "k") == done && done.isOK)
            #expect(try await city.command("report_close", "o2", closed, "x", "") == .refused("not_available"))
            #expect(try await city.command("report_close", "o2", "p_1", "x", "") == .refused("not_found"))
            #expect(try await city.raw(["ZCARD", "{test}:reports"]).int == 4)
            let over = try await city.command("report_list", "", "2", "1")["reports"]?.elements ?? []
            #expect(over.first?["closed"]?["note"]?.text == "Talked to him.")
            let left = try #require(try await city.raw(["TTL", "{test}:report:" + closed]).int)
            #expect((29 * 86_400...30 * 86_400).contains(left))
            #expect(try await city.raw(["XLEN", "{test}:audit"]).int == 1)
        }
    }

    @Test("M13: as many open reports as are kept refuse more, and throw none away")
    func fullOfReports() async throws {
        try await TestCity.run { city in
            let now = try #require(try await city.raw(["TIME"])[0].int)
            for n in 0..<2_000 { try await city.raw(["ZADD", "{test}:reports", "\(now * 1000 - Int64(n))", "p_\(n)"]) }
            #expect(try await send(city, "passenger", "p1", "x") == .refused("unavailable"))
            // What is too old makes room.
            try await city.raw(["ZADD", "{test}:reports", "1", "p_7"])
            #expect(try await send(city, "passenger", "p1", "x").isOK)
        }
    }
}
