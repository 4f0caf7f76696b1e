import Foundation
import Testing

@testable import Records

/// The same statements, with the same answers of both databases.
@Suite struct DatabaseTests {
    @Test(.enabled(if: PrivatePostgres.isInstalled, "no postgresql is installed"))
    func postgresIsTriedToo() { #expect(Backend.here == Backend.allCases) }

    @Test(arguments: Backend.here) func valuesComeBackAsTheyWere(_ backend: Backend) throws {
        try backend.run { location in
            let database = try location.open(makes: true)
            defer { database.close() }
            try database.script("CREATE TABLE t (n BIGINT, x DOUBLE PRECISION, s TEXT)")
            let rows: [[SQLValue]] = [
                [.integer(.max), .real(45.461), .text("Strada 'Nuova' ü \u{1F695}")],
                [.integer(.min), .real(-1e-9), .text("")], [.null, .null, .null],
            ]
            try database.transaction { () throws(DatabaseFailure) in
                try database.run(rows.map { Statement("INSERT INTO t (s, n, x) VALUES ($3, $1, $2)", $0) })
            }
            #expect(try database.rows(Statement("SELECT n, x, s FROM t ORDER BY n IS NULL, n DESC")) == rows)
            #expect(
                try database.rows(Statement("SELECT s FROM t WHERE n = $1 OR s = $2", [.integer(5), .text("")])) == [
                    [.text("")]
                ])
        }
    }

