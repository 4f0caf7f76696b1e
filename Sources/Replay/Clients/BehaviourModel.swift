import ClientSupport

/// How people behave: chances and times of drivers and passengers. Times are hub milliseconds.
public struct BehaviourModel: Sendable, Equatable {
    /// A driver's answer to an offer. What accept and decline leave is silence.
    public var accept = 0.80
    public var decline = 0.12
    /// From the offer's appearance to the tap.
    var answerMs: ClosedRange<Int64> = 1_000...6_000
    /// A passenger changes its mind, after so long.
    public var cancel = 0.05
    var cancelAfterMs: ClosedRange<Int64> = 2_000...180_000
    /// At the pickup nobody comes, and the driver says so.
    public var noShow = 0.01
    /// Before the hub takes that: the driver says it again after so long.
    var noShowAgainMs: Int64 = 60_000
    /// The same where a citizen has asked a bus to stop.
    public var stopNoShow = 0.2
    /// A passenger has reserved the taxi, so long before.
    public var reserve = 0.0
    public var reserveAheadMs: ClosedRange<Int64> = 7_500_000...43_200_000
    /// A driver gives an accepted ride back on its way.
    public var giveBack = 0.01
    /// The office blocks a driver, so often in an hour, for so long.
    public var blocksPerHour = 0.0
    var blockMs: ClosedRange<Int64> = 600_000...2_400_000
    /// Per client and minute: the link is cut without a word…
    public var dropsPerMinute = 0.02
    /// …and comes back after so long. Beyond the hub's grace (60 s) a driver loses its place until it is back.
    var dropMs: ClosedRange<Int64> = 2_000...90_000
    /// How long a driver waits at the pickup for the hub's question whether the passenger is aboard.
    var patienceMs: Int64 = 25_000
    /// A minibus driver counts the seats that are taken, at each of its positions.
    public var handCount = 0.08
    /// A passenger sends a command twice at once, with the same key, as an app does that hears nothing.
    public var repeats = 0.2
    /// From that question to the tap.
    var boardingMs: ClosedRange<Int64> = 1_000...4_000
    /// Metres a second, to the pickup and to the destination.
    var driveSpeed: ClosedRange<Double> = 8...12
    /// Between two fixes of a vehicle on a ride.
    var rideFixMs: ClosedRange<Int64> = 5_000...10_000

    /// Quick taps and quick rides, for a city that is watched for a minute at real speed; nil: where the city is of its own
    /// making.
    public var isLively: Bool?

    public init() {}

    /// The model as it is played in a city of its own making (else: a recording).
    func played(inCity isCity: Bool) -> BehaviourModel {
        var behaviour = self
        guard isLively ?? isCity else { return behaviour }
        behaviour.answerMs = 800...3_000
        behaviour.cancelAfterMs = 2_000...30_000
        behaviour.dropMs = 1_000...8_000
        behaviour.patienceMs = 8_000
        behaviour.boardingMs = 1_000...3_000
        behaviour.driveSpeed = 11...13
        behaviour.rideFixMs = 1_500...3_000
        return behaviour
    }

    /// Nil when it can be played; otherwise what is wrong.
    public var problem: String? {
        let chances = [
            ("accept", accept), ("decline", decline), ("cancel", cancel), ("no-show", noShow), ("give-back", giveBack),
            ("no-show at a stop", stopNoShow), ("count by hand", handCount), ("repeating a command", repeats),
            ("reserving", reserve),
        ]
        for (name, value) in chances where !(0...1).contains(value) {
            return "the odds of \(name) are \(value): 0…1 is possible"
        }
        if accept + decline > 1 + 1e-9 { return "accept and decline together are more than 1" }
        if !(0...60).contains(dropsPerMinute) { return "drops per minute are \(dropsPerMinute): 0…60 is possible" }
        if !(0...3_600).contains(blocksPerHour) { return "blocks per hour are \(blocksPerHour): 0…3600 is possible" }
        return nil
    }

    enum Answer: Equatable { case accept, decline, silent }

    func answer(_ random: inout SeededRandom) -> Answer {
        let drawn = random.fraction()
        return drawn < accept ? .accept : drawn < accept + decline ? .decline : .silent
    }

    /// The hub time of the next block, if there is any.
    func nextBlock(after hubMs: Int64, _ random: inout SeededRandom) -> Int64? {
        guard blocksPerHour > 0 else { return nil }
        return hubMs + Int64(random.waiting(mean: 3_600_000 / blocksPerHour))
    }

    /// The hub time of the next cut, if there is any.
    func nextDrop(after hubMs: Int64, _ random: inout SeededRandom) -> Int64? {
        guard dropsPerMinute > 0 else { return nil }
        return hubMs + Int64(random.waiting(mean: 60_000 / dropsPerMinute))
    }
}
