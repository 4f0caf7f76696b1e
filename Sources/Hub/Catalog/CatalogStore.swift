public import Domain
import EventLoop
import RedisLink
public import Settings
import Synchronization
import Wire

/// The catalog in the city's Redis, for the commands that change it.
public actor CatalogStore {
    nonisolated let loop: EventLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let settings: Settings
    let keys: Keys
    private lazy var library = FunctionLibrary(RedisLibrary.code)
    private var connection: RedisConnection?

    private init(_ settings: Settings, _ loop: EventLoop) {
        self.settings = settings
        self.loop = loop
        keys = Keys(city: settings.city.id)
    }

    /// How long workers are given to read a new catalog before it is taken into use, and then to use it, ms.
    static let workersMs: Int64 = 10_000
    /// So long they have while they say that they read it, ms: a country's catalog takes a busy machine half a minute.
    static let longestMs: Int64 = 300_000
    /// They say so once a second, and it holds so long, ms.
    static let readingMs: Int64 = 5_000

    /// Runs `work` on a loop of its own, on the calling thread, and answers its value. Throws a ``HubFailure`` when Redis
    /// can't be reached.
    public static func run<Value: Sendable>(
        _ settings: Settings, _ work: @escaping @Sendable (isolated CatalogStore) async throws -> Value
    ) throws -> Value {
        let loop = try EventLoop()
        let store = CatalogStore(settings, loop)
        let outcome = Outcome<Value>()
        Task {
            let result = await store.perform(work)
            outcome.value.withLock { $0 = result }
            loop.stop()
        }
        loop.run()
        guard let result = outcome.value.withLock({ $0 }) else { throw HubFailure("it was interrupted") }
        return try result.get()
    }

    /// Carries the result from the task to the thread that waits for it.
    private final class Outcome<Value: Sendable>: Sendable {
        let value = Mutex<Result<Value, any Error>?>(nil)
    }

    private func perform<Value: Sendable>(
        _ work: @escaping @Sendable (isolated CatalogStore) async throws -> Value
    ) async -> Result<Value, any Error> {
        do {
            let connection = try await connect()
            defer { connection.close() }
            return .success(try await work(self))
        } catch {
            return .failure(error)
        }
    }

    private func connect() async throws -> RedisConnection {
        let connection = RedisConnection(
            loop: loop, endpoint: try RedisLocation(settings).endpoint, limits: RedisLimits(settings))
        self.connection = connection
        let failure: String? = await withCheckedContinuation { continuation in
            var first: CheckedContinuation<String?, Never>? = continuation
            connection.onUp = {
                first?.resume(returning: nil)
                first = nil
            }
            connection.onRetry = { reason in
                first?.resume(returning: reason)
                first = nil
            }
            connection.start()
        }
        guard let failure else { return connection }
        connection.close()
        throw RedisLocation.unreached(failure)
    }

    func send(_ command: [RedisArgument]) async throws -> RedisReply {
        guard let connection else { throw HubFailure("no connection to Redis") }
        return try await connection.send(command)
    }

    /// Calls one of the hub's functions.
    func call(
        _ function: String, _ arguments: FunctionArguments = [:], more: [RedisArgument] = []
    ) async throws -> RedisReply {
        do {
            return try await withCheckedThrowingContinuation { continuation in
                guard let connection else {
                    return continuation.resume(throwing: HubFailure("no connection to Redis"))
                }
                library.call(
                    function, keys: [RedisArgument(keys.settings)], arguments: arguments.values + more, on: connection
                ) { continuation.resume(with: $0.mapError { $0 as any Error }) }
            }
        } catch RedisFailure.server(let text) where text.contains("settings of this city") {
            throw HubFailure("the hub of \(settings.city.id) never ran on this Redis; start it first (kerbside serve)")
        }
    }

    /// The catalog in use; an empty one when there never was any.
    public func load() async throws -> Catalog {
        let marks = CatalogMarks(try await send(["HGETALL", RedisArgument(keys.catalog)]))
        guard !marks.version.isEmpty else { return Catalog() }
        let reading = CatalogReading(version: marks.version, keys: keys)
        for question in reading.questions { _ = reading.take(try await send(question)) }
        while let question = reading.nextLine { reading.takeLine(try await send(question)) }
        return try whole(reading)
    }

    /// Likewise without its lines, stops and days: all that an import keeps. Of 100,000 trips it takes a tenth of the import to
    /// read the ones that it replaces.
    public func loadBuses() async throws -> Catalog {
        let marks = CatalogMarks(try await send(["HGETALL", RedisArgument(keys.catalog)]))
        guard !marks.version.isEmpty else { return Catalog() }
        let reading = CatalogReading(version: marks.version, keys: keys)
        var replies: [RedisReply] = []
        for question in reading.questionsOfBuses { replies.append(try await send(question)) }
        reading.takeBuses(replies)
        return try whole(reading)
    }

    private func whole(_ reading: CatalogReading) throws -> Catalog {
        if let problem = reading.problem {
            throw HubFailure("the catalog in Redis can't be read (\(problem)); import it again")
        }
        return reading.catalog
    }

    /// Replaces the catalog of version `replaced` whole, or throws and leaves it. Answers the names of the lists that have
    /// changed.
    public func use(_ catalog: Catalog, replacing replaced: String) async throws -> [String] {
        var catalog = catalog
        catalog.version = Self.newVersion()
        for command in CatalogText(keys: keys).staging(catalog) { _ = try await send(command) }
        let workers = try await send([
            "PUBLISH", RedisArgument(keys.catalogNews), RedisArgument("read " + catalog.version),
        ])
        try await wait(for: workers.int ?? 0, catalog.version, "ready")
        let reply = try await call(
            "catalog_use", ["version": RedisArgument(catalog.version), "replaced": RedisArgument(replaced)])
        switch RedisFunctions.answer(.success(reply)) {
        case .ok(let json):
            let lists = CatalogChange(json).lists
            guard !lists.isEmpty else { return [] }
            try await wait(for: workers.int ?? 0, catalog.version, "used")
            _ = try await call("catalog_tell", ["version": RedisArgument(catalog.version)])
            return lists
        case .refused(_, let detail, _): throw HubFailure("\(detail); nothing was changed, try again")
        case .failed(let text): throw HubFailure("Redis could not take the catalog: \(text)")
        case .unavailable: throw HubFailure("Redis does not answer")
        }
    }

    /// Workers read a version before it is taken into use, and all use it before clients are told. One that can't is not waited
    /// for forever: it goes on with it, or reads it, when it is told to use it.
    private func wait(for workers: Int64, _ version: String, _ part: String) async throws {
        let start = Int64(EventLoop.currentTime())
        var until = start + Self.workersMs
        while Int64(EventLoop.currentTime()) < until {
            let count = try await send(["GET", RedisArgument(keys.catalog(version, part))]).int ?? 0
            if count >= workers { return }
            if try await send(["EXISTS", RedisArgument(keys.catalog(version, "reading"))]).int == 1 {
                until = max(until, min(Int64(EventLoop.currentTime()) + Self.readingMs, start + Self.longestMs))
            }
            try await pause(ms: 10)
        }
    }

    private func pause(ms: UInt64) async throws {
        let timer = LoopTimer(loop)
        await withCheckedContinuation { continuation in timer.start(afterMs: ms) { continuation.resume() } }
        timer.close()
    }

    /// Never the same twice, and in the order of time for people.
    private static func newVersion() -> String {
        String(EventLoop.wallClock(), radix: 36) + "-" + String(UInt32.random(in: 0...UInt32.max), radix: 36)
    }
}

/// What `catalog_use` answers.
private struct CatalogChange {
    let lists: [String]

    init(_ json: [UInt8]) {
        let reply = try? JSONValue(parsing: json)
        lists = reply?["changed"]?.elements?.compactMap(\.text) ?? []
    }
}
