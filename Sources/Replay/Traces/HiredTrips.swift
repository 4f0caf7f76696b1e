public import Domain

/// The ways of a recording's taxis with a passenger: from where the meter was switched on to where it was switched off.
public struct HiredTrips: Sendable {
    /// Of each cab that had any, its ways in the order of time.
    public let ways: [String: [TravelledWay]]

    /// What no taxi does is a fault of its receiver, m/s.
    private static let fastest = 45.0
    private static let longestGapMs: Int64 = 180_000
    private static let leastMs: Int64 = 180_000
    private static let leastMetres = 200.0

    /// Ways of 3 minutes and more without a gap of more than 3 minutes.
    public init(recording bytes: [UInt8]) throws(TraceError) {
        let trace = try Trace.read(bytes)
        guard trace.vehicles.contains(where: { $0.fixes.contains { $0.occupied != nil } }) else {
            throw TraceError(line: 0, message: "the recording has no column `occupied`: nobody knows who was hired")
        }
        self.init(trace)
    }

    /// The same of what was read; none where there is no meter.
    init(_ trace: Trace) {
        var ways: [String: [TravelledWay]] = [:]
        for vehicle in trace.vehicles {
            let found = HiredTrips.ways(of: vehicle.fixes)
            if !found.isEmpty { ways[vehicle.name] = found }
        }
        self.ways = ways
    }

    private static func ways(of fixes: [TraceFix]) -> [TravelledWay] {
        var found: [TravelledWay] = []
        var first = 0
        while first < fixes.count {
            guard fixes[first].occupied == true else {
                first += 1
                continue
            }
            let end = fixes[first...].firstIndex { $0.occupied != true } ?? fixes.count
            if first > 0, end < fixes.count, let way = way(fixes[(first - 1)...end]) { found.append(way) }
            first = end
        }
        return found
    }

    /// `fixes`: with the one before it and the one after it.
    private static func way(_ fixes: ArraySlice<TraceFix>) -> TravelledWay? {
        let hasGap = zip(fixes, fixes.dropFirst()).contains { $1.timeMs - $0.timeMs > longestGapMs }
        let hired = fixes.dropFirst().dropLast()
        guard !hasGap, let first = hired.first, let last = hired.last, last.timeMs - first.timeMs >= leastMs else {
            return nil
        }
        var places = [TravelledWay.Place(first.place, at: first.timeMs)]
        for fix in hired.dropFirst() {
            let before = places[places.count - 1]
            let seconds = Double(fix.timeMs - before.at) / 1000
            guard before.point.distance(to: fix.place) / seconds < fastest else { continue }
            places.append(TravelledWay.Place(fix.place, at: fix.timeMs))
        }
        let ends = (places[0].point, places[places.count - 1].point)
        return ends.0.distance(to: ends.1) >= leastMetres ? TravelledWay(places: places) : nil
    }
}
