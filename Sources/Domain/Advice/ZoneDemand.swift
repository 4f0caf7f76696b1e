/// How many requests (``TaxiFigures/demand``) are expected in each zone and hour, from the figures of the last weeks. Numbers alone: it knows nobody.
///
/// An hour is judged by the same hour of the same weekday; the fewer of those there are, the more by the same hour of all days; and the
/// fewer of those, the more by how busy the zone is at all and the city is at that hour. So little data does not shout.
public struct ZoneDemand: Sendable {
    /// Requests by hour, 0…23, of each zone that had any.
    public typealias Day = [String: [Int]]

    private var days: [ServiceDate: Day] = [:]

    /// So many days count as much as what is known otherwise. Tried on recorded cabs (``WaitAdviceTrial``); half and four times as many give
    /// nearly the same.
    static let doubt = 2.0

    public init() {}

    public var dates: Set<ServiceDate> { Set(days.keys) }

    /// Replaces what was known of the day.
    public mutating func set(_ date: ServiceDate, _ figures: [(zone: String, hour: Int, requested: Int)]) {
        var day: Day = [:]
        for figure in figures where (0..<24).contains(figure.hour) {
            day[figure.zone, default: [Int](repeating: 0, count: 24)][figure.hour] += max(0, figure.requested)
        }
        days[date] = day
    }

    /// Each day as one would think of it who has not seen some hours (0…23), in `thousandths` of a request: as the zones share the other hours, and as
    /// busy as the city was before and after those that are missing.
    public func unaware(of missing: Set<Int>) -> ZoneDemand {
        var demand = ZoneDemand()
        for (date, zones) in days {
            let known = (0..<24).filter { !missing.contains($0) }
            let city = (0..<24).map { hour in zones.values.reduce(0) { $0 + $1[hour] } }
            let all = known.reduce(0) { $0 + city[$1] }
            guard all > 0 else { continue }
            func level(_ hour: Int) -> Double {
                let before = known.last { $0 < hour } ?? known[known.count - 1]
                let after = known.first { $0 > hour } ?? known[0]
                let (since, until) = ((hour - before + 24) % 24, (after - hour + 24) % 24)
                return (Double(city[before] * until) + Double(city[after] * since)) / Double(since + until)
            }
            demand.days[date] = zones.mapValues { hours in
                let share = Double(known.reduce(0) { $0 + hours[$1] }) / Double(all)
                return (0..<24).map { missing.contains($0) ? Int(1000 * share * level($0)) : 1000 * hours[$0] }
            }
        }
        return demand
    }

    public mutating func keep(_ dates: Set<ServiceDate>) { days = days.filter { dates.contains($0.key) } }

    /// Requests in an hour (0…23) of a day, of each zone that ever had one; days that are not over don't count.
    public func expected(hour: Int, on date: ServiceDate) -> [String: Double] {
        let known = days.filter { $0.key < date }
        guard !known.isEmpty else { return [:] }
        var all: [String: (hour: Int, total: Int, same: Int)] = [:]
        var city = (hour: 0, total: 0)
        var sameDays = 0
        for (day, zones) in known {
            let isSame = day.weekday == date.weekday
            if isSame { sameDays += 1 }
            for (zone, hours) in zones {
                let total = hours.reduce(0, +)
                all[zone, default: (0, 0, 0)].hour += hours[hour]
                all[zone, default: (0, 0, 0)].total += total
                if isSame { all[zone, default: (0, 0, 0)].same += hours[hour] }
                city = (city.hour + hours[hour], city.total + total)
            }
        }
        guard city.total > 0 else { return [:] }
        let share = Double(city.hour) / Double(city.total)
        let count = Double(known.count)
        return all.mapValues { zone in
            let usual = Double(zone.total) / count * share
            let anyDay = (Double(zone.hour) + Self.doubt * usual) / (count + Self.doubt)
            return (Double(zone.same) + Self.doubt * anyDay) / (Double(sameDays) + Self.doubt)
        }
    }
}

/// What is expected from a moment on: in the next 60 minutes, and in the 60 after them.
public struct ZoneOutlook: Sendable {
    private let hours: [[String: Double]]
    private let passed: Double

    /// - Parameter local: seconds of the city's clock since 1970.
    public init(_ demand: ZoneDemand, local: Int64) {
        let hour = local >= 0 ? local / 3600 : (local - 3599) / 3600
        passed = Double(local - hour * 3600) / 3600
        hours = (hour...(hour + 2)).map { hour in
            let day = hour >= 0 ? hour / 24 : (hour - 23) / 24
            return demand.expected(hour: Int(hour - day * 24), on: ServiceDate(days: Int(day)))
        }
    }

    /// Requests.
    public subscript(zone: String) -> (now: Double, later: Double) {
        let of = hours.map { $0[zone] ?? 0 }
        return (of[0] * (1 - passed) + of[1] * passed, of[1] * (1 - passed) + of[2] * passed)
    }

    public var isEmpty: Bool { hours.allSatisfy(\.isEmpty) }
}
