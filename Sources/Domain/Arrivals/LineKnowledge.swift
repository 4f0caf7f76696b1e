/// What the finished tours of a line taught: travel times from stop to stop, and how far off forecasts were.
///
/// It is made of tours alone: taking in the same tours in the same order gives the same knowledge, so a list of the last
/// tours' passages is all that need be kept.
public struct LineKnowledge: Sendable {
    public private(set) var times = SegmentTimes()
    public private(set) var spread = ETASpread()

    public init() {}

    /// The forecasts for a tour at a local hour, 0…23. `stops` are the ids of the pattern's stops; `schedule` has one entry
    /// per stop, or is nil for a tour without one. Worth keeping for the hour: it costs a median per segment.
    public func eta(
        stops: [String], places: StopPlaces, schedule: [LineETA.ScheduledStop]?, hour: Int
    ) -> LineETA {
        let times = schedule?.map {
            StopTime(arrival: Int($0.arrival / 1000), departure: Int($0.departure / 1000))
        }
        return LineETA(
            places: places,
            segments: self.times.segments(stops: stops, places: places, schedule: times, hour: hour),
            schedule: schedule, spread: spread)
    }

    /// Takes in a finished tour. It is judged by what was known before, then learned from. `hour` gives the local hour of
    /// a time in Unix ms. A tour that passed no stop teaches nothing.
    public mutating func learn(
        stops: [String], passages: StopPassages, schedule: [LineETA.ScheduledStop]?, hour: (Int64) -> Int
    ) {
        guard let end = passages.arrivals.lazy.compactMap({ $0 }).last else { return }
        spread.learn(
            passages, forecast: eta(stops: stops, places: passages.places, schedule: schedule, hour: hour(end)))
        times.learn(stops: stops, passages: passages, hour: hour)
    }
}
