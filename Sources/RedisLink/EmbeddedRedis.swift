public import EventLoop
internal import Glibc

/// A redis-server of the hub's own: reached through a socket in the data directory, which also holds what it keeps on
/// disk, its configuration and its log. When it dies it is started again, and has back what was on disk.
///
/// One per data directory: a lock sees to it. Used on the loop's thread only.
public final class EmbeddedRedis {
    /// When a change is on disk. `always`: before it is acknowledged. `everysec`: within a second or two, and a
    /// redis-server that is killed may lose what it acknowledged while such a write-through was under way (it holds
    /// changes back meanwhile; seen in tests: the last 26 of 1,000 commands).
    public enum Fsync: String, Sendable { case everysec, always }

    /// What it makes of the room on the disk; only with `everysec`, as what is written before it is acknowledged can't wait.
    public enum Disk: Equatable, Sendable {
        /// There was no room for what is kept, as it was started: it takes no writes from the first on.
        case fullAtStart
        /// A write has failed: it takes no writes from now on, and the room that was kept is given to what waits, in bytes.
        case full(waiting: Int)
        /// The room was too little, or another program has taken it: so many bytes are in memory only.
        case stuck(waiting: Int)
        /// Room is kept again, and writes are taken.
        case hasRoom
    }

    private enum State { case idle, starting, running, stopping, stopped }

    /// A server that isn't gone so long after it was asked is killed.
    private static let stopWithinMs: UInt64 = 10_000
    /// One that has run for so long before it died has not died because of how it was started.
    private static let soundAfterMs: UInt64 = 10_000

    private let loop: EventLoop
    private let files: EmbeddedRedisFiles
    private let reserve: DiskReserve
    private let executable: String
    private let fsync: Fsync
    private let maxMemory: Int

    private var state = State.idle
    private var lock: Int32?
    private var program = ""
    private var child: ChildProcess?
    private var control: RedisConnection?
    private var logStart = 0
    private var startedAt: UInt64 = 0
    private var restarts = Backoff(minMs: 100, maxMs: 10_000)
    private var isFirstRestart = true
    private let timer: LoopTimer
    private var started: ((Result<Void, EmbeddedRedisFailure>) -> Void)?
    private var stopped: [() -> Void] = []

    /// It has died, for this reason, and is being started again.
    public var onRestart: ((_ reason: String) -> Void)?

    /// So many bytes of a transaction that had no end were cut off its append-only file before a start.
    public var onRepair: ((_ bytes: Int) -> Void)?

    /// The disk has become full, or has room again. Set it before `start`.
    public var onDisk: ((Disk) -> Void)? {
        get { reserve.onChange }
        set { reserve.onChange = newValue }
    }

    /// Where it is reached.
    public let endpoint: RedisEndpoint

    /// The process; nil when none runs.
    public var pid: Int32? { child?.pid }

    /// Whether Redis refuses writes for want of room, or would soon: there is less than twice the reserve. On the loop's thread.
    public var isShortOfRoom: Bool { reserve.isRefusing || !reserve.hasRoom }

    /// - Parameters:
    ///   - directory: the data directory; made, for this user only, when it isn't there.
    ///   - executable: a path, or a name that is looked up in PATH.
    ///   - maxMemory: bytes; 0 is no limit.
    public init(
        loop: EventLoop, directory: String, executable: String = "redis-server", fsync: Fsync = .everysec,
        maxMemory: Int = 0
    ) {
        self.loop = loop
        self.executable = executable
        self.fsync = fsync
        self.maxMemory = maxMemory
        files = EmbeddedRedisFiles(directory: directory)
        reserve = DiskReserve(loop: loop, directory: directory)
        endpoint = .unix(path: files.socket)
        timer = LoopTimer(loop)
    }

    deinit {
        if let lock { EmbeddedRedisFiles.giveUp(lock: lock) }
    }

