internal import CSQLite
import Dispatch
import Glibc

/// A file of SQLite, in its WAL mode: who reads waits for nobody. What a power cut takes of the last transactions it takes
/// whole, the place in the event log with the rows, so they are recorded again.
public final class SQLiteDatabase: Database {
    private var handle: OpaquePointer?
    /// Prepared once for each text; finalized in `close`.
    private var prepared: [String: Prepared] = [:]
    /// Texts of queries are made by people's choices; beyond so many all are let go.
    private static let mostPrepared = 200

    private struct Prepared {
        let statement: OpaquePointer
        /// Where `$1`, `$2`, … stand: they are names to SQLite, numbered by where each stands first. 0: nowhere.
        var places: [Int32] = []
    }

    /// When a statement has to be done, ns of the machine's monotonic clock; SQLite asks for it while it works. Nil: it may take as long as it
    /// takes.
    private let deadline: UnsafeMutablePointer<UInt64>?
    private let withinNs: UInt64
    /// So many of SQLite's steps are some tenths of a millisecond.
    private static let stepsBetweenLooks: Int32 = 10_000

    private let path: String
    /// Of the log beside the file, which is begun anew when nobody reads what stands in it: who reads on and on lets it grow.
    static let mostLogBytes = 64 << 20

    /// `withinSeconds`: a statement that takes longer fails; nil: none does.
    public init(path: String, makes: Bool, withinSeconds: Int? = nil) throws(DatabaseFailure) {
        self.path = path
        withinNs = UInt64(withinSeconds ?? 0) * 1_000_000_000
        deadline = withinSeconds.map { _ in .allocate(capacity: 1) }
        deadline?.initialize(to: .max)
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (makes ? SQLITE_OPEN_CREATE : 0)
        let code = sqlite3_open_v2(path, &handle, flags, nil)
        guard code == SQLITE_OK else {
            let isThere = makes || access(path, F_OK) == 0 || errno != ENOENT
            let reason = failure("\(path) can't be opened", isThere ? .unavailable : .unmade)
            close()
            throw reason
        }
        if let deadline {
            sqlite3_progress_handler(
                handle, Self.stepsBetweenLooks,
                { deadline in
                    guard let deadline = deadline?.load(as: UInt64.self) else { return 0 }
                    return DispatchTime.now().uptimeNanoseconds > deadline ? 1 : 0
                },
                deadline)
        }
        do throws(DatabaseFailure) {
            // The mode is one of the file. Two who change it at once do not wait for each other: one of them fails.
            if makes { try script("PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL") }
            // A page that changes often goes into the file once for all: each checkpoint waits for the disk.
            try script(
                """
                PRAGMA busy_timeout = 5000; PRAGMA synchronous = NORMAL; \
                PRAGMA wal_autocheckpoint = 4000; PRAGMA journal_size_limit = \(Self.mostLogBytes)
                """)
        } catch {
            close()
            throw error
        }
    }

    deinit {
        close()
        deadline?.deallocate()
    }

    public let begin = "BEGIN IMMEDIATE"
    public let migrationLock: String? = nil
    public let unhurried: String? = nil
    public let versionsTable = "SELECT 1 FROM sqlite_master WHERE name = 'schema_versions'"

    public private(set) var isLost = false

    public func close() {
        for each in prepared.values { sqlite3_finalize(each.statement) }
        prepared = [:]
        sqlite3_close_v2(handle)
        handle = nil
        isLost = true
    }

    /// The process that has the data directory is the only one that writes; a cursor that moved shows another one.
    public func lock(_ name: String) throws(DatabaseFailure) -> Bool { true }

    /// It has no figures of its tables, and would take a zone's index for those of a passenger.
    public func table(_ name: String, by index: String) -> String { "\(name) INDEXED BY \(index)" }

    public func shorten() throws(DatabaseFailure) { try shorten(beyond: Self.mostLogBytes) }

