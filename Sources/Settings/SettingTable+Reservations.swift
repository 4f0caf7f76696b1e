extension Settings {
    static let reservationTable: [Setting] = [
        .integer(
            "reservations.min_ahead_min", \.reservations.minAheadMin, 0...2_880, .atReload,
            "A taxi is reserved for a time that is at least so many minutes ahead; sooner, it is asked for now."),
        .integer(
            "reservations.max_ahead_h", \.reservations.maxAheadH, 1...720, .atReload,
            "And at most so many hours ahead."),
        .integer(
            "reservations.cancel_before_min", \.reservations.cancelBeforeMin, 0...1_440, .atReload,
            "A reservation can be cancelled until so many minutes before its time."),
        .integer(
            "reservations.search_before_min", \.reservations.searchBeforeMin, 1...240, .atReload,
            """
            A driver is searched for so many minutes before the time; earlier where the nearest free taxi needs longer, all \
            rounds of offers included.
            """),
        .integer(
            "reservations.give_up_after_min", \.reservations.giveUpAfterMin, 1...120, .atReload,
            "With no driver so many minutes after its time a reservation has failed, and its passenger is told."),
        .integer(
            "reservations.max_open", \.reservations.maxOpen, 1...1_000, .atReload,
            "Reservations that one passenger may have open."),
    ]

    /// Taxis for a time ahead.
    public struct Reservations: Sendable, Equatable {
        /// From now to the time, minutes.
        public var minAheadMin = 120
        /// Hours.
        public var maxAheadH = 48
        /// Minutes before the time.
        public var cancelBeforeMin = 10
        /// Minutes before the time.
        public var searchBeforeMin = 10
        /// Minutes after the time.
        public var giveUpAfterMin = 5
        /// Of one passenger.
        public var maxOpen = 20

        public init() {}
    }
}
