public import ClientSupport

/// A run: vehicles and people as real WebSocket clients of a hub, and the judgement of what the hub made of them.
public struct ReplayRun: Sendable {
    private let configuration: ReplayConfiguration

    public init(_ configuration: ReplayConfiguration) { self.configuration = configuration }

    /// Plays, checks and reports on a loop of its own; returns when all is done. Progress goes to standard error, the
    /// table (or JSON) to standard output.
    ///
    /// Answers 0: clean. 1: at least one violation. 2: it could not be played or judged; standard error says why.
    public func run() -> Int32 {
        do throws(RunError) {
            if case .buses(let buses) = configuration.source {
                let report = try play(buses)
                return tell(report.isClean, text: report.text, json: report.json)
            }
            let report = try play()
            return tell(report.isClean, text: report.text, json: report.json)
        } catch {
            Console.write("\(error)\n", to: Console.people)
            return 2
        }
    }

    private func tell(_ isClean: Bool, text: String, json: String) -> Int32 {
        if configuration.isJSON { Console.write(json: json) } else { Console.write(text, to: Console.result) }
        return isClean ? 0 : 1
    }

    private func play(_ buses: ScenarioSource.Buses) throws(RunError) -> BusReport {
        try check()
        let scenario = try BusScenario.make(buses, seed: configuration.seed)
        let configuration = configuration
        return try OwnLoop.run { loop throws(RunError) in
            try await ReplayRunner(loop: loop, configuration: configuration).perform(scenario)
        }
    }

    private func check() throws(RunError) {
        if let problem = configuration.behaviour.problem { throw RunError(problem) }
        guard configuration.speed > 0, configuration.speed <= 10_000 else {
            throw RunError("the speed is \(configuration.speed): it must be above 0 and at most 10000")
        }
    }

    /// The same without a word on standard output: for tests, and for those who present the result themselves.
    public func play() throws(RunError) -> ReplayReport {
        try check()
        let (scenario, lengthMs) = try TaxiScenario.make(configuration.source, seed: configuration.seed)
        let configuration = configuration
        return try OwnLoop.run { loop throws(RunError) in
            try await ReplayRunner(loop: loop, configuration: configuration).perform(scenario, lengthMs: lengthMs)
        }
    }
}
