import Glibc

/// The files of a feed: a folder, or a zip archive.
///
/// The files may stand in one folder within; what macOS adds (`__MACOSX`) is passed over.
public struct FeedFiles {
    private enum Place {
        case folder(String)
        case archive(ZipArchive, [String: ZipArchive.Entry])
        case memory([String: [UInt8]])
    }

    /// File names without folders, sorted.
    public let names: [String]
    private let place: Place

    /// Opens a folder or an archive. Throws a sentence on what is neither.
    public init(path: String) throws(FeedRefusal) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw FeedRefusal("it can't be read: \(String(cString: strerror(errno)))")
        }
        if status.st_mode & S_IFMT == S_IFDIR {
            try self.init(folder: path)
        } else if status.st_mode & S_IFMT == S_IFREG {
            try self.init(archive: path)
        } else {
            // libzip would wait for who writes to a pipe.
            throw FeedRefusal("it isn't a file or a folder")
        }
    }

    /// Files by name, as they are in memory.
    public init(files: [String: [UInt8]]) {
        names = files.keys.sorted()
        place = .memory(files)
    }

    private init(folder: String) throws(FeedRefusal) {
        guard let directory = opendir(folder) else {
            throw FeedRefusal("the folder can't be read: \(String(cString: strerror(errno)))")
        }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if Self.isFeedFile(name) { names.append(name) }
        }
        guard !names.isEmpty else { throw FeedRefusal("there is no file .txt in this folder; a GTFS feed has several") }
        self.names = names.sorted()
        place = .folder(folder)
    }

    private init(archive path: String) throws(FeedRefusal) {
        let archive = try ZipArchive(path: path)
        var byFolder: [String: [String: ZipArchive.Entry]] = [:]
        for entry in archive.entries where !entry.name.hasPrefix("__MACOSX/") {
            let slash = entry.name.lastIndex(of: "/")
            let name = slash.map { String(entry.name[entry.name.index(after: $0)...]) } ?? entry.name
            let folder = slash.map { String(entry.name[..<$0]) } ?? ""
            if Self.isFeedFile(name) { byFolder[folder, default: [:]][name] = entry }
        }
        // A feed's files stand side by side; where is known by the one that none lacks.
        let feeds = byFolder.filter { $0.value["stop_times.txt"] != nil || $0.value["stops.txt"] != nil }
        guard feeds.count <= 1 else {
            throw FeedRefusal(
                "there are several feeds in it (\(feeds.keys.sorted().map { $0.isEmpty ? "top" : $0 }.joined(separator: ", "))); unpack it and import one of the folders"
            )
        }
        guard let entries = feeds.first?.value else {
            throw FeedRefusal("there is no stops.txt in it; is it a GTFS feed?")
        }
        names = entries.keys.sorted()
        place = .archive(archive, entries)
    }

    public func has(_ name: String) -> Bool { names.contains(name) }

    /// The bytes of a file; nil when there is none of that name.
    func read(_ name: String, limits: FeedLimits) throws(FeedRefusal) -> [UInt8]? {
        guard let stream = try open(name, limits: limits) else { return nil }
        var bytes: [UInt8] = []
        while try stream.read(into: &bytes) {}
        return bytes
    }

    /// A file from its beginning; nil when there is none of that name.
    func open(_ name: String, limits: FeedLimits) throws(FeedRefusal) -> (any FeedStream)? {
        switch place {
        case .memory(let files): return files[name].map(MemoryStream.init)
        case .archive(let archive, let entries):
            guard let entry = entries[name] else { return nil }
            return try archive.open(entry, limit: limits.maxFileBytes)
        case .folder(let folder):
            guard has(name) else { return nil }
            return try FileStream(folder + "/" + name, limit: limits.maxFileBytes)
        }
    }

    private static func isFeedFile(_ name: String) -> Bool {
        !name.hasPrefix(".") && (name.hasSuffix(".txt") || name.hasSuffix(".geojson"))
    }
}
