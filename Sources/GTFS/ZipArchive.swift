internal import CZip

/// A zip archive on disk, read through libzip.
///
/// Owns the `zip_t`, which is given back at its end; an open entry keeps it until then.
final class ZipArchive {
    struct Entry {
        let index: UInt64
        /// As stored, with the folders before it.
        let name: String
        /// Bytes when unpacked, as the archive says.
        let size: UInt64
    }

    private let archive: OpaquePointer
    let entries: [Entry]

    /// Throws a sentence when it is no readable archive.
    init(path: String) throws(FeedRefusal) {
        var code: Int32 = 0
        guard let archive = zip_open(path, ZIP_RDONLY, &code) else {
            var error = zip_error_t()
            zip_error_init_with_code(&error, code)
            defer { zip_error_fini(&error) }
            throw FeedRefusal("it can't be read as a zip archive: \(String(cString: zip_error_strerror(&error)))")
        }
        var entries: [Entry] = []
        for index in 0..<UInt64(max(0, zip_get_num_entries(archive, 0))) {
            var stat = zip_stat_t()
            zip_stat_init(&stat)
            guard zip_stat_index(archive, index, 0, &stat) == 0, let name = stat.name else { continue }
            entries.append(Entry(index: index, name: String(cString: name), size: stat.size))
        }
        self.archive = archive
        self.entries = entries
    }

    deinit { zip_discard(archive) }

    /// An entry from its beginning, of at most `limit` bytes. Throws a sentence when it is larger or encrypted.
    func open(_ entry: Entry, limit: Int) throws(FeedRefusal) -> ZipStream {
        guard entry.size <= limit else { throw FeedRefusal("\(entry.name) in it is larger than \(limit >> 20) MiB") }
        guard let file = zip_fopen_index(archive, entry.index, 0) else {
            throw FeedRefusal("\(entry.name) in it can't be read: \(String(cString: zip_strerror(archive)))")
        }
        return ZipStream(self, entry, file)
    }
}

/// An entry of an archive, unpacked as it is read. Owns the `zip_file_t`, and keeps the archive open meanwhile.
final class ZipStream: FeedStream {
    private let archive: ZipArchive
    private let entry: ZipArchive.Entry
    private let file: OpaquePointer
    private var buffer = [UInt8](repeating: 0, count: FeedPart.bytes)
    /// What the archive says of the size is not believed beyond it.
    private var left: Int
    let byteCount: Int

    fileprivate init(_ archive: ZipArchive, _ entry: ZipArchive.Entry, _ file: OpaquePointer) {
        self.archive = archive
        self.entry = entry
        self.file = file
        byteCount = Int(entry.size)
        left = byteCount
    }

    deinit { zip_fclose(file) }

    /// Throws a sentence when it is damaged.
    func read(into bytes: inout [UInt8]) throws(FeedRefusal) -> Bool {
        // The checksum is compared when the end is read.
        let read = Int(zip_fread(file, &buffer, UInt64(left > 0 ? min(left, buffer.count) : 1)))
        guard left > 0 ? read > 0 : read == 0 else { throw damaged(read) }
        left -= read
        bytes += buffer[..<read]
        return read > 0
    }

    private func damaged(_ count: Int) -> FeedRefusal {
        let reason = count < 0 ? String(cString: zip_file_strerror(file)) : "its size is not what the archive says"
        return FeedRefusal("\(entry.name) in it is damaged (\(reason)); fetch the feed again")
    }
}
