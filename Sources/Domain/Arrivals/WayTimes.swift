/// The usual seconds from leaving the first stop to any place of a pattern's way.
struct WayTimes: Sendable {
    struct Place: Sendable {
        /// From leaving the first stop; 0 before.
        var seconds: Double
        /// How many of these come from the schedule.
        var scheduled: Double
        /// How many come from finished tours.
        var learned: Double
    }

    private let places: StopPlaces
    /// On reaching and on leaving each stop. The first is reached at 0, the last left as it is reached.
    private var reached: [Place]
    private var left: [Place]

    init(places: StopPlaces, segments: [SegmentTime]) {
        self.places = places
        var now = Place(seconds: 0, scheduled: 0, learned: 0)
        reached = [now]
        left = [now]
        for (index, segment) in segments.enumerated() {
            now.add(segment.run, segment.source)
            reached.append(now)
            if index < segments.count - 1 { now.add(segment.dwell, segment.source) }
            left.append(now)
        }
    }

    func reach(_ stop: Int) -> Place { reached[stop] }
    func leave(_ stop: Int) -> Place { left[stop] }

    /// At so many metres along: linear between stops, and within one.
    func at(_ distance: Double) -> Place {
        let stop = places.first(after: distance)
        let entry = places.entry(stop)
        if stop == 0 { return reached[0] }
        if distance < entry {
            return between(left[stop - 1], reached[stop], distance, places.exit(stop - 1), entry)
        }
        return stop == places.count - 1
            ? reached[stop] : between(reached[stop], left[stop], distance, entry, places.exit(stop))
    }

    private func between(_ a: Place, _ b: Place, _ distance: Double, _ low: Double, _ high: Double) -> Place {
        let part = high > low ? min(1, max(0, (distance - low) / (high - low))) : 1
        return Place(
            seconds: a.seconds + (b.seconds - a.seconds) * part,
            scheduled: a.scheduled + (b.scheduled - a.scheduled) * part,
            learned: a.learned + (b.learned - a.learned) * part)
    }
}

extension WayTimes.Place {
    fileprivate mutating func add(_ more: Double, _ source: SegmentTime.Source) {
        seconds += more
        switch source {
        case .schedule: scheduled += more
        case .learned: learned += more
        case .distance: break
        }
    }
}
