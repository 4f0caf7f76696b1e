import EventLoop
import Logging

/// Takes what the supervisor has tried, in a process that it tells to. What fails here is not the fault of the settings: descriptors
/// are spent, or the disk fails. Nobody says it twice, so it is tried again until it is done.
///
/// Settings are read on a thread: a city's zones take longer than clients should wait for their answers.
final class SettingsReload<Read: Sendable> {
    /// The wait before the second try, ms. It doubles with each that fails: one that fails late has loaded a city's zones.
    private let firstMs: UInt64
    private let longestMs: UInt64
    /// Before the next try, ms.
    private(set) var waitMs: UInt64

    private let timer: LoopTimer
    private let log: Logger
    private let take: (Read) throws -> Void
    private var reading: BackgroundWork<Result<Read, any Error>>?
    /// Why it is not done; nil while there is nothing to do.
    private var trouble: String?

    /// `take` is called on the loop with what `read` has found on the thread. It changes nothing where it throws.
    init(
        loop: EventLoop, log: Logger, firstMs: UInt64 = 1_000, longestMs: UInt64 = 30_000,
        read: @escaping @Sendable () throws -> Read, take: @escaping (Read) throws -> Void
    ) {
        timer = LoopTimer(loop)
        self.log = log
        self.firstMs = firstMs
        self.longestMs = longestMs
        waitMs = firstMs
        self.take = take
        reading = BackgroundWork(
            loop, begin: { { Result { try read() } } }, then: { [weak self] read in self?.finish(read) })
    }

    /// At SIGHUP: at once, and with short waits again, as whoever mends something says so with it.
    func begin() {
        waitMs = firstMs
        attempt()
    }

    private func attempt() {
        timer.stop()
        reading?.ask()
    }

    private func finish(_ read: Result<Read, any Error>) {
        do {
            try take(read.get())
            if trouble != nil { log.notice("reloaded now") }
            trouble = nil
        } catch {
            if "\(error)" != trouble { log.error("not reloaded yet, and tried again until it is: \(error)") }
            trouble = "\(error)"
            timer.start(afterMs: waitMs) { [unowned self] in attempt() }
            waitMs = min(2 * waitMs, longestMs)
        }
    }
}
