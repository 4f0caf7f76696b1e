extension Settings {
    static let statisticsTable: [Setting] = [
        .integer(
            "figures.days", \.statistics.days, 1...36_500, .atReload,
            "Days for which the figures of lines (/v1/stats) are kept. They hold numbers, and nothing of any person."),
        .integer(
            "figures.early_s", \.statistics.earlyS, 0...3_600, .atReload,
            "A bus that leaves a stop more than this before its time is counted as early, seconds."),
        .integer(
            "figures.late_s", \.statistics.lateS, 0...3_600, .atReload,
            "A bus that leaves a stop more than this after its time is counted as late, seconds."),
    ]

    /// The administrators' statistics.
    public struct Statistics: Sendable, Equatable {
        /// How long they are kept.
        public var days = 400
        /// So much before its time is early, seconds.
        public var earlyS = 60
        /// So much after its time is late, seconds.
        public var lateS = 300

        public init() {}
    }
}
