import Dispatch
import EventLoop

/// A piece of work that is too long for the loop, done on a thread, one at a time. Used on the loop.
///
/// Who asks while it is being done has it done once more after that, however often they ask: it finds what there is then.
final class BackgroundWork<Found: Sendable> {
    private let loop: EventLoop
    private let queue: DispatchQueue
    private let begin: () -> @Sendable () -> Found
    private let then: (Found) -> Void
    private var isRunning = false
    private var isAskedAgain = false
    private var isClosed = false

    /// `begin` answers what is to be done on the thread, and `then` gets what that has found; both are called on the loop.
    init(
        _ loop: EventLoop, queue: DispatchQueue = DispatchQueue(label: "kerbside.background"),
        begin: @escaping () -> @Sendable () -> Found, then: @escaping (Found) -> Void
    ) {
        self.loop = loop
        self.queue = queue
        self.begin = begin
        self.then = then
    }

    /// Has it done now, or once more after what is being done. Nothing once it is closed.
    func ask() {
        guard !isClosed else { return }
        guard !isRunning else {
            isAskedAgain = true
            return
        }
        isRunning = true
        let work = begin()
        let answer = LoopAnswer<Found> { self.finish($0) }
        queue.async { [loop] in
            let found = work()
            loop.submit { answer.give(found) }
        }
    }

    /// Nobody is told any more, also not of what is being done.
    func close() { isClosed = true }

    private func finish(_ found: Found) {
        isRunning = false
        guard !isClosed else { return }
        let isDue = isAskedAgain
        isAskedAgain = false
        then(found)
        if isDue { ask() }
    }
}
