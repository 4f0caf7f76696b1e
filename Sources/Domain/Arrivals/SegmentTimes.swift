/// Two stops that follow each other on a line, by their ids.
public struct StopPair: Hashable, Sendable {
    public var from: String
    public var to: String

    public init(from: String, to: String) {
        self.from = from
        self.to = to
    }
}

/// What is expected from one stop to the next.
public struct SegmentTime: Equatable, Sendable {
    public enum Source: Sendable {
        /// From finished tours.
        case learned
        case schedule
        /// From the distance: nothing better is known.
        case distance
    }

    /// Seconds from leaving the first stop to reaching the second.
    public var run: Double
    /// Seconds that the bus stays at the second stop.
    public var dwell: Double
    public var source: Source

    public init(run: Double, dwell: Double, source: Source) {
        self.run = run
        self.dwell = dwell
        self.source = source
    }
}

/// How long the buses of a line took from stop to stop, by the hour of the day, learned from finished tours.
///
/// Of each pair of stops and hour the latest 12 runs are kept. What is expected is their median, as one bus that broke
/// down should not be heard of again; too few in the hour, and the hours beside it count as well, then the whole day.
public struct SegmentTimes: Sendable {
    /// Runs kept per pair of stops and hour.
    static let kept = 12
    /// So many runs make an hour's median, alone or with its neighbours'; and so many the whole day's.
    static let enoughInHour = 5
    static let enoughInDay = 3
    /// What no bus needs between two stops, nor at one, seconds: something else happened.
    static let longest = 3600.0
    /// Without any times: the speed of a bus between stops, m/s, and its stay at one, seconds.
    static let usualSpeed = 20 / 3.6
    static let usualDwell = 20.0

    private var pairs: [StopPair: PairTimes] = [:]

    public init() {}

    /// Notes one run in an hour of the local day, 0…23, seconds. `dwell` is nil where nobody saw the bus leave.
    public mutating func add(_ pair: StopPair, hour: Int, run: Double, dwell: Double?) {
        guard (0..<24).contains(hour) else { return }
        if run >= 0, run <= SegmentTimes.longest { pairs[pair, default: PairTimes()].runs.add(run, hour) }
        if let dwell, dwell >= 0, dwell <= SegmentTimes.longest {
            pairs[pair, default: PairTimes()].dwells.add(dwell, hour)
        }
    }

    /// Takes in a finished tour. `stops` are the ids of its pattern's stops; `hour` gives the local hour of a time.
    public mutating func learn(stops: [String], passages: StopPassages, hour: (Int64) -> Int) {
        for stop in stops.indices.dropFirst() {
            guard let left = passages.departures[stop - 1], let reached = passages.arrivals[stop] else { continue }
            let dwell = passages.departures[stop].map { Double($0 - reached) / 1000 }
            add(
                StopPair(from: stops[stop - 1], to: stops[stop]), hour: hour(reached),
                run: Double(reached - left) / 1000, dwell: dwell)
        }
    }

    /// The medians of a pair at an hour, seconds; nil when too few buses were seen.
    public func learned(_ pair: StopPair, hour: Int) -> SegmentTime? {
        guard let times = pairs[pair], let run = times.runs.median(hour) else { return nil }
        return SegmentTime(run: run, dwell: times.dwells.median(hour) ?? 0, source: .learned)
    }

    /// What is expected on each segment of a pattern at an hour: one fewer than stops. `schedule` has one time per stop.
    public func segments(
        stops: [String], places: StopPlaces, schedule: [StopTime]?, hour: Int
    ) -> [SegmentTime] {
        (1..<max(1, places.count)).map { stop in
            if let learned = learned(StopPair(from: stops[stop - 1], to: stops[stop]), hour: hour) { return learned }
            if let schedule {
                return SegmentTime(
                    run: Double(max(0, schedule[stop].arrival - schedule[stop - 1].departure)),
                    dwell: Double(max(0, schedule[stop].departure - schedule[stop].arrival)),
                    source: .schedule)
            }
            return SegmentTime(
                run: (places.stops[stop] - places.stops[stop - 1]) / SegmentTimes.usualSpeed,
                dwell: SegmentTimes.usualDwell, source: .distance)
        }
    }

    private struct PairTimes: Sendable {
        var runs = HourlyTimes()
        var dwells = HourlyTimes()
    }
}

/// The latest times of one kind, by hour, whole seconds.
private struct HourlyTimes: Sendable {
    private var hours: [[UInt16]] = Array(repeating: [], count: 24)

    mutating func add(_ seconds: Double, _ hour: Int) {
        if hours[hour].count == SegmentTimes.kept { hours[hour].removeFirst() }
        hours[hour].append(UInt16(seconds.rounded()))
    }

    func median(_ hour: Int) -> Double? {
        var near = hours[hour]
        if near.count < SegmentTimes.enoughInHour { near += hours[(hour + 23) % 24] + hours[(hour + 1) % 24] }
        if near.count >= SegmentTimes.enoughInHour { return HourlyTimes.median(near) }
        let all = hours.flatMap { $0 }
        return all.count >= SegmentTimes.enoughInDay ? HourlyTimes.median(all) : nil
    }

    private static func median(_ values: [UInt16]) -> Double {
        let sorted = values.sorted()
        let middle = sorted.count / 2
        return sorted.count % 2 == 1
            ? Double(sorted[middle]) : (Double(sorted[middle - 1]) + Double(sorted[middle])) / 2
    }
}
