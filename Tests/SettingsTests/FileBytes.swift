import Glibc

/// Files as the tests need them and Foundation doesn't make them.
enum FileBytes {
    static var isRoot: Bool { geteuid() == 0 }

    static func write(_ bytes: [UInt8], to path: String) -> Bool {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        guard file >= 0 else { return false }
        defer { close(file) }
        return Glibc.write(file, bytes, bytes.count) == bytes.count
    }

    /// Permission bits of a file, or nil when there is none.
    static func mode(_ path: String) -> UInt32? {
        var info = stat()
        return stat(path, &info) == 0 ? info.st_mode & 0o777 : nil
    }

    static func setMode(_ path: String, _ mode: UInt32) {
        chmod(path, mode)
    }
}
