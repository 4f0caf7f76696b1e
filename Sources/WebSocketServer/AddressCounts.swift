internal import Glibc
internal import Synchronization

/// How many connections each address has, over all workers of a hub: one file in memory that they share.
///
/// A worker counts in a row of its own, which it alone writes, and reads the sum over all rows. A row is a count-min sketch:
/// each address has a counter at one place in each of four lines, and the least of the four sums is its count. So there is
/// nothing to lock and nothing to clean up, and a row of 256 KiB is enough whatever comes. The count is never too low; it
/// is too high only for an address that meets others in all four places, which are drawn anew at each start of the hub.
///
/// Each worker keeps half of its even part of an address' places for those who come to it: only there can it tell who is silent
/// and may make room. Else silent sockets that all stand at one worker would keep the address out at the others.
public final class AddressCounts {
    private typealias Counter = Atomic<UInt32>

    private static let lines = 4
    private static let width = 16_384
    private static let rowBytes = lines * width * MemoryLayout<UInt32>.size
    /// The number that places are drawn by, and the beats of the workers (``WorkerBeats``); a page.
    static let headBytes = 4_096

    private let memory: UnsafeMutableRawPointer
    private let rows: Int
    private let row: Int
    private let seed: UInt64

    /// Makes the file for a hub's workers, with all counts 0.
    public static func create(path: String, rows: Int) throws {
        unlink(path)
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(path, errno) }
        defer { close(descriptor) }
        // Taken now, because a page that can't be written later would end the worker.
        let code = posix_fallocate(descriptor, 0, off_t(headBytes + rows * rowBytes))
        guard code == 0 else { throw failure(path, code) }
        var seed = UInt64.random(in: .min ... .max)
        guard pwrite(descriptor, &seed, MemoryLayout<UInt64>.size, 0) == MemoryLayout<UInt64>.size else {
            throw failure(path, errno)
        }
    }

    /// The counts of the worker that has `row`, from 0, beside those of the others. The row's old counts are forgotten.
    public init(path: String, row: Int) throws {
        let descriptor = try Self.opened(path)
        defer { close(descriptor) }
        var info = stat()
        guard fstat(descriptor, &info) == 0 else { throw Self.failure(path, errno) }
        rows = (Int(info.st_size) - Self.headBytes) / Self.rowBytes
        guard (0..<rows).contains(row) else { throw ServerError("\(path) has no row \(row)") }
        self.row = row
        memory = try Self.map(Self.headBytes + rows * Self.rowBytes, descriptor, MAP_SHARED, path)
        seed = memory.load(as: UInt64.self)
        memset(memory + Self.headBytes + row * Self.rowBytes, 0, Self.rowBytes)
    }

    /// The counts of one server alone.
    init() throws {
        rows = 1
        row = 0
        seed = .random(in: .min ... .max)
        memory = try Self.map(Self.headBytes + Self.rowBytes, -1, MAP_PRIVATE | MAP_ANONYMOUS, "memory")
    }

    deinit { munmap(memory, Self.headBytes + rows * Self.rowBytes) }

    /// Counts a connection, unless its address, or one of the networks around it, has as many already as it may. Of two
    /// workers that each take one at the same moment, both may refuse, but never both accept beyond the limit: each has
    /// counted its own before it reads the other's.
    func enter(_ address: PeerAddress, limit: Int) -> Bool { fullNetwork(entering: address, limit: limit) == nil }

    /// The same. nil: it is counted; else the smallest of its networks that has as many as it may, one of `limitKeys`.
    func fullNetwork(entering address: PeerAddress, limit: Int) -> PeerAddress? {
        let keys = address.limitKeys
        for (key, _) in keys { change(key) { $0.wrappingAdd(1, ordering: .sequentiallyConsistent) } }
        guard let full = keys.first(where: { isOver(min(limit, .max / 4) * $0.share, $0.key) }) else { return nil }
        leave(address)
        return full.key
    }

    /// Takes back what `enter` counted.
    func leave(_ address: PeerAddress) {
        for (key, _) in address.limitKeys { change(key) { $0.wrappingSubtract(1, ordering: .sequentiallyConsistent) } }
    }

    /// Whether more than `most` places are taken, or kept by the workers that have less than half of their even part of them.
    private func isOver(_ most: Int, _ key: PeerAddress) -> Bool { count(of: key, ofEach: most / (2 * rows)) > most }

    /// Over all workers; each counts for so many at least.
    func count(of key: PeerAddress, ofEach least: Int = 0) -> Int {
        (0..<Self.lines).map { line in
            let place = key.place(line, of: Self.width, seed: seed)
            var sum = 0
            for row in 0..<rows {
                let own = counter(row: row, line, place).pointee.load(ordering: .sequentiallyConsistent)
                sum += max(Int(own), least)
            }
            return sum
        }.min() ?? 0
    }

    private func change(_ key: PeerAddress, _ body: (borrowing Counter) -> Void) {
        for line in 0..<Self.lines {
            body(counter(row: row, line, key.place(line, of: Self.width, seed: seed)).pointee)
        }
    }

    /// A counter has the form of the number that it counts in.
    private func counter(row: Int, _ line: Int, _ place: Int) -> UnsafeMutablePointer<Counter> {
        let index = (row * Self.lines + line) * Self.width + place
        return (memory + Self.headBytes + index * MemoryLayout<UInt32>.size).assumingMemoryBound(to: Counter.self)
    }

    /// The first page of a file that is there, shared with who has it, too.
    static func head(_ path: String) throws -> UnsafeMutableRawPointer {
        let descriptor = try opened(path)
        defer { close(descriptor) }
        return try map(headBytes, descriptor, MAP_SHARED, path)
    }

    /// A file that is there, to be closed by the caller.
    private static func opened(_ path: String) throws -> Int32 {
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(path, errno) }
        return descriptor
    }

    private static func map(_ count: Int, _ descriptor: Int32, _ flags: Int32, _ path: String) throws
        -> UnsafeMutableRawPointer
    {
        let memory = mmap(nil, count, PROT_READ | PROT_WRITE, flags, descriptor, 0)
        guard let memory, memory != MAP_FAILED else { throw failure(path, errno) }
        return memory
    }

    private static func failure(_ path: String, _ code: Int32) -> ServerError {
        ServerError("what the workers share can't be kept in \(path): \(String(cString: strerror(code)))")
    }
}
