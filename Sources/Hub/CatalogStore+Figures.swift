public import Domain
import RedisLink
import Settings

extension CatalogStore {
    /// The administrators' figures of some days, both included, as `/v1/stats` tells them: of the last week, and of all
    /// lines, where nothing else is said. Throws a ``HubFailure`` when a day is none.
    public func figures(from: String?, to: String?, line: String?) async throws -> FigurePages {
        let version = CatalogMarks(try await send(["HGETALL", RedisArgument(keys.catalog)])).version
        let zone = try await send(["HGET", RedisArgument(keys.catalog(version, "meta")), "time_zone"]).text ?? "UTC"
        let now = Int64(try await call("now", []).text ?? "") ?? 0
        let today = (CityTime(zone: zone) ?? .utc).date(at: now / 1000)
        let query: FigureQuery
        do throws(FigureQuery.Problem) {
            query = try FigureQuery(from: from, to: to, line: line, today: today)
        } catch {
            throw HubFailure(error.detail)
        }
        var rows: [LineFigures] = []
        for date in query.dates {
            let day = LineFigures.day(
                date, try await send(["HGETALL", RedisArgument(keys.figures("\(date)"))]).figures)
            rows += day.filter { line == nil || $0.line == line }
        }
        return FigurePages(
            rows, from: query.from, to: query.to, timeZone: zone, earlySeconds: settings.figures.earlyS,
            lateSeconds: settings.figures.lateS)
    }
}
