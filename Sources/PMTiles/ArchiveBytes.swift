internal import Glibc

/// Where the bytes of an archive come from: a file, or an array.
///
/// A file is read by `pread`, not mapped: one that is cut off while it is in use gives an error, where a mapped one would end the
/// process. A tile comes out of the page cache in some 20 µs.
final class ArchiveBytes {
    private enum Source {
        case file(Int32)
        case array([UInt8])
    }

    private let source: Source
    let count: Int
    /// Of a file when it was changed last, ns since 1970.
    let changed: Int64

    init(_ bytes: [UInt8]) {
        source = .array(bytes)
        count = bytes.count
        changed = 0
    }

    init(path: String) throws(PMTilesError) {
        // A pipe is not waited for.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw PMTilesError("it can't be opened: \(String(cString: strerror(errno)))") }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw PMTilesError("it is no file")
        }
        source = .file(descriptor)
        count = Int(status.st_size)
        changed = Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
    }

    deinit {
        if case .file(let descriptor) = source { close(descriptor) }
    }

    /// The bytes from `offset` on; all of them, or an error. `offset` and `length` are not negative.
    func read(_ offset: Int, _ length: Int) throws(PMTilesError) -> [UInt8] {
        guard offset <= count, length <= count - offset else {
            throw PMTilesError("it ends at byte \(count), before what it says stands at \(offset)")
        }
        switch source {
        case .array(let bytes): return Array(bytes[offset..<offset + length])
        case .file(let descriptor):
            var done = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: length) { buffer, filled in
                while done < length {
                    let got = pread(
                        descriptor, buffer.baseAddress.map { $0 + done }, length - done, off_t(offset + done))
                    if got < 0, errno == EINTR { continue }
                    guard got > 0 else { break }
                    done += got
                }
                filled = done
            }
            guard done == length else {
                throw PMTilesError("it can't be read at byte \(offset + done): it was changed in use")
            }
            return bytes
        }
    }
}
