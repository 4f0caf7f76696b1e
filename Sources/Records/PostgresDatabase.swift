internal import CLibpq
import Dispatch
import Glibc

/// A connection to PostgreSQL 14 or later. When it is lost every call fails; a new one is opened then.
public final class PostgresDatabase: Database {
    private var connection: OpaquePointer?
    /// Types of columns that are whole numbers, and those that are not.
    private static let whole: Set<UInt32> = [20, 21, 23]
    private static let decimal: Set<UInt32> = [700, 701, 1700]
    /// So many statements go out before their answers are read: these must fit into what the kernel holds.
    private static let inOneGo = 200

    /// The one in which records are.
    private var schema = ""

    /// So long the answers to what went out together are waited for, ns; nil: as long as the network lives.
    private let withinNs: UInt64?

    /// Waits 5 s for the server at most, and for an answer as long as the network lives: a machine that has died is found within half a
    /// minute. `withinSeconds`: a statement that takes longer fails; where the server does not even say so, the connection is given up a second
    /// later. Nil: it may take a minute.
    public init(url: String, withinSeconds: Int? = nil) throws(DatabaseFailure) {
        withinNs = withinSeconds.map { UInt64($0 + 1) * 1_000_000_000 }
        // What the URL says settles what comes before it, and what comes behind it settles what the URL and the environment say.
        let keywords = [
            "connect_timeout", "tcp_user_timeout", "keepalives_idle", "keepalives_interval", "keepalives_count",
            "application_name", "client_encoding", "dbname", "sslmode",
        ]
        // libpq passes over a keyword without a value.
        let mode = PostgresTarget(url)?.imposed
        let values = ["5", "15000", "10", "5", "3", "kerbside", "UTF8", url, mode ?? ""]
        connection = withCStrings(keywords) { keywords in
            withCStrings(values) { PQconnectdbParams(keywords, $0, 1) }
        }
        guard PQstatus(connection) == CONNECTION_OK else {
            let said = connection.map { String(cString: PQerrorMessage($0)) } ?? "closed"
            let reason = failure("it can't be reached", Self.withoutURL(said))
            close()
            throw reason
        }
        kb_pq_silence(connection)
        do throws(DatabaseFailure) {
            try checkEncoding()
            // One that waits for another's lock says so instead of waiting for ever.
            let limits = "SET statement_timeout = '\(withinSeconds ?? 60)s'; SET lock_timeout = '15s'"
            try script("\(limits); \(Self.keepalives)")
            guard let found = try PostgresOwners.schema(self) else {
                throw DatabaseFailure(
                    .unfit,
                    "the search_path of the hub's role names no schema that is there: make one in the PostgreSQL database, or say another with ALTER ROLE … SET search_path"
                )
            }
            schema = found
            try checkOwners()
        } catch {
            close()
            throw error
        }
    }

    /// The server finds within half a minute, too, that this machine has died or that the network has forgotten the connection. By Linux' own
    /// settings its session would keep the lock of the records for two hours. On a Unix socket they do nothing.
    private static let keepalives =
        "SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3; SET tcp_user_timeout = 15000"

    /// Encodings that hold every character; the second takes bytes as they are. Of another one PostgreSQL refuses the text that has a
    /// character more, and with it all that is recorded in the same transaction.
    private static let encodings = ["UTF8", "SQL_ASCII"]

    private func checkEncoding() throws(DatabaseFailure) {
        guard let encoding = PQparameterStatus(connection, "server_encoding").map({ String(cString: $0) }),
            !Self.encodings.contains(encoding)
        else { return }
        throw DatabaseFailure(
            .unfit,
            "the PostgreSQL database has the encoding \(encoding), which can't hold every text: make one with CREATE DATABASE new ENCODING 'UTF8' TEMPLATE template0 (and LOCALE 'C' where the server's locale is of another encoding), and name it in store.url"
        )
    }

    public func checkOwners() throws(DatabaseFailure) { try PostgresOwners.check(self, schema: schema) }

    deinit { close() }

    public let begin = "BEGIN"
    public let migrationLock: String? = "SELECT pg_advisory_xact_lock(5139274640)"
    /// An index of tens of millions of rows takes minutes.
    public let unhurried: String? = "SET LOCAL statement_timeout = 0"
    public let versionsTable = "SELECT 1 WHERE to_regclass('schema_versions') IS NOT NULL"

    public var isLost: Bool { PQstatus(connection) != CONNECTION_OK }

    public func close() {
        PQfinish(connection)
        connection = nil
    }

