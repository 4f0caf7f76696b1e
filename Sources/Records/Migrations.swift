/// The tables, as numbered steps that only go forward. A step that has been released is never changed: what is to be otherwise
/// is another step. Times are Unix ms of the hub's clock, but where `_real` says of the machine's.
enum Migrations {
    /// In their order; the version of a database is how many it has had.
    static let steps = [tables, registry, fares, seats, histories, receipts, alarms]

    /// Names of all tables and views that a step makes, and of the one with the versions.
    static let names: [String] =
        ["schema_versions"]
        + steps.joined(separator: "\n").split(separator: "\n").compactMap { line -> String? in
            let words = line.split(separator: " ")
            let isMade = words.count > 2 && words[0] == "CREATE" && (words[1] == "TABLE" || words[1] == "VIEW")
            return isMade ? String(words[2]) : nil
        }

    /// Brings the tables up to date, all or nothing. Refuses those of a later version.
    static func run(_ database: any Database, nowMs: Int64) throws(DatabaseFailure) {
        // Most of the time there is nothing to do, and no need to write.
        if let known = try? version(of: database), known == steps.count { return }
        try database.transaction { () throws(DatabaseFailure) in
            if let unhurried = database.unhurried { try database.script(unhurried) }
            if let lock = database.migrationLock { _ = try database.rows(Statement(lock)) }
            try database.script(
                """
                CREATE TABLE IF NOT EXISTS schema_versions \
                (version INTEGER NOT NULL PRIMARY KEY, applied_real BIGINT NOT NULL)
                """)
            let known = try version(of: database)
            try check(known)
            for (index, step) in steps.enumerated().dropFirst(known) {
                try database.script(step)
                try database.run([
                    Statement(
                        "INSERT INTO schema_versions (version, applied_real) VALUES ($1, $2)",
                        [.integer(Int64(index + 1)), .integer(nowMs)])
                ])
            }
        }
    }

    /// Fails when no table says so.
    static func version(of database: any Database) throws(DatabaseFailure) -> Int {
        let rows = try database.rows(Statement("SELECT COALESCE(MAX(version), 0) FROM schema_versions"))
        return Int(rows.first?.first?.integer ?? 0)
    }

    /// The same; fails with `.unmade` where the database answers and has no such table.
    static func made(in database: any Database) throws(DatabaseFailure) -> Int {
        do throws(DatabaseFailure) {
            return try version(of: database)
        } catch {
            guard let found = try? database.rows(Statement(database.versionsTable)) else { throw error }
            guard !found.isEmpty else { throw DatabaseFailure(.unmade, error.description) }
            // It may have been made in between.
            return try version(of: database)
        }
    }

    static func check(_ version: Int) throws(DatabaseFailure) {
        guard version <= steps.count else {
            throw DatabaseFailure(
                .newer,
                "the records have tables of version \(version), and this program knows \(steps.count): run the later program, or give this one another store.url"
            )
        }
    }

