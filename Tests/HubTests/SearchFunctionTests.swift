import RedisLink
import Testing
import Wire

@testable import Hub

/// search.lua against a real Redis: what a ride needs, the zones around, and passengers who wait.
@Suite struct SearchFunctionTests {
    private func equip(_ city: TestCity, _ vehicle: String, _ capability: String) async throws {
        let record = #"{"vehicle":"\#(vehicle)","plate":"P \#(vehicle)","capabilities":["\#(capability)"]}"#
        #expect(try await city.command("registry_set_vehicle", "o", record, "code-\(vehicle)", "0", "").isOK)
    }

    private func ask(
        _ city: TestCity, _ passenger: String, _ ride: String, needs: String = "", near: String = "", wait: String = ""
    ) async throws -> TestCity.Outcome {
        try await city.request(passenger, ride, "14", needs: needs, near: near, wait: wait)
    }

    private func words(_ value: JSONValue?) -> [String]? { value?.elements?.compactMap(\.text) }

    // MARK: needs

    @Test("C26: who lacks what a ride needs is skipped and keeps its place; who has it is asked, and is told what")
    func skipped() async throws {
        try await TestCity.run { city in
            try await equip(city, "T2", "wheelchair")
            try await city.queue("14", "T1", "T2")
            #expect(try await ask(city, "p1", "r1", needs: "wheelchair").isOK)
            #expect(try await city.offered("r1") == "T2")
            #expect(words(try await city.last("offer.made", "driver:T2")?["needs"]) == ["wheelchair"])
            #expect(try await city.order("14") == ["T1", "T2"])
            #expect(try await city.request("p2", "r2", "14").isOK)
            #expect(try await city.offered("r2") == "T1", "who is skipped is asked for what it can take")
            #expect(words(try await city.command("offer_accept", "T2", "r1", "", "")["needs"]) == ["wheelchair"])
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test("C26: how often who waits first is passed over is counted, and at five it starves, until it is asked")
    func passedOver() async throws {
        try await TestCity.run { city in
            func starving() async throws -> Int64? {
                try await city.call("city_sweep", ["w", "5000", "", ""])[5].int
            }
            for n in 2...11 { try await equip(city, "T\(n)", "wheelchair") }
            for n in 1...11 { try await city.queue("14", "T\(n)") }
            #expect(try await city.command("seats_set", "T1", "3", "4", "", "").isOK)
            for n in 1...4 { #expect(try await ask(city, "p\(n)", "r\(n)", needs: n < 3 ? "wheelchair" : "").isOK) }
            #expect(try await starving() == 0)
            #expect(try await city.logged("queue.passed_over") == nil)
            #expect(try await ask(city, "p5", "r5").isOK)
            #expect(try await city.offered("r5") == "T6", "five are asked who came behind it")
            #expect(try await starving() == 1)
            let told = try await city.logged("queue.passed_over")
            #expect(told?["driver"]?.text == "T1" && told?["times"]?.double == 5)
            #expect(try await city.order("14").first == "T1", "it keeps its place")
            #expect(try await city.command("seats_set", "T1", "0", "4", "", "").isOK)
            #expect(try await ask(city, "p6", "r6").isOK)
            #expect(try await city.offered("r6") == "T1")
            #expect(try await starving() == 0)
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test("C26: what the driver can and what the car can count together; all that is needed must be there")
    func allOfIt() async throws {
        try await TestCity.run { city in
            try await equip(city, "T1", "wheelchair")
            let record = #"{"driver":"T1","name":"Ada","phone":"1","capabilities":["child_seat","wheelchair"]}"#
            #expect(try await city.command("registry_set_driver", "o", record, "").isOK)
            try await city.queue("14", "T1")
            #expect(try await ask(city, "p1", "r1", needs: "wheelchair child_seat").isOK)
            #expect(try await city.offered("r1") == "T1")
            #expect(try await ask(city, "p2", "r2", needs: "wheelchair estate") == .refused("zone_empty"))
        }
    }

    @Test(
        "C60: for a party that is too large a queue is read once, until somebody has room",
        arguments: ["", "estate"])
    func tooLarge(needs: String) async throws {
        try await TestCity.run { city in
            for n in 0..<40 {
                try await equip(city, "T\(n)", "estate")
                try await city.queue("14", "T\(n)")
                #expect(try await city.command("seats_set", "T\(n)", "2", "4", "", "").isOK)
            }
            func ask(_ ride: String) async throws -> (TestCity.Outcome, read: Int) {
                let before = try await city.calls(of: "hmget")
                let outcome = try await city.request("p" + ride, ride, "14", passengers: 3, needs: needs)
                return (outcome, try await city.calls(of: "hmget") - before)
            }
            let first = try await ask("r1")
            #expect(first.0 == .refused("seats_full") && first.read >= 40)
            for _ in 0..<2 {
                let again = try await ask("r2")
                #expect(again.0 == .refused("seats_full") && again.read < 10)
            }
            // Nor when somebody counts who has no more than others.
            #expect(try await city.command("seats_set", "T7", "3", "4", "", "").isOK)
            #expect(try await ask("r2").read < 10)
            #expect(try await city.command("seats_set", "T7", "0", "4", "", "").isOK)
            #expect(try await ask("r3").0.isOK)
            #expect(try await city.offered("r3") == "T7")
            _ = try await city.command("ride_cancel", "passenger", "pr3", "", "", "")
            #expect(try await city.command("seats_set", "T7", "2", "4", "", "").isOK)
            #expect(try await ask("r4").0 == .refused("seats_full"))
            // Who has never counted may have enough.
            try await equip(city, "T50", "estate")
            try await city.queue("14", "T50")
            #expect(try await ask("r5").0.isOK)
            #expect(try await city.offered("r5") == "T50")
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test("C26: who gets what a large party needs is known at once")
    func newCapability() async throws {
        try await TestCity.run { city in
            try await equip(city, "T1", "estate")
            try await city.queue("14", "T1", "T2")
            #expect(try await city.command("seats_set", "T1", "2", "4", "", "").isOK)
            func ask(_ ride: String) async throws -> TestCity.Outcome {
                try await city.request("p1", ride, "14", passengers: 3, needs: "estate")
            }
            for n in 0..<2 { #expect(try await ask("r\(n)") == .refused("seats_full")) }
            try await equip(city, "T2", "estate")
            #expect(try await ask("r2").isOK)
            #expect(try await city.offered("r2") == "T2")
        }
    }

    /// A ride waits that T1 alone can take, which is asked for another one.
    private func waitForOnlyOne(_ city: TestCity) async throws {
        try await equip(city, "T1", "wheelchair")
        try await city.queue("14", "T1", "T2")
        #expect(try await city.request("p1", "r1", "14").isOK)
        #expect(try await city.offered("r1") == "T1")
        #expect(try await ask(city, "p2", "r2", needs: "wheelchair").isOK)
        #expect(try await city.offered("r2") == nil, "T1 is asked for another one")
    }

    @Test("C26: a ride that only one taxi can take waits for it, and fails when it has gone")
    func onlyOne() async throws {
        try await TestCity.run { city in
            try await waitForOnlyOne(city)
            #expect(try await city.command("offer_accept", "T1", "r1", "", "").isOK)
            #expect(try await city.last("ride.failed", "passenger:p2")?["code"]?.text == "zone_empty")
        }
    }

    @Test("C26: a ride that only one taxi can take fails when that can take it no more")
    func onlyOneLess() async throws {
        try await TestCity.run { city in
            try await waitForOnlyOne(city)
            try await equip(city, "T1", "estate")
            try await city.sweep()
            #expect(try await city.last("ride.failed", "passenger:p2")?["code"]?.text == "zone_empty")
        }
    }

    @Test("C26: a driver who comes and can take a ride that waits is asked at once; one who can't is not")
    func whoComes() async throws {
        try await TestCity.run { city in
            try await equip(city, "T1", "wheelchair")
            try await equip(city, "T3", "wheelchair")
            try await city.queue("14", "T1")
            #expect(try await city.request("p1", "r1", "14").isOK)
            #expect(try await ask(city, "p2", "r2", needs: "wheelchair").isOK)
            try await city.queue("14", "T2", "T3")
            #expect(try await city.offered("r2") == "T3")
        }
    }

    // MARK: zones around

    @Test("R14, C27: where nobody waits, the zones around are asked, nearest first; who declines keeps its own queue")
    func around() async throws {
        try await TestCity.run { city in
            try await city.queue("16", "T2")
            try await city.queue("15", "T1")
            #expect(try await city.request("p0", "r0", "14") == .refused("zone_empty"))
            #expect(try await ask(city, "p1", "r1", near: "15\n16").isOK)
            #expect(try await city.offered("r1") == "T1")
            #expect(try await city.command("offer_decline", "T1", "r1", "").isOK)
            #expect(try await city.offered("r1") == "T2")
            #expect(try await city.order("15") == ["T1"])
            #expect(try await city.command("offer_accept", "T2", "r1", "", "").isOK)
            #expect(try await city.order("16") == [])
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test("R14: who is in the zone itself comes before who is around, and who comes there while others are asked, too")
    func ownFirst() async throws {
        try await TestCity.run { city in
            try await city.queue("15", "T1")
            try await city.queue("14", "T2")
            #expect(try await ask(city, "p1", "r1", near: "15").isOK)
            #expect(try await city.offered("r1") == "T2")
            #expect(try await ask(city, "p2", "r2", near: "15").isOK)
            #expect(try await city.offered("r2") == nil, "T2 may still take it")
            #expect(try await city.command("offer_accept", "T2", "r1", "", "").isOK)
            #expect(try await city.offered("r2") == "T1")
        }
    }

    @Test("C35: when each has been asked in each round, and around once, the ride has failed: nobody is asked for ever")
    func allDecline() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            try await city.queue("15", "T2")
            #expect(try await ask(city, "p1", "r1", near: "15").isOK)
            #expect(try await city.command("offer_decline", "T1", "r1", "").isOK)
            try await city.advance(12_000)
            try await city.sweep()
            #expect(try await city.command("offer_decline", "T1", "r1", "").isOK)
            #expect(try await city.offered("r1") == "T2", "the second round is over")
            #expect(try await city.command("offer_decline", "T2", "r1", "").isOK)
            #expect(try await city.last("ride.failed", "passenger:p1")?["code"]?.text == "no_driver")
            #expect(try await city.told("driver:T2").filter { $0 == "offer.made" }.count == 1)
        }
    }

    @Test("R14: a ride whose only hope is asked for another one around looks again, and gets who is free then")
    func looksAgain() async throws {
        try await TestCity.run { city in
            try await city.queue("15", "T1")
            #expect(try await city.request("p1", "r1", "15").isOK)
            #expect(try await ask(city, "p2", "r2", near: "15").isOK)
            #expect(try await city.offered("r2") == nil)
            #expect(try await city.command("offer_decline", "T1", "r1", "").isOK)
            try await city.advance(10_100)
            try await city.sweep()
            #expect(try await city.offered("r2") == "T1")
        }
    }

    @Test("C26: who waits no longer for a lost driver is given one of the zones around, where its own has nobody")
    func searchesAgainAround() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            #expect(try await ask(city, "p1", "r1", near: "15").isOK)
            #expect(try await city.command("offer_accept", "T1", "r1", "", "").isOK)
            try await city.call("driver_gone", ["T1", "s-T1"])
            try await city.advance(120_000)
            try await city.sweep()
            #expect(try await city.command("ride_search", "p1", "", "") == .refused("zone_empty"))
            try await city.queue("15", "T2")
            #expect(try await city.command("ride_search", "p1", "", "").isOK)
            #expect(try await city.offered("r1") == "T2")
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test("C26: the office takes a ride from its driver where only a zone around has another one")
    func reassignsAround() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            #expect(try await ask(city, "p1", "r1", near: "15").isOK)
            #expect(try await city.command("offer_accept", "T1", "r1", "", "").isOK)
            #expect(try await city.command("office_reassign", "o1", "r1", "", "Flat.", "") == .refused("zone_empty"))
            #expect(try await city.field("ride:r1", "driver") == "T1")
            try await city.queue("15", "T2")
            #expect(try await city.command("office_reassign", "o1", "r1", "", "Flat.", "")["driver"]?.text == "T2")
            #expect(try await city.offered("r1") == "T2")
            #expect(try await city.order("14") == ["T1"], "it keeps its turn")
            #expect(try await city.brokenInvariants() == [])
        }
    }

    // MARK: who waits

    @Test("R14, C27: who asks to wait where nobody is is told until when, and gets the first who comes")
    func waits() async throws {
        try await TestCity.run { city in
            let reply = try await ask(city, "p1", "r1", wait: "1")
            #expect(reply["until"]?.integer == 1_800_000_600_000)
            #expect(try await city.last("ride.searching", "passenger:p1")?["reason"]?.text == "waiting")
            #expect(try await city.last("ride.searching", "passenger:p1")?["until"]?.integer == 1_800_000_600_000)
            #expect(try await city.request("p2", "r2", "14") == .refused("zone_empty"), "who does not ask to wait")
            try await city.advance(300_000)
            try await city.sweep()
            try await city.queue("14", "T1")
            #expect(try await city.offered("r1") == "T1")
        }
    }

    @Test("C27: who waits is told of it once, and at the stated time that it has failed")
    func waitsInVain() async throws {
        try await TestCity.run { city in
            #expect(try await ask(city, "p1", "r1", wait: "1").isOK)
            for _ in 0..<59 {
                try await city.advance(10_000)
                try await city.sweep()
            }
            #expect(try await city.told("passenger:p1") == ["ride.searching", "ride.searching"])
            try await city.advance(10_100)
            try await city.sweep()
            #expect(try await city.last("ride.failed", "passenger:p1")?["code"]?.text == "timeout")
            #expect(try await city.field("passenger:p1", "ride") == nil)
            #expect(try await city.raw(["ZCARD", "{test}:waiting:14"]).int == 0)
            try await city.advance(10_100)
            try await city.sweep()
            #expect(try await city.raw(["ZCARD", "{test}:offers"]).int == 0, "nothing is left of it")
        }
    }

    @Test("R14, C35: while a passenger waits, who has declined is asked again two minutes later, and not before")
    func askedAgain() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            #expect(try await ask(city, "p1", "r1", wait: "1").isOK)
            for _ in 0..<2 {
                #expect(try await city.command("offer_decline", "T1", "r1", "").isOK)
                try await city.advance(12_000)
                try await city.sweep()
            }
            for _ in 0..<9 {
                #expect(try await city.offered("r1") == nil)
                try await city.advance(10_000)
                try await city.sweep()
            }
            for _ in 0..<4 where try await city.offered("r1") == nil {
                try await city.advance(10_000)
                try await city.sweep()
            }
            #expect(try await city.offered("r1") == "T1")
        }
    }

    @Test("R2: of those who wait in a zone the first who asked gets the first who is free around")
    func firstCome() async throws {
        try await TestCity.run { city in
            for number in 1...3 { #expect(try await ask(city, "p\(number)", "r\(number)", near: "15", wait: "1").isOK) }
            try await city.queue("15", "T1", "T2")
            try await city.advance(10_100)
            try await city.sweep()
            #expect(try await city.offered("r1") == "T1")
            #expect(try await city.offered("r2") == "T2")
            #expect(try await city.offered("r3") == nil)
        }
    }

    @Test("C32: a ride that waits is cancelled like any other")
    func cancelled() async throws {
        try await TestCity.run { city in
            #expect(try await ask(city, "p1", "r1", wait: "1").isOK)
            #expect(try await city.command("ride_cancel", "passenger", "p1", "", "", "").isOK)
            try await city.queue("14", "T1")
            try await city.advance(10_100)
            try await city.sweep()
            #expect(try await city.told("driver:T1").contains("offer.made") == false)
            #expect(try await city.brokenInvariants() == [])
        }
    }
}
