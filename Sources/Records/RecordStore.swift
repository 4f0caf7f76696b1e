/// The records of one city in a database. Blocks; for one thread.
public final class RecordStore {
    /// How far the event log has been recorded.
    public struct Cursor: Equatable, Sendable {
        /// The last entry that was.
        public var id: EventID
        /// How many entries the log had had by then, those included that it does not hold any more.
        public var place: Int64

        public init(id: EventID = .zero, place: Int64 = 0) {
            self.id = id
            self.place = place
        }
    }

    /// A part of the log that is not recorded.
    public struct Gap: Equatable, Sendable {
        public enum Kind: String, Sendable {
            /// It was there before records began.
            case before
            /// It was cut off the log before it was read.
            case trimmed
            /// Redis had lost what is recorded already.
            case rewound
            /// The database does not take the entry that both ids name.
            case refused
        }

        public var kind: Kind
        public var after: EventID
        public var before: EventID
        /// How many entries; nil: nobody knows.
        public var lost: Int64?

        public init(kind: Kind, after: EventID, before: EventID, lost: Int64?) {
            (self.kind, self.after, self.before, self.lost) = (kind, after, before, lost)
        }
    }

    let database: any Database
    let city: String
    /// The latest event that was recorded when Redis lost some: what comes up to it again is in its row already, or not.
    private var known = EventID.zero

    /// Opens it, and brings its tables up to date. Nil: another recorder of this city has it.
    ///
    /// - Parameter nowMs: machine time.
    public static func recorder(
        _ location: StoreLocation, city: String, nowMs: Int64
    ) throws(DatabaseFailure) -> RecordStore? {
        let database = try location.open(makes: true)
        do throws(DatabaseFailure) {
            guard try database.lock("kerbside records of " + city) else {
                database.close()
                return nil
            }
            try Migrations.run(database, nowMs: nowMs)
            // What it has found made may be of somebody who was faster.
            try database.checkOwners()
            let store = RecordStore(database, city: city)
            for gap in try store.gaps() { store.heed(gap) }
            return store
        } catch {
            database.close()
            throw error
        }
    }

    /// Opens what has been recorded, to be read. Fails with `.unmade` where nothing could be recorded yet. `withinSeconds`: a reading that takes
    /// longer fails; nil: it may take a minute.
    public static func reader(
        _ location: StoreLocation, city: String, withinSeconds: Int? = nil
    ) throws(DatabaseFailure) -> RecordStore {
        let database = try location.open(makes: false, withinSeconds: withinSeconds)
        do throws(DatabaseFailure) {
            let version = try Migrations.made(in: database)
            try Migrations.check(version)
            guard version == Migrations.steps.count else {
                throw DatabaseFailure(
                    .unmade,
                    "the records have tables of version \(version): a hub of this program brings them up to date")
            }
        } catch {
            database.close()
            throw error
        }
        return RecordStore(database, city: city)
    }

    /// Fails with `.newer` when the tables are of a later version, and with `.unfit`; says nothing of a database that is not there, or does not
    /// answer for some seconds.
    public static func check(_ location: StoreLocation) throws(DatabaseFailure) {
        guard location != .none else { return }
        let database: any Database
        do throws(DatabaseFailure) {
            database = try location.open(makes: false, withinSeconds: 5)
        } catch {
            if error.kind == .unfit { throw error }
            return
        }
        defer { database.close() }
        guard let version = try? Migrations.version(of: database) else { return }
        try Migrations.check(version)
    }

    private init(_ database: any Database, city: String) {
        self.database = database
        self.city = city
    }

    public func close() { database.close() }

    /// See ``Database/shorten()``.
    public func shorten() throws(DatabaseFailure) { try database.shorten() }

    /// Whether it has to be opened again.
    public var isLost: Bool { database.isLost }

    /// See ``Database/serverNs``.
    public var serverNs: UInt64 { database.serverNs }