    private static let tables = """
        CREATE TABLE cursors (
            city TEXT NOT NULL PRIMARY KEY,
            id TEXT NOT NULL,
            place BIGINT NOT NULL,
            recorded_real BIGINT NOT NULL
        );
        CREATE TABLE gaps (
            city TEXT NOT NULL,
            found_real BIGINT NOT NULL,
            kind TEXT NOT NULL,
            after_id TEXT NOT NULL,
            before_id TEXT NOT NULL,
            lost BIGINT,
            PRIMARY KEY (city, found_real)
        );
        CREATE TABLE trips (
            city TEXT NOT NULL,
            id TEXT NOT NULL,
            event BIGINT NOT NULL,
            passenger TEXT,
            driver TEXT,
            zone TEXT,
            passengers BIGINT,
            aboard BIGINT,
            from_lat DOUBLE PRECISION,
            from_lon DOUBLE PRECISION,
            to_lat DOUBLE PRECISION,
            to_lon DOUBLE PRECISION,
            requested_at BIGINT,
            offered_at BIGINT,
            accepted_at BIGINT,
            near_at BIGINT,
            arrived_at BIGINT,
            aboard_at BIGINT,
            ended_at BIGINT,
            outcome TEXT,
            ended_by TEXT,
            reason TEXT,
            offers BIGINT NOT NULL DEFAULT 0,
            rounds BIGINT NOT NULL DEFAULT 0,
            given_back BIGINT NOT NULL DEFAULT 0,
            PRIMARY KEY (city, id)
        );
        CREATE INDEX trips_by_time ON trips (city, requested_at);
        CREATE INDEX trips_by_driver ON trips (city, driver, requested_at);
        CREATE INDEX trips_by_passenger ON trips (city, passenger, requested_at);
        CREATE TABLE bookings (
            city TEXT NOT NULL,
            id TEXT NOT NULL,
            event BIGINT NOT NULL,
            passenger TEXT,
            driver TEXT,
            passengers BIGINT,
            aboard BIGINT,
            requested_at BIGINT,
            asked_at BIGINT,
            confirmed_at BIGINT,
            near_at BIGINT,
            arrived_at BIGINT,
            aboard_at BIGINT,
            ended_at BIGINT,
            outcome TEXT,
            ended_by TEXT,
            reason TEXT,
            PRIMARY KEY (city, id)
        );
        CREATE INDEX bookings_by_time ON bookings (city, requested_at);
        CREATE TABLE stop_requests (
            city TEXT NOT NULL,
            id TEXT NOT NULL,
            event BIGINT NOT NULL,
            line TEXT,
            tour TEXT,
            citizen TEXT,
            passengers BIGINT,
            lat DOUBLE PRECISION,
            lon DOUBLE PRECISION,
            stop TEXT,
            wanted_at BIGINT,
            requested_at BIGINT,
            accepted_at BIGINT,
            near_at BIGINT,
            arrived_at BIGINT,
            ended_at BIGINT,
            outcome TEXT,
            reason TEXT,
            reopened BIGINT NOT NULL DEFAULT 0,
            PRIMARY KEY (city, id)
        );
        CREATE INDEX stop_requests_by_time ON stop_requests (city, requested_at);
        CREATE TABLE tours (
            city TEXT NOT NULL,
            id TEXT NOT NULL,
            event BIGINT NOT NULL,
            bus TEXT,
            line TEXT,
            driver TEXT,
            pattern TEXT,
            trip TEXT,
            started_at BIGINT,
            ended_at BIGINT,
            reason TEXT,
            PRIMARY KEY (city, id)
        );
        CREATE INDEX tours_by_time ON tours (city, started_at);
        CREATE TABLE passages (
            city TEXT NOT NULL,
            tour TEXT NOT NULL,
            place BIGINT NOT NULL,
            event BIGINT NOT NULL,
            line TEXT,
            stop TEXT,
            passed_at BIGINT,
            delay_s DOUBLE PRECISION,
            PRIMARY KEY (city, tour, place)
        );
        CREATE INDEX passages_by_time ON passages (city, passed_at);
        CREATE TABLE audit (
            city TEXT NOT NULL,
            id TEXT NOT NULL,
            event BIGINT NOT NULL,
            at BIGINT,
            operator TEXT,
            command TEXT,
            target TEXT,
            reason TEXT,
            facts_before TEXT,
            facts_after TEXT,
            PRIMARY KEY (city, id)
        );
        CREATE INDEX audit_by_time ON audit (city, at);
        CREATE TABLE alarms (
            city TEXT NOT NULL,
            id TEXT NOT NULL,
            event BIGINT NOT NULL,
            role TEXT,
            subject TEXT,
            ride TEXT,
            booking TEXT,
            tour TEXT,
            vehicle TEXT,
            raised_at BIGINT,
            cancelled_at BIGINT,
            acknowledged_at BIGINT,
            acknowledged_by TEXT,
            closed_at BIGINT,
            closed_by TEXT,
            PRIMARY KEY (city, id)
        );
        CREATE TABLE reports (
            city TEXT NOT NULL,
            id TEXT NOT NULL,
            event BIGINT NOT NULL,
            category TEXT,
            sent_at BIGINT,
            closed_at BIGINT,
            closed_by TEXT,
            PRIMARY KEY (city, id)
        );
        CREATE TABLE notices (
            city TEXT NOT NULL,
            id TEXT NOT NULL,
            event BIGINT NOT NULL,
            operator TEXT,
            audience TEXT,
            zone TEXT,
            body TEXT,
            people BIGINT,
            sent_at BIGINT,
            PRIMARY KEY (city, id)
        );
        """

    /// Amounts in hundredths of the currency; stars 1 to 5, by the other side.
    private static let fares = """
        ALTER TABLE trips ADD COLUMN receipt TEXT;
        ALTER TABLE trips ADD COLUMN fare BIGINT;
        ALTER TABLE trips ADD COLUMN currency TEXT;
        ALTER TABLE trips ADD COLUMN payment TEXT;
        ALTER TABLE trips ADD COLUMN payment_state TEXT;
        ALTER TABLE trips ADD COLUMN stars_of_driver BIGINT;
        ALTER TABLE trips ADD COLUMN stars_of_passenger BIGINT;
        """

    /// What a booking of seats becomes when it ends as a trip; `route`, and what its passenger thinks of that, 1 to 5.
    private static let seats = """
        ALTER TABLE bookings ADD COLUMN route TEXT;
        ALTER TABLE bookings ADD COLUMN receipt TEXT;
        ALTER TABLE bookings ADD COLUMN fare BIGINT;
        ALTER TABLE bookings ADD COLUMN currency TEXT;
        ALTER TABLE bookings ADD COLUMN payment TEXT;
        ALTER TABLE bookings ADD COLUMN payment_state TEXT;
        ALTER TABLE bookings ADD COLUMN stars_of_driver BIGINT;
        ALTER TABLE bookings ADD COLUMN stars_of_passenger BIGINT;
        ALTER TABLE bookings ADD COLUMN route_stars BIGINT;
        """

    private static let registry = """
        CREATE TABLE drivers (
            city TEXT NOT NULL,
            id TEXT NOT NULL,
            event BIGINT NOT NULL,
            name TEXT,
            phone TEXT,
            company TEXT,
            photo TEXT,
            licence TEXT,
            licence_until TEXT,
            medical_until TEXT,
            vehicle TEXT,
            capabilities TEXT,
            registered_at BIGINT,
            changed_at BIGINT,
            changed_by TEXT,
            removed_at BIGINT,
            PRIMARY KEY (city, id)
        );
        CREATE TABLE vehicles (
            city TEXT NOT NULL,
            id TEXT NOT NULL,
            event BIGINT NOT NULL,
            plate TEXT,
            registration TEXT,
            company TEXT,
            model TEXT,
            colour TEXT,
            capabilities TEXT,
            registered_at BIGINT,
            changed_at BIGINT,
            changed_by TEXT,
            removed_at BIGINT,
            PRIMARY KEY (city, id)
        );
        """
}
