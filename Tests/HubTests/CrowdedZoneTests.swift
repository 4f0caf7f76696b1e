import RedisLink
import Testing
import Wire

@testable import Hub

/// A zone in which very many wait (crowd.lua, search.lua, sweep.lua), against a real Redis: no sweep looks at all of
/// them at once.
@Suite struct CrowdedZoneTests {
    private func ask(_ city: TestCity, _ number: Int, zone: String = "14") async throws -> TestCity.Outcome {
        try await city.request("p\(number)", "r\(number)", zone, wait: "1")
    }

    /// An operator asks for who telephones.
    private func ask(
        _ city: TestCity, _ number: Int, by name: String, zone: String = "14", needs: String = "wheelchair"
    ) async throws -> TestCity.Outcome {
        try await city.request(
            "tel:\(number)", "r\(number)", zone, by: "\(name)\nAda Rossi\n\(number)", needs: needs, wait: "1")
    }

    private func count(_ city: TestCity, _ state: String, of rides: Int) async throws -> Int {
        var count = 0
        for number in 0..<rides where try await city.field("ride:r\(number)", "state") == state { count += 1 }
        return count
    }

    /// All searches of so many rides are over: how many have failed after each of six sweeps.
    private func failures(_ city: TestCity, of rides: Int) async throws -> [Int] {
        try await city.advance(3_600_000)
        var failed: [Int] = []
        for _ in 0..<6 {
            try await city.call("city_deadlines", [])
            failed.append(try await count(city, "failed", of: rides))
        }
        return failed
    }