    @Test(arguments: Backend.here) func aTransactionIsAllOrNothing(_ backend: Backend) throws {
        try backend.run { location in
            let database = try location.open(makes: true)
            defer { database.close() }
            try database.script("CREATE TABLE t (n BIGINT PRIMARY KEY)")
            let insert = { (n: Int64) in Statement("INSERT INTO t (n) VALUES ($1)", [.integer(n)]) }
            let failure = #expect(throws: DatabaseFailure.self) {
                try database.transaction { () throws(DatabaseFailure) in try database.run([1, 2, 1].map(insert)) }
            }
            #expect(failure?.kind == .refused)
            #expect(try database.rows(Statement("SELECT n FROM t")) == [])
            // More at once than go out in one go.
            try database.transaction { () throws(DatabaseFailure) in try database.run((1...1_000).map(insert)) }
            #expect(try database.rows(Statement("SELECT COUNT(*) FROM t")) == [[.integer(1_000)]])
        }
    }

    @Test(arguments: Backend.here) func whatIsRefusedIsToldFromWhatMayBeTriedAgain(_ backend: Backend) throws {
        try backend.run { location in
            let database = try location.open(makes: true)
            defer { database.close() }
            // A key that is a whole number is the one that SQLite is strict with.
            try database.script("CREATE TABLE t (n INTEGER PRIMARY KEY, s TEXT NOT NULL)")
            let insert = "INSERT INTO t (n, s) VALUES ($1, $2)"
            for (values, sql, isRefused) in [
                ([.text("x"), .text("s")], insert, true), ([.integer(1), .null], insert, true),
                ([], "INSERT INTO nothing (n) VALUES (1)", false),
            ] as [([SQLValue], String, Bool)] {
                let failure = #expect(throws: DatabaseFailure.self) {
                    try database.transaction { () throws(DatabaseFailure) in try database.run([Statement(sql, values)])
                    }
                }
                #expect(failure?.kind == (isRefused ? .refused : .unavailable) && !database.isLost)
            }
            #expect(
                try database.rows(Statement(insert + " RETURNING n", [.integer(1), .text("s")])) == [[.integer(1)]])
        }
    }

    @Test(arguments: Backend.here) func eachGapIsKeptAlsoThoseOfOneMillisecond(_ backend: Backend) throws {
        try backend.run { location in
            let store = try #require(try RecordStore.recorder(location, city: "a", nowMs: 1))
            defer { store.close() }
            func gap(_ kind: RecordStore.Gap.Kind, _ after: Int64, _ before: Int64) -> RecordStore.Gap {
                .init(
                    kind: kind, after: EventID(ms: after, number: 0), before: EventID(ms: before, number: 0), lost: 1)
            }
            let gaps = [gap(.trimmed, 1, 3), gap(.refused, 3, 3), gap(.refused, 5, 5), gap(.refused, 6, 6)]
            let ends = [3, 5, 6].map { RecordStore.Cursor(id: EventID(ms: $0, number: 0), place: $0) }
            try store.record(store.prepare(after: Array(gaps[..<2])), from: nil, to: ends[0], nowMs: 7)
            try store.record(store.prepare(after: [gaps[2]]), from: ends[0], to: ends[1], nowMs: 7)
            try store.record(store.prepare(after: [gaps[3]]), from: ends[1], to: ends[2], nowMs: 9)
            #expect(try store.gaps() == gaps)
        }
    }

    @Test(arguments: Backend.here) func tablesOfALaterVersionAreRefused(_ backend: Backend) throws {
        try backend.run { location in
            let store = try #require(try RecordStore.recorder(location, city: "a", nowMs: 1))
            store.close()
            // A second time there is nothing to do.
            try RecordStore.nextRecorder(location, city: "a", nowMs: 2).close()
            try RecordStore.check(location)
            let database = try location.open(makes: false)
            #expect(
                try database.rows(Statement("SELECT version, applied_real FROM schema_versions ORDER BY version"))
                    == (1...Int64(Migrations.steps.count)).map { [.integer($0), .integer(1)] })
            try database.script("INSERT INTO schema_versions (version, applied_real) VALUES (99, 3)")
            database.close()
            for open in [
                { try RecordStore.check(location) }, { _ = try RecordStore.recorder(location, city: "a", nowMs: 4) },
                { _ = try RecordStore.reader(location, city: "a") },
            ] {
                let failure = #expect(throws: DatabaseFailure.self) { try open() }
                #expect(failure?.kind == .newer)
                let said = "version 99, and this program knows \(Migrations.steps.count)"
                #expect(failure?.description.contains(said) == true)
            }
        }
    }

    @Test(arguments: Backend.here) func whatIsNotMadeYetIsToldFromWhatCannotBeRead(_ backend: Backend) throws {
        try backend.run { location in
            func kind() -> DatabaseFailure.Kind? {
                do throws(DatabaseFailure) {
                    try RecordStore.reader(location, city: "a").close()
                    return nil
                } catch {
                    return error.kind
                }
            }
            #expect(kind() == .unmade, "there is nothing, or an empty database")
            try location.open(makes: true).close()
            #expect(kind() == .unmade)
            try #require(try RecordStore.recorder(location, city: "a", nowMs: 1)).close()
            #expect(kind() == nil)
            let database = try location.open(makes: false)
            try database.script("DELETE FROM schema_versions WHERE version = \(Migrations.steps.count)")
            #expect(kind() == .unmade, "tables of an earlier version")
            try database.script("INSERT INTO schema_versions (version, applied_real) VALUES (99, 3)")
            database.close()
            #expect(kind() == .newer)
        }
        let nowhere = StoreLocation.sqlite(path: "/proc/self/status/records.sqlite")
        let failure = #expect(throws: DatabaseFailure.self) { _ = try RecordStore.reader(nowhere, city: "a") }
        #expect(failure?.kind == .unavailable)
    }

    @Test func aFileOfAnotherProgramIsToldFromAHubs() throws {
        try Backend.sqlite.run { location in
            guard case .sqlite(let path) = location else { return }
            try location.checkFile()
            // Nothing is in it yet, or in the log beside it only.
            let database = try location.open(makes: true)
            defer { database.close() }
            try location.checkFile()
            try database.script("CREATE TABLE t (n BIGINT); PRAGMA wal_checkpoint(TRUNCATE)")
            let tables = #expect(throws: DatabaseFailure.self) { try location.checkFile() }
            #expect(tables?.description.contains("its tables are another program's") == true)
            try #require(try RecordStore.recorder(location, city: "a", nowMs: 1)).close()
            try database.script("PRAGMA wal_checkpoint(TRUNCATE)")
            try location.checkFile()
            for text in ["SQLite format 4\0…", "S"] {
                let other = path + "-other"
                defer { unlink(other) }
                try Data(text.utf8).write(to: URL(fileURLWithPath: other))
                let failure = #expect(throws: DatabaseFailure.self) {
                    try StoreLocation.sqlite(path: other).checkFile()
                }
                #expect(failure?.description.contains("no SQLite database") == true)
            }
        }
        let device = #expect(throws: DatabaseFailure.self) { try StoreLocation.sqlite(path: "/dev/null").checkFile() }
        #expect(device?.description.contains("no plain file") == true)
    }

    @Test func oneMachineRecordsACityInPostgres() throws {
        guard PrivatePostgres.isInstalled else { return }
        try Backend.postgres.run { location in
            let first = try #require(try RecordStore.recorder(location, city: "a", nowMs: 1))
            #expect(try RecordStore.recorder(location, city: "a", nowMs: 1) == nil)
            try #require(try RecordStore.recorder(location, city: "b", nowMs: 1)).close()
            first.close()
            try RecordStore.nextRecorder(location, city: "a", nowMs: 1).close()
        }
    }

    @Test(
        .enabled(if: PrivatePostgres.isInstalled, "no postgresql is installed"),
        arguments: [("UTF8", false), ("SQL_ASCII", false), ("LATIN1", true), ("WIN1250", true)])
    func aDatabaseThatCantHoldEveryTextIsRefused(_ encoding: String, isUnfit: Bool) throws {
        let options = "ENCODING '\(encoding)' LOCALE 'C' TEMPLATE template0"
        let location = StoreLocation.postgres(url: try PrivatePostgres.shared().database(options))
        for open in [
            { try RecordStore.check(location) },
            { _ = try RecordStore.recorder(location, city: "a", nowMs: 1)?.close() },
            { try RecordStore.reader(location, city: "a").close() },
        ] {
            guard isUnfit else {
                try open()
                continue
            }
            let failure = #expect(throws: DatabaseFailure.self) { try open() }
            #expect(failure?.kind == .unfit)
            #expect(failure?.description.contains("encoding \(encoding), ") == true)
        }
    }

    @Test(.enabled(if: PrivatePostgres.isInstalled, "no postgresql is installed"))
    func theServerFindsADeadLinkSoon() throws {
        let database = try StoreLocation.postgres(url: try PrivatePostgres.shared().database()).open(makes: false)
        defer { database.close() }
        // On this socket they have no value, but it is known who has set them.
        let mine = "SELECT name FROM pg_settings WHERE name LIKE 'tcp%' AND source = 'session' ORDER BY name"
        #expect(
            try database.rows(Statement(mine)) == [
                [.text("tcp_keepalives_count")], [.text("tcp_keepalives_idle")], [.text("tcp_keepalives_interval")],
                [.text("tcp_user_timeout")],
            ])
    }

    @Test func whatIsNotThereIsNamedWithoutItsPassword() {
        let location = StoreLocation(url: "postgresql://hub:secret@127.0.0.1:1/records?sslmode=disable", data: "data")
        #expect(location.name == "PostgreSQL 127.0.0.1:1/records")
        let failure = #expect(throws: DatabaseFailure.self) { _ = try location.open(makes: true) }
        #expect(failure?.kind == .unavailable)
        #expect(failure?.description.contains("secret") == false)
        #expect(StoreLocation(url: "", data: "data") == .sqlite(path: "data/records.sqlite"))
        #expect(StoreLocation(url: "sqlite:///srv/r.db", data: "data") == .sqlite(path: "/srv/r.db"))
        #expect(StoreLocation(url: "none", data: "data") == .none)
        #expect(throws: DatabaseFailure.self) { _ = try StoreLocation.sqlite(path: "/nowhere/r.db").open(makes: true) }
    }

    @Test(arguments: [
        "postgresql://u:S3cret/x@127.0.0.1:1/db", "postgresql://u:S3cret%zz@127.0.0.1:1/db",
        "postgres://u:S3cret@[::1/db", "postgresql://u@127.0.0.1:1/db?password=a@S3cret&x", "postgresql://h/db?S3cret",
    ])
    func whatLibpqCantReadIsNotRepeated(url: String) {
        let location = StoreLocation(url: url, data: "data")
        let failure = #expect(throws: DatabaseFailure.self) { _ = try location.open(makes: true) }
        #expect(failure?.description.contains("S3cret") == false && !location.name.contains("S3cret"))
    }

    @Test func aHostThatNobodyKnowsIsNotRepeatedAndOneThatRefusesIs() {
        let unknown = PostgresDatabase.withoutURL(
            "could not translate host name \"S3cret@h\" to address: Name or service")
        #expect(unknown.hasPrefix("could not translate host name …; ") && !unknown.contains("S3cret"))
        let refused = "connection to server at \"127.0.0.1\", port 1 failed: Connection refused"
        #expect(PostgresDatabase.withoutURL(refused) == refused)
    }

}
