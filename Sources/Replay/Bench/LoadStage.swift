import EventLoop
import Glibc

/// What every load needs on its loop: time, and connections in a steady flow.
///
/// Used on the loop's thread.
final class LoadStage {
    let loop: EventLoop
    let pause: Pause

    fileprivate init(_ loop: EventLoop) {
        self.loop = loop
        pause = Pause(loop)
    }

    /// Runs a load on a loop of its own, on the calling thread.
    static func run<Report: Sendable>(
        _ work: @escaping @Sendable (LoadStage) async throws(ReplayError) -> Report
    ) throws(ReplayError) -> Report {
        _ = ProcessUsage.raiseFileLimit()
        return try OwnLoop.run { loop throws(ReplayError) in try await LoadLead(loop).perform(work) }
    }

    /// Opens the seats, so many at a time at most, and waits until all are live.
    func connect(_ links: LoadLinks, _ seats: Range<Int>, perSecond: Int = 5_000, atOnce: Int = 400)
        async throws(ReplayError)
    {
        let files = ProcessUsage.raiseFileLimit()
        // Loop, timers, files of the process itself.
        guard files > links.count + 50 else {
            throw ReplayError(
                "\(links.count) connections need as many open files, but \(files) are allowed (ulimit -Hn)")
        }
        let lost = links.lostCount
        let target = links.liveCount + seats.count
        var next = seats.lowerBound
        var deadline = Monotonic.milliseconds + 30_000
        var seen = 0
        while links.liveCount < target {
            let room = min(max(1, perSecond / 200), atOnce - links.pendingCount, seats.upperBound - next)
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
                throw ReplayError("only \(links.liveCount) of \(target) connections came up (\(links.failure))")
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
private actor LoadLead {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(_ loop: EventLoop) { self.loop = loop }

    func perform<Report: Sendable>(
        _ work: @Sendable (LoadStage) async throws(ReplayError) -> Report
    ) async throws(ReplayError) -> Report {
        try await work(LoadStage(loop))
    }
}

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