    @Test("C60: searches that end together end in several sweeps, the first that asked first")
    func ends() async throws {
        try await TestCity.run { city in
            for number in 0..<120 { #expect(try await ask(city, number).isOK) }
            let failed = try await failures(city, of: 120)
            #expect(failed[0] > 0 && failed[0] <= 100 && failed.last == 120, "\(failed)")
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test("R2, C60: of many that look around again a sweep takes the first; the next sweeps take the others")
    func looks() async throws {
        try await TestCity.run { city in
            for number in 0..<120 { #expect(try await ask(city, number).isOK) }
            func due() async throws -> Int {
                let now = try #require(try await city.call("city_now", []).int)
                return Int(try await city.raw(["ZCOUNT", "{test}:looks", "-inf", String(now)]).int ?? -1)
            }
            try await city.advance(15_000)
            var left: [Int] = [try await due()]
            for _ in 0..<5 {
                try await city.call("city_deadlines", [])
                left.append(try await due())
            }
            #expect(left == [120, 95, 70, 45, 20, 0])
            #expect(try await count(city, "searching", of: 120) == 120)
            #expect(try await city.raw(["ZCARD", "{test}:looks"]).int == 120)
            // Who comes is given the first.
            try await city.queue("14", "T1")
            #expect(try await city.offered("r0") == "T1")
            #expect(try await city.raw(["ZSCORE", "{test}:looks", "r0"]) == .null)
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test("R4, C60: the end of an offer waits for no ride that looks around again, however many do")
    func offers() async throws {
        try await TestCity.run { city in
            for number in 0..<300 { #expect(try await ask(city, number, zone: "\(100 + number / 25)").isOK) }
            try await city.advance(12_000)
            try await city.queue("14", "T1", "T2")
            #expect(try await city.request("p", "q", "14").isOK)
            #expect(try await city.offered("q") == "T1")
            // All of them are due before the offer is.
            try await city.advance(3_600)
            try await city.call("city_deadlines", [])
            #expect(try await city.offered("q") == "T2")
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test("R2: a ride that waits for a driver who has another offer keeps the time of its next look")
    func kept() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            #expect(try await city.request("p", "q", "14").isOK)
            #expect(try await ask(city, 0).isOK)
            let now = try #require(try await city.call("city_now", []).int)
            let time = String(now + 9_000)
            try await city.raw(["HSET", "{test}:ride:r0", "look_at", time])
            try await city.raw(["ZADD", "{test}:looks", "1", "r0"])
            try await city.call("city_deadlines", [])
            #expect(try await city.raw(["ZSCORE", "{test}:looks", "r0"]).text == time)
        }
    }

    @Test("C60: zones whose names are numbers in a row look around again at times of their own, not all at once")
    func times() async throws {
        try await TestCity.run { city in
            var seconds: Set<Substring> = []
            for number in 0..<30 {
                #expect(try await ask(city, number, zone: "\(number)").isOK)
                seconds.insert(try #require(try await city.field("ride:r\(number)", "look_at")).dropLast(3))
            }
            #expect(seconds.count >= 8, "\(seconds)")
        }
    }

    @Test("R2: a ride that is looked at before its time is looked at again at its time")
    func early() async throws {
        try await TestCity.run { city in
            #expect(try await ask(city, 0).isOK)
            let time = try #require(try await city.field("ride:r0", "look_at"))
            try await city.raw(["ZADD", "{test}:looks", "1", "r0"])
            try await city.call("city_deadlines", [])
            #expect(try await city.raw(["ZSCORE", "{test}:looks", "r0"]).text == time)
        }
    }

    @Test(
        "R5, C60: of many that have asked a driver the first are looked at when it is back; the next sweeps take the others"
    )
    func back() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            for number in 0..<121 { #expect(try await city.request("p\(number)", "r\(number)", "14").isOK) }
            for number in 1..<121 {
                try await city.raw(["ZADD", "{test}:asks:r\(number)", "1", "T1"])
                try await city.raw(["HSET", "{test}:ride:r\(number)", "attempt", "1"])
            }
            // T1 does not show r0.
            try await city.advance(3_600)
            try await city.sweep()
            // A ride that was looked at is in a pause before its next round.
            func paused() async throws -> Int {
                var count = 0
                for number in 0..<121 where try await city.field("ride:r\(number)", "next_at") != nil { count += 1 }
                return count
            }
            var looked: [Int] = [try await paused()]
            try await city.position("T1", "45.1", at: 1)
            looked.append(try await paused())
            for _ in 0..<4 {
                try await city.call("city_deadlines", [])
                looked.append(try await paused())
            }
            #expect(looked == [0, 25, 50, 75, 100, 121])
            try await city.advance(12_000)
            try await city.sweep()
            #expect(try await city.offered("r0") == "T1")
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test(
        "C26, C60: of many who wait for a driver's answer the first are looked at when it has gone; the next sweeps take the others"
    )
    func gone() async throws {
        try await TestCity.run { city in
            let words = (0..<6).map { "w\($0)" }
            for word in words { try await city.raw(["SADD", "{test}:able:\(word)", "T1"]) }
            try await city.queue("14", "T1")
            #expect(try await city.request("p", "q", "14").isOK)
            for number in 0..<60 {
                // Each needs something else.
                let needs = words.indices.filter { (number + 1) >> $0 & 1 == 1 }.map { words[$0] }
                let asked = try await city.request(
                    "p\(number)", "r\(number)", "14", needs: needs.joined(separator: " "))
                #expect(asked.isOK)
            }
            #expect(try await city.command("offer_accept", "T1", "q", "", "").isOK)
            var failed = [try await count(city, "failed", of: 60)]
            #expect(try await count(city, "failed", of: 25) == 25)
            for _ in 0..<2 {
                try await city.call("city_deadlines", [])
                failed.append(try await count(city, "failed", of: 60))
            }
            #expect(failed == [25, 50, 60])
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test("R2, R3, C60: a ride behind many that nobody can take gets one of those who are back, before who asks later")
    func behind() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1", "T2")
            for driver in ["T1", "T2"] { try await city.call("driver_gone", [driver, "s-\(driver)"]) }
            for number in 0..<30 {
                let asked = try await city.request(
                    "p\(number)", "r\(number)", "14", needs: "wheelchair", wait: "1")
                #expect(asked.isOK)
            }
            #expect(try await ask(city, 30).isOK)
            try await city.call(
                "positions_take", ["T2", "T1"].flatMap { [$0, "s-\($0)", "45.1", "9.1", "1", "", "", "", ""] })
            #expect(try await city.offered("r30") == "T1")
            #expect(try await ask(city, 31).isOK)
            #expect(try await city.offered("r31") == "T2")
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test("C60: so many wait in a zone at most; another zone is not concerned")
    func full() async throws {
        try await TestCity.run { city in
            for number in 0..<500 {
                let asked = try await ask(city, number)
                #expect(asked.isOK)
            }
            #expect(try await ask(city, 500) == .refused("zone_empty"))
            #expect(try await ask(city, 500, zone: "15").isOK)
            #expect(try await city.command("ride_cancel", "passenger", "p7", "", "", "").isOK)
            #expect(try await ask(city, 501).isOK)
            #expect(try await ask(city, 502) == .refused("zone_empty"))
        }
    }

    @Test("C60: however many wait for what nobody has, who can be taken at once is")
    func free() async throws {
        try await TestCity.run { city in
            for number in 0..<500 {
                let asked = try await city.request(
                    "p\(number)", "r\(number)", "14", needs: "wheelchair", wait: "1")
                #expect(asked.isOK)
            }
            try await city.queue("14", "T1")
            #expect(try await ask(city, 500).isOK)
            #expect(try await city.offered("r500") == "T1")
            #expect(try await ask(city, 501) == .refused("zone_empty"))
        }
    }

    @Test("B18, C60: so many callers of one operator wait in a zone at most; others, and its own elsewhere, still can")
    func callers() async throws {
        try await TestCity.run { city in
            // Who asks for itself, and who another operator asks for, is not counted with them.
            for number in 0..<20 {
                #expect(try await ask(city, 1_000 + number).isOK)
                #expect(try await ask(city, 2_000 + number, by: "o2").isOK)
            }
            for number in 0..<125 {
                // It asks in several minutes: an operator does sixty things in each.
                if number % 50 == 0 { try await city.advance(60_000) }
                let asked = try await ask(city, number, by: "o1")
                #expect(asked.isOK)
            }
            #expect(try await ask(city, 125, by: "o1") == .refused("zone_empty"))
            #expect(try await ask(city, 126, by: "o1", zone: "15").isOK)
            #expect(try await ask(city, 127, by: "o2").isOK)
            #expect(try await ask(city, 128).isOK)
            // A ride that was taken back, or has a taxi, waits no longer.
            let caller = "o1\nAda Rossi\n7"
            #expect(try await city.command("ride_cancel", "passenger", "tel:7", "", "", "", caller).isOK)
            #expect(try await ask(city, 129, by: "o1").isOK)
            #expect(try await ask(city, 130, by: "o1") == .refused("zone_empty"))
            for number in 0..<20 { try await withdraw(city, number) }
            try await city.raw(["SADD", "{test}:able:wheelchair", "T1"])
            try await city.queue("14", "T1")
            #expect(try await city.offered("r0") == "T1")
            #expect(try await ask(city, 131, by: "o1").isOK)
            #expect(try await city.command("offer_accept", "T1", "r0", "", "").isOK)
            #expect(try await ask(city, 132, by: "o1") == .refused("zone_empty"))
            // Who can be taken at once is.
            try await city.queue("14", "T2", "T3")
            #expect(try await city.offered("r128") == "T2")
            #expect(try await ask(city, 133, by: "o1", needs: "").isOK)
            #expect(try await city.offered("r133") == "T3")
            // But one who declines whatever is offered does not let in any number.
            var number = 133
            repeat {
                #expect(try await city.command("offer_decline", "T3", "r\(number)", "").isOK)
                number += 1
                if number % 50 == 0 { try await city.advance(60_000) }
            } while try await ask(city, number, by: "o1", needs: "").isOK
            let own = try await city.raw(["ZRANGE", "{test}:waiting:14", "0", "-1"]).array ?? []
            var of = 0
            for ride in own.compactMap(\.text) {
                if try await city.raw(["HGET", "{test}:ride:\(ride)", "operator"]).text == "o1" { of += 1 }
            }
            #expect(of == 250)
            #expect(try await city.brokenInvariants() == [])
        }
    }

    /// One of those who asked first, and of the other operator's callers, takes the ride back.
    private func withdraw(_ city: TestCity, _ number: Int) async throws {
        #expect(try await city.command("ride_cancel", "passenger", "p\(1_000 + number)", "", "", "").isOK)
        let caller = "o2\nAda Rossi\n\(2_000 + number)"
        #expect(try await city.command("ride_cancel", "passenger", "tel:\(2_000 + number)", "", "", "", caller).isOK)
    }

    @Test("C60: nor can more wait for seats that nobody who is free has")
    func tooSmall() async throws {
        try await TestCity.run { city in
            // The one with room for three is asked already; the one who is free has room for two.
            try await city.queue("14", "T1")
            #expect(try await city.request("p", "r", "14").isOK)
            try await city.queue("14", "T2")
            #expect(try await city.command("seats_set", "T2", "2", "4", "", "").isOK)
            func party(_ number: Int) async throws -> TestCity.Outcome {
                try await city.request("p\(number)", "r\(number)", "14", passengers: 3)
            }
            for number in 0..<500 {
                let asked = try await party(number)
                #expect(asked.isOK)
            }
            #expect(try await party(500) == .refused("zone_empty"))
            #expect(try await ask(city, 501).isOK)
            #expect(try await city.offered("r501") == "T2")
        }
    }

    @Test("C60: of searches in many zones that end together a sweep ends so many, whichever zones they are in")
    func zones() async throws {
        try await TestCity.run { city in
            for number in 0..<120 { #expect(try await ask(city, number, zone: "z\(number % 40)").isOK) }
            let failed = try await failures(city, of: 120)
            #expect(failed[0] > 0 && failed[0] <= 100 && failed.last == 120, "\(failed)")
        }
    }
}

/// Reservations whose time has come where very many wait.
@Suite struct CrowdedReservationTests: Reserving {
    @Test("V2, C60: a reservation waits while very many wait in its zone, and who asks now is let in before")
    func reserved() async throws {
        try await TestCity.run { city in
            _ = try await make(city)
            try await come(city, before: 11 * Self.minute)
            for number in 0..<300 {
                #expect(try await city.request("q\(number)", "r\(number)", "14", wait: "1").isOK)
            }
            try await come(city, before: 10 * Self.minute)
            #expect(try await state(city) == "open")
            let waiting = try await city.last("reservation.waiting", "passenger:p1")
            #expect(waiting?["reason"]?.text == "rate_limited")
            #expect(try await city.request("p2", "r_now", "14", wait: "1").isOK)
            #expect(try await city.command("ride_cancel", "passenger", "q1", "", "", "").isOK)
            #expect(try await city.command("ride_cancel", "passenger", "q2", "", "", "").isOK)
            try await come(city, before: 9 * Self.minute)
            #expect(try await state(city) == "searching")
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test("V2, C60: a reservation for a caller waits while so many callers of its operator do; others begin")
    func callers() async throws {
        try await TestCity.run { city in
            _ = try await make(city, "v_1", of: "tel:0039021234", by: Self.ada)
            _ = try await make(city, "v_2", of: "tel:0039021235", by: "o2\nBob\n0039021235")
            _ = try await make(city, "v_3", of: "p3")
            for number in 0..<125 {
                // It asks in several minutes: an operator does sixty things in each.
                if number % 50 == 0 { try await come(city, before: (14 - number / 50) * Self.minute) }
                let asked = try await city.request(
                    "tel:\(number)", "r\(number)", "14", by: "o1\nAda Rossi\n\(number)", wait: "1")
                #expect(asked.isOK)
            }
            try await come(city, before: 10 * Self.minute)
            #expect(try await state(city, "v_1") == "open")
            let waiting = try await city.last("reservation.waiting", "passenger:tel:0039021234")
            #expect(waiting?["reason"]?.text == "rate_limited")
            #expect(try await state(city, "v_2") == "searching")
            #expect(try await state(city, "v_3") == "searching")
            let caller = "o1\nAda Rossi\n1"
            #expect(try await city.command("ride_cancel", "passenger", "tel:1", "", "", "", caller).isOK)
            try await come(city, before: 9 * Self.minute)
            #expect(try await state(city, "v_1") == "searching")
            // Its ride counts as one of those.
            let next = try await city.request("tel:126", "r126", "14", by: "o1\nBob\n126", wait: "1")
            #expect(next == .refused("zone_empty"))
            #expect(try await city.brokenInvariants() == [])
        }
    }
}
