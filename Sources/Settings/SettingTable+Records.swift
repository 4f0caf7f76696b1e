extension Settings {
    static let recordsTable: [Setting] = [
        .text(
            "store.url", \.store.url, .storeURL, .atRestart,
            """
            Where records are kept: trips, bookings, requests for stops, tours, the audit, alarms and reports. Empty is SQLite, \
            in records.sqlite of the data directory. "sqlite:///path" is another file. \
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

enum StoreURL {
    static func isPlausible(_ url: String) -> Bool {
        if url == "none" { return true }
        if url.hasPrefix("sqlite:///") { return url.utf8.count > "sqlite:///".utf8.count }
        return (url.hasPrefix("postgresql://") || url.hasPrefix("postgres://")) && !url.contains(" ")
    }

    /// The host of a PostgreSQL; nil: it is a socket of this machine, or no PostgreSQL.
    static func host(_ url: String) -> String? {
        guard url.hasPrefix("postgres") else { return nil }
        if let named = parameter("host", of: url) { return named.hasPrefix("/") ? nil : named }
        guard let start = url.firstRange(of: "://")?.upperBound else { return nil }
        let host = RedisURL.host("redis://" + url[start...]) ?? ""
        return host.isEmpty || host.hasPrefix("%2F") ? nil : host
    }

    /// Whether it asks for a connection that others can't read.
    static func isEncrypted(_ url: String) -> Bool {
        ["require", "verify-ca", "verify-full"].contains(parameter("sslmode", of: url) ?? "")
    }

    private static func parameter(_ name: String, of url: String) -> String? {
        guard let query = url.firstIndex(of: "?") else { return nil }
        let pairs = url[url.index(after: query)...].split(separator: "&")
        return pairs.first { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
    }
}
