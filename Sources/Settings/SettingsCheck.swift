extension Settings {
    /// Values that are right each by itself but not together.
    func contradictions(sources: [String: String] = [:]) -> [SettingsProblem] {
        var problems: [SettingsProblem] = []
        /// The problem is reported where one of the settings involved was set, the first one named if several were.
        func require(_ isRight: Bool, _ keys: [String], _ text: @autoclosure () -> String) {
            guard !isRight else { return }
            let place = keys.lazy.compactMap { sources[$0] }.first ?? ""
            problems.append(.init(place: place, text: text()))
        }

        require(
            server.tls.certificate.isEmpty == server.tls.key.isEmpty, ["server.tls.certificate", "server.tls.key"],
            "server.tls.certificate and server.tls.key belong together; set both, or neither for plain text")
        require(
            isLoopback || server.tls.isOn, ["server.host"],
            """
            server.host \(server.host) can be reached from other machines, and then TLS is required: set \
            server.tls.certificate and server.tls.key, or listen on 127.0.0.1 behind a proxy that speaks TLS
            """)
        require(
            isLoopback || clock.scale == 1, ["clock.scale"],
            "clock.scale \(clock.scale) is for replays, with a loopback server.host only; leave it out")
        require(
            isLoopback || clock.start.isEmpty, ["clock.start"],
            "clock.start \(clock.start) is for replays, with a loopback server.host only; leave it out")

        require(
            server.deadAfterMs > server.pingMs, ["server.dead_after_ms", "server.ping_ms"],
            "server.dead_after_ms (\(server.deadAfterMs)) must be more than server.ping_ms (\(server.pingMs))")
        require(
            server.offerDeadAfterMs > server.offerPingMs, ["server.offer_dead_after_ms", "server.offer_ping_ms"],
            """
            server.offer_dead_after_ms (\(server.offerDeadAfterMs)) must be more than server.offer_ping_ms \
            (\(server.offerPingMs))
            """)
        require(
            server.maxOutboundBytes >= server.maxMessageBytes,
            ["server.max_outbound_bytes", "server.max_message_bytes"],
            """
            server.max_outbound_bytes (\(server.maxOutboundBytes)) must be at least server.max_message_bytes \
            (\(server.maxMessageBytes))
            """)
        require(
            server.maxWaitingBytes >= server.maxOutboundBytes,
            ["server.max_waiting_bytes", "server.max_outbound_bytes"],
            """
            server.max_waiting_bytes (\(server.maxWaitingBytes)) must be at least server.max_outbound_bytes \
            (\(server.maxOutboundBytes)): it is for all clients of a worker
            """)
        require(
            server.commandsBurst >= server.commandsPerSecond, ["server.commands_burst", "server.commands_per_second"],
            """
            server.commands_burst (\(server.commandsBurst)) must be at least server.commands_per_second \
            (\(server.commandsPerSecond))
            """)
        require(
            reservations.maxAheadH * 60 > reservations.minAheadMin,
            ["reservations.max_ahead_h", "reservations.min_ahead_min"],
            """
            reservations.max_ahead_h (\(reservations.maxAheadH)) must be more than reservations.min_ahead_min \
            (\(reservations.minAheadMin))
            """)
        require(
            dispatch.nearM > dispatch.arrivedM, ["dispatch.near_m", "dispatch.arrived_m"],
            "dispatch.near_m (\(dispatch.nearM)) must be more than dispatch.arrived_m (\(dispatch.arrivedM))")
        require(
            dispatch.searchTimeoutMs >= dispatch.offerTimeoutMs,
            ["dispatch.search_timeout_ms", "dispatch.offer_timeout_ms"],
            """
            dispatch.search_timeout_ms (\(dispatch.searchTimeoutMs)) must be at least dispatch.offer_timeout_ms \
            (\(dispatch.offerTimeoutMs)): no driver could answer in time
            """)
        require(
            eta.longM > eta.shortM, ["eta.long_m", "eta.short_m"],
            "eta.long_m (\(eta.longM)) must be more than eta.short_m (\(eta.shortM))")
        require(
            positions.mapAccuracyM >= positions.fenceAccuracyM,
            ["positions.map_accuracy_m", "positions.fence_accuracy_m"],
            """
            positions.map_accuracy_m (\(positions.mapAccuracyM)) must be at least positions.fence_accuracy_m \
            (\(positions.fenceAccuracyM)): a fix that moves a fence can be shown
            """)
        require(
            feeds.goneAfterMs > feeds.staleAfterMs, ["feeds.gone_after_ms", "feeds.stale_after_ms"],
            "feeds.gone_after_ms (\(feeds.goneAfterMs)) must be more than feeds.stale_after_ms (\(feeds.staleAfterMs))")
        require(
            stops.nearM > stops.arrivedM, ["stops.near_m", "stops.arrived_m"],
            "stops.near_m (\(stops.nearM)) must be more than stops.arrived_m (\(stops.arrivedM))")
        require(
            stops.answerMs > stops.remindDriverMs, ["stops.answer_ms", "stops.remind_driver_ms"],
            """
            stops.answer_ms (\(stops.answerMs)) must be more than stops.remind_driver_ms (\(stops.remindDriverMs)): a \
            request that has lapsed needs no reminder
            """)
        require(
            stops.hours.isEmpty || stops.openHours != nil, ["stops.hours"],
            "stops.hours \(stops.hours) is no pair of times of day: write it as 06:00-22:00, or leave it empty")
        require(
            fares.nightHours.isEmpty || fares.nightRange != nil, ["fares.night_hours"],
            "fares.night_hours \(fares.nightHours) is no pair of times of day: write it as 22:00-06:00, or leave it empty"
        )
        require(
            pages.rasterTiles.isEmpty || !pages.mapAttribution.isEmpty, ["pages.raster_tiles"],
            "pages.raster_tiles needs pages.map_attribution: whose tiles they are is to be said on the map")
        for overlap in tokens.overlaps { require(false, ["tokens.public_keys"], overlap) }
        return problems
    }

    /// Whether a Redis of another machine is reached in clear text, and nothing says that it may be.
    public var exposedRedis: SettingsProblem? {
        guard let host = RedisURL.host(redis.url), !Host.isLoopback(host), !redis.allowPlain else { return nil }
        return .init(
            place: "redis.url",
            text: """
                \(host) is another machine, and redis:// crosses the network in clear text, password and positions: \
                use a unix socket, or a TLS tunnel such as stunnel on 127.0.0.1; or set redis.allow_plain where the \
                network itself is encrypted (WireGuard, a VPN)
                """)
    }
}
