import ClientSupport
import EventLoop
import TestSupport

@testable import Replay

/// What many bus drivers and citizens do (``RandomWalk``).
actor BusWalk: RandomWalk {
    nonisolated let thread: LoopThread
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.loop.asUnownedSerialExecutor() }

    private let setup: WalkSetup
    private lazy var harness = FunctionHarness(setup)
    private var random: SeededRandom
    private let drivers = (1...6).map { "D\($0)" }
    private let buses = (1...4).map { "B\($0)" }
    private let lines = ["L1", "L2"]
    private let citizens = (1...8).map { "c\($0)" }
    private var made: [(id: String, metres: Double)] = []
    private var names = 0

    init(_ setup: WalkSetup) {
        self.setup = setup
        thread = setup.thread
        random = SeededRandom(seed: setup.seed)
    }

    func stop() async { await harness.stop() }

    func walk(_ steps: Int) async throws -> WalkResult {
        try await harness.start()
        // In the middle of things, so that a start from a state is tested as well.
        for _ in 0..<(steps / 4) { try await step() }
        let start = try await harness.reader.busSnapshot()
        for _ in 0..<steps { try await step() }
        let end = try await harness.reader.busSnapshot()
        let events = try await harness.reader.events(after: start.lastEvent, upTo: end.lastEvent ?? "+")

        var checker = BusLogChecker(from: start)
        for event in events { checker.take(event) }
        checker.finish(end, mustBeOver: false)
        if end.entriesAdded - start.entriesAdded != events.count { checker.report(.log, "the log is not whole") }
        return WalkResult(checker.violations, events)
    }

    private func step() async throws {
        let driver = drivers.randomElement(using: &random)!
        let line = lines.randomElement(using: &random)!
        try await harness.pass(random.milliseconds(0...20_000))
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<14:
            names += 1
            let bus = buses.randomElement(using: &random)!
            try await harness.call(
                "tour_start",
                [driver, "t\(names)", bus, "8", line, "out", "", #"["a","b","c"]"#, "w", "", "", "", "", "", "0", ""])
        case 14..<18: try await harness.call("tour_end", ["bus_driver", driver, "", "", ""])
        case 18..<26: try await harness.call("tour_seats", [driver, "\(Int.random(in: 0...9, using: &random))", ""])
        case 26..<30: try await harness.call("tour_step", [driver, random.chance(0.8) ? "1" : "-1", "", "", ""])
        case 30..<50: try await move(driver)
        case 50..<64: try await request(line)
        case 64..<68: try await harness.call("city_sweep", ["w", "60000", "", ""])
        default: try await answer(driver)
        }
    }

    private func move(_ driver: String) async throws {
        // Now and then where one of the last requests has its tour come.
        let asked = random.chance(0.7) ? made.suffix(12).randomElement(using: &random) : nil
        var fetching: String?
        if let asked {
            let request = try await harness.fields("stop:" + asked.id, "tour", "state")
            if request[1] == "accepted" { fetching = request[0] }
        }
        let own = try await harness.fields("busdriver:" + driver, "tour")[0]
        guard let tour = fetching ?? own else { return }
        let metres = fetching == nil ? random.between(0...3_000).rounded() : asked?.metres ?? 0
        let (lat, time) = ("\(45 + metres / 111_195)", "\(harness.hubMs)")
        try await harness.call(
            "tour_moved",
            [
                tour, time, lat, "9.0", "\(metres)", "", "", "[]", "", "[]", time, "", "[[\(lat),9.0,\(time)]]", "[]",
                "", "[]", "", time, "",
            ])
    }

    private func request(_ line: String) async throws {
        names += 1
        let metres = random.between(0...3_000).rounded()
        let at = harness.hubMs + random.milliseconds(0...600_000)
        let request = """
            {"id":"s\(names)","lat":\(45 + metres / 111_195),"lon":9.0,"at":\(at),"passengers":1,\
            "places":{"out":[\(metres)]},"later":false}
            """
        made.append(("s\(names)", metres))
        try await harness.call(
            "stop_request", [citizens.randomElement(using: &random)!, "", line, "", "", #"{"name":"Ada"}"#, request])
    }

    /// One of the last requests is answered by its driver, or by another one now and then, or cancelled.
    private func answer(_ other: String) async throws {
        guard let id = made.suffix(12).randomElement(using: &random)?.id else { return }
        let request = try await harness.fields("stop:" + id, "tour", "citizen", "notified")
        guard let citizen = request[1] else { return }
        if random.chance(0.1) { return try await harness.call("stop_cancel", [citizen, id, ""]) }
        let driver = try await harness.fields("tour:" + (request[0] ?? ""), "driver")[0]
        let who = random.chance(0.2) ? other : driver ?? other
        let answers = ["accept", "accept", "accept", "decline", "complete", "noshow"]
        let what = (request[2] == "20" ? ["complete", "noshow", "noshow", "noshow"] : answers).randomElement(
            using: &random)!
        try await harness.call("stop_answer", [who, what, id, random.chance(0.2) ? "1" : "", ""])
    }
}
