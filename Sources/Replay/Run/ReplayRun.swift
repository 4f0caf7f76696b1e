/// A run: vehicles and people as real WebSocket clients of a hub, and the judgement of what the hub made of them.
public struct ReplayRun: Sendable {
    private let configuration: ReplayConfiguration

    public init(_ configuration: ReplayConfiguration) { self.configuration = configuration }

    /// Plays, checks and reports on a loop of its own; returns when all is done. Progress goes to standard error, the
    /// table (or JSON) to standard output.
    ///
    /// Answers 0: clean. 1: at least one violation. 2: it could not be played or judged; standard error says why.
    public func run() -> Int32 {
        do throws(ReplayError) {
            let report = try play()
            Console.write(configuration.isJSON ? report.json + "\n" : report.text, to: Console.result)
            return report.isClean ? 0 : 1
        } catch {
            Console.write("\(error)\n", to: Console.people)
            return 2
        }
    }

    /// The same without a word on standard output: for tests, and for those who present the result themselves.
    public func play() throws(ReplayError) -> ReplayReport {
        let (world, lengthMs) = try World.make(configuration)
        let configuration = configuration
        return try OwnLoop.run { loop throws(ReplayError) in
            try await Conductor(loop: loop, configuration: configuration).perform(world, lengthMs: lengthMs)
        }
    }
}
