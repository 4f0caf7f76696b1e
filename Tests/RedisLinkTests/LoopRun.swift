import EventLoop
import Testing

/// Runs a loop on the test's own thread until the test says `finish`. A test that never does fails after a minute.
final class LoopRun {
    let loop: EventLoop
    private let watchdog: LoopTimer
    private var timers: [LoopTimer] = []

    init() throws {
        loop = try EventLoop()
        watchdog = LoopTimer(loop)
    }

    func run(sourceLocation: SourceLocation = #_sourceLocation) {
        watchdog.start(afterMs: 60_000) { [loop] in
            Issue.record("the test did not finish within a minute", sourceLocation: sourceLocation)
            loop.stop()
        }
        loop.run()
        watchdog.stop()
    }

    func finish() { loop.stop() }

    /// For things that have no event: asks again every few milliseconds until `condition` holds.
    func when(_ condition: @escaping @autoclosure () -> Bool, _ body: @escaping () -> Void) {
        let timer = LoopTimer(loop)
        timers.append(timer)
        timer.start(afterMs: 0, repeatMs: 5) { [unowned timer] in
            guard condition() else { return }
            timer.stop()
            body()
        }
    }
}
