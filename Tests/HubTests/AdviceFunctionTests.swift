import RedisLink
import Testing
import Wire

@testable import Hub

/// Who waits where, and who is told to wait elsewhere (advice.lua), against a real Redis.
@Suite struct AdviceFunctionTests {
    private func place(_ city: TestCity, _ drivers: String...) async throws {
        for driver in drivers { try await city.raw(["HSET", "{test}:vehicle:\(driver)", "lat", "45.1", "lon", "9.1"]) }
    }

    private func waiting(_ city: TestCity) async throws -> [Int] {
        (try await city.call("advice_waiting", ["14", "15"])).array?.compactMap { $0.int.map { Int($0) } } ?? []
    }

    private func last(_ city: TestCity) async throws -> [String] {
        (try await city.call("advice_queues", ["1200000", "14", "15"])).array?.map {
            $0.text ?? $0.int.map { "\($0)" } ?? ""
        }
            ?? []
    }

    private func tell(_ city: TestCity, _ driver: String, from: String = "14", to: String = "15") async throws -> Int64?
    {
        let till = String(1_800_000_600_000)
        return try await city.call("advice_tell", ["1200000", driver, from, to, till, #"{"zone":"15","wait_s":60}"#])
            .int
    }

    @Test(
        "Q10: who was sent counts where it was sent, until it is there, busy or late; and it is left alone for a while")
    func sent() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1", "T2", "T3")
            try await place(city, "T2", "T3")
            #expect(try await waiting(city) == [3, 0])
            #expect(try await last(city) == ["T3", "14", "3", "45.1", "9.1", "T2", "14", "2", "45.1", "9.1"])
            #expect(try await tell(city, "T3") == 1)
            #expect(try await waiting(city) == [3, 1])
            #expect(try await city.last("advice.wait", "driver:T3")?["zone"]?.text == "15")
            #expect(try await last(city).first == "T2")
            #expect(try await tell(city, "T3") == 0, "not twice")
            try await city.advance(600_001)
            #expect(try await waiting(city) == [3, 0], "it did not go")
            try await city.advance(600_000)
            #expect(try await tell(city, "T3") == 1)
        }
    }

    @Test("Q10: who has something else to do, is elsewhere, or does not want to know, is not told")
    func notTold() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1", "T2")
            try await place(city, "T1", "T2")
            _ = try await city.request("p1", "r1", "14")
            #expect(try await tell(city, "T1") == 0, "it is asked for a ride")
            #expect(try await tell(city, "T2", from: "15") == 0)
            #expect(try await tell(city, "T9") == 0)
            _ = try await city.command("notify_set", "driver:T2", "advice", "", "", "", "", "")
            #expect(try await tell(city, "T2") == 0)
            #expect(try await city.last("advice.wait", "driver:T2") == nil)
            #expect(try await waiting(city) == [2, 0])
        }
    }

    @Test("one worker advises in a turn; a driver is told how it stands")
    func turns() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1", "T2")
            #expect(try await city.call("advice_turn", ["w1", "60000"]).int == 1)
            #expect(try await city.call("advice_turn", ["w2", "60000"]).int == 0)
            let known = try await city.call("advice_driver", ["T2"]).array
            #expect(known?[0].text == "available" && known?[5].text == "14" && known?[6].text == "2")
            #expect(try await city.call("advice_driver", ["T9"]).array?[0].text == "")
        }
    }
}
