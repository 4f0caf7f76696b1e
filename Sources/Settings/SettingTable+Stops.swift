extension Settings {
    static let stopTable: [Setting] = [
        .integer(
            "stops.answer_ms", \.stops.answerMs, 60_000...86_400_000, .atReload,
            "A request for a stop that the driver does not answer for this time has lapsed, and the citizen is told."),
        .integer(
            "stops.remind_driver_ms", \.stops.remindDriverMs, 10_000...86_400_000, .atReload,
            "After this time the driver is reminded of a request that waits for an answer."),
        .integer(
            "stops.reminder_ms", \.stops.reminderMs, 60_000...86_400_000, .atReload,
            """
            The citizen is reminded this long before the bus may be there at the earliest; while nobody can say when that is, \
            before the wanted time.
            """),
        .number(
            "stops.ahead_m", \.stops.aheadM, 0...10_000, .atReload,
            "A place must be this far ahead of the bus along its way, metres, so that it can stop there."),
        .number(
            "stops.off_route_m", \.stops.offRouteM, 0...10_000, .atReload,
            "A place may be this far from the line's way, metres."),
        .number(
            "stops.merge_m", \.stops.mergeM, 0...1_000, .atReload,
            "Requests this near to each other are one place on the driver's list, metres."),
        .integer(
            "stops.merge_ms", \.stops.mergeMs, 0...86_400_000, .atReload,
            "So they are only if their times differ by no more than this."),
        .number(
            "stops.near_m", \.stops.nearM, 50...10_000, .atReload,
            "Distance at which the citizen is told that the bus is near, metres."),
        .number(
            "stops.arrived_m", \.stops.arrivedM, 5...500, .atReload,
            "Distance at which the citizen is told that the bus has arrived, metres."),
        .integer(
            "stops.wait_ms", \.stops.waitMs, 0...3_600_000, .atReload,
            "The bus must have stood at the place for this time before its driver can say that nobody came."),
        .integer(
            "stops.early_ms", \.stops.earlyMs, 0...86_400_000, .atReload,
            """
            A bus that passes the place longer than this before the wanted time is on another round: no alert. Nor is one \
            meant that by the timetable comes longer than this after it.
            """),
        .integer(
            "stops.round_ms", \.stops.roundMs, 60_000...86_400_000, .atReload,
            "Pickups further apart than this do not compete for seats, nor with those who are aboard now."),
        .integer(
            "stops.late_ms", \.stops.lateMs, 60_000...86_400_000, .atReload,
            "A request that nobody has closed for this time after its pickup was due is closed as not served."),
        .integer(
            "stops.max_ahead_ms", \.stops.maxAheadMs, 60_000...2_592_000_000, .atReload,
            "How far ahead a stop can be asked for."),
        .integer(
            "stops.max_open", \.stops.maxOpen, 1...100, .atReload,
            "Open requests of one citizen; the way back counts as one."),
        .integer(
            "stops.max_open_passengers", \.stops.maxOpenPassengers, 1...1_000, .atReload,
            "Passengers of one citizen's open requests together: nobody books a bus out for a day."),
        .integer(
            "stops.max_on_tour", \.stops.maxOnTour, 1...1_000, .atReload,
            "Open requests of one tour. Each change tells its driver the whole list, so this bounds what that costs."),
        .integer(
            "stops.quiet_ms", \.stops.quietMs, 0...3_600_000, .atReload,
            "Between two requests that ring at the driver's: what comes sooner is marked quiet, and is on the list all the same."
        ),
        .integer(
            "stops.dwell_ms", \.stops.dwellMs, 0...600_000, .atReload,
            "What a stop on request takes: so much later the bus is at the stops behind it, until it has been there."),
        .text(
            "stops.hours", \.stops.hours, .any, .atReload,
            """
            Times of day between which the pickups of requests may lie, as 06:00-22:00 in the catalog's time zone. Empty \
            is from the first departure of the line's schedule on that day to its last arrival.
            """),
    ]

    /// Stops on request.
    public struct Stops: Sendable, Equatable {
        /// Without an answer for this time a request has lapsed, ms.
        public var answerMs = 1_800_000
        /// After this time the driver is reminded, ms.
        public var remindDriverMs = 1_200_000
        /// So long before the earliest arrival, or else before the wanted time, the citizen is reminded, ms.
        public var reminderMs = 900_000
        /// Ahead of the bus along its way, metres.
        public var aheadM = 150.0
        /// From the line's way, metres.
        public var offRouteM = 300.0
        /// Requests nearer than this are one place, metres.
        public var mergeM = 50.0
        /// And not further apart in time than this, ms.
        public var mergeMs = 600_000
        /// The bus is near, metres.
        public var nearM = 500.0
        /// The bus has arrived, metres.
        public var arrivedM = 20.0
        /// The bus must have stood so long before nobody came, ms.
        public var waitMs = 30_000
        /// Passing longer than this before the time is another round, ms.
        public var earlyMs = 1_800_000
        /// Pickups further apart don't compete for seats, ms.
        public var roundMs = 3_600_000
        /// After the pickup's time, unclosed requests are closed, ms.
        public var lateMs = 3_600_000
        /// How far ahead, ms.
        public var maxAheadMs = 604_800_000
        /// Open requests of one citizen.
        public var maxOpen = 8
        /// Passengers of one citizen's open requests together.
        public var maxOpenPassengers = 16
        /// Open requests of one tour.
        public var maxOnTour = 60
        /// Between two requests that ring, ms.
        public var quietMs = 10_000
        /// What a stop takes, ms.
        public var dwellMs = 30_000
        /// `06:00-22:00`; empty: as scheduled.
        public var hours = ""

        public init() {}

        /// `hours` as seconds of the day; nil when it is empty or malformed.
        public var openHours: ClosedRange<Int>? { Self.range(hours) }

        static func range(_ text: String) -> ClosedRange<Int>? {
            let ends = text.split(separator: "-", omittingEmptySubsequences: false).map(second)
            guard ends.count == 2, let from = ends[0], let to = ends[1], from <= to else { return nil }
            return from...to
        }

        /// `06:30`; 24:00 is the end of the day.
        static func second(_ text: Substring) -> Int? {
            let parts = text.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 2, parts.allSatisfy({ $0.count == 2 && $0.allSatisfy(\.isNumber) }),
                let hour = Int(parts[0]), let minute = Int(parts[1]), minute < 60, hour * 60 + minute <= 1440
            else { return nil }
            return hour * 3600 + minute * 60
        }
    }
}
