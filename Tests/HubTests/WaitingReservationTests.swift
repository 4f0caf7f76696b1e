import RedisLink
import Testing
import Wire

@testable import Hub

/// Reservations whose search can't begin yet, and those of one operator's callers (reservation_due.lua), against a real
/// Redis.
@Suite struct WaitingReservationTests: Reserving {
    /// Sweeps until nothing is due.
    private func settle(_ city: TestCity) async throws {
        while try await city.hasMore() {}
    }

    /// So many wait in zone 14, for an hour, that the search of no reservation can begin there.
    private func fill(_ city: TestCity) async throws {
        try await city.raw(["HSET", "{test}:settings", "wait_ms", String(Self.hour)])
        for number in 0..<300 {
            #expect(try await city.request("q\(number)", "q_\(number)", "14", wait: "1").isOK)
        }
    }

    /// One of them goes.
    private func makeRoom(_ city: TestCity) async throws {
        #expect(try await city.command("ride_cancel", "passenger", "q7", "", "", "").isOK)
    }

    /// Zone 14 fills up in the minute before so many have passed: what is to be searched for then has to wait.
    private func fillUp(_ city: TestCity, until minutes: Int) async throws {
        try await city.advance((minutes - 1) * Self.minute)
        try await settle(city)
        try await fill(city)
        try await city.advance(Self.minute)
        try await settle(city)
    }

    /// When a reservation that waits is looked at next, ms from now; nil: it does not wait.
    private func nextTry(_ city: TestCity, _ id: String = "v_1") async throws -> Int64? {
        let now = try #require(try await city.call("city_now", []).int)
        let score = try await city.raw(["ZSCORE", "{test}:reservation-waits", id]).text
        return score.flatMap { Int64($0) }.map { $0 - now }
    }

    private func isDue(_ city: TestCity, _ id: String = "v_1") async throws -> Bool {
        try await city.raw(["ZSCORE", "{test}:reservation-due", id]).text != nil
    }

