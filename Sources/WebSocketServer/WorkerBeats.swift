internal import Glibc
internal import Synchronization

/// How often each worker of a hub has said that its loop turns, for who watches them: numbers in memory that they share, on the first page of
/// the file of ``AddressCounts``. A worker alone writes its own while it runs.
public final class WorkerBeats {
    private typealias Counter = Atomic<UInt32>

    /// Behind the number that places are drawn by, in a line of the processor's cache of their own. There is room for 1,008 workers, and
    /// `server.workers` is 256 at most.
    private static let begin = 64

    private let head: UnsafeMutableRawPointer

    /// The file must be there: ``AddressCounts/create(path:rows:)``.
    public init(path: String) throws { head = try AddressCounts.head(path) }

    deinit { munmap(head, AddressCounts.headBytes) }

    /// The loop of the worker that has `row`, from 0, turns.
    public func beat(row: Int) { counter(row).pointee.wrappingAdd(1, ordering: .relaxed) }

    /// The beats of the worker that runs in the row; 0: it has not begun.
    public func count(row: Int) -> UInt32 { counter(row).pointee.load(ordering: .relaxed) }

    /// The worker that had `row` has ended.
    public func clear(row: Int) { counter(row).pointee.store(0, ordering: .relaxed) }

    /// A counter has the form of the number that it counts in.
    private func counter(_ row: Int) -> UnsafeMutablePointer<Counter> {
        let offset = Self.begin + row * MemoryLayout<UInt32>.size
        precondition(row >= 0 && offset < AddressCounts.headBytes, "there is no such worker")
        return (head + offset).assumingMemoryBound(to: Counter.self)
    }
}
