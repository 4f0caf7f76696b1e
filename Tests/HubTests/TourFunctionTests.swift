import RedisLink
import Testing
import Wire

@testable import Hub

/// tour.lua against a real Redis.
@Suite struct TourFunctionTests {
    private static let stops = #"["a","b","c","d"]"#

    private func start(
        _ city: TestCity, _ driver: String, _ tour: String, bus: String = "B7", line: String = "52", seats: Int = 8,
        pattern: String = "", trip: String = "", key: String = "", stops: String = stops
    ) async throws -> TestCity.Outcome {
        try await city.command(
            "tour_start", driver, tour, bus, String(seats), line, "52:0", "t1", stops, "w", line, "1", pattern,
            trip,
            key, "1800000000", "")
    }

    private func moved(
        _ city: TestCity, _ tour: String, at: Int, reached: String = "", skipped: String = "[]", delay: String = "",
        etas: String = "[]", off: String = "", isBack: String = "", dist: String = "100", lat: String = "45.1",
        worker: String = "w"
    ) async throws -> (state: String?, next: Int64?) {
        let reply = try await city.call(
            "tour_moved",
            [
                tour, String(at), lat, "9.1", dist, off, reached, skipped, delay, etas, String(at), isBack, "[]",
                "[]", "", "[]", "", String(at), "5/3/7", worker,
            ])
        return (reply[2].text ?? reply[0].text, reply[1].int)
    }

    private func next(_ state: JSONValue?) -> Int64? { state?["next_stop"]?["index"]?.integer }

    @Test("C2, C63: of two workers' links the silent one gains no time for a jump of the bus")
    func twoLinks() async throws {
        try await TestCity.run { city in
            _ = try await start(city, "D1", "t1")
            let at = 1_000_000_000
            #expect(try await moved(city, "t1", at: at).state == "running")
            #expect(try await moved(city, "t1", at: at + 40_000).state == "running")
            // 1.1 km in a second, where the link at the other worker was silent for 41.
            #expect(try await moved(city, "t1", at: at + 41_000, lat: "45.11", worker: "other").state == "elsewhere")
            #expect(try await city.field("tour:t1", "lat") == "45.1")
            #expect(try await moved(city, "t1", at: at + 41_000, lat: "45.101", worker: "other").state == "running")
            #expect(try await city.field("tour:t1", "worker") == "other")
            #expect(try await moved(city, "t1", at: at + 41_500, lat: "45.12", worker: "other").state == "running")
            #expect(try await moved(city, "t1", at: at + 42_000, lat: "45.1").state == "elsewhere")
            #expect(try await city.field("tour:t1", "lat") == "45.12")
        }
    }

