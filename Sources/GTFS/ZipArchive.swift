internal import CZip

/// A zip archive on disk, read through libzip.
///
/// Owns the `zip_t`, which is given back at its end; an open entry lives within one call.
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

    /// The bytes of an entry, at most `limit`. Throws a sentence when it is larger, damaged or encrypted.
    func read(_ entry: Entry, limit: Int) throws(FeedRefusal) -> [UInt8] {
        guard entry.size <= limit else { throw FeedRefusal("\(entry.name) in it is larger than \(limit >> 20) MiB") }
        guard let file = zip_fopen_index(archive, entry.index, 0) else {
            throw FeedRefusal("\(entry.name) in it can't be read: \(String(cString: zip_strerror(archive)))")
        }
        defer { zip_fclose(file) }
        // What the archive says of the size is not believed beyond the limit.
        var bytes = [UInt8](repeating: 0, count: Int(entry.size))
        var filled = 0
        while filled < bytes.count {
            let count = bytes.withUnsafeMutableBytes {
                zip_fread(file, $0.baseAddress! + filled, UInt64($0.count - filled))
            }
            guard count > 0 else { throw damaged(entry, file, count) }
            filled += Int(count)
        }
        // The checksum is compared when the end is read.
        var more: UInt8 = 0
        let rest = zip_fread(file, &more, 1)
        guard rest == 0 else { throw damaged(entry, file, rest) }
        return bytes
    }

    private func damaged(_ entry: Entry, _ file: OpaquePointer, _ count: zip_int64_t) -> FeedRefusal {
        let reason = count < 0 ? String(cString: zip_file_strerror(file)) : "its size is not what the archive says"
        return FeedRefusal("\(entry.name) in it is damaged (\(reason)); fetch the feed again")
    }
}
