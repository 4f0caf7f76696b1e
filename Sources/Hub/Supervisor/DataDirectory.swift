import Glibc

/// The data directory holds people's positions and the secret of their tokens: nobody but the hub's user may look into it.
enum DataDirectory {
    /// Made by a hub in its data directory; by these a directory is known for one.
    private static let marks = ["lock", "run"]
    private static let secrets = ["token.secret", PushKeyFile.name]
    /// The deepest that Redis' files lie.
    private static let depth = 3
    /// Of what is refused so many are named.
    private static let mostNamed = 5

    /// Makes the directory if it is not there, and closes it and its files to others. Answers what was closed, for the log.
    /// A directory that others can use and that does not look like a hub's is refused, rather than taken from them; so is one of
    /// another user, who can exchange what is in it, and one with something of another user in it: left there while it was open, it may be a
    /// secret which that user knows, or a directory in which it can exchange what workers run with.
    static func prepare(_ path: String) throws(HubFailure) -> [String] {
        if mkdir(path, 0o700) == 0 { return [] }
        guard errno == EEXIST else {
            throw HubFailure("the data directory \(path) can't be made: \(String(cString: strerror(errno)))")
        }
        var info = stat()
        guard stat(path, &info) == 0, info.st_mode & S_IFMT == S_IFDIR else {
            throw HubFailure("the data directory \(path) is no directory")
        }
        guard info.st_uid == geteuid() else {
            throw HubFailure(
                "the data directory \(path) belongs to user \(info.st_uid): chown it to the hub's user (\(geteuid())) and chmod 700 it, or choose another with --data"
            )
        }
        var closed: [String] = []
        if info.st_mode & 0o077 != 0 {
            try close(path, info)
            closed.append("\(path) (it was \(octal(info.st_mode)))")
        }
        var files: [String] = []
        var foreign: [String] = []
        lookThrough(path, depth, &files, &foreign)
        guard foreign.isEmpty else {
            let more = foreign.count > mostNamed ? " and \(foreign.count - mostNamed) more" : ""
            throw HubFailure(
                "the data directory \(path) has what others have put there: \(foreign.prefix(mostNamed).joined(separator: ", "))\(more); move away what isn't yours, and chown to the hub's user (\(geteuid())) what is"
            )
        }
        // In a directory that was closed, nobody could get at them.
        return closed.isEmpty ? [] : closed + files
    }

    /// Whether another user can exchange what is in it. Not when it is not there.
    static func isOpen(_ path: String) -> Bool {
        var info = stat()
        return stat(path, &info) == 0 && (info.st_uid != geteuid() || info.st_mode & 0o077 != 0)
    }

    private static func close(_ path: String, _ info: stat) throws(HubFailure) {
        let what = "the data directory \(path) is open to other users (mode \(octal(info.st_mode)))"
        let names = DirectoryNames.of(path)?.filter { $0 != "lost+found" }
        guard let names, names.isEmpty || marks.allSatisfy(names.contains) else {
            throw HubFailure(
                "\(what) and holds other things than a hub's: chmod 700 it, or give the hub a directory of its own with --data"
            )
        }
        guard chmod(path, 0o700) == 0 else {
            throw HubFailure("\(what), and that can't be changed: \(String(cString: strerror(errno)))")
        }
    }

    /// What Redis and earlier hubs have left open. Secrets are not among it: who may have read one has to be thought about
    /// (SecretFile refuses it). What belongs to neither this user nor root, who can do everything, is `foreign`.
    private static func lookThrough(
        _ directory: String, _ depth: Int, _ closed: inout [String], _ foreign: inout [String]
    ) {
        guard depth > 0 else { return }
        for name in DirectoryNames.of(directory) ?? [] {
            let path = "\(directory)/\(name)"
            var info = stat()
            guard lstat(path, &info) == 0 else { continue }
            guard info.st_uid == geteuid() else {
                if info.st_uid != 0 { foreign.append("\(path) (of user \(info.st_uid))") }
                continue
            }
            let isDirectory = info.st_mode & S_IFMT == S_IFDIR
            guard isDirectory || info.st_mode & S_IFMT == S_IFREG, !secrets.contains(name) else { continue }
            if info.st_mode & 0o077 != 0, chmod(path, info.st_mode & 0o700) == 0 {
                closed.append("\(path) (it was \(octal(info.st_mode)))")
            }
            if isDirectory { lookThrough(path, depth - 1, &closed, &foreign) }
        }
    }

    private static func octal(_ mode: mode_t) -> String { String(mode & 0o7777, radix: 8) }
}
