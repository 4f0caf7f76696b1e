import ClientSupport
import EventLoop
import Glibc

/// What every load needs on its loop: time, and connections in a steady flow.
///
/// Used on the loop's thread.
final class LoadContext {
    let loop: EventLoop
    let pause: Pause

    fileprivate init(_ loop: EventLoop) {
        self.loop = loop
        pause = Pause(loop)
    }

    /// Runs a load on a loop of its own, on the calling thread.
    static func run<Report: Sendable>(
        _ work: @escaping @Sendable (LoadContext) async throws(RunError) -> Report
    ) throws(RunError) -> Report {
        _ = ProcessUsage.raiseFileLimit()
        return try OwnLoop.run { loop throws(RunError) in try await LoadActor(loop).perform(work) }
    }

    /// Opens the clients, so many at a time at most, and waits until all are live.
    func connect(_ links: LoadLinks, _ clients: Range<Int>, perSecond: Int = 5_000, atOnce: Int = 400)
        async throws(RunError)
    {
        let files = ProcessUsage.raiseFileLimit()
        // Loop, timers, files of the process itself.
        guard files > links.count + 50 else {
            throw RunError(
                "\(links.count) connections need as many open files, but \(files) are allowed (ulimit -Hn)")
        }
        let lost = links.lostCount
        let target = links.liveCount + clients.count
        var next = clients.lowerBound
        var deadline = Monotonic.milliseconds + 30_000
        var seen = 0
        while links.liveCount < target {
            let room = min(max(1, perSecond / 200), atOnce - links.pendingCount, clients.upperBound - next)
            for _ in 0..<max(0, room) {
                try links.open(next)
                next += 1
            }
            await pause.milliseconds(5)
            if links.liveCount > seen {
                seen = links.liveCount
                deadline = Monotonic.milliseconds + 30_000
            }
            guard links.lostCount == lost, Monotonic.milliseconds < deadline else {
                throw RunError("only \(links.liveCount) of \(target) connections came up (\(links.failure))")
            }
        }
    }

    /// Waits until it holds, at most so long.
    func wait(seconds: Double, until isDone: () -> Bool) async -> Bool {
        let deadline = Monotonic.milliseconds + Int64(seconds * 1000)
        while !isDone() {
            guard Monotonic.milliseconds < deadline else { return false }
            await pause.milliseconds(10)
        }
        return true
    }

    /// From now on sockets are looked at once a millisecond, for loads of many readers. Else a reader that waits is woken by
    /// every single frame, and over the loopback it is the sender's system call that pays for it, whoever the server is.
    func gatherTurns() { loop.atEndOfTurn { usleep(1_000) } }

    func seconds(_ seconds: Double) async { await pause.milliseconds(Int64(seconds * 1000)) }
}

/// Gives a load the isolation of its loop.
private actor LoadActor {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(_ loop: EventLoop) { self.loop = loop }

    func perform<Report: Sendable>(
        _ work: @Sendable (LoadContext) async throws(RunError) -> Report
    ) async throws(RunError) -> Report {
        try await work(LoadContext(loop))
    }
}
