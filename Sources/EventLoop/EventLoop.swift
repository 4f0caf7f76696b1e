internal import CLibuv
internal import CTurn
internal import Glibc
internal import Synchronization

/// One libuv loop, usable as the executor of an actor.
///
/// The loop belongs to the thread that made it until another thread calls `run()`; from then on to that one.
/// Everything but `enqueue`, `submit`, `stop`, `isOnLoop` and `wallClock` must be called on the owning thread.
///
/// Mutable state is touched by the owning thread only (checked by `preconditionOnLoop`), but for `inbox` and `owner`:
/// `@unchecked Sendable` because the compiler can't see that, and those two are synchronised.
public final class EventLoop: SerialExecutor, @unchecked Sendable {
    /// Ready descriptors that are looked at in one turn, once turns have a limit. A thousand that have to be closed would hold up all others for
    /// 0.1 s.
    package static let eventsPerTurn = Int(KERBSIDE_EVENTS_PER_TURN)
    /// And so many besides whose peer has left. The others don't wait for all of them.
    package static let departuresPerTurn = Int(KERBSIDE_DEPARTURES_PER_TURN)

    /// Limits the turns of all loops of this process, for one that serves many. Any thread.
    public static func limitTurns() { kerbside_limit_turns() }

    /// Jobs run per drain before the loop looks at its sockets again, so that jobs which enqueue jobs can't starve I/O.
    private static let jobsPerDrain = 10_000

    /// What other threads leave for the loop; it is woken when the first item arrives.
    private struct Inbox {
        var jobs: [UnownedJob] = []
        var bodies: [@Sendable () -> Void] = []
        var isStopWanted = false
        var isWakeSent = false
    }

    let loop: UnsafeMutablePointer<uv_loop_t>
    private let wake: UnsafeMutablePointer<uv_async_t>
    private let beforeBlocking: UnsafeMutablePointer<uv_prepare_t>
    private let afterBlocking: UnsafeMutablePointer<uv_check_t>
    /// Active only while jobs are left over: an active idle handle keeps the loop from blocking.
    private let leftOver: UnsafeMutablePointer<uv_idle_t>

    private let owner: Atomic<UInt>
    private let inbox = Mutex(Inbox())
    private var ready: [UnownedJob] = []
    private var running: [UnownedJob] = []
    private var hooks: [() -> Void] = []
    private var isTurnWanted = false
    private var putOff: [() -> Void] = []

    /// The `uv_loop_t *`, for libraries that attach themselves to it.
    public var rawLoop: UnsafeMutableRawPointer { UnsafeMutableRawPointer(loop) }

    /// Throws `LoopError` when the kernel refuses the descriptors that a loop needs.
    public init() throws {
        loop = allocateHandle(uv_loop_t.self)
        let code = uv_loop_init(loop)
        guard code == 0 else {
            UnsafeMutableRawPointer(loop).deallocate()
            throw LoopError("uv_loop_init", code)
        }
        wake = allocateHandle(uv_async_t.self)
        beforeBlocking = allocateHandle(uv_prepare_t.self)
        afterBlocking = allocateHandle(uv_check_t.self)
        leftOver = allocateHandle(uv_idle_t.self)
        owner = Atomic(UInt(pthread_self()))

        let asyncCode = uv_async_init(loop, wake, onWake)
        precondition(asyncCode == 0, "uv_async_init: \(LoopError.text(asyncCode))")
        uv_prepare_init(loop, beforeBlocking)
        uv_check_init(loop, afterBlocking)
        uv_idle_init(loop, leftOver)
        let data = Unmanaged.passUnretained(self).toOpaque()
        wake.pointee.data = data
        beforeBlocking.pointee.data = data
        afterBlocking.pointee.data = data
        uv_prepare_start(beforeBlocking, onBeforeBlocking)
        uv_check_start(afterBlocking, onAfterBlocking)
    }

    deinit {
        // Nobody can be running the loop now: run() holds a reference.
        closeAndFree(wake)
        closeAndFree(beforeBlocking)
        closeAndFree(afterBlocking)
        closeAndFree(leftOver)
        for body in inbox.withLock({ $0.bodies }) { body() }
        // Close callbacks come one turn later; handles that others left open would keep it busy for ever.
        for _ in 0..<8 where uv_run(loop, UV_RUN_NOWAIT) == 0 { break }
        // Busy means that a library has left handles open: leaking the loop is safe, freeing it is not.
        if uv_loop_close(loop) == 0 { UnsafeMutableRawPointer(loop).deallocate() }
    }

