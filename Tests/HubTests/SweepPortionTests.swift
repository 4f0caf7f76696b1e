import RedisLink
import Testing
import Wire

@testable import Hub

/// What falls due together is done in several sweeps (sweep.lua), against a real Redis.
@Suite struct SweepPortionTests {
    @Test("C30, C60: where many wait, offers that end together end some in each sweep, the first of them first")
    func offers() async throws {
        try await TestCity.run { city in
            let words = (0..<6).map { "w\($0)" }
            let drivers = (0..<10).map { "T\($0)" }
            for word in words { try await city.raw(["SADD", "{test}:able:\(word)"] + drivers) }
            for driver in drivers { try await city.queue("14", driver) }
            for number in 0..<70 {
                // Each needs something else.
                let needs = words.indices.filter { (number % 63 + 1) >> $0 & 1 == 1 }.map { words[$0] }
                let asked = try await city.command(
                    "ride_request", "p\(number)", "r\(number)", "14", "45.1", "9.1", "2", "", "", "", "",
                    needs.joined(separator: " "), "", "1")
                #expect(asked.isOK)
            }
            func open() async throws -> Int64? { try await city.raw(["ZCARD", "{test}:offers"]).int }
            func due() async throws -> Int {
                let now = try #require(try await city.call("city_now", []).int)
                return Int(try await city.raw(["ZCOUNT", "{test}:looks", "-inf", String(now)]).int ?? -1)
            }
            #expect(try await open() == 10)
            // Nobody shows its offer.
            try await city.advance(3_600)
            var left: [Int64?] = []
            var looks: [Int] = []
            var isFourthOpen: [Bool] = []
            for _ in 0..<7 {
                try await city.call("city_deadlines", [])
                left.append(try await open())
                looks.append(try await due())
                isFourthOpen.append(try await city.offered("r3") != nil)
            }
            #expect(left == [7, 4, 1, 0, 0, 0, 0])
            #expect(isFourthOpen.prefix(2) == [true, false])
            // As long as offers end, what had waited for an answer is looked at later.
            #expect(looks[0] > 50 && looks[2] > 50, "\(looks)")
            #expect(looks.last == 0, "\(looks)")
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test("C33, C60: of many taxis that are lost together some leave their queue in each sweep")
    func lost() async throws {
        try await TestCity.run { city in
            for number in 0..<40 { try await city.queue("14", "T\(number)") }
            for number in 0..<40 { try await city.call("driver_gone", ["T\(number)", "s-T\(number)"]) }
            try await city.advance(60_000)
            var left: [Int] = []
            var isMore: [Bool] = []
            for _ in 0..<3 {
                isMore.append(try await city.call("city_sweep", ["w", "5000", "", ""])[6].int == 1)
                left.append(try await city.order("14").count)
            }
            #expect(left == [15, 0, 0])
            #expect(isMore == [true, false, false])
            #expect(try await city.brokenInvariants() == [])
        }
    }
}
