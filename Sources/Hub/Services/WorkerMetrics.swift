import Glibc
import Telemetry
import WebSocketServer
import Wire

/// What a worker counts. One thread; names and units as Prometheus has them.
final class WorkerMetrics {
    let registry = Metrics()
    let messages: Counter
    let positions: Counter
    let positionsIgnored: Counter
    let requests: Counter
    let accepts: Counter
    let events: Counter
    let pushes: Counter
    let alerts: Counter
    let rankMoves: Counter
    let advicePushes: Counter
    let tokensRefused: Counter
    let feedRecords: Counter
    let feedMessages: Counter
    let feedsConflated: Counter
    private let commandSeconds: Histogram
    private var errors: [ErrorCode: Counter] = [:]
    private var closes: [UInt16: Counter] = [:]
    private let otherCloses: Counter
    /// How many are open in the city, and how many of them nobody has acknowledged, as the last sweep found them.
    var alarms: (open: Int64, ringing: Int64) = (0, 0)
    /// How many drivers who wait first are passed over again and again, as it found them.
    var starving: Int64 = 0

    init() {
        let registry = registry
        messages = registry.counter("kerbside_messages_received_total", "Messages received from clients.")
        positions = registry.counter("kerbside_positions_received_total", "Positions received from vehicles.")
        positionsIgnored = registry.counter(
            "kerbside_positions_ignored_total", "Positions that were late, doubled, doubtful or refused.")
        requests = registry.counter("kerbside_ride_requests_total", "Ride requests handed to dispatch.")
        accepts = registry.counter("kerbside_offer_accepts_total", "Acceptances handed to dispatch.")
        events = registry.counter("kerbside_events_sent_total", "Events sent to clients.")
        pushes = registry.counter("kerbside_pushes_received_total", "Pushes from Redis with a reader on this worker.")
        alerts = registry.counter("kerbside_proximity_alerts_total", "Rungs of proximity ladders reached.")
        rankMoves = registry.counter("kerbside_queue_rank_changes_total", "Changes of rank told to drivers.")
        advicePushes = registry.counter(
            "kerbside_advice_pushes_total", "Drivers told unasked where to wait (advice.wait).")
        tokensRefused = registry.counter("kerbside_tokens_refused_total", "Tokens that were not accepted.")
        feedRecords = registry.counter("kerbside_feed_records_total", "Changes of vehicles heard for feeds.")
        feedMessages = registry.counter("kerbside_feed_messages_total", "Messages of feeds sent to watchers.")
        feedsConflated = registry.counter(
            "kerbside_feeds_conflated_total", "Messages of feeds not made because their reader was behind.")
        commandSeconds = registry.histogram(
            "kerbside_command_duration_seconds", "From a command's receipt to its function's answer.")
        for code in ErrorCode.allCases {
            errors[code] = registry.counter(
                "kerbside_commands_refused_total", "Commands answered with an error.", labels: ["code": code.rawValue])
        }
        for code in CloseCode.allCases {
            closes[code.rawValue] = registry.counter(
                "kerbside_connections_closed_total", "Connections closed.", labels: ["code": String(code.rawValue)])
        }
        otherCloses = registry.counter(
            "kerbside_connections_closed_total", "Connections closed.", labels: ["code": "other"])
        registry.addProcessMetrics()
        registry.gauge("kerbside_sos_open", "Alarms of the city that no operator has closed; each worker says all.") {
            [unowned self] in Double(alarms.open)
        }
        registry.gauge("kerbside_sos_ringing", "Those of them that no operator has acknowledged.") {
            [unowned self] in Double(alarms.ringing)
        }
        registry.gauge(
            "kerbside_queue_starving", "Drivers who wait first and were passed over five times; each worker says all."
        ) { [unowned self] in Double(starving) }
    }

