import EventLoop
import Foundation
import RedisLink

@testable import Replay

/// Calls the hub's Redis functions of tours and stops on request at random, as many bus drivers and citizens would, in a
/// private Redis, and lets the checker judge log and state. `edit` changes the functions' text first, to see that the
/// checker notices.
actor BusWalk {
    nonisolated let thread: LoopThread
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.loop.asUnownedSerialExecutor() }

    private let directory: String
    private lazy var redis = EmbeddedRedis(loop: thread.loop, directory: directory)
    private lazy var connection = RedisConnection(loop: thread.loop, endpoint: .unix(path: directory + "/redis.sock"))
    private let library: FunctionLibrary
    private var dice: Dice
    private let drivers = (1...6).map { "D\($0)" }
    private let buses = (1...4).map { "B\($0)" }
    private let lines = ["L1", "L2"]
    private let citizens = (1...8).map { "c\($0)" }
    private var made: [String] = []
    private var names = 0
    private var hubMs: Int64 = 1_800_000_000_000
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
        let directory = "/tmp/kw-" + UUID().uuidString.prefix(8)
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let thread = try LoopThread()
        defer { thread.stop() }
        let walk = BusWalk(
            thread: thread, directory: directory, library: FunctionLibrary(text), seed: seed, mayFail: edit != nil)
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

    /// The functions as the hub puts them together: in the order that Dispatch.swift names them.
    private static func functions() throws -> String {
        let hub = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "../../Sources/Hub")
        let order = try String(contentsOf: hub.appendingPathComponent("Dispatch.swift"), encoding: .utf8)
        return try order.matches(of: /PackageResources\.(\w+)_lua/).map { match in
            try String(contentsOf: hub.appendingPathComponent("Functions/\(match.1).lua"), encoding: .utf8)
        }.joined(separator: "\n")
    }

    /// Hub time stands still but for what each step adds, so that the same seed gives the same walk.
    private static let settings: [RedisArgument] = [
        "offer_timeout_ms", 10_000, "offer_seen_timeout_ms", 3_000, "accept_grace_ms", 500, "rounds", 2,
        "max_passengers", 3, "search_timeout_ms", 300_000, "seat_hold_ms", 60_000, "away_grace_ms", 60_000,
        "recovery_ms", 1_800_000, "stale_after_ms", 150_000, "idempotency_ttl_s", 86_400, "history_length", 1_000,
        "history_ttl_s", 86_400, "events_length", 1_000_000, "tour_late_s", 120, "tour_lost_ms", 7_200_000,
        "clock_scale", 0, "clock_real", 0, "clock_hub", 0, "stop_answer_ms", 600_000, "stop_remind_driver_ms", 300_000,
        "stop_reminder_ms", 900_000, "stop_ahead_m", 150, "stop_merge_m", 50, "stop_merge_ms", 600_000, "stop_near_m",
        500, "stop_arrived_m", 20, "stop_wait_ms", 0, "stop_early_ms", 1_800_000, "stop_round_ms", 3_600_000,
        "stop_late_ms", 3_600_000, "stop_quiet_ms", 10_000, "stop_max_open", 8, "stop_max_on_tour", 60, "stop_dwell_ms",
        30_000, "figure_days",
        400, "figure_early_s", 60, "figure_late_s", 300,
    ]

    private func walk(_ steps: Int) async throws -> Result {
        try await redis.start()
        await withCheckedContinuation { continuation in
            connection.onUp = { continuation.resume() }
            connection.start()
        }
        connection.onUp = nil
        _ = try await connection.send(["HSET", "{test}:settings"] + Self.settings)
        let reader = CityReader(loop: thread.loop, endpoint: connection.endpoint, city: "test")
        // In the middle of things, so that a start from a state is tested as well.
        for _ in 0..<(steps / 4) { try await step() }
        let start = try await reader.busSnapshot()
        for _ in 0..<steps { try await step() }
        let end = try await reader.busSnapshot()
        let events = try await reader.events(after: start.lastEvent, upTo: end.lastEvent ?? "+")

        var checker = BusLogChecker(from: start)
        for event in events { checker.take(event) }
        checker.finish(end, mustBeOver: false)
        if end.entriesAdded - start.entriesAdded != events.count { checker.report(.log, "the log is not whole") }
        reader.close()
        return Result(
            violations: checker.violations, types: Dictionary(grouping: events, by: \.type).mapValues(\.count))
    }

    private func step() async throws {
        let driver = drivers.randomElement(using: &dice)!
        let line = lines.randomElement(using: &dice)!
        hubMs += dice.milliseconds(0...20_000)
        _ = try await connection.send(["HSET", "{test}:settings", "clock_hub", RedisArgument(hubMs)])
        switch Int.random(in: 0..<100, using: &dice) {
        case 0..<14:
            names += 1
            let bus = buses.randomElement(using: &dice)!
            try await call(
                "tour_start",
                [driver, "t\(names)", bus, "8", line, "out", "", #"["a","b","c"]"#, "w", "", "", "", "", "", "0"])
        case 14..<18: try await call("tour_end", ["bus_driver", driver, "", ""])
        case 18..<26: try await call("tour_seats", [driver, "\(Int.random(in: 0...9, using: &dice))", ""])
        case 26..<30: try await call("tour_step", [driver, dice.chance(0.8) ? "1" : "-1", "", ""])
        case 30..<50: try await move(driver)
        case 50..<64: try await request(line)
        case 64..<68: try await call("sweep", ["w", "60000"])
        default: try await answer(driver)
        }
    }

    private func move(_ driver: String) async throws {
        let held = try await connection.send(["HGET", RedisArgument("{test}:busdriver:" + driver), "tour"])
        guard let tour = held.text else { return }
        let metres = dice.between(0...3_000).rounded()
        let (lat, time) = ("\(45 + metres / 111_195)", "\(hubMs)")
        try await call(
            "tour_moved",
            [tour, time, lat, "9.0", "\(metres)", "", "", "[]", "", "[]", time, "", "[[\(lat),9.0,\(time)]]"])
    }

    private func request(_ line: String) async throws {
        names += 1
        let metres = dice.between(0...3_000).rounded()
        let at = hubMs + dice.milliseconds(0...600_000)
        let wish = """
            {"id":"s\(names)","lat":\(45 + metres / 111_195),"lon":9.0,"at":\(at),"passengers":1,\
            "places":{"out":[\(metres)]},"later":false}
            """
        made.append("s\(names)")
        try await call(
            "stop_request", [citizens.randomElement(using: &dice)!, "", line, "", "", #"{"name":"Ada"}"#, wish])
    }

    /// One of the last requests is answered by its driver, or by another one now and then, or cancelled.
    private func answer(_ other: String) async throws {
        guard let id = made.suffix(12).randomElement(using: &dice) else { return }
        let request = try await connection.send(["HMGET", RedisArgument("{test}:stop:" + id), "tour", "citizen"])
        guard let citizen = request[1].text else { return }
        if dice.chance(0.1) { return try await call("stop_cancel", [citizen, id, ""]) }
        let tour = RedisArgument("{test}:tour:" + (request[0].text ?? ""))
        let driver = try await connection.send(["HGET", tour, "driver"]).text
        let who = dice.chance(0.2) ? other : driver ?? other
        let what = ["accept", "accept", "accept", "decline", "complete", "noshow"].randomElement(using: &dice)!
        try await call("stop_answer", [who, what, id, dice.chance(0.2) ? "1" : "", ""])
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
