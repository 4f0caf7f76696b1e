import Domain
public import EventLoop
import Glibc
import Logging
import RedisLink
public import Settings
import Tokens
import WebSocketServer
import WireProtobuf

/// One worker: the sockets of its clients on one libuv loop, and two connections to Redis. It puts the capabilities together and
/// tells them what happens; what a command, a push or a tick means, they know.
///
/// The way of a message: ``CommandRouter`` reads it and hands it to its capability; a Redis function decides (``RedisFunctions``) and
/// publishes what is to be told; ``Deliveries`` sends it to the readers that are connected here. Positions are judged here
/// (``Positions``) and leave in one batch per tick.
///
/// Everything runs on the loop: the actor's executor is that loop, and the classes below are used by nobody else. Callbacks hold the
/// worker strongly, because it lives exactly as long as its process.
public actor Worker {
    /// How long a worker waits for Redis before it listens without, ms.
    private static let unreadyMs: UInt64 = 3_000

    nonisolated let loop: EventLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    var log: Logger { services.log }
    private let services: WorkerServices
    private let clients: Sessions
    /// All of them, in the order in which they are told.
    private let capabilities: [any Capability]
    private let messageListeners: [any MessageListener]
    private let pushListeners: [any PushListener]
    private let router: CommandRouter
    private let http: HTTPRouter
    private let startedAt = EventLoop.currentTime()

    private let slices: LoopTimer
    private let seconds: LoopTimer
    private let pace: LoopTimer
    /// The number of the present slice, and when the next one is due, of the loop's time.
    private var slice = 0
    private var sliceDue: UInt64 = 0
    /// When it was logged last that a proxy names clients in a way that can't be read; nil: never.
    private var complainedAt: UInt64?
    private static let complainEveryMs: UInt64 = 300_000

    /// `name` is unique among all workers that ever were: its sessions and heartbeat go by it.
    /// `number`: which of the hub's workers it is, from 1.
    public init(name: String, number: Int, settings: Settings, loop: EventLoop) throws {
        self.loop = loop
        services = try WorkerServices(name: name, number: number, settings: settings, loop: loop)
        slices = LoopTimer(loop)
        seconds = LoopTimer(loop)
        pace = LoopTimer(loop)

        clients = Sessions(services)
        let deliveries = Deliveries(services)
        let patterns = RoutePatterns(services.catalog)
        let learning = TravelLearning(services)
        let requests = OpenRequests(services, learning)
        let followed = FollowedVehicles(services)
        let positions = Positions(services)
        let fares = TaxiFares(services, learning)
        let rides = Rides(services, positions, requests, learning, fares)
        let seatFares = SeatFares(services)
        let seats = Seats(services, positions, requests, patterns, learning, seatFares)
        let topics = Topics(services)
        let events = Events(services)
        let lines = LineBoards(services)
        let times = LineTimes(services, lines)
        let streams = Streams(services)
        let revocations = KeptRevocations(services)
        topics.readings.joined = { reading, isGap in lines.joined(reading.topic.channel, reading.session, isGap: isGap)
        }
        topics.readings.left = { channel, session in lines.left(channel, session) }
        // The one list. A capability is told before those that go by what it knows: positions before seats and rides.
        // Seats take the `offer.seen` that is theirs, and rides all that are left. Deliveries come last.
        capabilities = [
            VehicleFeeds(services, followed, patterns), clients, positions, seats, rides, rides.queues, followed,
            Walkers(services, positions, followed), learning, Tours(services, positions), lines,
            times, StopTexts(services, times, lines), Stops(services), topics, topics.readings,
            events, events.readings, Notifications(services), Broadcasts(services), Office(services),
            OfficeSessions(services, clients, revocations),
            Safety(services, topics.readings), Registry(services), SignPages(services), RecordListing(services),
            Reservations(services, fares),
            Sharing(services, learning), Trips(services, fares, seatFares, learning), Advice(services),
            Reliability(services),
            try Pushes(services),
            CatalogReader(services), ZonePage(services), Realtime(services), Statistics(services), WebPages(services),
            MapTiles(services),
            streams, StatusPages(services), ContractPage(services), Sweeps(services), TicketRenewal(services),
            deliveries,
        ]
        clients.capabilities = capabilities
        deliveries.listeners = capabilities.compactMap { $0 as? any DeliveryListener }
        messageListeners = capabilities.compactMap { $0 as? any MessageListener }
        pushListeners = capabilities.compactMap { $0 as? any PushListener }
        let router = CommandRouter(services, clients, positions, capabilities)
        self.router = router
        clients.route = { message, session in router.begin(message, session) }
        let asked = HTTPCommands(services)
        asked.receive = { decoded, readBytes, session in router.receive(decoded, readBytes: readBytes, of: session) }
        asked.buses = { line, then in lines.withBoard(of: line) { then($0?.snapshot) } }
        asked.page = { [services] json, form, request in
            TripPages.page(json, form, request, city: services.settings.city.id)
        }
        http = HTTPRouter(services, asked, SignIn(services, revocations), streams, capabilities)
        let all = capabilities
        services.takenForDead = { for capability in all { capability.takenForDead() } }
    }

    /// Serves, and listens as soon as it can. Throws when the zones don't load; then the process should end.
    public func start() throws {
        services.zones.set = try CityZones.load(services.settings)
        wireServer()
        wireRedis()
        startTicks()
        seconds.start(afterMs: 1000, repeatMs: 1000) { self.tell { $0.second() } }
        pace.start(afterMs: 0, repeatMs: 5) { self.listenWhenReady() }
        if let fault = services.server.certificateValidity?.fault(at: EventLoop.wallClock() / 1000) {
            log.error("served all the same: the TLS certificate \(fault)")
        }
    }

    private func tell(_ body: (any Capability) -> Void) {
        for capability in capabilities { body(capability) }
    }

    /// Takes connections once it can serve them; without Redis after a while all the same, to say what is missing.
    private func listenWhenReady() {
        guard services.missing.isEmpty || EventLoop.currentTime() - startedAt > Self.unreadyMs else { return }
        pace.stop()
        guard !services.isDraining else { return }
        do {
            let server = services.settings.server
            let port = try services.server.listen(host: server.host, port: server.port)
            let zones = services.zones.set?.zones.count ?? 0
            services.log.info("listening", metadata: ["port": "\(port)", "zones": "\(zones)"])
        } catch {
            services.log.critical("this worker can't listen and ends: \(error)")
            exit(1)
        }
    }

    private func wireServer() {
        let server = services.server
        server.onOpen = { connection, info in self.clients.opened(connection, info) }
        server.onMessage = { connection, bytes, isText in self.router.receive(connection, bytes, isText) }
        server.onClose = { connection, code, silentMs in self.clients.closed(connection, code, silentMs: silentMs) }
        server.onHTTP = { request, answer in self.http.answer(request, answer) }
        server.onUnreadableClient = { named in self.complain(ofClient: named) }
        server.hasStrangers = true
    }

    /// Once in five minutes, however many come.
    private func complain(ofClient named: String) {
        if let complainedAt, loop.now - complainedAt < Self.complainEveryMs { return }
        complainedAt = loop.now
        log.warning(
            "server.real_ip_header: what the proxy names is no address; all whom it names so share the limits of one client",
            metadata: ["named": "\(named.prefix(60))"])
    }

    private func wireRedis() {
        let (commands, subscriber) = (services.commands, services.subscriber)
        subscriber.onMessage = { channel, payload in self.received(channel, payload) }
        subscriber.onUp = { self.tell { $0.subscriptionBack() } }
        subscriber.onDown = { _ in self.tell { $0.subscriptionLost() } }
        commands.onUp = {
            self.services.log.info("connected to Redis")
            self.tell { $0.redisIsUp() }
        }
        commands.onDown = { why in
            self.services.log.warning(
                "the command connection to Redis is lost; reconnecting", metadata: ["reason": "\(why)"])
        }
        commands.start()
        subscriber.start()
        subscriber.subscribe([services.keys.catalogNews, services.keys.said(to: services.name)])
        services.readers.whenSubscribed(Channel.queues) {}
    }

    /// A message of a subscribed Redis channel: a capability's own, or a push on a hub channel.
    private func received(_ channel: UnsafeRawBufferPointer, _ payload: UnsafeRawBufferPointer) {
        guard !messageListeners.contains(where: { $0.onMessage(channel, payload) }) else { return }
        Push.each(in: payload) { push in _ = pushListeners.contains { $0.onPublish(push) } }
    }

    // MARK: time

    /// Positions wait for the next slice, not for the tick; each feed is told once a tick, in a slice of its own.
    private func startTicks() {
        sliceDue = loop.now
        awaitSlice()
    }

    /// The next slice by the clock: one that comes late does not make the tick longer, as vehicles that send once a tick would
    /// be a little later each time. A worker that is late by a slice leaves it at that: to catch up would take what it lacks.
    private func awaitSlice() {
        let interval = UInt64(max(1, services.settings.positions.tickMs / WorkerServices.slicesPerTick))
        if sliceDue + interval < loop.now { sliceDue = loop.now }
        sliceDue += interval
        slices.start(afterMs: sliceDue > loop.now ? sliceDue - loop.now : 0) {
            self.awaitSlice()
            self.onSlice()
        }
    }

    private func onSlice() {
        slice += 1
        let number = slice
        tell { $0.slice(number) }
        guard number % WorkerServices.slicesPerTick == 0 else { return }
        services.functions.retryPendingCalls()
        tell { $0.tick() }
    }

    // MARK: reload and end

    /// SIGHUP: zones, limits, keys and certificates, without dropping a connection that may stay. `zones` are those of the new
    /// settings. The supervisor has tried everything before; where it throws all the same everything is as it was.
    func reload(_ new: Settings, zones: ZoneSet) throws {
        let verifier = try TokenVerifier(new)
        let issuer = try TokenIssuer(new)
        if services.server.hasTLS { try services.server.reloadCertificate() }
        services.zones.set = zones
        services.apply(new)
        tell { $0.settingsChanged() }
        startTicks()
        let old = services.verifier
        services.use(verifier, issuer)
        clients.sendAwayUnaccepted(provedBy: old)
        services.log.info(
            "settings reloaded", metadata: ["zones": "\(services.zones.set?.zones.count ?? 0)"])
    }

    /// SIGTERM: no new connections, the present ones are sent away over `server.drain_ms` with a time to come back at,
    /// then `finished` is called.
    public func drain(finished: @escaping @Sendable () -> Void) {
        guard !services.isDraining else { return }
        services.isDraining = true
        services.server.stopAccepting()
        pace.stop()
        clients.drain {
            self.services.server.shutdown {
                self.tell { $0.ends() }
                finished()
            }
        }
    }
}
