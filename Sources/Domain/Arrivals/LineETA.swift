import Glibc

/// When a bus comes to each stop ahead of it, and to any point along its way.
///
/// The base is what is usual from stop to stop at this hour (`SegmentTimes`), counted from where the bus is now, so its
/// delay goes on by itself. Two things change it. The bus's own last minutes (`LivePace`): if it is slower than usual, a
/// quarter of that is carried forward, fading over 25 minutes; more than that did not come true on real traces. And where
/// only the schedule is known, a late bus makes up its delay by and by (time constant one hour), as drivers do.
public struct LineETA: Sendable {
    /// How much of the live pace is believed, and how far it may move the forecast, as factors.
    static let paceShare = 0.25
    static let slowest = 1.25
    static let fastest = 0.8
    /// The time constants of fading, seconds.
    static let paceFade = 1500.0
    static let delayFade = 3600.0
    /// Of the scheduled time so much can be made up at most.
    static let largestRecovery = 0.3
    /// A bus that is on its way so long before its time, ms, is manoeuvring: it counts as standing at the first stop.
    static let mayLeaveEarlyMs: Int64 = 60_000

    public let places: StopPlaces
    /// Unix ms of each stop by schedule; nil when the tour has none.
    public let schedule: [ScheduledStop]?
    public var spread: ETASpread
    private let usual: WayTimes

    /// One stop of a tour's schedule, Unix ms.
    public struct ScheduledStop: Equatable, Sendable {
        public var arrival: Int64
        public var departure: Int64

        public init(arrival: Int64, departure: Int64) {
            self.arrival = arrival
            self.departure = departure
        }
    }

    /// Someone gets on or off where there is no stop.
    public struct Call: Equatable, Sendable {
        /// Metres along the way.
        public var distance: Double
        /// How long the bus stays, seconds.
        public var seconds: Double

        public init(distance: Double, seconds: Double) {
            self.distance = distance
            self.seconds = seconds
        }
    }

    /// What is known of the bus.
    public struct Bus: Sendable {
        /// Metres along the way, and when it was there, Unix ms.
        public var distance: Double
        public var at: Int64
        public var pace: LivePace
        /// Calls that are promised along the way.
        public var calls: [Call]

        public init(distance: Double, at: Int64, pace: LivePace = LivePace(), calls: [Call] = []) {
            self.distance = distance
            self.at = at
            self.pace = pace
            self.calls = calls
        }
    }

    public struct StopETA: Equatable, Sendable {
        /// Index in the pattern.
        public var stop: Int
        public var arrival: ETA
        /// Of the last stop: its arrival.
        public var departure: ETA
    }

    /// `segments` has one fewer than stops (`SegmentTimes.segments`), `schedule` as many.
    public init(
        places: StopPlaces, segments: [SegmentTime], schedule: [ScheduledStop]? = nil,
        spread: ETASpread = ETASpread()
    ) {
        precondition(segments.count == places.count - 1 && (schedule == nil || schedule?.count == places.count))
        self.places = places
        self.schedule = schedule
        self.spread = spread
        usual = WayTimes(places: places, segments: segments)
    }

    /// The stops that the bus has not left, in their order; times never fall along the way. `now` in Unix ms: nothing is
    /// forecast before it. Of a stop where the bus stands the arrival is now.
    public func stops(ahead bus: Bus, now: Int64) -> [StopETA] {
        let journey = Journey(self, bus, now)
        var last = ETA(early: now, likely: now, late: now)
        var result: [StopETA] = []
        for stop in places.first(after: journey.distance)..<places.count {
            let isThere = journey.distance >= places.entry(stop)
            let arrival = isThere ? last : journey.eta(usual.reach(stop), calls: places.entry(stop)).notBefore(last)
            let departure =
                stop == places.count - 1
                ? arrival : journey.eta(usual.leave(stop), calls: places.exit(stop)).notBefore(arrival)
            last = departure
            result.append(StopETA(stop: stop, arrival: arrival, departure: departure))
        }
        return result
    }

    /// A place of the way, metres along it, and when the bus is there.
    public struct Crossing: Equatable, Sendable {
        public var distance: Double
        public var eta: ETA
    }

    /// The forecast as places of the way, in their order: where the bus is now, and of each stop ahead when it comes and when
    /// it goes on. At any place between two it is there at a time between theirs, in proportion.
    public func course(ahead bus: Bus, now: Int64) -> [Crossing] {
        let journey = Journey(self, bus, now)
        let here = journey.distance
        let soonest = ETA(early: now, likely: now, late: now)
        let isWaiting = journey.start > bus.at
        var course = [
            Crossing(
                distance: here, eta: isWaiting ? soonest : journey.eta(journey.here, calls: here).notBefore(soonest))
        ]
        for stop in stops(ahead: bus, now: now) {
            let place = places.stops[stop.stop]
            if place >= here { course.append(Crossing(distance: place, eta: stop.arrival)) }
            let exit = places.exit(stop.stop)
            if exit >= here, exit.isFinite { course.append(Crossing(distance: exit, eta: stop.departure)) }
        }
        return course
    }

