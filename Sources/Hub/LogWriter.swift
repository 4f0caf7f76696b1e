import Dispatch
import Glibc
import Synchronization

/// Writes lines to a descriptor. Whoever reads there may stop, and then a thread of its own waits for them, not who logs.
///
/// While lines get through, each is written when `write` returns, so that a crash takes none away. When one does not get through, the next
/// ones wait behind it. When there is no room for another, it and those after it are dropped until all that waits is written; then one line
/// says how many.
final class LogWriter: Sendable {
    /// For all loggers of this process.
    static let standardError: LogWriter = {
        atexit { LogWriter.standardError.finish() }
        return LogWriter(2)
    }()

    /// How long who logs waits for its line at most. Only the first that does not get through is waited for.
    private static let patience = DispatchTimeInterval.milliseconds(10)

    private struct State {
        /// Accepted, and not written yet.
        var waitingBytes = 0
        /// Lines that were dropped since there was no more room; 0 when nothing waits.
        var lost = 0
    }

    private let descriptor: Int32
    private let mostBytes: Int
    private let state = Mutex(State())
    private let thread = DispatchQueue(label: "kerbside.log")

    /// `mostBytes`: what may wait; of the hub's lines some 4,000.
    init(_ descriptor: Int32, mostBytes: Int = 1 << 20) {
        self.descriptor = descriptor
        self.mostBytes = mostBytes
    }

    /// Any thread. `loss` makes the line that says how many were dropped.
    func write(_ line: [UInt8], loss: @escaping @Sendable (Int) -> [UInt8]) {
        let written = state.withLock { state -> DispatchSemaphore? in
            let isFirst = state.waitingBytes == 0
            guard isFirst || state.lost == 0 && state.waitingBytes + line.count <= mostBytes else {
                state.lost += 1
                return nil
            }
            state.waitingBytes += line.count
            let written = DispatchSemaphore(value: 0)
            // Under the lock: lines come in the order in which they were accepted.
            thread.async {
                self.put(line, loss)
                written.signal()
            }
            return isFirst ? written : nil
        }
        _ = written?.wait(timeout: .now() + Self.patience)
    }

    /// Waits until what was accepted is written, but not for ever. At the end of the process.
    func finish(within time: DispatchTimeInterval = .seconds(1)) {
        let done = DispatchSemaphore(value: 0)
        thread.async { done.signal() }
        _ = done.wait(timeout: .now() + time)
    }

    private func put(_ line: [UInt8], _ loss: (Int) -> [UInt8]) {
        writeWhole(line)
        let lost = state.withLock { state in
            state.waitingBytes -= line.count
            guard state.waitingBytes == 0 else { return 0 }
            defer { state.lost = 0 }
            return state.lost
        }
        if lost > 0 { writeWhole(loss(lost)) }
    }

    /// With one `write` where there is room, so that the lines of several processes don't mix.
    private func writeWhole(_ bytes: [UInt8]) {
        var left = bytes[...]
        while !left.isEmpty {
            let count = left.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                left = left.dropFirst(count)
            } else if errno == EAGAIN {
                // Another process that has the same file has made it so.
                var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&room, 1, -1)
            } else if errno != EINTR {
                // Nobody can read it any more, or the disk is full.
                return
            }
        }
    }
}
