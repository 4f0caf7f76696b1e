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
}