    @Test("V2, C60: however many reservations of one operator wait for room, the next sweep begins another's search")
    func others() async throws {
        try await TestCity.run { city in
            for number in 0..<30 {
                let made = try await make(city, "v_\(number)", of: "tel:\(number)", by: "o1\nAda Rossi\n\(number)")
                #expect(made.isOK)
            }
            #expect(try await make(city, "v_other", in: 2 * Self.hour + 31_000, zone: "15").isOK)
            try await fillUp(city, until: 110)
            for number in 0..<30 {
                #expect(try await told(city, "tel:\(number)").last == "waiting")
                #expect(try await nextTry(city, "v_\(number)") == 30_000)
            }
            // They are due a second before the other one is.
            try await city.advance(31_000)
            try await city.sweep()
            #expect(try await state(city, "v_other") == "searching")
            #expect(try await told(city).last == "searching 10")
            // What is left of the sweep is theirs, and the next ones.
            try await settle(city)
            for number in 0..<30 { #expect(try await nextTry(city, "v_\(number)") ?? 0 > 30_000) }
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test("V2, C60: what waits for room is tried again after 30 s, 60 s and each 120 s, and at each step and the end")
    func doubles() async throws {
        try await TestCity.run { city in
            _ = try await make(city)
            try await fillUp(city, until: 110)
            var waits: [Int64] = []
            while let wait = try await nextTry(city), wait > 0, waits.count < 20 {
                #expect(try await !isDue(city))
                waits.append(wait / 1000)
                try await city.advance(Int(wait))
                try await settle(city)
            }
            // The third ends 8 minutes before the meeting time, the fifth 5 minutes, and the last 5 minutes after it.
            #expect(waits == [30, 60, 30, 120, 60, 120, 120, 120, 120, 120])
            #expect(try await told(city) == ["made", "reminder 11", "reminder 10", "waiting", "failed"])
            let failed = try await city.last("reservation.failed", "passenger:p1")
            #expect(failed?["detail"]?.text?.contains("300 rides wait") == true)
            #expect(try await nothingIsLeft(city))
        }
    }

    @Test("V2, C60: the reminder of one that waits from earlier comes on time")
    func reminded() async throws {
        try await TestCity.run { city in
            try await city.raw([
                "HSET", "{test}:settings", "reservation_search_before_ms", String(12 * Self.minute),
            ])
            _ = try await make(city)
            try await fillUp(city, until: 108)
            for seconds in [30, 60, 30] {
                #expect(try await nextTry(city) == Int64(seconds * 1000))
                try await city.advance(seconds * 1000)
                try await settle(city)
            }
            #expect(try await told(city) == ["made", "reminder 13", "waiting", "reminder 10"])
        }
    }

    @Test("V2: one that a hub of before has put off goes on: it waits with the others, and begins when there is room")
    func before() async throws {
        try await TestCity.run { city in
            _ = try await make(city)
            try await city.advance(111 * Self.minute)
            try await city.raw(["HSET", "{test}:reservation:v_1", "is_waiting", "1", "step", "2"])
            try await fill(city)
            try await settle(city)
            #expect(try await told(city) == ["made"])
            #expect(try await nextTry(city) == 60_000, "until 8 minutes before")
            #expect(try await !isDue(city))
            try await makeRoom(city)
            try await city.advance(Self.minute)
            try await city.sweep()
            #expect(try await told(city) == ["made", "searching 8"])
            #expect(try await nextTry(city) == nil)
            #expect(try await isDue(city), "the ride is watched")
        }
    }

    @Test(
        "V1, B18: so many are reserved for callers of one operator about one time; others can, and it can for another")
    func reserved() async throws {
        try await TestCity.run { city in
            func reserve(_ number: Int, by name: String = "o1", in ahead: Int = 3 * Self.hour) async throws
                -> TestCity.Outcome
            {
                try await make(
                    city, "v_\(number)", of: "tel:\(number)", in: ahead, zone: "\(number % 40)",
                    by: "\(name)\nAda Rossi\n\(number)")
            }
            for number in 0..<500 {
                // It reserves in several minutes: an operator does sixty things in each.
                if number % 50 == 0 { try await city.advance(Self.minute) }
                let made = try await reserve(number)
                #expect(made.isOK)
            }
            try await city.advance(Self.minute)
            // That it makes no more than 500 within an hour is another rule.
            try await city.raw(["DEL", "{test}:asked:o1"])
            let half = 30 * Self.minute
            for ahead in [-half, 0, half] {
                #expect(try await reserve(500, in: 3 * Self.hour + ahead) == .refused("not_available"))
            }
            #expect(try await city.raw(["EXISTS", "{test}:reservations:tel:500"]).int == 0)
            #expect(try await reserve(501, in: 3 * Self.hour - half - 1).isOK)
            #expect(try await reserve(502, in: 3 * Self.hour + half + 1).isOK)
            #expect(try await reserve(503, by: "o2").isOK)
            #expect(try await make(city, "v_504", in: 3 * Self.hour).isOK)
            // One that was cancelled is open no more.
            let caller = "o1\nAda Rossi\n7"
            #expect(try await city.command("reservation_cancel", "tel:7", "v_7", "", caller).isOK)
            #expect(try await reserve(505).isOK)
            #expect(try await reserve(506) == .refused("not_available"))
        }
    }

    @Test("V1: what an operator reserved counts no more when it has ended, whichever way")
    func ended() async throws {
        try await TestCity.run { city in
            _ = try await make(city, of: "tel:1", by: "o1\nAda Rossi\n1")
            #expect(try await city.raw(["ZCARD", "{test}:reserved:o1"]).int == 1)
            try await come(city, before: 10 * Self.minute)
            #expect(try await city.raw(["ZCARD", "{test}:reserved:o1"]).int == 1)
            try await come(city, before: -6 * Self.minute)
            #expect(try await state(city) == "failed")
            #expect(try await nothingIsLeft(city, "tel:1"))
        }
    }
}
