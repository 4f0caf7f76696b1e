public import Domain
import RedisLink
import Settings

/// What the hub knows now of where a taxi is likely to get a ride.
public struct AdviceLook: Sendable {
    /// Days of which there are figures.
    public let days: Int
    /// All zones, in the order of their file.
    public let places: [WaitAdvice.Place]
    /// The same, to ask for what is better near by.
    public let advice: WaitAdvice
}

extension CatalogStore {
    /// Where a taxi is likely to get a ride, reckoned as drivers are told it (``Advice``), from what is in Redis now.
    public func advice(_ zones: ZoneSet) async throws -> AdviceLook {
        let version = CatalogMarks(try await send(["HGETALL", RedisArgument(keys.catalog)])).version
        let zone = try await send(["HGET", RedisArgument(keys.catalog(version, "meta")), "time_zone"]).text ?? "UTC"
        let time = CityTime(zone: zone) ?? .utc
        let now = (Int64(try await call("city_now").text ?? "") ?? 0) / 1000
        let today = time.date(at: now)
        var demand = ZoneDemand()
        for ago in 1...(settings.advice.weeks * 7) {
            let date = today + -ago
            let figures = try await send(["HGETALL", RedisArgument(keys.taxis("\(date)"))]).taxiFigures(of: date)
            if !figures.isEmpty { demand.set(date, figures.map { ($0.zone, $0.hour, $0.demand) }) }
        }
        let counts = try await call("advice_waiting", more: zones.zones.map { RedisArgument($0.id) }).array ?? []
        let outlook = ZoneOutlook(demand, local: now + Int64(time.offset(at: now)))
        let places = WaitAdvice.places(zones, middles: zones.middles, outlook, waiting: counts)
        return AdviceLook(
            days: demand.dates.count, places: places,
            advice: WaitAdvice(places, reach: settings.advice.reachM, speed: Advice.speed(settings)))
    }
}

extension WaitAdvice {
    /// What is known of the zones of a set. middles: theirs; waiting: the answer of `advice_waiting`, in their order.
    static func places(
        _ set: ZoneSet, middles: [GeoPoint], _ outlook: ZoneOutlook, waiting: [RedisReply]
    ) -> [Place] {
        zip(set.zones, zip(middles, waiting)).map { zone, known in
            let expected = outlook[zone.id]
            return Place(
                zone: zone.id, middle: known.0, expected: expected.now, later: expected.later,
                waiting: Int(known.1.int ?? 0))
        }
    }
}
