import RedisLink
import Testing
import Wire

@testable import Hub

/// What an operator asks and does by hand: office.lua against a real Redis. Blocks have their own (OfficeBlockTests).
@Suite struct OfficeFunctionTests {
    private func ask(_ city: TestCity, _ function: String, _ subject: String) async throws -> JSONValue? {
        guard case .ok(let reply) = try await city.command(function, subject) else { return nil }
        return reply
    }

    /// Reads the next piece of a queue. Answers whether that was the last one.
    private func isLast(_ listing: inout QueueListing, _ city: TestCity) async throws -> Bool {
        let piece = try await city.call("office_queue", [listing.zone, "\(listing.read)"]).array ?? []
        #expect(piece.count <= 101)
        let isLast = listing.add(piece)
        return try #require(isLast as Bool?)
    }

    /// A queue as an operator is told it.
    private func listing(_ city: TestCity) async throws -> JSONValue {
        var listing = QueueListing(zone: "14")
        while try await !isLast(&listing, city) {}
        return try JSONValue(parsing: listing.json)
    }

    @Test("a queue is told in order: who waits, is asked, is away, since when and where")
    func queue() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1", "T2", "T3")
            try await city.call("positions_take", ["T2", "s-T2", "45.1", "9.25", "1799999999000", "", "", "c1", ""])
            _ = try await city.request("p1", "r1", "14")
            try await city.call("driver_gone", ["T3", "s-T3"])
            let queue = try await listing(city)
            let drivers = queue["drivers"]?.elements ?? []
            #expect(drivers.compactMap { $0["driver"]?.text } == ["T1", "T2", "T3"])
            #expect(drivers.compactMap { $0["state"]?.text } == ["offered", "waiting", "away"])
            #expect(drivers.compactMap { $0["rank"]?.integer } == [1, 2, 3])
            #expect(drivers[0]["offer"]?.text == "r1" && drivers[0]["position"] == nil)
            #expect(drivers[1]["position"]?["at"]?.integer == 1_799_999_999_000)
            #expect(drivers.allSatisfy { $0["since"]?.integer == 1_800_000_000_000 })
            #expect(queue["size"]?.integer == 3 && queue["more"] == .bool(false))
            // Who goes to the bottom has waited here all the time; who comes back has not.
            try await city.advance(1_000)
            _ = try await city.command("offer_decline", "T1", "r1", "")
            _ = try await city.command("driver_unavailable", "T2", "")
            #expect(try await city.field("vehicle:T2", "since") == nil)
            _ = try await city.command("driver_available", "T2", "14", "", "", "")
            #expect(try await ask(city, "office_driver", "T1")?["since"]?.integer == 1_800_000_000_000)
            #expect(try await ask(city, "office_driver", "T2")?["since"]?.integer == 1_800_000_001_000)
        }
    }

    @Test("of a long queue the first 500 are told, and that there are more")
    func longQueue() async throws {
        try await TestCity.run { city in
            for n in 0..<501 { try await city.raw(["ZADD", "{test}:queue:14", "\(n)", "T\(n)"]) }
            let queue = try await listing(city)
            #expect(queue["drivers"]?.elements?.count == 500)
            #expect(queue["size"]?.integer == 501 && queue["more"] == .bool(true))
        }
    }

    @Test("of a queue that changes while it is read a driver is told once at most, and ranks have no hole")
    func changingQueue() async throws {
        try await TestCity.run { city in
            for n in 0..<120 { try await city.raw(["ZADD", "{test}:queue:14", "\(n)", "T\(n)"]) }
            var listing = QueueListing(zone: "14")
            let isShort = try await isLast(&listing, city)
            #expect(!isShort)
            // Two come in before those that were read, and push them back; one of them goes to the end.
            try await city.raw(["ZADD", "{test}:queue:14", "-2", "T200", "-1", "T201", "999", "T3"])
            while try await !isLast(&listing, city) {}
            #expect(listing.read == 122)
            let drivers = try JSONValue(parsing: listing.json)["drivers"]?.elements ?? []
            #expect(drivers.compactMap { $0["driver"]?.text } == (0..<120).map { "T\($0)" })
            #expect(drivers.compactMap { $0["rank"]?.integer } == Array(1...120))
        }
    }

    @Test("a driver is told with its state, queue, ride, offer and link")
    func driver() async throws {
        try await TestCity.run { city in
            #expect(try await city.command("office_driver", "T1") == .refused("not_found"))
            try await city.queue("14", "T1", "T2")
            try await city.assign("r1", of: "p1", to: "T1")
            let busy = try await ask(city, "office_driver", "T1")
            #expect(busy?["state"]?.text == "busy" && busy?["ride"]?.text == "r1" && busy?["zone"] == nil)
            let waiting = try await ask(city, "office_driver", "T2")
            #expect(waiting?["rank"]?.integer == 1 && waiting?["connected"] == .bool(true))
            try await city.call("driver_gone", ["T2", "s-T2"])
            let gone = try await ask(city, "office_driver", "T2")
            #expect(gone?["connected"] == .bool(false) && gone?["away"]?["why"]?.text == "connection_lost")
            try await city.raw(["HSET", "{test}:vehicle:B7", "kind", "bus", "state", "available"])
            #expect(try await city.command("office_driver", "B7") == .refused("not_found"))
        }
    }

    @Test("a ride is told with its people, places and times")
    func ride() async throws {
        try await TestCity.run { city in
            #expect(try await city.command("office_ride", "r1") == .refused("not_found"))
            try await city.queue("14", "T1")
            _ = try await city.request("p1", "r1", "14")
            let offered = try await ask(city, "office_ride", "r1")
            #expect(offered?["state"]?.text == "offered" && offered?["offered_to"]?.text == "T1")
            #expect(offered?["driver"] == nil && offered?["accepted_at"] == nil)
            try await city.advance(2_000)
            _ = try await city.command("offer_accept", "T1", "r1", "", "")
            let accepted = try await ask(city, "office_ride", "r1")
            #expect(accepted?["driver"]?.text == "T1" && accepted?["offered_to"] == nil)
            #expect(accepted?["passenger"]?.text == "p1" && accepted?["pickup"]?["lon"] == 9.1)
            #expect(accepted?["requested_at"]?.integer == 1_800_000_000_000)
            #expect(accepted?["accepted_at"]?.integer == 1_800_000_002_000)
        }
    }

    private func remove(_ city: TestCity, _ driver: String, key: String = "") async throws -> TestCity.Outcome {
        try await city.command("office_remove", "o1", driver, "An empty car.", key)
    }

    @Test("I1: one that waits is taken out, told why, and comes back by its own word only")
    func removesWaiting() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1", "T2")
            #expect(try await remove(city, "T1")["state"]?.text == "unavailable")
            #expect(try await city.order("14") == ["T2"])
            let left = try await city.last("queue.left", "driver:T1")
            #expect(left?["reason"]?.text == "operator" && left?["text"]?.text == "An empty car.")
            try await city.connect("T1")
            #expect(try await city.call("driver_recover", ["T1", "14"]).int == 0)
            #expect(try await remove(city, "T1") == .refused("not_available"), "there is nothing to take it out of")
            #expect(try await city.brokenInvariants() == [])
            #expect(try await city.command("driver_available", "T1", "14", "", "", "")["rank"]?.integer == 2)
        }
    }

    @Test("its offer goes to the next, and that it was not shown is not its fault", arguments: [true, false])
    func removesOffered(isShown: Bool) async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1", "T2")
            _ = try await city.request("p1", "r1", "14")
            if isShown { _ = try await city.command("offer_seen", "T1", "r1") }
            #expect(try await remove(city, "T1").isOK)
            #expect(try await city.offered("r1") == "T2")
            #expect(try await city.told("driver:T1").suffix(2) == ["queue.left", "offer.withdrawn"])
            #expect(try await city.raw(["EXISTS", "{test}:cancels:driver:T1"]).int == 0)
            #expect(try await city.brokenInvariants() == [])
            // The last one is taken out, too: nobody is left for the ride.
            #expect(try await remove(city, "T2").isOK)
            #expect(try await city.last("ride.failed", "passenger:p1")?["code"]?.text == "zone_empty")
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test("one that is away or has lost its place does not get it back")
    func removesAway() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1", "T2")
            try await city.call("driver_gone", ["T1", "s-T1"])
            #expect(try await remove(city, "T1").isOK)
            try await city.call("driver_outside", ["T2"])
            #expect(try await remove(city, "T2").isOK)
            #expect(try await city.last("notice", "driver:T2")?["text"]?.text?.contains("An empty car.") == true)
            try await city.connect("T1", "T2")
            for driver in ["T1", "T2"] { #expect(try await city.call("driver_recover", [driver, "14"]).int == 0) }
            try await city.advance(100_000)
            try await city.sweep()
            #expect(try await city.order("14") == [])
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test("one on a ride is refused, and so is one that nobody knows")
    func removesNobody() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            try await city.assign("r1", of: "p1", to: "T1")
            let refused = try await city.call("office_remove", ["o1", "T1", "Why.", ""]).text ?? ""
            #expect(refused.hasPrefix("-not_available\n") && refused.contains("office.cancel"))
            #expect(try await remove(city, "T9") == .refused("not_found"))
            #expect(try await city.raw(["EXISTS", "{test}:audit", "{test}:done:operator:o1"]).int == 0)
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test("C47: a minibus goes offline, and who waits for its answer is told; with bookings it is refused")
    func removesMinibus() async throws {
        try await TestCity.run { city in
            try await city.minibus("M1", seats: 8)
            _ = try await city.command("driver_available", "M1", "", "", "", "")
            _ = try await city.book("p1", "b1", "M1", 2)
            #expect(try await remove(city, "M1").isOK)
            #expect(try await city.field("booking:b1", "state") == "declined")
            #expect(try await city.field("vehicle:M1", "state") == "unavailable")
            #expect(try await city.told("driver:M1").last == "notice")
            #expect(try await city.brokenInvariants() == [])
            _ = try await city.command("driver_available", "M1", "", "", "", "")
            _ = try await city.book("p1", "b2", "M1", 2)
            _ = try await city.command("seat_accept", "M1", "b2", "", "")
            #expect(try await remove(city, "M1") == .refused("not_available"))
            #expect(try await city.brokenInvariants() == [])
        }
    }

    private func cancel(_ city: TestCity, _ ride: String) async throws -> TestCity.Outcome {
        try await city.command("office_cancel", "o1", "ride", ride, "No taxi is needed.", "")
    }

    @Test("R12: a ride is cancelled in each state before aboard; it counts against nobody, the driver keeps its turn")
    func cancels() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1", "T2")
            try await city.assign("r1", of: "p1", to: "T1")
            _ = try await city.request("p2", "r2", "14")
            _ = try await city.request("p3", "r3", "14")
            // Accepted, offered and searching, one after the other.
            for (ride, state) in [("r3", "searching"), ("r2", "offered"), ("r1", "accepted")] {
                #expect(try await city.field("ride:\(ride)", "state") == state)
                #expect(try await cancel(city, ride)["state"]?.text == "cancelled")
                #expect(try await city.brokenInvariants() == [])
                let told = try await city.last("ride.cancelled", "passenger:p\(ride.dropFirst())")
                #expect(told?["by"]?.text == "operator" && told?["reason"]?.text == "operator")
                #expect(told?["text"]?.text == "No taxi is needed.")
                #expect(try await cancel(city, ride) == .refused("not_available"), "it is over")
            }
            #expect(try await city.last("offer.withdrawn", "driver:T2")?["ride"]?.text == "r2")
            #expect(try await city.last("ride.cancelled", "driver:T1")?["text"]?.text == "No taxi is needed.")
            #expect(try await city.order("14") == ["T1", "T2"], "the old place, not the bottom")
            for who in ["p1", "p2", "p3", "driver:T1", "driver:T2"] {
                #expect(try await city.raw(["EXISTS", "{test}:cancels:\(who)"]).int == 0, "\(who)")
            }
            // Both are asked again, in their order.
            _ = try await city.request("p1", "r4", "14")
            _ = try await city.request("p2", "r5", "14")
            #expect(try await city.offered("r4") == "T1")
            #expect(try await city.offered("r5") == "T2")
        }
    }

    @Test("the next ride that waits gets the driver who is free again")
    func cancelServesTheNext() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            _ = try await city.request("p1", "r1", "14")
            _ = try await city.request("p2", "r2", "14")
            #expect(try await cancel(city, "r1").isOK)
            #expect(try await city.offered("r2") == "T1")
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test("with passengers aboard, or when it is over, a ride is not cancelled")
    func cancelRefused() async throws {
        try await TestCity.run { city in
            #expect(try await cancel(city, "r1") == .refused("not_found"))
            try await city.queue("14", "T1")
            try await city.assign("r1", of: "p1", to: "T1")
            _ = try await city.command("ride_aboard", "T1", "r1", "", "")
            #expect(try await cancel(city, "r1") == .refused("not_available"))
            _ = try await city.command("ride_finish", "T1", "r1", "14", "")
            #expect(try await cancel(city, "r1") == .refused("not_available"))
            #expect(try await city.raw(["EXISTS", "{test}:audit"]).int == 0)
        }
    }

    // MARK: the audit

    private func page(_ city: TestCity, from: String = "", _ limit: Int = 50) async throws -> JSONValue? {
        guard case .ok(let page) = try await city.command("office_audit", from, "\(limit)") else { return nil }
        return page
    }

    @Test("each act is one entry, with who, on whom, why, and what was before and after; also in the city's log")
    func audit() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1", "T2")
            let first = try await remove(city, "T1", key: "k1")
            #expect(try await remove(city, "T1", key: "k1") == first, "repeated")
            try await city.assign("r1", of: "p1", to: "T2")
            #expect(try await cancel(city, "r1").isOK)
            _ = try await city.command("broadcast_send", "o2", "n_1", "drivers", "14", "Hear this.", "b")
            _ = try await city.command("broadcast_send", "o2", "n_2", "drivers", "14", "Hear this.", "b")
            _ = try await city.command(
                "tour_start", "d1", "t1", "B7", "8", "52", "52:0", "", "[]", "w", "52", "1", "", "", "", "0", "")
            _ = try await city.command("tour_end", "operator", "o2", "t1", "", "")
            _ = try await city.command("tour_end", "operator", "o2", "t1", "", "")
            let entries = try #require(try await page(city)?["entries"]?.elements)
            let commands = ["tour.end", "broadcast", "office.cancel", "office.remove"]
            #expect(entries.compactMap { $0["command"]?.text } == commands)
            #expect(entries.compactMap { $0["target"]?.text } == ["tour:t1", "zone:14", "ride:r1", "driver:T1"])
            #expect(entries.compactMap { $0["operator"]?.text } == ["o2", "o2", "o1", "o1"])
            #expect(entries[3]["id"] == first["audit"] && entries[3]["reason"]?.text == "An empty car.")
            #expect(entries[3]["before"] == ["state": "available", "zone": "14", "rank": 1])
            #expect(entries[3]["after"] == ["state": "unavailable"])
            #expect(entries[2]["before"] == ["state": "accepted", "passenger": "p1", "driver": "T2"])
            #expect(entries[1]["after"]?["people"]?.integer == 1)
            #expect(entries[0]["before"]?["driver"]?.text == "d1" && entries[0]["after"]?["state"]?.text == "ended")
            let log = try await city.raw(["XRANGE", "{test}:events", "-", "+"]).array ?? []
            let logged = log.filter { $0[1]["type"].text == "audit" }.compactMap { $0[1]["data"].text }
            #expect(logged.count == 4)
            for (entry, text) in zip(entries.reversed(), logged) {
                #expect(try JSONValue(parsing: Array(text.utf8))["id"] == entry["id"])
            }
        }
    }

    @Test("a driver who ends its own tour is no operator")
    func ownTour() async throws {
        try await TestCity.run { city in
            _ = try await city.command(
                "tour_start", "d1", "t1", "B7", "8", "52", "52:0", "", "[]", "w", "52", "1", "", "", "", "0", "")
            #expect(try await city.command("tour_end", "bus_driver", "d1", "", "", "").isOK)
            #expect(try await page(city)?["entries"]?.elements?.isEmpty == true)
        }
    }

    @Test("pages go on where the one before ended, whatever came meanwhile, and entries stay")
    func pages() async throws {
        try await TestCity.run { city in
            for n in 0..<7 {
                #expect(try await city.command("office_block", "o1", "passenger", "p\(n)", "Why.", "0", "").isOK)
            }
            var seen: [String] = []
            var from = ""
            repeat {
                let page = try #require(try await page(city, from: from, 3))
                seen += page["entries"]?.elements?.compactMap { $0["target"]?.text } ?? []
                from = page["next"]?.text ?? ""
                _ = try await city.command("office_unblock", "o1", "passenger", "p\(seen.count)", "")
            } while !from.isEmpty
            #expect(seen == (0..<7).reversed().map { "passenger:p\($0)" })
            // Before the first there is nothing, and nothing is looked through for that.
            for early in ["0-1", "1-1"] { #expect(try await page(city, from: early, 3)?["entries"]?.elements == []) }
            for wrong in ["x", "1", "1-", "-", "+", "99999999999999999999999-1"] {
                #expect(try await city.command("office_audit", wrong, "3") == .refused("bad_message"), "\(wrong)")
            }
            try await city.raw(["HSET", "{test}:settings", "kept_s", "0"])
            for _ in 0..<3 {
                try await city.sweep()
                try await city.call("events_tidy", [])
            }
            #expect(try await city.raw(["XLEN", "{test}:audit"]).int == 9)
        }
    }
}