    @Test("B2: a tour begins, and is all there is to know of the bus")
    func begins() async throws {
        try await TestCity.run { city in
            let reply = try await start(city, "d1", "t_1")
            #expect(reply["tour"]?.text == "t_1" && reply["state"]?.text == "running")
            #expect(reply["next_stop"]?["stop"]?.text == "a" && reply["etas"]?.elements?.isEmpty == true)
            #expect(reply["seats"]?["free"]?.integer == 8 && reply["seats"]?["band"]?.text == "100-50")
            #expect(reply["position"] == nil && reply["delay_s"] == nil)
            #expect(try await city.field("vehicle:B7", "kind") == "bus")
            #expect(try await city.field("vehicle:B7", "route") == "52")
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test("B2: a bus has one driver at a time, and the second is told so, not who; a driver has one bus")
    func oneDriver() async throws {
        try await TestCity.run { city in
            #expect(try await start(city, "d1", "t_1").isOK)
            #expect(try await start(city, "d2", "t_2") == .refused("not_available"))
            let reply = try await city.call(
                "tour_start",
                ["d2", "t_2", "B7", "8", "52", "52:0", "t1", Self.stops, "w", "52", "1", "", "", "", "0", ""])
            #expect(reply.text?.contains("driven by somebody else on line 52") == true)
            #expect(try await start(city, "d1", "t_3", bus: "B8") == .refused("not_available"))
            #expect(try await city.command("tour_end", "bus_driver", "d1", "", "", "").isOK)
            #expect(try await start(city, "d2", "t_4").isOK)
            #expect(try await city.command("tour_end", "bus_driver", "d1", "t_4", "", "") == .refused("not_found"))
        }
    }

    @Test("C60: who begins and ends one tour after the other waits longer and longer; who has driven does not")
    func overAndOver() async throws {
        try await TestCity.run { city in
            @Sendable func end(_ driver: String) async throws {
                #expect(try await city.command("tour_end", "bus_driver", driver, "", "", "").isOK)
            }
            for number in 1...3 {
                #expect(try await start(city, "d1", "t_\(number)").isOK)
                // A word without a way is none.
                _ = try await city.command("tour_step", "d1", "1", "", "", "")
                try await end("d1")
            }
            #expect(try await start(city, "d1", "t_4") == .refused("rate_limited"))
            #expect(try await start(city, "d2", "t_5").isOK, "another driver")
            try await end("d2")
            try await city.advance(30_000)
            #expect(try await start(city, "d1", "t_6").isOK)
            try await city.advance(61_000)
            try await end("d1")
            #expect(try await start(city, "d1", "t_7") == .refused("rate_limited"), "it was at its first stop")
            try await city.advance(60_000)
            for number in 8...12 {
                #expect(try await start(city, "d1", "t_\(number)").isOK)
                _ = try await moved(city, "t_\(number)", at: 1)
                _ = try await city.command("tour_step", "d1", "1", "", "", "")
                try await city.advance(61_000)
                try await end("d1")
            }
        }
    }

    @Test("C60: tours of which nobody ever knew where the bus was count as those that end at once")
    func neverDriven() async throws {
        try await TestCity.run { city in
            for number in 1...3 {
                #expect(try await start(city, "d1", "t_\(number)", stops: "[]").isOK)
                try await city.advance(61_000)
                #expect(try await city.command("tour_end", "bus_driver", "d1", "", "", "").isOK)
            }
            #expect(try await start(city, "d1", "t_4", stops: "[]") == .refused("rate_limited"))
        }
    }

    @Test("C60: a bus that is found further back, and passes a stop off the route again, tells it once")
    func passedAgainOffTheRoute() async throws {
        try await TestCity.run { city in
            _ = try await start(city, "d1", "t_1")
            for round in 0..<5 {
                let at = 10 * round
                #expect(try await moved(city, "t_1", at: at + 1, reached: "3", skipped: "[1]").next == 3)
                #expect(try await moved(city, "t_1", at: at + 2, reached: "1", isBack: "1").next == 1)
            }
            #expect(try await city.told("line:52").count { $0 == "schedule.changed" } == 1)
        }
    }

    @Test("C60: a stop that is left out and served after all, over and over, does not push all else from the history")
    func leftOutAndBack() async throws {
        try await TestCity.run { city in
            _ = try await start(city, "d1", "t_1")
            @Sendable func step(_ by: String, skip: String = "") async throws -> TestCity.Outcome {
                try await city.command("tour_step", "d1", by, skip, "", "")
            }
            // A driver who corrects mistakes.
            for _ in 1...3 { #expect(try await step("1", skip: "1").isOK) }
            for _ in 1...3 { #expect(try await step("-1").isOK) }
            for _ in 1...9 {
                #expect(try await step("1", skip: "1").isOK)
                #expect(try await step("-1").isOK)
            }
            for _ in 1...4 { #expect(try await step("1", skip: "1").isOK) }
            for _ in 1...3 { #expect(try await step("-1") == .refused("rate_limited")) }
            #expect(try await city.told("line:52").count == 28)
            try await city.advance(60_000)
            #expect(try await step("-1")["next_stop"]?["stop"]?.text == "d")
            #expect(try await city.last("schedule.changed", "line:52")?["reason"]?.text == "restored")
        }
    }

    @Test("The same start again, with or without its key, is the same tour as it is by now")
    func again() async throws {
        try await TestCity.run { city in
            let first = try await start(city, "d1", "t_1", key: "k")
            #expect(try await start(city, "d1", "t_2", key: "k") == first)
            _ = try await city.command("tour_seats", "d1", "3", "")
            let again = try await start(city, "d1", "t_3", pattern: "52:0", trip: "t1")
            #expect(again["tour"]?.text == "t_1" && again["seats"]?["taken"]?.integer == 3)
            #expect(try await start(city, "d1", "t_3", trip: "t2") == .refused("not_available"))
        }
    }

    @Test("B5, C47: seats go from 0 to the bus's, in three bands, and every change is told at once")
    func seats() async throws {
        try await TestCity.run { city in
            _ = try await start(city, "d1", "t_1")
            let bands = [0: "100-50", 4: "100-50", 5: "49-25", 6: "49-25", 7: "24-0", 8: "24-0"]
            for (taken, band) in bands {
                let heard = try await city.heard(on: Channel.partition("line:52")) {
                    let reply = try await city.command("tour_seats", "d1", String(taken), "")
                    #expect(reply["seats"]?.integer == Int64(8 - taken))
                }
                let push = try #require(heard.first { $0.channel == "line:52" && $0.type == "bus" })
                let state = try JSONValue(parsing: push.data)
                #expect(state["seats"]?["band"]?.text == band, "\(taken)")
                #expect(push.meta.hasPrefix("t_1 ") && push.meta.contains(" running 1800000000 "))
            }
            #expect(try await city.command("tour_seats", "d1", "9", "") == .refused("bad_message"))
            #expect(try await city.command("tour_seats", "d2", "1", "") == .refused("not_found"))
            #expect(try await city.field("vehicle:B7", "seats") != nil)
        }
    }

    @Test("Revisions rise, so that a worker knows which of two states is later")
    func revisions() async throws {
        try await TestCity.run { city in
            _ = try await start(city, "d1", "t_1")
            for taken in 1...3 { _ = try await city.command("tour_seats", "d1", String(taken), "") }
            let state = try await city.call("line_state", ["52"])
            #expect(state[0].text == "t_1" && state[1].int == 4)
            #expect(try JSONValue(parsing: state[2].bytes ?? [])["seats"]?["taken"]?.integer == 3)
            _ = try await city.command("tour_end", "bus_driver", "d1", "", "", "")
            #expect(try await city.call("line_state", ["52"]).array?.count == 0)
        }
    }

    @Test("B13: the driver steps on and back, not beyond the ends; a stop left out is told")
    func steps() async throws {
        try await TestCity.run { city in
            _ = try await start(city, "d1", "t_1")
            func step(_ by: String, skip: String = "", key: String = "") async throws -> TestCity.Outcome {
                try await city.command("tour_step", "d1", by, skip, key, "")
            }
            #expect(try await step("-1") == .refused("not_available"))
            #expect(try await step("1", key: "k")["next_stop"]?["stop"]?.text == "b")
            #expect(try await step("1", key: "k")["next_stop"]?["stop"]?.text == "b")
            #expect(try await step("1", skip: "1")["next_stop"]?["stop"]?.text == "c")
            #expect(try await city.last("schedule.changed", "line:52")?["stop"]?.text == "b")
            #expect(try await city.last("schedule.changed", "line:52")?["reason"]?.text == "skipped")
            #expect(try await step("-1")["next_stop"]?["stop"]?.text == "b")
            for _ in 0..<2 { _ = try await step("1") }
            let last = try await step("1")
            #expect(last.isOK && last["next_stop"] == nil)
            #expect(try await step("1") == .refused("not_available"))
        }
    }

    @Test("B13: positions step forward; what the driver corrected stays until the next stop is reached")
    func positions() async throws {
        try await TestCity.run { city in
            _ = try await start(city, "d1", "t_1")
            let etas = #"[{"index":1,"stop":"b","at":5},{"index":2,"stop":"c","at":6}]"#
            #expect(try await moved(city, "t_1", at: 1, reached: "1", etas: etas).next == 1)
            #expect(try await city.command("tour_step", "d1", "-1", "", "", "").isOK)
            #expect(try await moved(city, "t_1", at: 2).next == 0)
            #expect(try await moved(city, "t_1", at: 3, reached: "2", etas: etas).next == 2)
            let state = try await city.call("line_state", ["52"])
            let shown = try JSONValue(parsing: state[2].bytes ?? [])
            #expect(shown["etas"]?.elements?.count == 1 && shown["etas"]?.elements?.first?["stop"]?.text == "c")
            #expect(shown["position"]?["at"]?.integer == 3)
            // Heard before by another worker.
            #expect(try await moved(city, "t_1", at: 2, reached: "3").next == 2)
            // Believed to be ahead of where it is.
            #expect(try await moved(city, "t_1", at: 4, reached: "1").next == 2)
            #expect(try await moved(city, "t_1", at: 5, reached: "1", isBack: "1").next == 1)
            #expect(try await moved(city, "t_1", at: 6, reached: "9").next == 4)
            #expect(try await moved(city, "t_2", at: 6).state == "unknown")
        }
    }

    @Test("B12: late is told when it has changed by the setting; stops passed off the route are told as left out")
    func late() async throws {
        try await TestCity.run { city in
            _ = try await start(city, "d1", "t_1")
            var minutes: [String] = []
            for (at, delay) in [30, 119, 121, 200, 239, 242, 10, -125].enumerated() {
                _ = try await moved(city, "t_1", at: at + 1, delay: String(delay))
                let told = try await city.told("line:52").count
                if told > minutes.count {
                    let change = try await city.last("schedule.changed", "line:52")
                    minutes.append("\(change?["reason"]?.text ?? "?") \(change?["minutes"]?.integer ?? -99)")
                }
            }
            #expect(minutes == ["late 2", "late 4", "late 0", "early 2"])
            _ = try await moved(city, "t_1", at: 100, reached: "3", skipped: "[1]", off: "1")
            let skipped = try await city.last("schedule.changed", "line:52")
            #expect(skipped?["reason"]?.text == "skipped" && skipped?["stop"]?.text == "b")
            #expect(try await city.told("line:52").count == 5)
        }
    }

    @Test("C60: a bus whose delay flips tells it four times a minute, and then the newest")
    func flippingDelay() async throws {
        try await TestCity.run { city in
            _ = try await start(city, "d1", "t_1")
            for at in 1...40 { _ = try await moved(city, "t_1", at: at, delay: at % 2 == 0 ? "-300" : "300") }
            #expect(try await city.told("line:52").count == 4)
            _ = try await moved(city, "t_1", at: 41, delay: "900")
            try await city.advance(60_000)
            _ = try await moved(city, "t_1", at: 42, delay: "910")
            #expect(try await city.told("line:52").count == 5)
            #expect(try await city.last("schedule.changed", "line:52")?["delay_s"]?.integer == 910)
        }
    }

    @Test("C60: stops are left out thirty times a minute, also by a bus that is found further back in between")
    func leftOutOverAndOver() async throws {
        try await TestCity.run { city in
            _ = try await start(city, "d1", "t_1")
            func skip() async throws -> TestCity.Outcome { try await city.command("tour_step", "d1", "1", "1", "", "") }
            for at in 1...30 {
                #expect(try await skip().isOK)
                _ = try await moved(city, "t_1", at: at, reached: "0", isBack: "1")
            }
            for _ in 1...5 { #expect(try await skip() == .refused("rate_limited")) }
            #expect(try await city.command("tour_step", "d1", "1", "", "", "").isOK, "it may be served")
            #expect(try await city.told("line:52").count == 30)
        }
    }

    @Test("The end is told to readers, driver and map; the bus is free")
    func ends() async throws {
        try await TestCity.run { city in
            _ = try await start(city, "d1", "t_1")
            let heard = try await city.heard(on: Channel.partition("line:52")) {
                let reply = try await city.command("tour_end", "bus_driver", "d1", "", "k", "")
                #expect(reply["state"]?.text == "ended")
            }
            #expect(heard.contains { $0.type == "bus" && $0.meta.contains(" ended ") })
            #expect(try await city.last("schedule.changed", "line:52")?["reason"]?.text == "ended")
            #expect(try await city.last("tour.ended", "bus_driver:d1")?["reason"]?.text == "driver")
            #expect(try await city.field("vehicle:B7", "state") == "unavailable")
            #expect(try await city.field("vehicle:B7", "route") == nil)
            #expect(try await city.command("tour_end", "bus_driver", "d1", "", "k", "").isOK, "once")
            #expect(try await city.command("tour_end", "bus_driver", "d1", "", "", "") == .refused("not_found"))
            #expect(try await city.command("tour_end", "bus_driver", "d1", "t_1", "", "").isOK, "is what it is")
            #expect(try await city.command("tour_step", "d1", "1", "", "", "") == .refused("not_found"))
            #expect(try await moved(city, "t_1", at: 9).state == "ended")
        }
    }

    @Test("An operator ends any tour; one that nothing was heard of ends by itself")
    func others() async throws {
        try await TestCity.run { city in
            _ = try await start(city, "d1", "t_1")
            #expect(try await city.command("tour_end", "operator", "o1", "t_9", "", "") == .refused("not_found"))
            #expect(try await city.command("tour_end", "operator", "o1", "t_1", "", "").isOK)
            #expect(try await city.last("tour.ended", "bus_driver:d1")?["reason"]?.text == "operator")
            // The bus is to be another driver's.
            #expect(try await start(city, "d1", "t_2") == .refused("not_available"))
            #expect(try await start(city, "d2", "t_4").isOK)
            #expect(try await city.command("tour_end", "bus_driver", "d2", "", "", "").isOK)
            try await city.advance(119_999)
            #expect(try await start(city, "d1", "t_2") == .refused("not_available"))
            #expect(try await start(city, "d1", "t_5", bus: "B8").isOK)
            #expect(try await city.command("tour_end", "bus_driver", "d1", "", "", "").isOK)
            try await city.advance(1)
            #expect(try await start(city, "d1", "t_2").isOK)
            try await city.advance(7_000_000)
            _ = try await moved(city, "t_2", at: 1)
            try await city.advance(7_000_000)
            try await city.sweep()
            #expect(try await city.field("tour:t_2", "state") == "running")
            try await city.advance(300_000)
            try await city.sweep()
            #expect(try await city.last("tour.ended", "bus_driver:d1")?["reason"]?.text == "lost")
            #expect(try await start(city, "d2", "t_3").isOK)
        }
    }

    @Test("B2: a driver who comes back gets the tour as it was")
    func hello() async throws {
        try await TestCity.run { city in
            let empty = try await city.call("session_hello", ["bus_driver", "d1", "s1", "w1", ""])
            #expect(empty[2].text == "{}" && empty[1].text == "fresh")
            _ = try await start(city, "d1", "t_1")
            _ = try await city.command("tour_seats", "d1", "5", "")
            _ = try await moved(city, "t_1", at: 7, reached: "2", delay: "30", dist: "812.5")
            let back = try await city.call("session_hello", ["bus_driver", "d1", "s2", "w2", ""])
            let tour = try JSONValue(parsing: back[2].bytes ?? [])["tour"]
            #expect(tour?["tour"]?.text == "t_1" && next(tour) == 2 && tour?["seats"]?["taken"]?.integer == 5)
            #expect(tour?["delay_s"]?.integer == 30)
            #expect(back[3].text == "812.5 1800000000 5/3/7" && back[4].text == "45.1" && back[7].text == "7")
            #expect(try await city.field("tour:t_1", "worker") == "w2")
        }
    }
}
