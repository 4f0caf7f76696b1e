extension Settings {
    static let dispatchTable: [Setting] = [
        .integer(
            "dispatch.offer_timeout_ms", \.dispatch.offerTimeoutMs, 100...600_000, .atReload,
            "From offer.seen to the end of an offer. No answer counts as a decline."),
        .integer(
            "dispatch.offer_seen_timeout_ms", \.dispatch.offerSeenTimeoutMs, 100...60_000, .atReload,
            """
            From sending an offer to offer.seen, which the app sends by itself. Without it the offer counts as \
            undelivered: the driver keeps the place and the next one is asked.
            """),
        .integer(
            "dispatch.accept_grace_ms", \.dispatch.acceptGraceMs, 0...10_000, .atReload,
            "An answer that arrives this late still counts, for the time it spent in the network."),
        .integer(
            "dispatch.rounds", \.dispatch.rounds, 1...20, .atReload,
            "Times the whole queue is asked before the passenger is told that nobody took the request."),
        .integer(
            "dispatch.round_pause_ms", \.dispatch.roundPauseMs, 0...600_000, .atReload,
            """
            Pause between two rounds: a driver alone in the queue is not asked at once for what it has just declined. Who \
            comes meanwhile is asked.
            """),
        .integer(
            "dispatch.max_passengers", \.dispatch.maxPassengers, 1...99, .atReload, "Passengers of one request."),
        .integer(
            "dispatch.search_timeout_ms", \.dispatch.searchTimeoutMs, 1_000...86_400_000, .atReload,
            "A request that found no driver for this time has failed, whatever round it is in."),
        .integer(
            "dispatch.neighbours", \.dispatch.neighbours, 0...3, .atReload,
            """
            When nobody who waits in the zone of a request takes it, drivers of the zones around are asked, nearest first: so \
            many rings of zones. 0: none but its own.
            """),
        .integer(
            "dispatch.look_again_ms", \.dispatch.lookAgainMs, 1_000...600_000, .atReload,
            "A request for which nobody is there looks through the zones around again after this time."),
        .integer(
            "dispatch.wait_ms", \.dispatch.waitMs, 0...86_400_000, .atReload,
            """
            How long a passenger waits at most who asks with `wait`: the request does not fail before for want of a taxi. 0: \
            nobody can ask so.
            """),
        .integer(
            "dispatch.away_grace_ms", \.dispatch.awayGraceMs, 0...86_400_000, .atReload,
            "A driver whose connection is gone keeps the place in the queue for this time, and is skipped meanwhile."),
        .integer(
            "dispatch.recovery_ms", \.dispatch.recoveryMs, 0...86_400_000, .atReload,
            "A driver who lost the place to a lost connection and is back within this time gets it again."),
        .integer(
            "dispatch.driver_lost_ms", \.dispatch.driverLostMs, 0...86_400_000, .atReload,
            """
            A passenger whose driver is away for this time before the pickup is told so, and may have the ride searched \
            again. Who waits on is searched again after recovery_ms.
            """),
        .integer(
            "dispatch.noshow_wait_ms", \.dispatch.noshowWaitMs, 0...3_600_000, .atReload,
            "A driver can say that nobody came when the taxi has been at the pickup for this time."),
        .integer(
            "dispatch.zone_exit_fixes", \.dispatch.zoneExitFixes, 1...100, .atReload,
            "Fixes in a row outside the zone, by more than their accuracy, that cost the place. One bad fix never does."
        ),
        .integer(
            "dispatch.zone_exit_ms", \.dispatch.zoneExitMs, 1_000...86_400_000, .atReload,
            "Time outside the zone, by more than the accuracy, that costs the place when fixes are rare."),
        .integer(
            "dispatch.stale_after_ms", \.dispatch.staleAfterMs, 1_000...86_400_000, .atReload,
            "A driver without a position for this time gets no offers. Apps send one every 60 s at least."),
        .number(
            "dispatch.near_m", \.dispatch.nearM, 50...10_000, .atReload,
            "Distance at which the passenger is told that the taxi is near, metres."),
        .number(
            "dispatch.arrived_m", \.dispatch.arrivedM, 5...500, .atReload,
            "Distance at which the passenger is told that the taxi has arrived, metres."),
        .number(
            "dispatch.walk_m", \.dispatch.walkM, 0...2_000, .atReload,
            """
            While a vehicle comes, the pickup follows a passenger who sends positions, as far as this from where it was asked \
            for, metres. 0: it stays.
            """),
        .integer(
            "dispatch.idempotency_ttl_s", \.dispatch.idempotencyTtlS, 60...2_592_000, .atReload,
            "How long the result of a command with a key is kept: sent again, it has no second effect."),
        .integer(
            "dispatch.idempotency_keys", \.dispatch.idempotencyKeys, 10...1_000_000, .atRestart,
            "Results kept per subject, the latest: bounds what one client can make the hub remember."),
        .integer(
            "dispatch.free_cancels", \.dispatch.freeCancels, 1...1_000_000, .atRestart,
            """
            Requests for a ride, seats or a stop that a passenger may take back, after they rang a driver, within \
            dispatch.cancel_window_ms. After that the next one has to wait. So with tours that a bus driver ends at once. \
            Twice as many requests may be declined or not answered, and four times as many taken back before anybody was \
            asked.
            """),
        .integer(
            "dispatch.cancel_window_ms", \.dispatch.cancelWindowMs, 1_000...86_400_000, .atRestart,
            "How long a request that came to nothing counts; the longest wait, too."),
        .integer(
            "dispatch.cancel_pause_ms", \.dispatch.cancelPauseMs, 0...86_400_000, .atRestart,
            "The first wait; doubled with each further request that comes to nothing."),
    ]

    static let etaTable: [Setting] = [
        .number(
            "eta.speed_kmh", \.eta.speedKmh, 1...200, .atReload,
            """
            Speed of taxis in the city, km/h, stops included: by it goes what they are expected to need until it is learned \
            from the ways that they finish. 25 is San Francisco's.
            """),
        .number(
            "eta.detour_short", \.eta.detourShort, 1...5, .atReload,
            """
            Way by road ÷ straight line up to eta.short_m, where one-way streets weigh most: by it a ride in a minibus \
            is measured.
            """),
        .number(
            "eta.detour", \.eta.detour, 1...5, .atReload,
            "Way by road ÷ straight line midway between the two distances (their geometric mean); linear in between."),
        .number(
            "eta.detour_long", \.eta.detourLong, 1...5, .atReload, "Way by road ÷ straight line from eta.long_m on."),
        .number(
            "eta.short_m", \.eta.shortM, 1...100_000, .atReload, "Straight distance up to which detour_short holds."),
        .number("eta.long_m", \.eta.longM, 1...1_000_000, .atReload, "Straight distance from which detour_long holds."),
        .integer(
            "eta.push_change_s", \.eta.pushChangeS, 1...3_600, .atReload,
            "An estimate that differs by more from the one sent last is sent."),
        .integer(
            "eta.push_max_age_s", \.eta.pushMaxAgeS, 1...3_600, .atReload,
            "While the taxi approaches, an estimate is sent at least this often."),
    ]

    static let positionTable: [Setting] = [
        .integer(
            "positions.tick_ms", \.positions.tickMs, 20...10_000, .atReload,
            "Positions are written to Redis and sent to watchers in one batch this often."),
        .number(
            "positions.max_speed_mps", \.positions.maxSpeedMps, 0...1_000, .atReload,
            """
            A fix that would need a higher speed since the last one, m/s, is a jump of the receiver. 45 m/s is 162 km/h. 0: \
            any speed is believed; only for simulated vehicles that go faster than time.
            """),
        .integer(
            "positions.future_ms", \.positions.futureMs, 0...3_600_000, .atReload,
            "A fix may be dated this far ahead of the hub's clock; phones are seldom further off."),
        .integer(
            "positions.max_age_ms", \.positions.maxAgeMs, 30_000...86_400_000, .atReload,
            """
            A fix older than this when it comes is neither shown nor used: an app that was offline sends what it has \
            stored. A device whose clock is behind by more must send for 20 s before it is believed.
            """),
        .number(
            "positions.fence_accuracy_m", \.positions.fenceAccuracyM, 1...10_000, .atReload,
            "A fix less accurate than this triggers no alert and moves nobody between zones."),
        .number(
            "positions.map_accuracy_m", \.positions.mapAccuracyM, 1...100_000, .atReload,
            "A fix less accurate than this is not shown on maps."),
    ]

    static let feedTable: [Setting] = [
        .integer(
            "feeds.near_ms", \.feeds.nearMs, 20...60_000, .atReload,
            "Watchers of a circle are told this often, in whole ticks (positions.tick_ms); a client may ask for less."),
        .integer(
            "feeds.move_ms", \.feeds.moveMs, 0...60_000, .atReload,
            "A circle moves this often; of several watch commands within it the latest counts."),
        .integer("feeds.zone_ms", \.feeds.zoneMs, 20...60_000, .atReload, "The same for watchers of a zone."),
        .integer(
            "feeds.vehicle_ms", \.feeds.vehicleMs, 20...60_000, .atReload, "The same for watchers of one vehicle."),
        .integer("feeds.city_ms", \.feeds.cityMs, 20...60_000, .atReload, "The same for watchers of the whole city."),
        .integer(
            "feeds.stale_after_ms", \.feeds.staleAfterMs, 1_000...3_600_000, .atRestart,
            "A vehicle that was not heard for this time is shown as stale. Parked ones report every 60 s."),
        .integer(
            "feeds.gone_after_ms", \.feeds.goneAfterMs, 1_000...86_400_000, .atRestart,
            "A vehicle that was not heard for this time is not shown any more."),
        .integer(
            "feeds.coalesce_ms", \.feeds.coalesceMs, 0...1_000, .atRestart,
            """
            Events of channels with many readers (topic:…) wait up to this long for company, so that one send carries \
            several: the whole of it when the worker uses two thirds of a core, not at all below one third. Offers, \
            acceptances and alerts never wait.
            """),
    ]

    static let vehicleTable: [Setting] = [
        .integer(
            "vehicles.taxi_seats", \.vehicles.taxiSeats, 1...60, .atReload,
            "Seats for passengers in a taxi: what seats.set counts against."),
        .integer(
            "vehicles.minibus_seats", \.vehicles.minibusSeats, 1...99, .atReload,
            "Seats for passengers in a minibus whose driver's token does not say, from its next hello on."),
        .integer(
            "vehicles.seat_hold_ms", \.vehicles.seatHoldMs, 1_000...3_600_000, .atReload,
            """
            Seats that are booked are held for this time at most until the driver has answered. A driver is asked one \
            booking at a time, by the rules of offers in dispatch.
            """),
        .number(
            "vehicles.way_m", \.vehicles.wayM, 10...100_000, .atReload,
            "How far from the way that a minibus has announced a pickup or a destination may lie, metres."),
        .list(
            "vehicles.fares", \.vehicles.fares, .fares, .atReload,
            """
            What a seat costs by the distance that is ridden, per route; * is for all others. Beyond the last distance \
            its fare stays. Passengers are told before they book; empty tells none.
            """),
        .text("vehicles.currency", \.vehicles.currency, .currency, .atReload, "The currency of fares."),
    ]

    static let tourTable: [Setting] = [
        .integer(
            "tours.late_s", \.tours.lateS, 10...3_600, .atReload,
            "Readers of a line are told when the delay of a bus has changed by so much since they were told last."),
        .integer(
            "tours.lost_ms", \.tours.lostMs, 60_000...86_400_000, .atReload,
            "A tour of which nothing is heard for this time is ended, and its bus is free for another driver."),
        .number(
            "tours.off_route_m", \.tours.offRouteM, 10...1_000, .atReload,
            "Distance from the line's shape, metres, from which on a bus counts as off its route."),
        .integer(
            "tours.off_route_fixes", \.tours.offRouteFixes, 1...20, .atReload,
            "Fixes in a row at that distance that take a bus off its route; one bad fix never does."),
    ]

    static let runTable: [Setting] = [
        .number(
            "clock.scale", \.clock.scale, 1...1_000, .atRestart,
            """
            Hub milliseconds per real millisecond, for replays of recorded traces at many times real speed. Only with a \
            loopback host.
            """),
        .text(
            "clock.start", \.clock.start, .instant, .atRestart,
            """
            What the hub's clock shows when it starts for the first time, as 2026-02-16T15:58:00Z: for replays of recorded \
            buses, whose timetable is of that day. Kept over restarts. Only with a loopback host. Empty is the machine's \
            time.
            """),
        .choice(
            "log.level", \.log.level, .atReload,
            "The least important lines that are written. info tells what an operator acts on."
        ),
        .choice(
            "log.format", \.log.format, .atRestart, "text for people, json for collectors; auto is text on a terminal."),
    ]
}
