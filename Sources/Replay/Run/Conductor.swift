import ClientSupport
import EventLoop

/// Leads a run through its phases. Everything in it lives on one loop, which is this actor's executor.
actor Conductor {
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
    func perform(_ world: World, lengthMs: Int64) async throws(RunError) -> ReplayReport {
        let startedUs = Monotonic.microseconds
        let play = try Play(loop: loop, configuration: configuration, world: world)
        let reader = reader
        defer { reader?.close() }
        var judge: RunVerifier?
        if let reader {
            judge = RunVerifier(reader: reader, gapsAllowed: configuration.gapsAllowed) { play.given }
        }
        let outcome = try await lead(play, judge, world.summary, lengthMs: lengthMs)
        return ReplayReport(
            summary: world.summary, speed: configuration.speed, tally: play.fleet.tally, verdict: outcome.verdict,
            isQuiet: outcome.isQuiet, seconds: Double(Monotonic.microseconds - startedUs) / 1e6)
    }

    /// The same of buses on their lines.
    func perform(_ world: BusWorld) async throws(RunError) -> BusReport {
        let startedUs = Monotonic.microseconds
        let play = try BusPlay(loop: loop, configuration: configuration, world: world)
        let reader = reader
        defer { reader?.close() }
        var judge: BusVerifier?
        if let reader {
            judge = BusVerifier(reader: reader, gapsAllowed: configuration.gapsAllowed) { play.given }
        }
        let outcome = try await lead(play, judge, world.summary, lengthMs: world.window.lengthMs)
        return BusReport(
            summary: world.summary, speed: configuration.speed, tally: play.fleet.tally, verdict: outcome.verdict,
            isQuiet: outcome.isQuiet, seconds: Double(Monotonic.microseconds - startedUs) / 1e6)
    }

    private var reader: CityReader? {
        configuration.redis.map { CityReader(loop: loop, endpoint: $0, city: configuration.city) }
    }

    private func lead(
        _ play: any Performance, _ judge: (any RunJudge)?, _ summary: String, lengthMs: Int64
    ) async throws(RunError) -> (verdict: Verdict?, isQuiet: Bool) {
        let progress = Progress(loop: loop, output: configuration.output, play: play)
        let interrupt = configuration.endsOnInterrupt ? Interrupt(loop) : nil
        defer {
            play.shutdown()
            progress.end()
            interrupt?.end()
        }
        progress.say(summary)
        try await connect(play, interrupt)
        try await judge?.begin()
        while try !play.isTimeToBegin(), interrupt?.isRaised != true {
            try checkPace(play)
            await pause.milliseconds(20)
        }
        progress.phase = .playing
        play.begin()
        while (play.offsetMs ?? 0) < lengthMs, interrupt?.isRaised != true {
            try checkPace(play)
            await pause.milliseconds(20)
        }
        progress.phase = .closing
        let isQuiet = await settle(play, progress, interrupt)
        progress.phase = .checking
        play.standStill()
        let verdict = try await judge?.finish(mustBeOver: isQuiet, pause: pause)
        progress.phase = .leaving
        await leave(play)
        return (verdict, isQuiet)
    }

    // MARK: Phases

    /// All who are there from the beginning greet the hub. What it says is the time is the time.
    private func connect(_ play: any Performance, _ interrupt: Interrupt?) async throws(RunError) {
        let deadline = Monotonic.milliseconds + Self.connectLimitMs
        while Monotonic.milliseconds < deadline, interrupt?.isRaised != true {
            if play.fleet.seats.allSatisfy(\.isLive) { return }
            await pause.milliseconds(20)
        }
        if play.fleet.seats.contains(where: \.isLive) { return }
        let addresses = configuration.urls.joined(separator: ", ")
        let reason = play.fleet.lastFailure
        throw RunError(
            play.fleet.tally.refusals.isEmpty
                ? "no hub answers at \(addresses) (\(reason)): is it running there?"
                : "the hub at \(addresses) lets nobody in (\(reason))")
    }

    /// With another pace of its clock than we think, the hub would see cars fly, or stand still.
    private func checkPace(_ play: any Performance) throws(RunError) {
        guard let pace = play.fleet.pace.hubPerReal, pace < configuration.speed / 2 || pace > configuration.speed * 2
        else { return }
        throw RunError(
            "the hub's clock runs at \((pace * 10).rounded() / 10)× real time, but the replay at \(configuration.speed)×: start the hub with clock.scale set to that, or replay at its speed"
        )
    }

    /// What is open comes to its end. False: something was still open when the time was over.
    private func settle(_ play: any Performance, _ progress: Progress, _ interrupt: Interrupt?) async -> Bool {
        play.close()
        let begun = Monotonic.milliseconds
        let graceMs = Int64(configuration.graceSeconds * 1000)
        let limitMs = Int64(configuration.settleSeconds * 1000)
        while true {
            if play.isQuiet { return true }
            let waited = Monotonic.milliseconds - begun
            if waited >= limitMs { return false }
            if waited >= graceMs || interrupt?.isRaised == true {
                progress.phase = .settling
                play.bringToEnd()
            }
            await pause.milliseconds(200)
        }
    }

    /// Drivers leave their queues and end their tours, so that the hub is left as it was found; then everybody goes.
    private func leave(_ play: any Performance) async {
        play.signOff()
        let deadline = Monotonic.milliseconds + 5_000
        while !play.areAllSignedOff, Monotonic.milliseconds < deadline { await pause.milliseconds(20) }
        play.fleet.leave()
        await pause.milliseconds(200)
    }
}
