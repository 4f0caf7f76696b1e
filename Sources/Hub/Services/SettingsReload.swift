import EventLoop
import Logging

/// Takes what the supervisor has tried, in a process that it tells to. What fails here is not the fault of the settings: descriptors
/// are spent, or the disk fails. Nobody says it twice, so it is tried again until it is done.
final class SettingsReload {
    /// The wait before the second try, ms. It doubles with each that fails: one that fails late has loaded a city's zones.
    private let firstMs: UInt64
    private let longestMs: UInt64
    /// Before the next try, ms.
    private(set) var waitMs: UInt64

    private let timer: LoopTimer
    private let log: Logger
    private let take: () throws -> Void
    /// Why it is not done; nil while there is nothing to do.
    private var trouble: String?

    /// `take` changes nothing where it throws.
    init(
        loop: EventLoop, log: Logger, firstMs: UInt64 = 1_000, longestMs: UInt64 = 30_000,
        take: @escaping () throws -> Void
    ) {
        timer = LoopTimer(loop)
        self.log = log
        self.firstMs = firstMs
        self.longestMs = longestMs
        waitMs = firstMs
        self.take = take
    }

    /// At SIGHUP: at once, and with short waits again, as whoever mends something says so with it.
    func begin() {
        waitMs = firstMs
        attempt()
    }

    private func attempt() {
        timer.stop()
        do {
            try take()
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