    /// Starts it, and completes when it answers (its data is loaded), or has failed for good. Once only.
    public func start(_ completion: @escaping (Result<Void, EmbeddedRedisFailure>) -> Void) {
        loop.preconditionOnLoop()
        precondition(state == .idle, "started twice")
        state = .starting
        started = completion
        do throws(EmbeddedRedisFailure) {
            program = try Self.find(executable)
            lock = try files.prepare(fsync: fsync, maxMemory: maxMemory)
            try makeReserve()
        } catch {
            return fail(error.description)
        }
        endOrphan()
    }

    /// On a full disk Redis serves what it has, and takes no writes. Without files of its own it could not start there.
    private func makeReserve() throws(EmbeddedRedisFailure) {
        guard fsync == .everysec else { return reserve.giveUp() }
        guard !reserve.make() else { return }
        guard !AppendOnlyFile.hasManifest(in: files.directory) else { return reserve.refuse() }
        throw EmbeddedRedisFailure(
            description:
                "the disk of the data directory \(files.directory) is full: make room (Redis keeps \(DiskReserve.bytes) bytes "
                + "for what it has acknowledged when it becomes full)")
    }

    /// The same, awaited.
    public func start() async throws(EmbeddedRedisFailure) {
        let result = await withCheckedContinuation { continuation in
            start { continuation.resume(returning: $0) }
        }
        try result.get()
    }

    /// Shuts it down, after which everything that it has acknowledged is on disk. `done` is called when it is gone.
    public func stop(_ done: @escaping () -> Void) {
        loop.preconditionOnLoop()
        stopped.append(done)
        guard state != .stopping else { return }
        let mayComplete = started
        started = nil
        state = .stopping
        timer.stop()
        reserve.stop()
        // What waits is written on the way out. Without the lock the file is another hub's.
        if lock != nil { reserve.giveUp() }
        guard let child else {
            finishStop()
            mayComplete?(.failure(EmbeddedRedisFailure(description: "it was stopped before it had started")))
            return
        }
        if let control, control.isUp {
            control.send(["SHUTDOWN"]) { result in
                // It answers only to say that it can't.
                if case .failure(.server) = result { child.kill(SIGTERM) }
            }
        } else {
            child.kill(SIGTERM)
        }
        timer.start(afterMs: Self.stopWithinMs) { child.kill(SIGKILL) }
        mayComplete?(.failure(EmbeddedRedisFailure(description: "it was stopped before it had started")))
    }

    private func finishStop() {
        state = .stopped
        release()
        let bodies = stopped
        stopped = []
        for body in bodies { body() }
    }

    private func fail(_ reason: String) {
        state = .stopped
        release()
        let completion = started
        started = nil
        completion?(.failure(EmbeddedRedisFailure(description: reason)))
    }

    private func release() {
        timer.stop()
        control?.close()
        control = nil
        onRestart = nil
        onRepair = nil
        reserve.stop()
        reserve.onChange = nil
        if let lock { EmbeddedRedisFiles.giveUp(lock: lock) }
        lock = nil
    }

    private static func find(_ name: String) throws(EmbeddedRedisFailure) -> String {
        let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/local/bin:/usr/bin:/bin"
        let candidates = name.contains("/") ? [name] : path.split(separator: ":").map { "\($0)/\(name)" }
        for candidate in candidates where access(candidate, X_OK) == 0 { return candidate }
        throw EmbeddedRedisFailure(
            description:
                "\(name) is not there (or may not be run): install it (Debian: apt install redis-server), or set "
                + "redis.url to a Redis that runs already")
    }

    // MARK: An orphan of an earlier run

