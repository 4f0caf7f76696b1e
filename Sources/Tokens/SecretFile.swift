import Glibc
public import Settings

/// A file that nobody but its owner may use. One of the hub's own is made once, with mode 0600, by whichever process is first. Any thread;
/// it blocks.
public enum SecretFile {
    public static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 || errno != ENOENT }

    /// Its bytes.
    ///
    /// - Parameters:
    ///   - harm: what others can do who read it, after "and".
    ///   - remedy: what to do when they may have, after "and".
    /// - Throws: a problem that says what to do, when it can't be read, is no file, or others can use it.
    public static func read(
        _ path: String, maxBytes: Int, harm: String, remedy: String
    ) throws(SettingsError) -> [UInt8] {
        // A pipe without a writer is opened at once, too, and refused below: who reads it must not wait for one.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw problem(path, "can't be read: \(TextFile.Failure(errno).reason)") }
        defer { close(file) }
        // Asked of the open file, so that it can't be changed for another in between.
        var info = stat()
        guard fstat(file, &info) == 0 else { throw problem(path, "can't be read: \(TextFile.Failure(errno).reason)") }
        guard info.st_mode & S_IFMT == S_IFREG else { throw problem(path, "isn't a file") }
        guard info.st_mode & 0o077 == 0 else {
            throw problem(
                path,
                """
                others can use it (mode \(String(info.st_mode & 0o777, radix: 8))), and \(harm); run \
                "chmod 600 \(path)", and \(remedy) if others may have read it
                """)
        }
        do throws(TextFile.Failure) {
            return try TextFile.read(file, maxBytes: maxBytes)
        } catch {
            throw problem(path, "can't be read: \(error.reason)")
        }
    }

    /// Refuses one that is neither this user's nor root's: its owner knows it, and can exchange it. For a hub's own secrets, and by the hub
    /// alone: with root's commands one may use those of a hub of another user. No problem when it is not there.
    public static func checkOwner(_ path: String) throws(SettingsError) {
        var info = stat()
        guard stat(path, &info) == 0, info.st_uid != geteuid(), info.st_uid != 0 else { return }
        throw problem(
            path,
            """
            belongs to user \(info.st_uid), who knows it; put another secret there, and run "chown \(geteuid()) \(path)" and \
            "chmod 600 \(path)"
            """)
    }

    /// Makes it, mode 0600. It is written under a name of its own and then linked to its place, which fails if another process was
    /// first: then that one's file stands, and is whole.
    public static func make(_ path: String, _ text: String) throws(SettingsError) {
        if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
            // 0700: the data directory holds what nobody else should read.
            guard mkdir(String(path[..<slash]), 0o700) == 0 || errno == EEXIST else {
                throw problem(path, "its directory can't be made: \(TextFile.Failure(errno).reason)")
            }
        }
        let own = "\(path).\(getpid()).\(UInt32.random(in: .min ... .max))"
        let file = open(own, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw problem(path, "can't be made: \(TextFile.Failure(errno).reason)") }
        defer { unlink(own) }
        let bytes = Array(text.utf8)
        let isWritten = write(file, bytes, bytes.count) == bytes.count && fsync(file) == 0
        let code = errno
        close(file)
        guard isWritten else { throw problem(path, "can't be written: \(TextFile.Failure(code).reason)") }
        guard link(own, path) == 0 || errno == EEXIST else {
            throw problem(path, "can't be made: \(TextFile.Failure(errno).reason)")
        }
    }

    /// For other things that are wrong with it.
    public static func problem(_ path: String, _ text: String) -> SettingsError {
        SettingsError(problems: [.init(place: path, text: text)])
    }
}
