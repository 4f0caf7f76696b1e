import RedisLink
import Testing
import Wire

@testable import Hub

/// share.lua against a real Redis.
@Suite struct ShareFunctionTests {
    private static let one = "AAAAAAAAAAAAAAAAAAAAA1"
    private static let two = "AAAAAAAAAAAAAAAAAAAAA2"

    /// What a friend sees; nil: nothing.
    private static func seen(_ city: TestCity, _ secret: String = one) async throws -> JSONValue? {
        let bytes = try #require(try await city.call("share_read", [secret]).bytes)
        guard !bytes.isEmpty else { return Optional.none }
        return try JSONValue(parsing: bytes)
    }

    @Test("A friend sees the car from the search to the end, and then nothing of it")
    func wholeRide() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            try await city.position("T1", "45.11", at: 1)
            #expect(try await city.request("p1", "r1", "14").isOK)
            let shared = try await city.command("ride_share", "p1", "", "k", Self.one)
            #expect(shared["link"]?.text == "/follow/#" + Self.one && shared["ride"]?.text == "r1")
            // The same command again is the same link.
            #expect(try await city.command("ride_share", "p1", "", "k", Self.two) == shared)
            #expect(try await Self.seen(city, Self.two) == nil)
            #expect(try await Self.seen(city)?.members?.count == 1)
            #expect(try await Self.seen(city)?["state"]?.text == "searching")
            try await city.call("offer_seen", ["T1", "r1"])
            #expect(try await city.command("offer_accept", "T1", "r1", "", "60").isOK)
            let coming = try #require(try await Self.seen(city))
            #expect(coming["state"]?.text == "accepted" && coming["taxi"] == nil)
            #expect(coming["position"]?["lat"]?.double != nil && coming["goal"]?["lat"]?.double != nil)
            try await city.call("ride_alert", ["T1", "r1", "20", "12", "high"])
            #expect(try await Self.seen(city)?["state"]?.text == "arrived")
            #expect(try await city.command("ride_aboard", "T1", "r1", "1", "").isOK)
            #expect(try await Self.seen(city)?["state"]?.text == "aboard")
            #expect(try await city.command("ride_finish", "T1", "", "14", "").isOK)
            let over = try #require(try await Self.seen(city))
            #expect(over["state"]?.text == "over" && over.members?.count == 1)
            #expect(try await city.command("ride_share", "p1", "r1", "", Self.two) == .refused("not_available"))
        }
    }

    @Test("Three links at most, and all are taken back at once")
    func limits() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            #expect(try await city.request("p1", "r1", "14").isOK)
            let secrets = (0..<4).map { "BBBBBBBBBBBBBBBBBBBBB\($0)" }
            for secret in secrets.prefix(3) { #expect(try await city.command("ride_share", "p1", "", "", secret).isOK) }
            #expect(try await city.command("ride_share", "p1", "", "", secrets[3]) == .refused("not_available"))
            for secret in secrets.prefix(3) { #expect(try await Self.seen(city, secret) != nil) }
            #expect(try await city.command("ride_unshare", "p1", "", "").isOK)
            for secret in secrets { #expect(try await Self.seen(city, secret) == nil) }
            #expect(try await city.command("ride_share", "p1", "", "", secrets[3]).isOK)
        }
    }

    @Test("Nobody shares another's ride, nor one that is not there")
    func others() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            #expect(try await city.request("p1", "r1", "14").isOK)
            #expect(try await city.command("ride_share", "p2", "r1", "", Self.one) == .refused("not_found"))
            #expect(try await city.command("ride_share", "p2", "", "", Self.one) == .refused("not_found"))
            #expect(try await city.command("ride_unshare", "p2", "r1", "") == .refused("not_found"))
            #expect(try await Self.seen(city) == nil)
        }
    }
}
