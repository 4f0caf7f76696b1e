import EventLoop
import Foundation
import RedisLink
import TestSupport
import Testing

@testable import Replay

/// Calls the hub's Redis functions at random in a private Redis, as many clients would, and lets a checker judge log and
/// state.
protocol RandomWalk: Actor {
    init(_ setup: WalkSetup)
    func walk(_ steps: Int) async throws -> WalkResult
    func stop() async
}

struct WalkResult {
    var violations: [Violation]
    /// Type of event → how often it was logged.
    var types: [String: Int]

    init(_ violations: [Violation], _ events: [LoggedEvent]) {
        self.violations = violations
        types = Dictionary(grouping: events, by: \.type).mapValues(\.count)
    }
}

/// What a walk begins with.
struct WalkSetup: Sendable {
    let thread: LoopThread
    let directory: String
    let functions: String
    let seed: UInt64
    /// What is broken may fail as well, in the middle of a step.
    let mayFail: Bool
    /// An operator takes part.
    var hasOffice = false
}

extension RandomWalk {
    /// `edit` changes the functions' text first, to see that the checker notices.
    static func run(
        seed: UInt64, steps: Int, hasOffice: Bool = false, edit: ((inout String) -> Void)? = nil
    ) async throws -> WalkResult {
        var text = try FunctionHarness.functions()
        edit?(&text)
        let directory = "/tmp/kw-" + UUID().uuidString.prefix(8)
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let thread = try LoopThread()
        defer { thread.stop() }
        let walk = Self(
            WalkSetup(
                thread: thread, directory: directory, functions: text, seed: seed, mayFail: edit != nil,
                hasOffice: hasOffice))
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
}

extension RandomWalk {
    /// The rules that walks find broken when `wrong` stands in the functions for `right`. What a fault takes comes up in a walk by
    /// chance, so up to eight seeds are tried, until `rule` is found.
    static func brokenRules(
        _ what: String, _ rule: Violation.Rule, _ right: String, _ wrong: String, steps: Int
    ) async throws -> Set<Violation.Rule> {
        var found: Set<Violation.Rule> = []
        for seed in 7...14 as ClosedRange<UInt64> where !found.contains(rule) {
            let result = try await run(seed: seed, steps: steps) { text in
                #expect(text.contains(right), "\(what): the functions have changed; change this test with them")
                text = text.split(separator: right, omittingEmptySubsequences: false).joined(separator: wrong)
            }
            found.formUnion(result.violations.map(\.rule))
        }
        return found
    }
}

/// A Redis of a walk's own with the hub's functions. Hub time stands still but for what each step adds, so that the same
/// seed gives the same walk.
///
/// Used on the loop's thread.
final class FunctionHarness {
    let connection: RedisConnection
    let reader: CityReader
    private let redis: EmbeddedRedis
    private let library: FunctionLibrary
    private let mayFail: Bool
    private(set) var hubMs: Int64 = 1_800_000_000_000

    init(_ setup: WalkSetup) {
        let loop = setup.thread.loop
        let endpoint = RedisEndpoint.unix(path: setup.directory + "/redis.sock")
        redis = EmbeddedRedis(loop: loop, directory: setup.directory)
        connection = RedisConnection(loop: loop, endpoint: endpoint)
        reader = CityReader(loop: loop, endpoint: endpoint, city: "test")
        library = FunctionLibrary(setup.functions)
        mayFail = setup.mayFail
    }

    /// The functions as the hub puts them together: in the order that functions.c names them.
    static func functions() throws -> String {
        let hub = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "../../Sources/Hub")
        let order = try String(contentsOf: hub.appendingPathComponent("../CHubFiles/functions.c"), encoding: .utf8)
        let files = try FileManager.default.subpathsOfDirectory(atPath: hub.path)
        let modules = try order.matches(of: /MODULE\((\w+)\),/).map { match in
            let file = files.first { $0.hasSuffix("/\(match.1).lua") } ?? "\(match.1).lua"
            return FunctionLibrary.Module(
                String(match.1), Array(try Data(contentsOf: hub.appendingPathComponent(file))))
        }
        return String(decoding: FunctionLibrary.body(of: modules), as: UTF8.self)
    }

