import Foundation
import Testing

@testable import Records

/// What is made in a database, before the hub's tables are there or later, and what is said of it.
struct ForeignThing: Sendable, CustomTestStringConvertible {
    let isLater: Bool
    /// As ``OwnerTests`` runs it.
    let script: String
    /// How the refusal begins; nil: there is none.
    let named: String?

    var testDescription: String { named ?? script }

    static func before(_ script: String, named: String?) -> ForeignThing {
        .init(isLater: false, script: script, named: named)
    }

    static func later(_ script: String, named: String?) -> ForeignThing {
        .init(isLater: true, script: script, named: named)
    }
}

/// Another role of the same PostgreSQL was there first, or has left something that runs as the hub.
@Suite(.enabled(if: PrivatePostgres.isInstalled, "no postgresql is installed")) struct OwnerTests {
    /// Runs it as the hub's role; ROLE is the other one.
    private func run(_ script: String, in location: StoreLocation, _ role: String) throws {
        let database = try location.open(makes: true)
        defer { database.close() }
        try database.script(script.replacing("ROLE", with: role))
    }

    /// With a database of its own, and a role that may make things in it.
    private func withRole(_ body: (StoreLocation, String) throws -> Void) throws {
        let location = StoreLocation.postgres(url: try PrivatePostgres.shared().database())
        let role = "other_" + UUID().uuidString.prefix(8).lowercased()
        try run("CREATE USER ROLE; GRANT CREATE ON SCHEMA public TO ROLE", in: location, role)
        try body(location, role)
    }

    private static let function = "RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'"
    private static let spies = "CREATE TRIGGER spies BEFORE INSERT ON trips FOR EACH ROW EXECUTE FUNCTION spy()"

    static let things: [ForeignThing] = [
        .before(
            "SET SESSION AUTHORIZATION ROLE; CREATE TABLE schema_versions (version INTEGER, applied_real BIGINT)",
            named: "the table public.schema_versions"),
        .before("SET SESSION AUTHORIZATION ROLE; CREATE TABLE trips (id TEXT)", named: "the table public.trips"),
        .before(
            "SET SESSION AUTHORIZATION ROLE; CREATE VIEW taxi_figures AS SELECT 1 AS n",
            named: "the view public.taxi_figures"),
        .before("CREATE SCHEMA kerbside AUTHORIZATION ROLE", named: "the schema kerbside"),
        .later("ALTER TABLE reports OWNER TO ROLE", named: "the table public.reports"),
        .later(
            "CREATE RULE copies AS ON INSERT TO trips DO ALSO NOTHING", named: "the rule copies on public.trips"),
        .later(
            "GRANT TRIGGER ON trips TO ROLE; SET SESSION AUTHORIZATION ROLE; CREATE FUNCTION spy() \(function); \(spies)",
            named: "the trigger spies on public.trips"),
        .later(
            "SET SESSION AUTHORIZATION ROLE; CREATE FUNCTION now(INTEGER) RETURNS INTEGER LANGUAGE sql AS 'SELECT 1'",
            named: "the function public.now"),
        .later(
            """
            SET SESSION AUTHORIZATION ROLE; \
            CREATE FUNCTION mine(NUMERIC, INTEGER) RETURNS NUMERIC LANGUAGE sql AS 'SELECT $1'; \
            CREATE OPERATOR * (LEFTARG = NUMERIC, RIGHTARG = INTEGER, FUNCTION = mine)
            """, named: "the operator public.*"),
        // Nothing of the records, and what who can do everything has made.
        .later("SET SESSION AUTHORIZATION ROLE; CREATE TABLE mine (id TEXT)", named: nil),
        .later(
            "SET SESSION AUTHORIZATION ROLE; CREATE FUNCTION mine() RETURNS INTEGER LANGUAGE sql AS 'SELECT 1'",
            named: nil),
        .later("CREATE FUNCTION spy() \(function); \(spies)", named: nil),
    ]

    @Test(arguments: OwnerTests.things) func whatAnotherRoleHasMadeIsRefusedByName(_ thing: ForeignThing) throws {
        try withRole { location, role in
            if thing.isLater {
                try RecordStore.nextRecorder(location, city: "a", nowMs: 1).close()
            }
            try run(thing.script, in: location, role)
            for open in [
                { try RecordStore.check(location) },
                { try RecordStore.nextRecorder(location, city: "a", nowMs: 1).close() },
                { try RecordStore.reader(location, city: "a").close() },
            ] {
                guard let named = thing.named else {
                    try open()
                    continue
                }
                let failure = #expect(throws: DatabaseFailure.self) { try open() }
                #expect(failure?.kind == .unfit)
                let said = failure?.description ?? ""
                #expect(said.hasPrefix(named + " in the PostgreSQL database"), "\(said)")
                #expect(said.contains(role) != named.contains("rule"), "\(said)")
            }
        }
    }

    @Test func whatTheOwnerOfTheDatabaseHasMadeIsTaken() throws {
        try withRole { location, role in
            try RecordStore.nextRecorder(location, city: "a", nowMs: 1).close()
            let database = try #require(try names(location).first)
            try run("ALTER TABLE trips OWNER TO ROLE", in: location, role)
            #expect(throws: DatabaseFailure.self) { try RecordStore.check(location) }
            // From another database: this one lets nobody in by this program.
            let main = try StoreLocation.postgres(url: try PrivatePostgres.shared().database()).open(makes: false)
            defer { main.close() }
            try main.script("ALTER DATABASE \(database) OWNER TO \(role)")
            try RecordStore.check(location)
        }
    }

    private func names(_ location: StoreLocation) throws -> [String] {
        let database = try location.open(makes: false)
        defer { database.close() }
        return try database.rows(Statement("SELECT current_database()")).compactMap { $0[0].text }
    }

    @Test func aSchemaThatComesBeforeTakesNothingFromTheRecords() throws {
        try withRole { location, role in
            try RecordStore.nextRecorder(location, city: "a", nowMs: 1).close()
            // Of the name of the hub's role, it is the first in the search_path.
            try run("CREATE SCHEMA kerbside", in: location, role)
            try RecordStore.nextRecorder(location, city: "a", nowMs: 2).close()
            let database = try location.open(makes: false)
            defer { database.close() }
            let path = try database.rows(Statement("SHOW search_path"))
            #expect(path == [[.text("public, pg_temp")]])
            let schemas = try database.rows(
                Statement("SELECT schemaname FROM pg_tables WHERE tablename = 'schema_versions'"))
            #expect(schemas == [[.text("public")]])
        }
    }

    @Test func allThatTheStepsMakeIsLookedAt() throws {
        let location = StoreLocation.postgres(url: try PrivatePostgres.shared().database())
        try RecordStore.nextRecorder(location, city: "a", nowMs: 1).close()
        let database = try location.open(makes: false)
        defer { database.close() }
        let made = try database.rows(
            Statement(
                """
                SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
                WHERE n.nspname = 'public' AND c.relkind <> 'i'
                """))
        #expect(Set(made.compactMap { $0[0].text }) == Set(Migrations.names))
    }
}
