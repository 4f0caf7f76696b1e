extension Settings {
    static let safetyTable: [Setting] = [
        .integer(
            "safety.ring_again_s", \.safety.ringAgainS, 1...60, .atReload,
            "An alarm (sos) that no operator has acknowledged rings again after this, seconds by the machine's clock; each wait is half as long again, up to a minute."
        ),
        .integer(
            "safety.reports_a_day", \.safety.reportsADay, 1...1_000, .atReload,
            "Incident reports that one person may send on a day to each worker: it is counted there, not in Redis, so that nothing tells who sent an anonymous one."
        ),
        .integer(
            "safety.kept_days", \.safety.keptDays, 1...3_650, .atReload,
            "Days for which alarms are kept after they were closed, and reports after they were sent."),
    ]

    /// Alarms and reports.
    public struct Safety: Sendable, Equatable {
        /// From the first ring to the second.
        public var ringAgainS = 20
        /// Of one person at one worker.
        public var reportsADay = 10
        /// Days.
        public var keptDays = 30

        public init() {}
    }
}
