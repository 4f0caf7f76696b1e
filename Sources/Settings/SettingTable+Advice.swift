extension Settings {
    static let adviceTable: [Setting] = [
        .integer(
            "advice.weeks", \.advice.weeks, 1...8, .atReload,
            "Where drivers should wait is reckoned by the figures of taxis of so many weeks."),
        .integer(
            "advice.every_min", \.advice.everyMin, 0...1_440, .atReload,
            """
            So often, in minutes, drivers who wait are looked through, to tell them of a zone near by where they would get a ride \
            much sooner. 0: only who asks is told.
            """),
        .integer(
            "advice.quiet_min", \.advice.quietMin, 1...1_440, .atReload,
            "Who was told is not told again for so many minutes."),
        .number(
            "advice.factor", \.advice.factor, 1...100, .atReload,
            "Told is who waits so many times as long as it would to drive there and wait; 5 minutes at least must be gained."
        ),
        .number(
            "advice.reach_m", \.advice.reachM, 100...100_000, .atReload,
            "Zones whose middle is so far away are looked at, metres by the straight line."),
    ]

    /// Where drivers should wait.
    public struct Advice: Sendable, Equatable {
        public var weeks = 4
        /// Minutes; 0: never unasked.
        public var everyMin = 5
        /// Minutes, of one driver.
        public var quietMin = 20
        public var factor = 2.0
        /// Metres.
        public var reachM = 5_000.0

        public init() {}
    }
}
