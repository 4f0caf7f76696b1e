import RedisLink

/// The sources of the Redis functions: each file a module of its own (``FunctionLibrary``), beside the Swift of its capability.
enum RedisLibrary {
    /// By name, in the order in which they import one another.
    static var modules: [FunctionLibrary.Module] {
        [
            .init("settings", PackageResources.settings_lua),
            .init("core", PackageResources.core_lua),
            .init("distances", PackageResources.distances_lua),
            .init("limits", PackageResources.limits_lua),
            .init("blocks", PackageResources.blocks_lua),
            .init("coming", PackageResources.coming_lua),
            .init("people", PackageResources.people_lua),
            .init("notify", PackageResources.notify_lua),
            .init("figures", PackageResources.figures_lua),
            .init("taxi_figures", PackageResources.taxi_figures_lua),
            .init("audit", PackageResources.audit_lua),
            .init("callers", PackageResources.callers_lua),
            .init("lost", PackageResources.lost_lua),
            .init("queue", PackageResources.queue_lua),
            .init("candidates", PackageResources.candidates_lua),
            .init("offer", PackageResources.offer_lua),
            .init("ride", PackageResources.ride_lua),
            .init("seat", PackageResources.seat_lua),
            .init("pickup", PackageResources.pickup_lua),
            .init("minibus", PackageResources.minibus_lua),
            .init("driver", PackageResources.driver_lua),
            .init("office", PackageResources.office_lua),
            .init("office_rides", PackageResources.office_rides_lua),
            .init("office_sessions", PackageResources.office_sessions_lua),
            .init("sos", PackageResources.sos_lua),
            .init("report", PackageResources.report_lua),
            .init("bus", PackageResources.bus_lua),
            .init("stop", PackageResources.stop_lua),
            .init("stop_times", PackageResources.stop_times_lua),
            .init("stop_request", PackageResources.stop_request_lua),
            .init("stop_answers", PackageResources.stop_answers_lua),
            .init("stop_way", PackageResources.stop_way_lua),
            .init("tour", PackageResources.tour_lua),
            .init("line", PackageResources.line_lua),
            .init("broadcast", PackageResources.broadcast_lua),
            .init("presence", PackageResources.presence_lua),
            .init("feed", PackageResources.feed_lua),
            .init("sweep", PackageResources.sweep_lua),
            .init("publisher", PackageResources.publisher_lua),
            .init("topic", PackageResources.topic_lua),
            .init("catalog", PackageResources.catalog_lua),
            .init("realtime", PackageResources.realtime_lua),
            .init("travel", PackageResources.travel_lua),
        ]
    }
}
