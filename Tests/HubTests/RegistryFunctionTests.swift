import Foundation
import RedisLink
import Testing
import Wire

@testable import Hub

@Suite("Q9, M12: records of drivers and vehicles")
struct RegistryFunctionTests {
    @Test("a driver is registered, changed, listed and removed; each change is in the audit and in the log")
    func driver() async throws {
        try await TestCity.run { city in
            let record =
                #"{"driver":"D1","name":"Ada","phone":"1","licence_until":"2027-06-30","capabilities":["dogs"]}"#
            let reply = try await city.command("registry_set_driver", "office", record, "k")
            #expect(reply["changed"] == .bool(true))
            #expect(try await city.command("registry_set_driver", "office", record, "k") == reply)
            #expect(try await city.command("registry_set_driver", "other", record, "")["changed"] == .bool(false))
            let kept = try await city.command("registry_get", "driver", "D1")
            #expect(kept["name"]?.text == "Ada" && kept["by"]?.text == "office")
            #expect(kept["capabilities"] == .array([.string("dogs")]))
            let other = #"{"driver":"D1","name":"Ada Rossi"}"#
            #expect(try await city.command("registry_set_driver", "office", other, "").isOK)
            #expect(try await city.command("registry_get", "driver", "D1")["phone"] == nil)
            #expect(try await city.command("registry_remove_driver", "office", "D1", "").isOK)
            #expect(try await city.command("registry_get", "driver", "D1") == .refused("not_found"))
            #expect(try await city.command("registry_remove_driver", "office", "D1", "") == .refused("not_found"))
            let audit = try await city.raw(["XRANGE", "{test}:audit", "-", "+"]).array ?? []
            let acts = try audit.map { try JSONValue(parsing: $0[1]["act"].text ?? "") }
            #expect(acts.compactMap { $0["command"]?.text } == ["drivers.set", "drivers.set", "drivers.remove"])
            #expect(acts[0]["before"]?["registered"] == .bool(false))
            #expect(acts[0]["after"]?["licence_until"]?.text == "2027-06-30")
            #expect(acts.allSatisfy { $0["after"]?["name"] == nil })
            let types = (try await city.raw(["XRANGE", "{test}:events", "-", "+"]).array ?? []).compactMap {
                $0[1]["type"].text
            }
            #expect(
                types.filter { $0.hasPrefix("driver.") } == [
                    "driver.registered", "driver.registered", "driver.removed",
                ])
            // Nothing of it stays.
            for key in ["drivers", "driver-ids", "driver-ends", "papers-due", "standing", "drivers-of:D1", "words"] {
                #expect(try await city.raw(["EXISTS", "{test}:" + key]).int == 0, "\(key)")
            }
        }
    }

    @Test("who changes a part of a record does so from what it has read, or is refused")
    func changedMeanwhile() async throws {
        try await TestCity.run { city in
            func set(_ name: String, _ seen: String) async throws -> TestCity.Outcome {
                let record = #"{"driver":"D1","name":"\#(name)"}"#
                return try await city.command("registry_set_driver", "kerbside:root", record, "", seen)
            }
            func written() async throws -> String {
                String(try await city.command("registry_get", "driver", "D1")["at"]?.integer ?? 0)
            }
            #expect(try await set("Ada", "0").isOK)
            let first = try await written()
            #expect(try await set("Bo", "0") == .refused("not_available"), "it is there by now")
            #expect(try await set("Bo", first).isOK)
            try await city.advance(1000)
            #expect(try await set("Cy", "").isOK)
            #expect(try await set("Di", first) == .refused("not_available"))
            #expect(try await set("Cy", first)["changed"] == .bool(false))
            #expect(try await set("Di", try await written()).isOK)
            #expect(try await city.command("registry_remove_driver", "office", "D1", "").isOK)
            #expect(try await set("Ed", first) == .refused("not_available"))
            let car = #"{"vehicle":"V1","plate":"AB 1"}"#
            let code = String(repeating: "a", count: 22)
            #expect(
                try await city.command("registry_set_vehicle", "o", car, code, "", "", "5") == .refused("not_available")
            )
            #expect(try await city.command("registry_set_vehicle", "o", car, code, "", "", "0").isOK)
        }
    }

    @Test("lists come in pages; those whose papers end come first to end first, also beside one another")
    func lists() async throws {
        try await TestCity.run { city in
            let dates = ["2027-03-01", "2027-02-28", "2027-03-01", "2027-12-31", "2027-02-28"]
            for (index, date) in dates.enumerated() {
                try await city.register("D\(index + 1)", licence: date, medical: "2029-01-01")
            }
            try await city.register("D6")
            func page(_ from: String, _ endsBy: String) async throws -> (ids: [String], next: String) {
                let reply = try await city.command("registry_list", "driver", from, "2", endsBy)
                return ((reply["drivers"]?.elements ?? []).compactMap { $0["driver"]?.text }, reply["next"]?.text ?? "")
            }
            func pages(_ endsBy: String) async throws -> [[String]] {
                var found: [[String]] = []
                var from = ""
                repeat {
                    let (ids, next) = try await page(from, endsBy)
                    found.append(ids)
                    from = next
                } while !from.isEmpty
                return found
            }
            #expect(try await pages("") == [["D1", "D2"], ["D3", "D4"], ["D5", "D6"]])
            #expect(try await pages("2027-03-01") == [["D2", "D5"], ["D1", "D3"]])
            #expect(try await pages("2027-02-27") == [[]])
            // The next page begins where it did, though the driver that it begins with is renewed.
            let (_, next) = try await page("", "2027-03-01")
            try await city.register("D1", licence: "2029-01-01", medical: "2029-01-01")
            #expect(try await page(next, "2027-03-01").ids == ["D3"])
            #expect(try await page("", "2029-01-01").ids == ["D2", "D5"])
        }
    }

    @Test("a paper holds until midnight by the city's clock, also where that has just changed")
    func midnight() async throws {
        try await TestCity.run { city in
            // Test cities begin on 2027-01-15 at 08:00 UTC.
            try await city.connect("D1")
            try await city.register("D1", licence: "2027-03-27", medical: "2027-12-31")
            func mayDrive(at utc: String, clock: String) async throws -> Bool {
                let time = try #require(try? Date(utc, strategy: .iso8601))
                try await city.raw([
                    "HSET", "{test}:settings", "clock_hub", "\(Int(time.timeIntervalSince1970 * 1000))",
                ])
                try await city.raw(["HSET", "{test}:clocks", "city", clock])
                let outcome = try await city.command("driver_available", "D1", "14", "", "", "")
                _ = try await city.command("driver_unavailable", "D1", "")
                if !outcome.isOK { #expect(outcome == .refused("forbidden")) }
                return outcome.isOK
            }
            // Rome, an hour from UTC, and two from 2027-03-28 01:00 UTC on.
            let rome = "3600 1806195600000 7200"
            #expect(try await mayDrive(at: "2027-03-27T22:59:59Z", clock: rome))
            #expect(try await !mayDrive(at: "2027-03-27T23:00:00Z", clock: rome))
            try await city.register("D1", licence: "2027-03-28", medical: "2027-12-31")
            #expect(try await mayDrive(at: "2027-03-27T23:00:00Z", clock: rome))
            #expect(try await mayDrive(at: "2027-03-28T21:59:59Z", clock: rome))
            #expect(try await !mayDrive(at: "2027-03-28T22:00:00Z", clock: rome))
            // West of Greenwich the day is longer, east of it shorter.
            #expect(try await mayDrive(at: "2027-03-29T07:59:59Z", clock: "-28800 0 -28800"))
            #expect(try await !mayDrive(at: "2027-03-29T08:00:00Z", clock: "-28800 0 -28800"))
            #expect(try await mayDrive(at: "2027-03-28T09:59:59Z", clock: "50400 0 50400"))
            #expect(try await !mayDrive(at: "2027-03-28T10:00:00Z", clock: "50400 0 50400"))
            // The refusal says which and when; renewed it goes on.
            let text = try await city.call("driver_available", ["D1", "14", "", "", ""]).text ?? ""
            #expect(text.contains("licence ended on 2027-03-28"))
            try await city.register("D1", licence: "2028-02-29", medical: "2027-12-31")
            let winter = "7200 1824944400000 3600"
            #expect(try await mayDrive(at: "2027-12-31T22:59:59Z", clock: winter))
            #expect(try await !mayDrive(at: "2027-12-31T23:00:00Z", clock: winter))
            let medical = try await city.call("driver_available", ["D1", "14", "", "", ""]).text ?? ""
            #expect(medical.contains("medical certificate ended on 2027-12-31"))
        }
    }

    @Test("unknown drivers may go available, unless the city wants them registered with both papers")
    func mustBeRegistered() async throws {
        try await TestCity.run { city in
            try await city.connect("D1")
            func goes() async throws -> TestCity.Outcome {
                let outcome = try await city.command("driver_available", "D1", "14", "", "", "")
                _ = try await city.command("driver_unavailable", "D1", "")
                return outcome
            }
            #expect(try await goes().isOK)
            try await city.raw(["HSET", "{test}:settings", "must_be_registered", "1"])
            #expect(try await goes() == .refused("forbidden"))
            try await city.register("D1", licence: "2027-06-30")
            #expect(try await goes() == .refused("forbidden"))
            try await city.register("D1", licence: "2027-06-30", medical: "2027-06-30")
            #expect(try await goes().isOK)
            // A vehicle of its name makes no driver of it.
            _ = try await city.command("registry_remove_driver", "office", "D1", "")
            _ = try await city.command("registry_set_vehicle", "office", #"{"vehicle":"D1","plate":"X"}"#, "c", "", "")
            #expect(try await goes() == .refused("forbidden"))
        }
    }

    @Test("reminders: three months, 30 days and 7 days before, and on the day; each once, whoever sweeps how often")
    func reminders() async throws {
        try await TestCity.run { city in
            try await city.connect("D1")
            try await city.register("D1", licence: "2027-06-30", medical: "2028-06-30")
            var told: [(Int, String)] = []
            for day in 0..<180 {
                // Both workers, some time after midnight.
                for worker in ["w", "v", "w"] { try await city.call("city_sweep", [worker, "5000", "0", "0 0 0"]) }
                let facts = try await city.last("papers.ending", "office")
                let events = try await city.told("office").filter { $0 == "papers.ending" }.count
                if events > told.count {
                    told.append((Int(facts?["days"]?.integer ?? -1), facts?["until"]?.text ?? ""))
                }
                #expect(events == told.count, "day \(day)")
                try await city.advance(86_400_000)
            }
            #expect(told.map(\.0) == [90, 30, 7, 0] && told.allSatisfy { $0.1 == "2027-06-30" })
            #expect(try await city.told("driver:D1").filter { $0 == "notice" }.count == 4)
            let notice = try await city.last("notice", "driver:D1")
            #expect(notice?["text"]?.text?.hasPrefix("Your licence ends today.") == true)
            // Of the medical certificate the first one is still to come.
            #expect(try await city.raw(["ZCARD", "{test}:papers-due"]).int == 1)
        }
    }

    @Test("who is registered late is reminded at once; the same record again, or an expired one, does not remind twice")
    func late() async throws {
        try await TestCity.run { city in
            func sweep() async throws { try await city.call("city_sweep", ["w", "5000", "0", "0 0 0"]) }
            func events() async throws -> Int { try await city.told("office").filter { $0 == "papers.ending" }.count }
            try await city.register("D1", licence: "2027-02-01")
            try await sweep()
            #expect(try await events() == 1)
            #expect(try await city.last("papers.ending", "office")?["days"]?.integer == 17)
            try await city.register("D1", licence: "2027-02-01", name: "Ada Rossi")
            try await sweep()
            #expect(try await events() == 1)
            try await city.register("D2", medical: "2026-12-31")
            for _ in 0..<3 { try await sweep() }
            #expect(try await events() == 2)
            #expect(try await city.last("papers.ending", "office")?["days"]?.integer == -15)
            // Renewed in time: the dates of the old paper are forgotten.
            try await city.register("D1", licence: "2029-02-01")
            try await city.advance(30 * 86_400_000)
            try await sweep()
            #expect(try await events() == 2)
        }
    }

    @Test("of many papers that end on one day twenty are told by a sweep, which says that more is due")
    func manyReminders() async throws {
        try await TestCity.run { city in
            func hasMore() async throws -> Bool { try await city.hasMore(offset: "0", clock: "0 0 0") }
            func events() async throws -> Int { try await city.told("office").filter { $0 == "papers.ending" }.count }
            for n in 0..<25 { try await city.register("D\(n)", licence: "2027-02-01") }
            #expect(try await hasMore())
            #expect(try await events() == 20)
            #expect(try await !hasMore())
            #expect(try await events() == 25)
        }
    }

    @Test("the passenger is shown who comes, also after a change and in its snapshot; no phone, no licence")
    func card() async throws {
        try await TestCity.run { city in
            let car = #"{"vehicle":"V1","plate":"AB 1","model":"Skoda","colour":"white","company":"Rossi"}"#
            let code = try await city.command("registry_set_vehicle", "office", car, "code1", "", "")["code"]?.text
            try await city.register("D1", licence: "2028-01-01", vehicle: "V1", phone: "12")
            try await city.queue("14", "D1", "D2")
            try await city.assign("r1", of: "p", to: "D1")
            let card = try await city.last("ride.accepted", "passenger:p")?["card"]
            #expect(
                card == [
                    "name": "Ada", "plate": "AB 1", "model": "Skoda", "colour": "white", "company": "Rossi",
                    "code": "code1",
                ])
            #expect(code == "code1")
            // At once, though the driver is on its ride.
            let other = car.replacingOccurrences(of: "white", with: "black")
            #expect(
                try await city.command("registry_set_vehicle", "office", other, "code2", "1", "")["code"]?.text
                    == "code2")
            let state = try JSONValue(parsing: try await city.call("passenger_state", ["p"]).text ?? "")
            #expect(
                state["ride"]?["card"]?["colour"]?.text == "black" && state["ride"]?["card"]?["code"]?.text == "code2")
            try await city.assign("r2", of: "q", to: "D2")
            #expect(try await city.last("ride.accepted", "passenger:q")?["card"] == nil)
            // Of who is gone nothing is shown.
            _ = try await city.command("registry_remove_vehicle", "office", "V1", "")
            #expect(try await city.command("registry_remove_driver", "office", "D1", "").isOK)
            #expect(try await city.field("vehicle:D1", "card") == nil)
        }
    }

    @Test("who has a token changes 60 records in a minute at most; kerbside on the hub's machine brings whole tables")
    func manyChanges() async throws {
        try await TestCity.run { city in
            func set(_ number: Int, by operator: String) async throws -> TestCity.Outcome {
                try await city.command(
                    "registry_set_vehicle", `operator`, #"{"vehicle":"V\#(number)","plate":"AB"}"#, "c\(number)", "", ""
                )
            }
            let first = try await set(1, by: "office")
            #expect(first.isOK)
            for number in 2...60 { #expect(try await set(number, by: "office").isOK) }
            #expect(try await set(61, by: "office") == .refused("rate_limited"))
            #expect(try await city.command("registry_get", "vehicle", "V61") == .refused("not_found"))
            for number in 61...200 { #expect(try await set(number, by: "kerbside:root").isOK) }
        }
    }

    @Test("a sign leads to its vehicle, and says who drives it now; a lost one leads nowhere")
    func sign() async throws {
        try await TestCity.run { city in
            func seen(_ code: String) async throws -> JSONValue? {
                let text = try await city.call("registry_verify", [code]).text ?? ""
                return text.isEmpty ? JSONValue?.none : try JSONValue(parsing: text)
            }
            _ = try await city.command(
                "registry_set_vehicle", "office", #"{"vehicle":"V1","plate":"AB 1"}"#, "code1", "", "")
            try await city.register("D1", vehicle: "V1", phone: "12")
            try await city.register("D2", name: "Bo", vehicle: "V1")
            let idle = try await seen("code1")
            #expect(idle == ["vehicle": "V1", "plate": "AB 1", "on_duty": false])
            try await city.queue("14", "D2")
            #expect(try await seen("code1")?["driver"] == ["name": "Bo"])
            try await city.assign("r1", of: "p", to: "D2")
            let busy = try await seen("code1")
            #expect(
                busy?["on_duty"] == .bool(true)
                    && busy?.members?.keys.sorted() == ["driver", "on_duty", "plate", "vehicle"])
            _ = try await city.command(
                "registry_set_vehicle", "office", #"{"vehicle":"V1","plate":"AB 1"}"#, "code2", "1", "")
            #expect(try await seen("code1") == JSONValue?.none)
            #expect(try await seen("code2")?["driver"] == ["name": "Bo"])
            #expect(try await city.command("registry_remove_vehicle", "office", "V1", "") == .refused("not_available"))
            try await city.register("D1")
            try await city.register("D2", name: "Bo")
            #expect(try await city.command("registry_remove_vehicle", "office", "V1", "").isOK)
            #expect(try await seen("code2") == JSONValue?.none)
            // A taxi by its driver's own name, who has no record.
            _ = try await city.command(
                "registry_set_vehicle", "office", #"{"vehicle":"T9","plate":"T 9"}"#, "code9", "", "")
            try await city.queue("15", "T9")
            #expect(try await seen("code9") == ["vehicle": "T9", "plate": "T 9", "on_duty": true])
        }
    }

    @Test("a vehicle that is not there is refused, and so is a driver too many")
    func vehicles() async throws {
        try await TestCity.run { city in
            let lost = #"{"driver":"D1","name":"Ada","vehicle":"V1"}"#
            #expect(try await city.command("registry_set_driver", "office", lost, "") == .refused("not_found"))
            _ = try await city.command(
                "registry_set_vehicle", "office", #"{"vehicle":"V1","plate":"AB 1"}"#, "c", "", "")
            for number in 1...20 { try await city.register("D\(number)", vehicle: "V1") }
            let many = #"{"driver":"D21","name":"Ada","vehicle":"V1"}"#
            #expect(try await city.command("registry_set_driver", "office", many, "") == .refused("not_available"))
            try await city.register("D20")
            #expect(try await city.command("registry_set_driver", "office", many, "").isOK)
        }
    }

    @Test("it costs one command to go available, and nothing to ask for a ride, be offered one and accept it")
    func cost() async throws {
        try await TestCity.run { city in
            func calls() async throws -> Int {
                let lines = try await city.raw(["INFO", "commandstats"]).text?.split(separator: "\r\n") ?? []
                let named = ["hget", "hmget", "hset", "hgetall", "hdel", "hexists", "zadd"].map {
                    "cmdstat_\($0):calls="
                }
                return lines.filter { line in named.contains { line.hasPrefix($0) } }
                    .compactMap {
                        $0.split(separator: "=").dropFirst().first.flatMap { Int($0.prefix { $0.isNumber }) }
                    }
                    .reduce(0, +)
            }
            func measured(_ driver: String, _ ride: String) async throws -> [Int] {
                try await city.connect(driver)
                let first = try await calls()
                _ = try await city.command("driver_available", driver, "14", "", "", "")
                let second = try await calls()
                try await city.assign(ride, of: "p-" + driver, to: driver)
                return [second - first, try await calls() - second]
            }
            try await city.register("D2", licence: "2028-01-01", medical: "2028-01-01")
            _ = try await measured("D0", "r0")
            let unknown = try await measured("D1", "r1")
            #expect(try await measured("D2", "r2") == unknown)
        }
    }
}

extension TestCity {
    /// Writes the record of a driver.
    func register(
        _ driver: String, licence: String? = nil, medical: String? = nil, name: String = "Ada", vehicle: String? = nil,
        phone: String? = nil
    ) async throws {
        var record = DriverRecord(driver: driver, name: name)
        (record.licenceUntil, record.medicalUntil, record.vehicle, record.phone) = (licence, medical, vehicle, phone)
        let outcome = try await command(
            "registry_set_driver", "office", String(decoding: record.json, as: UTF8.self), "")
        #expect(outcome.isOK)
    }
}