    /// When the bus comes to a point so many metres along; nil when it has passed it.
    public func point(at distance: Double, ahead bus: Bus, now: Int64) -> ETA? {
        guard distance >= bus.distance else { return nil }
        let journey = Journey(self, bus, now)
        return journey.eta(usual.at(distance), calls: distance).notBefore(ETA(early: now, likely: now, late: now))
    }

    /// How late the bus is by schedule, seconds, at a place and time; negative when it is early. Nil without a schedule.
    public func delay(distance: Double, at time: Int64) -> Double? {
        guard let schedule else { return nil }
        let stop = places.first(after: distance)
        let entry = places.entry(stop)
        if stop == 0 || distance >= entry {
            // Standing at a stop until its departure is no delay.
            let due = schedule[stop]
            return time < due.arrival
                ? Double(time - due.arrival) / 1000 : max(0, Double(time - due.departure) / 1000)
        }
        let begin = places.exit(stop - 1)
        let part = entry > begin ? min(1, max(0, (distance - begin) / (entry - begin))) : 1
        let left = Double(schedule[stop - 1].departure)
        return (Double(time) - (left + (Double(schedule[stop].arrival) - left) * part)) / 1000
    }

    /// Seconds that the way between two places usually takes, for `LivePace`.
    public func usualSeconds(from start: Double, to end: Double) -> Double {
        max(0, usual.at(end).seconds - usual.at(start).seconds)
    }

    func usualSeconds(fromExit stop: Int, toEntry later: Int) -> Double {
        max(0, usual.reach(later).seconds - usual.leave(stop).seconds)
    }

    func usualSeconds(fromExit stop: Int, toExit later: Int) -> Double {
        max(0, usual.leave(later).seconds - usual.leave(stop).seconds)
    }

    /// At least half of the usual time between two stops was learned from tours.
    func isLearned(from stop: Int, to later: Int) -> Bool {
        let (from, to) = (usual.leave(stop), usual.reach(later))
        return to.learned - from.learned >= (to.seconds - from.seconds) / 2
    }

    /// Usual seconds ahead, as the live pace makes them: its share at first, fading with the time constant.
    func paced(_ seconds: Double, _ pace: LivePace) -> Double {
        let factor = min(LineETA.slowest, max(LineETA.fastest, 1 + LineETA.paceShare * (pace.ratio - 1)))
        return seconds + (factor - 1) * LineETA.paceFade * (1 - exp(-seconds / LineETA.paceFade))
    }

    /// One forecast from where a bus is.
    private struct Journey {
        let line: LineETA
        let bus: Bus
        /// Metres along where it counts as being.
        let distance: Double
        /// When it goes on from there, Unix ms: after `bus.at` while it waits for its time of departure.
        let start: Int64
        let here: WayTimes.Place
        let delay: Double

        init(_ line: LineETA, _ bus: Bus, _ now: Int64) {
            self.line = line
            self.bus = bus
            var place = bus.distance
            var time = bus.at
            if let first = line.schedule?[0].departure {
                if time < first - LineETA.mayLeaveEarlyMs { place = min(place, line.places.stops[0]) }
                if place < line.places.exit(0) { time = max(time, first) }
            }
            distance = place
            start = time
            here = line.usual.at(place)
            delay = line.delay(distance: place, at: time) ?? 0
        }

        /// The time at a place of the way; calls before `place` (metres) cost their seconds.
        func eta(_ there: WayTimes.Place, calls place: Double) -> ETA {
            let seconds = line.paced(max(0, there.seconds - here.seconds), bus.pace) - recovered(there)
            let (early, likely, late) = line.spread.seconds(max(0, seconds))
            var stays = 0.0
            for call in bus.calls where call.distance > bus.distance && call.distance < place { stays += call.seconds }
            func time(_ seconds: Double) -> Int64 { start + Int64(((seconds + stays) * 1000).rounded()) }
            return ETA(early: time(early), likely: time(likely), late: time(late))
        }

        /// What of its delay the bus makes up until there, where nothing but the schedule is known; below 0 when it is
        /// early and waits.
        private func recovered(_ there: WayTimes.Place) -> Double {
            let scheduled = max(0, there.scheduled - here.scheduled)
            let made = delay * (1 - exp(-scheduled / LineETA.delayFade))
            return min(made, scheduled * LineETA.largestRecovery)
        }
    }
}

extension ETA {
    /// None of the three before that of another.
    func notBefore(_ other: ETA) -> ETA {
        ETA(early: max(early, other.early), likely: max(likely, other.likely), late: max(late, other.late))
    }
}
