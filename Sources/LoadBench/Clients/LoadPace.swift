import ClientSupport
import EventLoop

/// Calls as often a second as is asked, by the clock: what a late turn missed is made up for at once.
final class LoadPace {
    private let timer: LoopTimer
    private var startUs: Int64 = 0
    private var turns: Int64 = 0
    /// How late turns came: what the load itself adds.
    var lateness = Latency()

    init(_ loop: EventLoop) { timer = LoopTimer(loop) }

    /// `flush` follows what is due at once.
    func start(perSecond: Double, flush: @escaping () -> Void, _ turn: @escaping () -> Void) {
        startUs = Monotonic.microseconds
        turns = 0
        timer.start(afterMs: 1, repeatMs: 1) { [unowned self] in
            let nowUs = Monotonic.microseconds
            let due = Int64(Double(nowUs - startUs) / 1e6 * perSecond)
            guard turns < due else { return }
            lateness.record(nowUs - startUs - Int64(Double(turns + 1) / perSecond * 1e6))
            while turns < due {
                turns += 1
                turn()
            }
            flush()
        }
    }

    func stop() { timer.stop() }

    func close() { timer.close() }
}
