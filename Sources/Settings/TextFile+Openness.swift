import Glibc

extension TextFile {
    /// As many as Linux follows.
    private static let mostLinks = 40

    /// What lets everybody exchange what the file says, by its mode: itself, or a directory in which a name on the way to it is looked up,
    /// those of links included, where no sticky bit keeps others from it. A directory that others can't come to lets them exchange nothing.
    /// Nil: nothing does. Of a file that is not there the directories count.
    static func openToAll(_ path: String) -> String? {
        guard !path.isEmpty else { return nil }
        var info = stat()
        if stat(path, &info) == 0, info.st_mode & 0o002 != 0 { return path }
        guard lstat("/", &info) == 0 else { return nil }
        // From the root to where the next name is looked up.
        var way = [Directory(path: "/", mode: info.st_mode, isOnPublicWay: true)]
        // The next one last.
        var names = Self.names(of: path.hasPrefix("/") ? path : absolute(".") + "/" + path)
        var links = 0
        while let name = names.popLast(), let directory = way.last {
            guard name != ".." else {
                if way.count > 1 { way.removeLast() }
                continue
            }
            if directory.isOpen { return directory.path }
            let next = way.count > 1 ? "\(directory.path)/\(name)" : "/\(name)"
            guard lstat(next, &info) == 0 else { return nil }
            switch info.st_mode & S_IFMT {
            case S_IFDIR:
                way.append(Directory(path: next, mode: info.st_mode, isOnPublicWay: directory.letsIn))
            case S_IFLNK:
                links += 1
                guard links <= mostLinks, let target = Self.target(of: next) else { return nil }
                if target.hasPrefix("/") { way.removeSubrange(1...) }
                names += Self.names(of: target)
            default: return nil
            }
        }
        return nil
    }

    private struct Directory {
        let path: String
        /// Others can look up names in it.
        let letsIn: Bool
        /// Others can exchange what is in it, whoever has put it there.
        let isOpen: Bool

        /// isOnPublicWay: others can come to it.
        init(path: String, mode: mode_t, isOnPublicWay: Bool) {
            self.path = path
            letsIn = isOnPublicWay && mode & 0o001 != 0
            isOpen = letsIn && mode & 0o002 != 0 && mode & S_ISVTX == 0
        }
    }

    /// The names of a path, the first one last.
    private static func names(of path: String) -> [Substring] {
        path.split(separator: "/").reversed().filter { $0 != "." }
    }

    private static func target(of link: String) -> String? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(link, &bytes, bytes.count)
        return count > 0 ? bytes.withUnsafeBytes { String(decoding: $0.prefix(count), as: UTF8.self) } : nil
    }
}
