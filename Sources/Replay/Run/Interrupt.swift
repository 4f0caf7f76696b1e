import EventLoop
import Glibc

/// Whether somebody has asked (SIGINT) that a run come to its end early. A second time ends the process, as usual.
///
/// Used on the loop's thread.
final class Interrupt {
    private(set) var isRaised = false
    private var signal: LoopSignal?

    init(_ loop: EventLoop) {
        signal = try? LoopSignal(loop, signal: SIGINT) { [unowned self] in raise() }
    }

    private func raise() {
        isRaised = true
        end()
    }

    func end() {
        signal?.close()
        signal = nil
    }
}
