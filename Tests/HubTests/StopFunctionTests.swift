import RedisLink
import Testing
import Wire

@testable import Hub

/// What is asked and answered, against a real Redis (stop.lua).
@Suite struct StopFunctionTests: StopLine {
    @Test("B7: the id comes back, the driver of the line is told with name, number and help, the citizen reads pending")
    func asked() async throws {
        try await TestCity.run { city in
            try await start(city)
            let reply = try await request(city, "c1", wish("s1", 2000, inMinutes: 20, passengers: 2))
            #expect(reply["request"]?.text == "s1")
            #expect(reply["state"]?.text == "requested")
            #expect(reply["answer_by"]?.integer == Self.now + Int64(30 * Self.minute))
            #expect(try await city.told("passenger:c1") == ["stop.pending"])
            let told = try await city.last("stop.requested", "bus_driver:B1")
            #expect(told?["quiet"]?.boolean == false)
            #expect(told?["places"] == nil, "the history is spared the list")
            let place = try await places(city)?[0]
            let first = place?["requests"]?[0]
            #expect(first?["name"]?.text == "Ada")
            #expect(first?["number"]?.text == "+49 30 1234")
            #expect(first?["help"]?[0]?.text == "wheelchair")
            #expect(place?["passengers"]?.integer == 2)
            let events = try await city.raw(["XRANGE", "{test}:events", "-", "+"])
            #expect(!"\(events)".contains("Ada"), "names are nobody's business but the driver's")
        }
    }

