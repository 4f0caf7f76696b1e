import RedisLink
import Testing
import Wire

@testable import Hub

/// The machine's clock was an hour ahead, and is set back: what was heard before is not the latest for an hour.
@Suite("Hub time is set back") struct ClockSetBackTests: StopLine {
    private static let hour = 3_600_000

    @Test("a worker's clock follows a step back, and is steady when a reading is a bit behind, or was long on its way")
    func worker() {
        var clock = HubClock(scale: 1)
        var backs: [Int64?] = []
        func read(_ hub: Int64, asked: UInt64, at: UInt64) { backs.append(clock.set(hub: hub, asked: asked, at: at)) }
        func times(_ moments: UInt64...) -> [Int64] { moments.map { clock.now(at: $0) } }
        read(7_200_000, asked: 100, at: 100)
        var found = times(200)
        read(7_198_000, asked: 200, at: 200)
        // It stands still for a minute, and is asked before the answer is read.
        found += times(200, 5_200, 65_200)
        read(7_203_000, asked: 5_200, at: 65_200)
        found += times(65_300)
        read(7_263_100, asked: 65_300, at: 65_300)
        #expect(found == [7_200_100, 7_200_100, 7_203_000, 7_263_000, 7_263_000])
        #expect(backs == [nil, nil, nil, nil])
        read(3_663_200, asked: 65_400, at: 65_400)
        found = times(65_500)
        read(3_663_400, asked: 65_600, at: 65_600)
        found += times(65_600)
        #expect(found == [3_663_300, 3_663_400])
        #expect(backs.suffix(2) == [3_599_800, nil], "it is told once")
    }

    @Test("60 hub seconds are a real one in a scaled run: a step is as long in real time")
    func scaled() {
        for (hub, back) in [(7_000_000, nil), (6_950_000, 310_000)] as [(Int64, Int64?)] {
            var clock = HubClock(scale: 60)
            _ = clock.set(hub: 7_200_000, asked: 0, at: 0)
            _ = clock.now(at: 1_000)
            let found = clock.set(hub: hub, asked: 1_000, at: 1_000)
            #expect(found == back)
        }
    }

    @Test("a fix that was heard an hour ahead is no newer, and its vehicle is silent when it sends no more")
    func positions() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            for driver in ["T1", "T2"] {
                try await city.connect(driver)
                try await city.position(driver, "45.1", at: 1)
            }
            try await city.advance(-Self.hour)
            let now = try #require(try await city.field("settings", "clock_hub"))
            // One that was told by an older time ahead would be shown for that long, and nothing of it that follows.
            let shown = try await city.call("feed_city", ["60000", "0", "10"])[1].text ?? ""
            #expect(
                shown.split(separator: "\n").allSatisfy { $0.split(separator: " ")[6] == now } && shown.contains("T2"))
            try await city.position("T1", "45.2", at: 2)
            #expect(try await city.field("vehicle:T1", "lat") == "45.2")
            #expect(try await city.field("vehicle:T1", "heard") == now)
            #expect(try await city.raw(["ZSCORE", "{test}:alive", "T1"]).text == now)
            try await city.advance(1_000_000)
            try await city.sweep()
            #expect(try await city.field("vehicle:T1", "away_why") == "stale")
        }
    }

    @Test("in a scaled run a worker's clock may be ahead by as much real time: that is no step back")
    func scaledAhead() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            try await city.position("T1", "45.1", at: 1)
            let heard = try #require(try await city.field("settings", "clock_hub").flatMap { Int64($0) })
            let time = try await city.raw(["TIME"]).array?.compactMap { $0.text.flatMap { Int64($0) } } ?? []
            try #require(time.count == 2)
            let clock = ["clock_scale", "60", "clock_real", "\(time[0] * 1000)", "clock_hub", "\(heard - 290_000)"]
            try await city.raw(["HSET", "{test}:settings"] + clock)
            try await city.position("T1", "45.2", at: 2)
            let lat = try await city.field("vehicle:T1", "lat")
            let now = try #require(try await city.call("city_now", []).text.flatMap { Int64($0) })
            // On a machine that has stood still for seconds hub time has come there.
            #expect(lat == "45.1" || now >= heard)
        }
    }

    @Test("a worker that swept an hour ahead and died is dead when it has been silent for as long as any other")
    func workers() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            @Sendable func sweep() async throws { try await city.call("city_sweep", ["w2", "\(Self.hour)", "", ""]) }
            @Sendable func swept(_ worker: String) async throws -> Int? {
                try await city.raw(["ZSCORE", "{test}:workers", worker]).text.flatMap { Int($0) }
            }
            try await sweep()
            let now = try #require(try await swept("w2"))
            try await city.raw(["ZADD", "{test}:workers", "\(now + Self.hour)", "w", "\(now - 1_000)", "w3"])
            try await sweep()
            let swept2 = try await swept("w2")
            #expect(try await swept("w") == swept2)
            #expect(try await swept("w3") == now - 1_000)
            #expect(try await city.field("vehicle:T1", "away") == nil)
            try await city.raw(["ZINCRBY", "{test}:workers", "\(-Self.hour)", "w"])
            try await sweep()
            #expect(try await swept("w") == nil)
            #expect(try await city.field("vehicle:T1", "away_why") == "connection_lost")
        }
    }

    @Test("M10: a meter goes on")
    func meter() async throws {
        try await TestCity.run { city in
            try await city.raw(["HSET", "{test}:settings", "max_speed_mps", "45"])
            try await city.queue("14", "T1")
            try await city.position("T1", "45.1", at: 1)
            try await city.assign("r1", of: "p1", to: "T1")
            #expect(try await city.command("ride_aboard", "T1", "", "", "").isOK)
            @Sendable func drive(_ steps: ClosedRange<Int>) async throws -> Double {
                for step in steps {
                    try await city.advance(10_000)
                    try await city.position("T1", "45.1\(step < 10 ? "0" : "")\(step)", at: step)
                }
                return try await city.field("vehicle:T1", "meter")?.split(separator: " ").first.flatMap { Double($0) }
                    ?? 0
            }
            // 111 m each.
            let before = try await drive(1...10)
            #expect((800...1_200).contains(before))
            try await city.advance(-Self.hour)
            let after = try await drive(11...20)
            #expect((1_900...2_300).contains(after), "\(after)")
        }
    }

    @Test("a bus goes on")
    func bus() async throws {
        try await TestCity.run { city in
            try await start(city)
            try await drive(city, to: 1_000)
            try await drive(city, to: 1_100, after: -Self.hour)
            #expect(try await city.field("tour:t1", "lat") == Self.lat(1_100))
            try await drive(city, to: 1_200)
            #expect(try await city.field("tour:t1", "lat") == Self.lat(1_200))
        }
    }
}
