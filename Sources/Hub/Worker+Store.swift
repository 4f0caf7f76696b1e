import EventLoop
import Logging

/// Redis is there and takes no writes: its disk or its memory is full. Clients are told `unavailable`, `/readyz` and a gauge
/// say so, and one line is logged; the same when it is over.
extension Worker {
    /// It counts as over when nothing was refused for so long, ms: some functions may be carried out before others are.
    private static let quietMs: UInt64 = 1_000

    func storeRefused(_ answer: String) {
        storeRefusedAt = loop.now
        memoryDueAt = 0
        guard storeTrouble == nil else { return }
        storeTrouble = answer
        log.error("Redis takes no writes, and commands are answered unavailable until it does again: \(answer)")
    }

    /// A function has written.
    func storeServed() {
        guard storeTrouble != nil, loop.now - storeRefusedAt >= Self.quietMs else { return }
        // A sweep is carried out even when the memory is full: what Redis has said of it since tells.
        guard hasRoom, memoryKnownAt > storeRefusedAt else { return }
        storeTrouble = nil
        log.notice("Redis takes writes again")
    }
}
