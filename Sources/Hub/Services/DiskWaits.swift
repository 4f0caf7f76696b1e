import EventLoop

/// Answers that wait for a journal's disk. A disk that hangs keeps nobody waiting for longer than 2 s, as Redis has what was done. Used on the
/// worker's loop.
final class DiskWaits {
    final class Wait {
        fileprivate let at: UInt64
        fileprivate var tell: (() -> Void)?

        fileprivate init(at: UInt64, tell: @escaping () -> Void) { (self.at, self.tell) = (at, tell) }
    }

    private let loop: EventLoop
    private var waits: [Wait] = []
    private static let longestMs: UInt64 = 2000

    init(_ loop: EventLoop) { self.loop = loop }

    /// `tell` is called once: when the wait is ended, or when it takes too long.
    func begin(_ tell: @escaping () -> Void) -> Wait {
        let wait = Wait(at: loop.now, tell: tell)
        waits.append(wait)
        return wait
    }

    /// The disk has answered.
    func end(_ wait: Wait) {
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
