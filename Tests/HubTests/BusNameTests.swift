import RedisLink
import Testing
import Wire

@testable import Hub

/// A driver with the name of a bus, against a real Redis.
@Suite struct BusNameTests {
    private func start(_ city: TestCity, _ bus: String = "B7") async throws -> TestCity.Outcome {
        try await city.command(
            "tour_start", "d1", "t_1", bus, "8", "52", "52:0", "t1", #"["a","b"]"#, "w", "52", "1", "", "", "",
            "1800000000", "")
    }

    private func hello(_ city: TestCity, _ driver: String, _ session: String = "w.2") async throws -> RedisReply {
        try await city.call("session_hello", ["driver", driver, session, "w", ""])
    }

    private func takeIntoUse(_ city: TestCity, bus: String) async throws {
        try await city.raw(["HSET", "{test}:catalog", "version", "v1"])
        try await city.raw(["HSET", "{test}:catalog:v1:buses", bus, "{}"])
    }

    @Test("C60: who has the name of a bus of the catalog is no driver, on tour or not")
    func isRefused() async throws {
        try await TestCity.run { city in
            try await takeIntoUse(city, bus: "B7")
            #expect(try await hello(city, "B7").text?.hasPrefix("-forbidden\n") == true)
            #expect(try await city.raw(["EXISTS", "{test}:vehicle:B7"]).int == 0)
            #expect(try await start(city).isOK)
            #expect(try await hello(city, "B7").text?.hasPrefix("-forbidden\n") == true)
            #expect(try await city.field("vehicle:B7", "kind") == "bus")
            #expect(try await city.field("vehicle:B7", "session") == nil)
            #expect(try await hello(city, "B8").array?.count == 11)
            // The catalog has it no more, and it is on tour still.
            try await city.raw(["DEL", "{test}:catalog:v1:buses"])
            #expect(try await hello(city, "B7").text?.hasPrefix("-forbidden\n") == true)
            #expect(try await city.command("tour_end", "bus_driver", "d1", "", "", "").isOK)
            #expect(try await hello(city, "B7").array?.count == 11)
            #expect(try await city.field("vehicle:B7", "kind") == "taxi")
        }
    }

