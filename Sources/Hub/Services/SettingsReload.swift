import EventLoop
import Logging

/// Takes what the supervisor has tried, in a process that it tells to. What fails here is not the fault of the settings: descriptors
/// are spent, or the disk fails. Nobody says it twice, so it is tried again until it is done.
final class SettingsReload {
    private static let againMs: UInt64 = 1_000

    private let timer: LoopTimer
    private let log: Logger
    private let take: () throws -> Void
    /// Why it is not done; nil while there is nothing to do.
    private var trouble: String?

    /// `take` changes nothing where it throws.
    init(loop: EventLoop, log: Logger, take: @escaping () throws -> Void) {
        timer = LoopTimer(loop)
        self.log = log
        self.take = take
    }

    func begin() {
        timer.stop()
        do {
            try take()
            if trouble != nil { log.notice("reloaded now") }
            trouble = nil
        } catch {
            if "\(error)" != trouble { log.error("not reloaded yet, and tried again each second: \(error)") }
            trouble = "\(error)"
            timer.start(afterMs: Self.againMs) { [unowned self] in begin() }
        }
    }
}