    /// Runs jobs, timers and I/O on the calling thread until `stop()`.
    public func run() {
        owner.store(UInt(pthread_self()), ordering: .releasing)
        uv_run(loop, UV_RUN_DEFAULT)
    }

    /// Makes `run()` return after the present turn. Any thread.
    public func stop() {
        if isOnLoop {
            uv_stop(loop)
        } else {
            leave { $0.isStopWanted = true }
        }
    }

    /// Monotonic milliseconds as of the start of this turn.
    public var now: UInt64 { uv_now(loop) }

    /// The same clock as it stands now, after whatever this turn has computed. Any thread.
    public static func currentTime() -> UInt64 { currentTimeNs() / 1_000_000 }

    /// The same in nanoseconds.
    public static func currentTimeNs() -> UInt64 { uv_hrtime() }

    /// Unix milliseconds. Any thread.
    public static func wallClock() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// Calls `hook` in every turn after jobs and callbacks, before the loop blocks: the place to flush.
    public func atEndOfTurn(_ hook: @escaping () -> Void) {
        preconditionOnLoop()
        hooks.append(hook)
    }

    /// Has the loop go through one more turn before it blocks. For a hook's owner that is given work after its hook ran.
    public func wantAnotherTurn() { isTurnWanted = true }

    /// Calls `body` once the loop has looked at its sockets, without blocking before. For work that is done in portions: a timer of 0 ms
    /// that is started by a timer fires before the loop looks at its sockets (libuv 1.44).
    public func inNextTurn(_ body: @escaping () -> Void) {
        preconditionOnLoop()
        putOff.append(body)
    }

    /// Calls `body` on the loop, in a later turn. Any thread.
    public func submit(_ body: @escaping @Sendable () -> Void) {
        leave { $0.bodies.append(body) }
    }

    /// Whether the calling thread is the one that owns the loop. Any thread.
    public var isOnLoop: Bool { owner.load(ordering: .acquiring) == UInt(pthread_self()) }

    /// Traps when called on another thread than the loop's.
    public func preconditionOnLoop(file: StaticString = #fileID, line: UInt = #line) {
        precondition(isOnLoop, "called off the loop's thread", file: file, line: line)
    }

    // MARK: Executor

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if isOnLoop {
            ready.append(job)
        } else {
            leave { $0.jobs.append(job) }
        }
    }

    public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    public func checkIsolated() { preconditionOnLoop() }

    public func isIsolatingCurrentContext() -> Bool? { isOnLoop }

    // MARK: Turns

    private func leave(_ change: (inout Inbox) -> Void) {
        let mustWake = inbox.withLock { inbox in
            change(&inbox)
            defer { inbox.isWakeSent = true }
            return !inbox.isWakeSent
        }
        if mustWake { uv_async_send(wake) }
    }

    fileprivate func takeInbox() {
        var taken = Inbox()
        inbox.withLock { swap(&$0, &taken) }
        ready.append(contentsOf: taken.jobs)
        for body in taken.bodies { body() }
        if taken.isStopWanted { uv_stop(loop) }
    }

    fileprivate func drain() {
        var budget = Self.jobsPerDrain
        while !ready.isEmpty, budget > 0 {
            swap(&ready, &running)
            budget -= running.count
            for job in running { job.runSynchronously(on: asUnownedSerialExecutor()) }
            running.removeAll(keepingCapacity: true)
        }
    }

    /// What these put off comes after the sockets have been looked at again.
    fileprivate func beginTurn() {
        if !putOff.isEmpty {
            let bodies = putOff
            putOff = []
            for body in bodies { body() }
        }
        drain()
    }

    fileprivate func endTurn() {
        drain()
        isTurnWanted = false
        for hook in hooks { hook() }
        if ready.isEmpty && putOff.isEmpty && !isTurnWanted {
            uv_idle_stop(leftOver)
        } else {
            uv_idle_start(leftOver, onIdle)
        }
    }
}

private func onWake(_ handle: UnsafeMutablePointer<uv_async_t>?) {
    owningLoop(handle!.pointee.data).takeInbox()
}

private func onBeforeBlocking(_ handle: UnsafeMutablePointer<uv_prepare_t>?) {
    owningLoop(handle!.pointee.data).endTurn()
}

private func onAfterBlocking(_ handle: UnsafeMutablePointer<uv_check_t>?) {
    owningLoop(handle!.pointee.data).beginTurn()
}

/// Nothing to do: being active is its purpose.
private func onIdle(_ handle: UnsafeMutablePointer<uv_idle_t>?) {}

private func owningLoop(_ data: UnsafeMutableRawPointer) -> EventLoop {
    Unmanaged<EventLoop>.fromOpaque(data).takeUnretainedValue()
}
