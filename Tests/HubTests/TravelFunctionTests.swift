import Domain
import RedisLink
import Testing

@testable import Hub

/// travel.lua against a real Redis: who teaches the city how long ways take.
@Suite("M15: ways that teach") struct TravelFunctionTests {
    private func teach(_ city: TestCity, _ driver: String, from start: String, to end: String) async throws -> Bool {
        try await city.call("travel_learn", [driver, "1800000000000 0,1,2 60,3,4", start, end]).int == 1
    }

    private func kept(_ city: TestCity) async throws -> Int64? { try await city.raw(["XLEN", "{test}:travelled"]).int }

    @Test("a driver teaches once in two minutes, three times the same, ten times to the same square")
    func limits() async throws {
        try await TestCity.run { city in
            #expect(try await teach(city, "A", from: "1,1", to: "5,5"))
            try await city.advance(119_000)
            #expect(try await !teach(city, "A", from: "9,9", to: "6,6"), "too soon")
            #expect(try await teach(city, "B", from: "1,1", to: "5,5"), "another has limits of its own")
            try await city.advance(1_000)
            for number in 2...4 {
                #expect(try await teach(city, "A", from: "1,1", to: "5,5") == (number <= 3))
                try await city.advance(120_000)
            }
            #expect(try await teach(city, "A", from: "5,5", to: "1,1"), "the way back is another")
            for number in 4...11 {
                try await city.advance(120_000)
                #expect(try await teach(city, "A", from: "1,\(number)", to: "5,5") == (number <= 10))
            }
            #expect(try await kept(city) == 12)
        }
    }

    @Test("a driver teaches 100 times a week; what it taught is forgotten then")
    func aWeek() async throws {
        try await TestCity.run { city in
            for number in 1...101 {
                #expect(try await teach(city, "A", from: "0,0", to: "\(number),0") == (number <= 100))
                try await city.advance(120_000)
            }
            let left = try await city.raw(["TTL", "{test}:taught:A"]).int ?? 0
            #expect((604_000...604_800).contains(left), "it does not begin anew with each way")
            #expect(try await kept(city) == 100)
        }
    }
}