    /// Nil before anything was recorded.
    public func cursor() throws(DatabaseFailure) -> Cursor? {
        let rows = try database.rows(Statement("SELECT id, place FROM cursors WHERE city = $1", [.text(city)]))
        guard let row = rows.first, let id = row[0].text.flatMap({ EventID($0) }), let place = row[1].integer else {
            return nil
        }
        return Cursor(id: id, place: place)
    }

    /// What events that follow each other change, worked out before it is recorded, each row once: their transaction only has
    /// to write it.
    public struct Prepared: Sendable {
        fileprivate let gaps: [Gap]
        /// Up to here an event may have been recorded before.
        private let known: EventID
        fileprivate private(set) var changes: [(change: Change, event: EventID)] = []
        private var places: [Change.Row: Int] = [:]

        fileprivate init(_ gaps: [Gap], known: EventID) { (self.gaps, self.known) = (gaps, known) }

        public mutating func add(_ event: RecordedEvent) {
            for change in event.changes {
                let row = change.row
                // A row that knows some of the events would take them once more.
                if event.id > known, let place = places[row], let both = changes[place].change.followed(by: change) {
                    changes[place] = (both, event.id)
                } else {
                    if event.id > known { places[row] = changes.count }
                    changes.append((change, event.id))
                }
            }
        }
    }

    /// - Parameter gaps: what is missing before these events.
    public func prepare(after gaps: [Gap] = []) -> Prepared {
        for gap in gaps { heed(gap) }
        return Prepared(gaps, known: known)
    }

    /// The log begins anew before what is recorded.
    private func heed(_ gap: Gap) {
        if gap.kind == .rewound { known = max(known, gap.before) }
    }

    /// Records events and moves the cursor, all or nothing. `from` is where it must be: where it is not, somebody else has
    /// recorded meanwhile, and nothing changes.
    public func record(
        _ prepared: Prepared, from: Cursor?, to: Cursor, nowMs: Int64
    ) throws(DatabaseFailure) {
        var statements = prepared.changes.map { $0.change.statement(city, $0.event) }
        statements += prepared.gaps.map { row(of: $0, nowMs) }
        try database.transaction { () throws(DatabaseFailure) in
            try move(from, to, nowMs)
            try database.run(statements)
        }
    }

    private func move(_ from: Cursor?, _ to: Cursor, _ nowMs: Int64) throws(DatabaseFailure) {
        let values: [SQLValue] = [.text(city), .text("\(to.id)"), .integer(to.place), .integer(nowMs)]
        let sql =
            from == nil
            ? "INSERT INTO cursors (city, id, place, recorded_real) VALUES ($1, $2, $3, $4) ON CONFLICT (city) DO NOTHING RETURNING city"
            : "UPDATE cursors SET id = $2, place = $3, recorded_real = $4 WHERE city = $1 AND id = $5 RETURNING city"
        let rows = try database.rows(Statement(sql, values + (from.map { [.text("\($0.id)")] } ?? [])))
        guard rows.count == 1 else {
            throw DatabaseFailure(.overtaken, "another recorder has gone on with the records of \(city)")
        }
    }

    /// Each has a time of its own, by which it is found: of several in one millisecond those behind the first are a bit later.
    private func row(of gap: Gap, _ nowMs: Int64) -> Statement {
        Statement(
            """
            INSERT INTO gaps (city, found_real, kind, after_id, before_id, lost) VALUES ($1, \
            COALESCE((SELECT MAX(found_real) + 1 FROM gaps WHERE city = $1 AND found_real >= $2), $2), $3, $4, $5, $6)
            """,
            [
                .text(city), .integer(nowMs), .text(gap.kind.rawValue), .text("\(gap.after)"), .text("\(gap.before)"),
                SQLValue(gap.lost),
            ])
    }

