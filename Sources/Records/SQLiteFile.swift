internal import CSQLite
internal import Glibc

/// What a file is before records are kept in it.
enum SQLiteFile {
    /// How every database of SQLite begins, but an empty one.
    private static let mark = Array("SQLite format 3\0".utf8)

    /// Why records can't be kept in a file; nil: nothing is there, or a database of a hub, or one without tables. Reads it, and changes nothing,
    /// nor beside it. What can't be read is not judged.
    static func whyForeign(_ path: String) -> String? {
        var info = stat()
        guard stat(path, &info) == 0 else { return nil }
        // A pipe would hold up who opens it.
        guard info.st_mode & S_IFMT == S_IFREG else { return "it is no plain file" }
        guard info.st_size > 0, let first = firstBytes(of: path) else { return nil }
        guard first == mark else { return "it is no SQLite database" }
        return hasOnlyForeignTables(path) ? "its tables are another program's" : nil
    }

    private static func firstBytes(of path: String) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: mark.count)
        let count = read(file, &bytes, bytes.count)
        return count < 0 ? nil : Array(bytes.prefix(count))
    }

    /// Tables that only the log beside it has are not seen: what a hub has just made has no others.
    private static func hasOnlyForeignTables(_ path: String) -> Bool {
        var handle: OpaquePointer?
        defer { sqlite3_close_v2(handle) }
        // Immutable: no lock is taken, and no file is made beside it, which would be ours and not its program's.
        let uri = "file:\(path.hasPrefix("/") ? "//" : "")\(escaped(path))?immutable=1"
        let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX
        guard sqlite3_open_v2(uri, &handle, flags, nil) == SQLITE_OK else { return false }
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        let sql = "SELECT MAX(name = 'schema_versions') FROM sqlite_master WHERE type = 'table'"
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK, sqlite3_step(statement) == SQLITE_ROW
        else { return false }
        // Null: there are none.
        return sqlite3_column_type(statement, 0) == SQLITE_INTEGER && sqlite3_column_int64(statement, 0) == 0
    }

    /// The path as it stands in a URI of SQLite.
    private static func escaped(_ path: String) -> String {
        path.unicodeScalars.map { scalar in
            switch scalar {
            case "%": "%25"
            case "?": "%3F"
            case "#": "%23"
            default: String(scalar)
            }
        }.joined()
    }
}