    private static let settings: [RedisArgument] = [
        "offer_timeout_ms", 10_000, "offer_seen_timeout_ms", 3_000, "accept_grace_ms", 500, "rounds", 2,
        "max_passengers", 3, "search_timeout_ms", 300_000, "look_again_ms", 10_000, "wait_ms", 600_000,
        "seat_hold_ms", 60_000, "away_grace_ms", 60_000,
        "recovery_ms", 1_800_000, "stale_after_ms", 150_000, "idempotency_ttl_s", 86_400, "history_length", 1_000,
        "idempotency_keys", 1_000, "kept_s", 2_592_000, "max_links", 8, "free_cancels", 1_000_000,
        "max_topics", 1_000, "max_topic_bytes", 67_108_864,
        "cancel_window_ms", 600_000, "cancel_pause_ms", 30_000, "history_ttl_s", 86_400, "events_length", 1_000_000,
        "tour_late_s", 120, "tour_lost_ms", 7_200_000,
        "driver_lost_ms", 30_000, "noshow_wait_ms", 15_000, "round_pause_ms", 5_000, "max_speed_mps", 0,
        "clock_scale", 0, "clock_real", 0, "clock_hub", 0, "stop_answer_ms", 600_000, "stop_remind_driver_ms", 300_000,
        "stop_reminder_ms", 900_000, "stop_ahead_m", 150, "stop_merge_m", 50, "stop_merge_ms", 600_000, "stop_near_m",
        500, "stop_arrived_m", 20, "stop_wait_ms", 0, "stop_early_ms", 1_800_000, "stop_round_ms", 3_600_000,
        "stop_late_ms", 3_600_000, "stop_quiet_ms", 10_000, "stop_max_open", 8,
        "stop_max_open_passengers", 100, "stop_max_on_tour", 60, "stop_dwell_ms",
        30_000, "figure_days",
        400, "figure_early_s", 60, "figure_late_s", 300, "sos_ring_ms", 20_000, "safety_kept_s", 2_592_000,
        "must_be_registered", 0, "push_on", 0,
        "reservation_min_ahead_ms", 7_200_000, "reservation_max_ahead_ms", 172_800_000,
        "reservation_cancel_before_ms", 600_000, "reservation_search_before_ms", 600_000, "reservation_give_up_ms",
        300_000, "reservation_max_open", 20, "eta_speed_mps", 6.9, "eta_detour", 1.35, "walk_m", 300,
        "trip_kept_s", 2_592_000, "trip_rate_ms", 1_209_600_000,
        "reliability_window_days", 90, "reliability_warn_at", 3, "reliability_pause_at", 0, "reliability_deposit_at", 0,
        "reliability_driver_warn_at", 10, "reliability_driver_pause_at", 0, "reliability_pause_ms", 86_400_000,
        "reliability_points_per_km", 1,
    ]

    func start() async throws {
        try await redis.start()
        await withCheckedContinuation { continuation in
            connection.onUp = { continuation.resume() }
            connection.start()
        }
        connection.onUp = nil
        _ = try await connection.send(["HSET", "{test}:settings"] + Self.settings)
        try await pass(0)
    }

    func stop() async {
        reader.close()
        connection.close()
        await withCheckedContinuation { continuation in redis.stop { continuation.resume() } }
    }

    func pass(_ ms: Int64) async throws {
        hubMs += ms
        _ = try await connection.send(["HSET", "{test}:settings", "clock_hub", RedisArgument(hubMs)])
    }

    /// Fields of a hash of the city.
    func fields(_ key: String, _ names: String...) async throws -> [String?] {
        let reply = try await connection.send(
            ["HMGET", RedisArgument("{test}:" + key)] + names.map { RedisArgument($0) })
        return names.indices.map { reply[$0].text }
    }

    func call(_ function: String, _ arguments: [String]) async throws {
        let result = await withCheckedContinuation { continuation in
            library.call(
                function, keys: ["{test}:settings"], arguments: arguments.map { RedisArgument($0) }, on: connection
            ) { continuation.resume(returning: $0) }
        }
        if !mayFail { _ = try result.get() }
    }
}

extension FunctionHarness {
    /// An operator does one of many things to a driver, or to a passenger and its ride.
    func office(_ act: Int, _ driver: String, _ passenger: String, zone: String = "") async throws {
        switch act {
        case 0, 1: try await call("office_remove", ["o1", driver, "Why.", ""])
        case 2, 3:
            guard let ride = try await fields("passenger:" + passenger, "ride")[0] else { return }
            try await call("office_cancel", ["o1", "ride", ride, "Why.", ""])
        case 4: try await call("office_block", ["o1", "driver", driver, "Why.", "0", ""])
        case 5: try await call("office_block", ["o1", "driver", driver, "Why.", "\(hubMs + 30_000)", ""])
        case 6: try await call("office_block", ["o1", "passenger", passenger, "Why.", "\(hubMs + 30_000)", ""])
        case 7: try await call("office_unblock", ["o1", "passenger", passenger, ""])
        case 9, 10:
            try await call("positions_take", [driver, "s", "45.1", "9.1", "1", "", "", "", ""])
            try await call("office_put", ["o1", driver, zone, "", "", "", act == 9 ? "1" : "", "Why.", ""])
        case 11, 12:
            guard let ride = try await fields("passenger:" + passenger, "ride")[0] else { return }
            try await call("office_offer", ["o1", ride, driver, ""])
        case 13, 14:
            guard let ride = try await fields("passenger:" + passenger, "ride")[0] else { return }
            try await call("office_reassign", ["o1", ride, act == 13 ? driver : "", "Why.", ""])
        case 15:
            guard let ride = try await fields("passenger:" + passenger, "ride")[0] else { return }
            try await call("office_end", ["o1", "ride", ride, "Why.", ""])
        default: try await call("office_unblock", ["o1", "driver", driver, ""])
        }
    }
}
