public import Domain

/// A recording's cabs by their meters: where they were free, picked somebody up and became free again.
public struct FreeCabs: Sendable {
    /// By their names in the recording.
    public let cabs: [String: WaitAdviceTrial.Cab]

    /// A longer gap says nothing of what happened in it.
    private static let longestGapMs: Int64 = 600_000

    /// - Parameter zone: the index of the zone of a place.
    public init(recording bytes: [UInt8], zone: (GeoPoint) -> Int?) throws(TraceError) {
        let trace = try Trace.read(bytes)
        guard trace.vehicles.contains(where: { $0.fixes.contains { $0.occupied != nil } }) else {
            throw TraceError(line: 0, message: "the recording has no column `occupied`: nobody knows who was hired")
        }
        var cabs: [String: WaitAdviceTrial.Cab] = [:]
        for vehicle in trace.vehicles {
            var cab = WaitAdviceTrial.Cab()
            for (before, fix) in zip(vehicle.fixes, vehicle.fixes.dropFirst())
            where fix.timeMs - before.timeMs <= Self.longestGapMs {
                let moment = WaitAdviceTrial.Cab.Moment(
                    at: Int(fix.timeMs / 1000), zone: zone(fix.place), point: fix.place)
                switch (before.occupied, fix.occupied) {
                case (false, true): cab.pickups.append(moment)
                case (true, false): cab.dropOffs.append(moment)
                default: break
                }
                if before.occupied == false {
                    cab.free.append((Int(before.timeMs / 1000), moment.at, zone(before.place)))
                }
            }
            cabs[vehicle.name] = cab
        }
        self.cabs = cabs
    }
}
