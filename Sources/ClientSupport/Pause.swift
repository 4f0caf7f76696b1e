package import EventLoop

/// Lets real time pass on a loop without blocking it.
package final class Pause {
    private let loop: EventLoop

    package init(_ loop: EventLoop) { self.loop = loop }

    package func milliseconds(_ ms: Int64) async {
        let timer = LoopTimer(loop)
        await withCheckedContinuation { continuation in
            timer.start(afterMs: UInt64(max(0, ms))) { continuation.resume() }
        }
        timer.close()
    }
}
