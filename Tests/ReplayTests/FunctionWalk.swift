import EventLoop
import Foundation
import RedisLink

@testable import Replay

/// Calls the hub's Redis functions at random, as many drivers and passengers would, in a private Redis, and lets the
/// checker judge log and state. `edit` changes the functions' text first, to see that the checker notices.
actor FunctionWalk {
    nonisolated let thread: LoopThread
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.loop.asUnownedSerialExecutor() }

    private let directory: String
    private lazy var redis = EmbeddedRedis(loop: thread.loop, directory: directory)
    private lazy var connection = RedisConnection(loop: thread.loop, endpoint: .unix(path: directory + "/redis.sock"))
    private let library: FunctionLibrary
    private var dice: Dice
    private let drivers = (1...12).map { "D\($0)" }
    private let passengers = (1...20).map { "p\($0)" }
    private let zones = ["1", "2", "3"]
    private var names = 0
    private var hubMs: Int64 = 0
    /// What is broken may fail as well, in the middle of a step.
    private let mayFail: Bool

    private init(thread: LoopThread, directory: String, library: FunctionLibrary, seed: UInt64, mayFail: Bool) {
        self.mayFail = mayFail
        self.thread = thread
        self.directory = directory
        self.library = library
        dice = Dice(seed: seed)
    }

    struct Result {
        var violations: [Violation]
        var types: [String: Int]
    }

    static func run(seed: UInt64, steps: Int, edit: ((inout String) -> Void)? = nil) async throws -> Result {
        var text = try functions()
        edit?(&text)
        let directory = "/tmp/kr-" + UUID().uuidString.prefix(8)
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let thread = try LoopThread()
        defer { thread.stop() }
        let walk = FunctionWalk(
            thread: thread, directory: directory, library: FunctionLibrary(text), seed: seed,
            mayFail: edit != nil)
        // A server that is left running would be waited for when the tests end.
        do {
            let result = try await walk.walk(steps)
            await walk.stop()
            return result
        } catch {
            await walk.stop()
            throw error
        }
    }

    private func stop() async {
        connection.close()
        await withCheckedContinuation { continuation in redis.stop { continuation.resume() } }
    }

    /// The functions as the hub puts them together.
    private static func functions() throws -> String {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Sources/Hub/Functions")
        return try ["core", "notify", "queue", "offer", "ride", "driver", "presence", "sweep"].map { name in
            try String(contentsOf: folder.appendingPathComponent(name + ".lua"), encoding: .utf8)
        }.joined(separator: "\n")
    }

    private func walk(_ steps: Int) async throws -> Result {
        try await redis.start()
        await withCheckedContinuation { continuation in
            connection.onUp = { continuation.resume() }
            connection.start()
        }
        connection.onUp = nil
        // Hub time stands still but for what each step adds, so that the same seed gives the same walk.
        let settings: [RedisArgument] = [
            "offer_timeout_ms", 10_000, "offer_seen_timeout_ms", 3_000, "accept_grace_ms", 500, "rounds", 2,
            "max_passengers", 3, "search_timeout_ms", 300_000, "seat_hold_ms", 60_000, "away_grace_ms", 60_000,
            "recovery_ms", 1_800_000,
            "stale_after_ms", 150_000, "idempotency_ttl_s", 86_400, "history_length", 1_000, "history_ttl_s", 86_400,
            "events_length", 1_000_000, "tour_late_s", 120, "tour_lost_ms", 7_200_000, "clock_scale", 0, "clock_real",
            0,
            "clock_hub", 0,
        ]
        _ = try await connection.send(["HSET", "{test}:settings"] + settings)
        let reader = CityReader(loop: thread.loop, endpoint: connection.endpoint, city: "test")
        for driver in drivers { try await call("hello", ["driver", driver, "s", "w", ""]) }
        // In the middle of things, so that a start from a state is tested as well.
        for _ in 0..<(steps / 4) { try await step() }
        let start = try await reader.snapshot()
        for _ in 0..<steps { try await step() }
        let end = try await reader.snapshot()
        let events = try await reader.events(after: start.lastEvent, upTo: end.lastEvent ?? "+")

        var checker = LogChecker(from: start)
        for event in events { checker.take(event) }
        checker.finish(end, mustBeOver: false)
        if end.entriesAdded - start.entriesAdded != events.count { checker.report(.log, "the log is not whole") }
        reader.close()
        return Result(
            violations: checker.violations, types: Dictionary(grouping: events, by: \.type).mapValues(\.count))
    }

    private func step() async throws {
        let driver = drivers.randomElement(using: &dice)!
        let zone = zones.randomElement(using: &dice)!
        hubMs += dice.milliseconds(0...3_000)
        _ = try await connection.send(["HSET", "{test}:settings", "clock_hub", RedisArgument(hubMs)])
        let held = try await connection.send(["HMGET", RedisArgument("{test}:vehicle:" + driver), "offer", "ride"])
        let (offer, ride) = (held[0].text, held[1].text)
        switch Int.random(in: 0..<100, using: &dice) {
        case 0..<14: try await call("available", [driver, zone, ""])
        case 14..<17: try await call("unavailable", [driver, ""])
        case 17..<22: try await call("move", [driver, zone])
        case 22..<24: try await call("outside", [driver])
        case 24..<29: try await call("recover", [driver, zone])
        case 29..<33: try await call("gone", [driver, "s"])
        case 33..<40: try await call("hello", ["driver", driver, "s", "w", ""])
        case 40..<44: try await call("positions", [driver, "s", "45.1", "9.1", "1", "", "", ""])
        case 44..<60: try await request(zone)
        case 60..<63: try await call("cancel", ["passenger", passengers.randomElement(using: &dice)!, "", "", ""])
        case 63..<68: try await call("sweep", ["w", "60000"])
        default: try await answer(driver, offer, ride, zone)
        }
    }

    private func request(_ zone: String) async throws {
        names += 1
        let passenger = passengers.randomElement(using: &dice)!
        try await call("request", [passenger, "r\(names)", zone, "45.1", "9.1", "2", "", "", ""])
    }

    private func answer(_ driver: String, _ offer: String?, _ ride: String?, _ zone: String) async throws {
        if let offer {
            try await call("seen", [driver, offer])
            // By somebody else now and then, and too late.
            let who = dice.chance(0.25) ? drivers.randomElement(using: &dice)! : driver
            if dice.chance(0.7) {
                try await call("accept", [who, offer, "", ""])
            } else {
                try await call("decline", [who, offer, ""])
            }
        } else if let ride {
            switch Int.random(in: 0..<10, using: &dice) {
            case 0: try await call("noshow", [driver, ride, ""])
            case 1: try await call("cancel", ["driver", driver, ride, "", zone])
            case 2, 3: try await call("alert", [driver, ride, "500", "480", "high"])
            case 4, 5: try await call("alert", [driver, ride, "20", "15", "high"])
            case 6, 7: try await call("aboard", [driver, ride, "", ""])
            default: try await call("finish", [driver, ride, dice.chance(0.9) ? zone : "", ""])
            }
        }
    }

    private func call(_ function: String, _ arguments: [String]) async throws {
        let result = await withCheckedContinuation { continuation in
            library.call(
                function, keys: ["{test}:settings"], arguments: arguments.map { RedisArgument($0) }, on: connection
            ) { continuation.resume(returning: $0) }
        }
        if !mayFail { _ = try result.get() }
    }
}
