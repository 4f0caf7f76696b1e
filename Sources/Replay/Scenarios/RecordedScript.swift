import ClientSupport
import Domain

/// A vehicle's recorded fixes, with times counted from the start of the window. Between fixes far apart in time it adds
/// some on the straight line, as an app would send them oftener than the recorder wrote.
struct RecordedScript: Equatable {
    struct Limits: Equatable {
        /// Fixes further apart get others between them; 0 adds none.
        var interpolateEveryMs: Int64 = 30_000
        /// A hole longer than this means that the driver was off.
        var offShiftAfterMs: Int64 = 900_000
        /// Above this (m/s) a step is a jump of the GPS: it is sent as recorded, and not softened.
        var jumpSpeed = 35.0
        /// After a ride that took the vehicle elsewhere: this many fixes close together, so that a filter of jumps has
        /// something consistent to accept.
        var resumeFixes = 3
        var resumeStepMs: Int64 = 4_000
    }

    private(set) var fixes: [TraceFix]
    let limits: Limits
    /// How it drives on rides; nil: straight.
    let ways: RecordedWays?
    private var resumeTimes: [Int64] = []

    /// `fixes` with `timeMs` counted from the start of the window; those before it have negative times.
    init(fixes: [TraceFix], limits: Limits, ways: RecordedWays? = nil) {
        self.fixes = fixes
        self.limits = limits
        self.ways = ways
    }

    mutating func resume(at offsetMs: Int64) {
        resumeTimes = (0..<limits.resumeFixes).map { offsetMs + Int64($0) * limits.resumeStepMs }
    }

    mutating func next(after offsetMs: Int64) -> PlannedFix? {
        resumeTimes.removeAll { $0 <= offsetMs }
        let recorded = recordedNext(after: offsetMs)
        guard let resuming = resumeTimes.first, resuming < recorded?.offsetMs ?? .max,
            let between = interpolated(at: resuming)
        else { return recorded }
        return between
    }

    func duty(at offsetMs: Int64) -> ScriptDuty {
        guard let index = lastIndex(at: offsetMs) else { return .offShift }
        let hole = index + 1 < fixes.count ? fixes[index + 1].timeMs - fixes[index].timeMs : .max
        if hole > limits.offShiftAfterMs { return .offShift }
        return fixes[index].occupied == true ? .hired : .free
    }

    private func recordedNext(after offsetMs: Int64) -> PlannedFix? {
        let index = lastIndex(at: offsetMs)
        let following = (index ?? -1) + 1
        guard following < fixes.count else { return nil }
        if let index, let stop = stop(after: offsetMs, from: index) { return interpolated(at: stop) }
        let fix = fixes[following]
        return PlannedFix(
            offsetMs: fix.timeMs, place: fix.place, speed: fix.speed, heading: fix.heading, accuracy: fix.accuracy,
            isInterpolated: false)
    }

    /// The next time between the fix and the one after it at which something is added.
    private func stop(after offsetMs: Int64, from index: Int) -> Int64? {
        let (a, b) = (fixes[index], fixes[index + 1])
        let gap = b.timeMs - a.timeMs
        guard limits.interpolateEveryMs > 0, gap > limits.interpolateEveryMs, isDriven(a, b) else { return nil }
        let parts = (gap + limits.interpolateEveryMs - 1) / limits.interpolateEveryMs
        for part in 1..<parts where a.timeMs + gap * part / parts > offsetMs { return a.timeMs + gap * part / parts }
        return nil
    }

    /// Where the vehicle was between two fixes, if that can be said.
    private func interpolated(at offsetMs: Int64) -> PlannedFix? {
        guard let index = lastIndex(at: offsetMs) else { return nil }
        guard index + 1 < fixes.count, isDriven(fixes[index], fixes[index + 1]) else {
            return PlannedFix(offsetMs: offsetMs, place: fixes[index].place, isInterpolated: true)
        }
        let (a, b) = (fixes[index], fixes[index + 1])
        let share = Double(offsetMs - a.timeMs) / Double(b.timeMs - a.timeMs)
        let metres = a.place.distance(to: b.place)
        return PlannedFix(
            offsetMs: offsetMs, place: a.place.toward(b.place, share: share),
            speed: metres * 1000 / Double(b.timeMs - a.timeMs),
            heading: metres > 1 ? a.place.bearing(to: b.place) : nil, isInterpolated: true)
    }

    private func isDriven(_ a: TraceFix, _ b: TraceFix) -> Bool {
        let gap = b.timeMs - a.timeMs
        return gap <= limits.offShiftAfterMs
            && a.place.distance(to: b.place) * 1000 <= limits.jumpSpeed * Double(gap)
    }

    /// The last fix at or before a time.
    private func lastIndex(at offsetMs: Int64) -> Int? {
        var (low, high) = (0, fixes.count)
        while low < high {
            let middle = (low + high) / 2
            if fixes[middle].timeMs <= offsetMs { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? nil : low - 1
    }
}
