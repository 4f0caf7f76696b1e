import ClientSupport
import Wire

/// What became of taxis that were reserved, as their passengers were told.
struct ReservationTally {
    private(set) var made = 0
    /// How long before the time a taxi had accepted, and how long after it one was there; hub ms, each time that it was told.
    private(set) var earlyMs: [Int64] = []
    private(set) var lateMs: [Int64] = []

    mutating func take(_ note: ReservationNote) {
        switch note {
        case .made: made += 1
        case .assigned(let ms): earlyMs.append(ms)
        case .came(let ms): lateMs.append(ms)
        }
    }

    /// Minutes, of so many in a hundred; nil: there are none.
    static func minutes(_ times: [Int64], percentile: Double) -> Double? {
        guard !times.isEmpty else { return nil }
        let place = Int((Double(times.count - 1) * percentile / 100).rounded())
        return (Double(times.sorted()[place]) / 6_000).rounded() / 10
    }

    private static func text(_ times: [Int64]) -> String {
        let shares = [10.0, 50, 90].map { share in
            "p\(Int(share)) \(minutes(times, percentile: share).map { "\($0)" } ?? "–")"
        }
        return shares.joined(separator: ", ") + " min (\(times.count) times)"
    }

    /// found: what the log says of all of them, if it was read.
    func add(to table: inout TextTable, _ found: ReservationScore?) {
        table.add("reservations", made)
        if let found {
            table.add("  got a taxi", "\(found.assigned)")
            table.add(
                "  got none",
                "\(found.failedNear) with one near in the last ten minutes, \(found.failedAlone) with none")
            if let share = found.share {
                table.add("  of those with one near", "\((share * 1000).rounded() / 10) % got a taxi")
            }
        }
        table.add("  taxi found before the time", Self.text(earlyMs))
        table.add("  taxi came after the time", Self.text(lateMs))
    }

    func json(_ found: ReservationScore?) -> JSONValue {
        func number(_ value: Int?) -> JSONValue { value.map { .number(Double($0)) } ?? .null }
        func minutes(_ times: [Int64], _ percentile: Double) -> JSONValue {
            Self.minutes(times, percentile: percentile).map(JSONValue.number) ?? .null
        }
        return [
            "made": number(made), "assigned": number(found?.assigned), "failed_near": number(found?.failedNear),
            "failed_alone": number(found?.failedAlone), "share": found?.share.map(JSONValue.number) ?? .null,
            "early_min_p10": minutes(earlyMs, 10), "early_min_p50": minutes(earlyMs, 50),
            "early_min_p90": minutes(earlyMs, 90),
            "late_min_p10": minutes(lateMs, 10), "late_min_p50": minutes(lateMs, 50),
            "late_min_p90": minutes(lateMs, 90),
        ]
    }
}
