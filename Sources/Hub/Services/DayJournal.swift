import Dispatch
import EventLoop
import Glibc
import Wire

/// Lines on the disk of this machine that outlive a Redis which has lost its newest writes: `<data>/<name>/<city>/<day>.jsonl`, a file for each day
/// (UTC, days since 1970), a JSON object on each line. All workers write at its end. The disk is waited for on the journal's thread.
final class DayJournal: Sendable {
    private let data: String
    private let above: String
    private let directory: String
    private let mostRead: Int
    private let queue: DispatchQueue

    /// - Parameters:
    ///   - data: the data directory, which another city may have had before.
    ///   - mostRead: bytes that are read of a file, its last.
    init(data: String, name: String, city: String, mostRead: Int) {
        self.data = data
        above = data + "/" + name
        directory = above + "/" + city
        self.mostRead = mostRead
        queue = DispatchQueue(label: "kerbside." + name)
    }

    // MARK: on the loop

    /// Calls `then` on the loop when the object is on the disk, with false when it can't be written.
    func append(_ json: JSONWriter, _ loop: EventLoop, then: @escaping (Bool) -> Void) {
        // Of a line that the power or a full disk has cut off there is no end: each begins anew.
        let line = [10] + json.bytes + [10]
        find(loop, { journal in journal.append(line) }, then: then)
    }

    /// Calls `find` on the journal's thread after all that was asked before, and `then` on the loop with what it has found.
    func find<Found: Sendable>(
        _ loop: EventLoop, _ find: @escaping @Sendable (DayJournal) -> Found, then: @escaping (Found) -> Void
    ) {
        let answer = LoopAnswer(give: then)
        queue.async { [self] in
            let found = find(self)
            loop.submit { answer.give(found) }
        }
    }

    /// Calls `body` on the journal's thread after all that was asked before.
    func perform(_ body: @escaping @Sendable () -> Void) { queue.async { body() } }

    // MARK: on the journal's thread

    /// Of the machine's clock, days since 1970.
    var today: Int64 { Int64(time(nil)) / 86_400 }

    /// Of which there are files, the oldest first.
    var days: [Int64] {
        (DirectoryNames.of(directory) ?? []).compactMap { name in
            name.hasSuffix(".jsonl") ? Int64(name.dropLast(".jsonl".count)) : nil
        }.sorted()
    }

    /// Bytes that are read at once.
    private static let pieceBytes = 65_536

    /// Calls `body` with each whole line that was written last on that day; of the file a piece is held at a time. False: the file can't be read,
    /// or not to its end.
    @discardableResult
    func forEachLine(of day: Int64, _ body: (JSONValue) -> Void) -> Bool {
        let file = open(path(day), O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        // Fails for a file that is shorter, which is read from its start.
        lseek(file, -mostRead, SEEK_END)
        // The first may be a part of one.
        return Self.read(file, most: 2 * mostRead) { line in
            if let json = try? JSONValue(parsing: line) { body(json) }
        }
    }

    /// Bytes; 0: there is none.
    func size(of day: Int64) -> Int {
        var info = stat()
        return stat(path(day), &info) == 0 ? Int(info.st_size) : 0
    }

    func remove(_ day: Int64) { unlink(path(day)) }

    private func path(_ day: Int64) -> String { "\(directory)/\(day).jsonl" }

    private func append(_ line: [UInt8]) -> Bool {
        for path in [above, directory] where mkdir(path, 0o700) != 0 && errno != EEXIST { return false }
        let file = open(path(today), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { return false }
        defer { close(file) }
        guard line.withUnsafeBytes({ write(file, $0.baseAddress, $0.count) }) == line.count, fsync(file) == 0 else {
            return false
        }
        // Its name, too: the file may be new, and so may the directories.
        for path in [directory, above, data] {
            let parent = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard parent >= 0 else { return false }
            defer { close(parent) }
            guard fsync(parent) == 0 else { return false }
        }
        return true
    }

    /// Calls `body` with each line of the rest of a file. False: it can't be read to its end, or is longer than `most` bytes, as other workers write
    /// on meanwhile.
    private static func read(_ file: Int32, most: Int, _ body: ([UInt8]) -> Void) -> Bool {
        var lines = PieceLines()
        var piece = [UInt8](repeating: 0, count: pieceBytes)
        var bytes = 0
        while true {
            let count = Glibc.read(file, &piece, pieceBytes)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { return false }
            if count == 0 { break }
            bytes += count
            guard bytes <= most else { return false }
            lines.add(piece[..<count], body)
        }
        lines.end(body)
        return true
    }
}
