public import Domain
import RedisLink
import Settings

extension CatalogStore {
    /// The administrators' statistics of some days, both included, as `/v1/stats` tells them: of the last week, and of all
    /// lines, where nothing else is said. Throws a ``HubFailure`` when a day is none.
    public func statistics(from: String?, to: String?, line: String?) async throws -> StatisticsPages {
        let (query, zone) = try await days(from, to, "line", line)
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

    /// Figures by the hour, as the pages of the hub have them, in both forms.
    public struct HourlyPages: Sendable {
        /// With a header; RFC 4180.
        public let csv: [UInt8]
        public let json: [UInt8]
    }

    /// What became of rides, as `/v1/stats/taxis` tells it. `zone`: of pickups; nil: all. Throws a ``HubFailure`` when a day is none.
    public func taxiStatistics(from: String?, to: String?, zone: String?) async throws -> HourlyPages {
        let (query, timeZone) = try await days(from, to, "zone", zone)
        var rows: [TaxiFigures] = []
        for date in query.dates {
            rows += try await send(["HGETALL", RedisArgument(keys.taxis("\(date)"))]).taxiFigures(of: date)
                .filter { zone == nil || $0.zone == zone }.sorted { ($0.hour, $0.zone) < ($1.hour, $1.zone) }
        }
        return HourlyPages(
            csv: TaxiFigures.csv(rows),
            json: TaxiFigures.json(rows, from: query.from, to: query.to, timeZone: timeZone))
    }

    /// What became of seats in minibuses, as `/v1/stats/seats` tells it, without from where to where people asked in vain. `route`: nil: all.
    public func seatStatistics(from: String?, to: String?, route: String?) async throws -> HourlyPages {
        let (query, timeZone) = try await days(from, to, "route", route)
        var rows: [SeatFigures] = []
        for date in query.dates {
            rows += try await send(["HGETALL", RedisArgument(keys.seats("\(date)"))]).fields()
                .compactMap { SeatFigures(date, $0, $1) }.filter { route == nil || $0.route == route }
                .sorted { ($0.hour, $0.route) < ($1.hour, $1.route) }
        }
        return HourlyPages(
            csv: SeatFigures.csv(rows),
            json: SeatFigures.json(rows, unserved: nil, from: query.from, to: query.to, timeZone: timeZone))
    }

    /// The days that are meant, and the city's time zone.
    private func days(_ from: String?, _ to: String?, _ name: String, _ one: String?) async throws -> (
        StatisticsQuery, String
    ) {
        let version = CatalogMarks(try await send(["HGETALL", RedisArgument(keys.catalog)])).version
        let zone = try await send(["HGET", RedisArgument(keys.catalog(version, "meta")), "time_zone"]).text ?? "UTC"
        let now = Int64(try await call("city_now").text ?? "") ?? 0
        let today = (CityTime(zone: zone) ?? .utc).date(at: now / 1000)
        do throws(StatisticsQuery.Problem) {
            return (try StatisticsQuery(from: from, to: to, line: one, today: today, oneOf: name), zone)
        } catch {
            throw HubFailure(error.detail)
        }
    }
}
