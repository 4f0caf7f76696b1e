import Domain
public import EventLoop
import Glibc
import Logging
import RedisLink
public import Settings
import Telemetry
import Tokens
import WebSocketServer
import Wire
import WireProtobuf

/// One worker: the sockets of its clients on one libuv loop, and two connections to Redis.
///
/// The way of a message: `receive` (Worker+Commands) reads it; a Redis function decides (Dispatch, Functions/*.lua) and
/// publishes what is to be told; `pushed` (Worker+Push) sends it to the readers that are connected here. Positions are
/// judged here (Worker+Positions) and leave in one batch per tick (Worker+Ticks).
///
/// Everything runs on the loop: callbacks of the classes below are closures formed in the actor, so they are isolated to
/// it. They hold the worker strongly, because it lives exactly as long as its process.
public actor Worker {
    /// How long a worker waits for Redis before it listens without, ms.
    static let unreadyMs = 3_000

    nonisolated let loop: EventLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let name: String
    var settings: Settings
    let keys: Keys
    var log: Logger
    let startedAt = EventLoop.wallClock()

    var server: WebSocketServer
    let commands: RedisConnection
    let subscriber: RedisSubscriber
    let dispatch: Dispatch
    var verifier: TokenVerifier
    let metrics = WorkerMetrics()
    let protobuf = ProtobufWire()
    let expositions: WorkerExpositions
    var metricsPage: MetricsPage?
    var slices: LoopTimer
    var sweep: LoopTimer
    var seconds: LoopTimer
    var pace: LoopTimer
    var rankPace: LoopTimer
    var topicPace: LoopTimer
    var feedPace: LoopTimer
    var leavePace: LoopTimer

    /// Nil until Redis was asked.
    var memory: RedisMemory?
    /// When that, and its log, are looked at next, ms of the loop.
    var memoryDueAt: UInt64 = 0
    /// When Redis has said it last, ms of the loop.
    var memoryKnownAt: UInt64 = 0
    var tidyDueAt: UInt64 = 0

    /// Nil until the file was read: then a place is "unknown", never "outside".
    var zones: ZoneSet?
    var clock: HubClock
    var isDraining = false
    /// What Redis answers while it takes no writes; nil while it does.
    var storeTrouble: String?
    /// When it was refused a call last, ms of the loop.
    var storeRefusedAt: UInt64 = 0

    var sessions: [ConnectionID: Session] = [:]
    /// What subjects may still do, by `<role>:<subject>`, and those without a connection: looked at each second.
    var budgets: [String: Budget] = [:]
    var idleBudgets: Set<String> = []
    /// Sessions whose circle is to move when it may.
    var circlesToMove: [Session] = []
    var sessionNumber = 0
    /// Who reads a hub channel here.
    var readers: [String: [Session]] = [:]
    var drivers: [String: DriverTrack] = [:]
    var subscribed: Set<Int> = []
    /// Partitions whose subscription is not confirmed yet, and what waits for it.
    var subscribing: [Int: [() -> Void]] = [:]
    /// Seconds at which a connection must have said hello, or its token ends; when they were last looked at, ms of the loop.
    var deadlines = TimerWheel()
    var lastSecond: UInt64 = 0

    /// The number of the present slice; a tick has `slicesPerTick`. And when the next one is due, of the loop's time.
    var slice = 0
    var sliceDue: UInt64 = 0
    /// Moved since Redis was told, and sent in the next slice.
    var moved: [DriverTrack] = []
    /// The same of those that Redis was told of within the last tick: they wait for the slice a tick later, here by its
    /// number modulo `slicesPerTick`.
    var movedAgain: [[DriverTrack]] = Array(repeating: [], count: Worker.slicesPerTick)
    var isBatchUnderWay = false
    var isSweeping = false
    var hasSwept = false
    /// Zones whose queue changed since its ranks were told, and why; in the order in which they will be.
    var changedZones: [String: String] = [:]
    var zonesToTell: [String] = []
    /// When a zone's ranks were told last, ms of the loop.
    var ranksToldAt: [String: UInt64] = [:]
    /// Calls that must reach Redis in the end: they are made again at the next tick when it was away.
    var owed: [(function: String, arguments: [RedisArgument])] = []
    /// Sessions that must catch up after a loss of the subscription.
    var toCatchUp: [Session] = []
    var catchingUp = 0
    /// Shared event channels with readers here.
    let topics = TopicTable()

    /// Lines and buses.
    var catalog = CatalogShelf()
    /// The version that is being read, if one is.
    var catalogBeingRead: CatalogReading?
    /// It could not be read; tried again within a second.
    var isCatalogDue = false
    /// The time zone of the catalog, by its name.
    var zoneTime: (name: String, time: CityTime) = ("UTC", .utc)
    /// The clocks that people's quiet hours go by, by the names of their time zones, and when the functions are told of them
    /// next, ms of the loop.
    var clocks: [String: CityTime] = [:]
    var clocksDueAt: UInt64 = 0
    /// A year of a big city's statistics takes some ten MB: one at a time.
    var areStatisticsBeingRead = false
    /// Bus drivers that are connected here, by subject.
    var buses: [String: BusTrack] = [:]
    /// What finished tours taught, by line; read when a bus here takes up a tour on it.
    var knowledge: [String: LineKnowledge] = [:]
    var linesBeingRead: Set<String> = []
    /// Lines with readers here, by channel.
    var lines: [String: LineBoard] = [:]

    /// GTFS-Realtime; nil until Redis had it first.
    var realtime: RealtimeShelf?
    var isRealtimeBeingRead = false

    /// What is shown of vehicles, as far as somebody watches it here.
    let board: FeedBoard
    /// All feeds by the slice in which they are told.
    var feeds = [[Feed]](repeating: [], count: Worker.slicesPerTick)
    /// Feeds whose snapshot is due: told in the next slice, whatever theirs is.
    var freshFeeds: [Feed] = []
    /// Those of the present slice.
    var tellingFresh: [Feed] = []
    /// Slices told so far, how far the present one has come, and those that have come due meanwhile.
    var slicesTold = 0
    var nextFeed = 0
    var isTelling = false
    var slicesDue = 0
    var followed: [FeedSource: Following] = [:]
    /// What the names of feeds' channels in Redis begin with, and the names of two others.
    let feedPrefix: [UInt8]
    let queuesChannel: [UInt8]
    let catalogChannel: [UInt8]
    /// The ways that vehicles go, while somebody watches with a destination: as they were announced, in an index that was made
    /// with this version of the catalog.
    var announced: [String: String] = [:]
    var pathIndex: PathIndex?
    /// How many ways the index had that was closed last.
    var waysLast = 0
    var pathIndexVersion = ""
    /// The patterns of routes that somebody here goes or asks for, of this version of the catalog.
    var routePatternsKnown: [String: [RoutePattern]] = [:]
    var coursesVersion = ""
    /// When Redis was told last which single vehicles are watched, ms of the loop.
    var vehiclesWatchedAt: UInt64 = 0

    /// `name` is unique among all workers that ever were: its sessions and heartbeat go by it.
    /// `number`: which of the hub's workers it is, from 1.
    public init(name: String, number: Int, settings: Settings, loop: EventLoop) throws {
        self.name = name
        self.settings = settings
        self.loop = loop
        keys = Keys(city: settings.city.id)
        log = HubLog.logger("worker", settings.log)
        log[metadataKey: "worker"] = "\(name)"
        clock = HubClock(scale: settings.clock.scale)
        verifier = try TokenVerifier(settings)
        server = try WebSocketServer(
            loop: loop, limits: Self.limits(settings), subprotocols: ["kerbside.v1.json", ProtobufWire.subprotocol],
            allowedOrigins: settings.server.allowedOrigins, tls: Self.tls(settings), path: "/v1/connect",
            addresses: AddressCounts(path: WorkerFiles.addresses(settings.data.dir), row: number - 1))
        let endpoint = try EnginePlan(settings).endpoint
        let limits = RedisLimits(settings)
        commands = RedisConnection(loop: loop, endpoint: endpoint, limits: limits)
        subscriber = RedisSubscriber(loop: loop, endpoint: endpoint, heartbeat: commands, limits: limits)
        dispatch = Dispatch(library: FunctionLibrary(sources: Dispatch.sources), connection: commands, keys: keys)
        expositions = WorkerExpositions(directory: WorkerFiles.metrics(settings.data.dir))
        slices = LoopTimer(loop)
        sweep = LoopTimer(loop)
        seconds = LoopTimer(loop)
        pace = LoopTimer(loop)
        rankPace = LoopTimer(loop)
        topicPace = LoopTimer(loop)
        feedPace = LoopTimer(loop)
        leavePace = LoopTimer(loop)
        feedPrefix = Array(keys.feed("").utf8)
        queuesChannel = Array(keys.queues.utf8)
        catalogChannel = Array(keys.catalogNews.utf8)
        board = FeedBoard(rules: Self.feedRules(settings))
    }

    /// Serves, and listens as soon as it can. Throws when the zones don't load; then the process should end.
    public func start() throws {
        zones = try CityZones.load(settings)
        wireServer()
        wireRedis()
        startTimers()
        pace.start(afterMs: 0, repeatMs: 5) { self.listenWhenReady() }
    }

    /// Takes connections once it can serve them; without Redis after a while all the same, to say what is missing.
    private func listenWhenReady() {
        guard isReady || EventLoop.wallClock() - startedAt > Self.unreadyMs else { return }
        pace.stop()
        guard !isDraining else { return }
        do {
            let port = try server.listen(host: settings.server.host, port: settings.server.port)
            log.info("listening", metadata: ["port": "\(port)", "zones": "\(zones?.zones.count ?? 0)"])
        } catch {
            log.critical("this worker can't listen and ends: \(error)")
            exit(1)
        }
    }

    /// Whether a client that connects now is served at once.
    var isReady: Bool {
        commands.isUp && subscriber.isUp && clock.isSet && zones != nil && catalog.isKnown && !isDraining
            && storeTrouble == nil && hasRoom
    }

    /// Hub time, Unix ms.
    func now() -> Int64 { clock.now(at: loop.now) }

    private func wireServer() {
        metrics.watch(
            server, sessions: { self.sessions.count }, pending: { self.commands.pendingCount }, memory: { self.memory })
        metrics.watchStore(isRefusing: { self.storeTrouble != nil }, data: settings.data.dir)
        server.onOpen = { connection, info in self.opened(connection, info) }
        server.onMessage = { connection, bytes, isText in self.receive(connection, bytes, isText) }
        server.onClose = { connection, code in self.closed(connection, code) }
        server.hasStrangers = true
        server.onHTTP = { request, answer in self.answer(request, answer) }
    }

    private func wireRedis() {
        subscriber.onMessage = { channel, payload in self.heard(channel, payload) }
        subscriber.onUp = { self.subscriptionsAreBack() }
        subscriber.onDown = { _ in self.subscriptionsAreLost() }
        commands.onUp = {
            self.log.info("connected to Redis")
            // If it died, it has lost the last positions.
            for driver in self.drivers.values where driver.isShown && !driver.isSuperseded && driver.lastFix != nil {
                self.soil(driver)
            }
            self.readCatalog()
        }
        commands.onNotServing = { self.storeRefused($0) }
        commands.onDown = { _ in self.log.warning("the command connection to Redis is lost; reconnecting") }
        commands.start()
        subscriber.start()
        subscriber.subscribe([keys.queues, keys.catalogNews])
    }

    /// SIGTERM: no new connections, the present ones are sent away over `server.drain_ms` with a time to come back at,
    /// then `finished` is called.
    public func drain(finished: @escaping @Sendable () -> Void) {
        guard !isDraining else { return }
        isDraining = true
        server.stopAccepting()
        log.notice("draining", metadata: ["connections": "\(sessions.count)"])
        let leaving = Array(sessions.values)
        let rounds = 10
        let share = (leaving.count + rounds - 1) / rounds
        var next = 0
        let interval = max(1, settings.server.drainMs / (2 * rounds))
        pace.start(afterMs: 0, repeatMs: UInt64(interval)) {
            for session in leaving[min(next, leaving.count)..<min(next + share, leaving.count)] {
                let retry = Int.random(in: 0...max(1, self.settings.server.reconnectSpreadMs))
                self.close(session, .serviceRestart, CloseCode.restartReason(retryMs: retry))
            }
            next += max(1, share)
            // A socket that is cut before the peer has answered may take the close frame with it.
            let isDone =
                next >= leaving.count && self.sessions.isEmpty && self.owed.isEmpty && self.server.socketCount == 0
            let isLate = next >= (leaving.count + rounds * max(1, share))
            guard isDone || isLate else { return }
            self.pace.close()
            self.leavePace.close()
            self.server.shutdown { finished() }
        }
    }

    static func limits(_ settings: Settings) -> ServerLimits {
        var limits = ServerLimits()
        limits.maxMessageBytes = settings.server.maxMessageBytes
        limits.maxOutboundBytes = settings.server.maxOutboundBytes
        limits.maxHeldBytes = settings.server.maxWaitingBytes
        // Nothing here takes a body: enough for a client that sends one all the same to be told so.
        limits.maxBodyBytes = 1_024
        limits.maxConnections = settings.server.maxConnections > 0 ? settings.server.maxConnections : nil
        let perAddress = settings.server.maxConnectionsPerAddress
        limits.maxConnectionsPerAddress = perAddress > 0 ? perAddress : .max
        limits.headerTimeoutMs = UInt64(settings.server.handshakeTimeoutMs)
        limits.pingEveryMs = UInt64(settings.server.pingMs)
        limits.deadAfterMs = UInt64(settings.server.deadAfterMs)
        limits.coalesceMs = UInt64(settings.feeds.coalesceMs)
        return limits
    }

    static func tls(_ settings: Settings) -> TLSFiles? {
        guard settings.server.tls.isOn else { return nil }
        return TLSFiles(certificate: settings.server.tls.certificate, key: settings.server.tls.key)
    }
}
