import Testing

@testable import Records

/// A new program at the tables of an older one: nothing of what they hold is lost.
@Suite struct MigrationTests {
    private typealias Column = (name: String, type: String)

    /// What the step of this version takes from a driver who had been removed, as the row here is.
    private static let clearing = 5
    private static let gone = ["drivers": ["licence_until", "medical_until", "vehicle", "capabilities"]]

    @Test(
        "rows of each earlier version come through whole, with nothing in new columns", arguments: Backend.here,
        1..<Migrations.steps.count)
    func rowsOfEarlierVersionsStayWhole(_ backend: Backend, _ version: Int) throws {
        try backend.run { location in
            let old = try location.open(makes: true)
            try Self.make(version, in: old)
            let written = try Self.fill(old, backend)
            old.close()
            #expect(written.keys.contains("trips") && written.count >= 11)

            try #require(try RecordStore.recorder(location, city: "a", nowMs: 99)).close()

            let new = try location.open(makes: false)
            defer { new.close() }
            for (table, row) in written {
                let columns = try Self.columns(of: table, new, backend)
                let names = columns.map(\.name)
                #expect(Set(row.keys).isSubset(of: names), "\(table) of version \(version)")
                let rows = try new.rows(Statement("SELECT \(names.joined(separator: ", ")) FROM \(table)"))
                let gone = version < Self.clearing ? Self.gone[table] ?? [] : []
                let expected = names.map { name -> SQLValue in gone.contains(name) ? .null : row[name] ?? .null }
                #expect(rows == [expected], "\(table) of version \(version)")
            }
            let steps = try new.rows(Statement("SELECT version, applied_real FROM schema_versions ORDER BY version"))
            let expected = (1...Migrations.steps.count).map { number -> [SQLValue] in
                [.integer(Int64(number)), .integer(number <= version ? Int64(number) : 99)]
            }
            #expect(steps == expected)
        }
    }

    @Test(
        "tables that came in two goes are those of a new database", arguments: Backend.here, 1..<Migrations.steps.count)
    func anUpgradeGivesTheTablesOfANewDatabase(_ backend: Backend, _ version: Int) throws {
        var made: [[String: [String]]] = []
        for isOld in [true, false] {
            try backend.run { location in
                let database = try location.open(makes: true)
                defer { database.close() }
                if isOld { try Self.make(version, in: database) }
                try Migrations.run(database, nowMs: 99)
                var tables: [String: [String]] = [:]
                for table in try Self.tables(database, backend) {
                    tables[table] = try Self.columns(of: table, database, backend).map { "\($0.name) \($0.type)" }
                }
                made.append(tables)
            }
        }
        #expect(made[0] == made[1] && made[0].count >= 13)
    }

    @Test("one version ahead is refused, and stays as it is", arguments: Backend.here)
    func oneVersionAheadIsRefused(_ backend: Backend) throws {
        try backend.run { location in
            let database = try location.open(makes: true)
            defer { database.close() }
            try Self.make(Migrations.steps.count, in: database)
            let ahead = Int64(Migrations.steps.count + 1)
            try Self.mark(ahead, in: database)
            let written = try Self.fill(database, backend)
            let failure = #expect(throws: DatabaseFailure.self) { try Migrations.run(database, nowMs: 99) }
            #expect(failure?.kind == .newer)
            #expect(failure?.description.contains("version \(ahead)") == true)
            #expect(throws: DatabaseFailure.self) { _ = try RecordStore.recorder(location, city: "a", nowMs: 99) }
            let marks = try database.rows(Statement("SELECT COUNT(*), MAX(applied_real) FROM schema_versions"))
            #expect(marks == [[.integer(ahead), .integer(ahead)]])
            for table in written.keys {
                #expect(try database.rows(Statement("SELECT COUNT(*) FROM \(table)")) == [[.integer(1)]])
            }
        }
    }

    /// What a program of this version has left: each step at the machine ms of its number.
    private static func make(_ version: Int, in database: any Database) throws {
        try database.script(
            "CREATE TABLE schema_versions (version INTEGER NOT NULL PRIMARY KEY, applied_real BIGINT NOT NULL)")
        for (index, step) in Migrations.steps.prefix(version).enumerated() {
            try database.script(step)
            try mark(Int64(index + 1), in: database)
        }
    }

    private static func mark(_ version: Int64, in database: any Database) throws {
        _ = try database.rows(
            Statement(
                "INSERT INTO schema_versions (version, applied_real) VALUES ($1, $2)",
                [.integer(version), .integer(version)]))
    }

    /// One row with something in each column into each table; table → column → value.
    private static func fill(_ database: any Database, _ backend: Backend) throws -> [String: [String: SQLValue]] {
        var written: [String: [String: SQLValue]] = [:]
        for table in try tables(database, backend) {
            let columns = try columns(of: table, database, backend)
            let values = columns.enumerated().map { (index, column) -> SQLValue in
                if column.type.contains("INT") { return .integer(Int64(1_000 + index)) }
                if column.type.contains("DOUBLE") { return .real(Double(index) + 0.25) }
                return .text("\(column.name) of \(table), ü")
            }
            let places = values.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
            let names = columns.map(\.name)
            let sql = "INSERT INTO \(table) (\(names.joined(separator: ", "))) VALUES (\(places))"
            _ = try database.rows(Statement(sql, values))
            written[table] = Dictionary(uniqueKeysWithValues: zip(names, values))
        }
        return written
    }

    /// All but the one of the versions.
    private static func tables(_ database: any Database, _ backend: Backend) throws -> [String] {
        let sql =
            switch backend {
            case .sqlite: "SELECT name FROM sqlite_master WHERE type = 'table'"
            case .postgres: "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
            }
        return try database.rows(Statement(sql)).compactMap { $0[0].text }.filter { $0 != "schema_versions" }
    }

    /// In their order; types in capitals.
    private static func columns(of table: String, _ database: any Database, _ backend: Backend) throws -> [Column] {
        let sql =
            switch backend {
            case .sqlite: "SELECT name, type FROM pragma_table_info($1) ORDER BY cid"
            case .postgres:
                """
                SELECT column_name, data_type FROM information_schema.columns \
                WHERE table_schema = 'public' AND table_name = $1 ORDER BY ordinal_position
                """
            }
        return try database.rows(Statement(sql, [.text(table)])).map { row in
            let name = try #require(row[0].text)
            let type = try #require(row[1].text)
            return (name: name, type: type.uppercased())
        }
    }
}
