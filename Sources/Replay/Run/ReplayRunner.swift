import ClientSupport
import EventLoop

/// Takes a run through its phases. Everything in it lives on one loop, which is this actor's executor.
actor ReplayRunner {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// Real ms until the hub must have greeted a client.
    private static let connectLimitMs: Int64 = 20_000

    private let configuration: ReplayConfiguration
    private let pause: Pause

    init(loop: EventLoop, configuration: ReplayConfiguration) {
        self.loop = loop
        self.configuration = configuration
        pause = Pause(loop)
    }

    /// The whole run, from the first connecting to the report.
    func perform(_ scenario: TaxiScenario, lengthMs: Int64) async throws(RunError) -> ReplayReport {
        let startedUs = Monotonic.microseconds
        let player = try TaxiPlayer(loop: loop, configuration: configuration, scenario: scenario)
        let reader = reader
        defer { reader?.close() }
        var verifier: RideVerifier?
        if let reader {
            verifier = RideVerifier(
                reader: reader, gapsAllowed: configuration.gapsAllowed, neighbours: configuration.neighbours
            ) { player.given }
        }
        let outcome = try await run(player, verifier, scenario.summary, lengthMs: lengthMs)
        return ReplayReport(
            summary: scenario.summary, speed: configuration.speed, tally: player.pool.tally, verdict: outcome.verdict,
            open: outcome.open, seconds: Double(Monotonic.microseconds - startedUs) / 1e6)
    }

    /// The same of buses on their lines.
    func perform(_ scenario: BusScenario) async throws(RunError) -> BusReport {
        let startedUs = Monotonic.microseconds
        let player = try BusPlayer(loop: loop, configuration: configuration, scenario: scenario)
        let reader = reader
        defer { reader?.close() }
        var verifier: BusVerifier?
        if let reader {
            verifier = BusVerifier(reader: reader, gapsAllowed: configuration.gapsAllowed) { player.given }
        }
        let outcome = try await run(player, verifier, scenario.summary, lengthMs: scenario.window.lengthMs)
        return BusReport(
            summary: scenario.summary, speed: configuration.speed, tally: player.pool.tally, verdict: outcome.verdict,
            open: outcome.open, seconds: Double(Monotonic.microseconds - startedUs) / 1e6)
    }

    private var reader: CityReader? {
        configuration.redis.map { CityReader(loop: loop, endpoint: $0, city: configuration.city) }
    }

    private func run(
        _ player: any ScenarioPlayer, _ verifier: (any RunVerifier)?, _ summary: String, lengthMs: Int64
    ) async throws(RunError) -> (verdict: Verdict?, open: [String]) {
        let progress = Progress(loop: loop, output: configuration.output, player: player)
        let interrupt = configuration.endsOnInterrupt ? Interrupt(loop) : nil
        defer {
            player.shutdown()
            progress.end()
            interrupt?.end()
        }
        progress.say(summary)
        try await connect(player, interrupt)
        try await verifier?.begin()
        while try !player.isTimeToBegin(), interrupt?.isRaised != true {
            try checkPace(player)
            await pause.milliseconds(20)
        }
        progress.phase = .playing
        player.begin()
        while (player.offsetMs ?? 0) < lengthMs, interrupt?.isRaised != true {
            try checkPace(player)
            await pause.milliseconds(20)
        }
        progress.phase = .closing
        let open = await settle(player, progress, interrupt)
        progress.phase = .checking
        player.standStill()
        let verdict = try await verifier?.finish(mustBeOver: open.isEmpty, pause: pause)
        progress.phase = .leaving
        await leave(player)
        return (verdict, open)
    }

    // MARK: Phases

    /// All who are there from the beginning greet the hub. What it says is the time is the time.
    private func connect(_ player: any ScenarioPlayer, _ interrupt: Interrupt?) async throws(RunError) {
        let deadline = Monotonic.milliseconds + Self.connectLimitMs
        while Monotonic.milliseconds < deadline, interrupt?.isRaised != true {
            if player.pool.slots.allSatisfy(\.isLive) { return }
            await pause.milliseconds(20)
        }
        if player.pool.slots.contains(where: \.isLive) { return }
        let addresses = configuration.urls.joined(separator: ", ")
        let reason = player.pool.lastFailure
        throw RunError(
            player.pool.tally.refusals.isEmpty
                ? "no hub answers at \(addresses) (\(reason)): is it running there?"
                : "the hub at \(addresses) lets nobody in (\(reason))")
    }

    /// With another pace of its clock than we think, the hub would see cars fly, or stand still.
    private func checkPace(_ player: any ScenarioPlayer) throws(RunError) {
        guard let pace = player.pool.pace.hubPerReal, pace < configuration.speed / 2 || pace > configuration.speed * 2
        else { return }
        throw RunError(
            "the hub's clock runs at \((pace * 10).rounded() / 10)× real time, but the replay at \(configuration.speed)×: start the hub with clock.scale set to that, or replay at its speed"
        )
    }

    /// What is open comes to its end. Returns whoever was still open when the time was over.
    private func settle(_ player: any ScenarioPlayer, _ progress: Progress, _ interrupt: Interrupt?) async -> [String] {
        player.close()
        let begun = Monotonic.milliseconds
        let graceMs = Int64(configuration.graceSeconds * 1000)
        let limitMs = Int64(configuration.settleSeconds * 1000)
        while true {
            let open = player.whoIsOpen
            let waited = Monotonic.milliseconds - begun
            if open.isEmpty || waited >= limitMs { return open }
            if waited >= graceMs || interrupt?.isRaised == true {
                progress.phase = .settling
                player.bringToEnd()
            }
            await pause.milliseconds(200)
        }
    }

    /// Drivers leave their queues and end their tours, so that the hub is left as it was found; then everybody goes.
    private func leave(_ player: any ScenarioPlayer) async {
        player.signOff()
        let deadline = Monotonic.milliseconds + 5_000
        while !player.areAllSignedOff, Monotonic.milliseconds < deadline { await pause.milliseconds(20) }
        player.pool.leave()
        await pause.milliseconds(200)
    }
}
