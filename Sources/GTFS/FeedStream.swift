import Glibc

/// A file of a feed, read from its beginning to its end: a metropolis' stop_times.txt is not to be in memory as a whole.
protocol FeedStream: AnyObject {
    /// Of the file as a whole.
    var byteCount: Int { get }
    /// Appends what comes next; false when there is nothing any more.
    func read(into bytes: inout [UInt8]) throws(FeedRefusal) -> Bool
}

enum FeedPart {
    /// Read at a time: large enough that what is done once for each part does not count.
    static let bytes = 1 << 20
}

final class MemoryStream: FeedStream {
    private var rest: [UInt8]
    let byteCount: Int

    init(_ bytes: [UInt8]) {
        rest = bytes
        byteCount = bytes.count
    }

    func read(into bytes: inout [UInt8]) -> Bool {
        guard !rest.isEmpty else { return false }
        bytes += rest
        rest = []
        return true
    }
}

/// A file on disk. Owns its `FILE`, which is closed at its end.
final class FileStream: FeedStream {
    private let path: String
    private let file: UnsafeMutablePointer<FILE>
    private let limit: Int
    private var count = 0
    private var buffer = [UInt8](repeating: 0, count: FeedPart.bytes)
    let byteCount: Int

    init(_ path: String, limit: Int) throws(FeedRefusal) {
        // A pipe without a writer is opened at once, too, and refused below: who reads a feed must not wait for one.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw FeedRefusal("\(path) can't be read: \(String(cString: strerror(errno)))")
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw FeedRefusal(
                "\(path) isn't a file; a feed's folder has files only, take it out or unpack the feed anew")
        }
        guard let file = fdopen(descriptor, "rb") else {
            let reason = String(cString: strerror(errno))
            close(descriptor)
            throw FeedRefusal("\(path) can't be read: \(reason)")
        }
        byteCount = Int(status.st_size)
        self.path = path
        self.file = file
        self.limit = limit
    }

    deinit { fclose(file) }

    func read(into bytes: inout [UInt8]) throws(FeedRefusal) -> Bool {
        let read = fread(&buffer, 1, buffer.count, file)
        guard read > 0 else {
            guard ferror(file) == 0 else {
                throw FeedRefusal("\(path) can't be read: \(String(cString: strerror(errno)))")
            }
            return false
        }
        count += read
        guard count <= limit else { throw FeedRefusal("\(path) is larger than \(limit >> 20) MiB") }
        bytes += buffer[..<read]
        return true
    }
}