    /// A hub that was killed leaves its Redis running. It holds the files that the new one is to use.
    private func endOrphan() {
        guard access(files.socket, F_OK) == 0 else { return launch() }
        var limits = RedisLimits()
        limits.commandTimeoutMs = 2 * Self.stopWithinMs
        let orphan = RedisConnection(loop: loop, endpoint: endpoint, limits: limits, acceptsLoading: true)
        control = orphan
        orphan.onRetry = { [weak self] reason in
            // Nobody listens: what is left is the name of the socket.
            if reason.hasSuffix(errnoText(ECONNREFUSED)) || reason.hasSuffix(errnoText(ENOENT)) {
                self?.launch()
            } else {
                self?.orphanStays(reason)
            }
        }
        // Its exit closes the connection.
        orphan.onDown = { [weak self] _ in self?.launch() }
        orphan.onUp = { [weak self, weak orphan] in
            orphan?.send(["SHUTDOWN"]) { result in
                if case .failure(.server(let text)) = result { self?.orphanStays(text) }
            }
        }
        timer.start(afterMs: Self.stopWithinMs) { [weak self] in self?.orphanStays("it does not stop") }
        orphan.start()
    }

    private func orphanStays(_ reason: String) {
        guard state == .starting else { return }
        fail("a redis-server of an earlier run holds \(files.socket), and cannot be ended (\(reason)): end it by hand")
    }

    // MARK: Running

    private func launch() {
        timer.stop()
        guard state == .starting || state == .running else { return }
        let cut = AppendOnlyFile.repair(in: files.directory)
        if cut > 0 { onRepair?(cut) }
        logStart = files.logSize
        startedAt = loop.now
        do {
            let command = [program, files.configuration] + (reserve.isRefusing ? DiskReserve.refusal : [])
            let words = Self.bound(command, to: getpid())
            child = try ChildProcess.spawn(
                loop: loop, executable: words[0], arguments: Array(words.dropFirst()), stdout: .file(files.log),
                stderr: .file(files.log), ownSession: true
            ) { [weak self] status, signal in self?.exited(status, signal) }
        } catch {
            return state == .starting ? fail("\(error)") : launchLater("\(error)")
        }
        if state == .starting { reachOut() }
    }

    /// The words of a program that ends with its parent: a hub that is killed leaves no Redis behind. `setpriv` (util-linux, on
    /// every Debian) gives it the parent's death as its SIGTERM. A parent that has died before gives it none, so a shell looks
    /// whose child it is, then becomes the program. Where `setpriv` is missing, the next start ends the orphan.
    ///
    /// The death is that of the parent's thread: the loop has to run on one that lives as long as the hub.
    static func bound(_ command: [String], to parent: Int32) -> [String] {
        guard let setpriv = try? find("setpriv") else { return command }
        let look = #"test "$PPID" = "$0" && exec "$@""#
        return [setpriv, "--pdeathsig", "TERM", "/bin/sh", "-c", look, String(parent)] + command
    }

    /// Tried again and again until it answers: as long as the process lives, it is on its way. The link stays, for
    /// stopping, and comes back after a restart by itself.
    private func reachOut() {
        var limits = RedisLimits()
        limits.backoffMinMs = 4
        limits.backoffMaxMs = 50
        control?.close()
        let control = RedisConnection(loop: loop, endpoint: endpoint, limits: limits)
        self.control = control
        control.onUp = { [weak self] in
            guard let self, state == .starting else { return }
            state = .running
            let completion = started
            started = nil
            completion?(.success(()))
        }
        control.start()
        if fsync == .everysec { reserve.watch(control) }
    }

    private func exited(_ status: Int64, _ signal: Int32) {
        child = nil
        switch state {
        case .stopping: finishStop()
        case .starting: fail("redis-server could not start (\(ending(status, signal)))")
        case .running: launchLater(ending(status, signal))
        case .idle, .stopped: break
        }
    }

    private func ending(_ status: Int64, _ signal: Int32) -> String {
        let how = signal == 0 ? "exit status \(status)" : "signal \(signal)"
        return "\(how); \(files.log): \(files.logTail(after: logStart))"
    }

    /// The first time at once, then after growing waits.
    private func launchLater(_ reason: String) {
        if loop.now - startedAt >= Self.soundAfterMs {
            restarts.reset()
            isFirstRestart = true
        }
        let wait = isFirstRestart ? 0 : restarts.next()
        isFirstRestart = false
        timer.start(afterMs: wait) { [weak self] in self?.launch() }
        onRestart?(reason)
    }
}
