public import Domain
import RedisLink
import Settings

extension CatalogStore {
    /// The administrators' statistics of some days, both included, as `/v1/stats` tells them: of the last week, and of all
    /// lines, where nothing else is said. Throws a ``HubFailure`` when a day is none.
    public func statistics(from: String?, to: String?, line: String?) async throws -> StatisticsPages {
        let version = CatalogMarks(try await send(["HGETALL", RedisArgument(keys.catalog)])).version
        let zone = try await send(["HGET", RedisArgument(keys.catalog(version, "meta")), "time_zone"]).text ?? "UTC"
        let now = Int64(try await call("city_now").text ?? "") ?? 0
        let today = (CityTime(zone: zone) ?? .utc).date(at: now / 1000)
        let query: StatisticsQuery
        do throws(StatisticsQuery.Problem) {
            query = try StatisticsQuery(from: from, to: to, line: line, today: today)
        } catch {
            throw HubFailure(error.detail)
        }
        var rows: [LineStatistics] = []
        for date in query.dates {
            let day = LineStatistics.day(
                date, try await send(["HGETALL", RedisArgument(keys.statistics("\(date)"))]).statistics)
            rows += day.filter { line == nil || $0.line == line }
        }
        return StatisticsPages(
            rows, from: query.from, to: query.to, timeZone: zone, earlySeconds: settings.statistics.earlyS,
            lateSeconds: settings.statistics.lateS)
    }
}