    /// All gaps, the oldest first.
    public func gaps() throws(DatabaseFailure) -> [Gap] {
        let rows = try database.rows(
            Statement(
                "SELECT kind, after_id, before_id, lost FROM gaps WHERE city = $1 ORDER BY found_real", [.text(city)]))
        return rows.compactMap { row in
            guard let kind = row[0].text.flatMap(Gap.Kind.init), let after = row[1].text.flatMap({ EventID($0) }),
                let before = row[2].text.flatMap({ EventID($0) })
            else { return nil }
            return Gap(kind: kind, after: after, before: before, lost: row[3].integer)
        }
    }

    /// Takes who it was, and where, out of what was asked for before `time` (hub ms). What happened stays; so do drivers, whose
    /// work it was.
    public func forgetPeople(before time: Int64) throws(DatabaseFailure) {
        let values: [SQLValue] = [.text(city), .integer(time)]
        try database.transaction { () throws(DatabaseFailure) in
            for sql in Self.forgetting { _ = try database.rows(Statement(sql, values)) }
        }
    }

    /// Takes the numbers of those who telephoned before `time` (hub ms) out of what is recorded.
    public func forgetCallers(before time: Int64) throws(DatabaseFailure) {
        let values: [SQLValue] = [.text(city), .integer(time)]
        try database.transaction { () throws(DatabaseFailure) in
            for (table, column, at) in [
                ("trips", "passenger", "requested_at"), ("bookings", "passenger", "requested_at"),
                ("stop_requests", "citizen", "requested_at"), ("reservations", "passenger", "at"),
            ] {
                _ = try database.rows(
                    Statement(
                        "UPDATE \(table) SET \(column) = NULL WHERE city = $1 AND \(at) < $2 AND \(column) LIKE 'tel:%'",
                        values))
            }
        }
    }

    private static let forgetting = [
        """
        UPDATE trips SET passenger = NULL, from_lat = NULL, from_lon = NULL, to_lat = NULL, to_lon = NULL, \
        payment_reference = NULL, comment_on_driver = NULL, comment_on_passenger = NULL \
        WHERE city = $1 AND (requested_at < $2 \
        OR requested_at IS NULL AND COALESCE(accepted_at, aboard_at, ended_at, 0) < $2) \
        AND (passenger IS NOT NULL OR from_lat IS NOT NULL)
        """,
        """
        UPDATE bookings SET passenger = NULL, payment_reference = NULL, comment_on_driver = NULL, comment_on_passenger = NULL \
        WHERE city = $1 AND (requested_at < $2 \
        OR requested_at IS NULL AND COALESCE(confirmed_at, aboard_at, ended_at, 0) < $2) AND passenger IS NOT NULL
        """,
        """
        UPDATE stop_requests SET citizen = NULL, lat = NULL, lon = NULL \
        WHERE city = $1 AND (requested_at < $2 \
        OR requested_at IS NULL AND COALESCE(accepted_at, arrived_at, ended_at, 0) < $2) \
        AND (citizen IS NOT NULL OR lat IS NOT NULL)
        """,
        """
        UPDATE reservations SET passenger = NULL, from_lat = NULL, from_lon = NULL, to_lat = NULL, to_lon = NULL \
        WHERE city = $1 AND COALESCE(at, made_at, searching_at, assigned_at, ended_at, 0) < $2 \
        AND (passenger IS NOT NULL OR from_lat IS NOT NULL)
        """,
        """
        UPDATE alarms SET subject = CASE WHEN role = 'passenger' THEN NULL ELSE subject END, text = NULL, lat = NULL, lon = NULL, \
        acknowledged_note = NULL, closed_note = NULL WHERE city = $1 AND raised_at < $2 \
        AND (subject IS NOT NULL AND role = 'passenger' OR text IS NOT NULL OR lat IS NOT NULL OR acknowledged_note IS NOT NULL \
        OR closed_note IS NOT NULL)
        """,
        """
        UPDATE reports SET subject = NULL, text = NULL, closed_note = NULL WHERE city = $1 AND sent_at < $2 \
        AND (subject IS NOT NULL OR text IS NOT NULL OR closed_note IS NOT NULL)
        """,
    ]
}
