import ClientSupport
import EventLoop
import TestSupport

@testable import Replay

/// What many minibus drivers and their passengers do (``RandomWalk``).
actor SeatWalk: RandomWalk {
    nonisolated let thread: LoopThread
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.loop.asUnownedSerialExecutor() }

    private let setup: WalkSetup
    private lazy var harness = FunctionHarness(setup)
    private var random: SeededRandom
    private let drivers = (1...4).map { "M\($0)" }
    private let passengers = (1...16).map { "p\($0)" }
    private let seats = 6
    private var names = 0
    private var made: [String] = []

    init(_ setup: WalkSetup) {
        self.setup = setup
        thread = setup.thread
        random = SeededRandom(seed: setup.seed)
    }

    func stop() async { await harness.stop() }

    func walk(_ steps: Int) async throws -> WalkResult {
        try await harness.start()
        for driver in drivers { try await hello(driver) }
        // In the middle of things, so that a start from a state is tested as well.
        for _ in 0..<(steps / 4) { try await step() }
        let start = try await harness.reader.busSnapshot()
        for _ in 0..<steps { try await step() }
        let end = try await harness.reader.busSnapshot()
        let events = try await harness.reader.events(after: start.lastEvent, upTo: end.lastEvent ?? "+")

        var checker = SeatLogChecker(from: start.seats)
        for event in events { checker.take(event) }
        checker.finish(end.seats, mustBeOver: false)
        return WalkResult(checker.violations, events)
    }

    private func hello(_ driver: String) async throws {
        try await harness.call("session_hello", ["driver", driver, "s", "w", "", "minibus", "\(seats)"])
    }

    private func step() async throws {
        let driver = drivers.randomElement(using: &random)!
        try await harness.pass(random.milliseconds(0...3_000))
        if setup.hasOffice, random.chance(0.06) {
            let act = Int.random(in: 0..<9, using: &random)
            return try await harness.office(act, driver, passengers.randomElement(using: &random)!)
        }
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<6: try await harness.call("driver_available", [driver, "", "", "", ""])
        case 6..<8: try await harness.call("driver_unavailable", [driver, ""])
        case 8..<11: try await harness.call("driver_gone", [driver, "s"])
        case 11..<16: try await hello(driver)
        case 16..<20: try await harness.call("positions_take", [driver, "s", "45.1", "9.1", "1", "", "", "", ""])
        case 20..<42: try await book(driver)
        case 42..<50: try await count(driver)
        case 50..<53:
            try await harness.call("route_set", [driver, "L\(Int.random(in: 1...2, using: &random))", "", "", ""])
        case 53..<58: try await harness.call("city_sweep", ["w", "60000", "", ""])
        case 58..<60:
            let place = random.chance(0.5) ? "45.1004" : "45.1"
            try await harness.call("pickup_walk", [passengers.randomElement(using: &random)!, place, "9.1"])
        default: try await answer(driver)
        }
    }

    private func book(_ driver: String) async throws {
        names += 1
        made.append("b_\(names)")
        let passenger = passengers.randomElement(using: &random)!
        let count = random.chance(0.05) ? seats + 1 : random.party()
        if random.chance(0.4) {
            let near = drivers.shuffled(using: &random).prefix(3).map { $0 + " 900 1200 100 -" }
            let lines = near.joined(separator: "\n")
            return try await harness.call(
                "seat_request",
                [passenger, "b_\(names)", "45.1", "9.1", "45.2", "9.2", "\(count)", "EUR", lines, "", ""])
        }
        try await harness.call(
            "seat_book",
            [
                passenger, "b_\(names)", driver, "45.1", "9.1", "45.2", "9.2", "\(count)", "900", "1200", "EUR", "", "",
                "", "", "",
            ])
    }

    private func count(_ driver: String) async throws {
        let taken = Int.random(in: 0...seats, using: &random)
        try await harness.call("seats_set", [driver, "\(taken)", "4", "", random.chance(0.7) ? "got_on" : ""])
    }

    /// An open booking, or one of the last, is answered by its driver, or by another one now and then, or cancelled.
    private func answer(_ other: String) async throws {
        let open = try await harness.fields("passenger:" + passengers.randomElement(using: &random)!, "booking")[0]
        guard let id = random.chance(0.1) ? made.suffix(10).randomElement(using: &random) : open else { return }
        let booking = try await harness.fields("booking:" + id, "driver", "passenger", "state")
        guard let driver = booking[0], let passenger = booking[1] else { return }
        let who = random.chance(0.1) ? other : driver
        if random.chance(0.06) {
            return try await harness.call("seat_cancel", ["passenger", passenger, random.chance(0.5) ? id : "", ""])
        }
        switch booking[2] {
        case "waiting", "offered":
            if random.chance(0.6) { try await harness.call("seat_seen", [who, id]) }
            if random.chance(0.7) {
                if random.chance(0.8) {
                    try await harness.call("seat_accept", [who, id, "", "60"])
                } else {
                    try await harness.call("seat_decline", [who, id, ""])
                }
            }
        case "confirmed":
            switch Int.random(in: 0..<8, using: &random) {
            case 0: try await harness.call("seat_cancel", ["driver", who, id, ""])
            case 1, 2: try await harness.call("seat_alert", [who, id, "500", "480", "high"])
            case 3, 4: try await harness.call("seat_alert", [who, id, "20", "15", "high"])
            case 5: try await harness.call("seat_end", [who, id, ""])
            default:
                let came = random.chance(0.7) ? "" : "\(Int.random(in: 1...4, using: &random))"
                try await harness.call("seat_aboard", [who, id, came, ""])
            }
        default:
            if random.chance(0.7) {
                try await harness.call("seat_end", [who, id, ""])
            } else {
                try await harness.call("seat_cancel", ["driver", who, id, ""])
            }
        }
    }
}
