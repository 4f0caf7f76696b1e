import Glibc

/// Reading a file as a whole, with the system's own reason when that fails.
package enum TextFile {
    package struct Failure: Error {
        let code: Int32
        package let reason: String

        package init(_ code: Int32) {
            self.code = code
            reason = String(cString: strerror(code))
        }

        init(_ code: Int32 = EFBIG, reason: String) {
            self.code = code
            self.reason = reason
        }

        static let pipe = Failure(ESPIPE, reason: "a pipe, not a file")
    }

    /// The path without links and from the root; as it is when there is no such file.
    static func absolute(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// The whole file. Fails for directories, for pipes, whose writer it would wait for, and for files longer than `maxBytes`.
    package static func read(_ path: String, maxBytes: Int) throws(Failure) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw Failure(errno) }
        defer { close(file) }
        var info = stat()
        guard fstat(file, &info) == 0 else { throw Failure(errno) }
        guard info.st_mode & S_IFMT != S_IFIFO else { throw Failure.pipe }
        return try read(file, maxBytes: maxBytes)
    }

    /// The rest of an open file.
    package static func read(_ file: Int32, maxBytes: Int) throws(Failure) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(file, &chunk, chunk.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw Failure(errno) }
            if count == 0 { return bytes }
            guard bytes.count + count <= maxBytes else { throw Failure(reason: "larger than \(size(maxBytes))") }
            bytes += chunk[..<count]
        }
    }

    private static func size(_ bytes: Int) -> String {
        let mebibyte = 1 << 20
        return bytes.isMultiple(of: mebibyte) ? "\(bytes / mebibyte) MiB" : "\(bytes) bytes"
    }

    enum Audience {
        case owner, group, others
    }

    /// Who can read or write the file, as its mode says; nil when there is none.
    static func audience(of path: String) -> Audience? {
        var info = stat()
        guard !path.isEmpty, stat(path, &info) == 0 else { return nil }
        if info.st_mode & 0o006 != 0 { return .others }
        return info.st_mode & 0o060 != 0 ? .group : .owner
    }

    /// Whether the file can be read; nil if so, the reason otherwise.
    static func whyUnreadable(_ path: String) -> String? {
        var info = stat()
        if stat(path, &info) != 0 { return Failure(errno).reason }
        if info.st_mode & S_IFMT == S_IFDIR { return Failure(EISDIR).reason }
        if info.st_mode & S_IFMT == S_IFIFO { return Failure.pipe.reason }
        return access(path, R_OK) == 0 ? nil : Failure(errno).reason
    }
}
