import Glibc
import Records
import Settings

/// Records name people: nobody but the hub's user may read their file, wherever `store.url` has it.
enum RecordsFile {
    /// Fails where `store.url` names a file that is no hub's: by a slip it is another program's, which could not read it any more. The file in
    /// the data directory nobody else uses: where it is broken, a hub starts without its records, as where a database is away.
    static func check(_ settings: Settings) throws(DatabaseFailure) {
        guard !settings.store.url.isEmpty else { return }
        try StoreLocation(url: settings.store.url, data: settings.data.dir).checkFile()
    }

    /// Closes an SQLite file that is there to others, and what SQLite keeps beside it, before anything is written. Answers
    /// what was closed, for the log. Fails where it is no hub's.
    static func close(_ location: StoreLocation) throws(DatabaseFailure) -> [String] {
        guard case .sqlite(let path) = location else { return [] }
        try location.checkFile()
        var closed: [String] = []
        for file in ["", "-wal", "-shm", "-journal"].map({ path + $0 }) {
            var info = stat()
            guard stat(file, &info) == 0, info.st_mode & 0o077 != 0 else { continue }
            let mode = String(info.st_mode & 0o7777, radix: 8)
            guard chmod(file, info.st_mode & 0o600) == 0 else {
                throw DatabaseFailure(
                    .unavailable,
                    "\(file) is open to other users (mode \(mode)), which can't be changed: \(String(cString: strerror(errno))); chown it to the hub's user and chmod 600 it"
                )
            }
            closed.append("\(file) (it was \(mode))")
        }
        return closed
    }
}
