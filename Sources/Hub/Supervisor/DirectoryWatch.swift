import EventLoop
import Logging

/// Closes the data directory again when it was opened to other users while the hub runs, and says what they have left there: Redis, workers
/// and keys are started and read from it at any time. Used on the supervisor's loop.
final class DirectoryWatch {
    /// How often somebody looks, ms. That is one call of the system.
    static let everyMs: UInt64 = 1_000

    private let path: String
    private let log: Logger
    private let timer: LoopTimer
    /// What was said last and has not changed.
    private var trouble: String?

    init(_ path: String, loop: EventLoop, log: Logger) {
        self.path = path
        self.log = log
        timer = LoopTimer(loop)
        timer.start(afterMs: Self.everyMs, repeatMs: Self.everyMs) { [unowned self] in self.look() }
    }

    func close() { timer.close() }

    private func look() {
        guard DataDirectory.isOpen(path) || trouble != nil else { return }
        do throws(HubFailure) {
            let closed = try DataDirectory.prepare(path)
            if !closed.isEmpty {
                log.error(
                    "was opened to other users while the hub runs, and is closed again: \(closed.joined(separator: ", ")); find out who did it, and what was read"
                )
            }
            trouble = nil
        } catch {
            let told = "\(error)"
            if told != trouble { log.error("\(told)") }
            trouble = told
        }
    }
}
