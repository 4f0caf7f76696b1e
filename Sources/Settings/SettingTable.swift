extension Settings {
    /// All settings in the order in which they are printed. Loading, checking, environment names, `print-config` and
    /// `config/kerbside.yaml` all come from here.
    public static let table: [Setting] =
        serverTable + cityTable + storeTable + recordsTable + dispatchTable + etaTable + positionTable + feedTable
        + vehicleTable + tourTable + stopTable + reservationTable + fareTable + tripTable + adviceTable
        + reliabilityTable + statisticsTable + safetyTable + driverTable + pageTable + pushTable + tokenTable
        + runTable

    /// The row of a dotted key.
    public static func setting(_ key: String) -> Setting? {
        table.first { $0.key == key }
    }

    private static let serverTable: [Setting] = [
        .text(
            "server.host", \.server.host, .host, .atRestart,
            """
            Address or host name to listen on. Anything but loopback (127.0.0.0/8, ::1, localhost) needs TLS: tokens and \
            positions of people must not cross a network in clear text.
            """),
        .integer("server.port", \.server.port, 0...65_535, .atRestart, "TCP port. 0 lets the system choose one."),
        .integer(
            "server.workers", \.server.workers, 0...256, .atRestart,
            "Worker processes; each is one thread. 0 is one per core."),
        .list(
            "server.allowed_origins", \.server.allowedOrigins, .origin, .atRestart,
            """
            Web pages that may connect, as "https://host" or "https://host:port"; "*" allows all. Programs that are no \
            browsers send no Origin and are not held up. A page served by this hub itself is always allowed.
            """),
        .text(
            "server.tls.certificate", \.server.tls.certificate, .file, .atRestart,
            """
            PEM file with the certificate and its chain; TLS 1.3 is spoken, and of 1.2 the suites with ECDHE and AES-GCM or \
            ChaCha20. Empty is plain text. At SIGHUP the file is read again: new connections use it, old ones stay.
            """),
        .text(
            "server.tls.key", \.server.tls.key, .file, .atRestart,
            """
            PEM file with the private key of the certificate, without a passphrase. Refused when others than its owner and \
            group may read or write it; said when the group may. Read again at SIGHUP.
            """),
        .integer(
            "server.tls.resume_s", \.server.tls.resumeS, 0...604_800, .atRestart,
            """
            How long a client may resume its TLS session by a ticket. The keys of tickets change twelve times in it. \
            Connections of TLS 1.2 that were recorded can be read by who gets a key before it is forgotten. 0: none may.
            """),
        .integer(
            "server.max_connections", \.server.maxConnections, 0...1_000_000, .atReload,
            """
            Connections per worker. For one more the silent one leaves that came first of those that have not said who they \
            are, or one of these and of the guests: of the network that has the most, or a guest that is idle. If there is \
            none, it is refused before it costs anything. 0 takes what the limit of open files allows; more than that no \
            worker takes.
            """),
        .integer(
            "server.max_connections_per_address", \.server.maxConnectionsPerAddress, 0...1_000_000, .atReload,
            """
            Connections of one remote address (IPv6: of one /64, twice as many of one /56, four times of one /48) to all \
            workers of this hub together, so that one machine can't take all; hubs on other machines count for themselves. \
            Mobile networks put many phones behind one address, hence not a handful. Under TLS each worker begins as many \
            handshakes of an address in 10 s, half of them at once; others wait. Each worker keeps half of its even \
            part for who comes to it. 0 is no limit: what a hub behind a proxy of its own machine needs, where all clients \
            come from one address.
            """),
        .text(
            "server.real_ip_header", \.server.realIPHeader, .headerName, .atReload,
            """
            Header by which a proxy on this machine says for whom it asks, such as X-Forwarded-For; of several addresses the \
            last counts, with a port or without. So guests, invitations and signs are limited by the networks of those who \
            ask, and not all together. Those whose address can't be read share the limits of one, and the log says so. \
            Only for a proxy that sets it itself; from other machines it is not believed. Empty is none.
            """),
        .integer(
            "server.max_connections_per_subject", \.server.maxConnectionsPerSubject, 0...100_000, .atRestart,
            """
            Connections of one driver, bus driver or passenger to all workers. With one too many the oldest is closed with \
            4409: a phone that comes back over a new network must get in. 0 is no limit.
            """),
        .integer(
            "server.max_connections_per_service", \.server.maxConnectionsPerService, 0...100_000, .atReload,
            """
            Connections of one operator or service to each worker: what its events and vehicles cost is sent over each of \
            them. One too many is refused and closed with 1013. 0 is no limit.
            """),
        .integer(
            "server.max_message_bytes", \.server.maxMessageBytes, 1_024...16_777_216, .atReload,
            "Largest message taken from a client. A larger one closes the connection with 1009. Commands are below 1 KiB."
        ),
        .integer(
            "server.max_outbound_bytes", \.server.maxOutboundBytes, 65_536...1_073_741_824, .atReload,
            """
            Most bytes waiting for one client that reads too slowly; beyond it the connection is closed with 4420, and \
            the client resumes. Bounds the worker's memory.
            """),
        .integer(
            "server.max_waiting_bytes", \.server.maxWaitingBytes, 1_048_576...17_179_869_184, .atReload,
            """
            Most memory of one worker for all that waits for clients, over HTTP too; what many wait for counts once. Beyond \
            it large HTTP answers are refused with 503, and the clients that have taken nothing for the longest are closed \
            (4420) and resume.
            """),
        .integer(
            "server.handshake_timeout_ms", \.server.handshakeTimeoutMs, 100...600_000, .atReload,
            "From accepting a connection to its finished upgrade, TLS included."),
        .integer(
            "server.hello_timeout_ms", \.server.helloTimeoutMs, 100...600_000, .atReload,
            "From the upgrade to an accepted hello; then the connection is closed with 4408."),
        .integer(
            "server.ping_ms", \.server.pingMs, 100...3_600_000, .atReload,
            "Between pings. Short enough to keep a mobile network's mapping alive, which lasts 30 s or more."),
        .integer(
            "server.dead_after_ms", \.server.deadAfterMs, 200...7_200_000, .atReload,
            "A connection without a sign of life for this time is given up. Three pings, so that two may be lost."
        ),
        .integer(
            "server.offer_ping_ms", \.server.offerPingMs, 100...600_000, .atReload,
            "Between pings of a driver with an open offer: a dead link must be known before the offer runs out."),
        .integer(
            "server.offer_dead_after_ms", \.server.offerDeadAfterMs, 200...600_000, .atReload,
            "A driver's connection with an open offer and without a sign of life for this time is given up."),
        .integer(
            "server.commands_per_second", \.server.commandsPerSecond, 1...1_000_000, .atReload,
            """
            Commands a second of one subject at a worker, lasting; positions count. All its connections share it. What costs \
            the hub more counts more than once, as a request (5) or a circle to watch (1 per 20 new cells; of operators and \
            services 1 per 4). More are answered with rate_limited, which says when to try again.
            """),
        .integer(
            "server.commands_burst", \.server.commandsBurst, 1...1_000_000, .atReload,
            "Commands at once of one subject; an app that comes back sends what it kept in one go."),
        .integer(
            "server.service_commands_per_second", \.server.serviceCommandsPerSecond, 1...1_000_000, .atReload,
            "Commands a second, and at once, of an operator or a service, which speaks for many."),
        .integer(
            "server.drain_ms", \.server.drainMs, 0...600_000, .atReload,
            "Time over which clients are sent away (close 1012) at SIGTERM. Paced, so that the rest isn't run over."),
        .integer(
            "server.reconnect_spread_ms", \.server.reconnectSpreadMs, 0...600_000, .atReload,
            "Clients that are sent away are told to come back at a random moment within this time."),
    ]

    private static let cityTable: [Setting] = [
        .text(
            "city.id", \.city.id, .cityID, .atRestart,
            "The city that this hub serves: stands in every Redis key, and a token of another city is refused."),
        .text(
            "zones.file", \.zones.file, .file, .atReload,
            """
            Zones as GeoJSON polygons; "kerbside zones check FILE" tells what is wrong with one. Empty takes the example \
            city that comes with the hub (config/zones-example.geojson).
            """),
        .text(
            "zones.id_property", \.zones.idProperty, .any, .atReload,
            "Property of a feature that holds the zone's id. Empty takes the feature's own id."),
        .flag(
            "zones.repair", \.zones.repair, .atReload,
            """
            Whether broken rings and overlaps are repaired, and said so. Off, they are refused: a zone that is not what \
            was drawn moves drivers between queues.
            """),
        .number(
            "zones.margin_m", \.zones.marginM, 0...1_000, .atReload,
            "How far outside the outer border a point still belongs to the nearest zone, metres."),
    ]

    private static let storeTable: [Setting] = [
        .text(
            "redis.url", \.redis.url, .redisURL, .atRestart,
            """
            The Redis that all workers share: "redis://user:password@host:port/db" or "unix:///path?db=0", version 7.0 \
            or later, persistence on, eviction off. Empty starts a private one in the data directory.
            """),
        .flag(
            "redis.allow_plain", \.redis.allowPlain, .atRestart,
            """
            Whether redis:// may lead to another machine. Passwords, positions and rides then cross the network in clear \
            text, and who can write there is the hub: only where the network itself is encrypted (WireGuard, a VPN). \
            Better a unix socket, or a TLS tunnel such as stunnel on 127.0.0.1.
            """),
        .text(
            "redis.server", \.redis.server, .nonEmpty, .atRestart,
            "Program that the private Redis is started from, by name or path."),
        .choice(
            "redis.fsync", \.redis.fsync, .atRestart,
            """
            When the private Redis writes its log through to disk. everysec: a power cut costs at most the last second, \
            and a Redis that is killed just while it writes through may lose what it answered in those milliseconds. \
            always: nothing, at the price of a disk write before each answer.
            """),
        .integer(
            "redis.command_timeout_ms", \.redis.commandTimeoutMs, 50...60_000, .atRestart,
            "A command without an answer fails after this time, and what asked for it is told \"unavailable\"."),
        .integer(
            "redis.max_pending", \.redis.maxPending, 100...1_000_000, .atRestart,
            "Commands in flight per worker; more fail at once instead of filling memory while Redis is slow."),
        .integer(
            "redis.history_length", \.redis.historyLength, 10...1_000_000, .atReload,
            "Events kept per channel. A client that missed more is told so (gap) and gets a snapshot."),
        .integer(
            "redis.history_ttl_s", \.redis.historyTtlS, 60...31_536_000, .atReload,
            "A channel's history is dropped this long after its last event."),
        .integer(
            "redis.max_topics_per_subject", \.redis.maxTopicsPerSubject, 1...20_000, .atReload,
            """
            Topics in which the events of one operator or service are kept; in more of them publish is refused \
            (rate_limited) until redis.history_ttl_s after it has published last in one of these. A service with a topic \
            for each ride needs as many as there are rides in that time, of 4.5 KB each.
            """),
        .integer(
            "redis.max_topic_mb_per_subject", \.redis.maxTopicMbPerSubject, 1...1_048_576, .atReload,
            """
            What the kept events of one operator or service may take in all topics, MiB; beyond it publish is refused \
            likewise, so that none fills Redis for all. 1000 events (redis.history_length) of 300 bytes are 0.4.
            """),
        .integer(
            "redis.events_length", \.redis.eventsLength, 1_000...1_000_000_000, .atReload,
            "Events kept in the city's log, for extension services and checks. A ride makes about ten, at 300 bytes."),
        .integer(
            "redis.kept_days", \.redis.keptDays, 1...3_650, .atRestart,
            "Days after which events leave the log and the histories, however few they are: they tell where people were."
        ),
        .integer(
            "redis.max_memory_mb", \.redis.maxMemoryMb, 0...16_777_216, .atRestart,
            """
            Memory of the private Redis in MiB; 0 is half of the machine's. At 75 and 90 % there is a warning in the log; \
            full, it refuses commands (unavailable) until there is room. Of another Redis its own maxmemory counts.
            """),
        .text(
            "data.dir", \.data.dir, .nonEmpty, .atRestart,
            """
            Directory of the private Redis, its socket and the token secret. Relative to where the hub is started. Made \
            when missing.
            """),
    ]
}
