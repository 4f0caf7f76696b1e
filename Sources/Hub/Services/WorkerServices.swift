import EventLoop
import Logging
import RedisLink
import Settings
import Telemetry
import Tokens
import WebSocketServer
import Wire
import WireProtobuf

/// What each capability of a worker is handed. Not Sendable: used on the worker's loop.
final class WorkerServices {
    /// A tick is done in so many slices, so that positions, feeds and their sends come evenly and not in one heap.
    static let slicesPerTick = 5

    /// The worker's name: unique among all workers that ever were.
    let name: String
    let loop: EventLoop
    let keys: Keys
    let metrics = WorkerMetrics()
    let server: WebSocketServer
    /// What the server began with.
    let tickets: TicketKeys?
    let commands: RedisConnection
    let subscriber: RedisSubscriber
    let functions: RedisFunctions
    let outbox: Outbox
    let readers: ChannelReaders
    let sessions = SessionTable()
    let catalog = CityCatalog()
    let zones: ZoneLookup
    let store: RedisHealth
    private(set) var settings: Settings
    var clock: HubClock
    /// Proves tokens.
    private(set) var verifier: TokenVerifier
    /// Signs those of guests, and of who renews one.
    private(set) var issuer: TokenIssuer
    let log: Logger
    /// What the office has revoked was read to its end, once at least. Before, a token that counts no more would be taken.
    var knowsRevoked = false
    var isDraining = false
    private(set) lazy var budgets = Budgets(self)
    /// All lists that are read from Redis for somebody, whatever they list: one at a time. A hundred alarms take it 2 to 4 ms,
    /// in portions.
    let lists = SubjectTurns(most: 1, mostOfSubject: SubjectTurns.mostLists)
    /// The other workers took this one for dead.
    var takenForDead: () -> Void = {}

    init(name: String, number: Int, settings: Settings, loop: EventLoop) throws {
        self.name = name
        self.settings = settings
        self.loop = loop
        keys = Keys(city: settings.city.id)
        var log = HubLog.logger("worker", settings.log)
        log[metadataKey: "worker"] = "\(name)"
        self.log = log
        clock = HubClock(scale: settings.clock.scale)
        verifier = try TokenVerifier(settings)
        issuer = try TokenIssuer(settings)
        tickets = TicketFile.lifeS(settings).map { lifeS in
            // With keys of its own it resumes at least what it has begun itself.
            (try? TicketFile.read(settings, lifeS: lifeS)) ?? TicketKeys(lifeS: lifeS, at: TicketFile.now)
        }
        server = try WebSocketServer(
            loop: loop, limits: settings.serverLimits, subprotocols: ["kerbside.v1.json", ProtobufWire.subprotocol],
            allowedOrigins: settings.server.allowedOrigins, tls: settings.tlsFiles, tickets: tickets,
            path: "/v1/connect",
            addresses: AddressCounts(path: WorkerFiles.addresses(settings.data.dir), row: number - 1))
        let endpoint = try RedisLocation(settings).endpoint
        let limits = RedisLimits(settings)
        commands = RedisConnection(loop: loop, endpoint: endpoint, limits: limits)
        subscriber = RedisSubscriber(loop: loop, endpoint: endpoint, heartbeat: commands, limits: limits)
        functions = RedisFunctions(
            library: FunctionLibrary(RedisLibrary.code), connection: commands, keys: keys, log: log)
        outbox = Outbox(server: server, metrics: metrics)
        readers = ChannelReaders(subscriber: subscriber, keys: keys)
        zones = ZoneLookup(city: settings.city.id)
        store = RedisHealth(connection: commands, loop: loop, log: log, isEmbedded: settings.redis.isEmbedded)
        metrics.watch(
            server, sessions: { [sessions] in sessions.count }, pending: { [commands] in commands.pendingCount },
            memory: { [store] in store.memory })
        metrics.watchStore(isRefusing: { [store] in store.trouble != nil }, data: settings.data.dir)
    }

    /// Hub time, Unix ms.
    func now() -> Int64 { clock.now(at: loop.now) }

    /// What a token says that counts here and now. One that does not is counted.
    func claims(of token: String) throws(TokenError) -> TokenClaims {
        do {
            return try verifier.verify(token, nowMs: EventLoop.wallClock())
        } catch {
            metrics.tokensRefused.increment()
            if case .notItsSubject(let kid) = error {
                log.warning("a token's subject begins with the prefix of another issuer", metadata: ["kid": "\(kid)"])
            }
            throw error
        }
    }

    /// Keys and revocations were read anew. What the office has revoked stays so.
    func use(_ new: TokenVerifier, _ newIssuer: TokenIssuer) {
        verifier = new.keepingOffice(of: verifier)
        issuer = newIssuer
    }

    /// The office has revoked these, too. Answers whether one of them was not known.
    @discardableResult
    func revoke(_ more: [TokenRevocation]) -> Bool { verifier.revoke(more) }

    func apply(_ new: Settings) {
        settings = new
        server.limits = new.serverLimits
        HubLog.setLevel(new.log)
        budgets.renew()
    }
}

extension Settings {
    fileprivate var serverLimits: ServerLimits {
        var limits = ServerLimits()
        limits.maxMessageBytes = server.maxMessageBytes
        limits.maxOutboundBytes = server.maxOutboundBytes
        limits.maxHeldBytes = server.maxWaitingBytes
        // Who lets more wait for readers has the memory.
        limits.maxKeptBytes = max(limits.maxKeptBytes, server.maxWaitingBytes + limits.maxStrangersBytes)
        // Nobody knows who sends it until it is there: as long as what a stranger may say over a WebSocket.
        limits.maxBodyBytes = min(server.maxMessageBytes, CommandPrice.strangersBytes)
        limits.maxConnections = server.maxConnections > 0 ? server.maxConnections : nil
        let perAddress = server.maxConnectionsPerAddress
        limits.maxConnectionsPerAddress = perAddress > 0 ? perAddress : .max
        limits.realIPHeader = server.realIPHeader.isEmpty ? nil : server.realIPHeader.lowercased()
        limits.headerTimeoutMs = UInt64(server.handshakeTimeoutMs)
        limits.pingEveryMs = UInt64(server.pingMs)
        limits.deadAfterMs = UInt64(server.deadAfterMs)
        limits.coalesceMs = UInt64(feeds.coalesceMs)
        return limits
    }

    /// Nil: TLS is off.
    var tlsFiles: TLSFiles? {
        server.tls.isOn ? TLSFiles(certificate: server.tls.certificate, key: server.tls.key) : nil
    }
}