    /// Where somebody reads for longer than is waited, the log stays as it is.
    func shorten(beyond bytes: Int) throws(DatabaseFailure) {
        var info = stat()
        guard stat(path + "-wal", &info) == 0, info.st_size > bytes else { return }
        try script("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    public func script(_ sql: String) throws(DatabaseFailure) {
        hurry()
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure(sql) }
    }

    private func hurry() { deadline?.pointee = DispatchTime.now().uptimeNanoseconds + withinNs }

    public func run(_ statements: [Statement]) throws(DatabaseFailure) {
        for statement in statements { _ = try rows(statement) }
    }

    public func rows(_ statement: Statement) throws(DatabaseFailure) -> [[SQLValue]] {
        hurry()
        let (compiled, places) = try compile(statement)
        defer {
            sqlite3_reset(compiled)
            sqlite3_clear_bindings(compiled)
        }
        for (place, value) in zip(places, statement.values) {
            guard place == 0 || bind(value, compiled, place) == SQLITE_OK else { throw failure(statement.sql) }
        }
        var rows: [[SQLValue]] = []
        while true {
            switch sqlite3_step(compiled) {
            case SQLITE_ROW: rows.append((0..<sqlite3_column_count(compiled)).map { column(compiled, $0) })
            case SQLITE_DONE: return rows
            default: throw failure(statement.sql)
            }
        }
    }

    private func compile(_ text: Statement) throws(DatabaseFailure) -> (OpaquePointer, places: [Int32]) {
        let sql = text.sql
        if let known = prepared[sql] { return (known.statement, known.places) }
        if prepared.count >= Self.mostPrepared {
            for each in prepared.values { sqlite3_finalize(each.statement) }
            prepared = [:]
        }
        var compiled: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &compiled, nil) == SQLITE_OK, let compiled else { throw failure(sql) }
        let places = text.values.indices.map { sqlite3_bind_parameter_index(compiled, "$\($0 + 1)") }
        prepared[sql] = Prepared(statement: compiled, places: places)
        return (compiled, places)
    }

    private func bind(_ value: SQLValue, _ compiled: OpaquePointer, _ place: Int32) -> Int32 {
        switch value {
        case .null: sqlite3_bind_null(compiled, place)
        case .integer(let number): sqlite3_bind_int64(compiled, place, number)
        case .real(let number): sqlite3_bind_double(compiled, place, number)
        case .text(let text): kb_sqlite_bind_text(compiled, place, text, Int32(text.utf8.count))
        }
    }

    private func column(_ compiled: OpaquePointer, _ index: Int32) -> SQLValue {
        switch sqlite3_column_type(compiled, index) {
        case SQLITE_INTEGER: return .integer(sqlite3_column_int64(compiled, index))
        case SQLITE_FLOAT: return .real(sqlite3_column_double(compiled, index))
        case SQLITE_NULL: return .null
        default:
            // The text first: asking for it may change how many bytes there are.
            guard let text = sqlite3_column_text(compiled, index) else { return .null }
            let count = Int(sqlite3_column_bytes(compiled, index))
            return .text(String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self))
        }
    }

    /// A value that a column does not take, or a constraint.
    private static let refusals = [SQLITE_CONSTRAINT, SQLITE_MISMATCH, SQLITE_TOOBIG]

    private func failure(_ what: String, _ kind: DatabaseFailure.Kind? = nil) -> DatabaseFailure {
        // Of a file that was replaced, or that the disk does not give any more, nothing else will come.
        let lost = [SQLITE_IOERR, SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_READONLY, SQLITE_CANTOPEN]
        let code = sqlite3_errcode(handle) & 0xff
        isLost = isLost || lost.contains(code)
        return DatabaseFailure(
            kind ?? (Self.refusals.contains(code) ? .refused : .unavailable),
            "SQLite: \(String(cString: sqlite3_errmsg(handle))) (\(what.prefix(120)))")
    }
}
