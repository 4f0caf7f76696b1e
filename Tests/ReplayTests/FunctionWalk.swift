import ClientSupport
import EventLoop
import TestSupport

@testable import Replay

/// What many taxi drivers and passengers do (``RandomWalk``).
actor FunctionWalk: RandomWalk {
    nonisolated let thread: LoopThread
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.loop.asUnownedSerialExecutor() }

    private let setup: WalkSetup
    private lazy var harness = FunctionHarness(setup)
    private var random: SeededRandom
    private let drivers = (1...12).map { "D\($0)" }
    private let passengers = (1...20).map { "p\($0)" }
    private let zones = ["1", "2", "3"]
    private var names = 0

    init(_ setup: WalkSetup) {
        self.setup = setup
        thread = setup.thread
        random = SeededRandom(seed: setup.seed)
    }

    func stop() async { await harness.stop() }

    func walk(_ steps: Int) async throws -> WalkResult {
        try await harness.start()
        for driver in drivers { try await harness.call("session_hello", ["driver", driver, "s", "w", ""]) }
        // In the middle of things, so that a start from a state is tested as well.
        for _ in 0..<(steps / 4) { try await step() }
        let start = try await harness.reader.snapshot()
        for _ in 0..<steps { try await step() }
        let end = try await harness.reader.snapshot()
        let events = try await harness.reader.events(after: start.lastEvent, upTo: end.lastEvent ?? "+")

        var checker = LogChecker(from: start)
        for event in events { checker.take(event) }
        checker.finish(end, mustBeOver: false)
        if end.entriesAdded - start.entriesAdded != events.count { checker.report(.log, "the log is not whole") }
        return WalkResult(checker.violations, events)
    }

    private func step() async throws {
        let driver = drivers.randomElement(using: &random)!
        let zone = zones.randomElement(using: &random)!
        try await harness.pass(random.milliseconds(0...3_000))
        if setup.hasOffice, random.chance(0.06) {
            let act = Int.random(in: 0..<18, using: &random)
            return try await harness.office(act, driver, passengers.randomElement(using: &random)!, zone: zone)
        }
        let held = try await harness.fields("vehicle:" + driver, "offer", "ride")
        let (offer, ride) = (held[0], held[1])
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<14: try await harness.call("driver_available", [driver, zone, "", "", ""])
        case 14..<17: try await harness.call("driver_unavailable", [driver, ""])
        case 17..<22: try await harness.call("driver_move", [driver, zone])
        case 22..<24: try await harness.call("driver_outside", [driver])
        case 24..<29: try await harness.call("driver_recover", [driver, zone])
        case 29..<33: try await harness.call("driver_gone", [driver, "s"])
        case 33..<40: try await harness.call("session_hello", ["driver", driver, "s", "w", ""])
        case 40..<43: try await harness.call("positions_take", [driver, "s", "45.1", "9.1", "1", "", "", "", ""])
        case 43: try await harness.call("seats_set", [driver, String(random.milliseconds(0...4)), "4", "", ""])
        case 44..<60: try await request(zone)
        case 60: try await harness.call("ride_search", [passengers.randomElement(using: &random)!, "", ""])
        case 61..<63:
            try await harness.call("ride_cancel", ["passenger", passengers.randomElement(using: &random)!, "", "", ""])
        case 63..<68: try await harness.call("city_sweep", ["w", "60000", "", ""])
        default: try await answer(driver, offer, ride, zone)
        }
    }

    private func request(_ zone: String) async throws {
        names += 1
        let passenger = passengers.randomElement(using: &random)!
        try await harness.call(
            "ride_request",
            [passenger, "r\(names)", zone, "45.1", "9.1", String(random.milliseconds(1...3)), "", "", ""])
    }

    private func answer(_ driver: String, _ offer: String?, _ ride: String?, _ zone: String) async throws {
        if let offer {
            try await harness.call("offer_seen", [driver, offer])
            // By somebody else now and then, and too late.
            let who = random.chance(0.25) ? drivers.randomElement(using: &random)! : driver
            if random.chance(0.7) {
                try await harness.call("offer_accept", [who, offer, "", ""])
            } else {
                try await harness.call("offer_decline", [who, offer, ""])
            }
        } else if let ride {
            switch Int.random(in: 0..<10, using: &random) {
            case 0: try await harness.call("ride_noshow", [driver, ride, ""])
            case 1: try await harness.call("ride_cancel", ["driver", driver, ride, "", zone])
            case 2, 3: try await harness.call("ride_alert", [driver, ride, "500", "480", "high"])
            case 4, 5: try await harness.call("ride_alert", [driver, ride, "20", "15", "high"])
            case 6, 7: try await harness.call("ride_aboard", [driver, ride, "", ""])
            default: try await harness.call("ride_finish", [driver, ride, random.chance(0.9) ? zone : "", ""])
            }
        }
    }
}
