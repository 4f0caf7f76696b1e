import EventLoop
import Logging

/// Answers that wait for a journal's disk, and what is said of a disk that takes nothing. One that hangs keeps nobody waiting for longer than 2 s,
/// as Redis has what was done. Used on the worker's loop.
final class DiskWaits {
    final class Wait {
        fileprivate let at: UInt64
        fileprivate var tell: (() -> Void)?

        fileprivate init(at: UInt64, tell: @escaping () -> Void) { (self.at, self.tell) = (at, tell) }
    }

    private let loop: EventLoop
    private let log: Logger
    /// What it says once, until the disk takes something again.
    private let trouble: Logger.Message
    private var isTroubled = false
    private var waits: [Wait] = []
    private static let longestMs: UInt64 = 2000

    init(_ loop: EventLoop, _ log: Logger, trouble: Logger.Message) {
        self.loop = loop
        self.log = log
        self.trouble = trouble
    }

    /// `tell` is called once: when the wait is ended, or when it takes too long.
    func begin(_ tell: @escaping () -> Void) -> Wait {
        let wait = Wait(at: loop.now, tell: tell)
        waits.append(wait)
        return wait
    }

    /// The disk has answered, whether it has taken the line; nil: nobody waits for it.
    func end(_ wait: Wait?, isKept: Bool) {
        if !isKept, !isTroubled { log.error(trouble) }
        isTroubled = !isKept
        guard let wait else { return }
        waits.removeAll { $0 === wait }
        wait.tell?()
        wait.tell = nil
    }

    /// Each second of the machine's clock.
    func second() {
        for wait in waits where loop.now - wait.at > Self.longestMs {
            wait.tell?()
            wait.tell = nil
        }
    }
}
