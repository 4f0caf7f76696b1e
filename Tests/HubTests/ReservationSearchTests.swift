import RedisLink
import Testing
import Wire

@testable import Hub

/// What time brings about: reminders, the search of a reservation and its ride (reservation.lua), against a real Redis.
@Suite struct ReservationSearchTests: Reserving {
    @Test(
        "V2, C43, C46: reminders, one ride though two workers sweep, an offer in the zone, who comes; then it is done")
    func search() async throws {
        try await TestCity.run { city in
            _ = try await make(city)
            try await come(city, before: 60 * Self.minute + 1)
            #expect(try await told(city) == ["made"])
            try await come(city, before: 60 * Self.minute)
            try await come(city, before: 59 * Self.minute)
            #expect(try await told(city) == ["made", "reminder 60"])
            try await come(city, before: 10 * Self.minute + 1)
            try await city.queue("14", "T1")
            #expect(try await state(city) == "open")
            #expect(try await city.field("ride:r_1", "state") == nil)
            try await come(city, before: 10 * Self.minute)
            #expect(try await told(city) == ["made", "reminder 60", "reminder 10", "searching 10"])
            #expect(try await city.raw(["KEYS", "{test}:ride:*"]).array?.count == 1)
            #expect(try await city.offered("r_1") == "T1")
            #expect(try await city.command("offer_accept", "T1", "r_1", "", "").isOK)
            #expect(try await state(city) == "assigned")
            let assigned = try await city.last("reservation.assigned", "passenger:p1")
            #expect(assigned?["taxi"]?.text == "T1" && assigned?["ride"]?.text == "r_1")
            try await come(city, before: 9 * Self.minute)
            _ = try await city.command("ride_aboard", "T1", "", "", "")
            #expect(try await city.command("ride_finish", "T1", "", "14", "").isOK)
            #expect(try await state(city) == "done")
            try await come(city, before: -10 * Self.minute)
            #expect(try await told(city).suffix(2) == ["searching 10", "assigned"])
            #expect(try await nothingIsLeft(city))
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test("V1, M10: how it will be paid goes with the reservation into its ride; no driver makes it digital")
    func payment() async throws {
        for wish in ["digital", ""] {
            try await TestCity.run { city in
                let wished = wish == "" ? nil : wish
                #expect(try await make(city, payment: wish)["payment"]?.text == wished)
                let listed = try await city.command("reservation_list", "p1")["reservations"]?[0]
                #expect(listed?["reservation"]?.text == "v_1" && listed?["payment"]?.text == wished)
                #expect(try await city.last("reservation.made", "passenger:p1")?["payment"]?.text == wished)
                #expect(try await city.logged("reservation.made")?["payment"]?.text == wished)
                try await come(city, before: 11 * Self.minute)
                try await city.queue("14", "T1")
                try await come(city, before: 10 * Self.minute)
                let taken = try await city.command("offer_accept", "T1", "r_1", "", "")
                #expect(taken.isOK && taken["payment"]?.text == wished)
                try await city.call("ride_alert", ["T1", "r_1", "20", "5", "high"])
                #expect(try await city.command("ride_aboard", "T1", "", "", "").isOK)
                try await come(city, before: 0)
                let ended = try await city.command("ride_finish", "T1", "", "14", "", "digital")
                #expect(ended["payment"]?["state"]?.text == (wished == nil ? nil : "pending"))
                if wished == nil { #expect(ended == .refused("not_available")) }
            }
        }
    }

    @Test("C44: nobody is there: told 8 and 5 minutes before; at the stated time it fails, and invites to ask now")
    func nobody() async throws {
        try await TestCity.run { city in
            _ = try await make(city)
            for left in [60, 20, 10, 9, 8, 7, 6, 5, 4, 1, 0, -4] { try await come(city, before: left * Self.minute) }
            #expect(
                try await told(city) == [
                    "made", "reminder 60", "reminder 10", "searching 10", "searching 8", "searching 5",
                ])
            #expect(try await state(city) == "searching")
            let until = try await city.last("reservation.searching", "passenger:p1")?["until"]?.integer
            #expect(until == Int64(Self.start + 2 * Self.hour + 5 * Self.minute))
            try await come(city, before: -5 * Self.minute - 1)
            #expect(try await told(city).last == "failed")
            let failed = try await city.last("reservation.failed", "passenger:p1")
            #expect(failed?["detail"]?.text?.contains("ride.request") == true)
            #expect(try await state(city) == "failed")
            #expect(try await nothingIsLeft(city))
            #expect(try await city.field("passenger:p1", "ride") == nil)
        }
    }

    @Test("C44: who comes into the zone meanwhile is asked")
    func late() async throws {
        try await TestCity.run { city in
            _ = try await make(city)
            try await come(city, before: 10 * Self.minute)
            try await come(city, before: 7 * Self.minute)
            try await city.queue("14", "T1")
            #expect(try await city.offered("r_1") == "T1")
        }
    }

    @Test("C45: a driver who gives it back puts it first in line again, and the passenger is told")
    func givenBack() async throws {
        try await TestCity.run { city in
            _ = try await make(city)
            try await come(city, before: 10 * Self.minute)
            try await city.queue("14", "T1")
            #expect(try await city.command("offer_accept", "T1", "r_1", "", "").isOK)
            try await city.queue("14", "T2", "T3")
            _ = try await city.request("p2", "r2", "14")
            _ = try await city.request("p3", "r3", "14")
            _ = try await city.request("p4", "r4", "14")
            #expect(try await city.command("ride_cancel", "driver", "T1", "r_1", "", "14").isOK)
            #expect(try await state(city) == "searching")
            let again = try await city.last("reservation.searching", "passenger:p1")
            #expect(again?["reason"]?.text == "driver_cancelled" && again?["ride"]?.text == "r_1")
            _ = try await city.command("offer_decline", "T2", "r2", "")
            #expect(try await city.offered("r_1") == "T2", "before r4, which waits longer")
            #expect(try await city.command("offer_accept", "T2", "r_1", "", "").isOK)
            #expect(try await state(city) == "assigned")
        }
    }

    @Test("C45: the order is that in which searches begin: a reservation passes nobody, and nobody passes it")
    func fairness() async throws {
        try await TestCity.run { city in
            _ = try await make(city)
            try await come(city, before: 10 * Self.minute + 2000)
            try await city.queue("14", "T1")
            // One is asked, and another waits, before the search begins; a third asks after that.
            _ = try await city.request("p2", "r2", "14")
            _ = try await city.request("p3", "r3", "14")
            try await come(city, before: 10 * Self.minute)
            _ = try await city.request("p4", "r4", "14")
            let waiting = try await city.raw(["ZRANGE", "{test}:waiting:14", "0", "-1"]).array?.compactMap(\.text)
            #expect(waiting == ["r3", "r_1", "r4"])
        }
    }

    @Test("C42: where the nearest taxi is far the search begins earlier")
    func lead() async throws {
        try await TestCity.run { city in
            _ = try await make(city)
            try await city.raw(["HSET", "{test}:settings", "stale_after_ms", "86400000"])
            try await city.queue("14", "T1")
            // 11.1 km: 15 km by road at 25 km/h are 36 minutes, and two rounds of 10 s.
            try await city.position("T1", "45.2", at: Self.start)
            for left in [60, 55, 50, 45, 42, 40, 39, 38, 37] { try await come(city, before: left * Self.minute) }
            #expect(try await state(city) == "open")
            try await come(city, before: 36 * Self.minute)
            #expect(try await state(city) == "searching")
            #expect(try await told(city) == ["made", "reminder 60", "searching 36"])
            try await come(city, before: 10 * Self.minute)
            #expect(try await told(city).last == "reminder 10")
        }
    }

    @Test("C42: the nearest is one who has what is needed, and where nobody is free in the zone one of those around")
    func leadOfWhoCanBeAsked() async throws {
        try await TestCity.run { city in
            _ = try await make(city, needs: "wheelchair", near: "13\n15\n16")
            try await city.raw(["HSET", "{test}:settings", "stale_after_ms", "86400000"])
            try await city.queue("14", "T1")
            try await city.queue("15", "T2", "T3")
            try await city.queue("16", "T4")
            // T1 and T2 are at the pickup and can take no wheelchair; T4 could, and is in a zone further away than T3, which is 11.1 km from there.
            for (driver, lat) in [("T1", "45.1"), ("T2", "45.1"), ("T3", "45.2"), ("T4", "45.1")] {
                try await city.position(driver, lat, at: Self.start)
            }
            try await city.raw(["SADD", "{test}:able:wheelchair", "T3", "T4"])
            for left in [60, 50, 45, 40, 38, 37] { try await come(city, before: left * Self.minute) }
            #expect(try await state(city) == "open")
            try await come(city, before: 36 * Self.minute)
            #expect(try await state(city) == "searching")
        }
    }

    // MARK: what comes between

    /// Eleven minutes before its time the passenger of the reservation is on another ride.
    private func rideBefore(_ city: TestCity) async throws {
        _ = try await make(city)
        try await come(city, before: 11 * Self.minute)
        try await city.queue("14", "T1")
        try await city.assign("r9", of: "p1", to: "T1")
    }

    @Test("who still rides is told once that the search waits; it begins when that is over")
    func waits() async throws {
        try await TestCity.run { city in
            try await rideBefore(city)
            for seconds in [600, 570, 569, 540] { try await come(city, before: seconds * 1000) }
            #expect(try await told(city) == ["made", "reminder 11", "reminder 10", "waiting"])
            #expect(try await city.last("reservation.waiting", "passenger:p1")?["ride"]?.text == "r9")
            #expect(try await cancel(city) == .refused("too_late"))
            _ = try await city.command("ride_aboard", "T1", "", "", "")
            _ = try await city.command("ride_finish", "T1", "", "", "")
            try await come(city, before: 509_000)
            #expect(try await state(city) == "searching")
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test("who rides until the stated end is told that it has failed by that")
    func neverFree() async throws {
        try await TestCity.run { city in
            try await rideBefore(city)
            _ = try await city.command("ride_aboard", "T1", "", "", "")
            for left in 0...9 { try await come(city, before: left * Self.minute) }
            #expect(try await state(city) == "open")
            try await come(city, before: -5 * Self.minute)
            #expect(try await city.last("reservation.failed", "passenger:p1")?["code"]?.text == "already_requested")
            #expect(try await nothingIsLeft(city))
        }
    }

    @Test("who was blocked meanwhile is told why no taxi is looked for")
    func blockedMeanwhile() async throws {
        try await TestCity.run { city in
            _ = try await make(city)
            _ = try await city.command("office_block", "o1", "passenger", "p1", "Pranks.", "0", "")
            try await come(city, before: 10 * Self.minute)
            let failed = try await city.last("reservation.failed", "passenger:p1")
            #expect(failed?["code"]?.text == "forbidden" && failed?["detail"]?.text?.contains("Pranks.") == true)
            #expect(try await nothingIsLeft(city))
        }
    }

    @Test("C43: after an outage only what still applies is told, a search that was missed begins at once")
    func outage() async throws {
        try await TestCity.run { city in
            _ = try await make(city)
            try await come(city, before: 30 * Self.minute)
            #expect(try await told(city) == ["made", "reminder 30"])
            try await come(city, before: 7 * Self.minute)
            #expect(try await told(city) == ["made", "reminder 30", "searching 7"])
            #expect(try await state(city) == "searching")
            #expect(try await make(city, "v_2", of: "p2", in: 4 * Self.hour).isOK)
            try await city.advance(6 * Self.hour)
            try await city.sweep()
            #expect(try await told(city, "p2") == ["made", "failed"])
            #expect(try await told(city).last == "failed")
            #expect(try await city.field("ride:r_2", "state") == nil)
        }
    }

    @Test(
        "a ride that is not there is begun again; one that can't be looked at keeps no other waiting, and is tried again"
    )
    func broken() async throws {
        try await TestCity.run { city in
            _ = try await make(city)
            _ = try await make(city, "v_2", of: "p2")
            try await city.raw(["HSET", "{test}:reservation:v_2", "at", "soon"])
            try await come(city, before: 10 * Self.minute)
            #expect(try await state(city) == "searching")
            #expect(try await city.raw(["ZSCORE", "{test}:reservation-due", "v_2"]).text != nil)
            try await city.raw(["DEL", "{test}:ride:r_1"])
            try await city.raw(["HDEL", "{test}:passenger:p1", "ride"])
            try await come(city, before: 8 * Self.minute)
            #expect(try await city.field("ride:r_1", "state") == "searching")
        }
    }

    @Test("V2: with an empty queue drivers of the zones around are asked")
    func around() async throws {
        try await TestCity.run { city in
            _ = try await city.command(
                "reservation_make", "p1", "v_1", "14", "45.1", "9.1", "45.2", "9.2", "2", "", "13\n15",
                String(Self.start + 2 * Self.hour), "2027-01-15T11:00:00+01:00", "Europe/Rome", "", "")
            try await come(city, before: 11 * Self.minute)
            try await city.queue("15", "T5")
            try await come(city, before: 10 * Self.minute)
            #expect(try await city.offered("r_1") == "T5")
        }
    }

    @Test("C43: many reservations for one time ring no more than as many requests would: the next has to wait")
    func manyAtOnce() async throws {
        try await TestCity.run { city in
            for number in 1...6 { _ = try await make(city, "v_\(number)") }
            try await come(city, before: 11 * Self.minute)
            try await city.queue("14", "T1")
            try await come(city, before: 10 * Self.minute)
            for number in 1...4 {
                try await city.position("T1", "45.1", at: number)
                #expect(try await city.offered("r_\(number)") == "T1")
                #expect(try await city.command("ride_cancel", "passenger", "p1", "", "", "").isOK)
                try await city.advance(30_000)
                try await city.sweep()
            }
            #expect(try await state(city, "v_5") == "open", "four were taken back: a minute's wait")
            try await city.advance(30_000)
            try await city.sweep()
            #expect(try await state(city, "v_5") == "searching")
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test("who makes reservations and takes them back has to wait, as with requests that rang nobody")
    func madeAndTakenBack() async throws {
        try await TestCity.run { city in
            for number in 1...12 {
                _ = try await make(city, "v_\(number)")
                #expect(try await cancel(city, "v_\(number)").isOK)
            }
            #expect(try await make(city, "v_13") == .refused("rate_limited"))
        }
    }
}
