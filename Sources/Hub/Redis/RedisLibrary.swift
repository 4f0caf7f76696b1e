/// The sources of the Redis functions.
enum RedisLibrary {
    /// In the order in which they build on each other: one Lua chunk.
    static var sources: [[UInt8]] {
        [
            PackageResources.core_lua, PackageResources.limits_lua, PackageResources.notify_lua,
            PackageResources.figures_lua, PackageResources.lost_lua, PackageResources.queue_lua,
            PackageResources.offer_lua,
            PackageResources.ride_lua, PackageResources.seat_lua, PackageResources.minibus_lua,
            PackageResources.driver_lua, PackageResources.stop_lua, PackageResources.stop_times_lua,
            PackageResources.stop_request_lua, PackageResources.stop_answers_lua, PackageResources.stop_way_lua,
            PackageResources.tour_lua,
            PackageResources.presence_lua, PackageResources.feed_lua,
            PackageResources.sweep_lua, PackageResources.topic_lua,
            PackageResources.catalog_lua, PackageResources.realtime_lua,
        ]
    }
}
