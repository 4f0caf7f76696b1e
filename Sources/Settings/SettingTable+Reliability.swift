extension Settings {
    static let reliabilityTable: [Setting] = [
        .integer(
            "reliability.window_days", \.reliability.windowDays, 7...366, .atReload,
            """
            No-shows and late cancellations of passengers, and what drivers give back, count for so many days, up to the end of \
            their week.
            """),
        .integer(
            "reliability.warn_at", \.reliability.warnAt, 0...1_000, .atReload,
            "With so many a passenger is warned, at each one more again. 0: never."),
        .integer(
            "reliability.pause_at", \.reliability.pauseAt, 0...1_000, .atReload,
            "With so many, and at each one more, a passenger is paused: it can ask for nothing for a while. 0: never."),
        .integer(
            "reliability.deposit_at", \.reliability.depositAt, 0...1_000, .atReload,
            "With so many a passenger has the flag `deposit`, for services that take one. 0: never."),
        .integer(
            "reliability.driver_warn_at", \.reliability.driverWarnAt, 0...1_000, .atReload,
            "With so many rides or bookings given back a driver is warned. 0: never."),
        .integer(
            "reliability.driver_pause_at", \.reliability.driverPauseAt, 0...1_000, .atReload,
            "With so many, and at each one more, a driver is paused: it can't be available for a while. 0: never."),
        .integer(
            "reliability.pause_h", \.reliability.pauseH, 1...720, .atReload, "How long a pause lasts, hours."),
        .number(
            "reliability.points_per_km", \.reliability.pointsPerKm, 0...1_000, .atReload,
            """
            Points of a passenger for each km of a ride, by the straight line from the pickup to its end; whole ones count. \
            0: none.
            """),
    ]

    /// What follows from no-shows, late cancellations and rides given back, and points of regulars.
    public struct Reliability: Sendable, Equatable {
        public var windowDays = 90
        /// Counts; 0: never.
        public var warnAt = 3
        public var pauseAt = 0
        public var depositAt = 0
        public var driverWarnAt = 10
        public var driverPauseAt = 0
        /// Hours.
        public var pauseH = 24
        public var pointsPerKm = 1.0

        public init() {}
    }
}