    /// What the server and the links count themselves, read when somebody asks.
    func watch(
        _ server: WebSocketServer, sessions: @escaping () -> Int, pending: @escaping () -> Int,
        memory: @escaping () -> RedisMemory?
    ) {
        registry.gauge("kerbside_redis_memory_bytes", "Memory that Redis uses.") { memory()?.used ?? 0 }
        registry.gauge("kerbside_redis_memory_limit_bytes", "Memory that Redis may use; 0: no limit.") {
            memory()?.limit ?? 0
        }
        registry.gauge("kerbside_connections", "Open WebSocket connections.") { [unowned server] in
            Double(server.connectionCount)
        }
        registry.counter("kerbside_connections_opened_total", "WebSocket connections opened.") { [unowned server] in
            Double(server.counters.opened)
        }
        registry.counter(
            "kerbside_tls_resumed_total", "WebSocket connections opened on a TLS session that was resumed by a ticket."
        ) { [unowned server] in Double(server.counters.resumedTLS) }
        if server.hasTLS {
            registry.gauge(
                "kerbside_tls_certificate_expires_timestamp_seconds",
                "When the TLS certificate of new connections ends, Unix time."
            ) { [unowned server] in server.certificateValidity.map { Double($0.until) } ?? .nan }
        }
        registry.gauge("kerbside_sessions", "Connections that have identified themselves or still may.") {
            Double(sessions())
        }
        registry.gauge("kerbside_outbound_queue_bytes", "Bytes that wait for slow clients.") { [unowned server] in
            Double(server.bytesQueued)
        }
        registry.gauge("kerbside_outbound_memory_bytes", "Memory of what waits; what many wait for counts once.") {
            [unowned server] in Double(server.bytesHeld)
        }
        registry.counter("kerbside_http_answers_cut_total", "HTTP answers whose reader was too slow.") {
            [unowned server] in Double(server.counters.timedOutAnswer)
        }
        registry.counter("kerbside_http_answers_refused_total", "Large HTTP answers refused because too much waited.") {
            [unowned server] in Double(server.counters.refusedFull)
        }
        registry.counter(
            "kerbside_address_refused_total", "Connections refused because their address has too many."
        ) { [unowned server] in Double(server.counters.refusedAddressLimit) }
        registry.counter(
            "kerbside_crumbling_connections_total",
            "Times a connection was held back, as its subject sent in so many small pieces."
        ) { [unowned server] in Double(server.counters.heldBack) }
        registry.gauge("kerbside_redis_pending_commands", "Commands that wait for Redis.") { Double(pending()) }
        registry.counter("kerbside_sent_bytes_total", "Bytes sent to clients.") { [unowned server] in
            Double(server.counters.bytesOut)
        }
        registry.counter("kerbside_received_bytes_total", "Bytes received from clients.") { [unowned server] in
            Double(server.counters.bytesIn)
        }
        registry.counter("kerbside_sent_frames_total", "Frames sent to clients.") { [unowned server] in
            Double(server.counters.framesOut)
        }
        registry.counter("kerbside_socket_writes_total", "Writes to sockets; frames per write is the coalescing.") {
            [unowned server] in Double(server.counters.writes)
        }
    }

    /// The store: whether it takes writes, and the space that is left for the data directory.
    func watchStore(isRefusing: @escaping () -> Bool, data directory: String) {
        registry.gauge("kerbside_redis_refuses_writes", "1 while Redis takes no writes: its disk or memory is full.") {
            isRefusing() ? 1 : 0
        }
        registry.gauge("kerbside_data_free_bytes", "Free space where the data directory is.") {
            var info = statvfs()
            guard statvfs(directory, &info) == 0 else { return .nan }
            return Double(info.f_bavail) * Double(info.f_frsize)
        }
    }

    func refused(_ code: ErrorCode) { errors[code]?.increment() }

    func closed(_ code: UInt16) { (closes[code] ?? otherCloses).increment() }

    func commandTook(milliseconds: UInt64) { commandSeconds.observe(milliseconds: Int64(milliseconds)) }
}