    public func lock(_ name: String) throws(DatabaseFailure) -> Bool {
        let key = name.utf8.reduce(UInt64(0xcbf2_9ce4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        let answer = try rows(
            Statement(
                "SELECT CASE WHEN pg_try_advisory_lock(CAST($1 AS BIGINT)) THEN 1 ELSE 0 END",
                [.integer(Int64(bitPattern: key))]))
        return answer.first?.first == .integer(1)
    }

    /// It counts what there is in its tables, and chooses itself.
    public func table(_ name: String, by index: String) -> String { name }

    /// It does so itself.
    public func shorten() {}

    public func script(_ sql: String) throws(DatabaseFailure) {
        let result = try answer(sql, PQsendQuery(connection, sql), until: deadline)
        defer { PQclear(result) }
        try check(result, sql)
    }

    /// Of what is sent now, ns of the machine's monotonic clock.
    private var deadline: UInt64? { withinNs.map { DispatchTime.now().uptimeNanoseconds + $0 } }

    /// The last answer to what was sent, or the first that says that it failed.
    private func answer(
        _ sql: String, _ isSent: Int32, until deadline: UInt64?
    ) throws(DatabaseFailure) -> OpaquePointer? {
        guard isSent == 1 else { throw failure(sql) }
        var last: OpaquePointer?
        do throws(DatabaseFailure) {
            while true {
                if let deadline { try waitForAnswer(until: deadline, sql) }
                guard let next = PQgetResult(connection) else { return last }
                if last != nil, PQresultStatus(last) == PGRES_FATAL_ERROR {
                    PQclear(next)
                } else {
                    PQclear(last)
                    last = next
                }
            }
        } catch {
            PQclear(last)
            throw error
        }
    }

    /// Until `PQgetResult` has something to say at once.
    private func waitForAnswer(until deadline: UInt64, _ sql: String) throws(DatabaseFailure) {
        while PQisBusy(connection) == 1 {
            let now = DispatchTime.now().uptimeNanoseconds
            var socket = pollfd(fd: PQsocket(connection), events: Int16(POLLIN), revents: 0)
            guard now < deadline, poll(&socket, 1, Int32((deadline - now) / 1_000_000) + 1) >= 0 || errno == EINTR
            else {
                close()
                throw DatabaseFailure(.unavailable, "PostgreSQL: no answer (\(sql.prefix(120)))")
            }
            guard PQconsumeInput(connection) == 1 else { throw failure(sql) }
        }
    }

    public func rows(_ statement: Statement) throws(DatabaseFailure) -> [[SQLValue]] {
        let result = try answer(statement.sql, send(statement), until: deadline)
        defer { PQclear(result) }
        return try rows(result, statement.sql)
    }

    private func send(_ statement: Statement) -> Int32 {
        withCStrings(statement.values.map(text)) {
            PQsendQueryParams(connection, statement.sql, Int32(statement.values.count), nil, $0, nil, nil, 0)
        }
    }

    private func rows(_ result: OpaquePointer?, _ sql: String) throws(DatabaseFailure) -> [[SQLValue]] {
        try check(result, sql)
        return (0..<PQntuples(result)).map { row in
            (0..<PQnfields(result)).map { value(result, row, $0) }
        }
    }

    public private(set) var serverNs: UInt64 = 0
    /// What goes out together is one transaction, which the first statement begins: the time since then, µs.
    private static let elapsed = Statement(
        "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp() - now()) * 1000000 AS BIGINT)")

    /// The server says how long it took, in the same go. Of a statement that it has not carried out, as of one that took too long, it says nothing:
    /// then the time that passed here counts. One deadline is for all of it.
    public func read(_ statement: Statement) throws(DatabaseFailure) -> [[SQLValue]] {
        guard PQenterPipelineMode(connection) == 1 else { throw failure("pipeline") }
        defer { PQexitPipelineMode(connection) }
        let (since, deadline) = (DispatchTime.now().uptimeNanoseconds, self.deadline)
        guard send(statement) == 1, send(Self.elapsed) == 1, PQpipelineSync(connection) == 1 else {
            throw failure(statement.sql)
        }
        let result = try answer(statement.sql, 1, until: deadline)
        defer { PQclear(result) }
        let elapsed = try answer(statement.sql, 1, until: deadline)
        defer { PQclear(elapsed) }
        // The end of what went out together; without it nobody knows to what the next answer belongs.
        let end = try answer(statement.sql, 1, until: deadline)
        defer { PQclear(end) }
        guard PQresultStatus(end) == PGRES_PIPELINE_SYNC else {
            close()
            throw DatabaseFailure(.unavailable, "PostgreSQL: an answer without its end (\(statement.sql.prefix(120)))")
        }
        if PQntuples(elapsed) == 1, case .integer(let micros) = value(elapsed, 0, 0) {
            serverNs += UInt64(max(0, micros)) * 1_000
        } else if !isLost {
            serverNs += DispatchTime.now().uptimeNanoseconds - since
        }
        return try rows(result, statement.sql)
    }

    /// Without waiting for each answer: on a network that would be a round for each.
    public func run(_ statements: [Statement]) throws(DatabaseFailure) {
        var rest = statements[...]
        while !rest.isEmpty {
            try pipeline(rest.prefix(Self.inOneGo))
            rest = rest.dropFirst(Self.inOneGo)
        }
    }

    private func pipeline(_ statements: ArraySlice<Statement>) throws(DatabaseFailure) {
        guard PQenterPipelineMode(connection) == 1 else { throw failure("pipeline") }
        defer { PQexitPipelineMode(connection) }
        for statement in statements {
            guard send(statement) == 1 else { throw failure(statement.sql) }
        }
        guard PQpipelineSync(connection) == 1 else { throw failure("pipeline") }
        var first: DatabaseFailure?
        for statement in statements {
            // Each has its results, and a null behind them.
            while let result = PQgetResult(connection) {
                do throws(DatabaseFailure) { try check(result, statement.sql) } catch { first = first ?? error }
                PQclear(result)
            }
            guard PQstatus(connection) == CONNECTION_OK else { throw first ?? failure(statement.sql) }
        }
        PQclear(PQgetResult(connection))
        if let first { throw first }
    }

    private func text(_ value: SQLValue) -> String? {
        switch value {
        case .null: nil
        case .integer(let number): String(number)
        case .real(let number): number.description
        // A text can't hold it.
        case .text(let text): text.utf8.contains(0) ? String(text.filter { $0 != "\0" }) : text
        }
    }

    private func value(_ result: OpaquePointer?, _ row: Int32, _ column: Int32) -> SQLValue {
        if PQgetisnull(result, row, column) == 1 { return .null }
        let text = String(cString: PQgetvalue(result, row, column))
        let type = PQftype(result, column)
        if Self.whole.contains(type), let number = Int64(text) { return .integer(number) }
        if Self.decimal.contains(type), let number = Double(text) { return .real(number) }
        return .text(text)
    }

    private func check(_ result: OpaquePointer?, _ sql: String) throws(DatabaseFailure) {
        switch PQresultStatus(result) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_PIPELINE_SYNC: return
        default:
            let state = kb_pq_state(result).map { String(cString: $0) } ?? ""
            let isRefused = Self.refusals.contains { state.hasPrefix($0) }
            throw failure(sql, String(cString: PQresultErrorMessage(result)), isRefused ? .refused : .unavailable)
        }
    }

    /// Classes of SQLSTATE: a value that a column does not take, and one that a constraint does not.
    private static let refusals = ["22", "23"]

    /// What libpq says of a URL that it can't read, or of a host that nobody knows, repeats it, and it may be a piece of the password.
    static func withoutURL(_ said: String) -> String {
        guard !said.hasPrefix("connection to server "), let quote = said.firstIndex(of: "\"") else { return said }
        return said[..<quote] + "…; in the password of store.url @ is written %40, / is %2F and % is %25"
    }

    private func failure(
        _ what: String, _ said: String = "", _ kind: DatabaseFailure.Kind = .unavailable
    ) -> DatabaseFailure {
        let message = said.isEmpty ? connection.map { String(cString: PQerrorMessage($0)) } ?? "closed" : said
        let line = message.split(separator: "\n").first.map(String.init) ?? "no answer"
        return DatabaseFailure(kind, "PostgreSQL: \(line) (\(what.prefix(120)))")
    }
}

/// The texts as C sees them, with a null behind them, while `body` runs.
private func withCStrings<Result>(
    _ texts: [String?], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result
) -> Result {
    var bytes: [CChar] = []
    let places = texts.map { text -> Int? in
        guard let text else { return nil }
        defer { bytes += text.utf8.map { CChar(bitPattern: $0) } + [0] }
        return bytes.count
    }
    return bytes.withUnsafeBufferPointer { buffer in
        let pointers = places.map { place in place.flatMap { buffer.baseAddress?.advanced(by: $0) } } + [nil]
        return pointers.withUnsafeBufferPointer { body($0.baseAddress) }
    }
}
