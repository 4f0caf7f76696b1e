extension Settings {
    static let recordsTable: [Setting] = [
        .text(
            "store.url", \.store.url, .storeURL, .atRestart,
            """
            Where records are kept: trips, bookings, requests for stops, tours, the audit, alarms and reports. Empty is SQLite, \
            in records.sqlite of the data directory. "sqlite:///path" is another file, which the hub makes and closes to others. \
            "postgresql://user:password@host:port/database?sslmode=verify-full" is a PostgreSQL 14 or later, for several \
            machines; "postgresql:///database?host=/run/postgresql" one of this machine. "none" keeps no records.
            """),
        .integer(
            "store.people_days", \.store.peopleDays, 0...36_500, .atReload,
            """
            Days after which records forget which passenger it was and the exact places, by the time of the request. What \
            happened when, and who drove, stays. 0: never.
            """),
    ]

    /// Records.
    public struct Store: Sendable, Equatable {
        /// Empty: SQLite in the data directory.
        public var url = ""
        /// Days; 0: for ever.
        public var peopleDays = 400

        public init() {}
    }
}