    @Test(
        "C60: a tour takes its bus' name over from who waits", arguments: ["taxi", "minibus"])
    func takesOver(kind: String) async throws {
        try await TestCity.run { city in
            if kind == "taxi" {
                try await city.queue("14", "T1", "B7")
                try await city.raw(["ZADD", "{test}:links:driver:B7", "1", "s-B7"])
            } else {
                try await city.minibus("B7", seats: 4)
                _ = try await city.command("driver_available", "B7", "", "", "", "")
                #expect(try await city.book("p1", "b1", "B7", 2).isOK)
            }
            try await takeIntoUse(city, bus: "B7")
            let closed = try await city.heard(on: Channel.partition("driver:B7")) {
                let reply = try await start(city)
                #expect(reply.isOK)
            }
            #expect(closed.filter { $0.type == "name_taken" }.map(\.meta) == ["s-B7"])
            #expect(try await city.order("14") == (kind == "taxi" ? ["T1"] : []))
            #expect(try await city.field("vehicle:B7", "kind") == "bus")
            #expect(try await city.field("vehicle:B7", "session") == nil)
            #expect(try await city.raw(["SISMEMBER", "{test}:drivers:w", "B7"]).int == 0)
            if kind == "minibus" { #expect(try await city.field("booking:b1", "state") == "declined") }
            // What was under way from the driver when it lost the name.
            for command in [
                ["driver_available", "B7", "14", "", "", ""], ["driver_unavailable", "B7", ""],
                ["seats_set", "B7", "1", "4", "", ""], ["route_set", "B7", "9", "", "", ""],
            ] {
                let reply = try await city.call(command[0], Array(command.dropFirst()))
                #expect(reply.text?.hasPrefix("-forbidden\n") == true, "\(command[0])")
            }
            #expect(try await city.call("driver_move", ["B7", "15"]).int == 0)
            #expect(try await city.call("driver_outside", ["B7"]).int == 0)
            try await city.call("positions_take", ["B7", "s-B7", "45.1", "9.1", "1", "", "", "", ""])
            try await city.call("driver_gone", ["B7", "s-B7"])
            try await city.advance(3_600_000)
            try await city.sweep()
            #expect(try await city.field("vehicle:B7", "kind") == "bus")
            #expect(try await city.brokenInvariants().isEmpty)
        }
    }

    @Test("C60: who has a passenger keeps the name until the ride is over, and may come back for it")
    func hasPassengers() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "B7")
            try await city.assign("r1", of: "p1", to: "B7")
            try await takeIntoUse(city, bus: "B7")
            #expect(try await start(city) == .refused("not_available"))
            #expect(try await hello(city, "B7").array?.count == 11)
            #expect(try await city.command("ride_cancel", "passenger", "p1", "", "", "").isOK)
            #expect(try await start(city).isOK)
            #expect(try await city.order("14") == [])
            #expect(try await city.brokenInvariants().isEmpty)
        }
    }

    private func position(_ city: TestCity, _ session: String, _ lat: String) async throws {
        try await city.call("positions_take", ["B7", session, lat, "9.1", "1", "90", "5", "c1", ""])
    }

    /// What who watches this one vehicle is shown; empty: nothing.
    private func shown(_ city: TestCity) async throws -> String? {
        try await city.call("feed_watch", ["60000", "B7"]).array?.first?.text
    }

    private static let place = ["lat", "lon", "at", "heading", "speed", "heard", "cell"]

    @Test(
        "C60: where a driver was is not told as the place of the bus that takes its name",
        arguments: ["off duty", "on duty", "a minibus", "forgotten by Redis"])
    func placeIsTheDriversOwn(kind: String) async throws {
        try await TestCity.run { city in
            switch kind {
            case "off duty": try await city.connect("B7")
            case "on duty": try await city.queue("14", "B7")
            case "a minibus": try await city.minibus("B7", seats: 4)
            default: break
            }
            try await position(city, "s-B7", "45.1")
            #expect(try await shown(city)?.contains("45.1") == true)
            try await takeIntoUse(city, bus: "B7")
            let told = try await city.heard(on: Channel.partition("vehicle:B7")) {
                let reply = try await start(city)
                #expect(reply.isOK)
            }
            let rows = told.filter { $0.type == "record" }.map { String(decoding: $0.data, as: UTF8.self) }
            #expect(rows.allSatisfy { !$0.contains(" bus ") }, "\(rows)")
            for field in Self.place { #expect(try await city.field("vehicle:B7", field) == nil, "\(field)") }
            #expect(try await shown(city) == "")
            #expect(try await city.call("feed_state", ["1000000000", "c1"]).array?.first?.text == "")
            #expect(try await city.raw(["ZSCORE", "{test}:pos", "B7"]).text == nil)
            // Its own is.
            try await position(city, "bus", "45.2")
            #expect(try await shown(city)?.contains("45.2") == true)
            #expect(try await city.raw(["SISMEMBER", "{test}:cell:c1", "B7"]).int == 1)
        }
    }

    @Test("C60: a fix that was under way when the name went to a bus, or came back, is nobody's")
    func lateFixes() async throws {
        try await TestCity.run { city in
            try await city.connect("B7")
            try await takeIntoUse(city, bus: "B7")
            #expect(try await start(city).isOK)
            for session in ["s-B7", ""] {
                try await position(city, session, "45.1")
                #expect(try await city.field("vehicle:B7", "lat") == nil, "\(session)")
            }
            try await position(city, "bus", "45.2")
            #expect(try await city.command("tour_end", "bus_driver", "d1", "", "", "").isOK)
            try await city.raw(["DEL", "{test}:catalog:v1:buses"])
            try await city.connect("B7")
            try await position(city, "s-B7", "45.3")
            try await position(city, "bus", "45.4")
            #expect(try await city.field("vehicle:B7", "lat") == "45.3")
        }
    }
}
