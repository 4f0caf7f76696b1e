import EventLoop

/// Lets real time pass on a loop without blocking it.
final class Pause {
    private let loop: EventLoop

    init(_ loop: EventLoop) { self.loop = loop }

    func milliseconds(_ ms: Int64) async {
        let timer = LoopTimer(loop)
        await withCheckedContinuation { continuation in
            timer.start(afterMs: UInt64(max(0, ms))) { continuation.resume() }
        }
        timer.close()
    }
}
