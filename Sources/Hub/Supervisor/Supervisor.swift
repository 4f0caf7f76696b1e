import Domain
public import EventLoop
import Glibc
import Logging
import Records
import RedisLink
public import Settings
import Tokens
import WebSocketServer

/// The parent process: starts Redis where none is configured, prepares it, starts the workers, restarts what dies, and
/// passes on reload and shutdown. It carries no client traffic.
public actor Supervisor {
    /// How long after a failure Redis is prepared again, ms.
    private static let prepareAgainMs: UInt64 = 1_000

    nonisolated let loop: EventLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    var settings: Settings
    let reload: @Sendable () throws -> Settings
    let log: Logger
    let keys: Keys
    private let library = FunctionLibrary(RedisLibrary.code)
    private var redis: EmbeddedRedis?
    private var connection: RedisConnection?
    /// Prepares Redis again when it is up and has not taken it.
    private let prepareAgain: LoopTimer
    /// Why it has not; nil while it has.
    private var prepareTrouble: String?
    private var reservation: PortReservation?
    private var lock: DirectoryLock?
    private var settled: SettledFiles
    /// Configurations are read and tried on a thread: it takes seconds with a big city's zones, and what dies meanwhile is restarted.
    private var trials: BackgroundWork<Result<Trial, any Error>>?
    private var tickets: TicketRotation?
    private var certificate: CertificateWatch?
    private var workers: [WorkerProcess] = []
    private var watch: WorkerWatch?
    private var directoryWatch: DirectoryWatch?
    private var recorder: WorkerProcess?
    private var pushSender: WorkerProcess?
    private var signals: [LoopSignal] = []
    private var isStopping = false
    private var isEnding = false
    private var failure: HubFailure?

    /// `reload` reads the configuration again at SIGHUP, from where it came.
    public init(settings: Settings, loop: EventLoop, reload: @escaping @Sendable () throws -> Settings) {
        self.settings = settings
        self.loop = loop
        self.reload = reload
        log = HubLog.logger("hub", settings.log)
        keys = Keys(city: settings.city.id)
        settled = SettledFiles(data: settings.data.dir)
        prepareAgain = LoopTimer(loop)
    }

    /// Runs the hub until SIGTERM or SIGINT; call it on the thread that owns the loop. Throws a ``HubFailure`` or another
    /// describable error when it can't start, or can't go on.
    public nonisolated func run() throws {
        let begun = Task { try await self.start() }
        let ended = Outcome()
        Task {
            do { try await begun.value } catch {
                // Told to stop meanwhile, it is ending already, and nothing has failed.
                guard await !self.isStopping else { return }
                ended.error = error
                await self.abandon()
            }
        }
        loop.run()
        if let error = ended.error { throw error }
    }

    private func start() async throws {
        for (signal, name) in [(SIGTERM, "SIGTERM"), (SIGINT, "SIGINT")] {
            signals.append(try LoopSignal(loop, signal: signal) { self.stop(name) })
        }
        let trials = BackgroundWork(loop, begin: { self.nextTrial() }, then: { self.reloadAll($0) })
        self.trials = trials
        signals.append(try LoopSignal(loop, signal: SIGHUP) { trials.ask() })
        // Whatever this process and its children make is for this user alone: Redis' files, too.
        umask(0o077)
        let closed = try DataDirectory.prepare(settings.data.dir)
        if !closed.isEmpty {
            log.warning("was open to other users, and is closed now: \(closed.joined(separator: ", "))")
        }
        for exposure in Exposures.of(settings) { log.warning("\(exposure)") }
        directoryWatch = DirectoryWatch(settings.data.dir, loop: loop, log: log)
        lock = try DirectoryLock(settings.data.dir)
        try WorkerFiles.prepare(settings.data.dir)
        _ = try TokenIssuer(settings, makesSecret: true)
        try PushKeyFile.prepare(settings)
        settled.clear()
        // On a full disk its room is what files need that are written beside those that they replace.
        unlink(WorkerFiles.addresses(settings.data.dir))
        let name = settled.nextName()
        for repair in try settled.copy(settings, as: name) { log.warning("zones repaired: \(repair)") }
        try settled.take(name)
        certificate = CertificateWatch(settings, loop: loop, log: log)
        let records = StoreLocation(url: settings.store.url, data: settings.data.dir)
        try RecordsFile.check(settings)
        try RecordStore.check(records)
        tickets = try TicketRotation(settings, loop: loop, log: log)
        reservation = try PortReservation(host: settings.server.host, port: settings.server.port)
        let count = settings.workerCount
        try AddressCounts.create(path: WorkerFiles.addresses(settings.data.dir), rows: count)
        try await startRedis()
        // Nobody would end what is started now.
        guard !isStopping else { return }
        for number in 1...count { startWorker(number) }
        watch = try WorkerWatch(workers, data: settings.data.dir, loop: loop, log: log)
        if records != .none { recorder = startProcess(.recorder, "the recorder") }
        if settings.push.isOn { pushSender = startProcess(.pushSender, "the sender of pushes") }
        log.notice(
            "serving",
            metadata: [
                "address": "\(settings.server.host):\(reservation?.port ?? 0)", "workers": "\(count)",
                "city": "\(settings.city.id)", "data": "\(settings.data.dir)",
                "redis": "\(settings.redis.isEmbedded ? "embedded" : "external")",
            ])
    }

    // MARK: Redis

    private func startRedis() async throws {
        if settings.redis.isEmbedded {
            let redis = EmbeddedRedis(
                loop: loop, directory: settings.data.dir, executable: settings.redis.server,
                fsync: settings.redis.fsync == .always ? .always : .everysec,
                maxMemory: EngineMemory.limit(settings))
            redis.onRepair = { bytes in
                self.log.warning("a change that Redis had not written whole is cut off its file: \(bytes) bytes")
            }
            redis.onRestart = { self.log.warning("redis-server died and was started again: \($0)") }
            redis.onDisk = { self.diskChanged($0) }
            self.redis = redis
            try await redis.start()
        }
        let connection = RedisConnection(
            loop: loop, endpoint: try RedisLocation(settings).endpoint, limits: RedisLimits(settings))
        self.connection = connection
        let reached: Result<Void, any Error> = await withCheckedContinuation { continuation in
            var first: CheckedContinuation<Result<Void, any Error>, Never>? = continuation
            connection.onUp = {
                Task {
                    let result = await self.prepareAtUp()
                    first?.resume(returning: result)
                    first = nil
                }
            }
            connection.onRetry = { reason in
                guard first != nil else { return self.log.debug("Redis is still away: \(reason)") }
                first?.resume(returning: .failure(HubFailure("Redis can't be reached: \(reason)")))
                first = nil
            }
            connection.start()
        }
        try reached.get()
    }

    private func diskChanged(_ disk: EmbeddedRedis.Disk) {
        switch disk {
        case .fullAtStart: log.error("the disk is full: commands are refused until there is room")
        case .full(let waiting):
            log.error(
                "the disk is full: commands are refused until there is room, and what Redis had acknowledged is written into the room that was kept for it: \(waiting) bytes"
            )
        case .stuck(let waiting):
            log.error(
                "the disk is full, also the room that was kept: \(waiting) bytes that Redis has acknowledged are in memory only; make room before it ends"
            )
        case .hasRoom: log.notice("the disk has room again")
        }
    }

    /// Well also when it is a hub's own Redis on a full disk: that has from earlier runs what readings need, and is prepared
    /// as soon as it takes writes.
    private func prepareAtUp() async -> Result<Void, any Error> {
        let result = await prepare()
        guard settings.redis.isEmbedded, case .failure(let error) = result, let answer = refusal(error) else {
            return result
        }
        return RedisHealth.isDiskFull(answer) ? .success(()) : result
    }

    /// What is logged of a failure to prepare Redis.
    private func told(_ error: any Error) -> String {
        refusal(error).map { RedisHealth.told($0, isEmbedded: settings.redis.isEmbedded) } ?? "\(error)"
    }

    /// What Redis has answered where it refuses to serve; nil: it failed otherwise.
    private func refusal(_ error: any Error) -> String? {
        if case .notServing(let answer)? = error as? RedisFailure { answer } else { nil }
    }

    /// At each connect and reload: an external Redis is checked, the functions and settings are written. Where that fails
    /// it is done again until it is done: a Redis that is full keeps the connection up.
    @discardableResult
    private func prepare() async -> Result<Void, any Error> {
        guard let connection else { return .failure(HubFailure("no connection to Redis")) }
        do {
            if !settings.redis.isEmbedded {
                let problems = try await RedisCheck.problems(of: connection)
                if !problems.isEmpty {
                    throw HubFailure("this Redis is not fit:\n  " + problems.joined(separator: "\n  "))
                }
            }
            try await RedisSetup(keys: keys, settings: settings, library: library).prepare(connection)
            if prepareTrouble != nil { log.notice("Redis is prepared") }
            prepareTrouble = nil
            return .success(())
        } catch {
            let trouble = told(error)
            if trouble != prepareTrouble, !isStopping { log.error("Redis could not be prepared: \(trouble)") }
            prepareTrouble = trouble
            // A Redis that is away is prepared when it is back.
            if self.connection?.isUp == true {
                prepareAgain.start(afterMs: Self.prepareAgainMs) { Task { await self.prepare() } }
            }
            return .failure(error)
        }
    }

    // MARK: workers

    private func startWorker(_ number: Int) {
        workers.append(startProcess(.worker(number: number, port: reservation?.port ?? 0), "worker \(number)"))
    }

    private func startProcess(_ work: WorkerProcess.Work, _ name: String) -> WorkerProcess {
        let process = WorkerProcess(work, loop: loop, data: settings.data.dir)
        process.onEnd = { description in
            guard !self.isStopping else { return self.finishIfDone() }
            self.log.error("\(name) ended and is started again: \(description)")
        }
        process.start()
        return process
    }

    /// The recorder and the sender of pushes among them.
    private var processes: [WorkerProcess] { workers + [recorder, pushSender].compactMap(\.self) }

    // MARK: signals

    /// A configuration that is good.
    private struct Trial: Sendable {
        /// As it was read, and what of it can be taken without a restart.
        var read: Settings
        var taken: Settings
        var name: String
        var repairs: [ZoneRepair]
    }

    /// Reads the configuration and tries it.
    private func nextTrial() -> @Sendable () -> Result<Trial, any Error> {
        let (reload, settings) = (self.reload, self.settings)
        let name = settled.nextName()
        return { [settled] in
            Result {
                let read = try reload()
                let taken = settings.reloaded(from: read)
                return Trial(read: read, taken: taken, name: name, repairs: try settled.copy(taken, as: name))
            }
        }
    }

    /// Everything is tried before anything changes; then the workers are told, which read what was tried.
    private func reloadAll(_ trial: Result<Trial, any Error>) {
        do {
            let good = try trial.get()
            for repair in good.repairs { log.warning("zones repaired: \(repair)") }
            try settled.take(good.name)
            let fixed = Settings.changedKeys(from: settings, to: good.read).filter { $0.takesEffect == .atRestart }
            for setting in fixed { log.warning("\(setting.key) takes effect at the next start only") }
            settings = good.taken
        } catch {
            return log.error("not reloaded, everything stays as it was: \(error)")
        }
        if settings.server.tls.isOn { certificate?.renew() }
        for process in processes { process.reload() }
        Task {
            switch await prepare() {
            case .success: log.notice("the workers are told to reload")
            case .failure: log.warning("the workers are told to reload; Redis is told its part when it takes it")
            }
        }
    }

    private func stop(_ name: String) {
        guard !isStopping else { return }
        isStopping = true
        trials?.close()
        watch?.close()
        log.notice("stopping: \(name)")
        for process in processes { process.stop(killAfterMs: UInt64(settings.server.drainMs) + 5000) }
        finishIfDone()
    }

    /// When the last worker has ended: Redis writes what it has and ends, then this process.
    private func finishIfDone() {
        guard isStopping, !isEnding, processes.allSatisfy({ !$0.isRunning }) else { return }
        isEnding = true
        prepareAgain.close()
        connection?.close()
        connection = nil
        guard let redis else { return end() }
        redis.stop { self.end() }
    }

    private func end() {
        for signal in signals { signal.close() }
        signals = []
        trials = nil
        tickets?.close()
        directoryWatch?.close()
        certificate?.close()
        reservation = nil
        // On a full disk they stay: the next start has no other room for its own.
        if lock != nil, redis?.isShortOfRoom != true {
            settled.clear()
            unlink(WorkerFiles.addresses(settings.data.dir))
        }
        lock = nil
        log.notice("stopped")
        loop.stop()
    }

    /// Could not start: ends what had been started.
    private func abandon() {
        isStopping = true
        trials?.close()
        watch?.close()
        for process in processes { process.stop(killAfterMs: 1000) }
        finishIfDone()
    }
}

/// Carries the error of start-up out of the loop.
/// `@unchecked Sendable` because it is written before the loop stops and read after.
private final class Outcome: @unchecked Sendable {
    var error: (any Error)?
}