    @Test("B7: no driver on the line is said so, and the same key may try again")
    func noDriver() async throws {
        try await TestCity.run { city in
            #expect(try await request(city, "c1", wish("s1", 2000, inMinutes: 20), key: "k") == .refused("no_driver"))
            try await start(city)
            #expect(try await request(city, "c1", wish("s1", 2000, inMinutes: 20), key: "k").isOK)
            #expect(
                try await request(city, "c2", wish("s9", 2000, inMinutes: 20), line: "M") == .refused("no_driver"))
        }
    }

    @Test(
        "B8, C51, C52: behind the bus, or less than 150 m ahead, on its last round is refused; in a later round it is not"
    )
    func passed() async throws {
        try await TestCity.run { city in
            try await start(city)
            try await drive(city, to: 1000)
            #expect(try await request(city, "c1", wish("s1", 900, inMinutes: 5)) == .refused("stop_passed"))
            #expect(try await request(city, "c1", wish("s1", 1149, inMinutes: 5)) == .refused("stop_passed"))
            #expect(try await request(city, "c1", wish("s1", 1151, inMinutes: 5)).isOK)
            #expect(try await request(city, "c1", wish("s2", 900, inMinutes: 120, later: true)).isOK)
        }
    }

    @Test(
        "C60: those without an account ask for a half of what a driver can have, one network for a sixth, others for the rest"
    )
    func guests() async throws {
        try await TestCity.run { city in
            try await start(city)
            try await city.raw(["HSET", "{test}:settings", "stop_max_on_tour", "12"])
            var number = 0
            func ask(_ citizen: String, isGuest: Bool = true) async throws -> TestCity.Outcome {
                number += 1
                let wished = wish("s\(number)", Double(200 + number * 100), inMinutes: 10)
                return try await city.command(
                    "stop_request", citizen, "", "L", "", "",
                    isGuest ? #"{"name":"Ada","most_open":2}"# : #"{"name":"Ada"}"#, wished)
            }
            for guest in ["guest-0a-1", "guest-0a-2"] { #expect(try await ask(guest).isOK) }
            #expect(try await ask("guest-0a-3") == .refused("not_available"))
            for guest in ["guest-0b-1", "guest-0b-2", "guest-0c-1", "guest-0c-2"] { #expect(try await ask(guest).isOK) }
            #expect(try await ask("guest-0d-1") == .refused("not_available"))
            for citizen in 0..<6 { #expect(try await ask("c\(citizen)", isGuest: false).isOK) }
            #expect(try await ask("c6", isGuest: false) == .refused("not_available"))
            _ = try await city.command("stop_cancel", "guest-0b-1", "s4", "")
            #expect(try await ask("guest-0d-1").isOK, "when one has ended there is room for another")
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test(
        "N1: a tour takes so many open requests and no more, and what its driver's history keeps does not grow with them"
    )
    func bounded() async throws {
        try await TestCity.run { city in
            try await start(city)
            try await city.raw(["HSET", "{test}:settings", "stop_max_on_tour", "20"])
            for number in 0..<20 {
                let wished = wish("s\(number)", Double(200 + number * 100), inMinutes: 10)
                #expect(try await request(city, "c\(number)", wished).isOK)
            }
            #expect(try await request(city, "c20", wish("s20", 4000, inMinutes: 10)) == .refused("not_available"))
            let both = try await request(
                city, "c21", wish("s21", 4000, inMinutes: 10), wish("s22", 3000, inMinutes: 200))
            #expect(both == .refused("not_available"))
            let kept = try await city.raw(["XRANGE", "{test}:ch:bus_driver:B1", "-", "+"]).array ?? []
            let sizes = kept.map { $0[1]["data"].text?.utf8.count ?? 0 }
            #expect(sizes.count >= 20 && sizes.allSatisfy { $0 < 200 }, "each event as small as the first")
            _ = try await city.command("stop_cancel", "c3", "s3", "")
            let pushes = try await city.heard(on: Channel.partition("bus_driver:B1")) {
                _ = try await request(city, "c20", wish("s20", 4000, inMinutes: 10))
            }
            let told = try pushes.filter { $0.type == "stop.requested" }.map { try JSONValue(parsing: $0.data) }
            #expect(told.first?["places"]?.elements?.count == 20, "who reads now has the list")
        }
    }

    @Test("C60: a citizen who is declined again and again waits; a way there and back counts once")
    func declinedOverAndOver() async throws {
        try await TestCity.run { city in
            try await start(city)
            for n in 1...12 {
                let there = wish("s\(n)", 2000, inMinutes: 10)
                #expect(try await request(city, "c1", there, wish("b\(n)", 3000, inMinutes: 100)).isOK)
                for id in ["s\(n)", "b\(n)"] { #expect(try await answer(city, "decline", id).isOK) }
            }
            #expect(try await request(city, "c1", wish("s13", 2000, inMinutes: 10)) == .refused("rate_limited"))
            #expect(try await request(city, "c2", wish("s14", 2000, inMinutes: 10)).isOK)
        }
    }

    @Test(
        "B8: the bus has gone by and comes again: the next round's time, unless another was named that is too far from it"
    )
    func nextRound() async throws {
        try await TestCity.run { city in
            try await start(city)
            try await drive(city, to: 1000)
            let named = wish("s1", 900, inMinutes: 5, laterAt: 47)
            #expect(try await request(city, "c1", named) == .refused("stop_passed"))
            #expect(try await city.told("bus_driver:B1").isEmpty, "nobody was asked")
            let near = try await request(city, "c2", wish("s2", 900, inMinutes: 18, laterAt: 47))
            #expect(near["at"]?.integer == Self.now + Int64(47 * Self.minute))
            let open = try await request(city, "c3", wish("s3", 900, inMinutes: 0, laterAt: 47, isAsked: false))
            #expect(open["at"]?.integer == Self.now + Int64(47 * Self.minute))
            let again = try await request(city, "c3", wish("s4", 900, inMinutes: 0, laterAt: 47, isAsked: false))
            #expect(again["request"]?.text == "s3", "asked once more it is the same")
            #expect(try await answer(city, "accept", "s3").isOK)
            // Its time comes near while the bus is still on this round: that it is past the place says nothing.
            try await city.advance(20 * Self.minute)
            try await drive(city, to: 1500)
            #expect(try await answer(city, "accept", "s2").isOK)
            #expect(try await city.told("passenger:c2") == ["stop.pending", "stop.accepted"])
            #expect(try await city.told("passenger:c3") == ["stop.pending", "stop.accepted"])
        }
    }

    @Test("B8: what waits for a later round is its driver's as soon as it begins, be it the same or another")
    func laterRound() async throws {
        try await TestCity.run { city in
            try await start(city)
            try await drive(city, to: 1000)
            _ = try await request(city, "c1", wish("s1", 900, inMinutes: 0, laterAt: 47, isAsked: false))
            _ = try await request(city, "c2", wish("s2", 900, inMinutes: 300, laterAt: 300))
            #expect(try await answer(city, "accept", "s1").isOK)
            try await start(city, "B2", tour: "t2", bus: "8")
            #expect(try await city.last("stop.withdrawn", "bus_driver:B1")?["reason"]?.text == "taken_over")
            let list = try await city.last("stop.list", "bus_driver:B2")
            #expect(list?["request"]?.text == "s1" && list?["state"]?.text == "accepted")
            #expect(try await city.field("stop:s2", "tour") == "t1", "hours later is not this round")
            try await city.advance(40 * Self.minute)
            try await drive(city, to: 890, tour: "t2")
            #expect(try await city.told("passenger:c1").suffix(2) == ["stop.near", "stop.arrived"])
        }
    }

    @Test("B2, B7: the driver leaves a stop out: who was to be fetched there is told, others are not")
    func leftOut() async throws {
        try await TestCity.run { city in
            try await start(city)
            func at(_ id: String, _ stop: String, inMinutes minutes: Int) -> String {
                wish(id, stop == "a" ? 500 : 2000, inMinutes: minutes)
                    .replacing(#""asked""#, with: #""stop":"\#(stop)","asked""#)
            }
            _ = try await request(city, "c1", at("s1", "a", inMinutes: 5))
            _ = try await request(city, "c2", at("s2", "b", inMinutes: 5))
            _ = try await request(city, "c3", at("s3", "a", inMinutes: 90))
            #expect(try await answer(city, "accept", "s1").isOK)
            let before = try await city.command("tour_step", "B1", "1", "1", "", "")
            #expect(before.isOK)
            #expect(try await city.told("passenger:c1").last == "stop.declined")
            #expect(try await city.last("stop.list", "bus_driver:B1")?["state"]?.text == "declined")
            #expect(try await city.told("passenger:c2") == ["stop.pending"])
            #expect(try await city.told("passenger:c3") == ["stop.pending"], "another round")
            #expect(try await city.command("tour_step", "B1", "-1", "", "", "").isOK)
            #expect(try await city.last("schedule.changed", "line:L")?["reason"]?.text == "restored")
            #expect(try await city.last("schedule.changed", "line:L")?["stop"]?.text == "a")
            #expect(try await city.command("tour_step", "B1", "-1", "", "", "") == .refused("not_available"))
        }
    }

    @Test("B7: of two buses the one that is nearest before the place is asked")
    func rightDriver() async throws {
        try await TestCity.run { city in
            try await start(city)
            try await start(city, "B2", tour: "t2", bus: "8")
            try await drive(city, to: 3000, tour: "t1")
            try await drive(city, to: 1000, tour: "t2")
            _ = try await request(city, "c1", wish("s1", 2000, inMinutes: 5))
            #expect(try await city.told("bus_driver:B2").contains("stop.requested"))
            #expect(try await !city.told("bus_driver:B1").contains("stop.requested"))
            _ = try await request(city, "c1", wish("s2", 4000, inMinutes: 5))
            #expect(try await city.told("bus_driver:B1").contains("stop.requested"))
            #expect(try await answer(city, "accept", "s1") == .refused("not_found"), "another driver's")
        }
    }

    @Test("B7, C47: more people than free seats: those aboard and those promised count")
    func seats() async throws {
        try await TestCity.run { city in
            try await start(city)
            _ = try await city.command("tour_seats", "B1", "3", "")
            #expect(
                try await request(city, "c1", wish("s1", 2000, inMinutes: 20, passengers: 6)) == .refused("seats_full"))
            #expect(try await request(city, "c1", wish("s1", 2000, inMinutes: 20, passengers: 3)).isOK)
            #expect(try await request(city, "c2", wish("s2", 3000, inMinutes: 20, passengers: 3)).isOK)
            #expect(try await answer(city, "accept", "s1").isOK)
            #expect(try await answer(city, "accept", "s2") == .refused("seats_full"), "two are left")
            #expect(
                try await request(city, "c3", wish("s3", 2500, inMinutes: 20, passengers: 3)) == .refused("seats_full"))
            let later = wish("s4", 2500, inMinutes: 240, passengers: 8, later: true)
            #expect(try await request(city, "c3", later).isOK, "hours later the bus is empty")
        }
    }

    @Test("B11: a retry is never a second request, with its key or without")
    func retry() async throws {
        try await TestCity.run { city in
            try await start(city)
            let first = try await request(city, "c1", wish("s1", 2000, inMinutes: 20), key: "k")
            #expect(try await request(city, "c1", wish("s2", 2000, inMinutes: 20), key: "k") == first)
            #expect(try await request(city, "c1", wish("s3", 2010, inMinutes: 20)) == first)
            let more = wish("s4", 2000, inMinutes: 20, passengers: 2)
            #expect(try await request(city, "c1", more) == .refused("already_requested"))
            #expect(try await city.told("bus_driver:B1").filter { $0 == "stop.requested" }.count == 1)
            #expect(try await request(city, "c2", wish("s5", 2000, inMinutes: 20)).isOK, "another citizen")
        }
    }

    @Test("B10, C51: the driver's list is ordered by pickup time; places within 50 m are one, and ring once")
    func list() async throws {
        try await TestCity.run { city in
            try await start(city)
            _ = try await request(city, "c1", wish("s1", 3000, inMinutes: 30))
            try await city.advance(60_000)
            _ = try await request(city, "c2", wish("s2", 2000, inMinutes: 20))
            try await city.advance(60_000)
            _ = try await request(city, "c3", wish("s3", 3040, inMinutes: 32, passengers: 2))
            let told = try await city.last("stop.requested", "bus_driver:B1")
            #expect(told?["quiet"]?.boolean == true, "the place is on the screen")
            let places = try #require(try await places(city)?.elements)
            #expect(places.map { $0["place"]?.text } == ["s2", "s1"])
            #expect(places[1]["passengers"]?.integer == 3)
            #expect(places[1]["requests"]?.elements?.compactMap { $0["request"]?.text } == ["s1", "s3"])
            let reply = try await answer(city, "accept", "s1", all: true)
            #expect(reply["requests"]?.elements?.compactMap(\.text) == ["s1", "s3"])
            #expect(try await city.told("passenger:c3").last == "stop.accepted")
            #expect(try await city.told("passenger:c2").last == "stop.pending")
        }
    }

    @Test("B9: reminded at 20 minutes, lapsed at 30, each told once")
    func lapse() async throws {
        try await TestCity.run { city in
            try await start(city)
            _ = try await request(city, "c1", wish("s1", 2000, inMinutes: 120))
            try await city.advance(20 * Self.minute - 1)
            try await city.sweep()
            #expect(try await city.told("bus_driver:B1").last == "stop.requested")
            try await city.advance(1)
            for _ in 0..<2 { try await city.sweep() }
            #expect(try await city.told("bus_driver:B1").suffix(2) == ["stop.requested", "stop.unanswered"])
            try await city.advance(10 * Self.minute)
            for _ in 0..<2 { try await city.sweep() }
            #expect(try await city.told("passenger:c1") == ["stop.pending", "stop.expired"])
            #expect(try await city.last("stop.expired", "passenger:c1")?["reason"]?.text == "unanswered")
            #expect(try await city.told("bus_driver:B1").last == "stop.withdrawn")
            #expect(try await places(city) == nil)
            #expect(try await answer(city, "accept", "s1") == .refused("not_available"))
            #expect(try await city.raw(["ZCARD", "{test}:stopdue"]).int == 0)
        }
    }

    @Test("B11: reminded 15 minutes before the pickup, once; not if it was accepted later than that")
    func reminder() async throws {
        try await TestCity.run { city in
            try await start(city)
            _ = try await request(city, "c1", wish("s1", 2000, inMinutes: 20))
            _ = try await request(city, "c2", wish("s2", 3000, inMinutes: 10))
            _ = try await answer(city, "accept", "s1")
            _ = try await answer(city, "accept", "s2")
            try await city.advance(5 * Self.minute - 1)
            try await city.sweep()
            #expect(try await city.told("passenger:c1").last == "stop.accepted")
            try await city.advance(1)
            for _ in 0..<2 { try await city.sweep() }
            #expect(try await city.told("passenger:c1").suffix(2) == ["stop.accepted", "stop.reminder"])
            #expect(try await city.told("passenger:c2").last == "stop.accepted")
        }
    }

    @Test("B7: cancelled by the citizen, before and after the answer; the driver is told")
    func cancel() async throws {
        try await TestCity.run { city in
            try await start(city)
            _ = try await request(city, "c1", wish("s1", 2000, inMinutes: 20))
            _ = try await request(city, "c1", wish("s2", 3000, inMinutes: 20))
            _ = try await answer(city, "accept", "s2")
            #expect(try await city.command("stop_cancel", "c2", "s1", "") == .refused("not_found"))
            for id in ["s1", "s2"] {
                #expect(try await city.command("stop_cancel", "c1", id, "")["state"]?.text == "cancelled")
                #expect(try await city.command("stop_cancel", "c1", id, "").isOK)
            }
            #expect(try await city.told("bus_driver:B1").suffix(2) == ["stop.withdrawn", "stop.withdrawn"])
            #expect(try await city.raw(["TTL", "{test}:stop:s2"]).int ?? 0 > 600, "it was promised: that is history")
            #expect(try await answer(city, "accept", "s1") == .refused("not_available"))
            #expect(try await city.raw(["ZCARD", "{test}:stopdue"]).int == 0)
        }
    }

    @Test("B14: the way back is a second request, linked to the first; both or none")
    func back() async throws {
        try await TestCity.run { city in
            try await start(city)
            let there = wish("s1", 2000, inMinutes: 20)
            let full = wish("s2", 1000, inMinutes: 180, passengers: 9, later: true)
            #expect(try await request(city, "c1", there, full) == .refused("seats_full"))
            #expect(try await city.told("passenger:c1") == [])
            let reply = try await request(city, "c1", there, wish("s2", 1000, inMinutes: 180, later: true))
            #expect(reply["back"]?.text == "s2")
            #expect(try await city.field("stop:s2", "back") == "s1")
            _ = try await answer(city, "accept", "s1")
            _ = try await answer(city, "decline", "s2")
            #expect(try await city.told("passenger:c1").suffix(2) == ["stop.accepted", "stop.declined"])
            #expect(try await city.field("stop:s1", "state") == "accepted")
        }
    }

    @Test("CH1: who comes back finds the open requests in the snapshot")
    func snapshots() async throws {
        try await TestCity.run { city in
            try await start(city)
            _ = try await request(city, "c1", wish("s1", 2000, inMinutes: 20))
            let citizen = try await city.call("session_hello", ["passenger", "c1", "x", "w", ""])
            let mine = try JSONValue(parsing: Array((citizen[2].text ?? "").utf8))
            #expect(mine["requests"]?[0]?["request"]?.text == "s1")
            #expect(mine["requests"]?[0]?["bus"]?.text == "7")
            let driver = try await city.call("session_hello", ["bus_driver", "B1", "y", "w", ""])
            let his = try JSONValue(parsing: Array((driver[2].text ?? "").utf8))
            #expect(his["places"]?[0]?["requests"]?[0]?["name"]?.text == "Ada")
        }
    }
}
